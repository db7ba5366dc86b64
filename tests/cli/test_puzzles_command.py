"""Tests of `carc puzzles`: the puzzles that come with the package, and a search that can be stopped and continued."""

import json
import signal
import time

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
    kept = tmp_path / "found.jsonl"
    words = ("puzzles", "--preset", "base", "--last", 3, "--seed", 11, "--players", "random", "--out", kept)
    process = carc_process(*words, "--games", 1000)
    while not kept.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command continues" in err and not out
    searched = kept.read_text().splitlines()
    outcome = carc(*words, "--games", len(searched) + 1, "--json")
    assert outcome.status == 0 and isinstance(outcome.json, list)
    lines = kept.read_text().splitlines()
    assert lines[:-1] == searched
    assert [json.loads(line)["game"] for line in lines] == [
        f"base, 2 players, random, seed {seed}, last 3" for seed in range(11, 11 + len(lines))
    ]
    assert f"{len(outcome.json)} puzzles from {len(lines)} games" in outcome.err


@pytest.mark.parametrize(
    "words, why",
    [
        (("--shipped", "games.jsonl"), "--shipped searches no games"),
        (("--shipped", "--preset", "gold"), "there is no puzzle for gold, only for base, "),
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
