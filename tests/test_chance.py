"""Tests of the random numbers: they are the published ones and do not change, so a seed determines a game."""

import numpy as np
import pytest

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.rules.batch import generators, play_random, random_actions
from carc_env.rules.chance import CHANCE, mixed, random_word, seed_chance


def generator(*state: int) -> np.record:
    """Return a generator whose state consists of these two words."""
    return generators(np.array([state]))[0]


def test_words_are_those_of_xoroshiro64():
    """Compares the first ten numbers from the state 1, 2 with those of another program (rand_xoshiro)."""
    chance = generator(1, 2)
    assert [random_word(chance) for _ in range(10)] == [
        3802928447, 813792938, 1618621494, 2955957307, 3252880261, 1129983909, 2539651700, 1327610908, 1757650787,
        2763843748,
    ]  # fmt: skip


def test_bits_are_mixed_as_by_murmur_hash():
    assert [mixed(word) for word in (0, 1, 2, 0xFFFFFFFF)] == [0, 0x514E28B7, 0x30F4C306, 0x81F16F39]


def test_both_words_of_a_seed_count():
    found = []
    for low, high in ((0, 0), (1, 0), (0, 1), (0xFFFFFFFF, 0xFFFFFFFF)):
        chance = np.zeros(1, CHANCE)[0]
        seed_chance(chance, low, high)
        found.append((int(chance.a), int(chance.b)))
    assert found == [
        (2856213345, 3326086351),
        (2571226413, 609799649),
        (1863002342, 538622477),
        (3664794242, 1749410415),
    ]


# --- chance in a game -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("tiles_drawn", [0, 5])
def test_the_stack_is_shuffled_and_nothing_else_changes(tiles_drawn):
    game = carc_env.Game("base", seed=1)
    while game.tiles_left > 70 - tiles_drawn:
        game.play(int(game.legal_actions()[0]))
    before, stack = game.clone(), slice(int(game.state["n_drawn"]), int(game.state["n_deck"]))
    game.reshuffle_hidden(7)
    old, new = before.state["deck"][stack].tolist(), game.state["deck"][stack].tolist()
    assert sorted(new) == sorted(old) and new != old
    before._games["deck"][0, stack] = new
    assert before == game


def test_random_answers_are_legal_and_differ():
    games, chances = carc_env.Games("base", 8, [3] * 8), np.arange(16).reshape(8, 2)
    answers = np.empty(8, np.int64)
    random_actions(games.records, tile_table(), chances, answers)
    assert games.are_legal(answers).all() and len(set(answers.tolist())) > 1


def test_random_play_goes_on_to_the_end_and_counts_what_was_chosen():
    game = carc_env.Game("base", deck=["U", "V", "W", "E", "B", "L"])
    chosen = play_random(game._games, tile_table(), np.array([[1, 2]]))
    assert game.is_over and len(game.board()) == 7 and 6 < chosen <= len(game.moves)
