"""Tests of the private features of numba that carc_env uses: without any of them, games are played just as well."""

import re
from pathlib import Path

import numpy as np
import pytest

import carc_env
from carc_env.compiling import jit, private
from tests.private import ROOT, TAKEN, start

needs_compiler = pytest.mark.skipif(not jit.is_compiled(), reason="the compiler is switched off")

# A chain of functions that stands in for the engine, with a part of a part, a function for rare games and a narrow
# integer.
CHAIN = """
import numpy as np
from carc_env.compiling.jit import jit, know_as_common

common = np.dtype((np.record, [("cells", "i1", (4,))]))
rare = np.dtype((np.record, [("cells", "i1", (4,)), ("castles", "i1")]))
know_as_common(common)

@jit(absent=7)
def castles(game, cell):
    return game.castles + game.cells[cell]

@jit
def twice(game, cell):
    return 2 * castles(game, cell)

@jit
def total(games):
    found = 0
    for k in range(len(games)):
        found += twice(games[k], games[k].cells[1])
    return found

games = np.zeros(3, rare)
games["cells"], games["castles"] = (3, 2, 100, 1), (1, 2, 3)
assert total(games) == sum(2 * (castles + 100) for castles in (1, 2, 3))
assert total(np.zeros(3, common)) == 3 * 2 * 7 and castles(np.zeros(1, common)[0], 0) == 7
assert castles(games[0], 0) == 1 + 3 and twice(games[0], np.int8(0)) == 2 * (1 + 3)
print(linking._works, cache.kept_nowhere())
"""
GAME = """
import carc_env, numpy as np
game, rng, answers = carc_env.Game(sys.argv[1], seed=3), np.random.default_rng(3), []
while not game.is_over:
    legal = game.legal_actions()
    answers.append(int(legal[rng.integers(len(legal))]))
    game.play(answers[-1])
print(*answers, *game.scores)
"""


def test_every_way_can_be_taken_away():
    assert list(TAKEN) == list(private.WAYS)


def test_only_the_table_names_what_numba_does_not_promise():
    """Checks that only private.py imports from `numba.core`, `numba.np` and `numba.cpython`, and that no module in
    `compiling` calls `eval` or `exec`.
    """
    for path in (ROOT / "carc_env").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert path.name == "private.py" or not re.search(
            r"^\s*(import|from) numba\.(core|np|cpython)", text, re.MULTILINE
        ), path
        assert path.parent.name != "compiling" or not re.search(r"\b(eval|exec)\(", text), path


@pytest.mark.long
@needs_compiler
@pytest.mark.parametrize("way", [*TAKEN, "any"])
def test_without_a_way_compiled_code_does_the_same(tmp_path, way):
    """Checks the process that compiles and the next process, and that the feature is really missing. With `any`, all
    features are missing.
    """
    taken = "\n".join(TAKEN.values()) if way == "any" else TAKEN[way]
    (tmp_path / "chain.py").write_text(CHAIN.partition("games = np.zeros")[0])
    program = f"sys.path.insert(0, {str(tmp_path)!r})\nfrom chain import *\ngames = np.zeros{CHAIN.partition('games = np.zeros')[2]}"
    for _ in range(2):
        done = start(program, tmp_path / "cache", taken)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        works, _, nowhere = done.stdout.strip().partition(" ")
        assert works != ("True" if way in ("parts", "any") else "False"), "None: it was loaded, and nothing tried"
        assert (nowhere != "None") == (way in ("cache", "names", "any"))


def played(preset: str) -> list[int]:
    """Play the game of `GAME` in this process. Return its actions and the scores."""
    game, rng, answers = carc_env.Game(preset, seed=3), np.random.default_rng(3), []
    while not game.is_over:
        legal = game.legal_actions()
        answers.append(int(legal[rng.integers(len(legal))]))
        game.play(answers[-1])
    return [*answers, *map(int, game.scores)]


@needs_compiler
@pytest.mark.stress  # compiles the rules without the private features
def test_without_any_way_a_game_is_played(tmp_path):
    done = start(GAME, tmp_path, "\n".join(TAKEN.values()), "base")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert [int(word) for word in done.stdout.split()] == played("base")
    assert not list(Path(tmp_path).rglob("*.nbc"))


@needs_compiler
@pytest.mark.stress
@pytest.mark.parametrize("preset", ["base", "carcassonne"])
@pytest.mark.parametrize("way", TAKEN)
def test_without_a_way_a_game_is_played(tmp_path, way, preset):
    done = start(GAME, tmp_path, TAKEN[way], preset)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert [int(word) for word in done.stdout.split()] == played(preset)
