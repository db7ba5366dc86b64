"""The bot `keen`: plays one turn ahead as `greedy` does, by better prices (`observing/keen.toml`)."""

from carc_env.bots.greedy import GreedyBot
from carc_env.observing.keen import keen_prices


class KeenBot(GreedyBot):
    """Plays the tile, ingot and figure answers that together have the best price. It has no chance in it."""

    name = "keen"

    def __init__(self, seed: int | None = None):
        super().__init__(seed, keen_prices())
