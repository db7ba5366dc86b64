"""Law: it does not matter which seat a player has."""

import random

import numpy as np
from hypothesis import assume

import carc_env

from .games import chips_of, dictated, every_config, hands_of, random_answer, starts_of


def moved_up(values):
    """Return what the players have, each moved to the next seat."""
    return np.roll(values, 1, axis=0).tolist()


@every_config()
def test_next_chair(config, seed):
    """A first turn without a figure moves everybody to the next seat. The rest of the game is the same.

    In one game, the monastery B is a start tile. In the other game, the first player has to lay B in the same place and
    places no figure, and everything else happens to the next player.
    """
    first = carc_env.Game(config, seed=seed)
    rest = first.record()["deck"]
    hands = hands_of(first) or []
    there = dictated(first, deck=["B", *rest], hands=[*hands[-1:], *hands[:-1]])
    if there.phase == carc_env.Phase.PLACE_GERMAN_CASTLE:
        there.play("pass")
    if there.phase == carc_env.Phase.PLACE_TILE:  # otherwise B had only one place and was laid without a decision
        there.play(there.legal_actions()[0])
    laid = there.board()[-1]
    assume(laid.tile == "B")  # on a sheet there may be no place for B
    there.play("pass")
    starts = (*starts_of(first), ("B", laid.x, laid.y, 0))
    chips = [chip for chip in chips_of(first) or () if chip[:2] != (laid.x, laid.y)]
    here = dictated(first, deck=rest, starts=starts, chips=chips or None)
    rng = random.Random(seed)
    while not here.is_over:
        assert there.player == (here.player + 1) % config.players
        assert there.legal_actions().tolist() == here.legal_actions().tolist()
        text = here.text(random_answer(rng, here))
        here.play(text)
        there.play(text)
        assert there.scores.tolist() == moved_up(here.scores)
        assert there.ingots.tolist() == moved_up(here.ingots)
        assert there.chips.tolist() == moved_up(here.chips)
        assert there.goods.tolist() == moved_up(here.goods)
        assert there.abbeys.tolist() == moved_up(here.abbeys)
        assert there.castle_tokens.tolist() == moved_up(here.castle_tokens)
        assert there.german_castles == (*here.german_castles[-1:], *here.german_castles[:-1])
    assert there.is_over
    for source, points in here.final_scores().items():
        assert there.final_scores()[source].tolist() == moved_up(points)
