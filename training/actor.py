"""A bot around whatever answers what a player sees."""

from collections.abc import Callable

import numpy as np

from carc_env import encode
from carc_env.bots import Bot
from carc_env.games import Games
from carc_env.rules.state import NONE

Act = Callable[[dict[str, np.ndarray]], np.ndarray]


class ActorBot(Bot):
    """Answers as a function of observations does.

    Args:
        name: of the player.
        act: takes the observations of n games, each array with a first axis of length n, and gives an answer to each, int64[n]: ids of
            actions, or rows of the candidates where `sight` says that answers are rows.
        sight: what is seen, and how it is answered.
    """

    def __init__(self, name: str, act: Act, sight: encode.Sight):
        self.name, self._act, self._sight = name, act, sight

    def choose_batch(self, games: Games) -> np.ndarray:
        """The answer for every game, int64[n]; NONE where a game is over."""
        answers, asked = np.full(len(games), NONE, np.int64), np.flatnonzero(games.players != NONE)
        if len(asked):
            answers[asked] = self._played(games[asked])
        return answers

    def _played(self, games: Games) -> np.ndarray:
        """The ids of the answers in games of which none is over."""
        seen = encode.look(games.records, games.players, self._sight)
        answers = np.asarray(self._act(seen))
        return seen["candidate_actions"][np.arange(len(games)), answers] if self._sight.by_row else answers
