"""Checks that one network can play all configurations: the common spaces are the same for every preset, and a network
that is loaded once plays every preset.
"""

import contextlib
import dataclasses

import gymnasium
import numpy as np
import pytest

import carc_env
from carc_env.bots import checkpoint
from carc_env.bots.checkpoint import CheckpointError
from carc_env.bots.policy import DEFAULT, Network, PolicyBot
from carc_env.boxes.layout import N_SHOWN
from carc_env.envs.single import CarcassonneEnv
from carc_env.observing import encode

MOVES = 12
CONFIGS = {name: carc_env.preset(name) for name in carc_env.presets()} | {
    "carcassonne for five": dataclasses.replace(carc_env.preset("carcassonne"), players=5),
    "expansions for six": dataclasses.replace(carc_env.preset("expansions"), players=6),
    "all systems": carc_env.GameConfig(
        players=3,
        sheet="france",
        boxes=(
            "base",
            "goldmines",
            "inns_and_cathedrals",
            "traders_and_builders",
            "abbot",
            "crop_circles",
            "map_chips",
        ),
    ),
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    """Return bots that are loaded only once: one with random weights and, if this version can read it, the default
    agent of the package.
    """
    rng = np.random.default_rng(7)
    shapes = {"logit.0.weight": (8, N_SHOWN), "logit.0.bias": (8,), "logit.2.weight": (1, 8), "logit.2.bias": (1,)}
    numbers = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    numbers |= {"scale.mean": np.zeros(N_SHOWN, np.float32), "scale.spread": np.ones(N_SHOWN, np.float32)}
    card = checkpoint.Card(
        network="candidates",
        preset="goldmines",
        config=carc_env.preset("goldmines").to_dict(),
        rows=64,
        prices=checkpoint.prices_to_dict(),
        training={},
        steps=0,
        games=0,
        minutes=0.0,
        seed=7,
        commit=None,
        versions={},
        strength=[],
    )
    path = tmp_path_factory.mktemp("agents") / "untrained"
    checkpoint.write(path, card, numbers)
    found = [PolicyBot(str(path))]
    with contextlib.suppress(CheckpointError):  # an outdated agent, see tests/bots/test_policy.py
        found.append(PolicyBot(str(checkpoint.shipped(DEFAULT))))
    return found


@pytest.mark.parametrize("observation", ["planes", "candidates", "both"])
def test_common_spaces_are_the_same_for_all_on_a_table_of_one_size(observation):
    envs = [
        CarcassonneEnv(config, opponent="self", observation=observation, spaces="common") for config in CONFIGS.values()
    ]
    for env in envs:
        model = next(other for other in envs if other.config.table_size == env.config.table_size)
        assert env.action_space == model.action_space and env.observation_space == model.observation_space
        seen, _ = env.reset(seed=3)
        assert env.observation_space.contains(seen)
        expected = encode.spaces(observation, env.config.table_size)
        assert {name: (array.shape, array.dtype) for name, array in seen.items()} == {
            name: (shape, np.dtype(dtype)) for name, (shape, dtype, *_) in expected.items()
        }


def test_registered_environments_have_these_spaces():
    for name in ("Base", "Goldmines", "France", "Carcassonne"):
        env = gymnasium.make(f"carc_env/{name}-v0", opponent="random", spaces="common")
        assert env.action_space == CarcassonneEnv("base", spaces="common").action_space
        assert env.observation_space == CarcassonneEnv("base", spaces="common").observation_space


@pytest.mark.parametrize("name", CONFIGS)
def test_a_network_loaded_once_plays_everywhere(bots, name):
    for bot in bots:
        game = carc_env.Game(CONFIGS[name], seed=11)
        for _ in range(MOVES):
            answer = bot.choose(game)
            assert answer in game.legal_actions()
            game.play(answer)
        games = carc_env.Games(CONFIGS[name], 3, [1, 2, 3])
        for _ in range(MOVES):
            answers = bot.choose_batch(games)
            assert games.are_legal(answers).all()
            games.step(answers)


@pytest.mark.parametrize("name", CONFIGS)
def test_it_plays_from_what_it_is_shown(name):
    """A network that reads only the candidates of an observation chooses legal actions."""
    rng = np.random.default_rng(3)
    network = Network(
        {
            "scale.mean": np.zeros(N_SHOWN),
            "scale.spread": np.ones(N_SHOWN),
            "logit.0.weight": rng.normal(size=(1, N_SHOWN)),
            "logit.0.bias": np.zeros(1),
        },
        np.float64,
    )
    env = CarcassonneEnv(CONFIGS[name], opponent="self", observation="candidates", illegal_action="raise")
    seen, _ = env.reset(seed=5)
    for _ in range(MOVES):
        number = (seen["candidate_actions"] >= 0).sum()
        best = network.logits(seen["candidates"][:number]).argmax()
        seen, _, terminated, _, info = env.step(int(seen["candidate_actions"][best]))
        assert not terminated and "illegal_action" not in info
