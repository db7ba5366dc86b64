"""Tests of the bot `learned`: the value network computed with NumPy, its prices, and valid and invalid checkpoints."""

import dataclasses
import pickle

import numpy as np
import pytest

import carc_env
from carc_env import Games
from carc_env.bots import checkpoint, make
from carc_env.bots.checkpoint import CheckpointError
from carc_env.bots.learned import LearnedBot, read_prices, shipped_for
from carc_env.boxes.prospect_parts import N_PARTS, Part
from carc_env.observing.keen import keen_prices
from carc_env.observing.pricing import WORK, take_prices
from carc_env.observing.prospects import LEARNED, PRICE_TABLE, PRICES, VIEW
from carc_env.observing.value_network import N_INPUTS, NETWORK, THOUGHT, Asked, Input, half, network_of, tensors_of
from tests import modes

SHIPPED = checkpoint.shipped_names("values")


def drawn(seed=0):
    """Return the arrays of a network with random weights."""
    rng, shapes = np.random.default_rng(seed), {name: np.zeros(1, NETWORK)[0][name].shape for name in NETWORK.names[1:]}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def linear(**weights):
    """Return a network whose output is a weighted sum of the named inputs. The network treats negative inputs as 0."""
    network = {name: np.zeros_like(array) for name, array in drawn().items()}
    for place, (name, weight) in enumerate(weights.items()):
        network["first"][Part[name] if name in Part.__members__ else Input[name], place] = 1.0
        network["second"][place, place] = 1.0
        network["last"][place] = weight
    return network


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a network as a checkpoint, with the given prices and changes of the card. The
    function returns the path of the checkpoint.
    """

    def write(tensors, prices=None, **changes):
        card = checkpoint.read(checkpoint.shipped("base-values")).card
        told = checkpoint.prices_to_dict(keen_prices() if prices is None else prices)
        path = tmp_path / f"mine-{len(list(tmp_path.iterdir()))}"
        checkpoint.write(path, dataclasses.replace(card, prices=told, **changes), tensors)
        return str(path)

    return write


def in_numpy(tensors, inputs):
    """Return the output of the network, like `half`, but in double precision."""
    hidden = np.maximum(inputs @ tensors["first"] + tensors["first_bias"], 0.0)
    deep = np.maximum(hidden @ tensors["second"] + tensors["second_bias"], 0.0)
    return deep @ tensors["last"]


def test_the_network_by_hand():
    tensors, thought = drawn(), np.zeros(1, THOUGHT)
    network = network_of(tensors, Asked.LEAVES)
    for seed in range(5):
        thought[0]["inputs"] = np.random.default_rng(seed).normal(size=N_INPUTS) * (np.arange(N_INPUTS) % 3 > 0)
        expected = in_numpy({name: array.astype(float) for name, array in tensors.items()}, thought[0]["inputs"])
        assert half(network[0], thought[0]) == pytest.approx(expected, rel=1e-4)
    assert set(tensors_of(network)) == set(tensors)
    for name, array in tensors_of(network).items():
        np.testing.assert_array_equal(array, tensors[name])


def positions(preset, n, players=2):
    """Return games that `keen` plays, in positions after different numbers of actions."""
    games, keen = Games(dataclasses.replace(carc_env.preset(preset), players=players), n, range(n)), make("keen")
    for step in range(20 + n):
        which = np.arange(min(n, step), n) if step > 20 else np.arange(n)
        games.step_if_legal(keen.choose_batch(games)[which], which)
    return games


def test_a_network_of_nothing_changes_nothing(file):
    games = positions("base", modes.sized(40, 8, 8))
    nothing = {name: np.zeros_like(array) for name, array in drawn().items()}
    np.testing.assert_array_equal(
        make(f"learned:{file(nothing)}").choose_batch(games), make("keen").choose_batch(games)
    )


def test_what_the_network_adds_is_added_to_prices(file):
    """A network that values followers in supply plays like prices that value these followers by the same amount."""
    prices = keen_prices()
    prices[0]["others"] = 1.0
    path, dearer = file(linear(SUPPLY=2.5), prices), prices.copy()
    dearer[0]["parts"][Part.SUPPLY] += 2.5
    by_network, by_price = make(f"learned:{path}"), make(f"learned:{file(linear(), dearer)}")
    games = positions("base", modes.sized(60, 8, 8))
    np.testing.assert_array_equal(by_network.choose_batch(games), by_price.choose_batch(games))
    assert (by_network.choose_batch(games) != make(f"learned:{file(linear(), prices)}").choose_batch(games)).any()
    game = games.game(0)
    for one, other in zip(by_network.analyse(game), by_price.analyse(game)):
        assert one == (other[0], pytest.approx(other[1], abs=2e-3))


def test_points_for_completed_features_are_seen_as_had(file):
    """For the network, the points of completed features count as if the player already had them. A network that
    subtracts the lead therefore plays like prices at which such points are worth nothing.
    """
    prices = keen_prices()
    prices[0]["others"] = 1.0
    path, cheaper = file(linear(LEAD=-20.0), prices), prices.copy()  # a lead of 20 points is the input 1
    cheaper[0]["parts"][Part.NOW] = 0.0
    by_network, by_price, without = (
        make(f"learned:{path}"), make(f"learned:{file(linear(), cheaper)}"), make(f"learned:{file(linear(), prices)}")
    )  # fmt: skip
    games, changed = positions("base", 20), 0
    for k in range(len(games)):
        found, expected, other = (below_best(bot, games.game(k)) for bot in (by_network, by_price, without))
        assert found == {answer: pytest.approx(value, abs=3e-3) for answer, value in expected.items()}
        changed += max(abs(other[answer] - value) for answer, value in expected.items()) > 0.5
    assert changed


def below_best(bot, game):
    """Return the value of each action minus the best value. These differences do not depend on who leads already."""
    values = dict(bot.analyse(game))
    return {answer: value - max(values.values()) for answer, value in values.items()}


def test_prices_are_taken_whole():
    """Compiled code copies the prices field by field. The test checks that no field is missing."""
    prices, view, work = np.zeros(1, PRICES), np.zeros(1, VIEW), np.zeros(1, WORK)
    for k, name in enumerate(PRICE_TABLE.names):
        prices[0][name] = k + 1
    prices[LEARNED] = network_of(drawn(), Asked.LEAVES)
    take_prices(view[0], work[0], prices[0])
    for name in PRICE_TABLE.names:
        np.testing.assert_array_equal(view[0]["prices"][name], prices[0][name])
    for name in NETWORK.names:
        np.testing.assert_array_equal(work[0]["network"][name], prices[0][LEARNED][name])


@pytest.mark.parametrize("players", [3, 4])
def test_more_players_are_played_as_by_keen(players):
    games = positions("base", modes.sized(20, 4, 4), players)
    np.testing.assert_array_equal(make("learned").choose_batch(games), make("keen").choose_batch(games))
    assert make("learned").agent_for(games.config) is None


def test_a_game_without_a_network_is_played_as_by_keen():
    config = carc_env.GameConfig(boxes=("base", "ferries"))
    assert shipped_for(config) is None and make("learned").agent_for(config) is None
    games = Games(config, 4, range(4))
    np.testing.assert_array_equal(make("learned").choose_batch(games), make("keen").choose_batch(games))


@pytest.mark.parametrize("name", [modes.later(name) if name == "expansions-values" else name for name in SHIPPED])
def test_the_networks_that_come_with_the_package(name, usual_sizes):
    card, preset = checkpoint.read(checkpoint.shipped(name)).card, name.removesuffix("-values")
    config = carc_env.preset(preset)
    assert shipped_for(config) == checkpoint.shipped(name) and make("learned").agent_for(config) == name
    assert card.config == config.to_dict() and card.preset == preset
    strength = {match["b"]: match for match in card.strength}
    assert strength["greedy"]["ci95"][0] > 0.5 and strength["keen"]["win_rate_a"] > 0.5
    assert all(match["illegal"] == 0 and match["pairs"] >= 200 for match in strength.values())
    games = positions(preset, 4)
    by_name = make(f"learned:{name}")
    assert by_name.name == f"learned:{name}"
    np.testing.assert_array_equal(make("learned").choose_batch(games), by_name.choose_batch(games))
    assert games.are_legal(by_name.choose_batch(games)).all()


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="many whole games")
def test_it_beats_keen():
    result = carc_env.play_match("learned", "keen", "base", pairs=modes.sized(400, 60, 60))
    assert result.margin > 0 and result.illegal == 0 and result.agent_a == "base-values"


def test_one_game_is_answered_as_many_are():
    games, bot = positions("base", 6), make("learned")
    assert [bot.choose(games.game(i)) for i in range(6)] == bot.choose_batch(games).tolist()
    again = pickle.loads(pickle.dumps(make("learned:base-values")))
    assert again.choose_batch(games).tolist() == bot.choose_batch(games).tolist()


def test_what_it_cannot_play(file):
    with pytest.raises(CheckpointError, match="base-quick.* has network = 'candidates', but this bot needs 'values'"):
        make("learned:base-quick")
    with pytest.raises(CheckpointError, match="base-values.* has network = 'values', but this bot needs 'candidates'"):
        make("ppo:base-values")
    tensors = drawn()
    for broken in ({"first": tensors["first"][1:]}, {"last": tensors["last"][None]}):
        with pytest.raises(CheckpointError, match="has no network that this bot can use: (first|last) has the shape"):
            LearnedBot(file(tensors | broken))
    del tensors["second"]
    with pytest.raises(CheckpointError, match="has no network that this bot can use: 'second'"):
        LearnedBot(file(tensors))
    with pytest.raises(CheckpointError, match="no checkpoint 'nowhere'"):
        make("learned:nowhere")


def test_prices_of_a_card_are_those_of_keen(file):
    prices = read_prices(file(drawn()), Asked.PRICES)
    for name in keen_prices().dtype.names:
        if name != LEARNED:
            np.testing.assert_allclose(prices[0][name], keen_prices()[0][name])
    assert prices[0][LEARNED]["asked"] == Asked.PRICES and 2 * N_PARTS + len(Input) == N_INPUTS


def test_rollouts_ask_it_at_their_ends():
    """Rollouts with `values=learned` and with `values=prices` play the same games, but the network gives other values
    to the positions in which rollouts end.
    """
    game = positions("base", 2).game(0)
    found = [
        make(f"rollout:playouts=40,policy=keen,values={values}", 1).search(game) for values in ("learned", "prices")
    ]
    assert set(found[0].answers) == set(found[1].answers) and found[0].values.tolist() != found[1].values.tolist()
    deep = [make(f"rollout:playouts=16,depth=80,policy=keen,values={values}", 1) for values in ("learned", "prices")]
    assert deep[0].action_values(game) == deep[1].action_values(game)  # the game ends, so the network is not used
