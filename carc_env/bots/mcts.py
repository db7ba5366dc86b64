"""The bot `mcts`: Monte Carlo tree search with priors; see `searching/mcts.py`.

A budget in playouts makes the answer depend on the seed and the position alone; one in milliseconds does not.
"""

import secrets

import numpy as np

from carc_env.bots.bot import Bot, Worth
from carc_env.bots.found import worths
from carc_env.bots.options import Option, read_options
from carc_env.common.arguments import seed_words
from carc_env.common.errors import BotError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.keen import keen_prices
from carc_env.searching.forest import Forest
from carc_env.searching.halving import Found

PLAYOUTS = 1000  # the budget of `mcts` alone
OPTIONS = {
    "playouts": Option(int, 1),
    "ms": Option(float, 1, 1e7),
    "stacks": Option(int, 1, 1000),
    "bonus": Option(float, 0, 1000),
}


class MctsBot(Bot):
    """Plays the answer that its trees look at most.

    Args:
        seed: integer from 0 to 2**64 - 1; drawn from the operating system if None.
        playouts: how many playouts a decision may take; or
        ms: how many milliseconds; PLAYOUTS unless one of the two is given.
        stacks: redrawn stacks, each with a tree of its own.
        bonus: the weight of answers that were little looked at (c of PUCT).

    Raises BotError for both budgets.
    """

    def __init__(
        self, seed: int | None = None, playouts: int = 0, ms: float = 0.0, stacks: int = 8, bonus: float = 1.5
    ):
        if playouts and ms:
            raise BotError("mcts: playouts and ms are two budgets; give one of them")
        self.playouts, self.ms = playouts if playouts or ms else PLAYOUTS, ms
        self.name = f"mcts:playouts={self.playouts}" if self.playouts else f"mcts:ms={ms:g}"
        self._forest = Forest(keen_prices(), stacks, bonus)
        self.reseed(secrets.randbits(64) if seed is None else seed)

    @classmethod
    def named(cls, spec: str, seed: int | None) -> "MctsBot":
        """The bot of a spec such as `mcts:playouts=1000`. Raises BotError for options that it does not know."""
        bot = cls(seed, **read_options(spec, OPTIONS))
        bot.name = spec if ":" in spec else bot.name
        return bot

    def reseed(self, seed: int) -> None:
        """Go on with another seed, an integer from 0 to 2**64 - 1."""
        self._seed: np.ndarray = seed_words([seed])[0]

    def choose(self, game: Game) -> int:
        """The answer that was looked at most. Raises ValueError when the game is over."""
        return int(self.search(game).answers[0])

    def search(self, game: Game) -> Found:
        """What the trees say of the answers to the question asked. Raises ValueError when the game is over."""
        if game.is_over:
            raise ValueError("the game is over: there is nothing to choose")
        return self._forest.search(Games.of(game).records, self._seed, self.playouts, self.ms)

    def judge(self, game: Game) -> list[Worth]:
        """The answers that were looked at, with the margin in points to expect, best first."""
        return worths(self.search(game))
