"""The bot `mcts`, which uses Monte Carlo tree search with prior probabilities for actions; see `searching/mcts.py`."""

from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.observing.keen import keen_prices
from carc_env.searching.forest import Forest

PLAYOUTS = 1000  # the default budget of a decision, in playouts
MOST = 10**6  # the maximum number of playouts for a decision; a million playouts need about 1 GB of memory


class MctsBot(SearchingBot):
    """Plays the action that was visited most often in the search trees.

    Args:
        seed: integer from 0 to 2**64 - 1. If the seed is None, the operating system supplies a random seed.
        playouts: the budget of each decision, in playouts.
        ms: the budget of each decision, in milliseconds. If neither `playouts` nor `ms` is given, the constant PLAYOUTS
            sets the budget.
        stacks: the number of reshuffled stacks of tiles. The bot builds one search tree for each stack.
        bonus: the exploration constant, called c in the PUCT formula. A higher value favours actions with few visits.

    Raises BotError if both `playouts` and `ms` are given.
    """

    kind = "mcts"
    options = BUDGETS | {
        "playouts": Option(int, 1, MOST),
        "stacks": Option(int, 1, 1000),
        "bonus": Option(float, 0, 1000),
    }

    def __init__(
        self, seed: int | None = None, playouts: int = 0, ms: float = 0.0, stacks: int = 8, bonus: float = 1.5
    ):
        super().__init__(Forest(keen_prices(), stacks, bonus), seed, playouts if playouts or ms else PLAYOUTS, ms)
