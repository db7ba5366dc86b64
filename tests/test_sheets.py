"""Tests of map sheets. A wrong sheet gives one clear error that names what is wrong."""

import dataclasses
import itertools
import json
import re
import time
from pathlib import Path

import pytest

import carc_env
from carc_env.boxes.sheets import (
    SheetError,
    beside,
    check_room_everywhere,
    reachable,
    read_sheet,
    room_for_chips,
    sheets,
)
from carc_env.common import toml
from carc_env.rules.expansions import map_chips
from tests import modes

ROWS = '["oooo", "oCo.", ".ooo"]'
LARGE = '{ square = [1, 1], edges = "CFFC", pennants = 1 }'
SHEET = f"""
name = "mine"
title = "My sheet"
rows = {ROWS}
town = [{{ name = "A", square = [0, 0], grape = "purple", start = true }},
        {{ name = "B", square = [3, 2], grape = "orange", start = true }},
        {{ name = "C", square = [0, 1], grape = "light_blue" }}]
large_city = [{{ name = "L", squares = [{LARGE}] }}]
border = [{{ square = [3, 0], edge = "E", kind = "road" }}]
"""


def changed(*changes: tuple[str, str]) -> str:
    """Return the text of SHEET with some parts replaced. Fails if a part does not occur in it."""
    text = SHEET
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def written(tmp_path, text: str) -> str:
    """Write the text of a sheet to a file, and return the path."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return str(path)


def two_cities(second: str) -> tuple[str, str]:
    """Return the change that adds a second large city, K, with one square."""
    return f"[{LARGE}] }}", f'[{LARGE}] }}, {{ name = "K", squares = [{second}] }}'


def test_the_sheet_of_these_tests_is_good(tmp_path):
    sheet = read_sheet(written(tmp_path, SHEET))
    assert (sheet.columns, sheet.rows, len(sheet.squares), sheet.starts) == (4, 3, 9, ((0, 0), (3, 2)))
    assert sheet.reconstruction is False and reachable(sheet) == sheet.squares


def test_our_own_sheet_is_a_reconstruction_and_says_so():
    assert sheets() == ("france",)
    france = read_sheet("france")
    assert france.reconstruction and "reconstruction" in france.title
    for open_edges_only, room in ((False, {39, 40}), (True, {42, 43, 44})):
        assert {
            room_for_chips(france, used, open_edges_only) for used in itertools.combinations(france.starts, 2)
        } <= room


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # the squares
        ([(ROWS, '"oooo"')], "the sheet: rows = 'oooo': should be of type list"),
        ([(ROWS, "[]")], "rows should be one or more strings, with one letter for each square, not []"),
        (
            [(ROWS, '["oooo", 3]')],
            "rows should be one or more strings, with one letter for each square, not ['oooo', 3]",
        ),
        ([('".ooo"', '".oo"')], "rows: row 2 has 3 letters and row 0 has 4; all rows should have the same length"),
        ([('".ooo"', '".oxo"')], "rows: 'x' at 2,2 should be one of . o C"),
        ([(ROWS, f'["{"o" * 101}"]')], "the sheet has 101 x 1 squares; at most 100 x 100 are allowed"),
        ([(ROWS, str(["oooo"] * 101))], "the sheet has 4 x 101 squares; at most 100 x 100 are allowed"),
        ([('"oooo"', '"oo.o"')], "these squares cannot be reached from the start squares: 3,0"),
        (
            [(ROWS, '["oooo..o", "oCo....", ".ooo..o"]')],
            "these squares cannot be reached from the start squares: 6,0 6,2",
        ),
        # keys
        (
            [("title", "colour = 3\ntitle")],
            "the sheet: unknown key 'colour'; the known keys are name, title, rows, reconstruction, town, large_city, border",
        ),
        ([('name = "mine"', "")], "the sheet lacks the key 'name'"),
        ([('name = "mine"', "name = 3")], "the sheet: name = 3: should be of type str"),
        (
            [('"orange", start', '"orange", mayor = "M", start')],
            "town B: unknown key 'mayor'; the known keys are name, square, grape, start",
        ),
        # towns
        ([('grape = "purple", ', "")], "town A lacks the key 'grape'"),
        ([('"purple"', '"green"')], "town A: grape 'green' should be one of purple, light_blue, orange"),
        ([('"purple"', "1")], "town A: grape = 1: should be of type str"),
        ([("[0, 1]", "[1, 1]")], "town C: 1,1 is not a square for tiles"),
        ([("[0, 1]", "[-1, 0]")], "town C: -1,0 is not a square for tiles"),
        ([("[0, 1]", "[0, 0.5]")], "town C: square = [0, 0.5] should be [x, y]"),
        ([("[0, 1]", "[0, 0]")], "town A: square 0,0 has two towns"),
        ([("town = [", 'town = ["Z", ')], "a town should be a table of fields, not 'Z'"),
        (
            [("start = true", "start = false")],
            "the sheet has 1 start squares (towns with start = true); it needs 2 to 8",
        ),
        ([("start = true", 'start = "yes"')], "town A: start = 'yes': should be of type bool"),
        # large cities
        ([two_cities(LARGE)], "large city K: 1,1 already belongs to large city L"),
        ([(LARGE, f"{LARGE}, {LARGE}")], "large city L: 1,1 already belongs to large city L"),
        ([("oCo.", "CCo."), ("[0, 1]", "[1, 0]")], "rows: the letter C is at 0,1, but no [[large_city]] contains it"),
        ([("square = [1, 1]", "square = [2, 1]")], "large city L: 2,1 does not have the letter C in `rows`"),
        ([(LARGE, "")], "large city L has no squares"),
        ([('"CFFC"', '"CFF"')], "large city L: edges 'CFF' should be four letters, each C or F"),
        ([('"CFFC"', '"CFRC"')], "large city L: edges 'CFRC' should be four letters, each C or F"),
        ([("pennants = 1", "pennants = -1")], "large city L: pennants should be from 0 to 9, not -1"),
        (
            [("oCo.", "oCC."), two_cities('{ square = [2, 1], edges = "CFFC", pennants = 0 }')],
            "large city L: the edges between 1,1 and 2,1 do not match",
        ),
        (
            [("oCo.", "oCC."), (LARGE, LARGE + ', { square = [2, 1], edges = "CFFF", pennants = 0 }')],
            "large city L: the squares 1,1 2,1 are not connected through open edges",
        ),
        # the border
        ([('"E", kind', '"W", kind')], "border connection 3,0 W: the edge does not lie at the border"),
        (
            [('square = [3, 0], edge = "E"', 'square = [2, 1], edge = "W"')],
            "border connection 2,1 W: the edge does not lie at the border",
        ),
        ([("square = [3, 0], edge", "square = [1, 1], edge")], "border connection 1,1 E is not on a square for tiles"),
        ([('"E", kind', '"NE", kind')], "border connection 3,0: edge 'NE' should be one of N, E, S, W"),
        ([(', kind = "road"', "")], "border connection 1 lacks the key 'kind'"),
        (
            [('kind = "road"', 'kind = "road", too = "A"')],
            "border connection 1: unknown key 'too'; the known keys are square, edge, kind, coats, to",
        ),
        ([('"road"', '"river"')], "border connection 3,0 E: kind 'river' should be road or city"),
        ([('"road"', '"road", coats = -1')], "border connection 3,0 E: coats should be from 0 to 9, not -1"),
        (
            [("border = [", 'border = [{ square = [3, 0], edge = "E", kind = "city" }, ')],
            "border connection 3,0 E is listed twice",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, changes, message):
    path = written(tmp_path, changed(*changes))
    with pytest.raises(SheetError) as error:
        read_sheet(path)
    assert str(error.value) == f"mine.toml: {message}"
    with pytest.raises(carc_env.ConfigError, match=f"^sheet: mine.toml: {re.escape(message)}$"):
        carc_env.GameConfig(sheet=path)


def test_more_large_cities_than_can_be_handled(tmp_path):
    rows = ["C" * 17, "o" * 17]
    cities = ", ".join(
        f'{{ name = "L{x}", squares = [{{ square = [{x}, 0], edges = "FFFF", pennants = 0 }}] }}' for x in range(17)
    )
    text = f"""name = "many"\ntitle = "Many"\nrows = {rows}\nlarge_city = [{cities}]
town = [{{ name = "A", square = [0, 1], grape = "purple", start = true }},
        {{ name = "B", square = [5, 1], grape = "purple", start = true }}]"""
    with pytest.raises(SheetError, match="more than 16 large cities"):
        read_sheet(written(tmp_path, text))


# --- texts ------------------------------------------------------------------------------------------------------------
TEXTS = {  # the name of a text in an error message, and how to change this text
    "the sheet: name": lambda sheet, text: sheet.update(name=text),
    "the sheet: title": lambda sheet, text: sheet.update(title=text),
    "a town: name": lambda sheet, text: sheet["town"][0].update(name=text),
    "a large city: name": lambda sheet, text: sheet["large_city"][0].update(name=text),
    "border connection 3,0 E: to": lambda sheet, text: sheet["border"][0].update(to=text),
}


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\ud800", "\u202egnp", "x" * 101])
def test_a_text_that_cannot_be_shown_is_refused(what, text):
    sheet = toml.loads(SHEET)
    TEXTS[what](sheet, text)
    with pytest.raises(SheetError) as error:
        read_sheet(sheet)
    rule = "should have at most 100 characters, all of them printable"
    assert str(error.value).startswith(f"{what} {rule}, not ") and str(error.value).isprintable()


@pytest.mark.parametrize("what", TEXTS)
def test_a_long_text_of_any_script_is_a_text(what):
    sheet = toml.loads(SHEET)
    TEXTS[what](sheet, "Île-de-France 北 " * 6 + "1234")
    assert read_sheet(sheet).squares


@pytest.mark.parametrize("place", ["town", "large_city", "border"])
def test_no_error_repeats_a_text_that_cannot_be_shown(place):
    """Checks errors about an entry whose name or edge cannot be shown. They are raised before the name or the edge is
    checked.
    """
    sheet = toml.loads(SHEET)
    sheet[place][0].update({"border": {"edge": "\u202egnp"}}.get(place, {"name": "\u202egnp", "extra": 1}))
    with pytest.raises(SheetError) as error:
        read_sheet(sheet)
    assert str(error.value).isprintable()


# --- large sheets -----------------------------------------------------------------------------------------------------
def large_sheet(wide):
    """Return a sheet of the largest size: 16 large cities with `wide` x 7 squares each, eight start squares and many
    towns.
    """
    rows, cities = [["o"] * 100 for _ in range(100)], []
    for number in range(16):
        left, top = 2 + number % 4 * (wide + 2), 2 + number // 4 * 9
        squares = [(left + x, top + y) for y in range(7) for x in range(wide)]
        for x, y in squares:
            rows[y][x] = "C"
        edges = {at: "".join("C" if beside(at, edge) in squares else "F" for edge in "NESW") for at in squares}
        entries = [{"square": list(at), "edges": edges[at], "pennants": 0} for at in squares]
        cities.append({"name": f"L{number}", "squares": entries})
    starts = [(0, 0), (99, 0), (0, 99), (99, 99), (60, 60), (60, 70), (70, 60), (80, 80)]
    towns = [{"name": "S", "square": list(at), "grape": "purple", "start": True} for at in starts]
    others = [(x, y) for x in range(1, 100, 2) for y in range(51, 97, 4)]
    towns += [{"name": "T", "square": list(at), "grape": "orange"} for at in others]
    borders = [{"square": [x, 0], "edge": "N", "kind": "city"} for x in range(100)]
    text = {"name": "large", "title": "Large", "rows": ["".join(row) for row in rows]}
    return text | {"town": towns, "large_city": cities, "border": borders}


def test_the_largest_sheet_is_checked_in_a_moment():
    data, began = large_sheet(8), time.process_time()
    sheet = read_sheet(data)
    check_room_everywhere(sheet, False)
    assert len(sheet.large) == 896 and len(sheet.squares) == 10_000 - 896
    assert time.process_time() - began < 5, "half a second, on a machine that is not busy"
    assert room_for_chips(sheet, sheet.starts[:2], False) > 3000


def test_more_squares_of_large_cities_than_a_game_can_hold():
    with pytest.raises(SheetError) as error:
        read_sheet(large_sheet(9))
    assert str(error.value) == ("rows: 1008 squares have the letter C; at most 960 squares of large cities are allowed")


def test_an_error_lists_only_the_first_of_many_squares():
    text = changed((ROWS, '["oooo..oooooooooo", "oCo...oooooooooo", ".ooo..oooooooooo"]'))
    with pytest.raises(SheetError, match=r"the start squares: 6,0 6,1 6,2( \d+,\d){9} and 18 more$"):
        read_sheet(text)


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("atlantis", "sheet: unknown sheet 'atlantis'; give one of france, or the path of a TOML file"),
        ("atlantis.toml", "sheet: atlantis.toml cannot be read: No such file or directory"),
        ("", "sheet: unknown sheet ''; give one of france, or the path of a TOML file"),
        (3, "sheet: 3 should be the name of a sheet, the path of a TOML file, or a dict"),
    ],
)
def test_a_sheet_that_is_not_there(sheet, message):
    with pytest.raises(carc_env.ConfigError) as error:
        carc_env.GameConfig(sheet=sheet)
    assert str(error.value) == message


@pytest.mark.parametrize("content", [b"name = ", b'name = "\xff"'])
def test_a_sheet_that_is_not_toml(tmp_path, content):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(SheetError, match=f"^{re.escape(str(path))} is not valid TOML: "):
        read_sheet(str(path))


# --- a good sheet that does not fit the game --------------------------------------------------------------------------
def test_too_few_squares_for_the_chips(tmp_path):
    settings = {"boxes": ("base", "map_chips"), "sheet": written(tmp_path, SHEET)}
    for _ in range(2):  # the second try fails in the same way
        with pytest.raises(
            carc_env.ConfigError,
            match="^mine: only 1 of 30 chips fit if start tiles lie on "
            "0,0 3,2; play without the box map_chips, or specify the deck, the start tiles and the chips$",
        ):
            carc_env.GameConfig(**settings)
    dictated = carc_env.GameConfig(**settings, starts=(("D", 0, 0, 0),))
    assert carc_env.Game(dictated, deck=["D"], chips=[(2, 0, "orange", 2)]).moves == ["D@1,0/180"]  # the only action
    with pytest.raises(carc_env.ConfigError, match="only 2 of 30 chips fit if start tiles lie on 0,0"):
        carc_env.Game(dictated, seed=0)


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ([("D", 9, 9, 0)], "starts: 9,9 is not a square for tiles on the sheet mine"),
        ([("D", 1, 1, 0)], "starts: 1,1 is not a square for tiles on the sheet mine"),
        ([("D", 3, 2, 0), ("D", 3, 2, 0)], "starts: there are two tiles on 3,2"),
        ([("U", 2, 0, 90), ("D", 3, 0, 0)], "starts: the tile on 2,0 does not match its neighbour on side E"),
        ([("B", 3, 0, 0)], "starts: the tile on 3,0 does not match the road printed at the border on side E"),
        ([("B", 0, 1, 0)], "starts: the tile on 0,1 does not match the large city L on side E"),
        ([("E", 2, 1, 270)], "starts: the tile on 2,1 does not match the large city L on side W"),
        ([("Z9", 3, 2, 0)], "start ('Z9', 3, 2, 0): unknown tile 'Z9'"),
        ([], "starts: at least one start tile is needed"),
    ],
)
def test_starts_that_cannot_be(tmp_path, starts, message):
    path = written(tmp_path, SHEET)
    with pytest.raises(carc_env.ConfigError) as error:
        carc_env.Game(carc_env.GameConfig(sheet=path, starts=starts), seed=0)
    assert str(error.value) == message


@pytest.mark.parametrize("start", [("D", 3, 0, 0), ("E", 0, 1, 90), ("B", 2, 1, 0)])
def test_starts_that_match_the_border_and_a_large_city(tmp_path, start):
    game = carc_env.Game(carc_env.GameConfig(sheet=written(tmp_path, SHEET), starts=(start,)), seed=0)
    assert game.board()[0][:4] == start


def test_edges_of_a_square_lead_to_its_neighbours():
    assert [beside((3, 4), edge) for edge in "NESW"] == [(3, 3), (4, 4), (3, 5), (2, 4)]


TIGHT = """
name = "tight"
title = "A map for this test"
rows = ["ooo", "ooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true },
        { name = "B", square = [2, 1], grape = "orange", start = true }]
border = [{ square = [0, 0], edge = "N", kind = "city" }, { square = [0, 0], edge = "W", kind = "city" }]
"""


def test_the_start_tile_goes_where_it_fits(tmp_path):
    """The tile D fits only on one of the two start squares. Checks that it lies there in every game, and the drawn tile
    on the other.
    """
    config = carc_env.GameConfig(sheet=written(tmp_path, TIGHT))
    tiles = {tile for seed in range(8) for tile in check_starts(carc_env.Game(config, seed=seed))}
    assert len(tiles) > 2  # drawn at random


def check_starts(game):
    """Check that D lies on the start square in the south-east and that no tile is lost. Return the tiles on the start
    squares.
    """
    starts = game.record()["starts"]
    assert [start[0] for start in starts if start[1:3] == [2, 1]] == ["D"]
    assert len(starts) == 2 and len(game.deck) == 70
    return [start[0] for start in starts]


CORNER = """
name = "corner"
title = "A large city in a corner, open to the east alone"
rows = ["Cooooooo", "oooooooo", "oooooooo", "oooooooo", "oooooooo", "oooooooo", "oooooooo", "oooooooo", "oooooooo"]
town = [{ name = "A", square = [7, 0], grape = "purple", start = true },
        { name = "B", square = [7, 8], grape = "orange", start = true }]
large_city = [{ name = "L", squares = [{ square = [0, 0], edges = "FCFF", pennants = 0 }] }]
"""


@pytest.mark.parametrize(("rule", "south"), [("any_edge", False), ("open_edges_only", True)])
def test_chips_beside_a_large_city(tmp_path, rule, south):
    """Checks that chips lie nowhere beside a large city, or, with the rule `open_edges_only`, only beside its closed
    edges.
    """
    sheet = written(tmp_path, CORNER)
    config = carc_env.GameConfig(boxes=("base", "map_chips"), sheet=sheet, chip_large_city_rule=rule)
    chips = [chip[:2] for seed in range(3) for chip in carc_env.Game(config, seed=seed).record()["chips"]]
    assert [1, 0] not in chips and ([0, 1] in chips) == south


@pytest.mark.skipif(modes.NAME != "uncompiled", reason="compiled code cannot be watched")
def test_chips_are_laid_by_chance_then_thriftily_then_for_certain(monkeypatch):
    """Checks that the first two ways of choosing squares get 20 tries each before the third way is used."""
    tries = []
    for name in ("choose_squares", "choose_thriftily"):
        monkeypatch.setattr(map_chips, name, lambda *_, name=name: tries.append(name) or 0)
    carc_env.Game("france", seed=0)
    assert tries == ["choose_squares"] * 20 + ["choose_thriftily"] * 20


# --- sheets in configurations and records -----------------------------------------------------------------------------
TABLES_OF_SHEET = ("path", "path object", "table", "text")


@pytest.mark.parametrize("way", TABLES_OF_SHEET)
def test_every_way_to_give_a_sheet_gives_the_same_configuration(tmp_path, way):
    path = written(tmp_path, SHEET)
    given = {
        "path": path,
        "path object": Path(path),
        "table": toml.loads(SHEET),
        "text": carc_env.GameConfig(sheet=path).sheet,
    }[way]
    config = carc_env.GameConfig(sheet=given)
    assert config == carc_env.GameConfig(sheet=path) and hash(config) == hash(carc_env.GameConfig(sheet=path))
    assert read_sheet(config.sheet) == read_sheet(path)
    assert config.to_dict()["sheet"] == toml.loads(SHEET)
    assert dataclasses.replace(config, players=3).sheet == config.sheet
    assert carc_env.GameConfig(**json.loads(json.dumps(dataclasses.asdict(config)))) == config
    copied = tmp_path / "configuration.toml"
    copied.write_text(config.to_toml())
    assert carc_env.GameConfig.from_toml(copied) == config == carc_env.GameConfig.from_dict(config.to_dict())


def test_a_record_on_an_own_sheet_needs_no_file(tmp_path):
    path = written(tmp_path, SHEET)
    game = carc_env.Game(carc_env.GameConfig(sheet=path), deck=["U", "E", "V"], seed=1)
    data, record, position = game.to_bytes(), json.loads(json.dumps(game.record())), game.position()
    Path(path).unlink()
    assert carc_env.replay(record) == game == carc_env.Game.from_bytes(data)
    assert carc_env.Game.from_position(position, 1).position() == position


def test_an_edited_sheet_is_read_again(tmp_path):
    path = written(tmp_path, SHEET)
    before = carc_env.GameConfig(sheet=path)
    written(tmp_path, changed(("My sheet", "My other sheet"), ('"E", kind = "road"', '"N", kind = "city"')))
    after = carc_env.GameConfig(sheet=path)
    assert (read_sheet(before.sheet).title, read_sheet(after.sheet).title) == ("My sheet", "My other sheet")
    assert carc_env.Game(before, seed=1).record()["config"]["sheet"]["border"][0]["kind"] == "road"
    assert carc_env.Game(after, seed=1).record()["config"]["sheet"]["border"][0]["kind"] == "city"


def test_the_path_of_a_sheet_is_seen_from_the_configuration_file(tmp_path, monkeypatch):
    (tmp_path / "maps").mkdir()
    (tmp_path / "elsewhere").mkdir()
    written(tmp_path / "maps", SHEET)
    (tmp_path / "mine.toml").write_text('sheet = "maps/mine.toml"')
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_sheet(carc_env.GameConfig.from_toml("../mine.toml").sheet).name == "mine"
    (tmp_path / "mine.toml").write_text('sheet = "maps/other.toml"')
    with pytest.raises(carc_env.ConfigError, match="maps/other.toml cannot be read"):
        carc_env.GameConfig.from_toml("../mine.toml")


@pytest.mark.parametrize(
    "sheet",
    [
        {},
        {"name": "x"},
        {"name": None},
        {"rows": [None]},
        "\n",
        "x\n",
        "a" * 5000 + ".toml",
        "\0.toml",
        ["france"],
        True,
        1.5,
        b"france",
    ],
)
def test_something_else_than_a_sheet(sheet):
    with pytest.raises(carc_env.ConfigError, match="^sheet"):
        carc_env.GameConfig(sheet=sheet)
