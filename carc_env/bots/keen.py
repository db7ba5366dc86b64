"""The bot `keen`, which looks one turn ahead like `greedy`, but with tuned heuristic weights. The weights are in
`observing/keen.toml`.
"""

from carc_env.bots.greedy import GreedyBot
from carc_env.observing.keen import keen_prices


class KeenBot(GreedyBot):
    """Chooses the combination of tile, ingot and figure placements that has the best heuristic value. The bot uses no
    random numbers.
    """

    name = "keen"

    def __init__(self, seed: int | None = None):
        super().__init__(seed, keen_prices())
