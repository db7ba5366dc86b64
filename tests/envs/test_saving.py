"""Tests of the states of environments: after a state is saved, restored, pickled or copied, the game goes on
identically.
"""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env.compiling import jit
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from tests.envs.test_vector import SHORT, assert_same

STEPS = 60 if jit.is_compiled() else 24  # enough for games of eight tiles to end
SETTINGS = [
    {"opponent": "random"},
    {"opponent": "self", "reward": "potential", "observation": "both"},
    {"opponent": "greedy", "illegal_action": "random", "reward": "outcome"},
    {"opponent": ["random", ("greedy", 2.0), "random"], "observation": "candidates"},
]


def chosen(rng, mask):
    """Return a random legal action, or occasionally any action."""
    return int(rng.integers(3868)) if rng.random() < 0.03 else int(rng.choice(np.flatnonzero(mask)))


def play(env, steps, seed):
    """Return what the next `steps` calls of `step` return. After the end of an episode, `reset` is called instead."""
    rng, given = np.random.default_rng(seed), []
    for _ in range(steps):
        try:
            mask = env.unwrapped.action_masks()
        except gymnasium.error.ResetNeeded:
            given.append(env.reset())
            continue
        given.append(env.step(chosen(rng, mask)))
    return tuple(given)


def play_batch(envs, steps, seed):
    """Return what the next `steps` calls of `step` of a batch return."""
    rng = np.random.default_rng(seed)
    return tuple(envs.step([chosen(rng, mask) for mask in envs.action_masks()]) for _ in range(steps))


def copies(env):
    """Return copies of an environment, made in different ways."""
    return [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.deepcopy(env))]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_state_restored_goes_on_bit_for_bit(settings):
    env = gymnasium.make("carc_env/Goldmines-v0", config=SHORT, **settings)
    env.reset(seed=1)
    for steps in (0, 3, 17):
        play(env, steps, steps)
        state = env.unwrapped.save()
        expected = play(env, STEPS, 9)
        for taken in (state, state, pickle.loads(pickle.dumps(state))):  # a state can be restored several times
            env.unwrapped.restore(taken)
            assert_same(play(env, STEPS, 9), expected)
        other = CarcassonneEnv(SHORT, **settings)  # an environment that has never played
        other.restore(state)
        assert_same(play(other, STEPS, 9), expected)
        env.unwrapped.restore(state)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_copies_and_pickles_of_an_environment_go_on_alike(settings):
    env = gymnasium.make("carc_env/Goldmines-v0", config=SHORT, **settings)
    env.reset(seed=1)
    play(env, 5, 5)
    same = copies(env)
    expected = play(env, STEPS, 9)
    for other in same:
        assert other.unwrapped.game is not env.unwrapped.game
        assert_same(play(other, STEPS, 9), expected)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_batch_restored_goes_on_bit_for_bit(settings, mode):
    settings = settings | {"autoreset_mode": mode}
    envs = CarcassonneVectorEnv(3, SHORT, **settings)
    envs.reset(seed=1)
    for steps in (0, 7, 19):
        play_batch(envs, steps, steps)
        state = envs.save()
        expected = play_batch(envs, STEPS, 9)
        for taken in (state, pickle.loads(pickle.dumps(state))):
            envs.restore(taken)
            assert_same(play_batch(envs, STEPS, 9), expected)
        other = CarcassonneVectorEnv(3, SHORT, threads=2, copy=False, **settings)
        other.restore(state)
        assert_same(tuple(copy.deepcopy(step) for step in play_batch(other, 1, 9)), expected[:1])
        envs.restore(state)


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_and_pickles_of_a_batch_go_on_alike(threads):
    envs = gymnasium.make_vec(
        "carc_env/Carcassonne-v0",
        20 if jit.is_compiled() else 3,
        vectorization_mode="vector_entry_point",
        opponent="self",
        threads=threads,
    )
    envs.reset(seed=1)
    play_batch(envs, 5, 5)
    same = copies(envs)
    expected = play_batch(envs, 6, 9)
    for other in same:
        assert other.spec.id == envs.spec.id and other.observation_space == envs.observation_space
        assert_same(play_batch(other, 6, 9), expected)
        other.close()
    assert_same(envs.reset(seed=4), copy.deepcopy(envs).reset(seed=4))


def test_states_may_be_saved_before_the_first_game():
    for env in (CarcassonneEnv(SHORT, "random"), CarcassonneVectorEnv(2, SHORT, "random")):
        state = env.save()
        env.reset(seed=1)
        env.restore(state)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.action_masks()
        for other in (*copies(env), env):
            with pytest.raises(gymnasium.error.ResetNeeded):
                other.action_masks()
            other.reset(seed=2)


def test_a_state_is_not_changed_by_what_is_played_after():
    env, envs = CarcassonneEnv(SHORT, "random"), CarcassonneVectorEnv(2, SHORT, "random")
    for one, go_on in ((env, play), (envs, play_batch)):
        one.reset(seed=1)
        state = one.save()
        before = pickle.dumps(state)
        go_on(one, 10, 1)
        one.restore(state)
        go_on(one, 10, 2)
        assert pickle.dumps(state) == before


def test_states_of_other_environments_are_refused():
    env, envs = CarcassonneEnv(SHORT, "random"), CarcassonneVectorEnv(2, SHORT, "random")
    for one in (env, envs):
        one.reset(seed=1)
    kept, wrong = (
        env.save(),
        [
            (CarcassonneEnv("base", "random"), "config"),
            (CarcassonneEnv(SHORT, "random", reward="outcome"), "reward"),
            (CarcassonneEnv(SHORT, "self"), "opponent"),
            (CarcassonneVectorEnv(3, SHORT, "random"), "environment"),
        ],
    )
    for other, reason in wrong:
        with pytest.raises(carc_env.ArgumentError, match=f"a different environment; .*{reason}"):
            other.restore(kept)
    wrong = [
        (CarcassonneVectorEnv(3, SHORT, "random"), "num_envs"),
        (CarcassonneVectorEnv(2, "base", "random"), "config"),
        (CarcassonneVectorEnv(2, SHORT, "random", observation="both"), "observation"),
        (CarcassonneVectorEnv(2, SHORT, "random", autoreset_mode="SameStep"), "autoreset_mode"),
        (env, "environment"),
    ]
    for other, reason in wrong:
        with pytest.raises(carc_env.ArgumentError, match=f"a different environment; .*{reason}"):
            other.restore(envs.save())
    for nothing in (None, {}, b"", env.game):
        with pytest.raises(carc_env.ArgumentError, match=r"save\(\)"):
            env.restore(nothing)


def test_the_window_and_the_threads_are_not_part_of_a_copy():
    env = CarcassonneEnv(SHORT, "random", render_mode="human")
    env._screen._window = lambda: None  # a window cannot be copied, and a lambda cannot be pickled
    for other in copies(env):
        assert other.render_mode == "human" and other._screen._window is None
    envs = CarcassonneVectorEnv(2, SHORT, "random", threads=3)
    for other in copies(envs):
        assert other._threads is not envs._threads and other._threads._n == 3


def test_the_pettingzoo_environment_has_states_too():
    pytest.importorskip("pettingzoo")

    def go_on(env, steps):
        rng, given = np.random.default_rng(2), []
        for _ in range(steps):
            observation, reward, over, _, info = env.last()
            given.append((observation, np.float64(reward), env.agent_selection, info["scores"]))
            env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            if not env.agents:
                env.reset()
        return [
            [str(array.tobytes()) for array in seen.values()] + [reward, agent, scores.tolist()]
            for seen, reward, agent, scores in given
        ]

    env = carc_env.aec_env(SHORT)
    env.reset(seed=1)
    go_on(env, 5)
    state, same = env.unwrapped.save(), copies(env)
    expected = go_on(env, STEPS)
    for _ in range(2):
        env.unwrapped.restore(state)
        assert go_on(env, STEPS) == expected
    assert all(go_on(other, STEPS) == expected for other in same)
    with pytest.raises(carc_env.ArgumentError, match="a different environment; .*config"):
        carc_env.aec_env("base").unwrapped.restore(state)
