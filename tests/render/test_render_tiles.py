"""Checks that the drawing of every tile of every box shows its segments, in every rotation."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from carc_env.boxes import tiles
from carc_env.common import palette
from carc_env.common.markup import number
from carc_env.render.facts import (
    HALVES,
    SIDES,
    cells_of,
    drawn_tiles,
    edges_of,
    is_double,
    segment_at,
    spots_turned,
    tile_segments,
    turned,
)
from carc_env.render.pieces import SIGNS, sign_id
from carc_env.render.places import places
from carc_env.render.png import rasterise
from carc_env.render.svg import definitions
from carc_env.render.tile_art import outline, size_of, tile_art
from carc_env.render.tile_shape import STEP, castle_at, is_true, shape, turn, turn_back, wall_ends, width_of
from tests.render.helpers import SVG, marked, parse

KINDS = drawn_tiles()
DOUBLE = [tile for tile in KINDS if is_double(tile)]
NOT_TO_SCALE = ("AM12",)  # its southern field passes above the road, which no flat drawing can show
ROTATIONS = (0, 90, 180, 270)
FACTS_FILE = Path(__file__).parents[1] / "data" / "tiles_facts.json"
IN_FACTS = ("road", "city", "field", "monastery", "garden")  # kinds of segments that the facts list
FACTS = {tile["id"]: tile for tile in json.loads(FACTS_FILE.read_text(encoding="utf-8"))["tiles"]}


def tile_svg(tile: str, rotation: int) -> str:
    width, height = size_of(tile, rotation)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{definitions({(tile, rotation)})}'
        f'<use href="#tile-{tile}-{rotation}"/></svg>'
    )


@pytest.mark.parametrize("tile", KINDS)
def test_every_segment_is_one_element_with_its_spots_in_board_orientation(tile):
    for rotation in ROTATIONS:
        root = parse(f'<svg xmlns="http://www.w3.org/2000/svg">{tile_art(tile, rotation)}</svg>')
        drawn = [(e.get("data-kind"), sorted(e.get("data-spots").split())) for e in root.iter() if e.get("data-kind")]
        expected = [(s.kind, sorted(spots_turned(tile, rotation, s))) for s in tile_segments(tile)]
        assert sorted(drawn) == sorted(expected)


@pytest.mark.parametrize("tile", [tile for tile in KINDS if tile in FACTS])
def test_segments_agree_with_the_tile_facts(tile):
    facts = FACTS[tile]["segments"]
    expected = sorted((s["kind"], sorted(s.get("spots", [s["kind"]])), s.get("pennants", 0)) for s in facts)
    assert sorted((s.kind, sorted(s.spots), s.pennants) for s in tile_segments(tile) if s.kind in IN_FACTS) == expected
    root = parse(tile_svg(tile, 0))
    tile_group = marked(root, id=f"tile-{tile}-0")[0]
    assert len(marked(tile_group, data_sign="pennant")) == sum(s.get("pennants", 0) for s in facts)
    assert len(marked(tile_group, data_sign="gold")) == FACTS[tile].get("gold", 0)


def edges(tile: str) -> list[tuple[int, float, str]]:
    """Return the direction, the beginning of the square, and the terrain of each outer edge of the unrotated tile."""
    places = (
        [(0, 0), (0, 100), (1, 100), (2, 100), (2, 0), (3, 0)] if is_double(tile) else [(side, 0) for side in range(4)]
    )
    return [(side, left, terrain) for (side, left), terrain in zip(places, edges_of(tile))]


@pytest.mark.parametrize("tile", KINDS)
def test_colours_at_the_edges_are_those_of_the_terrain(tile):
    """Looks at the pixels a little inside the middle of each edge, in each rotation."""
    road, paving = (tuple(bytes.fromhex(colour[1:])) for colour in (palette.ROAD, palette.PAVING))
    for rotation in ROTATIONS:
        picture = Image.open(
            io.BytesIO(rasterise(tile_svg(tile, rotation), *map(int, size_of(tile, rotation))))
        ).convert("RGB")
        for side, left, terrain in edges(tile):
            points = (turn(point, 90 * side) for point in ((50, 2), (38, 2)))
            middle, beside = (picture.getpixel(turn((x + left, y), rotation, width_of(tile))) for x, y in points)
            is_shown = {
                "R": middle == road,
                "F": beside[1] > beside[0],
                "C": beside[0] > beside[1],
                "-": middle == beside == paving,
            }
            assert is_shown[terrain], (rotation, SIDES[side], middle, beside)


@pytest.mark.parametrize("tile", KINDS)
def test_fields_of_the_drawing_are_parted_as_the_facts_say(tile):
    assert is_true(tile_segments(tile), shape(tile).ground) == (tile not in NOT_TO_SCALE)


def test_drawing_with_fields_run_together_is_noticed():
    assert not is_true(tile_segments("U"), shape("V").ground)
    assert not is_true(tile_segments("U"), np.where(shape("U").ground == 2, 1, shape("U").ground))


@pytest.mark.parametrize("tile", KINDS)
def test_each_figure_has_a_place_of_its_own_on_its_segment(tile):
    stand = places(tile).figure
    assert sorted(stand) == list(range(len(tile_segments(tile))))
    assert len(set(stand.values())) == len(stand)
    for segment, (x, y) in stand.items():
        assert 2 <= x <= width_of(tile) - 2 and 2 <= y <= 98
        if tile_segments(tile)[segment].kind in ("city", "field", "road"):
            assert shape(tile).ground[round(y / STEP), round(x / STEP)] == segment


def test_separate_cities_are_separate_shapes_and_joined_ones_one():
    assert len(shape("I").cities) == 2 and len(shape("N").cities) == 1  # both have cities north and west
    assert len(shape("H").cities) == 2 and len(shape("F").cities) == 1  # both have cities on two opposite edges
    assert shape("C").walls[0] == []  # a city on all four edges has no wall


def test_walls_begin_and_end_at_the_corners_of_the_city_edge():
    assert set(wall_ends("E")) == {(0, 0), (100, 0)}
    assert set(wall_ends("N")) == {(100, 0), (0, 100)}
    assert wall_ends("B") == []


def test_roads_of_a_crossing_end_in_a_village_but_a_bridge_has_none():
    assert shape("X").crossing and shape("W").crossing and shape("L").crossing
    assert not shape("GM8").crossing and not shape("U").crossing and not shape("A").crossing


def test_turning_moves_the_shapes_with_the_tile():
    assert turn((50, 0), 90) == (100, 50)  # clockwise: north becomes east
    assert turn((50, 0), 270) == (0, 50)
    assert segment_at("D", 90, "E") == segment_at("D", 0, "N")
    assert turned("Nw", 90) == "En" and HALVES[0] == "Nw"


def test_everything_printed_on_a_tile_is_shown_on_it():
    for kind in tiles.tile_kinds():
        tile = kind.id if kind.id in KINDS else kind.id[:-1]
        expected = [symbol for symbol in kind.symbols if "building" not in tiles.symbols()[symbol]]
        for segment in kind.segments:
            expected += [mark for mark in segment.marks if mark not in ("not a semicircle", "pennant", "2 pennants")]
            expected += ["pennant"] * segment.pennants + [segment.kind] * (segment.kind in tiles.BUILDINGS)
        group = marked(parse(tile_svg(tile, 0)), id=f"tile-{tile}-0")[0]
        shown = [e.get("href")[1:] for e in group.iter(f"{SVG}use")]
        assert sorted(shown) == sorted(sign_id(sign) for sign in expected) or kind.id[:-1] in DOUBLE, kind.id
        assert set(map(sign_id, expected)) <= set(shown), kind.id


def test_every_printed_thing_has_a_drawing():
    printed = {symbol for symbol, meaning in tiles.symbols().items() if "building" not in meaning}
    assert set(SIGNS) == {*printed, *tiles.BUILDINGS, *tiles.GOODS, "pennant", "cathedral", "inn"}
    assert len({sign_id(sign) for sign in SIGNS}) == len(SIGNS)


def test_buildings_can_be_told_apart_in_small_cells():
    """The buildings are rendered in cells of 40 pixels."""

    def seen(sign):
        drawing = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="{palette.FIELD}"/>'
            f'<g transform="translate(50 50)">{SIGNS[sign]()}</g></svg>'
        )
        return np.array(Image.open(io.BytesIO(rasterise(drawing, 40, 40))).convert("RGB"), float)

    signs = [*tiles.BUILDINGS, "lake", "bazaar", "Darmstadtium", "cathedral", "inn"]
    pictures = [seen(sign) for sign in signs]
    blank = np.array(list(bytes.fromhex(palette.FIELD[1:])), float)
    for i, one in enumerate(pictures):
        for j, other in enumerate(pictures[:i]):
            built = (np.abs(one - blank).max(2) > 30) | (np.abs(other - blank).max(2) > 30)
            assert np.abs(one - other).max(2)[built].mean() > 35, (signs[i], signs[j])


# --- double tiles -----------------------------------------------------------------------------------------------------
def test_a_german_castle_is_one_tile_and_what_meets_inside_is_one_segment():
    assert [f"GC{number}" for number in range(1, 7)] == DOUBLE and not {"GC1a", "GC1b"} & set(KINDS)
    assert {(s.kind, s.spots) for s in tile_segments("GC1")} == {
        ("road", ("W",)),
        ("road", ("2E",)),
        ("german_castle", ("castle",)),
        ("field", ("Nw", "Ne", "Wn", "2Nw", "2Ne", "2En")),
        ("field", ("Se", "Sw", "Ws", "2Es", "2Se", "2Sw")),
    }
    assert {s.spots for s in tile_segments("GC6") if s.kind == "road"} == {("S", "2S"), ("2N",)}
    assert edges_of("GC2") == "CFFRFF" and edges_of("GC6") == "FRFRRF"


def test_spots_of_a_double_tile_are_named_by_the_square_that_comes_first():
    """Actions use the same names: `GC6@1,0/270` has `road E` over both squares, and `road W`."""

    def spots(tile, rotation):
        return {
            (s.kind, frozenset(spots_turned(tile, rotation, s)))
            for s in tile_segments(tile)
            if s.kind in ("road", "city")
        }

    assert spots("GC6", 270) == {("road", frozenset({"E", "2E"})), ("road", frozenset({"W"}))}
    assert spots("GC2", 180) == {("city", frozenset({"2S"})), ("road", frozenset({"N"}))}
    assert spots("GC2", 90) == {("city", frozenset({"E"})), ("road", frozenset({"2W"}))}
    assert segment_at("GC2", 180, "2S") == segment_at("GC2", 0, "N")
    assert segment_at("GC3", 270, "castle") == segment_at("GC3", 0, "castle")
    assert [cells_of("GC1", 2, 3, rotation) for rotation in (0, 90)] == [[(2, 3), (3, 3)], [(2, 3), (2, 4)]]


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_a_double_tile_turns_about_its_first_square(rotation):
    middles = {turn((x, 50.0), rotation, 200) for x in (50.0, 150.0)}
    assert middles == {(50.0, 50.0), (150.0, 50.0) if rotation in (0, 180) else (50.0, 150.0)}
    for point in ((10.0, 20.0), (130.0, 90.0)):
        assert turn_back(turn(point, rotation, 200), rotation, 200) == point
    width, height = size_of("GC1", rotation)
    assert outline("GC1", rotation) == f"h{width:g}v{height:g}h-{width:g}z"


@pytest.mark.parametrize("tile", DOUBLE)
def test_a_castle_stands_over_both_squares_and_on_no_road(tile):
    x, y = castle_at(tile)
    ground = shape(tile).ground
    assert x == 100 and ground.shape == (41, 81)
    assert (ground[round(y / STEP), round((x - 40) / STEP) : round((x + 40) / STEP)] == -1).all()
    roads = [number for number, s in enumerate(tile_segments(tile)) if s.kind == "road"]
    assert all((ground == road).any() for road in roads)


@pytest.mark.parametrize("value, written", [(50.0, "50"), (-0.01, "0"), (12.34, "12.3"), (-0.26, "-0.3")])
def test_numbers_are_written_short(value, written):
    assert number(value) == written
