"""The game as text."""

import re

import carc_env
import pytest
from carc_env import boxes
from carc_env.game import Figure, Placed
from carc_env.render import ansi
from carc_env.render.ansi import KEY, _bare_tile, _tile
from tests.render.helpers import small_game

SMALL = r"""        0      1
     ..*...#
  -1 ..m1###
     ..###$1
     ..###.........
   0 --------m0\...
     $1........|...

> 0 Red       0 points  0 ingots  6 meeple
  1 Blue      0 points  0 ingots  6 meeple
Red: place tile K (tiles left: 1)
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
    board = SMALL.replace("m1", "m.").replace("-m0", "--m").splitlines()[:7]
    assert plain.splitlines()[:7] == board


@pytest.mark.parametrize("tile, rotation, text", [
    ("D", 0, ["..###..", "-------", "......."]),
    ("D", 90, ["...|..#", "...|.##", "...|..#"]),
    ("P", 0, ["#####..", "###/---", "#..|..."]),
    ("L", 180, ["...|...", "---+---", "..###.."]),
    ("GM5", 0, ["...|...", "---/---", "..*|..."]),
    ("GM8", 0, ["...|...", "---=---", "*..|..."]),
    ("A", 90, [".......", "---M...", "......."]),
    ("C", 0, ["###!###", "#######", "#######"]),
])
def test_tiles_as_text(tile, rotation, text):
    assert tile_text(tile, rotation) == text


@pytest.mark.parametrize("kind", boxes.tile_kinds(), ids=lambda kind: kind.id)
def test_edges_of_every_tile_as_text(kind):
    for rotation in (0, 90, 180, 270):
        rows = tile_text(kind.id, rotation)
        edges = rows[0][3], rows[1][6], rows[2][3], rows[1][0]
        for side, letter in enumerate(edges):
            terrain = kind.edges[(side - rotation // 90) % 4]
            assert letter in {"C": "#!*wgcC?", "R": "|-", "F": ".MG*i?"}[terrain], (rotation, side)


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
