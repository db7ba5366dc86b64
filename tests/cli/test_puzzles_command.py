"""`carc puzzles`: those that come with the package, and a search that can be stopped and goes on."""

import json
import signal

import pytest

import carc_env
from carc_env.arena.puzzles import shipped


def test_the_shipped_ones_as_json(carc):
    outcome = carc("puzzles", "--shipped", "--json")
    assert outcome.status == 0 and outcome.err == ""
    assert len(outcome.json) == len(shipped()) >= 60
    for found in outcome.json:
        assert isinstance(found["position"], str) and found["preset"] in carc_env.setup.config.presets()
        (best, gain, error), *others = found["answers"]
        assert isinstance(best, str) and (gain, error) == (0, 0) and others
        assert all(isinstance(text, str) and points <= -4 and -points >= 3 * wide for text, points, wide in others)


def test_the_shipped_ones_for_people(carc):
    outcome = carc("puzzles", "--shipped")
    assert outcome.status == 0 and outcome.out.count("\npuzzle ") + 1 == len(shipped())
    assert "best" in outcome.out and "(greedy)" in outcome.out and "difficulty" in outcome.out


def test_a_search_is_stopped_and_goes_on(carc_process, carc, tmp_path):
    words = ("puzzles", "--preset", "base", "--games", 2, "--last", 3, "--seed", 11, "--out", tmp_path / "found.jsonl")
    process = carc_process(*words, "--players", "random")
    while not (tmp_path / "found.jsonl").exists():
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if process.returncode:  # it may have been done just then
        assert process.returncode == 130 and "the same command continues" in err and not out
    outcome = carc(*words, "--players", "random", "--json")
    assert outcome.status == 0 and isinstance(outcome.json, list)
    lines = (tmp_path / "found.jsonl").read_text().splitlines()
    assert [json.loads(line)["game"] for line in lines] == [
        f"base, 2 players, random, seed {seed}, last 3" for seed in (11, 12)
    ]
    assert f"{len(outcome.json)} puzzles from 2 games" in outcome.err


@pytest.mark.parametrize(
    "words, why",
    [
        (("--shipped", "games.jsonl"), "--shipped searches no games"),
        (("--shipped", "--preset", "gold"), "no puzzle for gold; there are puzzles for base, "),
        (("games.jsonl", "--preset", "base"), "--preset cannot be used with files of games"),
        (("games.jsonl", "--games", 3), "--games cannot be used with files of games"),
        (("--players", "nobody"), "unknown bot 'nobody'"),
        (("--preset", "nothing"), "unknown preset 'nothing'"),
        (("--wanted", 0), "should be a whole number from 1 up"),
    ],
)
def test_wrong_words_are_told_in_one_line(carc, words, why):
    outcome = carc("puzzles", *words)
    assert outcome.status == 2 and why in outcome.complaint
