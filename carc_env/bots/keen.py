"""The bot `keen`. Like `greedy`, `keen` looks one turn ahead, but the heuristic weights of `keen` are tuned. The
weights are in `observing/keen.toml`.
"""

from carc_env.bots.greedy import GreedyBot
from carc_env.observing.keen import keen_prices


class KeenBot(GreedyBot):
    """Evaluates combinations of three placements (a tile, an ingot and a figure), and chooses the combination with the
    highest heuristic value. The bot uses no random numbers.
    """

    name = "keen"

    def __init__(self, seed: int | None = None):
        super().__init__(seed, keen_prices())
