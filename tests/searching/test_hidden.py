"""Tests of the random samples of the hidden information: the samples are evenly spread."""

from collections import Counter

import numpy as np
import pytest

import carc_env
from carc_env.compiling.jit import jit
from carc_env.rules.answers import ROOM
from carc_env.rules.chance import CHANCE
from carc_env.searching.hidden import draw_hidden, stride_of


@jit
def draw(games, seed, number):
    rooms, chances = np.zeros(1, ROOM), np.zeros(1, CHANCE)
    draw_hidden(games[0], seed, 7, number, rooms[0], chances[0])


def drawn(game, seed, number):
    """Return a copy of a game with another sample of the hidden information."""
    copy = game.clone()
    draw(copy._games, seed, number)
    return copy


def stack(game):
    one = game._games[0]
    return one["deck"][one["n_drawn"] : one["n_deck"]].tolist()


def faces(game):
    board = game._games[0]["board"]
    return board["chip"][(board["chip"] >= 0) & (board["tile"] < 0)].tolist()


@pytest.fixture(scope="module")
def game():
    game, bot = carc_env.Game("carcassonne", seed=3), carc_env.make_bot("random", seed=1)
    for _ in range(20):
        game.play(bot.choose(game))
    return game


@pytest.mark.parametrize("hidden", [stack, faces])
def test_a_draw_has_the_same_tiles_and_faces_in_another_order(game, hidden):
    for number in range(5):
        copy = drawn(game, 1, number)
        assert Counter(hidden(copy)) == Counter(hidden(game))
        assert hidden(copy) != hidden(game)


@pytest.mark.parametrize("hidden", [stack, faces])
def test_in_a_block_of_draws_each_place_gets_every_item_once(game, hidden):
    n = len(hidden(game))
    for block in range(2):
        draws = [hidden(drawn(game, 1, n * block + number)) for number in range(n)]
        for place in range(n):
            assert Counter(draw[place] for draw in draws) == Counter(hidden(game))


def test_few_draws_spread_over_the_kinds(game):
    """Checks the first tile over a quarter of a block. Each kind of tile comes first about as often as its share of the
    stack says; the difference is less than 1.5.
    """
    all_tiles, n = stack(game), len(stack(game)) // 4
    first = Counter(stack(drawn(game, 1, number))[0] for number in range(n))
    for kind, copies in Counter(all_tiles).items():
        assert abs(first[kind] - copies * n / len(all_tiles)) < 1.5


def test_blocks_and_seeds_differ(game):
    n = len(stack(game))
    assert stack(drawn(game, 1, 0)) != stack(drawn(game, 2, 0))
    shifted = {tuple(stack(drawn(game, 1, n + number))) for number in range(n)}
    assert tuple(stack(drawn(game, 1, 0))) not in shifted


def test_what_lay_hidden_does_not_matter(game):
    twin = game.clone()
    twin.reshuffle_hidden(9)
    assert stack(twin) != stack(game)
    for number in range(3):
        assert stack(drawn(twin, 1, number)) == stack(drawn(game, 1, number))
        assert faces(drawn(twin, 1, number)) == faces(drawn(game, 1, number))


def test_the_stride_comes_to_every_place():
    for n in range(1, 200):
        assert len({number * stride_of(n) % n for number in range(n)}) == n


def test_a_game_without_tiles_left_can_be_drawn_anew():
    game = carc_env.Game("base", seed=1)
    game._games["n_drawn"] = game._games["n_deck"]
    assert drawn(game, 1, 0) == game
