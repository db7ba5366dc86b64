"""Tests of the PettingZoo environment: PettingZoo's own tests, the order of agents, rewards, illegal actions, the end
of a game, and pictures.
"""

import dataclasses
import subprocess
import sys
import warnings
from functools import partial
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env.compiling import jit
from carc_env.envs import PRESETS, common
from carc_env.rules.state import Phase

pettingzoo = pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test import performance_benchmark as benchmark
from pettingzoo.utils import random_demo
from pettingzoo.utils.conversions import aec_to_parallel

CYCLES = 200 if jit.is_compiled() else 4  # a game ends after some 50 actions of each player
TABLES = [
    (preset, players)
    for preset in carc_env.presets()
    for players in range(2, 7)
    if players < 6 or "inns_and_cathedrals" in carc_env.preset(preset).boxes
]
SOME_TABLES = TABLES if jit.is_compiled() else TABLES[::11]
# PettingZoo warns about observations that are dicts, except in environments on a list of its own. It also warns about
# masks without legal actions at the end of a game.
ALLOWED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
)
SHORT = ["U", "V", "E", "GM1", "B", "D"]  # a deck


def table(preset, players, **arguments):
    """Return an environment for a preset and a number of players."""
    return carc_env.aec_env(dataclasses.replace(carc_env.preset(preset), players=players), **arguments)


def answer(env, rng):
    """Step with a random legal action, or with None if the agent has terminated. Return what `last` returned."""
    observation, *rest = env.last()
    legal = np.flatnonzero(observation["action_mask"])
    env.step(None if rest[1] else int(rng.choice(legal)))
    return observation, *rest


def finish(env, rng):
    """Play to the end of the game. All agents have then terminated, and none has been removed."""
    while not any(env.terminations.values()):
        answer(env, rng)


def play(env, moves):
    """Play actions that are given as texts. Forced actions are skipped, because the engine has already played them."""
    for move in moves.replace("\n", ";").split(";"):
        if env.game.moves[-1:] != [move.strip()] or move.strip() == "pass":
            env.step(env.unwrapped.layout.from_common(env.game.action(move.strip())))


# --- PettingZoo's own tests ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("preset, players", SOME_TABLES)
def test_pettingzoo_api_test_says_only_what_the_docs_explain(preset, players):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(table(preset, players), num_cycles=CYCLES)
    assert [str(w.message) for w in said if not str(w.message).startswith(ALLOWED)] == []


@pytest.mark.parametrize("preset, players", SOME_TABLES[::3])
def test_pettingzoo_seed_test(preset, players):
    seed_test(partial(table, preset, players), num_cycles=CYCLES)


# one preset with a free table, and one with a map sheet
@pytest.mark.parametrize("preset", ["base", "carcassonne"] if jit.is_compiled() else ["carcassonne"])
def test_pettingzoo_render_test(preset, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(common, "RENDER_FPS", 1000)
    render_test(
        partial(carc_env.aec_env, preset),
        custom_tests={"svg": lambda picture: picture.startswith("<svg"), "ansi": lambda text: "tiles" in text},
    )


@pytest.mark.parametrize("preset", carc_env.presets() if jit.is_compiled() else ["base"])
def test_pettingzoo_performance_benchmark(preset, monkeypatch, capsys):
    now = iter(np.arange(0, 100, 5 / CYCLES))  # a fake clock, on which CYCLES readings take five seconds
    monkeypatch.setattr(sys.modules[benchmark.__module__], "time", SimpleNamespace(time=lambda: next(now)))
    benchmark(carc_env.aec_env(preset))
    assert "turns per second" in capsys.readouterr().out


def test_pettingzoo_helpers():
    env = carc_env.aec_env("base")
    if jit.is_compiled():
        assert random_demo(env, render=False) == 0  # the players' rewards add up to 0
    assert str(env) == "carc_env_v0" and env.max_num_agents == 2
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(env)


def test_ids_are_registered_as_with_gymnasium():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    for name, preset in PRESETS.items():
        env = pettingzoo.make("aec", f"carc_env/{name}-v0", reward="outcome", observation="candidates")
        assert env.unwrapped.config == carc_env.preset(preset)
        assert set(env.observation_space("player_0")) == {"globals", "action_mask", "candidates", "candidate_actions"}


PROGRAM = """
import sys
if "{missing}":
    sys.modules["{missing}"] = None
import carc_env
print("pettingzoo.classic.chess.chess" in sys.modules, "pygame" in sys.modules)
try:
    carc_env.aec_env()
except ImportError as error:
    print(error)
"""


def test_without_pettingzoo_the_error_names_the_extra():
    for missing, said in (("", ""), ("pettingzoo", 'carc_env.aec_env needs PettingZoo: pip install ".[pettingzoo]"\n')):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(missing=missing)], check=True, capture_output=True, text=True
        )
        assert done.stdout == f"False False\n{said}"


# --- which agent acts -------------------------------------------------------------------------------------------------
def test_agent_selection_follows_the_questions_through_an_ingot_draft():
    config = dataclasses.replace(carc_env.preset("goldmines"), boxes=("base", "goldmines", "abbot"))
    env = carc_env.aec_env(config)
    env.reset(options={"deck": ["B", "E-g", "U", "E", "U", "U", "B", "B", "GM2", "GM1", "B", "U", "B", "B"]})
    play(
        env,
        """B@0,1/0; meeple monastery
        E-g@1,1/90; abbot garden; U@1,0/0; pass; E@2,1/270; pass; U@2,0/0; pass; U@-1,0/0; pass; B@-1,1/0; pass
        B@0,2/0; pass; GM2@0,3/180; ingot 0,2; pass; GM1@-1,2/90; ingot 0,1; pass; B@2,2/0; pass; U@3,0/0; pass""",
    )
    assert (env.game.phase, env.game.active_player, env.agent_selection) == (Phase.PLACE_TILE, 0, "player_0")
    play(env, "B@1,2/0")
    assert (env.game.phase, env.agent_selection) == (Phase.PLACE_FIGURE, "player_0")  # the same player acts again
    play(env, "pass")
    assert (env.game.phase, env.agent_selection) == (Phase.TAKE_INGOT, "player_0")
    play(env, "take -1,2")
    # player 1 acts during the turn of player 0
    assert (env.game.phase, env.game.active_player, env.agent_selection) == (Phase.TAKE_INGOT, 0, "player_1")
    assert env.observe("player_1")["action_mask"].sum() == len(env.game.legal_actions())
    assert not env.observe("player_0")["action_mask"].any()


def test_agent_selection_follows_the_questions_of_a_crop_circle():
    config = dataclasses.replace(carc_env.preset("base"), boxes=("base", "crop_circles"), crop_add="must")
    env = carc_env.aec_env(config)
    env.reset(options={"deck": ["G", "B", "E", "CR11", "B"]})
    play(env, "G@0,-1/90; meeple city N; B@0,1/0; pass; E@0,2/180; meeple city S; CR11@-1,1/0; pass; circle add")
    assert (env.game.phase, env.game.active_player, env.agent_selection) == (Phase.CROP_ADD, 1, "player_0")


@pytest.mark.parametrize("preset, players", TABLES[-2:])
def test_agent_selection_is_always_the_player_asked(preset, players):
    env, rng = table(preset, players), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(1000 if jit.is_compiled() else 20):
        if env.game.is_over:
            break
        assert env.agent_selection == f"player_{env.game.player}"
        answer(env, rng)


# --- rewards and the end ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3, 5] if jit.is_compiled() else [3])
@pytest.mark.parametrize("reward", common.REWARDS)
def test_rewards_given_by_last_add_up_to_the_final_margins(players, reward):
    env, rng = table("goldmines", players, reward=reward), np.random.default_rng(players)
    env.reset(seed=players, options=None if jit.is_compiled() else {"deck": SHORT})
    totals, ends = dict.fromkeys(env.agents, 0.0), []
    for agent in env.agent_iter():
        _, gain, terminated, truncated, info = answer(env, rng)
        totals[agent] += gain
        assert not truncated and not info["illegal_action"]
        if terminated:
            ends.append(agent)
            assert env.game.is_over and info["scores"].tolist() == env.game.scores.tolist()
    assert ends == env.possible_agents and env.agents == []
    scores = env.game.scores.tolist()
    margins = np.array([own - max(scores[:player] + scores[player + 1 :]) for player, own in enumerate(scores)])
    assert list(totals.values()) == (np.sign(margins) if reward == "outcome" else margins).tolist()


@pytest.mark.parametrize("reward", common.REWARDS)
def test_it_is_the_gymnasium_environment_with_opponent_self(reward):
    single = gymnasium.make("carc_env/Goldmines-v0", opponent="self", reward=reward, observation="both")
    env, rng = carc_env.aec_env("goldmines", reward=reward, observation="both"), np.random.default_rng(5)
    # two episodes, one after the other
    for seed, steps in ((5, 150), (None, 150)) if jit.is_compiled() else ((5, 6), (None, 2)):
        seen, info = single.reset(seed=seed)
        env.reset(seed=seed)
        for _ in range(steps):
            observation, _, terminated, _, _ = env.last()
            assert observation.keys() == seen.keys()
            if terminated:
                seen["action_mask"][-1] = 0  # PettingZoo expects no legal action at the end
            assert all((observation[name] == seen[name]).all() for name in seen)
            assert env.agent_selection == f"player_{info['player']}"
            if terminated:
                break
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            seen, _, over, _, info = single.step(action)
            env.step(action)
            assert [env.rewards[agent] for agent in env.agents] == info["rewards"].tolist()
            assert set(env.terminations.values()) == {over}


def test_dead_steps():
    env = carc_env.aec_env("base")
    env.reset(seed=0, options={"deck": ["U", "V"]})
    finish(env, np.random.default_rng(0))
    assert (
        env.agents == ["player_0", "player_1"] and all(env.terminations.values()) and not any(env.truncations.values())
    )
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)
    env.step(None)
    assert env.agents == ["player_1"] and env.agent_selection == "player_1" and list(env.infos) == ["player_1"]
    env.reset(seed=0)  # between the two dead steps
    assert env.agents == ["player_0", "player_1"] and env.agent_selection == "player_0"
    with pytest.raises(carc_env.IllegalAction, match="None is not an action"):
        env.step(None)


def test_calls_in_a_wrong_order_are_clear_errors():
    env = carc_env.aec_env("base")
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)
    with pytest.raises(AttributeError, match="before reset"):
        env.agents


# --- illegal actions --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("reward, lost", [("margin", -100.0), ("potential", -100.0), ("outcome", -1.0)])
def test_an_illegal_action_loses_the_game(reward, lost):
    env, rng = carc_env.aec_env("base", reward=reward), np.random.default_rng(0)
    for wrong in (0, -1, 10**6):
        env.reset(seed=0)
        while env.agent_selection == "player_0":
            answer(env, rng)
        env.step(wrong)
        assert env.rewards == {"player_0": 0.0, "player_1": lost} and all(env.terminations.values())
        assert [env.infos[agent]["illegal_action"] for agent in env.agents] == [False, True]
        gains = {agent: answer(env, rng)[1] for agent in env.agent_iter()}
        assert gains["player_1"] == lost and list(gains) == ["player_0", "player_1"] and env.agents == []


def test_after_an_illegal_action_no_mask_marks_an_action():
    env, rng = carc_env.aec_env("base"), np.random.default_rng(0)
    env.reset(seed=0)
    env.step(0)  # illegal, so the game is lost
    for _ in env.agent_iter():
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
        answer(env, rng)
    assert not env.observe("player_0")["action_mask"].any()
    env.reset(seed=0)
    assert env.observe("player_0")["action_mask"].any()


def test_an_illegal_action_can_raise_and_leaves_the_game_as_it_was():
    env = carc_env.aec_env("base", illegal_action="raise")
    env.reset(seed=0)
    before = env.game.clone()
    with pytest.raises(carc_env.IllegalAction):
        env.step(0)
    assert env.game == before and env.agent_selection == "player_0" and not any(env.terminations.values())


def test_an_illegal_action_can_be_replaced_by_a_random_one():
    env = carc_env.aec_env("base", illegal_action="random")
    env.reset(seed=0)
    env.step(0)
    assert len(env.game.moves) > 0 and env.infos["player_0"]["illegal_action"] and not any(env.terminations.values())
    answer(env, np.random.default_rng(0))
    assert not env.infos["player_0"]["illegal_action"]


def test_each_agent_sees_that_its_last_action_was_illegal():
    """`illegal_action` stays true while other agents act. A saved state contains it, and a reset clears it."""
    env, rng = carc_env.aec_env("base", illegal_action="random"), np.random.default_rng(0)
    env.reset(seed=0)
    env.step(0)
    while env.agent_selection == "player_0":
        env.step(0)
    state = env.unwrapped.save()
    for _ in range(2):
        while env.agent_selection == "player_1":
            answer(env, rng)
            assert [env.infos[agent]["illegal_action"] for agent in env.agents] == [True, False]
        assert env.last()[-1]["illegal_action"]
        env.unwrapped.restore(state)
    env.reset(seed=0)
    assert not any(info["illegal_action"] for info in env.infos.values())


# --- arguments, seeds, pictures ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "wrong",
    [
        {"reward": "points"},
        {"illegal_action": "ignore"},
        {"render_mode": "3d"},
        {"observation": "pixels"},
        {"config": "nope"},
    ],
)
def test_wrong_arguments_are_clear_errors(wrong):
    with pytest.raises(ValueError, match=repr(next(iter(wrong.values())))):
        carc_env.aec_env(**wrong)


@pytest.mark.parametrize("observation", ["planes", "candidates", "both"])
def test_observations_are_in_their_space(observation):
    env, rng = carc_env.aec_env("goldmines", observation=observation), np.random.default_rng(6)
    env.reset(seed=6)
    for agent in env.agent_iter(400 if jit.is_compiled() else 8):
        assert env.observation_space(agent).contains(answer(env, rng)[0])


def test_deck_can_be_dictated():
    env = carc_env.aec_env("base")
    env.reset(seed=0, options={"deck": ["V", "E", "U"]})
    assert (env.game.tile, env.game.tiles_left) == ("V", 2)
    before, game = env.unwrapped.save(), env.game
    with pytest.raises(carc_env.DeckError, match="unknown tile"):
        env.reset(seed=5, options={"deck": ["V", "nope"]})
    with pytest.raises(carc_env.DeckError, match="the configuration does not contain this tile"):
        env.reset(seed=5, options={"deck": ["V", "GM1"]})
    assert env.unwrapped.save().parts["rng"] == before.parts["rng"] and env.game is game


def test_a_state_with_tiles_that_the_layout_cannot_show_is_refused():
    env, common_env = carc_env.aec_env("base"), carc_env.aec_env("base", spaces="common")
    env.reset(seed=1)
    before = env.game.clone()
    for deck, is_shown in ((["V", "U"], True), (["V", "GM1"], False)):
        common_env.reset(seed=0, options={"deck": deck})
        state = common_env.unwrapped.save()
        if not is_shown:
            with pytest.raises(
                carc_env.DeckError, match=r"deck\[1\] = 'GM1': the configuration does not contain this tile"
            ):
                env.unwrapped.restore(state)
            assert env.game == before
            continue
        env.unwrapped.restore(state)
        assert env.game == common_env.game
        before = env.game.clone()


EPISODE = f"""
import carc_env, hashlib, numpy as np
env, chance, digest = carc_env.aec_env("goldmines"), np.random.default_rng(11), hashlib.sha256()
for seed in (11, None):
    env.reset(seed=seed)
    for agent in env.agent_iter({1000 if jit.is_compiled() else 6}):
        o, reward, end, _, info = env.last()
        digest.update(o["planes"].tobytes() + o["globals"].tobytes() + f"{{agent}} {{reward}} {{info}}".encode())
        env.step(None if end else int(chance.choice(np.flatnonzero(o["action_mask"]))))
print(digest.hexdigest())
"""


def test_same_seed_and_actions_give_the_same_episode_in_any_process():
    results = {
        subprocess.run([sys.executable, "-c", EPISODE], check=True, text=True, capture_output=True).stdout
        for _ in range(2)
    }
    assert len(results) == 1


def test_pictures():
    def picture(mode):
        env = carc_env.aec_env("goldmines", mode)
        env.reset(seed=2)
        return env.render()

    assert picture(None) is None
    assert picture("svg").startswith("<svg") and "place tile" in picture("ansi")
    pixels = picture("rgb_array")
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3 and pixels.std() > 0
