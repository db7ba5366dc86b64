"""The class `Games`, a batch of games that are stepped together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_actions, as_count, as_player, brief, check_out, seed_words, whole_number
from carc_env.common.errors import ArrayError, ConfigError, IllegalAction, PlayerError, SeedError
from carc_env.common.renamed import OldName
from carc_env.games.game import Game, as_blocks
from carc_env.notation.events import SOURCES
from carc_env.observing import encode
from carc_env.rules import batch
from carc_env.rules.answers import ids_of
from carc_env.rules.state import NONE, Phase, game_dtype
from carc_env.setup.config import ConfigSource, GameConfig, as_config
from carc_env.setup.template import template

Numbers = Sequence[int] | np.ndarray  # a list of ints, or an array of them


class Games:
    """A batch of n games of one configuration, stored in one structured array.

    `games.records[j] = games.records[i]` replaces game j with a copy of game i.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        n: the number of games.
        seeds: one seed for each game. Seeds are integers from 0 to 2**64 - 1.

    Attributes:
        records: structured array [n] of dtype `carc_env.rules.state.game_dtype(config.boxes, config.table_size)`.

    >>> games = Games("base", 3, seeds=[1, 2, 3])
    >>> games.step([int(mask.nonzero()[0][0]) for mask in games.legal_mask()])
    >>> games.scores.tolist()
    [[0, 0], [0, 0], [0, 0]]
    """

    def __init__(self, config: ConfigSource, n: int, seeds: Numbers):
        self.config = as_config(config)
        self.records = np.zeros(as_count(n, "n"), game_dtype(self.config.boxes, self.config.table_size))
        self.reset(np.arange(n), seeds)

    @classmethod
    def view_of(cls, game: Game) -> "Games":
        """Return a batch that contains only `game` and shares memory with it. An action played in the batch is also
        played in `game`.
        """
        return cls._around(game.config, game._games)

    of = OldName("of", "view_of")

    @classmethod
    def _around(cls, config: GameConfig, records: np.ndarray) -> "Games":
        games = object.__new__(cls)
        games.config, games.records = config, records
        return games

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, which: Sequence[int] | np.ndarray | slice) -> "Games":
        """Return the selected games as a new batch. With a list of indices or a mask, the new batch is a copy. With a
        slice, the new batch shares memory with this batch.
        """
        if isinstance(which, slice):
            return self._around(self.config, self.records[which])
        blocks = as_blocks(self.records)[which]
        # `blocks.view(self.records.dtype)` is not used, because calling `view` takes longer than the copy
        return self._around(self.config, np.ndarray(blocks.shape, self.records.dtype, blocks))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.config, self.records.tobytes())

    def __deepcopy__(self, memo: dict[int, Any]) -> "Games":
        return self[np.arange(len(self))]

    def __setitem__(self, which: Sequence[int] | np.ndarray | slice, games: "Games") -> None:
        """Replace the selected games with the games of another batch. Raises ConfigError if the two batches have
        different values of `GameConfig.table_size`.
        """
        if games.config.table_size != self.config.table_size:
            raise ConfigError(
                f"games with table_size = {games.config.table_size} cannot replace games with "
                f"table_size = {self.config.table_size}"
            )
        as_blocks(self.records)[which] = as_blocks(games.records)

    def game(self, i: int) -> Game:
        """Return the game with index i. The game shares memory with the batch, so an action played in the game is also
        played in the batch. Negative indices count from the end.
        """
        number = whole_number(i)
        if number is None or not -len(self) <= number < len(self):
            raise IndexError(f"game {i!r}: the games are numbered from 0 to {len(self) - 1}")
        return Game._around(self.config, self.records[number % len(self) :][:1])

    def reset(self, which: Numbers, seeds: Numbers) -> None:
        """Restart each game whose index is in `which`. The argument `seeds` holds one seed for each restarted game."""
        numbers = np.arange(len(self))[np.asarray(which)]
        batch.reset(self.records, numbers, tile_table(), template(self.config), _words(seeds, len(numbers)))

    @property
    def n_actions(self) -> int:
        """The number of action ids."""
        return ids_of(self.config.table_size).n

    @property
    def is_cut_off(self) -> np.ndarray:
        """An array bool[n] that is True for each game whose table was too small for a placement that the rules allow.
        See `Game.is_cut_off`.
        """
        cut: np.ndarray = self.records["is_cut_off"] == 1
        return cut

    @property
    def players(self) -> np.ndarray:
        """The acting player of each game, as an array int8[n]. For a game that is over, the entry is -1. The array is
        a view of `records`, so it changes with every step.
        """
        return self.records["player"]

    @property
    def is_over(self) -> np.ndarray:
        """An array bool[n] that is True for each game that is over."""
        over: np.ndarray = self.records["phase"] == Phase.GAME_OVER
        return over

    @property
    def scores(self) -> np.ndarray:
        """The points on the scoring track, int16[n, players]. The array is a view of `records`, so it changes with
        every step.
        """
        return self.records["players"]["score"][:, : self.config.players]

    def final_scores(self) -> dict[str, np.ndarray]:
        """Return the points of each player in each game, grouped by source. The keys are the sources, and the values
        are arrays int64[n, players]. For each player, the points from all sources add up to the player's entry in
        `scores`.
        """
        points = self.records["players"]["points"][:, : self.config.players].astype(np.int64)
        return {source: points[:, :, i] for i, source in enumerate(SOURCES)}

    def reshuffle_hidden(self, seeds: Numbers) -> None:
        """Draw the hidden information of each game at random. `seeds` holds one seed for each game; see
        `Game.reshuffle_hidden`.
        """
        batch.reshuffle(self.records, tile_table(), _words(seeds, len(self)))

    def legal_mask(self, out: np.ndarray | None = None) -> np.ndarray:
        """Return the action masks, as an array int8[n, n_actions]. A mask is 1 for every legal action, and otherwise 0.
        If the array `out` is given, the masks are written to `out`.
        """
        if out is None:
            out = np.empty((len(self), self.n_actions), np.int8)
        check_out(out, (len(self), self.n_actions), np.int8)
        batch.legal_masks(self.records, tile_table(), out)
        return out

    def observe(
        self,
        observers: Numbers | None = None,
        observation: str | encode.ObservationSpec = "planes",
        out: dict[str, np.ndarray] | None = None,
    ) -> dict[str, np.ndarray]:
        """Return the observation of one player in each game, as a dict of arrays. See
        `carc_env.observing.encode.observe`.

        Args:
            observers: the number of the observer in each game. The default is the acting player, or player 0 if the
                game is over.
            observation: "planes", "candidates" or "both", or an `encode.ObservationSpec`.
            out: the arrays to write to, such as the result of an earlier call with the same value of
                `observation`.

        Raises:
            PlayerError: for invalid observers.
            ArgumentError: for an invalid observation.
            ArrayError: if `out` does not have exactly the arrays of the observation, with their shapes and dtypes.
        """
        if observers is None:
            observers = np.maximum(self.players, 0)
        elif len(observers) != len(self):
            raise PlayerError(f"{len(self)} games need {len(self)} observers, not {len(observers)}")
        numbers = np.array([as_player(player, self.config.players) for player in observers], np.int64)
        spec = encode.as_spec(observation, self.config.table_size)
        if out is not None:
            _check_arrays(out, len(self), spec)
        return encode.observe(self.records, numbers, spec, out)

    def are_legal(self, actions: Numbers, which: Numbers | None = None) -> np.ndarray:
        """Return an array with one bool for each action: True if the action is legal in its game. `actions` holds one
        action for each game. If `which` is given, `actions` holds one action for each index in `which`.
        """
        numbers, ids, legal = self._asked(which, actions)
        batch.are_legal(self.records, numbers, tile_table(), ids, legal)
        return legal

    def step(self, actions: Numbers) -> None:
        """Play one action in each game. For a game that is over, the action must be NONE (-1).

        If an action is illegal, raises IllegalAction and leaves all games unchanged.
        """
        ids = as_actions(actions, len(self), self.n_actions)
        wrong = batch.step(self.records, tile_table(), ids)
        if wrong != NONE:
            number = int(ids[wrong])
            raise IllegalAction(f"game {wrong}: {self.game(wrong)._why_not(number, number)}")

    def step_if_legal(self, actions: Numbers, which: Numbers | None = None) -> np.ndarray:
        """Play the given actions, but skip the illegal ones. `actions` holds one action for each game. If `which` is
        given, `actions` holds one action for each index in `which`.

        Returns an array with one bool for each action: True if the action was legal. A game with an illegal action
        stays unchanged.
        """
        numbers, ids, legal = self._asked(which, actions)
        batch.step_if_legal(self.records, numbers, tile_table(), ids, legal)
        return legal

    def _asked(self, which: Numbers | None, actions: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return three arrays with one entry for each action. The first array holds the index of the action's game. The
        second array holds the action's id. The third array is an uninitialized array of bools, in which the caller
        marks the legal actions.
        """
        numbers = np.arange(len(self))
        if which is not None:
            numbers = numbers[which]
        return numbers, as_actions(actions, len(numbers), self.n_actions), np.empty(len(numbers), bool)


def _unpickled(config: GameConfig, data: bytes) -> Games:
    return Games._around(config, np.frombuffer(bytearray(data), game_dtype(config.boxes, config.table_size)))


def _check_arrays(out: object, n: int, spec: encode.ObservationSpec) -> None:
    """Check that `out` has exactly the arrays of n observations, with their shapes and dtypes. Raises ArrayError."""
    wanted = encode.spaces(spec)
    if not isinstance(out, dict) or out.keys() != wanted.keys():
        found = f"the keys {', '.join(map(str, out))}" if isinstance(out, dict) else brief(out)
        raise ArrayError(f"out should be a dict with the keys {', '.join(wanted)}, not {found}")
    for name, (shape, dtype, *_) in wanted.items():
        check_out(out[name], (n, *shape), dtype, f"out[{name!r}]")


def _words(seeds: Numbers, n: int) -> np.ndarray:
    """Return the seeds of n games, converted by `seed_words`. Raises SeedError."""
    words = seed_words(seeds)
    if len(words) != n:
        raise SeedError(f"{n} games need {n} seeds, not {len(words)}")
    return words
