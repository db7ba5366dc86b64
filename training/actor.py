"""A bot made from a function of observations."""

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
    """Plays as a function of observations decides.

    Args:
        name: the name of the bot.
        act: a function of the observations of n games, each an array with a first axis of length n. It returns an
            action
            for each game, int64[n]: actions of the layout, or rows of the candidates if the specification says so.
        spec: what the function observes, and how its actions are numbered. Its `layout` is that of the games trained
            on,
            such as `env.observation_space.layout`.

    A bot that sees planes plays only games with its layout, and raises BotError for others. A bot that chooses rows
    plays all games.
    """

    def __init__(self, name: str, act: Act, spec: encode.ObservationSpec):
        self.name, self._act, self._observation_spec = name, act, spec

    def choose_batch(self, games: Games) -> np.ndarray:
        """The action for every game, int64[n]; NONE where a game is over."""
        answers, asked = np.full(len(games), NONE, np.int64), np.flatnonzero(games.players != NONE)
        if len(asked):
            answers[asked] = self._played(games[asked])
        return answers

    def _played(self, games: Games) -> np.ndarray:
        """The action ids in games that are not over."""
        if self._observation_spec.by_row:
            seen = rows_of(games, self._observation_spec)
            return seen["candidate_actions"][np.arange(len(games)), np.asarray(self._act(seen))]
        layout = self._layout(games)
        return layout.to_common(
            self._act(encode.observe(games.records, games.players, self._observation_spec._replace(layout=layout)))
        )

    def _layout(self, games: Games) -> Layout:
        """The layout in which the games are observed. Raises BotError if it differs from that of the games trained
        on.
        """
        own = self._observation_spec.layout
        here = layout_of(games.config, own.spaces)
        if not is_same(own, here):
            raise BotError(
                f"bot {self.name} reads planes, so it plays only games whose planes, "
                f"globals and actions are those it was trained on: {own!r}; this game has {here!r}"
            )
        return here


def rows_of(games: Games, spec: encode.ObservationSpec) -> dict[str, np.ndarray]:
    """The observations of the players for a function that chooses rows. They have common ids, and on a table of any
    size the globals and the table of the specification's layout.
    """
    seen, layout = (
        encode.observe(games.records, games.players, spec._replace(layout=layout_of(games.config, "common"))),
        spec.layout,
    )
    return seen | {
        name: seen[name][:, numbers]
        for name, numbers in (("globals", layout.global_numbers), ("table", layout.table_numbers))
        if name in seen
    }


@cache
def is_same(one: Layout, other: Layout) -> bool:
    """True if the planes, globals and actions of two layouts are the same."""
    return one is other or encode.layout_hash("planes", one) == encode.layout_hash("planes", other)
