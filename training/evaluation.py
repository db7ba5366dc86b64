"""The matches of the benchmark. In a match, an agent plays pairs of games against one opponent.

The tile stack of each pair of games depends on the seed of the run, and is the same for all algorithms. Runs with
different seeds use different tile stacks. Within a run, no tile stack is used both for the learning curve and for the
final evaluation.
"""

from typing import Any

from carc_env.arena import match as matches
from carc_env.bots import Bot

from .tasks import Task

# The seed of the first tile stack in a run with seed 0: for the evaluation, and for the matches of the learning curve.
DECKS, CHECK_DECKS = 2**40, 2**41
APART = 10**6  # in a run with seed n, both seeds are higher by n * APART


def match(bot: Bot, opponent: str, task: Task, pairs: int, deck: int) -> dict[str, Any]:
    """Play a match. For each pair of games, the returned dict contains the win rate of `bot` and its margin in points.
    Both games of a pair have the same tile stack, and each bot plays first in one of the games.
    """
    sides = matches.Sides(bot, opponent, task.config, deck, False)
    bots, tally = sides.bots(), matches.Tally()
    for chunk in matches.played(sides, bots, pairs, 1):
        tally.add(chunk)
    seconds = tally.seconds / tally.moves.clip(1)
    return {
        "opponent": opponent,
        "agent": bots[1].agent_for(task.config),
        "wins": [round(won, 4) for won in tally.wins],
        "margins": [round(margin, 2) for margin in tally.margins],
        "illegal": tally.illegal,
        "ms_per_move": [round(1000 * one, 3) for one in seconds.tolist()],
    }
