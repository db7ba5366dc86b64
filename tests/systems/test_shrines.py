"""Tests of shrines: where shrines and monasteries may be placed, and which followers return when one building of a
challenge is completed. SR1 and the like are worked examples; see tests/scenarios/shrines.
"""

import pytest

from carc_env import Game, GameConfig, IllegalAction
from carc_env.boxes.tiles import KINDS
from carc_env.rules.expansions.shrines import is_allowed
from carc_env.rules.geometry import cell_of
from tests.systems.dictated import play, played
from tests.systems.playing import legal

BOTH = ("B@0,1/0; meeple monastery", "SH1@1,1/0; meeple shrine")
BETWEEN = ("U@1,0/0", "U@2,0/0", "U@-1,0/0", "E@-1,1/270", "E@2,1/90", "E@0,2/180")
SHRINE_FIRST = (*BETWEEN, "E@1,2/180", "E@2,2/180")
TOGETHER = (*BETWEEN, "E@-1,2/180", "E@2,2/180", "E@1,2/180")


def returned(game: Game) -> list[tuple[int, str]]:
    return [(event.player, event.figure) for event in game.last_events if type(event).__name__ == "FigureReturned"]


# --- the challenge ----------------------------------------------------------------------------------------------------
def test_the_one_completed_first_scores_and_the_other_goes_home():
    """SR1."""
    game = played("shrines", *BOTH, *SHRINE_FIRST, left="E U")
    assert game.scores.tolist() == [0, 9] and sorted(returned(game)) == [(0, "meeple"), (1, "meeple")]
    assert game.meeples["meeple"].tolist() == [7, 7] and not any(tile.figures for tile in game.board())
    play(game, "E@-1,2/180")
    assert game.scores.tolist() == [0, 9] and not game.last_events


def test_both_completed_by_one_tile_score():
    """SR2."""
    game = played("shrines", *BOTH, *TOGETHER, left="U")
    assert game.scores.tolist() == [9, 9] and len(returned(game)) == 2


def test_an_empty_building_is_not_challenged_and_does_not_challenge():
    """SR4, and the same with an empty shrine beside a monk."""
    game = played("shrines", "B@0,1/0", BOTH[1], *SHRINE_FIRST, left="U")
    assert game.scores.tolist() == [0, 9] and returned(game) == [(1, "meeple")]
    game = played("shrines", BOTH[0], "SH1@1,1/0", *SHRINE_FIRST, left="U")
    assert game.scores.tolist() == [0, 0] and game.board()[1].figures and not game.last_events


def test_neither_completed_at_the_end():
    """SR5."""
    game = played("shrines", *BOTH, *SHRINE_FIRST[:-1])
    assert game.is_over and game.scores.tolist() == [8, 8] and game.final_scores()["shrines"].tolist() == [0, 8]


def test_own_against_own():
    """SR6."""
    game = played("shrines", BOTH[0], "U@1,0/0", BOTH[1], *BETWEEN[1:], "E@1,2/180", "E@2,2/180", left="U")
    assert game.scores.tolist() == [9, 0] and game.meeples["meeple"].tolist() == [7, 7]


def test_who_lies_takes_no_part():
    """SR8."""
    boxes = "shrines special_monasteries"
    game = played(boxes, "MO1@0,1/0; meeple monastery lying", BOTH[1], *SHRINE_FIRST, left="E")
    assert game.scores.tolist() == [0, 9] and returned(game) == [(1, "meeple")]
    game = played(boxes, "MO1@0,1/0; meeple monastery lying", BOTH[1], *SHRINE_FIRST)
    assert game.scores.tolist() == [6, 9]


@pytest.mark.parametrize(
    ("box", "monk", "south"),
    [("special_monasteries", "MO1@0,1/0", "E@0,2/180"), ("darmstadt", "DA3@0,1/0", "U@0,2/90")],
)
def test_a_monk_of_a_special_monastery_or_church_is_challenged(box, monk, south):
    game = played(
        f"shrines {box}",
        f"{monk}; meeple monastery",
        "SH1@-1,1/0; meeple shrine",
        "U@-1,0/0",
        "U@-2,0/0",
        "E@-2,1/270",
        "E@-1,2/180",
        "E@-2,2/180",
        south,
        left="U",
    )
    assert game.scores.tolist() == [0, 9] and game.meeples["meeple"].tolist() == [7, 7]


def test_an_abbot_taken_back_settles_nothing():
    """SR9: the follower on the shrine stays."""
    game = played("shrines abbot", "B@0,1/0; abbot monastery", BOTH[1], "U@1,0/0; recall", left="U")
    assert (
        game.scores.tolist() == [4, 0]
        and returned(game) == [(0, "abbot")]
        and game.meeples["meeple"].tolist() == [7, 6]
    )


def test_gold_goes_to_the_winner():
    """MX5: one ingot lies on 1,0, beside both buildings, and another lies on 2,0."""
    turns = (
        *BOTH,
        "U@1,0/0",
        "GM8@2,0/0; ingot 1,0; pass",
        "U@-1,0/0",
        "E@-1,1/270",
        "BB9@2,1/180",
        "E@0,2/180",
        "E@1,2/180",
        "E@2,2/180",
    )
    game = played("shrines goldmines", *turns, left="U")
    assert game.scores.tolist() == [0, 9] and game.ingots.tolist() == [0, 2]


def test_huts_and_gardens_take_no_part():
    """BY4."""
    game = played("shrines baba_yaga", "RU1@0,1/0; meeple hut", BOTH[1], *SHRINE_FIRST, left="U")
    assert game.scores.tolist() == [0, 9] and returned(game) == [(1, "meeple")]


# --- placing ----------------------------------------------------------------------------------------------------------
def places(game: Game) -> set[str]:
    return {text.split("@")[1] for text in legal(game)}


def test_a_shrine_is_not_beside_two_monasteries():
    """SR3."""
    before = ("B@0,1/0", "U@1,0/0", "U@2,0/0", "B@2,1/0")
    game = played("shrines", *before, left="SH1 U")
    assert "-1,1/0" in places(game) and not places(game) & {"1,1/0", "1,2/0"}
    with pytest.raises(
        IllegalAction,
        match="on 1,1 a shrine would be beside two monasteries, or a monastery beside two shrines; tile SH1",
    ):
        game.play("SH1@1,1/0")
    assert {"1,1/0"} <= places(played("goldmines", *before, left="SH1 U"))  # without the box, a shrine is a picture


def test_a_monastery_is_not_beside_two_shrines():
    before = ("SH1@0,1/0", "U@1,0/0", "U@2,0/0", "SH3@2,1/0")
    for monastery, boxes in (
        ("B", "shrines"),
        ("MO1", "shrines special_monasteries"),
        ("GM2", "shrines goldmines"),
        ("DA3", "shrines darmstadt"),
    ):
        assert not places(played(boxes, *before, left=f"{monastery} U")) & {
            f"1,1/{degrees}" for degrees in (0, 90, 180, 270)
        }
    for other, boxes in (("MO1", "shrines"), ("RU1", "shrines baba_yaga"), ("SH1", "shrines")):
        assert "1,1/0" in places(played(boxes, *before, left=f"{other} U"))


def test_a_neighbour_that_has_another_one_forbids_the_square():
    game = played("shrines", "SH1@0,1/0", "U@1,0/0", "B@1,1/0", left="SH1 U")
    assert not places(game) & {"2,1/0", "2,2/0", "1,2/0", "0,2/0"} and "-1,1/0" in places(game)


def test_completed_and_empty_ones_count():
    """The monastery has lost its monk to the completed shrine. No other shrine may be placed beside this monastery."""
    plain = played("goldmines", "B@0,1/0", "SH1@1,1/0", *SHRINE_FIRST, left="SH1 U")
    assert places(plain) - places(played("shrines", *BOTH, *SHRINE_FIRST, left="SH1 U")) == {"-1,2/0"}


def test_a_tile_that_fits_only_where_it_may_not_lie_leaves_the_game(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("""name = "own"\ntitle = "Own"\nrows = ["oooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true }, { name = "B", square = [2, 0], grape = "orange", start = true }]
""")
    config = GameConfig(boxes=("base", "shrines"), sheet=str(path), starts=(("B", 0, 0, 0), ("B", 2, 0, 0)))
    game = Game(config, deck=["SH1", "SH1", "U"])
    assert game.moves[0] == "SH1@3,0/0"
    game.play("pass")
    assert str(game.last_events[0]) == "tile SH1 fits nowhere and was removed from the game"


def test_what_an_abbey_asks():
    """Checks the function for tiles that are not placed by their edges."""
    abbey, monastery, shrine = KINDS.index("abbey"), KINDS.index("monastery"), KINDS.index("shrine")
    game = played("shrines abbeys", "SH1@0,1/0", "U@1,0/0", "B@1,1/0", left="U")

    def may(kind: int, x: int, y: int) -> bool:
        return bool(is_allowed(game.state, kind, cell_of(x, y, False, game.config.table_size)))

    assert may(abbey, 0, 2) is False and may(abbey, 3, 1) and may(abbey, 2, 1) and may(monastery, 2, 1)
    assert may(shrine, 2, 1) is False and may(shrine, 3, 1)
    game = played("abbeys", "SH1@0,1/0", "U@1,0/0", "B@1,1/0", left="U")
    assert may(abbey, 0, 2) and may(shrine, 2, 1)
