"""Tests of the script that plants faults: each fault is valid Python, a draw can be repeated, and the list of faults
that change nothing is correct.
"""

import json

import pytest

from tests import mutants


@pytest.fixture(scope="module")
def everything():
    """Return all faults that can be planted."""
    return [mutant for path in mutants.files() for mutant in mutants.mutants_of(path)]


def test_what_is_planted_is_another_program(everything):
    for mutant in everything[::7]:
        sound = (mutants.ROOT / mutant.file).read_bytes()
        planted = sound[: mutant.start] + mutant.text.encode() + sound[mutant.end :]
        compile(planted, mutant.file, "exec")
        assert planted != sound and mutant.before != mutant.after


def test_every_kind_of_fault_is_there(everything):
    found = {(mutant.before, mutant.after) for mutant in everything if mutant.function == "random_below"}
    line = "return random_word(chance) * n >> 32"
    assert found == {
        (line, "return (random_word(chance) * n << 32)"),
        (line, "return (random_word(chance) + n) >> 32"),
        (line, "return random_word(chance) * n >> 33"),
    }
    changed = {mutant.after for mutant in everything}
    assert {"pass", "n += 2", "n -= 1"} <= changed


def test_a_draw_can_be_repeated_and_gone_on_with():
    assert mutants.drawn(0, 20) == mutants.drawn(0, 300)[:20] != mutants.drawn(1, 20)


def test_an_edit_elsewhere_keeps_the_draw(everything, monkeypatch):
    draw, edited = mutants.drawn(0, 300), everything[0].file
    others = [path for path in mutants.files() if path.relative_to(mutants.ROOT).as_posix() != edited]
    monkeypatch.setattr(mutants, "files", lambda: others)
    kept = [mutant for mutant in draw if mutant.file != edited]
    assert len(kept) < len(draw) and mutants.drawn(0, len(kept)) == kept
    assert len({mutant.place_in_draw(0) for mutant in everything}) == len(everything)


def test_known_ones_can_be_planted_and_say_why_they_change_nothing(everything):
    keys = {mutant.key for mutant in everything}
    for key, why in mutants.equal_ones().items():
        assert key in keys and why.endswith("."), key


def test_results_hold_until_their_file_is_edited(tmp_path):
    file = tmp_path / "results.jsonl"
    assert mutants.results_in(file) == []
    rules = "carc_env/rules/turn.py"
    noticed, missed = (
        {"mutant": f"{rules}:1: a -> {after}", "code": mutants.code_hash(rules), "noticed": after == "b"}
        for after in "bc"
    )
    file.write_text("\n".join(map(json.dumps, [noticed, missed, noticed | {"code": "of another file"}])))
    assert mutants.results_in(file) == [noticed, missed]
    assert mutants.results_in(file, again=True) == [noticed]


def test_the_tests_that_call_the_function_of_a_fault_are_run_quick_ones_first(everything):
    fault = next(mutant for mutant in everything if mutant.function == "random_below")
    name = f"{fault.file}:random_below"
    calls = {"": [0, []], "slow": [2, [name]], "other": [1, ["carc_env/rules/turn.py:step"]], "quick": [1, [name]]}
    assert mutants.who_calls(calls, fault) == ["quick", "slow"]
    assert mutants.who_calls(calls | {"": [0, [name]]}, fault) == ["other", "quick", "slow"]
