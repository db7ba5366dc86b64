"""The bot `mcts`: Monte Carlo tree search with priors; see `searching/mcts.py`."""

from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.observing.keen import keen_prices
from carc_env.searching.forest import Forest

PLAYOUTS = 1000  # the budget of `mcts` alone


class MctsBot(SearchingBot):
    """Plays the action that its trees visit most often.

    Args:
        seed: integer from 0 to 2**64 - 1. If it is None, the operating system supplies one.
        playouts: the number of playouts for an action, or
        ms: the number of milliseconds. Without either, the bot uses PLAYOUTS.
        stacks: the number of reshuffled stacks, each with its own tree.
        bonus: the weight of actions with few visits (c in PUCT).

    Raises BotError if both budgets are given.
    """

    kind = "mcts"
    options = BUDGETS | {"stacks": Option(int, 1, 1000), "bonus": Option(float, 0, 1000)}

    def __init__(
        self, seed: int | None = None, playouts: int = 0, ms: float = 0.0, stacks: int = 8, bonus: float = 1.5
    ):
        super().__init__(Forest(keen_prices(), stacks, bonus), seed, playouts if playouts or ms else PLAYOUTS, ms)
