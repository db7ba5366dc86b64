"""Tests of the Gymnasium environment: its interface, rewards, opponents, illegal actions and pictures."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import carc_env
from carc_env.compiling import jit
from carc_env.observing import encode

IDS = tuple(f"carc_env/{name}-v0" for name in ("Base", "Goldmines", "France", "Carcassonne", "Expansions"))


def episode(env, seed, **reset):
    """Play an episode of random legal actions. Return the rewards and the final scores."""
    _, info = env.reset(seed=seed, **reset)
    chance, rewards, terminated = np.random.default_rng(seed), [], False
    while not terminated:
        _, reward, terminated, truncated, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        assert not truncated and "illegal_action" not in info
        rewards.append(reward)
    return rewards, info["scores"]


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_check_env_has_nothing_to_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, opponent="random").unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_sb3_check_env_says_only_what_the_docs_explain(name):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        checker.check_env(gymnasium.make(name, opponent="random").unwrapped)
    allowed = (
        "Treating image space as channels-last",
        "The minimal resolution for an image is 36x36",
        "It seems that your observation space planes is an image but the upper and lower bounds are not in [0, 255]",
    )
    assert [str(w.message) for w in said if not str(w.message).startswith(allowed)] == []


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("reward", ["margin", "potential"])
def test_rewards_add_up_to_the_final_margin(players, reward):
    config = carc_env.GameConfig(boxes=("base", "goldmines"), players=players)
    env = gymnasium.make(IDS[1], config=config, opponent="random", reward=reward, seat=1)
    rewards, scores = episode(env, 3)
    assert sum(rewards) == scores[1] - max(np.delete(scores, 1))


def test_outcome_is_only_known_at_the_end():
    env = gymnasium.make(IDS[0], opponent="random", reward="outcome", seat=0)
    outcomes = set()
    for seed in range(4):
        rewards, scores = episode(env, seed)
        assert set(rewards[:-1]) <= {0.0}
        assert rewards[-1] == np.sign(scores[0] - scores[1])
        outcomes.add(rewards[-1])
    assert len(outcomes) > 1


def test_self_play_asks_for_every_player_and_rewards_add_up_for_each():
    env = gymnasium.make(IDS[1], opponent="self")
    _, info = env.reset(seed=1)
    chance, total, own, asked, terminated = np.random.default_rng(1), np.zeros(2), np.zeros(2), set(), False
    while not terminated:
        player = info["player"]
        asked.add(player)
        assert env.unwrapped.game.player == player
        _, reward, terminated, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        assert reward == info["rewards"][player]
        total += info["rewards"]
        own[player] += reward
    assert asked == {0, 1}
    assert total.tolist() == [info["scores"][0] - info["scores"][1], info["scores"][1] - info["scores"][0]]


def test_the_agent_answers_only_its_own_questions():
    for seat in (0, 1):
        env = gymnasium.make(IDS[1], opponent="random", seat=seat)
        env.reset(seed=4)
        terminated, info, chance = (
            False,
            {"action_mask": env.unwrapped.game.mask()[env.unwrapped.layout.action_ids]},
            np.random.default_rng(4),
        )
        while not terminated:
            assert env.unwrapped.game.player == seat
            assert (env.unwrapped.action_masks() == info["action_mask"].astype(bool)).all()
            _, _, terminated, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))


def test_seat_is_drawn_from_the_seed():
    env = gymnasium.make(IDS[0], opponent="random")
    seats = [env.reset(seed=seed)[1]["player"] for seed in range(8)]
    assert set(seats) == {0, 1}
    assert seats == [env.reset(seed=seed)[1]["player"] for seed in range(8)]


PROGRAM = """
import gymnasium, numpy as np, carc_env, hashlib
env = gymnasium.make("carc_env/Goldmines-v0", opponent="{opponent}")
o, info = env.reset(seed=11)
chance, digest, end = np.random.default_rng(11), hashlib.sha256(), False
while not end:
    o, reward, end, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
    digest.update(o["planes"].tobytes() + o["globals"].tobytes() + str(reward).encode())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("opponent", ["random", "greedy"] if jit.is_compiled() else ["random"])
def test_same_seed_and_actions_give_the_same_episode_in_any_process(opponent):
    results = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM.format(opponent=opponent)],
            check=True,
            text=True,
            capture_output=True,
            env=None,
        ).stdout
        for _ in range(2)
    }
    assert len(results) == 1


def test_an_illegal_action_loses_the_episode():
    env = gymnasium.make(IDS[0], opponent="random")
    _, info = env.reset(seed=0)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-100.0, True, False, True)
    env = gymnasium.make(IDS[0], opponent="random", reward="outcome")
    env.reset(seed=0)
    assert env.step(wrong)[1] == -1.0
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(wrong)


def test_an_illegal_action_can_raise_and_leaves_the_game_as_it_was():
    env = gymnasium.make(IDS[0], opponent="random", illegal_action="raise")
    _, info = env.reset(seed=0)
    before = env.unwrapped.game.clone()
    with pytest.raises(carc_env.IllegalAction):
        env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert env.unwrapped.game == before


def test_an_illegal_action_can_be_replaced_by_a_random_one():
    env = gymnasium.make(IDS[0], opponent="random", illegal_action="random")
    _, info = env.reset(seed=0)
    moves = len(env.unwrapped.game.moves)
    _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert not terminated and info["illegal_action"]
    assert len(env.unwrapped.game.moves) > moves


def test_candidates_are_listed_once_a_step(monkeypatch):
    """The environment looks up the agent's action in the candidates that it has shown, even if the caller has changed
    the returned arrays since.
    """
    counts = []
    listed = encode.candidates
    monkeypatch.setattr(encode, "candidates", lambda *words: counts.append(1) or listed(*words))
    env = gymnasium.make(
        "carc_env/Base-v0", opponent="random", observation="candidates", actions="candidates"
    ).unwrapped
    observation, info = env.reset(seed=3)
    for steps in range(1, 20):
        row = int(info["action_mask"].nonzero()[0][-1])
        expected = env.layout.to_common(observation["candidate_actions"][row])
        assert (env.action_masks() == info["action_mask"]).all()
        observation["candidate_actions"][:] = 0
        number = len(env.game.moves)
        observation, _, _, _, info = env.step(row)
        assert env.game.state["moves"][number]["answer"] == expected and len(counts) == 1 + steps


def test_candidates_after_restore_are_those_of_the_restored_game():
    env = gymnasium.make("carc_env/Base-v0", opponent="self", observation="candidates", actions="candidates").unwrapped
    observation, info = env.reset(seed=3)
    state, mask = env.save(), info["action_mask"].copy()
    first = env.layout.to_common(observation["candidate_actions"][1])
    for _ in range(3):
        env.step(0)
    env.restore(state)
    assert (env.action_masks() == mask).all()
    env.step(1)
    assert env.game.state["moves"][0]["answer"] == first


def test_deck_can_be_dictated():
    env = gymnasium.make(IDS[0], opponent="random", seat=0)
    env.reset(seed=0, options={"deck": ["V", "E", "U"]})
    assert (env.unwrapped.game.tile, env.unwrapped.game.tiles_left) == ("V", 2)
    with pytest.raises(ValueError, match="unknown option 'decks'"):
        env.reset(options={"decks": []})
    before, inner = env.unwrapped.game, env.unwrapped
    rng = inner.np_random.bit_generator.state
    for deck, reason in ((["V", "nope"], "unknown tile"), (["V", "GM1"], "does not contain this tile")):
        for seed in (None, 5):
            with pytest.raises(carc_env.DeckError, match=reason):
                env.reset(seed=seed, options={"deck": deck})
    assert inner.np_random.bit_generator.state == rng and inner.np_random_seed == 0 and inner.game is before


def test_a_state_with_tiles_that_the_layout_cannot_show_is_refused():
    env, common_env = (carc_env.envs.single.CarcassonneEnv("base", "random", 0, spaces=s) for s in ("game", "common"))
    env.reset(seed=1)
    before = env.game.clone()
    common_env.reset(seed=0, options={"deck": ["V", "GM1"]})
    with pytest.raises(carc_env.DeckError, match=r"deck\[1\] = 'GM1': the configuration does not contain this tile"):
        env.restore(common_env.save())
    assert env.game == before
    common_env.reset(seed=0, options={"deck": ["V", "U"]})
    env.restore(common_env.save())
    assert env.game == common_env.game


@pytest.mark.parametrize(
    "wrong",
    [
        {"reward": "points"},
        {"illegal_action": "ignore"},
        {"render_mode": "3d"},
        {"seat": 2},
        {"opponent": "nobody"},
        {"observation": "pixels"},
        {"config": "nope"},
    ],
)
def test_wrong_arguments_are_clear_errors(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=repr(value)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gymnasium.make(IDS[0], **wrong)


def test_pictures():
    def picture(mode):
        env = gymnasium.make(IDS[1], opponent="random", render_mode=mode)
        env.reset(seed=2)
        return env.render()

    assert "D" in picture("svg") and picture("svg").startswith("<svg")
    assert "place tile" in picture("ansi")
    pixels = picture("rgb_array")
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3 and pixels.std() > 0


def test_observation_is_in_its_space_through_an_episode():
    for observation in ("planes", "candidates", "both"):
        env = gymnasium.make(IDS[1], opponent="random", observation=observation)
        seen, info = env.reset(seed=6)
        chance, terminated = np.random.default_rng(6), False
        for _ in range(400 if jit.is_compiled() else 15):
            assert env.observation_space.contains(seen)
            if terminated:
                break
            seen, _, terminated, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
