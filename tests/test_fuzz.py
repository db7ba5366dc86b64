"""Tries a sample of the fuzzer's inputs, and checks that the fuzzer finds the faults that it looks for."""

import argparse
import sys
import time
from pathlib import Path

import pytest

from carc_env import DeckError, Game
from carc_env.compiling import jit
from tests import fuzz

SECONDS = 4 if jit.is_compiled() else 8  # time for the whole sample
SOME = 1200 if jit.is_compiled() else 60  # the most inputs of each kind
FIRST = 2000  # number of the first input; from here on, no input needs rules that are not compiled yet
ANSWERS = None if jit.is_compiled() else 3  # the most actions of a game; None: play to its end


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_a_sample_of_inputs(kind, tmp_path):
    """Checks that each input gives one clear error or a game that plays to its end."""
    outcomes, until = set(), time.monotonic() + SECONDS / len(fuzz.KINDS)
    for number in range(FIRST, FIRST + SOME):
        outcomes.add(fuzz.try_input(f"{kind}:{number}", tmp_path, ANSWERS))
        if time.monotonic() > until and len(outcomes) == 2:
            break
    assert len(outcomes) == 2, "some inputs are refused, others are not"


def test_all_kinds_take_turns_and_an_input_is_always_the_same(tmp_path):
    assert {fuzz.input_of(number).split(":")[0] for number in range(100)} == set(fuzz.KINDS)
    for number in range(40, 40 + len(fuzz.KINDS)):
        name = fuzz.input_of(number)
        assert fuzz.try_input(name, tmp_path, 2) == fuzz.try_input(name, tmp_path, 2)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TypeError("oops"), "TypeError instead of an error of carc_env"),
        (ValueError("oops"), "ValueError instead of an error of carc_env"),
        (MemoryError(), "MemoryError instead of an error of carc_env"),
    ],
)
def test_any_other_error_is_found(monkeypatch, tmp_path, error, words):
    def broken(rng, folder):
        raise error

    monkeypatch.setitem(fuzz.KINDS, "deck", broken)
    with pytest.raises(fuzz.Finding, match=words):
        fuzz.try_input("deck:1", tmp_path)


@pytest.mark.parametrize("text", ["", "two\nlines", "\x1b[31m"])
def test_an_error_that_is_not_one_clear_line_is_found(text):
    error = DeckError("x")
    error.args = (text,)
    with pytest.raises(fuzz.Finding, match="is not one clear line"):
        fuzz.check_error(error)


def test_a_game_that_breaks_a_law_is_found(monkeypatch, tmp_path):
    def made(rng, folder):
        game = Game("base", deck=["U", "V"])
        game._games["players"]["score"][0, 0] += 1
        return game

    monkeypatch.setitem(fuzz.KINDS, "deck", made)
    with pytest.raises(fuzz.Finding, match="the sources of points do not add up"):
        fuzz.try_input("deck:1", tmp_path, 0)


BROKEN = """
import os, sys, time
from tests import fuzz

def broken(rng, folder):
    {}

fuzz.KINDS.update(dict.fromkeys(fuzz.KINDS, broken))
sys.exit(fuzz.main())
"""


@pytest.mark.parametrize(
    ("line", "patience", "words"),
    [
        ("os.abort()", 100, "the process ended with status -6"),
        ("time.sleep(1000)", 2, "no end in 2 s, nor, once more, in 3 s"),
        ("time.sleep(1000 if '--chunk' in sys.argv else 0)", 2, "no end in 2 s, nor, once more, in 3 s"),
        ("raise KeyError('oops')", 100, "KeyError instead of an error of carc_env"),
    ],
)
def test_the_end_of_a_process_is_told_with_its_input(tmp_path, monkeypatch, capsys, line, patience, words):
    (tmp_path / "broken.py").write_text(BROKEN.format(line))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # the process starts faster
    monkeypatch.setattr(fuzz, "PROGRAM", (sys.executable, str(tmp_path / "broken.py")))
    monkeypatch.setattr(fuzz, "AGAIN", 1.5)
    asked = argparse.Namespace(inputs=3, seed=5, workers=1, patience=patience)
    assert fuzz.report(asked) == 1
    told = capsys.readouterr().out
    assert words in told and told.endswith(f"FOUND: python -m tests.fuzz --only {fuzz.input_of(5 * 10**9)}\n")


def test_an_input_may_take_long_once(tmp_path, monkeypatch):
    slow = "time.sleep(4 if '--chunk' in sys.argv and not (folder / 'tried').exists() else 0)"
    (tmp_path / "slow.py").write_text(BROKEN.format(f"{slow}; (folder / 'tried').touch()"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(fuzz, "PROGRAM", (sys.executable, str(tmp_path / "slow.py")))
    monkeypatch.setattr(fuzz, "AGAIN", 60)
    assert fuzz.run(5 * 10**9, 3, 1, 2) == []


def test_that_nothing_was_found_is_told(monkeypatch, capsys):
    monkeypatch.setattr(fuzz, "run", lambda *asked: [])
    assert fuzz.report(argparse.Namespace(inputs=3, seed=5, workers=1, patience=9)) == 0
    assert capsys.readouterr().out == "3 inputs: each gave one clear error or a game that plays to its end\n"
