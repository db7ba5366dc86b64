"""Laws about observations."""

import random

import numpy as np
from hypothesis import assume, given

import carc_env
from carc_env.bots import make
from carc_env.bots.policy import Network, PolicyBot
from carc_env.boxes.layout import N_COLUMNS
from carc_env.observing import encode
from carc_env.observing.prospects import default_prices
from tests import modes

from .games import (
    chips_of,
    dictated,
    every_config,
    games,
    games_going_on,
    play_on,
    players_of,
    random_answer,
    seeds,
    squares_of,
)


def untrained():
    """Return a network with random weights, so that each of its inputs matters."""
    rng = np.random.default_rng(1)
    shapes = {"logit.0.weight": (8, N_COLUMNS), "logit.0.bias": (8,), "logit.2.weight": (1, 8), "logit.2.bias": (1,)}
    numbers = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return Network(
        numbers
        | {
            "scale.mean": np.zeros(N_COLUMNS, np.float32),
            "scale.spread": np.ones(N_COLUMNS, np.float32),
            "greedy.weight": np.ones(1, np.float32),
        },
        np.float64,
    )


def same(one, other):
    """True if two observations are equal."""
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def another_with_hidden_things_moved(game, rng, played):
    """Return a copy of the game with the tiles to come in another order and the faces of the hidden chips exchanged."""
    deck, chips = game.record()["deck"], chips_of(game)
    drawn, rest = deck[: len(deck) - game.tiles_left], deck[len(deck) - game.tiles_left :]
    if chips:
        covered = {square for place in game.board() for square in squares_of(place)}
        down = [chip for chip in chips if chip[:2] not in covered]
        faces = rng.sample([chip[2:] for chip in down], len(down))
        chips = [chip for chip in chips if chip[:2] in covered]
        chips += [(*chip[:2], *face) for chip, face in zip(down, faces, strict=True)]
    other = dictated(game, deck=drawn + rng.sample(rest, len(rest)), chips=chips)
    for text in played:
        other.play(text)
    return other


POLICY = PolicyBot.of(untrained(), rows=200, prices=default_prices())


@every_config()
def test_deck_order_and_chip_faces_are_hidden(config, seed):
    """Neither observations nor actions of bots depend on the order of the tiles to come or on hidden chip faces."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    played = play_on(game, rng, answers=rng.randint(0, 130))
    other = another_with_hidden_things_moved(game, rng, played)
    for player in range(config.players):
        for observation in ("planes", "candidates", "both"):
            assert same(game.observe(player, observation), other.observe(player, observation))
    assert game.provisional_scores().tolist() == other.provisional_scores().tolist()
    if not game.is_over:
        for bot in (make("greedy"), POLICY, make("random", seed=3)):
            assert bot.choose(game) == bot.choose(other)


@every_config(1, lambda config: "map_chips" in config.boxes)
def test_faces_are_hidden_where_the_tile_may_go(config, seed):
    """If a chip where the tile in hand could go gets another face, no observation and no action of a bot changes."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    played = play_on(game, rng, answers=rng.randint(0, 60))
    texts = [game.text(action) for action in game.legal_actions()]
    within_reach = {tuple(map(int, text.split("@")[1].split("/")[0].split(","))) for text in texts if "@" in text}
    chips = chips_of(game)
    near, far = ([chip for chip in chips if (chip[:2] in within_reach) is reach] for reach in (True, False))
    covered = {square for place in game.board() for square in squares_of(place)}
    far = [chip for chip in far if chip[:2] not in covered]
    assume(near and any(one[2:] != two[2:] for one in near for two in far))
    one, two = rng.choice([(one, two) for one in near for two in far if one[2:] != two[2:]])
    chips = [chip for chip in chips if chip not in (one, two)] + [(*one[:2], *two[2:]), (*two[:2], *one[2:])]
    other = dictated(game, chips=chips)
    for text in played:
        other.play(text)
    for player in range(config.players):
        assert same(game.observe(player, "both"), other.observe(player, "both"))
    for bot in (make("greedy"), POLICY):
        assert bot.choose(game) == bot.choose(other)


@every_config(0.3)
def test_every_answer_shows(config, seed):
    """Every action changes what every player sees. If a player declines to add a follower, only two players are
    checked.
    """
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    before, answers_left = [game.observe(player) for player in range(config.players)], modes.sized(10**6, 10**6, 30)
    while not game.is_over and answers_left:
        answers_left -= 1
        declined = game.phase == carc_env.Phase.CROP_ADD  # see test_everybody_sees_who_is_asked
        asked, text = game.player, play_on(game, rng, answers=1)[0]
        now = [game.observe(player) for player in range(config.players)]
        for player in range(config.players):
            if not (declined and text == "pass") or player in (asked, game.player):
                assert not same(before[player], now[player])
        before = now


def test_everybody_sees_who_is_asked():
    """A player adds no follower, and the next player is asked. The observation of the third player changes, too."""
    config = carc_env.GameConfig(players=3, boxes=("base", "crop_circles"))
    game = carc_env.Game(config, deck=["V", "V", "V", "CR4", "U"])
    for text in (
        "V@1,0/0",
        "meeple road S",
        "V@0,1/0",
        "meeple road S",
        "V@1,-1/90",
        "meeple road N",
        "CR4@1,-2/0",
        "pass",
        "circle add",
    ):
        game.play(text)
    before = game.observe(0)
    assert (game.phase.name, game.player) == ("CROP_ADD", 1)
    game.play("pass")
    assert (game.phase.name, game.player) == ("CROP_ADD", 2)
    assert not same(before, game.observe(0))


@given(games())
def test_shapes_are_constant(game):
    """On tables of one size, the observations of all presets and numbers of players have the same shapes and dtypes."""
    for observation in ("candidates", "both", "planes"):
        model = encode.spaces(observation, game.config.table_size)
        for player in players_of(game):
            seen = game.observe(player, observation)
            assert seen.keys() == model.keys()
            for key, array in seen.items():
                assert (array.shape, array.dtype) == model[key][:2]
                assert np.isfinite(array).all()
    assert (seen["planes"].dtype, seen["globals"].dtype) == (np.uint8, np.float32)
    assert seen["action_mask"].shape == (game.n_actions,)


@given(games_going_on)
def test_the_player_asked_sees_the_mask(game):
    """The mask in the observation of the player to move marks the legal actions."""
    assert np.array_equal(game.observe(game.player)["action_mask"], game.mask())


@given(games(), seeds)
def test_looking_changes_nothing(game, seed):
    """Reading a game does not change it, and an observation does not change when the game goes on."""
    before = game.to_bytes()
    seen = game.observe(0)
    kept = {key: array.copy() for key, array in seen.items()}
    game.features(), game.board(), game.mask(), game.final_scores(), game.record()
    assert game.to_bytes() == before
    if not game.is_over:
        game.play(random_answer(random.Random(seed), game))
    assert same(seen, kept)
