"""Tests of what users of Gymnasium expect: valid and invalid actions and arguments, masks, and specs."""

import dataclasses
import itertools
import json
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

import carc_env
from carc_env import ArgumentError, ConfigError, CountError, IllegalAction, PlayerError, SeedError
from carc_env.envs import PRESETS
from carc_env.envs.single import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv

ID = "carc_env/Goldmines-v0"
SHORT = carc_env.GameConfig(boxes=("goldmines",), starts=(("D", 0, 0, 0),))  # eight tiles
NO_ACTIONS = (
    3.0,
    311.9,
    np.float32(3),
    float("nan"),
    True,
    np.True_,
    "311",
    " 311 ",
    "pass",
    None,
    [3],
    np.array([3]),
    np.array(3.0),
    10**30,
    -(10**30),
    b"3",
    {},
)
NO_SEEDS = (1.0, True, "1", -1, 2**64, float("nan"), [1], {})


# --- actions, seeds and arguments -------------------------------------------------------------------------------------
@pytest.mark.parametrize("illegal", ["lose", "raise", "random"])
@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=repr)
def test_what_is_no_action_is_an_error_and_changes_nothing(wrong, illegal):
    env = CarcassonneEnv(SHORT, "random", illegal_action=illegal)
    env.reset(seed=1)
    before, drawn = env.game.clone(), env.np_random.bit_generator.state
    with pytest.raises(IllegalAction):
        env.step(wrong)
    assert env.game == before and env.np_random.bit_generator.state == drawn
    assert not env.step(int(env.action_masks().argmax()))[2]  # the episode goes on


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, np.array])
def test_ints_of_any_kind_are_actions(kind):
    env = CarcassonneEnv(SHORT, "random", illegal_action="raise", spaces="common")
    env.reset(seed=1, options={"deck": ["U", "U", "U", "U"]})
    env.step(int(env.action_masks().argmax()))
    small = int(np.flatnonzero(env.action_masks())[0])
    if kind is np.int8:
        with pytest.raises(IllegalAction, match="is not legal"):  # illegal, but of a valid type
            env.step(kind(3))
    else:
        env.step(kind(small))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(2),
        np.zeros(2, bool),
        ["1", "2"],
        [0.0, 1.0],
        [None, 0],
        [True, False],
        [0, 10**30],
        np.array([0, 2**63], np.uint64),
        np.zeros((2, 1), int),
        np.array(["a", "b"]),
        [[0], [0]],
        0,
        None,
        "00",
    ],
    ids=repr,
)
def test_what_are_no_actions_is_an_error_of_the_batch_and_changes_nothing(wrong):
    envs = CarcassonneVectorEnv(2, SHORT, "random")
    envs.reset(seed=1)
    before = envs.games.records.copy()
    with pytest.raises(IllegalAction):
        envs.step(wrong)
    assert (envs.games.records == before).all()


def test_actions_of_a_batch_may_be_a_list_or_an_array_of_any_ints():
    for make in (list, np.array, lambda a: np.array(a, np.int32), lambda a: np.array(a, np.uint64), tuple):
        envs = CarcassonneVectorEnv(2, SHORT, "random", illegal_action="raise")
        envs.reset(seed=1)
        envs.step(make(envs.action_masks().argmax(1).tolist()))


@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=repr)
def test_what_is_no_action_is_an_error_with_pettingzoo(wrong):
    pytest.importorskip("pettingzoo")
    env = carc_env.aec_env(SHORT)
    env.reset(seed=1)
    before = env.game.clone()
    with pytest.raises(IllegalAction):
        env.unwrapped.step(wrong)
    assert env.game == before and not any(env.terminations.values())


@pytest.mark.parametrize("wrong", NO_SEEDS, ids=repr)
def test_what_is_no_seed_is_an_error(wrong):
    for env in (CarcassonneEnv(SHORT, "random"), CarcassonneVectorEnv(2, SHORT, "random")):
        with pytest.raises(SeedError):
            env.reset(seed=wrong)
    with pytest.raises(SeedError):
        CarcassonneVectorEnv(2, SHORT, "random").reset(seed=[0, wrong])
    pytest.importorskip("pettingzoo")
    with pytest.raises(SeedError):
        carc_env.aec_env(SHORT).reset(seed=wrong)


def test_numpys_ints_are_seeds_and_seats():
    for seed in (np.int64(5), np.uint8(5), np.array(5)):
        env, other = CarcassonneEnv(SHORT, "random", seat=np.int8(1)), CarcassonneEnv(SHORT, "random", seat=1)
        assert env.reset(seed=seed)[1]["player"] == 1
        other.reset(seed=5)
        assert json.dumps(env.game.record()) == json.dumps(other.game.record())
        envs = CarcassonneVectorEnv(2, SHORT, "random", seat=np.int8(1))
        envs.reset(seed=seed)
        assert envs.games.game(0).deck == other.game.deck


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"seat": 2}, PlayerError),
        ({"seat": -1}, PlayerError),
        ({"seat": 0.0}, PlayerError),
        ({"seat": True}, PlayerError),
        ({"seat": "first"}, PlayerError),
        ({"seat": None}, PlayerError),
        ({"reward": "gold"}, ArgumentError),
        ({"reward": None}, ArgumentError),
        ({"reward": np.zeros(2)}, ArgumentError),
        ({"observation": "pixels"}, ArgumentError),
        ({"illegal_action": 1}, ArgumentError),
        ({"render_mode": "3d"}, ArgumentError),
        ({"opponent": []}, ArgumentError),
        ({"players": 7}, ConfigError),
        ({"players": 2.0}, ConfigError),
        ({"players": "2"}, ConfigError),
        ({"players": True}, ConfigError),
        ({"config": {"boxs": []}}, ConfigError),
        ({"config": "nope.toml"}, ConfigError),
        ({"config": 7}, ConfigError),
    ],
)
def test_wrong_arguments_are_errors_of_carc_env(settings, error):
    for make in (CarcassonneEnv, CarcassonneVectorEnv):
        with pytest.raises(error):
            make(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"num_envs": 0},
        {"num_envs": 2.0},
        {"num_envs": True},
        {"num_envs": "2"},
        {"threads": 0},
        {"threads": 1.5},
        {"threads": 10**9},
    ],
)
def test_wrong_counts_are_errors_of_carc_env(settings):
    with pytest.raises(CountError, match=next(iter(settings))):
        CarcassonneVectorEnv(**settings)


@pytest.mark.parametrize(
    "options", [{"decks": []}, {"reset_mask": [True, True, True]}, {"reset_mask": np.ones(2, bool)}, 5]
)
def test_wrong_options_are_errors_of_carc_env(options):
    with pytest.raises(ArgumentError):
        CarcassonneVectorEnv(3, SHORT, "random").reset(options=options)
    with pytest.raises(ArgumentError):
        CarcassonneEnv(SHORT, "random").reset(options=options)


# --- masks ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("opponent", ["random", "self"])
def test_the_mask_at_the_end_of_a_game_has_pass_alone(opponent):
    env = CarcassonneEnv(SHORT, opponent)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        observation, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    for mask in (observation["action_mask"], info["action_mask"]):
        assert np.flatnonzero(mask).tolist() == [env.layout.pass_action] and mask.dtype == np.int8
    assert env.action_space.sample(info["action_mask"]) == env.layout.pass_action == env.action_space.n - 1
    assert not env.game.mask().any() and not env.game.observe()["action_mask"].any()  # the masks of Game are empty


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_no_row_of_a_batch_is_ever_without_an_answer(mode):
    envs = CarcassonneVectorEnv(3, SHORT, "self", autoreset_mode=mode, observation="both")
    observation, infos = envs.reset(seed=1)
    ends = 0
    for _ in range(60):
        observation, _, over, _, infos = envs.step(observation["action_mask"].argmax(1))
        rows = [observation["action_mask"], infos["action_mask"], envs.action_masks()]
        assert all(row.any(1).all() for row in rows)
        for i in np.flatnonzero(over):
            ends += 1
            last = infos["final_obs"][i]["action_mask"] if mode == "SameStep" else observation["action_mask"][i]
            assert np.flatnonzero(last).tolist() == [envs.layout.pass_action]
            if mode == "SameStep":
                assert np.flatnonzero(infos["final_info"]["action_mask"][i]).tolist() == [envs.layout.pass_action]
        if mode == "Disabled" and over.any():
            observation, infos = envs.reset(options={"reset_mask": over})
    assert ends >= 3


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_game_that_is_over_before_the_agent_is_asked_is_not_played_on(mode):
    envs = CarcassonneVectorEnv(2, SHORT, "random", seat=1, autoreset_mode=mode, spaces="common")
    observation, _ = envs.reset(seed=1, options={"deck": ["U"]})
    assert (
        envs.games.is_over.all()
        and [np.flatnonzero(row).tolist() for row in observation["action_mask"]] == [[envs.layout.pass_action]] * 2
    )
    if mode == "Disabled":
        with pytest.raises(gymnasium.error.ResetNeeded):
            envs.step([envs.layout.pass_action] * 2)
    else:
        _, rewards, over, _, _ = envs.step([envs.layout.pass_action] * 2)
        assert not over.any() and not rewards.any() and not envs.games.is_over.any()
    env = CarcassonneEnv(SHORT, "random", seat=1, spaces="common")
    env.reset(seed=1, options={"deck": ["U"]})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(env.layout.pass_action)


# --- ResetNeeded ------------------------------------------------------------------------------------------------------
def test_masks_of_no_game_need_a_reset():
    env = CarcassonneEnv(SHORT, "random", render_mode="ansi")
    for call in (env.action_masks, lambda: env.step(0)):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()
    assert env.render() is None
    env.reset(seed=1)
    env.step(0)  # illegal, so the game is lost
    for call in (env.action_masks, lambda: env.step(0)):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()
    assert "tiles" in env.render()  # it shows the lost game
    env.reset(seed=1)
    while not env.step(int(env.action_masks().argmax()))[2]:
        pass
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.action_masks()
    envs = CarcassonneVectorEnv(2, SHORT, "random", render_mode="ansi")
    for call in (envs.action_masks, lambda: envs.random_actions(np.ones((2, 2), np.int64)), lambda: envs.step([0, 0])):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()
    assert envs.render() is None


# --- copies -----------------------------------------------------------------------------------------------------------
def test_what_make_vec_gives_may_be_kept():
    envs = gymnasium.make_vec(ID, 2, vectorization_mode="vector_entry_point", opponent="random", config=SHORT)
    first, infos = envs.reset(seed=1)
    kept = {name: array.copy() for name, array in first.items()}
    for _ in range(3):
        envs.step(envs.action_masks().argmax(1))
    assert (
        all((first[name] == kept[name]).all() for name in kept) and (infos["action_mask"] == kept["action_mask"]).all()
    )


# --- configurations and specs -----------------------------------------------------------------------------------------
def forms(tmp_path):
    """Return a configuration, and a dict with the same configuration in each accepted form."""
    config = dataclasses.replace(SHORT, players=3)
    path = tmp_path / "mine.toml"
    path.write_text(config.to_toml(), encoding="utf-8")
    return config, {
        "config": config,
        "dict": config.to_dict(),
        "path": path,
        "text": str(path),
        "lists": json.loads(json.dumps(config.to_dict())),
    }


@pytest.mark.parametrize("form", ["config", "dict", "path", "text", "lists"])
def test_a_configuration_may_be_given_in_any_form_and_the_spec_survives_json(form, tmp_path, monkeypatch):
    config, given = forms(tmp_path)
    env = gymnasium.make(ID, config=given[form], opponent=["greedy", ("random", 2.0)], seat=np.int64(1))
    text = env.spec.to_json()
    (tmp_path / "mine.toml").unlink()  # the spec contains the configuration and not the path of its file
    again = gymnasium.make(EnvSpec.from_json(text))
    assert env.unwrapped.config == again.unwrapped.config == config
    assert (env.reset(seed=3)[0]["globals"] == again.reset(seed=3)[0]["globals"]).all()
    assert env.unwrapped.game == again.unwrapped.game


@pytest.mark.parametrize("name, preset", PRESETS.items())
def test_specs_of_the_ids_survive_json(name, preset):
    for settings in ({}, {"config": None}, {"config": "base"}, {"players": 3}):
        env = gymnasium.make(f"carc_env/{name}-v0", opponent="random", **settings)
        expected = carc_env.preset(settings.get("config") or preset)
        expected = dataclasses.replace(expected, players=settings.get("players", 2))
        assert (
            gymnasium.make(EnvSpec.from_json(env.spec.to_json())).unwrapped.config == env.unwrapped.config == expected
        )


def test_the_spec_of_a_batch_survives_json(tmp_path):
    config, given = forms(tmp_path)
    for form in given.values():
        envs = gymnasium.make_vec(
            ID,
            2,
            vectorization_mode="vector_entry_point",
            config=form,
            opponent="random",
            autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
        )
        again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
        assert again.config == envs.config == config and again.num_envs == 2
        assert again.autoreset_mode == gymnasium.vector.AutoresetMode.SAME_STEP


def test_players_is_an_argument():
    for players in (3, np.int64(3)):
        assert gymnasium.make(ID, players=players).unwrapped.config == dataclasses.replace(
            carc_env.preset("goldmines"), players=3
        )
        envs = gymnasium.make_vec(ID, 2, vectorization_mode="vector_entry_point", players=players, opponent="random")
        assert envs.config.players == 3 and envs.reset(seed=1)[1]["scores"].shape == (2, 3)
    assert gymnasium.make_vec(ID, 2, vectorization_mode="sync", players=3).call("config")[0].players == 3
    with pytest.raises(ConfigError, match="players = 9"):
        gymnasium.make(ID, players=9)
    pytest.importorskip("pettingzoo")
    assert carc_env.aec_env("base", players=4).possible_agents == [f"player_{player}" for player in range(4)]


# --- other libraries --------------------------------------------------------------------------------------------------
PROGRAM = """
import sys
sys.modules["stable_baselines3"] = None
import carc_env
try:
    import carc_env.envs.sb3
except ImportError as error:
    print(error)
"""


def test_without_stable_baselines_the_error_names_the_extra():
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    assert done.stdout == 'carc_env.envs.sb3 needs Stable-Baselines3: pip install ".[train]"\n'


def test_all_errors_of_the_environments_are_errors_of_carc_env():
    """All errors of the environments are defined in carc_env, and are subclasses of ValueError."""
    for error in (ArgumentError, ConfigError, CountError, IllegalAction, PlayerError, SeedError):
        assert issubclass(error, ValueError) and error.__module__.startswith("carc_env.")
    sources = [path.read_text() for path in (__import__("pathlib").Path(carc_env.envs.__file__).parent).glob("*.py")]
    assert not any("raise ValueError" in source or "raise TypeError" in source for source in sources)


def test_an_action_out_of_range_is_illegal_but_an_action():
    for past, illegal in itertools.product((-1, None, 10**6, np.int64(-5)), ("lose", "random")):
        env = CarcassonneEnv(SHORT, "random", illegal_action=illegal)
        action = int(env.action_space.n) if past is None else past
        env.reset(seed=1)
        _, _, terminated, _, info = env.step(action)
        assert info["illegal_action"] and terminated == (illegal == "lose")
