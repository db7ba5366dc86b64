"""Tests of abbeys: where they may be placed, what they complete, and when players may place them. AB1 and the like are
worked examples; see tests/scenarios/abbeys.
"""

import dataclasses

import numpy as np
import pytest

from carc_env import ConfigError, DeckError, Game, GameConfig, IllegalAction, Phase
from carc_env.boxes.layout import GLOBALS
from carc_env.rules.answers import ids_of
from tests.systems.playing import legal, play

CONFIG = GameConfig(boxes=("base", "abbeys"))
FRAME = "U@1,0/0; pass; U@1,-1/0; pass; B@1,-2/0; pass; E@0,-2/180; meeple city S; U@-1,0/0; pass; U@-1,-1/0; pass"
FRAME_DECK = ["U", "U", "B", "E", "U", "U"]


def frame(*more: str, **changes) -> Game:
    """Return the game of the worked examples. It has an empty square at 0,-1, with open cities in the north and south,
    and open roads in the east and west.
    """
    return play(Game(dataclasses.replace(CONFIG, **changes), deck=[*FRAME_DECK, *more]), FRAME)


def test_the_abbey_is_asked_for_before_the_draw():
    """AB1."""
    game = frame("U")
    assert game.phase == Phase.PLACE_ABBEY and game.player == 0 and game.tile is None
    assert legal(game) == ["abbey@0,-1", "pass"] and game.abbeys.tolist() == [1, 1]
    assert game.observe(0)["globals"].sum() > 0


def test_what_touches_the_abbey_ends_there():
    """AB2: the city in the north is completed and scored. The city in the south is completed and has no owner. A monk
    may be placed.
    """
    game = play(frame("U"), "abbey@0,-1")
    assert legal(game) == ["meeple monastery", "pass"] and game.abbeys.tolist() == [0, 1]
    play(game, "meeple monastery")
    assert game.scores.tolist() == [0, 2]
    (city,) = (f for f in game.features() if (f.kind, f.segments[0][:2]) == ("city", (0, -2)))
    assert city.open == 0 and city.tiles == 1 and city.is_complete
    (tile,) = (tile for tile in game.board() if tile.tile == "abbey")
    assert tile[:4] == ("abbey", 0, -1, 0) and tile.figures == ((("meeple", 0, "monastery", "monastery")),)


def test_the_monk_scores_like_any_other():
    """AB3: the monk scores at the end if seven of the eight squares are occupied, or at once if all are occupied."""
    game = play(frame("C"), "abbey@0,-1; meeple monastery")  # C fits nowhere, and Blue cannot place an abbey
    assert game.is_over and game.final_scores()["monasteries"].tolist() == [8, 0]
    deck = [*FRAME_DECK[:4], "U", "B", "U", "C"]
    line = FRAME.replace("U@-1,-1/0", "B@-1,-2/0") + "; U@-1,-1/0; pass"
    game = play(Game(CONFIG, deck=deck), line)
    play(game, "abbey@0,-1; meeple monastery")
    assert game.scores.tolist() == [0, 2 + 9]  # it is Blue's turn


def test_the_abbey_adds_no_tile():
    """AB4: a road that an abbey completes counts only its own tiles."""
    game = frame("W", "C")
    play(game, "pass; W@-2,-1/0; meeple road E")
    assert game.phase == Phase.PLACE_ABBEY and game.player == 1
    play(game, "abbey@0,-1; pass")
    assert game.final_scores()["roads"].tolist() == [2, 0] and game.final_scores()["cities"].tolist() == [0, 2]


def test_completed_features_are_listed_by_their_first_squares():
    """None of these features has a spot on the abbey. Roads are scored before cities, and roads in the order of their
    first squares, row by row.
    """
    game = Game(CONFIG, deck=["U", "W", "U", "E", "W", "W", "U"])
    play(game, "U@1,0/0; pass; W@1,-1/180; meeple road W; U@1,-2/90; pass; E@0,-2/180; meeple city S")
    play(game, "W@-1,0/0; pass; W@-1,-1/180; meeple road E")
    game.play("abbey@0,-1")
    game.play("pass")
    told = [
        (event.source, event.points, event.x, event.y)
        for event in game.last_events
        if type(event).__name__ == "PointsScored"
    ]
    assert told == [("roads", 1, -1, -1), ("roads", 1, 1, -1), ("cities", 2, 0, -2)]


def test_the_offer_at_the_end():
    """AB5: every player is asked once, beginning with the player to the left of the last active player."""
    game = frame()
    assert (
        not game.is_over
        and (game.player, game.phase) == (0, Phase.PLACE_ABBEY)
        and legal(game) == ["abbey@0,-1", "pass"]
    )
    asked = game.clone()
    play(asked, "pass")
    assert asked.player == 1 and legal(asked) == ["abbey@0,-1", "pass"] and asked.observe(1)["globals"] is not None
    play(asked, "pass")
    assert asked.is_over
    play(game, "abbey@0,-1; meeple monastery")
    assert (
        game.is_over
        and game.final_scores()["monasteries"].tolist() == [8, 0]
        and game.final_scores()["cities"].tolist() == [0, 2]
    )
    assert frame(abbey_end="end_with_stack").is_over


def test_the_offer_begins_left_of_a_player_whose_draws_fit_nowhere():
    game = frame("C", "C")
    assert (game.player, game.phase) == (0, Phase.PLACE_ABBEY) and game.tiles_left == 2
    play(game, "pass")  # both tiles leave the game; Red's turn was the last
    assert game.player == 1 and game.tiles_left == 0
    play(game, "pass")
    assert game.player == 0 and not game.is_over
    play(game, "pass")
    assert game.is_over


def test_the_second_part_of_a_double_turn():
    """AB7: an abbey may be placed in the second part of a double turn, and does not earn another part."""
    config = dataclasses.replace(CONFIG, boxes=("base", "abbeys", "traders_and_builders"), abbey_end="end_with_stack")
    game = Game(config, deck=["U", "U", "B", "E", "U", "U", "U", "U", "W"])
    play(
        game,
        "U@1,0/0; meeple road E; U@1,-1/0; pass; B@1,-2/0; pass; E@0,-2/180; meeple city S; U@-1,0/0; builder road E",
    )
    play(game, "U@-1,-1/0; pass; pass; U@2,0/0; pass")
    assert (game.player, game.phase, game.tiles_left) == (0, Phase.PLACE_ABBEY, 2)
    other = game.clone()
    play(game, "abbey@0,-1; pass")
    assert game.player == 1, "the abbey extends nothing"
    play(other, "pass; U@3,0/0; pass")
    assert other.player == 1


def test_the_second_part_when_the_stack_is_used_up():
    boxes = ("base", "abbeys", "traders_and_builders")
    config = dataclasses.replace(CONFIG, boxes=boxes, abbey_end="end_with_stack")
    game = Game(config, deck=["U", "U", "B", "E", "U", "U", "U"])
    play(
        game,
        "U@1,0/0; meeple road E; U@1,-1/0; pass; B@1,-2/0; pass; E@0,-2/180; meeple city S; U@-1,0/0; builder road E",
    )
    play(game, "U@-1,-1/0; pass; pass; U@2,0/0; pass")
    assert (game.player, game.phase, game.tiles_left, game.tile) == (0, Phase.PLACE_ABBEY, 0, None)
    play(game.clone(), "pass") and play(game, "pass")
    assert game.is_over
    offered = Game(dataclasses.replace(config, abbey_end="offer_once"), deck=["U", "U", "B", "E", "U", "U", "U"])
    play(offered, "; ".join(game.moves))
    assert (offered.player, offered.phase) == (1, Phase.PLACE_ABBEY), "now the offer begins"
    assert offered.observe(1)["globals"][list(GLOBALS).index("offer")] == 1
    play(offered, "pass; pass")
    assert offered.is_over


def test_gold_on_an_abbey():
    """An ingot may lie on an abbey. The owner of the completed abbey takes this ingot and the one on the neighbouring
    tile.
    """
    config = dataclasses.replace(CONFIG, boxes=("base", "abbeys", "goldmines"))
    game = play(Game(config, deck=[*FRAME_DECK, "GM2", "V"]), FRAME)
    play(game, "abbey@0,-1; meeple monastery; GM2@-1,-2/0")
    assert "ingot 0,-1" in legal(game)
    game.play("ingot 0,-1")
    game.play("pass")
    assert game.scores.tolist() == [9, 2] and game.ingots.tolist() == [2, 0]


def test_goods():
    """The player who completes a city with an abbey takes its goods tokens."""
    config = dataclasses.replace(CONFIG, boxes=("base", "abbeys", "traders_and_builders"))
    game = Game(config, deck=["U", "U", "E", "TB1", "U", "U", "V"])
    play(
        game,
        "U@1,0/0; pass; U@1,-1/0; pass; E@1,-2/270; pass; TB1@0,-2/180; meeple city E; U@-1,0/0; pass; U@-1,-1/0; pass",
    )
    play(game, "abbey@0,-1; pass")
    assert game.scores.tolist() == [0, 4] and game.goods.tolist() == [[0, 1, 0], [0, 0, 0]]


def test_squares_at_the_border_of_a_sheet(tmp_path):
    """Only the squares that exist have to be occupied. At least one of them must be occupied by a tile, or by a large
    city that is connected.
    """
    sheet = tmp_path / "own.toml"
    sheet.write_text("""name = "own"\ntitle = "Own"\nrows = ["ooo", "ooo", "ooo"]
town = [{ name = "A", square = [1, 0], grape = "purple", start = true }, { name = "B", square = [2, 2], grape = "orange", start = true }]
""")
    config = GameConfig(
        boxes=("base", "abbeys"), sheet=str(sheet), starts=(("B", 1, 0, 0), ("B", 0, 1, 0), ("B", 2, 2, 0))
    )
    game = Game(config, deck=["C", "C"])
    assert legal(game) == ["abbey@0,0", "pass"]
    play(game, "abbey@0,0; meeple monastery")
    assert game.is_over and game.scores.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("abbey@2,0", "the squares on all four sides of 2,0 should be occupied"),
        ("abbey@0,0", "0,0 is taken"),
        ("abbey@7,7", "7,7"),
        ("U@2,0/0", "no tile is to be placed now"),
        ("meeple city N", "no figure is to be placed now"),
        (0, "should be occupied"),
        (ids_of(CONFIG.table_size).place_figure, "an abbey should be placed"),
    ],
)
def test_a_refused_abbey_says_why(answer, said):
    with pytest.raises(IllegalAction) as refused:
        frame("U").play(answer)
    assert said in str(refused.value)


def test_any_rotation_is_read():
    game = frame("U")
    assert game.action("abbey@0,-1/90") == game.action("abbey@0,-1")
    with pytest.raises(IllegalAction, match="no abbey is to be placed now"):
        Game(CONFIG, deck=["U"]).play("abbey@0,1")


def test_an_abbey_is_in_no_stack():
    with pytest.raises(DeckError, match=r"deck\[1\] = 'abbey': such tiles are in the players' hands"):
        Game(CONFIG, deck=["U", "abbey"])
    with pytest.raises(ConfigError, match="such tiles are in the players' hands"):
        GameConfig(starts=(("abbey", 0, 0, 0),))
    assert Game(GameConfig(boxes=("base",), tiles_only=("abbeys",)), seed=1).abbeys.tolist() == [0, 0]


def test_records_and_positions():
    game = play(frame("W", "V"), "pass; W@-2,-1/0; meeple road E")
    for phase in (game, play(game.clone(), "abbey@0,-1"), play(game.clone(), "pass")):
        again = Game.from_bytes(phase.to_bytes())
        assert again == phase and again.record() == phase.record()
        assert Game.from_position(phase.position(), seed=1).position() == phase.position()
    back = play(game.clone(), "abbey@0,-1")
    back.undo()
    assert back == game and np.array_equal(back.mask(), game.mask())
