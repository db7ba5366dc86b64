"""The bot `rollout`: tries the promising actions, and plays on from each of them.

After each action all players place a few tiles by the prices of `observing/pricing.py`, on reshuffled stacks; see
`searching/halving.py`.
"""

from typing import Any

from carc_env.bots.learned import shipped_prices
from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.games.game import Game
from carc_env.observing.keen import keen_prices
from carc_env.observing.prospects import LEARNED, default_prices
from carc_env.observing.value_network import Asked
from carc_env.searching.halving import Found, Searcher, Settings

POLICIES = {"greedy": default_prices, "keen": keen_prices, "learned": keen_prices}  # who plays on, by what prices
VALUES = {"learned": Asked.LEAVES, "prices": Asked.NOTHING}  # what values the table in the end
MS = 50.0  # the budget of `rollout` alone


class RolloutBot(SearchingBot):
    """Plays the action that does best in rollouts.

    Args:
        seed: integer from 0 to 2**64 - 1. If it is None, the operating system supplies one.
        playouts: the number of rollouts for an action, or
        ms: the number of milliseconds. Without either, the bot uses MS.
        threads: the number of threads. With a budget in playouts the action does not depend on it.
        policy: the bot that plays on: "greedy", "keen", or "learned", which adds a learned value to the prices of keen.
        values: how the final table is valued: "learned" by the prices of the policy with a learned value added, or
            "prices" without it. With "prices", the policy uses no learned value either.
        settings: fields of `searching.halving.Settings`: depth, most, near, doubt, aim.

    The standard errors are those of the difference from the policy's own action, which has no error itself. Raises
    BotError if both budgets are given.
    """

    kind = "rollout"
    options = BUDGETS | {
        "depth": Option(int, 0, 200),
        "most": Option(int, 1, 200),
        "near": Option(float, 0, 1e6),
        "doubt": Option(float, 0, 100),
        "threads": Option(int, 1, 256),
        "aim": Option(str, words=("margin", "win")),
        "policy": Option(str, words=tuple(POLICIES)),
        "values": Option(str, words=tuple(VALUES)),
    }

    def __init__(
        self,
        seed: int | None = None,
        playouts: int = 0,
        ms: float = 0.0,
        threads: int = 1,
        policy: str = "learned",
        values: str = "learned",
        **settings: Any,
    ):
        self._searcher = Searcher(POLICIES[policy](), Settings(**settings), threads)
        self._asked = Asked.PRICES if policy == values == "learned" else VALUES[values]
        super().__init__(self._searcher, seed, playouts, ms if ms or playouts else MS)

    def search(self, game: Game) -> Found:
        """The results of a search at the current question. Raises ValueError when the game is over."""
        self._searcher.prices[LEARNED] = shipped_prices(game.config, self._asked)[LEARNED]
        return super().search(game)
