"""Laws about what players see."""

import random

import numpy as np
from hypothesis import given

import carc_env
from carc_env.actions import N_ACTIONS

from .games import (
    CONFIGS,
    configs,
    games,
    games_going_on,
    play_on,
    random_answer,
    seeds,
)


def same(one, other):
    """Two observations show the same."""
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@given(configs, seeds)
def test_deck_order_is_hidden(config, seed):
    """Two games that differ only in the order of the tiles still to come look the same to everybody."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    played = play_on(game, rng, answers=rng.randint(0, 130))
    deck = game.record()["deck"]
    drawn, rest = deck[: len(deck) - game.tiles_left], deck[len(deck) - game.tiles_left :]
    other = carc_env.Game(config, seed=seed + 1, deck=drawn + rng.sample(rest, len(rest)))
    for text in played:
        other.play(text)
    for player in range(config.players):
        assert same(game.observe(player), other.observe(player))


@given(configs, seeds)
def test_every_answer_shows(config, seed):
    """Every answer changes what every player sees."""
    game = carc_env.Game(config, seed=seed)
    rng = random.Random(seed)
    before = [game.observe(player) for player in range(config.players)]
    while play_on(game, rng, answers=1):
        now = [game.observe(player) for player in range(config.players)]
        assert not any(map(same, before, now))
        before = now


@given(games())
def test_shapes_are_constant(game):
    """Every preset and number of players is seen in the same arrays."""
    model = carc_env.Game(CONFIGS[0], seed=0).observe(0)
    for player in range(game.players):
        seen = game.observe(player)
        assert seen.keys() == model.keys()
        for key, array in seen.items():
            assert (array.shape, array.dtype) == (model[key].shape, model[key].dtype)
    assert (seen["planes"].dtype, seen["globals"].dtype) == (np.uint8, np.float32)
    assert seen["action_mask"].shape == (N_ACTIONS,)
    assert np.isfinite(seen["globals"]).all()


@given(games_going_on)
def test_the_player_asked_sees_the_mask(game):
    """The mask in the observation of the player asked shows the legal answers."""
    assert np.array_equal(game.observe(game.player)["action_mask"], game.mask())


@given(games(), seeds)
def test_looking_changes_nothing(game, seed):
    """A look at the game leaves it as it was, and what was seen does not change with the game."""
    before = game.to_bytes()
    seen = game.observe(0)
    kept = {key: array.copy() for key, array in seen.items()}
    game.features(), game.board(), game.mask(), game.final_scores(), game.record()
    assert game.to_bytes() == before
    if not game.is_over:
        game.play(random_answer(random.Random(seed), game))
    assert same(seen, kept)
