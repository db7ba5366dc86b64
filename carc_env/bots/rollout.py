"""The bot `rollout`: tries the promising answers by playing on from each of them.

Each answer is followed by a few tiles that all players place by the prices of `observing/pricing.py`, on stacks drawn
anew; see `searching/halving.py`.
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
    """Plays the answer that rollouts find best.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
        playouts: how many rollouts a decision may take; or
        ms: how many milliseconds, MS unless one of the two is given.
        threads: how many threads roll out at a time. With a budget in playouts the answer is the same for any number.
        policy: who plays on: "greedy", "keen", or "learned", which adds a learned value to the prices of keen.
        values: what values the table in the end: "learned", the prices of the policy with a learned value added, or
            "prices", without it; then nothing that was learned is asked, by the policy neither.
        settings: fields of `searching.halving.Settings`: depth, most, near, doubt, aim.

    The errors that it tells are those of the difference to the answer that the policy would give, which itself has none.
    Raises BotError for both budgets.
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
        """What the search says of the answers to the question asked. Raises ValueError when the game is over."""
        self._searcher.prices[LEARNED] = shipped_prices(game.config, self._asked)[LEARNED]
        return super().search(game)
