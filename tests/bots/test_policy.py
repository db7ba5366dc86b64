"""Tests of the bot `ppo`: valid and invalid checkpoints, and the agents that come with the package."""

import dataclasses
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import carc_env
from carc_env.bots import checkpoint, make
from carc_env.bots.checkpoint import Card, CheckpointError
from carc_env.bots.policy import Network, PolicyBot, read_agent, shipped_for
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.arguments import brief
from carc_env.games.games import Games
from carc_env.observing.candidates import PRICE
from carc_env.observing.encode import ObservationSpec
from carc_env.observing.prospects import default_prices
from carc_env.observing.spaces import layout_of
from carc_env.setup.config import GameConfig

SHORT = GameConfig(boxes=("goldmines",))  # eight tiles


def tensors(width: int = 6, seed: int = 0) -> dict[str, np.ndarray]:
    """Return the arrays of a network with one hidden layer. With seed 0, the network plays like `greedy`."""
    rng = np.random.default_rng(seed)
    size = 1.0 if seed else 0.0
    shapes = {
        "logit.0.weight": (width, N_COLUMNS),
        "logit.0.bias": (width,),
        "logit.2.weight": (1, width),
        "logit.2.bias": (1,),
    }
    return {
        "scale.mean": np.zeros(N_COLUMNS, np.float32),
        "scale.spread": np.ones(N_COLUMNS, np.float32),
        "greedy.weight": np.ones(1, np.float32),
        **{name: size * rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()},
    }


CARD = Card(
    network="candidates",
    preset="goldmines",
    config=carc_env.preset("goldmines").to_dict(),
    rows=64,
    prices=checkpoint.prices_to_dict(),
    training={"width": 6},
    steps=10,
    games=1,
    minutes=0.5,
    seed=3,
    commit=None,
    versions={},
    strength=[],
)


@pytest.fixture
def stem(tmp_path):
    """Return the path, without the suffix, of a checkpoint that plays like `greedy`."""
    checkpoint.write(tmp_path / "agent.v2", CARD, tensors())
    return tmp_path / "agent.v2"


def change_card(stem, **changes) -> None:
    """Change values of the card. The value "gone" removes a key."""
    path = checkpoint.paths(stem)[1]
    card = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in card.items() if value != "gone"}))


def test_what_was_written_is_read(stem):
    found = checkpoint.read(stem)
    assert found.card == dataclasses.replace(CARD, sha256=found.card.sha256) and len(found.card.sha256) == 64
    assert found.tensors.keys() == tensors().keys()
    assert all(np.array_equal(found.tensors[name], array) for name, array in tensors().items())
    assert found.prices == default_prices()


def test_a_network_that_only_knows_the_price_plays_like_greedy(stem):
    bot, game = make(f"ppo:{stem}"), carc_env.Game(SHORT, seed=5)
    while not game.is_over:
        spec = ObservationSpec(layout_of(game.config, "common"), "candidates", price=True)
        seen, answer = game.observe(observation=spec), bot.choose(game)
        price = seen["candidates"][seen["candidate_actions"] == answer, PRICE]
        assert price == pytest.approx(0, abs=1e-5)  # the best value; of equally good actions, either may come first
        game.play(answer)
    assert bot.choose_batch(Games.view_of(game)).tolist() == [-1]


def test_the_spec_names_the_file_with_or_without_its_ending(stem):
    a, b = make(f"ppo:{stem}"), make(f"ppo:{stem}.safetensors")
    assert a.name == f"ppo:{stem}"
    assert a.choose_batch(Games(SHORT, 2, [1, 2])).tolist() == b.choose_batch(Games(SHORT, 2, [1, 2])).tolist()


def test_one_game_and_many_get_the_same_answers(tmp_path):
    checkpoint.write(tmp_path / "agent", CARD, tensors(seed=4))
    bot, games = make(f"ppo:{tmp_path / 'agent'}"), Games(SHORT, 5, range(5))
    for _ in range(6):
        actions = bot.choose_batch(games)
        assert [int(bot.choose_batch(games[[i]])[0]) for i in range(5)] == actions.tolist()
        games.step(actions)


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"layout_hash": "0" * 16}, "its layout hash is 0000000000000000, but the hash of this"),
        ({"sha256": "0" * 64}, "truncated or changed"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"steps": "gone"}, "the card lacks the key 'steps'"),
        ({"steps": "many"}, "the card: steps = 'many': should be of type int"),
        ({"rows": 0}, "rows = 0"),
        ({"carc_env": 2}, "has checkpoint format 2; this version of carc_env reads only format 1"),
        ({"network": "transformer"}, "network = 'transformer'"),
        ({"config": {"players": 77}}, "config: players = 77"),
        ({"prices": {"follower": 1.0}}, "the heuristic weights .'prices'. should have the names part_"),
        (
            {"prices": checkpoint.prices_to_dict() | {"follower": None}},
            "the heuristic weight follower is None, which is not a number",
        ),
        *(
            ({"prices": checkpoint.prices_to_dict() | {name: value}}, f"weight {name} is .*, which is not finite")
            for name in ("follower", "part_roads")
            for value in (float("nan"), float("-inf"), 1e39, 10**400)
        ),
        ({"rows": 10**12}, "rows = 1000000000000: should be from 1 to"),
    ],
)
def test_cards_that_do_not_hold(stem, changes, reason):
    change_card(stem, **changes)
    with pytest.raises(CheckpointError, match=reason) as error:
        PolicyBot(str(stem))
    assert str(error.value).startswith(str(stem.parent)) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda numbers, card: numbers.write_bytes(numbers.read_bytes()[:-5]), "truncated or changed"),
        (lambda numbers, card: numbers.write_bytes(numbers.read_bytes() + b"x"), "truncated or changed"),
        (lambda numbers, card: numbers.write_bytes(b""), "truncated or changed"),
        (lambda numbers, card: numbers.unlink(), "No such file"),
        (lambda numbers, card: card.unlink(), "No such file"),
        (lambda numbers, card: card.write_text("{"), "not JSON"),
        (lambda numbers, card: card.write_text("[]"), "the card should be a table of fields"),
        (lambda numbers, card: card.write_bytes(b"\xff\xfe"), "not JSON"),
        (lambda numbers, card: (numbers.unlink(), numbers.mkdir()), "is not a file"),
        (lambda numbers, card: (card.unlink(), card.mkdir()), "is not a file"),
        (lambda numbers, card: (numbers.unlink(), os.mkfifo(numbers)), "is not a file"),  # reading it would never end
        (lambda numbers, card: (numbers.unlink(), numbers.symlink_to(numbers)), "symbolic links"),
        (lambda numbers, card: (numbers.unlink(), numbers.symlink_to("nothing")), "No such file"),
        # sparse files, which take no disk space
        (lambda numbers, card: os.truncate(numbers, checkpoint.LARGEST + 1), "has 268,435,457 bytes; at most"),
        (lambda numbers, card: os.truncate(card, checkpoint.LARGEST + 1), "has 268,435,457 bytes; at most"),
    ],
)
def test_files_that_do_not_hold(stem, spoil, reason):
    spoil(*checkpoint.paths(stem))
    with pytest.raises(CheckpointError, match=reason) as error:
        PolicyBot(str(stem))
    assert str(error.value).startswith(str(stem))


def test_a_link_to_a_checkpoint_is_one(stem, tmp_path):
    for path, link in zip(checkpoint.paths(stem), checkpoint.paths(tmp_path / "link")):
        link.symlink_to(path)
    assert make(f"ppo:{tmp_path / 'link'}").agent_for(SHORT) == "link"


@pytest.mark.parametrize(
    "name", ["ghost", "ghost.safetensors", "a/ghost", "/", "x" * 5000, "goldmines-quick.json", "\0"]
)
def test_a_checkpoint_that_there_is_not(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError) as error:
        make(f"ppo:{name}")
    known = f"the checkpoints of the package are {', '.join(checkpoint.shipped_names())}"
    expected = (
        f"there is no checkpoint {brief(name)}; {known}"
        if name != "/"
        else "/ is not a checkpoint. A checkpoint consists of two files: NAME.safetensors and NAME.json"
    )
    assert str(error.value) == expected


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.float64(1e39)])
@pytest.mark.parametrize("name", ["logit.0.weight", "logit.2.bias", "scale.mean", "greedy.weight", "value.0.weight"])
def test_weights_that_are_not_finite(tmp_path, name, value):
    """The card fits the file, so only a check of the numbers themselves can find the error."""
    numbers = {"value.0.weight": np.zeros((2, 2), np.float32)} | tensors()
    numbers[name] = numbers[name].astype(value.dtype if isinstance(value, np.float64) else np.float32)
    numbers[name].flat[-1] = value
    checkpoint.write(tmp_path / "agent", CARD, numbers)
    with pytest.raises(
        CheckpointError, match=f"agent.safetensors: '{name}' should contain only finite float32 numbers"
    ):
        make(f"ppo:{tmp_path / 'agent'}")


def test_nothing_in_a_checkpoint_is_run(stem, tmp_path):
    import hashlib

    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "sprung"), "w")

    data = pickle.dumps(Trap())
    checkpoint.paths(stem)[0].write_bytes(data)
    change_card(stem, sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(CheckpointError, match="not a safetensors file"):
        PolicyBot(str(stem))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"logit.0.weight": np.zeros((6, N_COLUMNS + 1), np.float32)},
        {"logit.2.bias": np.zeros(2, np.float32)},
        {"scale.mean": np.zeros(3, np.float32)},
        {"logit.0.bias": np.zeros((), np.float32)},
        {"scale.spread": np.zeros(N_COLUMNS, np.float32)},
        {"greedy.weight": None},
        {"logit.0.bias": None},
    ],
)
def test_numbers_of_another_network(tmp_path, changes):
    numbers = {name: array for name, array in (tensors() | changes).items() if array is not None}
    checkpoint.write(tmp_path / "agent", CARD, numbers)
    with pytest.raises(CheckpointError, match="has no network that this bot can use"):
        PolicyBot(str(tmp_path / "agent"))


def test_a_network_that_does_not_see_the_price(tmp_path):
    """A network without the columns `price` and `rank`, and without a weight for the price, chooses its actions by the
    other columns.
    """
    numbers = {name: array for name, array in tensors(seed=4).items() if name != "greedy.weight"}
    for name in ("logit.0.weight", "scale.mean", "scale.spread"):
        numbers[name] = numbers[name][..., :N_SHOWN]
    checkpoint.write(tmp_path / "agent", CARD, numbers)
    bot, game = make(f"ppo:{tmp_path / 'agent'}"), carc_env.Game(SHORT, seed=5)
    while not game.is_over:
        seen, answer = game.observe(observation="candidates"), bot.choose(game)
        logits = Network(numbers, np.float64).logits(seen["candidates"][seen["candidate_actions"] >= 0])
        assert seen["candidate_actions"][logits.round(6).argmax()] == answer
        game.play(answer)


def test_an_agent_may_look_at_one_row(tmp_path):
    """With only one row, the agent plays the action with the best heuristic value."""
    checkpoint.write(tmp_path / "narrow", dataclasses.replace(CARD, rows=1), tensors(seed=3))
    bot, greedy, game = make(f"ppo:{tmp_path / 'narrow'}"), make("greedy"), carc_env.Game(SHORT, seed=5)
    while not game.is_over:
        best = [answer for answer, _ in greedy.analyse(game)]
        assert bot.choose(game) in best[: max(1, len(best) // 2)]
        game.play(bot.choose(game))


def test_the_prices_of_the_card_are_used(tmp_path):
    prices = checkpoint.prices_to_dict() | {"follower": 1000.0}
    checkpoint.write(tmp_path / "miser", dataclasses.replace(CARD, prices=prices), tensors())
    assert read_agent(tmp_path / "miser").prices[0]["follower"] == 1000.0
    game = carc_env.Game(SHORT, seed=1)
    bot = make(f"ppo:{tmp_path / 'miser'}")
    while game.tiles_left:  # before the last turn, a follower in supply is worth more than any points it could score
        game.play(bot.choose(game))
    assert game.meeples["meeple"].tolist() == [7, 7]


def test_logits_by_hand():
    numbers = tensors(seed=3)
    row = np.random.default_rng(1).normal(size=N_COLUMNS).astype(np.float32)
    hidden = [
        max(0.0, sum(w * x for w, x in zip(weights, row.clip(-8, 8).tolist())) + bias)
        for weights, bias in zip(numbers["logit.0.weight"].tolist(), numbers["logit.0.bias"].tolist())
    ]
    expected = sum(w * x for w, x in zip(numbers["logit.2.weight"][0].tolist(), hidden))
    expected += float(numbers["logit.2.bias"][0]) + float(row[PRICE])
    assert Network(numbers, np.float64).logits(row[None])[0] == pytest.approx(expected)


SHIPPED = sorted(
    path.stem.removesuffix("-quick") for path in (checkpoint.PACKAGE.parent / "checkpoints").glob("*-quick.json")
)


@pytest.mark.parametrize("preset", SHIPPED)
def test_the_agents_that_come_with_the_package(preset):
    config = carc_env.preset(preset)
    assert {shipped_for(config), shipped_for(dataclasses.replace(config, players=4))} == {
        checkpoint.shipped(f"{preset}-quick")
    }
    bot, card = make("ppo", seed=1), checkpoint.read(shipped_for(config)).card
    assert bot.name == "ppo" and card.preset == preset and GameConfig.from_dict(card.config) == config
    strength = {match["b"]: match for match in card.strength}
    assert strength["random"]["win_rate_a"] >= 0.97 and strength["random"]["pairs"] >= 500
    assert strength["random"]["illegal"] == strength["greedy"]["illegal"] == 0
    games = Games(config, 2, [1, 2])
    assert games.are_legal(bot.choose_batch(games)).all()


@pytest.mark.parametrize("preset", carc_env.presets())
def test_it_plays_everything(preset):
    """The agents of all presets read the same columns. The agent of `base` plays configurations without an agent of
    their own.
    """
    assert "base" in SHIPPED and shipped_for(SHORT) == checkpoint.shipped("base-quick")
    bot, game = make("ppo"), carc_env.Game(dataclasses.replace(carc_env.preset(preset), players=3), seed=1)
    for _ in range(4):
        game.play(bot.choose(game))


@pytest.mark.parametrize("name", SHIPPED)
def test_an_agent_that_comes_with_the_package_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot, games = make(f"ppo:{name}-quick"), Games(name, 2, [1, 2])
    assert (bot.name, repr(bot)) == (f"ppo:{name}-quick", f"<bot ppo:{name}-quick>")
    assert bot.choose_batch(games).tolist() == make("ppo").choose_batch(games).tolist()
    checkpoint.write(tmp_path / f"{name}-quick", CARD, tensors())  # a file in the current folder takes precedence
    assert make(f"ppo:{name}-quick")._agent.rows == CARD.rows != read_agent(checkpoint.shipped(f"{name}-quick")).rows


def test_the_bot_says_which_agent_plays(stem):
    assert (
        repr(make("ppo"))
        == "<bot ppo (base-quick or carcassonne-quick or everything-quick or expansions-quick or france-quick or goldmines-quick)>"
    )
    assert make("ppo").agent_for(carc_env.preset("carcassonne")) == "carcassonne-quick"
    assert make("ppo").agent_for(carc_env.preset("goldmines-c1")) == make("ppo").agent_for(SHORT) == "base-quick"
    assert make(f"ppo:{stem}").agent_for(SHORT) == "agent.v2"
    assert make("ppo:carcassonne-quick").agent_for(SHORT) == "carcassonne-quick"
    assert make("greedy").agent_for(SHORT) is None
    assert PolicyBot.of(Network(tensors()), 64, default_prices()).agent_for(SHORT) is None


def test_playing_needs_no_torch():
    code = "import sys; from carc_env.bots import make; make('ppo'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=checkpoint.PACKAGE.parent)
