"""Tests of the drawn pieces of the expansions: what lies and stands on the tiles, and what players hold."""

import re

import numpy as np
import pytest

from carc_env import GameConfig, Phase
from carc_env.boxes.tiles import BUILDINGS, KINDS, WORDS
from carc_env.common import palette
from carc_env.notation.placed import Figure, Placed
from carc_env.render import rgb_array, svg
from carc_env.render.facts import cells_of, drawn_tiles, spots_turned, squares_covered, tile_segments
from carc_env.render.panel import player_height
from carc_env.render.svg import asked_cells, figures, fit, ingots, tiles
from carc_env.render.tile_art import size_of
from carc_env.systems import SYSTEMS
from carc_env.systems.castles.signs import castle
from carc_env.systems.ferries.signs import ferry_lying
from tests.render.helpers import marked, parse, scenery, texts

BUILT = [(tile, segment) for tile in drawn_tiles() for segment in tile_segments(tile) if segment.kind in BUILDINGS]


def place(element) -> tuple[float, float]:
    """Return the point to which an element is moved."""
    x, y = re.match(r"translate\((\S+) (\S+)\)", element.get("transform")).groups()
    return float(x), float(y)


def drawn(tile: str, rotation: int, *pieces: Figure) -> list:
    """Return the figures of one tile at (0, 0), as drawn."""
    return list(parse(f"<g>{figures([Placed(tile, 0, 0, rotation, 0, pieces)])}</g>"))


# --- figures ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("tile, segment", BUILT, ids=lambda value: value if isinstance(value, str) else value.kind)
def test_a_figure_on_every_building_stands_within_its_tile(tile, segment):
    word = WORDS[KINDS.index(segment.kind)]
    for rotation in (0, 90, 180, 270):
        width, height = size_of(tile, rotation)
        for spot in BUILDINGS[segment.kind]:
            ((x, y),) = map(place, drawn(tile, rotation, Figure("meeple", 1, word, spot)))
            assert 12 <= x <= width - 12 and 12 <= y <= height - 12, (rotation, spot)


def test_every_kind_of_building_is_on_some_tile():
    assert {segment.kind for _, segment in BUILT} == set(BUILDINGS)


def test_a_lying_follower_lies_in_front_of_the_building_and_a_standing_one_stands():
    (lying,) = drawn("MO1", 0, Figure("meeple", 0, "monastery", "lying"))
    (monk,) = drawn("MO1", 0, Figure("meeple", 0, "monastery", "monastery"))
    (abbot,) = drawn("MO1", 0, Figure("abbot", 0, "monastery", "lying"))
    assert (
        "rotate(90)" in lying.get("transform")
        and "rotate" not in monk.get("transform")
        and "rotate(90)" in abbot.get("transform")
    )
    assert place(lying)[1] > place(monk)[1] > 50
    assert (lying.get("data-spot"), monk.get("data-spot")) == ("lying", "monastery")


def test_a_lord_stands_in_his_castle_on_the_edge_between_its_squares():
    north, south = Figure("meeple", 0, "castle", "S"), Figure("meeple", 0, "castle", "N")
    (one,) = parse(f"<g>{figures([Placed('E', 0, -1, 180, 0, (north,))])}</g>")
    (other,) = parse(f"<g>{figures([Placed('D', 0, 0, 0, 0, (south,))])}</g>")
    (token,) = parse(f"<g>{castle(0, -1, 'S', 0, True)}</g>")
    assert place(one) == place(other) == (50, 8) and place(token) == (50, 0)
    (knight,) = drawn("E", 180, Figure("meeple", 0, "city", "S"))
    assert place(knight) != (50, 108)


def test_figures_of_a_double_tile_turn_with_it():
    def stands(rotation, feature, spot):
        (piece,) = drawn("GC4", rotation, Figure("meeple", 0, feature, spot))
        return place(piece)

    city = {0: "2N", 90: "2E", 180: "S", 270: "N"}
    for rotation, spot in city.items():
        x, y = stands(rotation, "city", spot)
        assert (x if rotation in (0, 180) else y) > 100 if rotation < 180 else max(x, y) < 100, rotation
    assert stands(0, "road", "W")[0] < 40 and stands(90, "road", "N")[1] < 40
    assert stands(180, "road", "2E")[0] > 160 and stands(270, "road", "2S")[1] > 160
    assert 100 < stands(0, "castle", "castle")[0] < 144


# --- ferries and castles ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rotation", (0, 90, 180, 270))
def test_a_ferry_joins_the_ends_of_two_roads(rotation):
    edges = [spots_turned("FE2", rotation, s)[0] for s in tile_segments("FE2") if s.kind == "road"]
    outwards = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
    for one, other in ((edges[0], edges[1]), (edges[1], edges[2]), (edges[0], edges[2])):
        (ferry,) = parse(f"<g>{ferry_lying(3, -2, f'{one}-{other}', rotation)}</g>")
        assert (ferry.get("data-x"), ferry.get("data-y"), ferry.get("data-ends")) == ("3", "-2", f"{one}-{other}")
        assert place(ferry) == (300, -200) and marked(ferry, href="#boat")
        a, b, c, d, e, f = map(float, re.match(r"M(\S+) (\S+)Q(\S+) (\S+) (\S+) (\S+)", ferry[0].get("d")).groups())
        for (x, y), edge in (((a, b), one), ((e, f), other)):
            dx, dy = outwards[edge]
            assert 16 <= (x - 50) * dx + (y - 50) * dy <= 22 and (x - 50) * dy == (y - 50) * dx == 0


def test_ferries_and_castles_are_shown_on_the_table():
    root = parse(svg(scenery()))
    assert [(e.get("data-x"), e.get("data-y"), e.get("data-ends")) for e in marked(root, class_="ferry")] == [
        ("1", "0", "S-W"),
        ("2", "0", "E-W"),
    ]
    red, blue = marked(root, class_="castle")
    about = ("data-x", "data-y", "data-side", "data-player", "data-lord")
    assert [red.get(name) for name in about] == ["0", "-1", "S", "0", "1"]
    assert [blue.get(name) for name in about] == ["1", "-1", "E", "1", "0"]
    assert (red.get("fill"), blue.get("fill")) == (palette.PLAYERS[0][1], palette.PLAYERS[1][1])
    assert (place(red), place(blue)) == ((50, 0), (200, -50))


def test_the_gate_of_a_castle_is_closed_when_its_lord_has_left():
    red, blue = marked(parse(svg(scenery())), class_="castle")
    assert not marked(red, href="#castle-gate") and len(marked(blue, href="#castle-gate")) == 1


def test_a_token_lies_below_the_figures_and_above_the_tiles():
    drawing = svg(scenery())
    assert drawing.index('class="tile"') < drawing.index('class="castle"') < drawing.index('class="figure"')


# --- double tiles -----------------------------------------------------------------------------------------------------
def test_a_double_tile_is_one_picture_without_a_line_between_its_squares():
    board = [Placed("GC1", 2, 1, 0, 2, ()), Placed("GC6", -1, 0, 270, 0, ())]
    root = parse(f"<g>{tiles(board)}</g>")
    assert [(e.get("href"), e.get("data-x"), e.get("data-y")) for e in marked(root, class_="tile")] == [
        ("#tile-GC1-0", "2", "1"),
        ("#tile-GC6-270", "-1", "0"),
    ]
    assert root[-1].get("d") == "M200 100h200v100h-200zM-100 0h100v200h-100z"
    assert squares_covered(board) == [(2, 1), (3, 1), (-1, 0), (-1, 1)]
    (gold,) = parse(f"<g>{ingots(board)}</g>")
    assert 200 < place(gold)[0] < 400 and 100 < place(gold)[1] < 200


def test_both_squares_of_a_double_tile_are_in_the_picture_and_in_its_frame():
    table = scenery(placed=[Placed("D", 0, 0, 0, 0, ()), Placed("GC1", 1, 0, 0, 0, ())], ferries=[], castles=[])
    assert fit(table, [], None).columns == range(3)
    (frame,) = marked(parse(svg(table)), class_="mark")
    assert (frame.get("x"), frame.get("width"), frame.get("height")) == ("102", "196", "96")


@pytest.mark.parametrize("size", [None, (1080, 810), (500, 400)])
def test_all_that_is_used_is_defined(size):
    root = parse(svg(scenery(), size=size))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert {e.get("href") for e in root.iter() if e.get("href")} <= {"#" + i for i in ids}


def test_pixels():
    assert rgb_array(scenery()).std() > 20


# --- decisions --------------------------------------------------------------------------------------------------------
def test_an_abbey_that_may_be_placed_is_shown_with_its_squares():
    table = scenery(phase=Phase.PLACE_ABBEY, answers=("abbey@5,0", "abbey@0,3", "pass"))
    root = parse(svg(table))
    assert [e.get("data-tile") for e in marked(root, class_="hand")] == ["abbey"]
    assert texts(marked(root, class_="panel")[0])[:4] == ["Red: place abbey", "20", "tiles left", "abbey"]
    assert asked_cells(table) == [(0, 3), (5, 0)] and len(marked(root, class_="hint")) == 2
    assert len(marked(root, class_="mark")) == 1  # the tile placed last


def test_german_castles_that_may_be_placed_are_shown_with_all_squares_they_would_cover():
    table = scenery(phase=Phase.PLACE_GERMAN_CASTLE, answers=("GC1@0,3/0", "GC6@-1,0/90", "GC6@-1,0/270", "pass"))
    root = parse(svg(table))
    hand = marked(root, class_="hand")
    assert [e.get("data-tile") for e in hand] == ["GC1", "GC6"]
    assert place(hand[0])[1] < place(hand[1])[1] < 42 + 90 and "GC1 GC6" in texts(root)
    assert asked_cells(table) == [(-1, 0), (-1, 1), (0, 3), (1, 3)]
    assert len(marked(root, class_="hint")) == 4


def test_a_question_about_a_castle_marks_what_it_would_score():
    answers = ("castle 0,-1 S scores road 2,0 E", "castle 0,-1 S scores monastery 1,2")
    table = scenery(phase=Phase.CASTLE_SCORE, answers=answers)
    assert asked_cells(table) == [(1, 2), (2, 0)]
    root = parse(svg(table))
    assert [e.get("stroke") for e in marked(root, class_="mark")] == [palette.LAST, palette.GOLD, palette.GOLD]
    assert marked(root, class_="placed", data_tile="DA1") and not marked(root, class_="hand")


def test_ferries_that_may_be_moved_are_marked():
    table = scenery(phase=Phase.MOVE_FERRY, answers=("ferry 1,0 E-S", "ferry 1,0 E-W", "pass"))
    assert asked_cells(table) == [(1, 0)]


# --- what players hold ------------------------------------------------------------------------------------------------
def test_the_cards_show_castles_abbeys_and_german_castles_in_hand():
    root = parse(svg(scenery()))
    red, blue = (marked(root, class_="player", data_player=player)[0] for player in (0, 1))
    assert [e.get("data-count") for card in (red, blue) for e in marked(card, class_="castle-tokens")] == ["2", "3"]

    def hand(card):
        return [(e.get("data-tile"), e.get("data-count")) for e in marked(card, class_="tile-in-hand")]

    assert hand(red) == [("abbey", "1"), ("GC1", None), ("GC6", None)] and hand(blue) == [("abbey", "0")]
    assert marked(marked(red, class_="castle-tokens")[0], href="#castle-token")[0].get("fill") == palette.PLAYERS[0][1]
    assert [e.get("data-count") for card in (red, blue) for e in marked(card, class_="ingots-in-hand")] == ["1", "2"]


def test_boxes_share_the_lines_of_a_card():
    def height(*boxes):
        return player_height(scenery(config=GameConfig(boxes=("base", *boxes))))

    assert height() == height("goldmines") == height("ferries", "shrines")
    assert (
        height("castles")
        == height("abbeys")
        == height("castles", "abbeys", "german_castles")
        == height("traders_and_builders")
        > height()
    )
    assert height("castles", "traders_and_builders") == 2 * height("castles") - height()


def test_an_empty_line_says_so():
    table = scenery(config=GameConfig(boxes=("base", "german_castles")))
    cards = marked(parse(svg(table)), class_="player")
    assert ["no pieces" in texts(card) for card in cards] == [False, True]


def test_a_full_line_stays_on_the_card():
    table = scenery(german_castles=(("GC2", "GC3"), ("GC4", "GC5")))
    for card in marked(parse(svg(table)), class_="player"):
        last = marked(card, class_="tile-in-hand")[-1]
        assert place(last)[0] + 22 < 240


def test_boxes_of_which_nobody_holds_anything_say_so():
    table = scenery(
        goods=np.zeros((2, 3), int), chips=np.zeros((2, 3, 2), int), final_scores=lambda: {"wine": np.zeros(2, int)}
    )
    holding = {system.box for system in SYSTEMS if system.on_card(table, 0)}
    assert holding == {"goldmines", "traders_and_builders", "castles", "abbeys", "german_castles"}
    assert {system.box for system in SYSTEMS if system.line} == holding - {"goldmines"} | {"map_chips"}


def test_cells_of_single_tiles():
    assert cells_of("D", 4, 5, 90) == [(4, 5)]
