"""Law about order: where the rules define no order, the order inside the engine changes no result (RULES 21.6).

Features are numbered in the order in which their tiles were laid. If the first tiles of a game are given as start tiles
in another order, all features get other numbers. The features are then completed, listed and scored in another order.
"""

import random

import carc_env

from .games import chips_of, dictated, draws_only, every_config, play_on, random_answer


@every_config(1, draws_only)
def test_order_of_start_tiles(config, seed):
    """The order in which the start tiles are laid does not matter."""
    rng = random.Random(seed)
    first = carc_env.Game(config, seed=seed)
    play_on(first, rng, rng.randint(0, 60))
    board = first.board()
    starts = [place[:4] for place in board]
    chips = [chip for chip in chips_of(first) or () if chip[:2] not in {(p.x, p.y) for p in board}] or None
    deck = first.record()["deck"][-max(1, first.tiles_left) :]
    one = dictated(first, deck=deck, starts=tuple(starts), chips=chips)
    other = dictated(first, deck=deck, starts=tuple(rng.sample(starts, len(starts))), chips=chips)
    while not one.is_over:
        assert (one.player, one.phase, one.tile) == (other.player, other.phase, other.tile)
        assert one.legal_actions().tolist() == other.legal_actions().tolist()
        text = one.text(random_answer(rng, one))
        one.play(text)
        other.play(text)
        assert one.scores.tolist() == other.scores.tolist() and one.ingots.tolist() == other.ingots.tolist()
        assert one.goods.tolist() == other.goods.tolist()
        assert sorted(map(str, one.last_events)) == sorted(map(str, other.last_events))
    assert other.is_over
    for source, points in one.final_scores().items():
        assert other.final_scores()[source].tolist() == points.tolist()
