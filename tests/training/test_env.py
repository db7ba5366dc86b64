"""Tests of the games of a training run: rewards across the other players' turns, opponents inside the batch, and saved
states.
"""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecEnv

from carc_env.boxes.layout import N_COLUMNS
from carc_env.boxes.tiles import tile_table
from carc_env.compiling import jit
from carc_env.networks.candidates import Score
from carc_env.observing import encode
from carc_env.rules.state import MAX_PLAYERS
from carc_env.setup.config import GameConfig
from training.env import LearningRewards, greedy_rows, make_env
from training.opponents import Snapshot, chances

SHORT = GameConfig(boxes=("goldmines",))  # eight tiles
FEW = not jit.is_compiled()  # the engine is slow without the compiler
POOL = ["greedy", ("random", 1.0), ("random", 2.0)]


def make(n: int, config: GameConfig = SHORT, seed: int = 3, threads: int = 1) -> LearningRewards:
    return LearningRewards(make_env(config, n, 40, seed, POOL, threads, price=True), points=10.0, outcome=2.0)


def margins(env: VecEnv) -> np.ndarray:
    """Return the learner's margin in each game if the game ended now, computed from the scores of all players."""
    batch, out = env.get_attr("batch")[0], np.empty((env.num_envs, MAX_PLAYERS), np.int64)
    encode.provisional_scores(batch.games.records, tile_table(), out)
    found = []
    for scores, seat in zip(out[:, : batch.config.players].tolist(), batch.games.players):
        own = scores.pop(seat)
        found.append(own - max(scores))
    return np.array(found, float)


@pytest.mark.parametrize("players", [2, 3])
def test_the_rewards_of_a_game_add_up_to_its_margin_and_outcome(players):
    env = make(4, GameConfig(boxes=("goldmines",), players=players))
    obs, sums, ended = env.reset(), np.zeros(4), 0
    before = begun = margins(env)
    rng = np.random.default_rng(0)
    while ended < (3 if FEW else 8):
        obs, rewards, dones, infos = env.step(rng.integers(obs["action_mask"].sum(1)))
        sums += rewards
        now = margins(env)
        assert np.allclose(rewards[~dones], (now - before)[~dones] / 10, atol=1e-5)
        finished = env.take_finished()
        assert len(finished) == dones.sum()
        for i, game in zip(np.flatnonzero(dones), finished):
            assert sums[i] == pytest.approx((game.margin - begun[i]) / 10 + 2 * np.sign(game.margin), abs=1e-4)
            assert game.reward == pytest.approx(sums[i], abs=1e-4)
            assert game.result == np.sign(game.margin) / 2 + 0.5 and game.opponent in range(len(POOL))
        ended += len(finished)
        begun, sums, before = np.where(dones, now, begun), np.where(dones, 0, sums), now
    assert env.illegal == 0
    assert (obs["table"][:, 0] == now).all()


def test_the_same_player_may_be_asked_several_times_in_a_row():
    env = make(3 if FEW else 8)
    obs, alone = env.reset(), 0
    batch = env.get_attr("batch")[0]
    for _ in range(12):
        moves, seats = batch.games.records["n_moves"].copy(), batch.games.players.copy()
        obs, _, dones, _ = env.step(greedy_rows(obs))
        records = batch.games.records
        for i in np.flatnonzero(~dones):
            since = records["moves"][i]["player"][moves[i] : records["n_moves"][i]]
            alone += (since == seats[i]).all()
    assert alone > 0


def test_greedy_rows_are_the_answers_of_the_bot():
    from carc_env.bots import make as make_bot

    env = make(2 if FEW else 6)
    obs = env.reset()
    for _ in range(8):
        chosen = greedy_rows(obs)
        expected = make_bot("greedy").choose_batch(env.get_attr("batch")[0].games)
        assert (obs["candidate_actions"][np.arange(env.num_envs), chosen] == expected).all()
        obs, *_ = env.step(chosen)


def test_threads_and_states_change_nothing():
    def play(env, obs, steps):
        found = []
        for _ in range(steps):
            obs, rewards, dones, _ = env.step(np.minimum(2, obs["action_mask"].sum(1) - 1))
            found.append((*obs.values(), rewards, dones))
        return obs, found

    def equal(a, b):
        return all(
            np.array_equal(x, y) for left, right in zip(a, b, strict=True) for x, y in zip(left, right, strict=True)
        )

    n, steps = (16, 1) if FEW else (20, 6)  # two threads share no fewer than 16 games
    one, two = (make(n, seed=4, threads=threads) for threads in (1, 2))
    a, found_a = play(one, one.reset(), steps)
    _, found_b = play(two, two.reset(), steps)
    assert equal(found_a, found_b)
    arrays, rest = one.state()
    arrays = {key: array.copy() for key, array in arrays.items()}
    other = make(n, seed=99)
    other.reset()
    c = other.set_state(arrays, rest)
    assert all(np.array_equal(a[key], c[key]) for key in a)
    assert equal(play(one, a, steps)[1], play(other, c, steps)[1])
    assert one.answered == other.answered > 0


def test_a_snapshot_draws_by_the_probabilities_of_its_network():
    score = Score(8, 1, N_COLUMNS, 0.3)
    env = make(4)
    obs, games = env.reset(), env.get_attr("batch")[0].games
    snapshot, drawn = Snapshot(40, score), np.zeros((4, 40))
    many = 40 if FEW else 400
    for seed in range(many):
        answers = snapshot.choose_for(games, np.arange(4), np.full(4, seed, np.uint64))
        drawn[np.arange(4), (obs["candidate_actions"] == answers[:, None]).argmax(1)] += 1 / many
    assert (drawn[obs["action_mask"] == 0] == 0).all() and np.allclose(drawn.sum(1), 1)
    logits = np.where(
        obs["action_mask"],
        snapshot._network.logits(obs["candidates"].reshape(-1, obs["candidates"].shape[2])).reshape(4, 40),
        -1e9,
    )
    expected = np.exp(logits - logits.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    assert np.abs(drawn - expected).max() < 4 * np.sqrt(0.25 / many)
    snapshot.reseed(7)
    again = snapshot.choose_for(games, np.arange(4), np.full(4, 7, np.uint64))
    assert (snapshot.choose_batch(games) == again).all()


def test_chances_are_even():
    found = chances(np.arange(4000, dtype=np.uint64), np.arange(4000) % 7)
    assert (found >= 0).all() and (found < 1).all() and len(set(found)) == 4000
    assert np.abs(np.histogram(found, 10, (0, 1))[0] - 400).max() < 100
