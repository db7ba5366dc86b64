"""Tests of special monasteries: which followers may lie there, and what this changes for everything that depends on
completed buildings. SM1 and the like are worked examples; see tests/scenarios/special_monasteries.
"""

import pytest

from carc_env import Game, GameConfig, IllegalAction
from carc_env.boxes.layout import COLUMNS, PLANES
from carc_env.boxes.tiles import SPOTS
from carc_env.setup.template import full_deck
from tests.systems.dictated import play, played
from tests.systems.playing import legal, square

# the tiles on all squares around 0,1, which lies below D
AROUND = ("U@1,0/0", "U@-1,0/0", "E@-1,1/270", "E@1,1/90", "E@-1,2/180", "E@0,2/180", "E@1,2/180")
SPECIAL = "special_monasteries"


def final(game: Game, source: str = "monasteries") -> list[int]:
    assert game.is_over
    return game.final_scores()[source].tolist()


# --- lying ------------------------------------------------------------------------------------------------------------
def test_a_follower_stands_or_lies():
    game = played(SPECIAL, left="MO1 U")
    assert [text for text in legal(game) if "monastery" in text] == ["meeple monastery", "meeple monastery lying"]
    game.play("meeple monastery lying")
    figure = game.board()[-1].figures[0]
    assert (figure.figure, figure.player, figure.feature, figure.spot) == ("meeple", 0, "monastery", "lying")
    assert not any("monastery" in text for text in legal(game))


def test_the_abbot_and_the_big_one_may_lie_too_a_builder_not():
    game = played(SPECIAL + " abbot inns_and_cathedrals traders_and_builders", left="MO1 U")
    for figure in ("meeple", "big", "abbot"):
        assert f"{figure} monastery lying" in legal(game)
    with pytest.raises(IllegalAction, match="the builder may not stand on a monastery"):
        game.play("builder monastery lying")
    with pytest.raises(IllegalAction, match="it has field Nw, monastery, monastery lying"):
        game.play("meeple road N")


def test_lying_pays_for_the_four_lines_up_to_the_first_gap():
    """SM1: the lines have two squares in the north, none in the east, two in the south, and one in the west."""
    turns = ("MO1@0,1/0; meeple monastery lying", "E@0,-1/180", "E@0,2/270", "E@0,3/180", "E@-1,1/270")
    assert final(played(SPECIAL, *turns)) == [6, 0]


def test_longer_lines():
    """SM2: the lines have 4, 2, 1 and 2 squares. Tiles behind a gap do not count."""
    turns = (
        "MO1@0,1/0; meeple monastery lying",
        "E@0,-1/180",
        "B@0,-2/0",
        "B@0,-3/0",
        "B@1,1/0",
        "B@2,1/0",
        "B@-1,1/0",
        "B@-2,1/0",
        "B@0,2/0",
        "B@2,2/0",
        "B@2,3/0",
        "B@1,3/0",
        "B@1,4/0",
        "B@0,4/0",
    )
    assert final(played(SPECIAL, *turns)) == [10, 0]


def test_who_lies_stays_when_the_monastery_is_surrounded():
    """SM3, SM4: a monk scores 9 points and returns. A lying follower stays, and scores 5 points at the end."""
    monk = played(SPECIAL, "MO1@0,1/0; meeple monastery", *AROUND, left="U")
    assert monk.scores.tolist() == [9, 0] and monk.meeples["meeple"].tolist() == [7, 7]
    game = played(SPECIAL, "MO1@0,1/0; meeple monastery lying", *AROUND, left="U")
    assert game.scores.tolist() == [0, 0] and game.meeples["meeple"].tolist() == [6, 7] and not game.last_events
    feature = next(feature for feature in game.features() if feature.kind == "monastery")
    assert feature.open == 0 and not feature.is_complete
    assert final(played(SPECIAL, "MO1@0,1/0; meeple monastery lying", *AROUND)) == [5, 0]


def test_lying_brings_no_gold():
    """MX4: two ingots lie nearby. A monk takes them, but a lying follower does not."""
    turns = (*AROUND[:4], "E@1,2/180", "E@0,2/180", "GM2@-1,2/270; ingot 0,1; pass")
    boxes = SPECIAL + " goldmines"
    assert played(boxes, "MO1@0,1/0; meeple monastery", *turns, left="U").ingots.tolist() == [2, 0]
    assert played(boxes, "MO1@0,1/0; meeple monastery lying", *turns, left="U").ingots.tolist() == [0, 0]


def test_an_abbot_that_lies_is_taken_back_and_scores_the_lines():
    boxes = SPECIAL + " abbot"
    game = played(boxes, "MO1@0,1/0; abbot monastery lying", "U@1,0/0", "U@-1,0/0; recall", left="U")
    assert game.scores.tolist() == [2, 0] and game.meeples["abbot"].tolist() == [1, 1]


def test_a_surrounded_abbot_that_lies_is_taken_back_and_nothing_is_completed():
    boxes = SPECIAL + " abbot"
    game = played(boxes, "MO1@0,1/0; abbot monastery lying", *AROUND, "U@2,0/0; recall", left="U")
    assert game.scores.tolist() == [5, 0] and game.meeples["abbot"].tolist() == [1, 1]
    assert [type(event).__name__ for event in game.last_events] == ["FigureReturned", "PointsScored"]


def test_lying_at_the_edge_of_a_sheet(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("""name = "own"\ntitle = "Own"\nrows = ["ooo", "ooo", "ooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true }, { name = "B", square = [2, 2], grape = "orange", start = true }]
""")
    config = GameConfig(boxes=("base", SPECIAL), sheet=str(path), starts=(("B", 0, 0, 0),), border_monastery="nine")
    game = play(
        Game(config, deck=["MO1", "B", "B", "B"]), "MO1@1,0/0; meeple monastery lying", "B@2,0/0", "B@1,1/0", "B@1,2/0"
    )
    assert final(game) == [1 + 1 + 2 + 1, 0]


# --- the stack --------------------------------------------------------------------------------------------------------
def counts(**settings) -> dict[str, int]:
    deck = full_deck(GameConfig(**settings))
    return {tile: deck.count(tile) for tile in ("A", "B", "MO1", "MO5", "GM1")}


def test_they_replace_the_monasteries_of_the_base_game():
    boxes = ("base", SPECIAL, "goldmines")
    assert counts(boxes=boxes) == {"A": 0, "B": 0, "MO1": 1, "MO5": 1, "GM1": 1}
    assert counts(boxes=boxes, special_monasteries="keep") == {"A": 2, "B": 4, "MO1": 1, "MO5": 1, "GM1": 1}
    assert counts(boxes=("base",), tiles_only=(SPECIAL,)) == {"A": 2, "B": 4, "MO1": 1, "MO5": 1, "GM1": 0}


def test_as_tiles_only_they_are_no_monasteries():
    game = Game(GameConfig(tiles_only=(SPECIAL,)), deck=["MO1", "U"])
    assert not any("monastery" in text for text in legal(game))


# --- taking back, copies, records -------------------------------------------------------------------------------------
def test_lying_survives_copies_records_and_positions():
    game = played(SPECIAL, "MO1@0,1/0; meeple monastery lying", "U@1,0/0", left="U U")
    for again in (game.clone(), Game.from_bytes(game.to_bytes()), Game.from_position(game.position(), seed=1)):
        assert again.board() == game.board() and again.board()[1].figures[0].spot == "lying"
        assert again.provisional_scores().tolist() == [2, 0]


def test_after_an_undo_nobody_lies_there():
    game = played(SPECIAL, left="MO1 U")
    standing = game.clone()
    game.play("meeple monastery lying")
    game.undo()
    game.play("meeple monastery")
    standing.play("meeple monastery")
    assert game == standing


def test_what_agents_see():
    game = played(SPECIAL, "MO1@0,1/0; meeple monastery lying", left="U")
    planes = game.observe(0)["planes"]
    spot = planes[list(PLANES).index("figure_spot")][square(game, 0, 1)]
    assert SPOTS[spot - 1] == "lying" and planes[list(PLANES).index("building")][square(game, 0, 1)] == 5
    game = played(SPECIAL, left="MO1 U")
    seen = game.observe(observation="candidates")
    rows = {
        game.text(int(action)): dict(zip(COLUMNS, row))
        for action, row in zip(seen["candidate_actions"], seen["candidates"])
        if action >= 0
    }
    assert rows["meeple monastery lying"]["lies"] == 1 and rows["meeple monastery"]["lies"] == 0
    assert rows["meeple monastery lying"]["claim_chance"] == 0 < rows["meeple monastery"]["claim_chance"]
    assert rows["meeple monastery lying"]["own_farmers"] == 1 and rows["meeple monastery lying"]["claim_worth"] == 2
