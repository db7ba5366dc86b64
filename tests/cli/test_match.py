"""Tests of matches and of `carc match`: each bot begins once with each deck, results add up, and illegal actions lose
games.
"""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext, suppress
from types import SimpleNamespace

import numpy as np
import pytest

import carc_env
from carc_env.arena import crew, match, sequential
from carc_env.arena.match import interval95, play_match
from carc_env.bots import Bot, make
from carc_env.bots.random import RandomBot
from carc_env.boxes.actions import N_ACTIONS
from carc_env.common.errors import ArgumentError
from tests.modes import nightly
from tests.processes import is_running

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
# The configuration of the games: whole games, or short games if the rules run uncompiled. Their decks are long enough
# for chance to matter.
GAME = carc_env.GameConfig(boxes=("goldmines",), tiles_only=("ferries",)) if UNCOMPILED else carc_env.preset("base")
PAIRS = 2 if UNCOMPILED else 3
KEYS = [
    "a",
    "b",
    "preset",
    "pairs",
    "win_rate_a",
    "ci95",
    "points_a",
    "points_b",
    "margin",
    "margin_ci95",
    "illegal",
    "seconds_per_move_a",
    "seconds_per_move_b",
    "agent_a",
    "agent_b",
    "until",
    "better",
    "margin_anytime_ci95",
    "players",
    "faults",
]


class First(Bot):
    """Always plays the first legal action. Keeps the deck and its own seat at the beginning of every game."""

    name = "first"

    def __init__(self):
        self.begun = []

    def choose_batch(self, games):
        for record in games.records:
            if record["n_moves"] <= 3:
                self.begun.append((tuple(record["deck"][: record["n_deck"]]), int(record["player"])))
        masks = games.legal_mask()
        return np.where(masks.any(1), masks.argmax(1), -1)


class Last(First):
    """Plays the last legal action."""

    def choose_batch(self, games):
        masks = games.legal_mask()
        return np.where(masks.any(1), masks.shape[1] - 1 - masks[:, ::-1].argmax(1), -1)


class Cheat(First):
    """Plays legal actions until a game has more than 10 moves, and then returns `wrong`: an illegal action, or -1 for
    none.
    """

    name = "cheat"

    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def choose_batch(self, games):
        return np.where(games.records["n_moves"] > 10, self.wrong, super().choose_batch(games))


def without_times(result):
    return dataclasses.replace(result, seconds_per_move_a=0, seconds_per_move_b=0)


def test_both_bots_begin_once_on_every_deck():
    a, b = First(), First()
    play_match(a, b, "base", pairs=3, seed=5)
    decks = {tuple(carc_env.Games("base", 1, [seed]).records[0]["deck"][:71]) for seed in (5, 6, 7)}
    for bot in (a, b):
        assert {deck for deck, _ in bot.begun} == decks
        for deck in decks:
            assert {seat for known, seat in bot.begun if known == deck} == {0, 1}


def test_equal_bots_without_chance_split_every_pair():
    result = play_match(First(), First(), GAME, pairs=4)
    assert (result.win_rate_a, result.margin, result.illegal) == (0.5, 0.0, 0)
    assert result.points_a == result.points_b > 0
    assert result.ci95[0] < 0.5 < result.ci95[1]


@pytest.mark.parametrize("players", [3, 4])
def test_bots_sit_in_turn_at_a_larger_table(players):
    """Over the two games of a pair, both bots have the same number of seats. The results equal those of games that are
    played one by one.
    """
    config, a, b = carc_env.GameConfig(boxes=("goldmines",), players=players), First(), Last()
    alike = play_match(a, a, config, pairs=4)
    assert (alike.win_rate_a, alike.margin) == (pytest.approx(0.5), pytest.approx(0.0))
    result, won, points = play_match(a, b, config, pairs=3, seed=2), [], []
    for seed in (2, 3, 4):
        for begins in (0, 1):
            games, sides = carc_env.Games(config, 1, [seed]), [(seat + begins) % 2 for seat in range(players)]
            while not games.is_over[0]:
                bot = (a, b)[sides[games.players[0]]]
                games.step(bot.choose_batch(games))
            scores = games.scores[0].tolist()
            first = [side for side, score in zip(sides, scores) if score == max(scores)]
            won.append(first.count(0) / len(first))
            points.append([np.mean([score for s, score in zip(sides, scores) if s == side]) for side in (0, 1)])
    assert result.players == players and result.win_rate_a == pytest.approx(np.mean(won))
    assert (result.points_a, result.points_b) == pytest.approx(np.mean(points, 0))


def test_random_bots_of_one_match_do_not_play_alike():
    result = play_match("random", "random", GAME, pairs=6)
    assert result.margin != 0 and result.margin_ci95[0] < result.margin < result.margin_ci95[1]


def test_figures_agree_with_games_played_one_by_one():
    result, a, b = (
        play_match("random", "random", GAME, pairs=2, seed=3),
        *(make("random", match.own_seed(3, side)) for side in (0, 1)),
    )
    points, wins = [], []
    for first, second in ((a, b), (b, a)):
        for seed in (3, 4):
            game = carc_env.Game(GAME, seed=seed)
            while not game.is_over:
                game.play((first, second)[game.player].choose(game))
            own, other = game.scores if first is a else game.scores[::-1]
            points.append((own, other))
            wins.append((own > other) + (own == other) / 2)
    assert result.win_rate_a == np.mean(wins)
    assert (result.points_a, result.points_b) == tuple(np.mean(points, axis=0))
    assert result.margin == pytest.approx(result.points_a - result.points_b)


def test_the_chunks_do_not_matter(monkeypatch):
    whole = play_match("random", "random", GAME, pairs=5, seed=1)
    monkeypatch.setattr(match, "CHUNK", 2)
    monkeypatch.setattr(match, "PATIENCE", 1e9)
    told = []
    chunked = play_match("random", "random", GAME, pairs=5, seed=1, progress=told.append)
    assert without_times(chunked) == without_times(whole)
    assert [result.pairs for result in told] == [1, 3, 5] and told[-1] == chunked


@pytest.mark.parametrize(
    ("seconds", "sizes"),
    [
        (lambda pairs: 0.01 * pairs, [1, 2, 4, 8, 16, 32, 64, 64, 64]),
        (lambda pairs: 0.1 * pairs, [1, 2, 4, 8, 16, 8, 16, 8]),  # 16 pairs take more than a second
        (lambda pairs: 60.0 * pairs, [1, 2, 1, 1, 1]),
        (lambda pairs: 1.7, [1, 2, 4, 8, 16, 32, 64, 64, 64]),  # like a large network on a GPU
        (lambda pairs: max(2.0, 0.25 * pairs), [1, 2, 4, 8, 16, 8, 8, 8]),  # like a GPU that 8 pairs keep busy
    ],
)
def test_chunks_grow_as_long_as_it_pays(monkeypatch, seconds, sizes):
    now = 0.0
    monkeypatch.setattr(match, "time", SimpleNamespace(perf_counter=lambda: now))
    found = []
    for seeds in match.chunks(5, sum(sizes)):
        assert seeds.start == 5 + sum(found)
        found.append(len(seeds))
        now += seconds(len(seeds))
    assert found == sizes


@pytest.mark.parametrize("wrong", [-1, N_ACTIONS, 10**12, N_ACTIONS - 3])
def test_an_answer_that_is_not_legal_loses_the_game(wrong):
    result = play_match("random", Cheat(wrong), "base", pairs=3)
    assert (result.win_rate_a, result.illegal) == (1.0, 6)
    assert result.faults == (6 if wrong == -1 else 0)  # -1: no action
    assert str(result).endswith("; all games were forfeited, and the points are those scored before")
    assert play_match(Cheat(wrong), "random", "base", pairs=3).win_rate_a == 0.0


def test_answers_of_a_wrong_shape_are_an_error():
    class Mute(First):
        name = "mute"

        def choose_batch(self, games):
            return super().choose_batch(games)[:0]

    with pytest.raises(ValueError, match=r"bot mute: 1 games need 1 actions, not an array of shape \(0,\)"):
        play_match(Mute(), "random", "base", pairs=1)


def test_a_bot_that_spoils_its_games_spoils_only_its_copies():
    class Vandal(RandomBot):
        def choose_batch(self, games):
            answers = super().choose_batch(games)
            games.records["players"]["score"] = 1000
            return answers

    assert play_match(Vandal(1), Vandal(2), GAME, pairs=2).points_a < 500


@pytest.mark.parametrize(
    ("config", "pairs", "seed", "words"),
    [
        ("gold", 1, 0, "unknown preset 'gold'"),
        *(("base", pairs, 0, "pairs = .*: should be an int from 1 up") for pairs in (0, -1, 1.0, "2", None, True)),
        *(("base", 2, seed, "should be an integer from 0 to") for seed in (2**64 - 1, -1, 0.0, "0", None)),
    ],
)
def test_matches_that_cannot_be(config, pairs, seed, words):
    with pytest.raises(ValueError, match=words) as error:
        play_match("random", "random", config, pairs, seed)
    assert type(error.value).__module__.startswith("carc_env")


def test_slow_bots_are_asked_for_few_games_at_a_time(monkeypatch):
    """With few games at a time, progress is reported and games are recorded every few seconds."""
    monkeypatch.setattr(match, "PATIENCE", 0.0)
    monkeypatch.setattr(match, "CHEAPER", 0.0)
    told = []
    play_match("random", "random", GAME, pairs=4, progress=told.append)
    assert [result.pairs for result in told] == [1, 2, 3, 4]


# --- the user's own bots ----------------------------------------------------------------------------------------------
def first(game):
    """Return the first legal action."""
    return game.legal_actions()[0]


class Chooser(Bot):
    """A bot that plays the first legal action, one game at a time."""

    def choose(self, game):
        return first(game)


@pytest.mark.parametrize("bot", [first, Chooser, Chooser()], ids=["function", "class", "bot"])
def test_choosing_for_one_game_is_enough(bot):
    games, expected = [], []
    result = play_match(bot, "random", GAME, pairs=2, record=games.append)
    known = play_match(First(), "random", GAME, pairs=2, record=expected.append)
    names = [game.pop("names")[::-1] for game in expected], [game.pop("names")[::-1] for game in games]
    assert names[0][0] == ["random", "first"] and names[1][0] == ["random", result.a]
    assert games == expected and result.a == ("first" if bot is first else "Chooser")
    assert (result.win_rate_a, result.points_a, result.illegal) == (known.win_rate_a, known.points_a, 0)


@pytest.mark.parametrize("answer", [None, 3.0, "pass", True, 10**30, float("nan"), [3]])
def test_an_answer_that_is_no_action_loses_its_game_only(answer):
    def slips(game):
        return answer if game.player == 0 and len(game.moves) > 6 else first(game)

    games = []
    result = play_match(slips, "random", "base", pairs=2, record=games.append)
    assert result.illegal == 2 and result.win_rate_a <= 0.5
    whole = [carc_env.replay(game).is_over for game in games]
    assert whole == [False, True, False, True]  # bot A begins every other game
    assert [game.get("forfeit") for game in games] == [0, None, 0, None]
    assert [game["names"] for game in games] == [["slips", "random"], ["random", "slips"]] * 2
    assert str(result).endswith("; 2 of 4 games were forfeited, and their points are those scored before")


def test_a_fault_within_a_bot_is_not_hidden():
    def broken(game):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        play_match(broken, "random", GAME, pairs=1)


def test_the_result_says_which_agent_plays():
    result = play_match("ppo", "ppo:carcassonne-quick", GAME, pairs=1)
    agent = "base-quick"
    assert (result.a, result.agent_a) == ("ppo", agent)
    assert (result.b, result.agent_b) == ("ppo:carcassonne-quick", "carcassonne-quick")
    assert str(result).startswith(f"ppo ({agent}) wins ") and " against ppo:carcassonne-quick (95 %" in str(result)
    assert (result.to_dict()["agent_a"], play_match("random", "random", GAME, pairs=1).agent_a) == (agent, None)


# --- records ----------------------------------------------------------------------------------------------------------
def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("preset", ["goldmines", "carcassonne"])
def test_every_game_is_recorded_in_the_order_of_pairs(preset, tmp_path):
    path, pairs = tmp_path / "games.jsonl", 1 if UNCOMPILED else 2
    result = play_match("random", Chooser(), preset, pairs=pairs, seed=6, record=path)
    records = lines(path)
    assert [record["seed"] for record in records] == [6, 6, 7, 7][: 2 * pairs]
    a, b = make("random", match.own_seed(6, 0)), Chooser()
    for number, record in enumerate(records):
        game, by_hand = carc_env.replay(record), carc_env.Game(preset, seed=record["seed"])
        while not by_hand.is_over:
            by_hand.play((a, b)[by_hand.player ^ number % 2].choose(by_hand))
        assert game == by_hand
    own = [record["scores"][number % 2] for number, record in enumerate(records)]
    assert result.points_a == np.mean(own)


def test_records_are_added_to_a_file(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text('{"half a')  # a line that a killed process left
    for seed in (1, 2):
        play_match("random", "random", GAME, pairs=1, seed=seed, record=str(path))
    half, *records = path.read_text().splitlines()
    assert half == '{"half a' and [json.loads(record)["seed"] for record in records] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (3, "not 3"),
        (True, "not True"),
        (["x"], "not"),
        (".", "Is a directory"),
        ("none/x.jsonl", "No such file"),
        ("a\0b", "null byte"),
    ],
)
def test_records_that_cannot_be_written(record, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []

    def never(game):
        asked.append(game)
        return first(game)

    with pytest.raises(carc_env.RecordError, match=reason):
        play_match(never, "random", GAME, pairs=1, record=record)
    assert len(asked) <= 1  # the error comes before the match begins
    assert not list(tmp_path.iterdir())


def test_workers_play_the_same_games():
    told = {1: [], 2: []}
    results = [play_match("random", Chooser(), GAME, pairs=3, seed=4, record=told[n].append, workers=n) for n in told]
    assert told[1] == told[2] and without_times(results[0]) == without_times(results[1])


def test_what_cannot_be_sent_to_workers():
    with pytest.raises(carc_env.BotError, match="cannot be sent to other processes: .*; give it as '<module>:<Class>'"):
        play_match(lambda game: first(game), "random", GAME, pairs=2, workers=2)
    with pytest.raises(carc_env.CountError, match="workers = 0: should be an int from 1 up"):
        play_match("random", "random", GAME, pairs=2, workers=0)


def test_intervals():
    assert interval95([0.5] * 1000)[0] > 0.49
    low, high = interval95([1.0, 0.0] * 200)
    assert (low + high) / 2 == pytest.approx(0.5) and high - low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.02)
    assert interval95([1.0] * 10)[0] > 0.6 and interval95([1.0] * 10)[1] == 1.0
    assert interval95([0.0] * 10)[0] == 0.0
    low, high = interval95([1.0])
    assert low < 0.3 and high == 1.0


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    for truth in (0.5, 0.9, 0.98):
        held = [
            low <= truth <= high
            for low, high in (interval95(list(rng.binomial(2, truth, 100) / 2)) for _ in range(400))
        ]
        assert 0.92 <= np.mean(held) <= 0.995


def test_one_pair_has_no_interval_of_the_margin():
    assert play_match("random", "random", GAME, pairs=1).margin_ci95 is None


# --- the sequential test ----------------------------------------------------------------------------------------------
def stops(draw, error, most=400):
    """Return the number of pairs after which the test stops, and its result. `draw` draws the random margins."""
    margins = draw(most)
    for pairs in range(sequential.LOOK, most + 1, sequential.LOOK):
        if found := sequential.better(margins[:pairs], error):
            return pairs, found
    return most, None


EQUAL = {  # margins of pairs between players of equal strength
    "normal": lambda rng, n: rng.normal(0, 15, n),
    "wild": lambda rng, n: 5 * rng.standard_t(2, n),
    "mostly draws": lambda rng, n: rng.choice([-1.0, 0, 0, 0, 0, 1], n),
}


@pytest.mark.parametrize("kind", EQUAL)
def test_equal_players_are_seldom_told_apart_at_any_of_a_hundred_looks(kind):
    rng = np.random.default_rng(1)
    for error in (0.05, 0.2):
        alarms = [stops(lambda n: EQUAL[kind](rng, n), error)[1] is not None for _ in range(300)]
        assert np.mean(alarms) <= error


def test_a_difference_is_found_before_the_number_of_pairs_that_would_have_been_fixed():
    """The mean margin is half a standard deviation. With a fixed number of pairs, a test with a power of 95 % takes 52
    pairs. The sequential test takes fewer pairs on average.
    """
    rng = np.random.default_rng(2)
    taken, found = zip(*(stops(lambda n: rng.normal(7.5, 15, n), 0.05) for _ in range(200)))
    assert np.mean(taken) < 52 and set(found) == {"a"}
    taken, found = zip(*(stops(lambda n: rng.normal(-15, 15, n), 0.05) for _ in range(200)))
    assert np.mean(taken) < 26 and set(found) == {"b"}


def test_the_interval_holds_the_margin_at_all_looks():
    rng, held = np.random.default_rng(3), []
    for _ in range(60):
        margins = rng.normal(6, 15, 200)
        found = [sequential.interval(margins[:pairs], 0.1) for pairs in range(4, 201, 4)]
        assert found[0] is None and found[-1] is not None
        held.append(all(ends is None or ends[0] <= 6 <= ends[1] for ends in found))
    assert np.mean(held) >= 0.9


def test_who_forfeits_more_games_than_it_wins_is_not_the_better_one():
    ahead = [15.0, 12.0] * 10
    assert sequential.better(ahead, 0.05) == sequential.better_bot(ahead, [0.0] * 20, 0, 0.05) == "a"
    assert sequential.better_bot(ahead, [0.0] * 20, 40, 0.05) is None
    assert sequential.better_bot(ahead, [0.9] * 20, 2, 0.05) == "a"
    assert sequential.better_bot([-one for one in ahead], [0.1] * 20, 2, 0.05) == "b"
    assert sequential.better_bot([], [], 0, 0.05) is None


def test_an_undecided_test_has_an_interval_with_0():
    """The first eight margins are 0 and the other margins are large. The test therefore rejects means near 0, but not 0
    itself.
    """
    margins = [0.0] * 8 + [9.0, 7, 8, 9, 8, 3, 12, 12, 14, 15, 1, 14, 14, 5, 13, 15]
    assert sequential.better(margins, 0.05) is None
    low, high = sequential.interval(margins, 0.05)
    assert low == 0.0 and high > 12


def test_few_pairs_decide_nothing():
    assert sequential.better([100.0] * 7, 0.4) is None and sequential.interval([100.0] * 7, 0.4) is None
    assert sequential.better([0.0] * 500, 0.05) is None
    assert sequential.better([0.0] * 8 + [1.0] * 20, 0.05) == "a"


class Known:
    """Replaces `play_chunk` and plays no game. The margin of a pair is the entry of `margins` at the pair's seed."""

    def __init__(self, margins):
        self.margins = margins

    def __call__(self, bots, config, seeds, is_recorded):
        margins = [self.margins[seed] for seed in seeds]
        return match.Tally([float(np.sign(margin) / 2 + 0.5) for margin in margins], margins)


def test_a_match_ends_when_the_test_decides(monkeypatch):
    monkeypatch.setattr(match, "play_chunk", Known([4.0, 6.0] * 100))
    monkeypatch.setattr(match, "PATIENCE", 0.0)  # slow bots play the same number of pairs
    told = []
    result = play_match("random", "random", GAME, 200, progress=told.append, until=0.05)
    assert (result.pairs, result.better, result.until) == (12, "a", 0.05) and result.margin_anytime_ci95[0] > 0
    assert [(one.pairs, one.better) for one in told] == [(4, None), (8, None), (12, "a")]
    open_one = play_match("random", "random", GAME, 10, until=0.05)
    assert (open_one.pairs, open_one.better) == (10, None)
    whole = play_match("random", "random", GAME, 20)
    assert (whole.pairs, whole.until, whole.better, whole.margin_anytime_ci95) == (20, None, None, None)


def test_workers_decide_after_the_same_pairs():
    told = {1: [], 2: []}
    results = [
        play_match(Chooser(), First(), GAME, 10, seed=4, record=told[n].append, workers=n, until=0.9) for n in told
    ]
    assert told[1] == told[2] and without_times(results[0]) == without_times(results[1])


@pytest.mark.parametrize("backend", ["loky", nightly("dask")])
def test_a_crew_plays_the_same_games(backend, tmp_path):
    """The processes of joblib and two Dask workers play the same games as this process. Any function can be sent to
    them.
    """
    pytest.importorskip("joblib")

    def second(game):
        return game.legal_actions()[-1]

    told, expected = [], []
    alone = play_match("random", second, GAME, 5, seed=4, record=expected.append)
    if backend == "loky":
        cluster, address = nullcontext(), None
    else:
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
        )
        address = cluster.scheduler_address
    with cluster:
        result = play_match(
            "random", second, GAME, 5, seed=4, record=told.append, workers=2, backend=backend, address=address
        )
    assert told == expected and without_times(result) == without_times(alone)


def test_who_cannot_be_asked_to_play(carc, monkeypatch):
    words = ("match", "random", "random", "--preset", "base", "--pairs", 1)
    for more in (("--backend", "dask"), ("--address", "tcp://x:1"), ("--backend", "loky", "--address", "x")):
        wrong = carc(*words, *more)
        assert wrong.status == 2 and "--backend dask and --backend ray need --address" in wrong.complaint
    with pytest.raises(carc_env.ConfigError, match="backend = 'slurm': the known backends are loky, dask, ray"):
        play_match("random", "random", GAME, 1, backend="slurm")
    monkeypatch.setattr(crew.importlib.util, "find_spec", lambda name: None)
    wrong = carc(*words, "--backend", "loky")
    assert wrong.status == 1 and "needs joblib" in wrong.complaint


@pytest.mark.parametrize("until", [0, 1, 1.5, -0.1, "0.05", True, float("nan")])
def test_errors_of_a_test_that_cannot_be(until):
    with pytest.raises(ArgumentError, match="until = .*: should be the largest acceptable probability of a wrong"):
        play_match("random", "random", GAME, 2, until=until)


def test_the_command_says_what_the_test_found(carc, monkeypatch):
    monkeypatch.setattr(match, "play_chunk", Known([-4.0, -6.0] * 500))
    outcome = carc("match", "random", "greedy", "--preset", "base", "--until", 0.05)
    assert outcome.status == 0 and ", 12 pairs on base" in outcome.out
    assert re.search(
        r"sequential test  greedy is better after 12 pairs; margin -\S+ to -\S+, probability of error 0.05", outcome.out
    )
    monkeypatch.setattr(match, "play_chunk", Known([-4.0, 4.0] * 500))
    outcome = carc("match", "random", "greedy", "--preset", "base", "--until", 0.05, "--json").json
    assert (outcome["pairs"], outcome["better"], outcome["until"]) == (1000, None, 0.05)
    assert outcome["margin_anytime_ci95"][0] < 0 < outcome["margin_anytime_ci95"][1]
    wrong = carc("match", "random", "greedy", "--until", 5)
    assert wrong.status == 2 and "'5' should be a number between 0 and 1, such as 0.05" in wrong.complaint


# --- the command -----------------------------------------------------------------------------------------------------
def test_json_is_one_object_with_the_known_keys(carc):
    figures = carc("match", "random", "random", "--preset", "base", "--pairs", PAIRS, "--seed", 4, "--json").json
    assert list(figures) == KEYS
    assert (figures["a"], figures["b"], figures["preset"], figures["pairs"]) == ("random", "random", "base", PAIRS)
    again = carc("match", "random", "random", "--preset", "base", "--pairs", PAIRS, "--seed", 4, "--json").json
    times = {"seconds_per_move_a", "seconds_per_move_b"}
    assert {key: figures[key] for key in KEYS if key not in times} == {
        key: again[key] for key in KEYS if key not in times
    }
    assert all(figures[key] > 0 for key in times)


def test_the_table_for_people(carc):
    outcome = carc("match", "random", "random", "--pairs", PAIRS)
    assert outcome.status == 0 and outcome.err == ""
    assert f"{PAIRS} pairs on goldmines" in outcome.out and "forfeits         none" in outcome.out


def test_a_file_says_what_is_played(carc, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('boxes = ["base", "goldmines", "abbot"]\nmeeples = 3')
    words = ("match", "random", "random", "--preset", path, "--pairs", 1)
    assert carc(*words, "--json").json["preset"] == str(path)
    path.write_text("players = 3")
    assert "1 pairs on" in (told := carc(*words).out) and ", 3 players" in told
    assert carc(*words, "--players", 2, "--json").json["players"] == 2
    for players in (1, 7):
        assert f"players = {players}: should be from 2 to 5" in carc(*words, "--players", players).complaint


def test_greedy_beats_random(carc, tmp_path):
    path = tmp_path / "game.toml"
    path.write_text(GAME.to_toml())
    figures = carc("match", "greedy", "random", "--preset", path, "--pairs", 2 if UNCOMPILED else 20, "--json").json
    assert figures["win_rate_a"] == 1.0 and figures["points_a"] > figures["points_b"] + 20 * (not UNCOMPILED)
    assert figures["illegal"] == 0 and json.dumps(figures)


def test_own_bots_and_records_on_the_command_line(carc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    name = f"bots_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text("def last(game):\n    return game.legal_actions()[-1]\n")
    outcome = carc(
        "match", f"{name}:last", "random", "--preset", "goldmines", "--pairs", 1, "--record", "my games.jsonl", "--json"
    )
    assert (outcome.status, outcome.json["a"]) == (0, "last")
    assert outcome.complaint == "carc: the games are in my games.jsonl; replay them with `carc replay 'my games.jsonl'`"
    assert [game["over"] for game in carc("replay", "my games.jsonl", "--json").json["games"]] == [True, True]
    wrong = carc("match", f"{name}:lost", "random")
    assert (wrong.status, wrong.complaint) == (2, f"carc: bot '{name}:lost': the module {name} has no lost")
    wrong = carc("match", "random", "random", "--record", tmp_path, "--pairs", 1)
    assert (wrong.status, wrong.complaint) == (1, f"carc: {tmp_path}: Is a directory")


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_whole_games(workers, carc_process, tmp_path):
    """All processes receive SIGINT at once, as from a terminal."""
    path, game = tmp_path / "games.jsonl", tmp_path / "game.toml"
    game.write_text(GAME.to_toml())
    process = carc_process(
        "match",
        "random",
        "random",
        "--preset",
        game,
        "--pairs",
        10**6,
        "--record",
        path,
        "--workers",
        workers,
        start_new_session=True,
    )
    until = time.monotonic() + 300
    while time.monotonic() < until and not (path.exists() and path.stat().st_size):
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "carc: interrupted after " in err and "Traceback" not in err
    assert len(lines(path)) > 0 and all(carc_env.replay(record).is_over for record in lines(path)[:4])
    assert (" pairs on " in out) == (f"the games are in {path}" in err)


PONDERING = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("carc"):
        print("ready", flush=True)
    if line.startswith("go"):
        with open(sys.argv[1], "a") as file:
            print(os.getpid(), file=file)
        time.sleep(600)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_programs_that_think(workers, carc_process, tmp_path):
    """The programs have process groups of their own, so no signal of the terminal reaches them."""
    (tmp_path / "pondering.py").write_text(PONDERING)
    (tmp_path / "game.toml").write_text(GAME.to_toml())
    bot = f"cmd:{sys.executable} {tmp_path / 'pondering.py'} {tmp_path / 'pids'}"
    words = ("match", bot, "random", "--preset", tmp_path / "game.toml", "--pairs", 2 * workers, "--workers", workers)
    process, until = carc_process(*words, start_new_session=True), time.monotonic() + 300
    while sum(map(is_running, noted(tmp_path / "pids"))) < workers:
        assert time.monotonic() < until
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=300)
    while any(map(is_running, noted(tmp_path / "pids"))):
        assert time.monotonic() < until
        time.sleep(0.05)


def noted(path):
    """Return the process ids in a file, without an unfinished last line. A program writes a line whenever it has to
    choose an action. A program that exceeds its time limit is started again, and writes another line.
    """
    return [int(line) for line in path.read_text().splitlines(True) if line.endswith("\n")] if path.exists() else []


class Interrupted(Bot):
    """Interrupts its own process while it chooses an action."""

    def choose(self, game):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)


def test_ctrl_c_ends_what_a_process_plays_and_not_its_answer():
    """Ctrl-C interrupts the job of a process, but not the sending of its result. If a process ended while it sends a
    result, the other processes would wait forever for the rest.
    """
    sides = match.Sides(Interrupted(), "random", GAME, 1, False)
    with crew.processes(1) as pool:
        with crew.ctrl_c_held():
            process = pool.submit(os.getpid)
        os.kill(process.result(), signal.SIGINT)  # as if the process were still starting
        for _ in range(2):
            assert isinstance(
                pool.submit(crew.interruptible, match.play_by_crew, sides, range(1)).exception(), KeyboardInterrupt
            )
        os.kill(process.result(), signal.SIGINT)
        assert pool.submit(os.getpid).result() == process.result()


def test_jobs_that_nobody_needs_any_more_end():
    """A match that is decided or stopped by Ctrl-C ends the games that have begun. It does not wait for them."""
    began, results = time.monotonic(), crew.in_processes(time.sleep, [(0,), *[(600,)] * 5], 2)
    next(results)
    results.close()
    assert time.monotonic() - began < 300


@pytest.mark.parametrize("backend", [None, "loky"])
def test_a_slow_job_holds_back_no_other(backend):
    """A slow job does not delay the results of other jobs. Otherwise, shards that are played but not yet written would
    be lost when the command is stopped.
    """
    if backend:
        pytest.importorskip("joblib")
    jobs = [(40,), *[(0,)] * 9]
    results = crew.as_done(time.sleep, jobs, 2, backend, None)
    first = [next(results)[0] for _ in range(3)]
    assert 0 not in first
    results.close()


@pytest.mark.parametrize(("workers", "backend"), [(1, None), (2, None), (2, "loky")])
def test_each_job_is_done_once(workers, backend):
    if backend:
        pytest.importorskip("joblib")
    done = list(crew.as_done(abs, [(-k,) for k in range(9)], workers, backend, None))
    assert sorted(done) == [(k, k) for k in range(9)]


class Swallowing(Bot):
    """Loses the first interrupt, as can happen inside LLVM."""

    def choose(self, game):
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        time.sleep(600)


def test_an_interrupt_that_was_lost_comes_again():
    sides = match.Sides(Swallowing(), "random", GAME, 1, False)
    began = time.monotonic()
    with crew.processes(1) as pool:
        job = pool.submit(crew.interruptible, match.play_by_crew, sides, range(1))
        while not job.running():
            time.sleep(0.05)
    assert isinstance(job.exception(), KeyboardInterrupt) and time.monotonic() - began < 300


def test_ctrl_c_is_held():
    """Ctrl-C is delayed until the end of the `with` block, even if a thread other than the main thread receives it."""
    done = []
    with pytest.raises(KeyboardInterrupt), crew.ctrl_c_held():
        os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=signal.pthread_sigmask, args=(signal.SIG_UNBLOCK, {signal.SIGINT})).start()
        time.sleep(0.1)
        done.append("all")
    assert done


WAITING = """
import os, time
from carc_env.arena.crew import processes

if __name__ == "__main__":
    with processes(2) as pool:
        pool.submit(time.sleep, 1000)
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(1000)
"""


def test_processes_end_with_the_one_that_began_them(tmp_path):
    """When the parent process is killed, one of its two processes is working and the other is idle. Both hold the
    parent's standard output open, so the output ends only after both have ended.
    """
    script = tmp_path / "waiting.py"
    script.write_text(WAITING)
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    assert int(process.stdout.readline()) != process.pid
    process.kill()
    assert process.communicate(timeout=100)[0] == b""


def test_progress_is_a_line_now_and_then(carc, tmp_path, monkeypatch):
    path = tmp_path / "game.toml"
    path.write_text(GAME.to_toml())
    monkeypatch.setattr("carc_env.common.progress.EVERY", 0.0)
    outcome = carc("match", "random", "random", "--preset", path, "--pairs", 3)
    assert (
        outcome.err.splitlines()[0] == "carc: 0 of 3 pairs" and "carc: 3 of 3 pairs, " in outcome.err.splitlines()[-1]
    )
    monkeypatch.setattr("carc_env.common.progress.EVERY", 1e9)
    assert carc("match", "random", "random", "--preset", path, "--pairs", 3).err == ""


def test_progress_is_a_bar_on_a_terminal(carc, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    path = tmp_path / "game.toml"
    path.write_text(GAME.to_toml())
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then treats any output as a terminal
    outcome = carc("match", "random", "random", "--preset", path, "--pairs", 3)
    assert "3/3" in outcome.err and "carc:" not in outcome.err and "\x1b" not in outcome.out
