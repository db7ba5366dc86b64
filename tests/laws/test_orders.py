"""Laws about order: what has no order by the rules has none here (RULES 21.6).

The features are numbered as their tiles came onto the table. To lay the first tiles of a game as start tiles, in
another order, numbers all features anew, and with them the order in which they are completed, listed and scored.
"""

import random

import carc_env

from .games import chips_of, dictated, draws_only, every_config, play_on, random_answer


@every_config(1, draws_only)
def test_order_of_start_tiles(config, seed):
    """It does not matter in which order the tiles were laid that lie there when the game begins."""
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
