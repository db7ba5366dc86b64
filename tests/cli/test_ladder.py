"""Tests of ladders: ratings, the file of results, which bots play each other, and `carc ladder`."""

import dataclasses
import itertools
import json
import xml.etree.ElementTree

import numpy as np
import pytest

import carc_env
from carc_env.arena import ladder, ratings
from carc_env.arena.ladder import play_ladder, seed_of
from carc_env.arena.ladder_file import Journal, Settings
from carc_env.arena.match import play_match
from carc_env.common.errors import ArgumentError, FileError
from carc_env.compiling import jit
from tests.modes import nightly

pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
THREE = ("random", "greedy", "ppo")


def without_times(found):
    standings = tuple(dataclasses.replace(one, seconds_per_move=0) for one in found.standings)
    return dataclasses.replace(found, standings=standings)


def lines(folder):
    return [json.loads(line) for line in (folder / "ladder.jsonl").read_text().splitlines()]


# --- ratings ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("reach", [1, 2, 7])
def test_strengths_are_those_of_choix(reach):
    """The strengths equal those of the library choix, if all bots or only near neighbours play each other."""
    choix = pytest.importorskip("choix")
    rng, n = np.random.default_rng(reach), 8
    near = np.abs(np.subtract.outer(range(n), range(n)))
    wins = np.where((near > 0) & (near <= reach), rng.integers(0, 60, (n, n)) / 2 + ratings.PRIOR, 0)
    assert ratings.log_strengths(wins) == pytest.approx(choix.ilsr_pairwise_dense(wins, tol=1e-10), abs=1e-4)


def test_many_tables_are_solved_at_once():
    rng = np.random.default_rng(0)
    tables = rng.integers(1, 9, (3, 5, 5)) * (1.0 - np.eye(5))
    assert ratings.log_strengths(tables) == pytest.approx(np.stack([ratings.log_strengths(one) for one in tables]))


def test_ratings_are_on_the_elo_scale():
    found, intervals = ratings.ratings({(0, 1): [0.75] * 1000}, 2, 1)
    assert found[0] == pytest.approx(400 * np.log10(3), abs=1) and found[1] == 0
    assert intervals[1].tolist() == [0, 0] and intervals[0, 0] <= found[0] <= intervals[0, 1]


def test_who_won_every_game_has_a_rating_and_an_interval():
    found, intervals = ratings.ratings({(0, 1): [1.0] * 10, (1, 2): [0.5] * 10}, 3, 1)
    assert 600 < found[0] < 700 and intervals[0, 0] < found[0] - 200 and found[2] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(
    ("truth", "pairs", "least"),
    [((0, 50, 100, 150), 60, 0.92), ((0, 100, 200, 400), 25, 0.88), ((0, 800), 50, 0.92), ((0, 0), 8, 0.92)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(truth, pairs, least, monkeypatch):
    """Checks that the 95 % intervals contain the true ratings about as often as they should. The share may be a little
    lower if a bot wins only one game in ten and there are only 25 pairs.
    """
    monkeypatch.setattr(ratings, "SAMPLES", 300)
    rng, held = np.random.default_rng(0), []
    for _ in range(100):
        results = {}
        for a, b in itertools.combinations(range(len(truth)), 2):
            chance = 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))
            results[a, b] = list(rng.binomial(2, chance, pairs) / 2)
        _, intervals = ratings.ratings(results, len(truth), 0)
        held += [low <= rating <= high for (low, high), rating in zip(intervals[1:], truth[1:])]
    assert np.mean(held) >= least


def test_who_is_connected():
    assert ratings.is_connected({(0, 1): [], (2, 1): []}, 3)
    assert not ratings.is_connected({(0, 1): [], (2, 3): []}, 4)


# --- playing ----------------------------------------------------------------------------------------------------------
def test_two_bots_play_a_match(tmp_path):
    found = play_ladder(["random", "greedy"], "base", 3, 5, folder=tmp_path)
    match = play_match("greedy", "random", "base", 3, seed_of(5, ("greedy", "random")))
    (played,) = found.played
    assert (played.a, played.pairs, played.win_rate_a, played.margin) == ("greedy", 3, 1.0, match.margin)
    assert (played.ci95, played.margin_ci95) == (match.ci95, match.margin_ci95)
    first, second = found.standings
    assert (first.bot, first.rating, first.games, first.wins) == ("greedy", 1000, 6, 6)
    assert (second.bot, second.games, second.wins, second.margin) == ("random", 6, 0, -match.margin)
    assert (
        second.rating < second.rating_ci95[1]
        and second.rating < 1000
        and first.seconds_per_move > 0
        and second.seconds_per_move > 0
    )


def test_each_two_bots_have_decks_of_their_own():
    seeds = [seed_of(seed, two) for seed in (0, 1) for two in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert min(abs(a - b) for a in seeds for b in seeds if a != b) > 10**9 and len(set(seeds)) == 6


def test_the_order_of_names_does_not_matter(tmp_path):
    found = [play_ladder(specs, "base", 2, folder=tmp_path / specs[0]) for specs in (THREE, THREE[::-1])]
    assert found[0].played == found[1].played
    assert [(one.bot, round(one.rating, 3)) for one in found[0].standings] == [
        (one.bot, round(one.rating, 3)) for one in found[1].standings
    ]


def interrupted(folder, after, **words):
    """Play a ladder, and interrupt it as soon as its file has more than `after` lines."""

    def stop(done, total):
        if len(lines(folder)) > after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_ladder(THREE, "base", 6, folder=folder, progress=stop, **words)


def test_a_ladder_goes_on_where_it_was_stopped(tmp_path):
    whole = play_ladder(THREE, "base", 6, folder=tmp_path / "whole")
    interrupted(tmp_path, 3)
    with (tmp_path / "ladder.jsonl").open("a") as file:
        file.write('{"a": "greedy", "b": "ran')  # a line that a killed process left
    told = []
    found = play_ladder(THREE, "base", 6, folder=tmp_path, progress=lambda *numbers: told.append(numbers))
    assert without_times(found) == without_times(whole)
    assert told == [(12, 18), (14, 18), (16, 18), (18, 18)] and len(lines(tmp_path)) == 7
    before = (tmp_path / "ladder.jsonl").read_bytes()
    assert play_ladder(THREE, "base", 6, folder=tmp_path) == found
    assert (tmp_path / "ladder.jsonl").read_bytes() == before


def test_a_ladder_grows_by_pairs_and_bots(tmp_path):
    play_ladder(THREE[:2], "base", 3, folder=tmp_path)
    found = play_ladder(THREE, "base", 5, folder=tmp_path)
    assert [(one["a"], one["b"], one["first"], len(one["wins"])) for one in lines(tmp_path)[1:]] == [
        ("greedy", "random", 0, 3),
        ("ppo", "random", 0, 4),
        ("greedy", "ppo", 0, 4),
        ("greedy", "random", 3, 1),
        ("greedy", "random", 4, 1),
        ("ppo", "random", 4, 1),
        ("greedy", "ppo", 4, 1),
    ]
    assert without_times(found) == without_times(play_ladder(THREE, "base", 5, folder=tmp_path / "at once"))
    assert {one.pairs for one in play_ladder(THREE[:2], "base", 2, folder=tmp_path).played} == {5}


@pytest.mark.long
@pytest.mark.parametrize("until", [nightly(None), 0.3])
def test_a_crew_makes_the_same_ladder(until, tmp_path):
    """The processes of joblib and those of carc_env play the same ladder. The tests of matches cover the other
    backends.
    """
    pytest.importorskip("joblib")
    found = [
        without_times(play_ladder(THREE, "base", 8, until=until, workers=2, backend=backend, folder=tmp_path / name))
        for backend, name in ((None, "own"), ("loky", "loky"))
    ]
    assert found[0] == found[1] and len(lines(tmp_path / "loky")) == len(lines(tmp_path / "own"))


def test_a_table_of_four(carc, tmp_path, monkeypatch):
    """A ladder of games for four players has its own folder, and its title names the number of players."""
    monkeypatch.chdir(tmp_path)
    words = ("ladder", "random", "greedy", "--preset", "base", "--pairs", 2)
    assert carc(*words, "--players", 4, "--json").json["players"] == 4
    folder = tmp_path / "runs" / "ladder" / "base-4"
    assert (folder / "ladder.md").read_text().startswith("# Ladder of base for 4 players\n")
    assert "choose another folder" in carc(*words, "--out", folder).complaint


@pytest.mark.parametrize("until", [None, nightly(0.3)])
def test_workers_make_the_same_ladder(until, tmp_path):
    found = [
        without_times(play_ladder(THREE, "base", 12, until=until, workers=n, folder=tmp_path / str(n))) for n in (1, 2)
    ]
    assert found[0] == found[1]
    assert found[0].played[1].pairs == (12 if until is None else 8)


def test_two_bots_meet_until_the_test_decides(tmp_path):
    found = play_ladder(["random", "greedy"], "base", 40, until=0.05, folder=tmp_path)
    assert [(one.a, one.pairs, one.better) for one in found.played] == [("greedy", 12, "a")]


def test_neighbours(tmp_path):
    specs = ["a", "b", "c", "d"]
    plan = ladder.Plan(tuple(specs), carc_env.preset("base"), 1, 0, None, 1)
    assert plan.twos() == [("a", "b"), ("b", "c"), ("c", "d")]
    assert dataclasses.replace(plan, neighbours=2).twos() == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    ]
    assert len(dataclasses.replace(plan, neighbours=None).twos()) == 6
    found = play_ladder(THREE, "base", 2, neighbours=1, folder=tmp_path)
    assert [(one.a, one.b) for one in found.played] == [("greedy", "ppo"), ("greedy", "random")]
    assert [one.games for one in sorted(found.standings, key=lambda one: one.bot)] == [8, 4, 4]


# --- errors -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("specs", "words", "told"),
    [
        (["greedy"], {}, "a ladder needs at least two bots, all different"),
        (["greedy", "random", "greedy"], {}, "a ladder needs at least two bots, all different"),
        (["greedy", lambda game: 0], {}, "a ladder needs the spec of each bot as a string"),
        (["greedy", "grredy"], {}, "unknown bot 'grredy'"),
        (THREE, {"backend": "slurm"}, "backend = 'slurm': the known backends are loky, dask, ray"),
        (THREE, {"config": "gold"}, "unknown preset 'gold'"),
        (THREE, {"pairs": 0}, "pairs = 0: should be an int from 1 up"),
        (THREE, {"neighbours": 0}, "neighbours = 0: should be an int from 1 up"),
        (THREE, {"workers": 0}, "workers = 0: should be an int from 1 up"),
        (THREE, {"seed": -1}, "should be an integer from 0 to"),
        (THREE, {"until": 2}, "until = 2: should be the largest acceptable probability of a wrong result"),
    ],
)
def test_ladders_that_cannot_be(specs, words, told, tmp_path):
    with pytest.raises(ValueError, match=told) as error:
        play_ladder(specs, folder=tmp_path / "new", **words)
    assert type(error.value).__module__.startswith("carc_env") and not (tmp_path / "new").exists()


def test_a_folder_belongs_to_its_settings(tmp_path):
    play_ladder(THREE[:2], "base", 1, folder=tmp_path)
    for config, seed, told in (
        ("goldmines", 0, "holds games of base with seed 0, not of goldmines with seed 0; choose another folder"),
        ("base", 1, "not of base with seed 1; choose another folder"),
    ):
        with pytest.raises(carc_env.ConfigError, match=told):
            play_ladder(THREE[:2], config, 1, seed, folder=tmp_path)
    with pytest.raises(
        carc_env.ConfigError, match="seed 0, whose configuration has changed since then; choose another folder"
    ):
        play_ladder(THREE[:2], carc_env.GameConfig(boxes=("base",), meeples=3), 1, folder=tmp_path, name="base")


def test_two_processes_do_not_play_one_ladder(tmp_path):
    with (
        Journal(tmp_path, Settings("base", "", 0)),
        pytest.raises(FileError, match="another process is playing this ladder"),
    ):
        Journal(tmp_path, Settings("base", "", 0))
    Journal(tmp_path, Settings("base", "", 0)).__exit__(None, None, None)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nothing", "line 2: the line is not JSON"),
        ("{}", "line 2 lacks the key 'a'"),
        ('{"wins": [1], "margins": []', "not JSON"),
        ('"points": [1]', "should have the same length"),
        ('"margins": ["1"]', "should contain only numbers"),
        ('"margins": [1, 2]', "should have the same length"),
        ('"first": "x"', "should be of type int"),
    ],
)
def test_files_that_do_not_hold(line, told, tmp_path):
    play_ladder(THREE[:2], "base", 1, folder=tmp_path)
    head, piece = lines(tmp_path)
    if line[0] == '"':
        line = json.dumps(piece | json.loads(f"{{{line}}}"))
    (tmp_path / "ladder.jsonl").write_text(f"{json.dumps(head)}\n{line}\n")
    with pytest.raises(FileError, match=told):
        play_ladder(THREE[:2], "base", 1, folder=tmp_path)
    (tmp_path / "ladder.jsonl").write_text(f"{json.dumps(head | {'ladder': 2})}\n")
    with pytest.raises(FileError, match="version 2 of the format, but this carc_env reads version 1"):
        play_ladder(THREE[:2], "base", 1, folder=tmp_path)


def test_bots_that_nothing_connects(tmp_path, monkeypatch):
    monkeypatch.setattr(ladder.Plan, "twos", lambda plan: [("greedy", "random")])
    with pytest.raises(ArgumentError, match="some of them are not connected by a chain of games"):
        play_ladder(THREE, "base", 1, folder=tmp_path)


# --- the command ------------------------------------------------------------------------------------------------------
def test_the_command(carc, tmp_path):
    words = ("ladder", *THREE, "--preset", "base", "--pairs", 2, "--out", tmp_path / "mine")
    outcome = carc(*words)
    head, *rows = outcome.out.splitlines()
    assert outcome.status == 0 and head.split() == [
        "rank",
        "bot",
        "rating",
        "95",
        "%",
        "games",
        "wins",
        "margin",
        "s",
        "a",
        "move",
    ]
    assert [row.split()[0] for row in rows] == ["1", "2", "3"] and rows[2].split()[1] == "random"
    assert outcome.complaint == f"carc: wrote ladder.json, ladder.md and ladder.svg to {tmp_path / 'mine'}"
    figures = carc(*words, "--json").json
    assert figures == json.loads((tmp_path / "mine" / "ladder.json").read_text())
    assert list(figures) == ["preset", "seed", "pairs", "until", "neighbours", "standings", "played", "players"]
    page = (tmp_path / "mine" / "ladder.md").read_text()
    assert "| 3 | random |" in page and "| greedy | random | 2 | 100.0% |" in page
    svg = xml.etree.ElementTree.parse(tmp_path / "mine" / "ladder.svg").getroot()
    assert [row.get("data-name") for row in svg if row.get("class") == "rating"] == [
        one["bot"] for one in figures["standings"]
    ]


def test_a_file_says_what_is_played(carc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(carc_env.GameConfig(boxes=("goldmines",), tiles_only=("ferries",)).to_toml())
    assert carc("ladder", "random", "greedy", "--preset", path, "--pairs", 1, "--json").json["preset"] == str(path)
    assert (tmp_path / "runs" / "ladder" / "small" / "ladder.jsonl").exists()


def test_ctrl_c_on_the_command_line(carc, tmp_path, monkeypatch):
    words = ("ladder", "random", "greedy", "--preset", "base", "--pairs", 8, "--out", tmp_path)
    play = ladder.play_by_crew

    def once(*job):
        if len(lines(tmp_path)) > 1:
            raise KeyboardInterrupt
        return play(*job)

    monkeypatch.setattr(ladder, "play_by_crew", once)
    outcome = carc(*words)
    assert (outcome.status, outcome.complaint) == (
        130,
        "carc: interrupted after 4 of 8 pairs; the same command continues the run",
    )
    monkeypatch.setattr(ladder, "play_by_crew", play)
    assert carc(*words).status == 0 and len(lines(tmp_path)) == 3


def test_wrong_words(carc, tmp_path):
    (tmp_path / "file").write_text("")
    for words, status, told in (
        (("greedy",), 2, "a ladder needs at least two bots, all different"),
        (("greedy", "random", "--until", "x"), 2, "'x' should be a number between 0 and 1"),
        (("greedy", "random", "--out", tmp_path / "file"), 1, f"{tmp_path / 'file'}"),
    ):
        outcome = carc("ladder", *words)
        assert outcome.status == status and told in outcome.complaint
