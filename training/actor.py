"""A bot around whatever answers what a player sees."""

from collections.abc import Callable
from functools import cache

import numpy as np

from carc_env.bots import Bot, BotError
from carc_env.games.games import Games
from carc_env.observing import encode
from carc_env.observing.spaces import Layout, layout_of
from carc_env.rules.state import NONE

Act = Callable[[dict[str, np.ndarray]], np.ndarray]


class ActorBot(Bot):
    """Answers as a function of observations does.

    Args:
        name: of the player.
        act: takes the observations of n games, each array with a first axis of length n, and gives an answer to each,
            int64[n]: actions of the layout that is seen, or rows of the candidates where `sight` says that answers are
            rows.
        sight: what is seen, and how it is answered. Its `layout` is that of the games trained on, such as
            `env.observation_space.layout`.

    A bot that sees planes plays only games with its layout, and raises BotError for others. One that answers with rows
    plays all games.
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
        if self._sight.by_row:
            seen = rows_of(games, self._sight)
            return seen["candidate_actions"][np.arange(len(games)), np.asarray(self._act(seen))]
        layout = self._layout(games)
        return layout.common(self._act(encode.look(games.records, games.players, self._sight._replace(layout=layout))))

    def _layout(self, games: Games) -> Layout:
        """The layout of what is seen of the games. Raises BotError where it is not that of the games trained on."""
        own = self._sight.layout
        here = layout_of(games.config, own.spaces)
        if not is_same(own, here):
            raise BotError(
                f"bot {self.name} reads planes, and plays only games whose planes, "
                f"globals and actions are those it was trained on: {own!r}; here: {here!r}"
            )
        return here


def rows_of(games: Games, sight: encode.Sight) -> dict[str, np.ndarray]:
    """What the players asked see where answers are rows: on a table of any size the globals and the table of the
    sight's layout, and common ids.
    """
    seen, layout = (
        encode.look(games.records, games.players, sight._replace(layout=layout_of(games.config, "common"))),
        sight.layout,
    )
    return seen | {
        name: seen[name][:, numbers]
        for name, numbers in (("globals", layout.global_numbers), ("table", layout.table_numbers))
        if name in seen
    }


@cache
def is_same(one: Layout, other: Layout) -> bool:
    """Whether planes, globals and actions of two layouts are the same, and mean the same."""
    return one is other or encode.layout_hash("planes", one) == encode.layout_hash("planes", other)
