"""Matches: both seats on each deck, figures that add up, illegal answers, `carc match`."""

import dataclasses
import json
import os

import carc_env
import numpy as np
import pytest
from carc_env import match
from carc_env.actions import N_ACTIONS
from carc_env.bots import Bot, make
from carc_env.bots.random import RandomBot
from carc_env.match import interval95, play_match

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
# What is played: whole games, or short ones where the engine runs uncompiled. All decks have more than enough tiles for chance.
GAME = carc_env.GameConfig(boxes=("goldmines",), tiles_only=("ferries",)) if UNCOMPILED else carc_env.preset("base")
PAIRS = 2 if UNCOMPILED else 3
KEYS = ["a", "b", "preset", "pairs", "win_rate_a", "ci95", "points_a", "points_b", "margin", "margin_ci95", "illegal",
        "seconds_per_move_a", "seconds_per_move_b"]


class First(Bot):
    """Always the first legal answer; keeps the first deck and seat of every game it is asked in."""

    name = "first"

    def __init__(self):
        self.begun = []

    def choose_batch(self, games):
        for record in games.records:
            if record["n_moves"] <= 3:
                self.begun.append((tuple(record["deck"][:record["n_deck"]]), int(record["player"])))
        masks = games.legal_mask()
        return np.where(masks.any(1), masks.argmax(1), -1)


class Cheat(First):
    """A legal answer until its third; then one that is not legal, or no answer at all."""

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


def test_random_bots_of_one_match_do_not_play_alike():
    result = play_match("random", "random", GAME, pairs=6)
    assert result.margin != 0 and result.margin_ci95[0] < result.margin < result.margin_ci95[1]


def test_figures_agree_with_games_played_one_by_one():
    result, a, b = play_match("random", "random", GAME, pairs=2, seed=3), *(
        make("random", match.own_seed(3, side)) for side in (0, 1))
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
    told = []
    chunked = play_match("random", "random", GAME, pairs=5, seed=1, progress=told.append)
    assert without_times(chunked) == without_times(whole)
    assert [result.pairs for result in told] == [2, 4, 5] and told[-1] == chunked


@pytest.mark.parametrize("wrong", [-1, N_ACTIONS, 10**12, N_ACTIONS - 3])
def test_an_answer_that_is_not_legal_loses_the_game(wrong):
    result = play_match("random", Cheat(wrong), "base", pairs=3)
    assert (result.win_rate_a, result.illegal) == (1.0, 6)
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


@pytest.mark.parametrize(("config", "pairs", "seed", "words"), [
    (carc_env.GameConfig(players=3), 1, 0, "players = 3: a match is between two bots"),
    ("gold", 1, 0, "unknown preset 'gold'"),
    ("base", 0, 0, "pairs = 0: at least one pair"),
    ("base", 2, 2**64 - 1, "should be an integer from 0 to"),
])
def test_matches_that_cannot_be(config, pairs, seed, words):
    with pytest.raises(ValueError, match=words):
        play_match("random", "random", config, pairs, seed)


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
        held = [low <= truth <= high for low, high in
                (interval95(list(rng.binomial(2, truth, 100) / 2)) for _ in range(400))]
        assert 0.92 <= np.mean(held) <= 0.995


def test_one_pair_has_no_interval_of_the_margin():
    assert play_match("random", "random", GAME, pairs=1).margin_ci95 is None


# --- the command -----------------------------------------------------------------------------------------------------
def test_json_is_one_object_with_the_known_keys(carc):
    figures = carc("match", "random", "random", "--preset", "base", "--pairs", PAIRS, "--seed", 4, "--json").json
    assert list(figures) == KEYS
    assert (figures["a"], figures["b"], figures["preset"], figures["pairs"]) == ("random", "random", "base", PAIRS)
    again = carc("match", "random", "random", "--preset", "base", "--pairs", PAIRS, "--seed", 4, "--json").json
    times = {"seconds_per_move_a", "seconds_per_move_b"}
    assert {key: figures[key] for key in KEYS if key not in times} == {key: again[key] for key in KEYS if key not in times}
    assert all(figures[key] > 0 for key in times)


def test_the_table_for_people(carc):
    outcome = carc("match", "random", "random", "--pairs", PAIRS)
    assert outcome.status == 0 and outcome.err == ""
    assert f"{PAIRS} pairs on goldmines" in outcome.out and "illegal answers  0" in outcome.out


def test_a_file_says_what_is_played(carc, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('boxes = ["base", "goldmines", "abbot"]\nmeeples = 3')
    assert carc("match", "random", "random", "--preset", path, "--pairs", 1, "--json").json["preset"] == str(path)
    path.write_text("players = 3")
    outcome = carc("match", "random", "random", "--preset", path)
    assert outcome.status == 2 and "players = 3: a match is between two bots" in outcome.complaint


def test_greedy_beats_random(carc, tmp_path):
    path = tmp_path / "game.toml"
    path.write_text(GAME.to_toml())
    figures = carc("match", "greedy", "random", "--preset", path, "--pairs", 2 if UNCOMPILED else 20, "--json").json
    assert figures["win_rate_a"] == 1.0 and figures["points_a"] > figures["points_b"] + 20 * (not UNCOMPILED)
    assert figures["illegal"] == 0 and json.dumps(figures)
