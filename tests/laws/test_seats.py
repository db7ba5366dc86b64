"""Law: it does not matter which chair a player sits on."""

import random
from dataclasses import replace

import numpy as np
from hypothesis import given

import carc_env

from .games import configs, random_answer, seeds


def moved_up(values):
    """What the players have, each moved to the next chair."""
    return np.roll(values, 1).tolist()


@given(configs, seeds)
def test_next_chair(config, seed):
    """A first turn without a figure moves everybody one chair on: the rest of the game is the same.

    At one table the monastery B lies beside the start tile from the beginning. At the other the first player
    must lay it there, places no figure, and everything else happens to the next player.
    """
    rest = carc_env.Game(config, seed=seed).record()["deck"]
    here = carc_env.Game(replace(config, starts=(("D", 0, 0, 0), ("B", 0, 1, 0))), deck=rest)
    there = carc_env.Game(config, deck=["B", *rest])
    there.play("pass")
    rng = random.Random(seed)
    while not here.is_over:
        assert there.player == (here.player + 1) % config.players
        assert there.legal_actions().tolist() == here.legal_actions().tolist()
        text = here.text(random_answer(rng, here))
        here.play(text)
        there.play(text)
        assert there.scores.tolist() == moved_up(here.scores)
        assert there.ingots.tolist() == moved_up(here.ingots)
    assert there.is_over
    for source, points in here.final_scores().items():
        assert there.final_scores()[source].tolist() == moved_up(points)
