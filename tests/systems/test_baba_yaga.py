"""Tests of Baba Yaga's hut, which scores more points the fewer of the squares around it are occupied. BY1 and the like
are worked examples; see tests/scenarios/baba_yaga.
"""

import pytest

from carc_env import Game, GameConfig
from tests.systems.dictated import play, played
from tests.systems.playing import legal

AROUND = ("U@1,0/0", "U@-1,0/0", "E@-1,1/270", "E@1,1/90", "E@-1,2/180", "E@0,2/180", "E@1,2/180")


def test_empty_squares_at_the_end():
    """BY1."""
    game = played("baba_yaga", "RU1@0,1/0; meeple hut", "U@1,0/0")
    assert game.final_scores()["huts"].tolist() == game.scores.tolist() == [7, 0]


def test_surrounded_it_pays_one_at_once():
    """BY2. A surrounded hut without a follower scores nothing."""
    game = played("baba_yaga", "RU1@0,1/0; meeple hut", *AROUND, left="U")
    assert game.scores.tolist() == [1, 0] and game.meeples["meeple"].tolist() == [7, 7]
    assert played("baba_yaga", "RU1@0,1/0", *AROUND, left="U").scores.tolist() == [0, 0]


def test_surrounded_it_gives_its_gold():
    game = played(
        "baba_yaga goldmines",
        "RU1@0,1/0; meeple hut",
        *AROUND[:4],
        "E@1,2/180",
        "E@0,2/180",
        "GM2@-1,2/270; ingot 0,1; pass",
        left="U",
    )
    assert game.scores.tolist() == [1, 0] and game.ingots.tolist() == [2, 0]


def test_it_is_no_place_for_the_abbot_figure():
    """BY3."""
    game = played("baba_yaga abbot inns_and_cathedrals traders_and_builders", left="RU1 U")
    assert [text for text in legal(game) if "hut" in text] == ["meeple hut", "big hut"]


@pytest.mark.parametrize("border", ["count_tiles", "nine"])
def test_on_a_sheet_squares_that_exist_count(tmp_path, border):
    path = tmp_path / "own.toml"
    path.write_text("""name = "own"\ntitle = "Own"\nrows = ["ooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true }, { name = "B", square = [2, 0], grape = "orange", start = true }]
""")
    config = GameConfig(boxes=("base", "baba_yaga"), sheet=str(path), starts=(("B", 0, 0, 0),), border_monastery=border)
    game = play(Game(config, deck=["RU1"]), "RU1@1,0/0; meeple hut")
    assert game.scores.tolist() == [2, 0]  # one of two squares is empty
    game = play(Game(config, deck=["RU1", "B"]), "RU1@1,0/0; meeple hut", "B@2,0/0")
    assert game.scores.tolist() == [1, 0]


def test_a_hut_of_tiles_only_takes_nobody():
    assert not any("hut" in text for text in legal(Game(GameConfig(tiles_only=("baba_yaga",)), deck=["RU1", "U"])))
