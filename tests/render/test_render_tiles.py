"""Every tile kind: the drawing shows its segments, in every rotation."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from carc_env import boxes
from carc_env.render import palette
from carc_env.render.facts import HALVES, SIDES, segment_at, tile_segments, turned
from carc_env.render.geometry import STEP, is_true, shape, turn, wall_ends
from carc_env.render.pieces import SIGNS, sign_id
from carc_env.render.places import places
from carc_env.render.png import rasterise
from carc_env.render.svg import definitions
from carc_env.render.markup import number
from carc_env.render.tile_art import tile_art
from tests.render.helpers import SVG, marked, parse

KINDS = [kind.id for kind in boxes.tile_kinds()]
NOT_TO_SCALE = ("AM12",)  # its southern field passes above the road, which no flat drawing can show
ROTATIONS = (0, 90, 180, 270)
FACTS_FILE = Path(__file__).parents[1] / "data" / "tiles_facts.json"
FACTS = {tile["id"]: tile for tile in json.loads(FACTS_FILE.read_text(encoding="utf-8"))["tiles"]}


def tile_svg(tile: str, rotation: int) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{definitions({(tile, rotation)})}'
            f'<use href="#tile-{tile}-{rotation}"/></svg>')


@pytest.mark.parametrize("tile", KINDS)
def test_every_segment_is_one_element_with_its_spots_in_board_orientation(tile):
    for rotation in ROTATIONS:
        root = parse(f'<svg xmlns="http://www.w3.org/2000/svg">{tile_art(tile, rotation)}</svg>')
        drawn = [(e.get("data-kind"), sorted(e.get("data-spots").split())) for e in root.iter()
                 if e.get("data-kind")]
        expected = [(s.kind, sorted(turned(spot, rotation) for spot in s.spots)) for s in tile_segments(tile)]
        assert sorted(drawn) == sorted(expected)


@pytest.mark.parametrize("tile", KINDS)
def test_segments_agree_with_the_tile_facts(tile):
    facts = FACTS[tile]["segments"]
    expected = sorted((s["kind"], sorted(s.get("spots", [s["kind"]])), s.get("pennants", 0)) for s in facts)
    assert sorted((s.kind, sorted(s.spots), s.pennants) for s in tile_segments(tile)) == expected
    root = parse(tile_svg(tile, 0))
    tile_group = marked(root, id=f"tile-{tile}-0")[0]
    assert len(marked(tile_group, data_sign="pennant")) == sum(s.get("pennants", 0) for s in facts)
    assert len(marked(tile_group, data_sign="gold")) == FACTS[tile].get("gold", 0)


@pytest.mark.parametrize("tile", KINDS)
def test_colours_at_the_edges_are_those_of_the_terrain(tile):
    """Looks at the pixels a little inside the middle of each edge, in each rotation."""
    road = tuple(bytes.fromhex(palette.ROAD[1:]))
    for rotation in ROTATIONS:
        picture = Image.open(io.BytesIO(rasterise(tile_svg(tile, rotation), 100, 100))).convert("RGB")
        for quarter, terrain in enumerate(FACTS[tile]["edges"]):
            middle, beside = (picture.getpixel(turn(point, 90 * quarter + rotation))
                              for point in ((50, 4), (38, 4)))
            is_shown = {"R": middle == road, "F": beside[1] > beside[0], "C": beside[0] > beside[1]}
            assert is_shown[terrain], (rotation, SIDES[quarter], middle, beside)


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
        assert 2 <= x <= 98 and 2 <= y <= 98
        if tile_segments(tile)[segment].kind in ("city", "field", "road"):
            assert shape(tile).ground[round(y / STEP), round(x / STEP)] == segment


def test_separate_cities_are_separate_shapes_and_joined_ones_one():
    assert len(shape("I").cities) == 2 and len(shape("N").cities) == 1  # both have cities north and west
    assert len(shape("H").cities) == 2 and len(shape("F").cities) == 1  # two opposite edges
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
    assert segment_at("D", 90, "city", "E") == segment_at("D", 0, "city", "N")
    assert turned("Nw", 90) == "En" and HALVES[0] == "Nw"


def test_everything_printed_on_a_tile_is_shown_on_it():
    for kind in boxes.tile_kinds():
        expected = list(kind.symbols)
        for segment in kind.segments:
            expected += [mark for mark in segment.marks if mark not in ("not a semicircle", "pennant", "2 pennants")]
            expected += ["pennant"] * segment.pennants + [segment.kind] * (segment.kind in boxes.BUILDINGS)
        group = marked(parse(tile_svg(kind.id, 0)), id=f"tile-{kind.id}-0")[0]
        shown = [e.get("href")[1:] for e in group.iter(f"{SVG}use")]
        assert sorted(shown) == sorted(sign_id(sign) for sign in expected), kind.id


def test_every_printed_thing_has_a_drawing():
    assert set(SIGNS) == {*boxes.symbols(), *boxes.BUILDINGS, *boxes.GOODS, "pennant", "cathedral", "inn"}
    assert len({sign_id(sign) for sign in SIGNS}) == len(SIGNS)


@pytest.mark.parametrize("value, written", [(50.0, "50"), (-0.01, "0"), (12.34, "12.3"), (-0.26, "-0.3")])
def test_numbers_are_written_short(value, written):
    assert number(value) == written
