"""Tests of the game drawn as text."""

import re

import pytest

import carc_env
from carc_env.boxes.tiles import BUILDINGS
from carc_env.games.game import Figure, Placed
from carc_env.render import ansi
from carc_env.render.ansi import KEY, SIGN_LETTERS, _bare_tile, _tile
from carc_env.render.facts import drawn_tiles, edges_of
from carc_env.render.pieces import ALL_SIGNS, SIGNS
from carc_env.systems import SYSTEMS
from tests.render.helpers import scenery, small_game

SMALL = r"""        0      1
     ..*...#
  -1 ..Mm1##
     ..###$1
     ..###.........
   0 --------m0\...
     $1........|...

> 0 Red       0 points  0 ingots  6 meeple
  1 Blue      0 points  0 ingots  6 meeple
Red: place tile K (tiles left: 1; 14 ingots in the supply)
"""


def tile_text(tile: str, rotation: int = 0) -> list[str]:
    return ["".join(letter for letter, _ in row) for row in _bare_tile(tile, rotation)]


def test_small_board_as_text():
    assert ansi(small_game()) == SMALL + KEY + "\n"


def test_colours_add_only_escape_codes_and_save_the_players_number():
    coloured = ansi(small_game(), colour=True)
    assert "\033[" in coloured and "\033[" not in ansi(small_game())
    plain = re.sub(r"\033\[[\d;]*m", "", coloured)
    assert "m0" not in plain and "m" in plain
    board = SMALL.replace("m1", "m#").replace("-m0", "--m").splitlines()[:7]
    assert plain.splitlines()[:7] == board


@pytest.mark.parametrize(
    "tile, rotation, text",
    [
        ("D", 0, ["..###..", "-------", "......."]),
        ("D", 90, ["...|..#", "...|.##", "...|..#"]),
        ("P", 0, ["#####..", "###/---", "#..|..."]),
        ("L", 180, ["...|...", "---+---", "..###.."]),
        ("GM5", 0, ["...|...", "---/---", "..*|..."]),
        ("GM8", 0, ["...|...", "---=---", "*..|..."]),
        ("A", 90, [".......", "---M...", "......."]),
        ("C", 0, ["###!###", "#######", "#######"]),
        ("FE2", 0, [".......", "--~~~--", "...|..."]),
        ("abbey", 90, [":::::::", ":::A:::", ":::::::"]),
        ("RU1", 270, [".......", "...H...", "......."]),
        ("GC2", 0, ["..###.........", ".....[K]..+...", "..........|..."]),
        ("GC2", 270, [".......", "...+---", "..[K]..", "#......", "##.....", "#......"]),
    ],
)
def test_tiles_as_text(tile, rotation, text):
    assert tile_text(tile, rotation) == text


def around(rows: list[str]) -> str:
    """Return the characters in the middle of the outer edges, clockwise from the north-west."""
    east_to_west, south_to_north = range(len(rows[0]) - 4, 0, -7), range(len(rows) - 2, 0, -3)
    return "".join(
        [
            *(rows[0][i] for i in reversed(east_to_west)),
            *(rows[i][-1] for i in reversed(south_to_north)),
            *(rows[-1][i] for i in east_to_west),
            *(rows[i][0] for i in south_to_north),
        ]
    )


@pytest.mark.parametrize("tile", drawn_tiles())
def test_edges_of_every_tile_as_text(tile):
    terrain = edges_of(tile)
    for rotation, further in zip((0, 90, 180, 270), (0, 1, 2, 3) if len(terrain) == 4 else (0, 1, 3, 4)):
        for place, letter in enumerate(around(tile_text(tile, rotation))):
            expected = {"C": "#!*wgcC?", "R": "|-", "F": ".MG*i?", "-": ":"}[terrain[(place - further) % len(terrain)]]
            assert letter in expected, (rotation, place)


def test_ingots_and_figures_are_written_on_their_tiles():
    placed = Placed("U", 0, 0, 0, 2, (Figure("meeple", 1, "road", "E"), Figure("pig", 0, "field", "Es")))
    rows = ["".join(letter for letter, _ in row) for row in _tile(placed, colour=False)]
    assert "m1" in rows[1] and "p0" in rows[2] and any("$2" in row for row in rows)


def test_the_end_is_announced():
    game = carc_env.Game("base", deck=["V"])
    game.play("V@1,0/0")
    game.play("meeple road S")
    assert "Game over: Red wins (tiles left: 0)" in ansi(game)
    assert "ingots" not in ansi(game).replace(KEY, "")


TABLE = r"""        0      1      2      3      4
     .............##......$2.......##m0#
  -1 ............@1##.....---+.[K]m1.###
     ..m0@0.......##...................#
     ..###...........###$1...|...##m0###
   0 ---------~\~----~-~--...+...###D###
     .........m1......|.....[K]m1#######
     :::::::................B0......|...
   1 :m0A:::_m1L....a0L......+...-m0X---
     :::::::..........|......|......|...
     ..###.....|..........
   2 .m1S...-m0T---.m1H...
     ..........|..........

> 0 Red      12 points  1 ingot  2 castles  1 abbey  castle tiles GC1 GC6  3 meeple
  1 Blue      7 points  2 ingots  3 castles  0 abbey  castle tiles none  5 meeple
Red: place figure (tiles left: 20; 9 ingots in the supply)
"""


def test_a_table_with_everything_as_text():
    """The table has a castle with its lord, a castle whose lord has left, ferries, a lying follower, and double tiles
    in both directions.
    """
    drawn, key, more = ansi(scenery()).partition(KEY)
    assert drawn == TABLE and key
    assert [len(line) < 120 for line in more.splitlines()] == [True] * 3
    said = {sign.key for sign in ALL_SIGNS.values()} | {system.lying_key for system in SYSTEMS} | {"_m lies in it"}
    assert all(word in more for word in said - {"z bazaar"}) and "z bazaar" not in more
    plain = re.sub(r"\033\[[\d;]*m", "", ansi(scenery(), colour=True))
    assert "@#" in plain and "@1" not in plain and "_m" in plain and "_m1" not in plain


def test_only_what_lies_on_the_table_is_in_the_key():
    assert ansi(small_game()).endswith(KEY + "\n")
    lord = Figure("meeple", 0, "castle", "castle")
    assert ansi(scenery(placed=[Placed("GC1", 0, 0, 0, 0, (lord,))], castles=[], ferries=[])).endswith(
        KEY + "\n[K] German castle\n"
    )
    assert ansi(
        scenery(placed=[Placed("D", 0, 0, 0, 0, ()), Placed("BB6", 0, 1, 0, 0, ())], castles=[], ferries=[])
    ).endswith(KEY + "\nz bazaar\n")


def test_every_sign_has_a_letter_of_its_own():
    """Crop circles are an exception: they have no letter of their own."""
    assert set(SIGN_LETTERS) == {sign for sign in SIGNS if not sign.startswith("crop circle")} >= set(BUILDINGS)
    assert len(set(SIGN_LETTERS.values())) == len(SIGN_LETTERS)


def test_tiles_that_may_be_placed_without_being_drawn_are_named():
    assert "Red: place german castle GC1 GC6 (tiles left: 20; 9 ingots in the supply)" in ansi(
        scenery(phase=carc_env.Phase.PLACE_GERMAN_CASTLE)
    )
    assert "Red: place abbey (tiles left: 20; 9 ingots in the supply)" in ansi(
        scenery(phase=carc_env.Phase.PLACE_ABBEY)
    )
