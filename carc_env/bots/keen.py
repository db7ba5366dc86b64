"""The bot `keen`, which plays like `greedy`, but with tuned heuristic weights. The weights are in
`observing/keen.toml`.
"""

from carc_env.bots.greedy import GreedyBot
from carc_env.observing.keen import keen_prices


class KeenBot(GreedyBot):
    """Plays like GreedyBot, but with tuned heuristic weights. The bot uses no random numbers."""

    name = "keen"

    def __init__(self, seed: int | None = None):
        super().__init__(seed, keen_prices())
