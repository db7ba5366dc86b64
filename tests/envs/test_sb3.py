"""The Stable-Baselines3 VecEnv, and MaskablePPO on it."""

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

import carc_env
from carc_env.compiling import jit
from carc_env.envs.sb3 import CarcassonneVecEnv, make_vec_env
from carc_env.envs.vector import CarcassonneVectorEnv

ID = "carc_env/Goldmines-v0"
FEW = 1 if jit.is_compiled() else 4  # uncompiled, a part of the steps must do
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
    """So the masks are really used."""
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
