"""A bot made from a function that maps observations to actions."""

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
    """A bot that passes its observations to a function and plays the returned actions.

    Args:
        name: the name of the bot.
        act: a function that maps the observations of n games to actions. The first axis of each observation array has
            length n. The function returns one action for each game, as int64[n]. If `spec.by_row` is True, an action is
            the index of a candidate. Otherwise, an action is an action id of the layout.
        spec: the encoding of the observations for `act`, and the type of the returned actions. `spec.layout` is the
            layout of the training games, such as `env.observation_space.layout`.

    If the function returns action ids, the bot can play only games with the layout of `spec`, and raises BotError in
    all other games. If the function returns indices of candidates, the bot can play any game.
    """

    def __init__(self, name: str, act: Act, spec: encode.ObservationSpec):
        self.name, self._act, self._observation_spec = name, act, spec

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return an action id for each of n games, as int64[n]. For a finished game, the action id is NONE."""
        answers, asked = np.full(len(games), NONE, np.int64), np.flatnonzero(games.players != NONE)
        if len(asked):
            answers[asked] = self._played(games[asked])
        return answers

    def _played(self, games: Games) -> np.ndarray:
        """Choose an action id for each game. All games must still be running."""
        if self._observation_spec.by_row:
            seen = rows_of(games, self._observation_spec)
            return seen["candidate_actions"][np.arange(len(games)), np.asarray(self._act(seen))]
        layout = self._layout(games)
        return layout.to_common(
            self._act(encode.observe(games.records, games.players, self._observation_spec._replace(layout=layout)))
        )

    def _layout(self, games: Games) -> Layout:
        """Return the layout of the given games. Raises BotError if the bot was trained with another layout."""
        own = self._observation_spec.layout
        here = layout_of(games.config, own.spaces)
        if not is_same(own, here):
            raise BotError(
                f"bot {self.name} observes planes, so it can only play games with the "
                f"planes, globals and actions of its training: {own!r}; this game has {here!r}"
            )
        return here


def rows_of(games: Games, spec: encode.ObservationSpec) -> dict[str, np.ndarray]:
    """Return observations for a function that chooses a candidate by its index. Each observation is from the
    perspective of the player who has to act. The array `candidate_actions` contains action ids of the layout "common".
    The arrays `globals` and `table` have the entries of `spec.layout`, even if the games have another layout.
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
    """True if two layouts have the same planes, global features and actions."""
    return one is other or encode.layout_hash("planes", one) == encode.layout_hash("planes", other)
