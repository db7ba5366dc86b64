"""Compares our box files with facts about the tiles that were collected independently, and tests the errors of broken
box files.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from carc_env.boxes.tiles import (
    BOX_NAMES,
    EDITIONS,
    HALVES,
    HOMES,
    KINDS,
    SIDES,
    SPOTS,
    BoxError,
    library,
    read_box,
    tile_kind,
    tile_kinds,
    tile_numbers,
    tile_table,
    turned,
)
from carc_env.rules.state import NONE

FACTS = {
    fact["id"]: fact for fact in json.loads((Path(__file__).parent / "data" / "tiles_facts.json").read_text())["tiles"]
}
OURS = {kind.id: kind for kind in tile_kinds()}
COMMON = ("base", "goldmines")
BUILT = {  # what is printed on a tile, by the facts: the kind of building, and the spots of its figures
    "shrine": ("shrine", {"shrine"}),
    "special monastery": ("special_monastery", {"monastery", "lying"}),
    "church": ("church", {"monastery"}),
    "Baba Yaga's hut": ("hut", {"hut"}),
    "German castle": ("german_castle", {"castle"}),
    "German cathedral": ("german_cathedral", {"cathedral"}),
}


def segments_of_facts(fact: dict) -> list:
    """Return (kind, spots, pennants, marks, adjacent cities as sets of edges) for each segment in the facts, sorted."""
    cities = [frozenset(s["spots"]) for s in fact["segments"] if s["kind"] == "city"]
    found = []
    for segment in fact["segments"]:
        marks = {mark for mark in ("inn", "cathedral") if segment.get(mark)} | {segment.get("good")} - {None}
        marks |= {"not a semicircle"} if segment.get("semicircle") is False else set()
        beside = {city for city in cities for edge in segment.get("adjoins_city_with_edge", ()) if edge in city}
        found.append(
            (
                segment["kind"],
                frozenset(segment.get("spots", [segment["kind"]])),
                segment.get("pennants", 0),
                frozenset(marks),
                frozenset(beside),
            )
        )
    for building, spots in (BUILT[symbol] for symbol in symbols_of_facts(fact) & BUILT.keys()):
        found.append((building, frozenset(spots), 0, frozenset(), frozenset()))
    return sorted(found, key=str)


def segments_of_ours(kind) -> list:
    """Return the same for the segments of a tile kind in our box files."""
    return sorted(
        (
            (
                s.kind,
                frozenset(s.spots),
                s.pennants,
                frozenset(s.marks) - {"pennant", "2 pennants"},
                frozenset(frozenset(kind.segments[city].spots) for city in s.adjoins),
            )
            for s in kind.segments
        ),
        key=str,
    )


def symbols_of_facts(fact: dict) -> set[str]:
    """Return what is printed on a tile as a whole, according to the facts."""
    printed = {part.split(" (")[0] for part in fact["extra"].split(", ")}
    printed |= {"Darmstadtium"} if fact["id"] == "DA1" else set()  # a building that the facts leave out
    return printed - {"-", "monastery", "garden"}


@pytest.mark.parametrize("tile", sorted(OURS.keys() - {"abbey"}))
def test_tile_is_as_printed(tile):
    ours, fact = OURS[tile], FACTS[tile]
    assert ours.edges == fact["edges"]
    assert segments_of_ours(ours) == segments_of_facts(fact)
    assert set(ours.symbols) == symbols_of_facts(fact)
    # the facts have one count for all editions, or one for each; castle tiles are in no stack
    counts = list(fact["counts"].values()) if ours.is_land else [0]
    assert [ours.counts[edition] for edition in EDITIONS] == counts * (3 - len(counts))


def test_the_abbey():
    """The abbey is in no stack, its edges fit all other edges, and a monk may stand on it."""
    abbey = OURS["abbey"]
    assert (abbey.box, abbey.edges, set(abbey.counts.values()), abbey.is_land, abbey.name) == (
        "abbeys",
        "----",
        {0},
        False,
        "abbey",
    )
    assert segments_of_ours(abbey) == [("abbey", frozenset({"monastery"}), 0, frozenset(), frozenset())]


def test_castle_tiles_have_two_squares():
    """Each of the six castle tiles is in no stack, and has a castle on its western square. The inner edges of the two
    squares face each other.
    """
    squares = library()["german_castles"].kinds
    assert [kind.id for kind in squares] == [f"GC{number}{square}" for number in range(1, 7) for square in "ab"]
    for west, east in zip(squares[::2], squares[1::2]):
        assert west.name == east.name == west.id[:-1] and not west.is_land and not east.is_land
        assert (SIDES[west.inner], SIDES[east.inner]) == ("E", "W")
        assert sum(segment.kind == "german_castle" for segment in west.segments) == 1
        assert not any(segment.kind == "german_castle" for segment in east.segments)


def test_all_tiles_of_base_and_goldmines_are_there():
    ours = {kind.id for name in COMMON for kind in library()[name].kinds}
    assert ours == {tile for tile in FACTS if tile.startswith("GM") or len(tile.split("-")[0]) == 1}


@pytest.mark.parametrize(
    ("name", "edition", "tiles"),
    [
        *(
            (name, edition, tiles)
            for edition in ("C1", "C2")
            for name, tiles in {
                "base": 72,
                "inns_and_cathedrals": 18,
                "traders_and_builders": 24,
                "goldmines": 8,
                "abbot": 0,
                "crop_circles": 6,
                "map_chips": 0,
                "ferries": 8,
                "castles": 12,
                "abbeys": 12,
                "special_monasteries": 6,
                "darmstadt": 3,
                "baba_yaga": 2,
                "german_cathedrals": 6,
                "german_castles": 0,
            }.items()
        ),
        ("shrines", "C1", 5),
        ("shrines", "C2", 6),
    ],
)
def test_number_of_tiles(name, edition, tiles):
    """Compares the numbers of tiles with the publisher's totals."""
    assert sum(kind.counts[edition] for kind in library()[name].kinds) == tiles == library()[name].tiles[edition]


def test_gardens_are_of_the_second_artwork():
    for kind in library()["base"].kinds:
        has_garden = any(segment.kind == "garden" for segment in kind.segments)
        assert has_garden == kind.id.endswith("-g")
        assert kind.counts["C1"] == 0 or not has_garden
    assert sum(kind.counts["C2"] for kind in library()["base"].kinds if kind.id.endswith("-g")) == 8


@pytest.mark.parametrize(("name", "gardens"), [("base", 8), ("inns_and_cathedrals", 2), ("traders_and_builders", 2)])
def test_number_of_gardens(name, gardens):
    """The second artwork has gardens, and the first has none."""
    with_garden = [kind for kind in library()[name].kinds if any(segment.kind == "garden" for segment in kind.segments)]
    assert [sum(kind.counts[edition] for kind in with_garden) for edition in EDITIONS] == [0, gardens]


@pytest.mark.parametrize("edition", EDITIONS)
def test_number_of_goods(edition):
    """There are as many symbols as tokens: wine 9, grain 6, cloth 5."""
    found = Counter({"wine": 0})
    for kind in library()["traders_and_builders"].kinds:
        for segment in kind.segments:
            found.update({mark: kind.counts[edition] for mark in segment.marks if mark in ("wine", "grain", "cloth")})
    assert found == {"wine": 9, "grain": 6, "cloth": 5}


@pytest.mark.parametrize("edition", EDITIONS)
def test_number_of_inns_and_cathedrals(edition):
    """There are six roads with an inn, and two cathedrals."""
    found = Counter()
    for kind in library()["inns_and_cathedrals"].kinds:
        for segment in kind.segments:
            found.update({mark: kind.counts[edition] for mark in segment.marks if mark in ("inn", "cathedral")})
    assert found == {"inn": 6, "cathedral": 2}


def test_pieces():
    assert library()["base"].figures == {"meeple": 7}
    assert library()["base"].start == "D"
    assert library()["goldmines"].ingots == 16
    assert library()["abbot"].figures == {"abbot": 1}
    assert library()["inns_and_cathedrals"].figures == {"big": 1}
    assert library()["traders_and_builders"].figures == {"builder": 1, "pig": 1}


def test_every_box_has_its_file_and_every_file_its_box():
    assert {path.parent.name for path in HOMES.glob("*/tiles.toml")} == set(BOX_NAMES) == set(library())
    assert all(box.name == name for name, box in library().items())


# --- the table for the rules -------------------------------------------------------------------------------------
def test_turning_is_clockwise():
    assert [turned("N", quarter) for quarter in range(4)] == ["N", "E", "S", "W"]
    assert [turned("Nw", quarter) for quarter in range(4)] == ["Nw", "En", "Se", "Ws"]
    assert turned("mid", 1) == "mid" and turned("monastery", 3) == "monastery"


# Double tiles are tested in tests/systems/test_german_castles.py.
@pytest.mark.parametrize("tile", sorted(kind.id for kind in tile_kinds() if kind.inner == NONE))
def test_table_has_every_spot_of_a_turned_tile(tile):
    row = tile_table()[0]["kinds"][tile_numbers()[tile]]
    for rotation in range(4):
        found = {}
        for place, segment in enumerate(row["spot_segment"][rotation]):
            if segment != NONE:
                found.setdefault(int(segment), set()).add(SPOTS[place])
        expected = [
            ({turned(spot, rotation) for spot in segment.spots}, segment.kind) for segment in OURS[tile].segments
        ]
        assert [(found[number], KINDS[row["kind"][number]]) for number in range(row["n_segments"])] == expected
        for ring, field in ((SIDES, "side_segment"), (HALVES, "half_segment")):
            for at, spot in enumerate(ring):
                assert row[field][rotation, at] == row["spot_segment"][rotation, SPOTS.index(spot)]
        for number in range(row["n_segments"]):
            assert SPOTS[row["spot"][rotation, number]] == min(found[number], key=SPOTS.index)


@pytest.mark.parametrize(
    ("tile", "rotations"),
    [("B", 1), ("C", 1), ("X", 1), ("GM8", 1), ("U", 2), ("F", 2), ("V", 4), ("D", 4), ("E", 4), ("A", 4), ("GM5", 2)],
)
def test_rotations_that_can_be_told_apart(tile, rotations):
    assert tile_table()[0]["kinds"][tile_numbers()[tile]]["rotations"] == rotations


def test_table_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        tile_table()["kinds"][0, 0] = np.zeros((), tile_table()["kinds"].dtype)


# --- broken files ------------------------------------------------------------------------------------------------
TILE = """
[[tile]]
id = "Z"
count = { C1 = 1, C2 = 1 }
edges = "CRFR"
cities = ["N: pennant"]
roads = ["E W"]
fields = ["En Wn [N]", "Es Se Sw Ws"]
"""
BOX = (
    """name = "mine"
title = "My box"
tiles = { C1 = 1, C2 = 1 }
figures = {}
"""
    + TILE
)


def test_a_good_box_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(BOX)
    box = read_box(path)
    assert (box.name, len(box.kinds), box.kinds[0].segments[0].pennants) == ("mine", 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ('title = "My box"', "", "", "lacks the key 'title'"),
        ('title = "My box"', 'title = "My box"\ncolour = "red"', "", "unknown key 'colour'"),
        ('title = "My box"', "title = 3", "", "title = 3: should be of type str"),
        ("figures = {}", "figures = { dragon = 1 }", "figures", "dragon"),
        ("tiles = { C1 = 1, C2 = 1 }", "tiles = { C1 = 1, C2 = 2 }", "C2", "1 tiles, but the field `tiles` says 2"),
        ("tiles = { C1 = 1, C2 = 1 }", "tiles = { C1 = 1 }", "tiles", "every edition"),
        ("figures = {}", 'figures = {}\nstart = "D"', "start tile D", "not in the box"),
        (TILE, TILE + TILE, "tile Z", "listed twice"),
        ('edges = "CRFR"', 'edges = "CRF"', "tile Z", "four letters"),
        ('edges = "CRFR"', 'edges = "CRRR"', "tile Z: edge S", "no segment is on it"),
        ('edges = "CRFR"', 'edges = "FRFR"', "tile Z: edge N", "a city segment is on it"),
        ('roads = ["E W"]', 'roads = ["E W", "E"]', "tile Z: spot E", "more than one segment"),
        ('roads = ["E W"]', 'roads = ["E X"]', "tile Z", "unknown spot 'X'"),
        ('roads = ["E W"]', 'roads = [""]', "tile Z", "has no spot"),
        ('roads = ["E W"]', "roads = [7]", "tile Z", "string that lists spots"),
        ('roads = ["E W"]', 'roads = ["E W"]\nriver = true', "tile Z", "unknown key 'river'"),
        ("N: pennant", "N: flag", "tile Z", "not 'flag'"),
        ("Es Se Sw Ws", "Es Se Sw", "tile Z: edge W", "half-edge Ws"),
        ("Es Se Sw Ws", "Es Se Sw Ws Nw", "tile Z: edge N", "half-edge Nw"),
        ("En Wn [N]", "En Wn [S]", "tile Z", "adjoins a city on edge S, but the tile has no city there"),
        ("Es Se Sw Ws", "Es Se Sw Ws mid", "tile Z", "are only for a field that touches no edge"),
        ("count = { C1 = 1, C2 = 1 }", "count = { C1 = -1, C2 = 1 }", "tile Z: count", "C1 = -1"),
        ('edges = "CRFR"', "edges = CRFR", "", "cannot be read"),
        ("figures = {}", "figures = {}\nsymbols = { well = 3 }", "symbol 'well'", "should be a table of fields, not 3"),
        ("figures = {}", "figures = {}\nsymbols = { well = { water = 1 } }", "symbol 'well'", "unknown key 'water'"),
        (
            "figures = {}",
            'figures = {}\nsymbols = { well = { gold = "deep" } }',
            "symbol 'well'",
            "gold = 'deep' should be a number or one of road",
        ),
        ("figures = {}", "figures = {}\nmarks = { field = {} }", "marks", "'field' should be road or city"),
        ("figures = {}", "figures = {}\nmarks = { city = 3 }", "mark of a city", "3 should be a table"),
    ],
)
def test_a_broken_box_names_place_and_reason(tmp_path, old, new, place, reason):
    assert old in BOX
    path = tmp_path / "mine.toml"
    path.write_text(BOX.replace(old, new))
    with pytest.raises(BoxError) as refusal:
        read_box(path)
    message = str(refusal.value)
    assert message.startswith(("mine.toml: ", "mine.toml cannot be read: ")) and place in message and reason in message
    assert "\n" not in message


def test_a_box_that_is_not_there(tmp_path):
    with pytest.raises(BoxError, match="mine.toml cannot be read"):
        read_box(tmp_path / "mine.toml")


def test_illustrations_are_asked_of_a_kind_of_tile():
    """Section 17: three tiles of The Goldmines have one illustration each."""
    shown = {kind.id: kind.illustrations for kind in tile_kinds() if kind.illustrations}
    assert shown == {"GM1": ("cowshed",), "GM2": ("water_tower",), "GM6": ("highwaymen",)}
    assert tile_kind("GM2").illustrations == ("water_tower",) and tile_kind("D").illustrations == ()
    with pytest.raises(BoxError, match="^unknown tile 'GM9'$"):
        tile_kind("GM9")


def test_an_unknown_illustration(tmp_path):
    text = (HOMES / "goldmines" / "tiles.toml").read_text().replace('["cowshed"]', '["cow"]')
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(
        BoxError, match="^own.toml: tile GM1: unknown illustration 'cow'; choose from cowshed, water_tower, highwaymen$"
    ):
        read_box(tmp_path / "own.toml")
