"""The bot `rollout`: tries the promising answers by playing on from each of them.

Each answer is followed by a few tiles that all players place by the prices of `observing/pricing.py`, on stacks drawn
anew; see `searching/halving.py`. A budget in playouts makes the answer depend on the seed and the position alone,
whatever the number of threads. A budget in milliseconds does not: how many playouts it holds is up to the machine.
"""

import secrets
from typing import Any

from carc_env.bots.bot import Bot, Worth
from carc_env.bots.found import worths
from carc_env.bots.options import Option, read_options
from carc_env.common.arguments import seed_words
from carc_env.common.errors import BotError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.keen import keen_prices
from carc_env.observing.prospects import default_prices
from carc_env.searching.halving import Found, Searcher, Settings

POLICIES = {"greedy": default_prices, "keen": keen_prices}  # who plays on
MS = 50.0  # the budget of `rollout` alone
OPTIONS = {
    "playouts": Option(int, 1),
    "ms": Option(float, 1, 1e7),
    "depth": Option(int, 0, 200),
    "most": Option(int, 1, 200),
    "near": Option(float, 0, 1e6),
    "doubt": Option(float, 0, 100),
    "threads": Option(int, 1, 256),
    "aim": Option(str, words=("margin", "win")),
    "policy": Option(str, words=tuple(POLICIES)),
}


class RolloutBot(Bot):
    """Plays the answer that rollouts find best.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
        playouts: how many rollouts a decision may take; or
        ms: how many milliseconds, MS unless one of the two is given.
        threads: how many threads roll out at a time.
        policy: who plays on, "greedy" or "keen".
        settings: fields of `searching.halving.Settings`: depth, most, near, doubt, aim.

    Raises BotError for both budgets.
    """

    def __init__(
        self,
        seed: int | None = None,
        playouts: int = 0,
        ms: float = 0.0,
        threads: int = 1,
        policy: str = "keen",
        **settings: Any,
    ):
        if playouts and ms:
            raise BotError("rollout: playouts and ms are two budgets; give one of them")
        self.playouts, self.ms = playouts, ms if ms or playouts else MS
        self.name = f"rollout:playouts={playouts}" if playouts else f"rollout:ms={self.ms:g}"
        self._searcher = Searcher(POLICIES[policy](), Settings(**settings), threads)
        self.reseed(secrets.randbits(64) if seed is None else seed)

    @classmethod
    def named(cls, spec: str, seed: int | None) -> "RolloutBot":
        """The bot of a spec such as `rollout:ms=50`. Raises BotError for options that it does not know."""
        bot = cls(seed, **read_options(spec, OPTIONS))
        bot.name = spec if ":" in spec else bot.name
        return bot

    def reseed(self, seed: int) -> None:
        """Go on with another seed, an integer from 0 to 2**64 - 1."""
        self._seed = seed_words([seed])[0]

    def choose(self, game: Game) -> int:
        """The answer that rollouts find best. Raises ValueError when the game is over."""
        return int(self.search(game).answers[0])

    def search(self, game: Game) -> Found:
        """What the rollouts from a position say of the answers. Raises ValueError when the game is over."""
        if game.is_over:
            raise ValueError("the game is over: there is nothing to choose")
        return self._searcher.search(Games.of(game).records, self._seed, self.playouts, self.ms)

    def judge(self, game: Game) -> list[Worth]:
        """The answers that were rolled out, with the margin in points to expect, best first. The errors are those of the
        difference to the answer that the policy of the rollouts would give, which itself has none.
        """
        return worths(self.search(game))
