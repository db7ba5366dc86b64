"""Games: a batch of games, stepped together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_actions, as_count, as_player, check_out, seed_words, whole_number
from carc_env.common.errors import ConfigError, IllegalAction, PlayerError, SeedError
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
    """n games of one configuration over one array of records; `games.records[j] = games.records[i]` copies a game.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        n: how many games.
        seeds: one seed a game, integers from 0 to 2**64 - 1.

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
    def of(cls, game: Game) -> "Games":
        """A batch of this one game, not a copy: a step in the batch is a step of the game."""
        return cls._around(game.config, game._games)

    @classmethod
    def _around(cls, config: GameConfig, records: np.ndarray) -> "Games":
        games = object.__new__(cls)
        games.config, games.records = config, records
        return games

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, which: Sequence[int] | np.ndarray | slice) -> "Games":
        """Some of the games: copies for a list of numbers or a mask, the games themselves for a slice."""
        if isinstance(which, slice):
            return self._around(self.config, self.records[which])
        blocks = as_blocks(self.records)[which]
        # `view` would take longer than the copy
        return self._around(self.config, np.ndarray(blocks.shape, self.records.dtype, blocks))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.config, self.records.tobytes())

    def __deepcopy__(self, memo: dict[int, Any]) -> "Games":
        return self[np.arange(len(self))]

    def __setitem__(self, which: Sequence[int] | np.ndarray | slice, games: "Games") -> None:
        """Put games of another batch in the place of some of these. Raises ConfigError for games on a table of another
        size.
        """
        if games.config.table_size != self.config.table_size:
            raise ConfigError(
                f"games on a table of {games.config.table_size} rows and columns cannot stand among games on one of "
                f"{self.config.table_size}"
            )
        as_blocks(self.records)[which] = as_blocks(games.records)

    def game(self, i: int) -> Game:
        """Game number i, not a copy: what is played in it is played in the batch. Negative numbers count from the
        end.
        """
        number = whole_number(i)
        if number is None or not -len(self) <= number < len(self):
            raise IndexError(f"game {i!r}: there are games 0 to {len(self) - 1}")
        return Game._around(self.config, self.records[number % len(self) :][:1])

    def reset(self, which: Numbers, seeds: Numbers) -> None:
        """Begin the games numbered `which` anew, each with its own seed."""
        numbers = np.arange(len(self))[np.asarray(which)]
        batch.reset(self.records, numbers, tile_table(), template(self.config), _words(seeds, len(numbers)))

    @property
    def n_actions(self) -> int:
        """How many action ids there are."""
        return ids_of(self.config.table_size).n

    @property
    def is_cut_off(self) -> np.ndarray:
        """In which games the table was too small for a placement that the rules allow, bool[n]; see
        `Game.is_cut_off`.
        """
        cut: np.ndarray = self.records["is_cut_off"] == 1
        return cut

    @property
    def players(self) -> np.ndarray:
        """The player asked in each game, int8[n]; -1 where the game is over."""
        return self.records["player"]

    @property
    def is_over(self) -> np.ndarray:
        """Which games are over, bool[n]."""
        over: np.ndarray = self.records["phase"] == Phase.GAME_OVER
        return over

    @property
    def scores(self) -> np.ndarray:
        """Points on the track, int16[n, players]."""
        return self.records["players"]["score"][:, : self.config.players]

    def final_scores(self) -> dict[str, np.ndarray]:
        """Points by source, int64[n, players] each, adding up to `scores`."""
        points = self.records["players"]["points"][:, : self.config.players].astype(np.int64)
        return {source: points[:, :, i] for i, source in enumerate(SOURCES)}

    def reshuffle_hidden(self, seeds: Numbers) -> None:
        """Draw anew in each game what nobody may know, each with its own seed; see `Game.reshuffle_hidden`."""
        batch.reshuffle(self.records, tile_table(), _words(seeds, len(self)))

    def legal_mask(self, out: np.ndarray | None = None) -> np.ndarray:
        """1 for every legal answer, int8[n, n_actions]; written to `out` if given."""
        if out is None:
            out = np.empty((len(self), self.n_actions), np.int8)
        check_out(out, (len(self), self.n_actions), np.int8)
        batch.legal_masks(self.records, tile_table(), out)
        return out

    def observe(
        self,
        observers: Numbers | None = None,
        observation: str | encode.Sight = "planes",
        out: dict[str, np.ndarray] | None = None,
    ) -> dict[str, np.ndarray]:
        """What one player of each game, by default the one asked, may know; see `carc_env.observing.encode.look`."""
        if observers is None:
            observers = np.maximum(self.players, 0)
        elif len(observers) != len(self):
            raise PlayerError(f"{len(self)} games need {len(self)} observers, not {len(observers)}")
        numbers = np.array([as_player(player, self.config.players) for player in observers], np.int64)
        return encode.look(self.records, numbers, observation, out)

    def are_legal(self, actions: Numbers, which: Numbers | None = None) -> np.ndarray:
        """Which of the actions, one for each game or for each of those numbered `which`, are legal answers there,
        bool[n].
        """
        numbers, ids, legal = self._asked(which, actions)
        batch.are_legal(self.records, numbers, tile_table(), ids, legal)
        return legal

    def step(self, actions: Numbers) -> None:
        """Play one answer in each game, NONE (-1) in those that are over.

        Raises IllegalAction, all games unchanged, if one is not legal.
        """
        ids = as_actions(actions, len(self), self.n_actions)
        wrong = batch.step(self.records, tile_table(), ids)
        if wrong != NONE:
            raise IllegalAction(f"game {wrong}: action {ids[wrong]} is not a legal answer")

    def step_if_legal(self, actions: Numbers, which: Numbers | None = None) -> np.ndarray:
        """Play one answer in each game, or in each of those numbered `which`, where it is legal. Returns where it is,
        bool[n]; the other games are unchanged.
        """
        numbers, ids, legal = self._asked(which, actions)
        batch.step_if_legal(self.records, numbers, tile_table(), ids, legal)
        return legal

    def _asked(self, which: Numbers | None, actions: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numbers of games, an action for each, and room to say of each whether it is legal."""
        numbers = np.arange(len(self))
        if which is not None:
            numbers = numbers[which]
        return numbers, as_actions(actions, len(numbers), self.n_actions), np.empty(len(numbers), bool)


def _unpickled(config: GameConfig, data: bytes) -> Games:
    return Games._around(config, np.frombuffer(bytearray(data), game_dtype(config.boxes, config.table_size)))


def _words(seeds: Numbers, n: int) -> np.ndarray:
    """A seed for each of n games, as `seed_words` gives them. Raises SeedError."""
    words = seed_words(seeds)
    if len(words) != n:
        raise SeedError(f"{n} games need {n} seeds, not {len(words)}")
    return words
