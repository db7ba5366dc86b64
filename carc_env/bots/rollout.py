"""The bot `rollout`, which compares the most promising actions by means of rollouts and plays the best action.

A rollout reshuffles the stack and continues the game for a few tiles. The rollout policy plays for all players. The
policy chooses actions by the heuristic values of `observing/pricing.py`. See `searching/halving.py`.
"""

from typing import Any

from carc_env.bots import checkpoint
from carc_env.bots.learned import shipped_for, shipped_prices
from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.games.game import Game
from carc_env.observing.keen import keen_prices
from carc_env.observing.prospects import LEARNED, default_prices
from carc_env.observing.value_network import Asked
from carc_env.rules.state import NONE
from carc_env.searching.halving import Found, Searcher, Settings
from carc_env.setup.config import GameConfig

POLICIES = {"greedy": default_prices, "keen": keen_prices, "learned": keen_prices}  # heuristic weights of each policy
VALUES = {"learned": Asked.LEAVES, "prices": Asked.NOTHING}  # how the position at the end of a rollout is evaluated
MS = 50.0  # the default budget of a decision, in milliseconds


class RolloutBot(SearchingBot):
    """Plays the action with the best results in rollouts.

    Args:
        seed: integer from 0 to 2**64 - 1. If the seed is None, the operating system supplies a random seed.
        playouts: the budget of each decision, in rollouts.
        ms: the budget of each decision, in milliseconds. If neither `playouts` nor `ms` is given, the constant MS sets
            the budget.
        threads: the number of threads. If `playouts` sets the budget, the action does not depend on the number of
            threads.
        policy: the bot that plays the rollouts: "greedy", "keen" or "learned".
        values: how the final position of a rollout is evaluated. With `values="learned"`, the output of a value
            network is added to the heuristic value. With `values="prices"`, the bot uses heuristic weights but no
            network. The policy "learned" then plays like "keen".
        settings: any of the fields `depth`, `most`, `near`, `doubt` and `aim` of `searching.halving.Settings`.

    Each error in `action_values` is the standard error of a difference: the value of an action minus the value of the
    action that the policy would choose. For the policy's choice itself, this difference is always 0, and the error is
    None. Raises BotError if both `playouts` and `ms` are given.
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

    def agent_for(self, config: GameConfig) -> str | None:
        """Return the name of the checkpoint whose value network the bot uses for a configuration. Return None if the
        bot uses no network, for example in games with more than two players.
        """
        path = shipped_for(config) if self._asked and config.players == 2 else None
        return None if path is None else checkpoint.paths(path)[0].stem

    def search(self, game: Game, also: int = NONE) -> Found:
        """Search the current position and return the result. `also` is NONE, or a legal action that is tried even if
        its heuristic value is low. Raises ValueError if the game is over.
        """
        with self._lock:
            self._searcher.prices[LEARNED] = shipped_prices(game.config, self._asked)[LEARNED]
            return super().search(game, also)
