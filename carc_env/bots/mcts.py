"""The bot `mcts`: Monte Carlo tree search with priors; see `searching/mcts.py`."""

from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.observing.keen import keen_prices
from carc_env.searching.forest import Forest

PLAYOUTS = 1000  # the budget of `mcts` alone


class MctsBot(SearchingBot):
    """Plays the answer that its trees look at most.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
        playouts: how many playouts a decision may take; or
        ms: how many milliseconds; PLAYOUTS unless one of the two is given.
        stacks: redrawn stacks, each with a tree of its own.
        bonus: the weight of answers that were little looked at (c of PUCT).

    Raises BotError for both budgets.
    """

    kind = "mcts"
    options = BUDGETS | {"stacks": Option(int, 1, 1000), "bonus": Option(float, 0, 1000)}

    def __init__(
        self, seed: int | None = None, playouts: int = 0, ms: float = 0.0, stacks: int = 8, bonus: float = 1.5
    ):
        super().__init__(Forest(keen_prices(), stacks, bonus), seed, playouts if playouts or ms else PLAYOUTS, ms)
