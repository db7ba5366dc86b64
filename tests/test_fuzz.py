"""A sample of the fuzzer's inputs, and the fuzzer itself: what it looks for, it finds."""

import os
import subprocess
import sys
import time

import pytest
from carc_env import DeckError, Game, jit

from tests import fuzz, fuzz_inputs

SECONDS = 12 if jit.is_compiled() else 8  # for the sample
SOME = 1200 if jit.is_compiled() else 60  # inputs of it
ANSWERS = None if jit.is_compiled() else 3  # how far a game is played: to its end


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_a_sample_of_inputs(kind, tmp_path):
    """Each gives one clear error or a game that plays to its end."""
    outcomes, until = set(), time.monotonic() + SECONDS / len(fuzz.KINDS)
    for number in range(SOME):
        outcomes.add(fuzz.try_input(f"{kind}:{number}", tmp_path, ANSWERS))
        if time.monotonic() > until:
            break
    assert len(outcomes) == 2, "some inputs are refused, others are not"


def test_all_kinds_take_turns_and_an_input_is_always_the_same(tmp_path):
    assert {fuzz.input_of(number).split(":")[0] for number in range(100)} == set(fuzz.KINDS)
    for number in range(40, 40 + len(fuzz.KINDS)):
        name = fuzz.input_of(number)
        assert fuzz.try_input(name, tmp_path, 2) == fuzz.try_input(name, tmp_path, 2)


@pytest.mark.parametrize(("error", "words"), [
    (TypeError("oops"), "TypeError instead of an error of carc_env"),
    (ValueError("oops"), "ValueError instead of an error of carc_env"),
    (MemoryError(), "MemoryError instead of an error of carc_env"),
])
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

fuzz.KINDS = {{"deck": broken}}
fuzz.Worker.__init__.__globals__["KINDS"] = fuzz.KINDS
sys.exit(fuzz.main())
"""


@pytest.mark.skipif(not jit.is_compiled(), reason="how processes are watched does not depend on the compiler")
@pytest.mark.parametrize(("line", "words"), [
    ("os.abort()", "the process ended with status -6"),
    ("os._exit(7)", "the process ended with status 7"),
    ("time.sleep(1000)", "no end in 1 s"),
    ("raise KeyError('oops')", "KeyError instead of an error of carc_env"),
])
def test_the_end_of_a_process_is_told_with_its_input(tmp_path, monkeypatch, line, words):
    module = tmp_path / "broken.py"
    module.write_text(BROKEN.format(line))
    program = f"import sys; sys.argv[0] = {str(module)!r}; exec(open(sys.argv[0]).read())"
    monkeypatch.setattr(fuzz, "PROGRAM", [sys.executable, "-c", program])
    found = fuzz.run(5 * 10**9, 3, 1, patience=1)
    assert [finding["input"].split(":")[1] for finding in found][:1] == [str(5 * 10**9)] and words in found[0]["what"]


def test_the_command_says_that_nothing_was_found():
    done = subprocess.run([sys.executable, "-m", "tests.fuzz", "--inputs", "16", "--workers", "1"], capture_output=True, text=True,
                          env=os.environ)
    assert done.returncode == 0 and done.stdout == "16 inputs: each gave one clear error or a game that plays to its end\n"
    assert "16 inputs," in done.stderr and fuzz_inputs.KINDS
