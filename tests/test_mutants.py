"""The script that plants faults: what it plants is Python, a draw can be repeated, and the list of known ones is true."""

import json

import pytest

from tests import mutants


@pytest.fixture(scope="module")
def everything():
    """All faults that can be planted."""
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


def test_known_ones_can_be_planted_and_say_why_they_change_nothing(everything):
    keys = {mutant.key for mutant in everything}
    for key, why in mutants.equal_ones().items():
        assert key in keys and why.endswith("."), key


def test_results_of_other_code_are_not_gone_on_with(tmp_path):
    file, result = tmp_path / "results.jsonl", {"mutant": "one", "stage": "examples", "noticed": True}
    assert mutants.results_in(file) == []
    for code, expected in ((mutants.source_hash(), [result]), ("other", [])):
        file.write_text("\n".join(map(json.dumps, [{"code": code}, result])))
        assert mutants.results_in(file) == expected
