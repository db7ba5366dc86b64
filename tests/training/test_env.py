"""CandidateVecEnv: rewards over other players' turns, opponents inside the batch, states."""

import numpy as np
import pytest
from carc_env import encode, jit
from carc_env.boxes import tile_table
from carc_env.candidates import PRICE
from carc_env.config import GameConfig
from carc_env.envs.sb3 import CandidateVecEnv, greedy, is_candidate, uniform
from carc_env.rules.state import MAX_PLAYERS
from stable_baselines3.common.vec_env import VecEnv

SHORT = GameConfig(boxes=("goldmines",))  # eight tiles
FEW = not jit.is_compiled()  # the engine is slow then


def margins(env: VecEnv) -> np.ndarray:
    """The learner's margin in each game as if it were scored now, reckoned from all scores."""
    out = np.empty((env.num_envs, MAX_PLAYERS), np.int64)
    encode.provisional_scores(env.games.records, tile_table(), out)
    found = []
    for scores, seat in zip(out[:, :env.config.players].tolist(), env.seats):
        own = scores.pop(seat)
        found.append(own - max(scores))
    return np.array(found, float)


@pytest.mark.parametrize("players", [2, 3])
def test_the_rewards_of_a_game_add_up_to_its_margin_and_outcome(players):
    config = GameConfig(boxes=("goldmines",), players=players)
    env = CandidateVecEnv(config, 4, [greedy, uniform], seed=3, points=10.0, outcome=2.0)
    obs, sums, finished = env.reset(), np.zeros(4), []
    before = np.zeros(4)  # nothing has happened when a game begins, whoever moves first
    while len(finished) < (3 if FEW else 8):
        obs, rewards, dones, _ = env.step(uniform(obs["rows"], obs["count"][:, 0], env.rng))
        assert (env.games.players == env.seats).all()  # the learner is asked in every game
        sums += rewards
        now = margins(env)
        assert np.allclose(rewards[~dones], (now - before)[~dones] / 10, atol=1e-5)
        before = np.where(dones, 0, now)
        ended = env.take_finished()
        assert sorted(game.game for game in ended) == np.flatnonzero(dones).tolist()
        for game in ended:
            total = sums[game.game]
            assert total == pytest.approx(game.margin / 10 + 2 * np.sign(game.margin), abs=1e-4)
            assert game.reward == pytest.approx(total, abs=1e-4)
            assert game.result == np.sign(game.margin) / 2 + 0.5 and game.opponent in (0, 1) and game.decisions > 0
            finished.append(game)
        sums[dones] = 0
    assert env.illegal == 0
    assert (obs["table"][:, 0] == now).all()


def test_the_same_player_may_be_asked_several_times_in_a_row():
    env = CandidateVecEnv(SHORT, 3 if FEW else 8, [uniform], seed=1)
    obs, alone = env.reset(), 0
    for _ in range(12):
        moves = env.games.records["n_moves"].copy()
        obs, _, dones, _ = env.step(greedy(obs["rows"], obs["count"][:, 0], env.rng))
        records = env.games.records
        for i in np.flatnonzero(~dones):
            since = records["moves"][i]["player"][moves[i]:records["n_moves"][i]]
            alone += (since == env.seats[i]).all()
    assert alone > 0


def test_greedy_of_the_batch_is_the_bot_greedy():
    from carc_env.bots import make

    env = CandidateVecEnv(SHORT, 2 if FEW else 6, [greedy], most=40, seed=5)
    obs = env.reset()
    for _ in range(8):
        chosen = greedy(obs["rows"], obs["count"][:, 0], env.rng)
        assert (env._ids[np.arange(env.num_envs), chosen] == make("greedy").choose_batch(env.games)).all()
        obs, *_ = env.step(chosen)


def test_observations_say_which_rows_are_candidates():
    env = CandidateVecEnv(SHORT, 4, [uniform], most=12, seed=2)
    obs = env.reset()
    for _ in range(6):
        valid = is_candidate(obs["count"], 12)
        assert (np.stack(env.env_method("action_masks")) == valid).all()
        assert (obs["count"] > 1).all()  # a question with one answer is not asked
        assert (obs["rows"][~valid] == 0).all()
        assert np.isclose(np.where(valid, obs["rows"][:, :, PRICE], -1e9).max(1), 0).all()  # the best one is kept
        assert env.observation_space["rows"].contains(obs["rows"][0])
        old, copy = obs["rows"], obs["rows"].copy()
        obs, *_ = env.step(uniform(obs["rows"], obs["count"][:, 0], env.rng))
        assert (old == copy).all()  # a step leaves the last observation alone


def test_an_answer_that_is_no_candidate_is_counted_as_illegal():
    env = CandidateVecEnv(SHORT, 3, [greedy], seed=2)
    obs = env.reset()
    assert env.illegal == 0
    env.step(np.array([0, obs["count"][1, 0], env.most - 1]))
    assert env.illegal == 2


def test_threads_and_states_change_nothing():
    def play(env, obs, steps):
        found = []
        for _ in range(steps):
            obs, rewards, dones, _ = env.step(np.minimum(2, obs["count"][:, 0] - 1))
            found.append((obs["rows"].copy(), obs["count"], obs["table"], rewards, dones))
        return obs, found

    def equal(a, b):
        return all(np.array_equal(x, y) for left, right in zip(a, b, strict=True) for x, y in zip(left, right))

    n, steps = (16, 1) if FEW else (20, 6)  # as few games as two threads share
    one, two = (CandidateVecEnv(SHORT, n, [greedy, uniform], seed=4, threads=threads) for threads in (1, 2))
    a, found_a = play(one, one.reset(), steps)
    b, found_b = play(two, two.reset(), steps)
    assert equal(found_a, found_b)
    arrays, rest = one.state()
    arrays = {key: array.copy() for key, array in arrays.items()}
    other = CandidateVecEnv(SHORT, n, [greedy, uniform], seed=99)
    c = other.set_state(arrays, rest)
    assert all(np.array_equal(a[key], c[key]) for key in a)
    assert equal(play(one, a, steps)[1], play(other, c, steps)[1])
    assert one.answered == other.answered > 0


def test_seeding_again_begins_the_same_games():
    env = CandidateVecEnv(SHORT, 3, [uniform], seed=4)
    env.seed(8)
    first = {key: array.copy() for key, array in env.reset().items()}
    env.reset()
    env.seed(8)
    again = env.reset()
    assert all(np.array_equal(first[key], again[key]) for key in first)
