"""Tests of the Stable-Baselines3 VecEnv, and of MaskablePPO with it."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

import carc_env
from carc_env.compiling import jit
from carc_env.envs.sb3 import CarcassonneVecEnv, make_vec_env
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.envs.wrappers import VectorWindowObservation

ID = "carc_env/Goldmines-v0"
FEW = 1 if jit.is_compiled() else 4  # divides the numbers of steps, which are smaller uncompiled
SHORT = carc_env.GameConfig(boxes=("goldmines",), starts=(("D", 0, 0, 0),))  # eight tiles


def test_steps_are_those_of_the_batch_and_infos_what_sb3_expects():
    env = make_vec_env(ID, 3, seed=5, config=SHORT, opponent="random")
    batch = CarcassonneVectorEnv(3, SHORT, "random", autoreset_mode="SameStep", copy=True)
    assert isinstance(env, VecMonitor) and env.observation_space == batch.single_observation_space
    observations, (expected, infos) = env.reset(), batch.reset(seed=5)
    ends = 0
    assert [info["player"] for info in env.venv.reset_infos] == infos["player"].tolist()
    for _ in range(40 // FEW):
        assert all((observations[name] == expected[name]).all() for name in expected)
        assert (env.action_masks() == batch.action_masks()).all()
        actions = env.action_masks().argmax(1)
        observations, rewards, dones, each = env.step(actions)
        expected, gains, over, _, infos = batch.step(actions)
        assert (rewards == gains).all() and rewards.dtype == np.float32 and (dones == over).all()
        for i, info in enumerate(each):
            assert ("terminal_observation" in info) == ("episode" in info) == dones[i]
            if dones[i]:
                last = infos["final_obs"][i]
                assert all((info["terminal_observation"][name] == last[name]).all() for name in last)
                assert info["episode"]["l"] > 2 and (info["scores"] == infos["final_info"]["scores"][i]).all()
        ends += dones.sum()
    assert ends >= 3 // FEW and env.get_attr("illegal") == [0] * 3
    env.close()


def test_illegal_actions_are_counted():
    env = make_vec_env(ID, 2, seed=1, opponent="random")
    env.reset()
    _, rewards, dones, infos = env.step(np.array([int(env.action_masks()[0].argmax()), 3867 - 20]))
    assert dones.tolist() == [False, True] and rewards[1] == -100 and infos[1]["illegal_action"]
    assert env.get_attr("illegal") == [1, 1]


def test_a_batch_that_resets_otherwise_is_refused():
    with pytest.raises(ValueError, match="SameStep"):
        CarcassonneVecEnv(CarcassonneVectorEnv(2, SHORT, "random"))
    with pytest.raises(ValueError, match="SameStep"):
        CarcassonneVecEnv(gymnasium.make_vec("CartPole-v1", 2, "sync"))


def wrapped(batch):
    """Put the wrapper for windows between two wrappers of Gymnasium, which pass on no attributes."""
    inner = RecordEpisodeStatistics(batch, stats_key="inner")
    return RecordEpisodeStatistics(VectorWindowObservation(inner, 9))


def test_wrappers_of_gymnasium_can_be_used():
    arguments = {"n_envs": 3, "seed": 1, "config": SHORT, "opponent": "random"}
    env, plain = (
        make_vec_env(ID, wrapper_class=w, **arguments) for w in (wrapped, lambda b: VectorWindowObservation(b, 9))
    )
    seen, expected = env.reset(), plain.reset()
    state, first, ends = env.venv.save(), seen, 0
    for _ in range(40 // FEW):
        assert all(np.array_equal(seen[name], expected[name]) for name in expected)
        masks = env.action_masks()
        assert np.array_equal(masks, seen["action_mask"]) and np.array_equal(masks, plain.action_masks())
        (seen, _, dones, infos), (expected, *_) = env.step(masks.argmax(1)), plain.step(masks.argmax(1))
        for done, info in zip(dones, infos):
            assert ("inner" in info) == done and (not done or info["inner"]["l"] == info["episode"]["l"])
        ends += dones.sum()
    assert ends and all(np.array_equal(array, first[name]) for name, array in env.venv.restore(state).items())


def test_after_a_game_the_info_of_the_reset_is_that_of_the_new_game():
    env = make_vec_env(ID, 3, seed=1, config=SHORT, opponent="random", wrapper_class=wrapped)
    observations, ends = env.reset(), 0
    while ends < 4 // FEW + 1:
        before = list(env.venv.reset_infos)
        observations, _, dones, infos = env.step(env.action_masks().argmax(1))
        for i, info in enumerate(env.venv.reset_infos):
            if dones[i]:
                assert (info["action_mask"] == observations["action_mask"][i]).all() and not info["scores"].any()
                assert info.keys() == before[i].keys() and infos[i]["scores"].any()
            else:
                assert info is before[i]
        ends += dones.sum()


def test_options_are_the_same_for_all_games():
    env = make_vec_env(ID, 2, seed=1, opponent="self")
    for options in ({"deck": ["U", "V"]}, [{"deck": ["U", "V"]}, {"deck": ("U", "V")}]):
        env.set_options(options)
        env.reset()
        assert [env.get_attr("games")[0].game(i).deck for i in range(2)] == [["U", "V"]] * 2
    env.reset()
    assert env.get_attr("games")[0].game(0).deck != ["U", "V"]
    wrong = [[{"deck": ["U", "V"]}, {"deck": ["V", "U"]}], [{"deck": ["U"]}, {}], [{}], [{}, None], [{}, {}, {}]]
    for options in wrong:
        with pytest.raises(carc_env.ArgumentError, match="options should be a dict, or a list of 2 equal dicts"):
            env.set_options(options)
    env.set_options(None)
    env.reset()


def test_without_a_seed_numpys_global_generator_is_left_alone():
    np.random.seed(1)
    before = np.random.get_state()[1].tolist(), np.random.get_state()[2]
    decks = []
    for _ in range(2):
        env = make_vec_env(ID, 2, config=SHORT, opponent="random")
        env.reset()
        decks += [env.get_attr("games")[0].game(i).record()["deck"] for i in range(2)]
    assert (np.random.get_state()[1].tolist(), np.random.get_state()[2]) == before
    assert len(set(map(tuple, decks))) > 1


def test_attributes_are_those_of_the_vector_environment_too():
    env = make_vec_env(ID, 2, seed=1, config=SHORT, opponent="random", wrapper_class=wrapped)
    batch = env.get_attr("batch")[0]
    assert env.get_attr("config") == [SHORT] * 2 and env.get_attr("answered", indices=0) == [0]
    assert env.get_attr("layout") == [batch.env.layout] * 2 and env.has_attr("return_queue")
    assert not env.has_attr("nothing_of_this_name")
    env.set_attr("answered", 7)
    env.set_attr("illegal", 3)
    env.set_attr("mine", "new")
    assert batch.unwrapped.answered == 7 and env.venv.illegal == 3 and batch.unwrapped.mine == "new"
    assert env.get_attr("answered") == [7, 7] and env.get_attr("mine") == ["new", "new"]
    env.reset()
    assert [len(mask) for mask in env.env_method("action_masks")] == [env.action_space.n] * 2


@pytest.mark.parametrize(
    "observation, actions", [("planes", "ids"), ("candidates", "ids"), ("candidates", "candidates")]
)
def test_maskable_ppo_learns_evaluates_and_never_answers_illegally(observation, actions, tmp_path):
    torch.manual_seed(0)
    env, judge = (
        make_vec_env(ID, n, seed=n, config=SHORT, opponent="random", observation=observation, actions=actions)
        for n in (4, 2)
    )
    model = MaskablePPO(
        "MultiInputPolicy",
        env,
        n_steps=16 // FEW,
        batch_size=32 // FEW,
        n_epochs=1,
        seed=1,
        policy_kwargs={"net_arch": [8], "features_extractor_kwargs": {"cnn_output_dim": 8}},
    )
    callback = MaskableEvalCallback(judge, n_eval_episodes=2, eval_freq=16 // FEW, log_path=str(tmp_path), verbose=0)
    model.learn(128 // FEW, callback=callback)
    rewards, lengths = evaluate_policy(model, judge, n_eval_episodes=4 // FEW, return_episode_rewards=True)
    assert len(rewards) == 4 // FEW and min(lengths) > 2 and callback.last_mean_reward > -100
    assert env.get_attr("illegal")[0] == judge.get_attr("illegal")[0] == 0
    masks = env.action_masks()
    observations = env.reset()
    assert masks[np.arange(4), model.predict(observations, action_masks=env.action_masks())[0]].shape == (4,)


def test_without_masks_ppo_would_answer_illegally():
    """Without masks, PPO chooses illegal actions. This shows that MaskablePPO uses the masks."""
    torch.manual_seed(0)
    env = make_vec_env(ID, 4, seed=1, config=SHORT, opponent="random", observation="candidates")
    model = MaskablePPO(
        "MultiInputPolicy", env, n_steps=8 // FEW, batch_size=32 // FEW, seed=1, policy_kwargs={"net_arch": [8]}
    )
    model.learn(32 // FEW, use_masking=False)
    assert env.get_attr("illegal")[0] > 16 // FEW


def test_names_are_those_of_stable_baselines():
    given = {"config": SHORT, "opponent": "random"}
    envs = [
        make_vec_env(ID, n_envs=2, seed=5, env_kwargs=given),
        make_vec_env(ID, 2, 5, given),
        make_vec_env(ID, 2, seed=5, env_kwargs={"config": SHORT}, opponent="random"),
        make_vec_env(ID, 2, seed=np.int64(5), **given),
    ]
    first = envs[0].reset()
    for env in envs[1:]:
        assert env.num_envs == 2
        assert all((array == first[name]).all() for name, array in env.reset().items())
    assert make_vec_env(ID, players=3, **given).get_attr("batch")[0].config.players == 3
    with pytest.raises(carc_env.SeedError):
        make_vec_env(ID, seed=5.0, **given)


@pytest.mark.parametrize("wrong", [[0.0, 1.0], ["0", "1"], [None, 0], [True, False], np.zeros(2), [0], 0])
def test_what_are_no_actions_is_an_error(wrong):
    env = make_vec_env(ID, 2, seed=1, config=SHORT, opponent="random")
    env.reset()
    rows = make_vec_env(ID, 2, seed=1, config=SHORT, opponent="random", observation="candidates", actions="candidates")
    rows.reset()
    for one in (env, rows):
        with pytest.raises(carc_env.IllegalAction):
            one.step_async(wrong)


def test_rows_that_are_none_are_illegal():
    env = make_vec_env(
        ID, 3, seed=1, config=SHORT, opponent="random", observation="candidates", actions="candidates", rows=30
    )
    observations = env.reset()
    _, _, dones, _ = env.step(np.array([-1, 10**6, 0]))
    assert env.get_attr("illegal")[0] == 2 and dones.tolist() == [True, True, False]
    observations, *_ = env.step(observations["action_mask"].sum(1))  # the row after the last candidate
    assert env.get_attr("illegal")[0] > 2


def test_no_mask_is_ever_empty():
    env = make_vec_env(ID, 2, seed=1, config=SHORT, opponent="random")
    observations, ends = env.reset(), 0
    for _ in range(20):
        observations, _, dones, infos = env.step(env.action_masks().argmax(1))
        assert env.action_masks().any(1).all() and observations["action_mask"].any(1).all()
        for info in infos:
            if "terminal_observation" in info:
                ends += 1
                assert np.flatnonzero(info["terminal_observation"]["action_mask"]).tolist() == [env.action_space.n - 1]
    assert ends > 2
