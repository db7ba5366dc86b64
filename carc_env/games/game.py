"""The class `Game`: one game, for people and programs."""

import dataclasses
import importlib
import json
import secrets
from collections.abc import Sequence
from functools import cache
from os import PathLike
from typing import Any

import numpy as np

from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import FIGURES, SPOTS, WORDS, tile_kinds, tile_table
from carc_env.common.arguments import as_action, as_player, as_seed, brief, seed_words
from carc_env.common.errors import DeckError, IllegalAction
from carc_env.notation import texts
from carc_env.notation.events import SOURCES, Event, read_events
from carc_env.notation.notes import NO_NOTES, Notes
from carc_env.notation.placed import Feature, Figure, Placed
from carc_env.notation.positions import check_drawn, known, read_position, with_any_order
from carc_env.notation.records import FORMAT, read_bytes, write_bytes
from carc_env.observing import encode
from carc_env.rules import batch
from carc_env.rules.answers import ROOM, ids_of
from carc_env.rules.double_tiles import other_square, own_spot
from carc_env.rules.geometry import coordinates
from carc_env.rules.state import (
    BUILDINGS,
    FIRST_OF_SECOND,
    FIRST_SLOT,
    IN_SUPPLY,
    ITSELF,
    MAX_PLAYERS,
    N_COLOURS,
    NONE,
    SLOT_FIGURE,
    Kind,
    Phase,
    Spot,
    game_dtype,
    whole_game,
)
from carc_env.setup.config import ConfigSource, GameConfig, as_config
from carc_env.setup.template import template
from carc_env.systems.ferries.words import lying as ferries_lying
from carc_env.systems.german_castles.words import Hands, as_hands, hands_at_start, hands_now
from carc_env.systems.map_chips.words import Chip, as_chips, check_off_starts
from carc_env.systems.where import Place

OVER = int(Phase.GAME_OVER)


class Game:
    """One game of Carcassonne: the question asked now, its legal actions, and a method to play one.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        seed: integer from 0 to 2**64 - 1. If it is None and no deck is given, the operating system supplies one.
        deck: the tiles in the order of drawing, without start tiles. The game ends when they are used up.
        chips: the map chips, each as (x, y, colour, value); () for none.
        german_castles: the castle tiles in hand, a tuple of ids for each player.

    Attributes:
        notes: what else its record tells, the names of the players for example.

    Raises:
        ConfigError, DeckError, ChipError, SeedError: all are ValueErrors; the message names what is wrong.

    >>> game = Game("base", deck=["U", "V"])
    >>> game.phase.name, game.player, game.tile
    ('PLACE_TILE', 0, 'U')
    >>> game.play("U@1,0/0")
    >>> [game.text(action) for action in game.legal_actions()]
    ['meeple road E', 'meeple field Nw', 'meeple field Es', 'pass']
    """

    notes: Notes = NO_NOTES

    def __init__(
        self,
        config: ConfigSource = "goldmines",
        seed: int | None = None,
        deck: Sequence[str] | None = None,
        chips: Sequence[Chip] | None = None,
        german_castles: Sequence[Sequence[str]] | None = None,
    ):
        self.config, self.seed = as_config(config), None if seed is None else as_seed(seed)
        if deck is None and self.seed is None:
            self.seed = secrets.randbits(63)
        self._games = np.zeros(1, game_dtype(self.config.boxes, self.config.table_size))
        if deck is None and chips is None and german_castles is None:
            self._draw(None, None)
        else:
            self._dictate(deck, chips, german_castles)
            batch.go_on(self._games, tile_table())

    def _draw(self, chips: tuple[Chip, ...] | None, hands: Hands | None) -> None:
        """Begin a game whose deck comes from the seed. Start tiles, chips and castle tiles also come from it unless
        they are given.
        """
        words = seed_words([secrets.randbits(63) if self.seed is None else self.seed])
        batch.reset(self._games, np.zeros(1, np.int64), tile_table(), template(self.config, None, chips, hands), words)

    def _dictate(
        self,
        deck: Sequence[str] | None,
        chips: Sequence[Chip] | None,
        hands: Sequence[Sequence[str]] | None,
        starts: Sequence[tuple[str, int, int, int]] | None = None,
    ) -> None:
        """Begin a game with a given deck. Start tiles, chips and castle tiles come from the seed unless they are
        given.
        """
        starts = self.config.starts if starts is None else starts
        chips = (
            as_chips(() if chips is None else chips)
            if chips is not None or "map_chips" not in self.config.boxes
            else None
        )
        hands = (
            as_hands(() if hands is None else hands, self.config)
            if hands is not None or "german_castles" not in self.config.boxes
            else None
        )
        if deck is None or starts is None or chips is None or hands is None:
            if starts is None:
                check_off_starts(chips or (), self.config)
            self._draw(() if chips is not None else None, hands)
            deck = self.deck if deck is None else deck
            starts = self._starts() if starts is None else starts
            chips = self._chips() if chips is None else chips
            hands = hands_at_start(self._every_box, self.players) if hands is None else hands
        begun = template(dataclasses.replace(self.config, starts=tuple(starts)), as_deck(deck), chips, hands)
        as_blocks(self._games)[:] = as_blocks(begun)
        batch.begin(self._games, tile_table())

    def _starts(self) -> tuple[tuple[str, int, int, int], ...]:
        """The start tiles, which lie on the table before anybody acts."""
        return tuple(tile[:4] for tile in self.board()[: int(self.state["n_tiles"]) - texts.tiles_laid(self.state)])

    def _chips(self) -> tuple[Chip, ...]:
        """The chips as they were laid out at the start."""
        game = self.state
        return tuple(
            (*coordinates(game, cell), GRAPES[chip // 2], int(chip % 2) + 1)
            for cell, chip in enumerate(game["board"]["chip"])
            if chip != NONE
        )

    # --- the question asked ---------------------------------------------------------------------------------------
    @property
    def state(self) -> np.record:
        """The game's record, of dtype `carc_env.rules.state.game_dtype(config.boxes, config.table_size)`. Read it, but
        do not write to it.
        """
        record: np.record = self._games[0]
        return record

    @property
    def _every_box(self) -> np.record:
        """The record with the fields of all boxes, including those that this game does not have."""
        record: np.record = self._games.view(whole_game(self.config.table_size))[0]
        return record

    def _of_players(self, field: np.ndarray) -> np.ndarray:
        """A field of the record without the entries of players who are not in this game: int64[players, ...]."""
        found: np.ndarray = field[: self.players].astype(np.int64)
        return found

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return bool(self._games["phase"][0] == OVER)

    @property
    def phase(self) -> Phase:
        """The question now being asked."""
        return Phase(int(self._games["phase"][0]))

    @property
    def player(self) -> int | None:
        """The player who has to act; None when the game is over."""
        player = int(self._games["player"][0])
        return None if player == NONE else player

    @property
    def active_player(self) -> int | None:
        """The player whose turn it is; None when the game is over."""
        return None if self.is_over else int(self._games["active"][0])

    @property
    def tile(self) -> str | None:
        """The id of the tile in hand; None if there is none."""
        number = self._games["tile"][0]
        return None if number == NONE else tile_kinds()[number].id

    def legal_actions(self) -> np.ndarray:
        """The ids of the legal actions in ascending order, int32[k]; empty when the game is over."""
        rooms = np.empty(1, ROOM)
        n = batch.legal_actions(self._games, tile_table(), rooms)
        return rooms["answers"][0, :n].copy()

    def mask(self) -> np.ndarray:
        """The action mask, int8[n_actions]: 1 for every legal action."""
        out = np.empty((1, self.n_actions), np.int8)
        batch.legal_masks(self._games, tile_table(), out)
        return out.reshape(-1)

    def play(self, answer: int | str) -> None:
        """Play an action, given as its id or as text. Raises IllegalAction, which says why; the game is then
        unchanged.
        """
        action = texts.action_of(self.state, answer) if isinstance(answer, str) else as_action(answer, self.n_actions)
        if self.is_over or batch.step(self._games, tile_table(), np.array([action], np.int64)) != NONE:
            raise IllegalAction(self._why_not(action, answer))

    def text(self, action: int) -> str:
        """The text of a legal action. Raises IllegalAction."""
        action = as_action(action, self.n_actions)
        if action not in self.legal_actions():
            raise IllegalAction(self._why_not(action, action))
        return texts.text_of(self.state, action)

    def texts(self) -> list[str]:
        """The texts of all legal actions, in the order of `legal_actions`.

        >>> game = Game("base", deck=["U", "V"])
        >>> game.play("U@1,0/0")
        >>> game.texts()
        ['meeple road E', 'meeple field Nw', 'meeple field Es', 'pass']
        """
        return texts.texts_of(self.state, self.legal_actions().tolist())

    def places(self) -> list[Place]:
        """The place on the board that each legal action concerns, in the order of `legal_actions`."""
        return texts.places_of(self.state, self.legal_actions().tolist())

    def action(self, text: str) -> int:
        """The id of a legal action that is given as text. Raises IllegalAction."""
        action = texts.action_of(self.state, text)
        if action not in self.legal_actions():
            raise IllegalAction(self._why_not(action, text))
        return action

    @property
    def n_actions(self) -> int:
        """The number of action ids. `carc_env.boxes.actions.table(config.table_size)` says what each one means."""
        return ids_of(self.config.table_size).n

    # --- the table -----------------------------------------------------------------------------------------------
    @property
    def players(self) -> int:
        """The number of players."""
        return self.config.players

    @property
    def scores(self) -> np.ndarray:
        """Points on the track, int64[players]."""
        return self._games["players"]["score"][0, : self.players].astype(np.int64)

    @property
    def ingots(self) -> np.ndarray:
        """Ingots in hand, int64[players]."""
        return self._of_players(self.state["players"]["ingots"])

    @property
    def supply(self) -> int:
        """Ingots in the supply, which have not been placed yet."""
        return int(self.state["systems"]["goldmines"]["supply"])

    @property
    def chips_sold(self) -> np.ndarray:
        """Map-Chips that have been sold, int64[3, 2]: by colour (purple, light blue, orange) and value (1, 2)."""
        board = self.state["board"]
        taken = board["chip"][(board["chip"] != NONE) & (board["tile"] != NONE)]
        gone: np.ndarray = np.bincount(taken, minlength=2 * N_COLOURS).reshape(N_COLOURS, 2) - self.chips.sum(0)
        return gone

    @property
    def chips(self) -> np.ndarray:
        """Map-Chips in hand, int64[players, 3, 2]: by colour (purple, light blue, orange) and value (1, 2)."""
        return self._of_players(self.state["players"]["chips"])

    @property
    def goods(self) -> np.ndarray:
        """Goods tokens, int64[players, 3]: wine, grain, cloth."""
        return self._of_players(self.state["players"]["goods"])

    @property
    def ferries(self) -> list[tuple[int, int, str]]:
        """The ferries on the table, row by row: (x, y, "S-W"), where the text names the two edges of the lake that the
        ferry joins.
        """
        return ferries_lying(self._every_box)

    @property
    def castles(self) -> list[tuple[int, int, str, int, bool]]:
        """The castles on the table, in the order in which they were founded: (x, y) of the first cell, the edge to the
        other cell, the player, and True if the castle has a lord.
        """
        game = self._every_box
        built = game["systems"]["castles"]["built"][: game["systems"]["castles"]["n_built"]]
        halves = game["segments"][built["node"]]
        lords = game["features"]["strength"][halves["feature"]].any(1)
        columns = (column.tolist() for column in (halves["cell"], built["side"], built["player"], lords))
        return [(*coordinates(game, cell), SPOTS[side], player, lord) for cell, side, player, lord in zip(*columns)]

    @property
    def castle_tokens(self) -> np.ndarray:
        """Castle tokens in hand, int64[players]; 0 without the box."""
        return self._of_players(self._every_box["systems"]["castles"]["tokens"])

    @property
    def abbeys(self) -> np.ndarray:
        """Abbeys in hand, int64[players]."""
        return self._of_players(self._every_box["systems"]["abbeys"]["held"])

    @property
    def german_castles(self) -> Hands:
        """Castle tiles in hand, a tuple of ids for each player."""
        return hands_now(self._every_box, self.players)

    @property
    def meeples(self) -> dict[str, np.ndarray]:
        """Figures in the supply: kind -> int64[players]."""
        slots = self.state["players"]["figures"][: self.players]
        return {
            figure: (slots[:, FIRST_SLOT[i] : FIRST_SLOT[i + 1]] == IN_SUPPLY).sum(1)
            for i, figure in enumerate(FIGURES)
        }

    @property
    def tiles_left(self) -> int:
        """Tiles not drawn yet."""
        return int(self.state["n_deck"] - self.state["n_drawn"])

    @property
    def is_cut_off(self) -> bool:
        """True if the table was too small for a placement that the rules allow.

        The table of a preset is so large that this happens in fewer than 1 of 10,000 games; see
        `GameConfig.table_size`.
        """
        return bool(self._games["is_cut_off"][0])

    @property
    def last_events(self) -> tuple[Event, ...]:
        """The events that the last action caused, including all that the engine did afterwards until the next question.

        At most the first MAX_EVENTS (192) events are listed. Only a game with a given deck can have more, if tile after
        tile fits nowhere or in a single place.
        """
        return read_events(self.state)

    def final_scores(self) -> dict[str, np.ndarray]:
        """The points of the whole game by source, int64[players] each. They add up to `scores`."""
        points = self.state["players"]["points"][: self.players].astype(np.int64)
        return {source: points[:, i] for i, source in enumerate(SOURCES)}

    def board(self) -> list[Placed]:
        """The tiles on the table, in the order in which they were placed."""
        game = self._every_box
        tiles = game["board"]["tile"]
        cells = np.flatnonzero((tiles != NONE) & (tiles < len(tile_kinds())))  # without the squares of large cities
        # and the second squares of double tiles
        cells = np.setdiff1d(cells, game["systems"]["german_castles"]["squares"][:, 1])
        cells = cells[np.argsort(game["board"]["first_segment"][cells])]
        figures, squares = self._figures_by_cell(), game["board"][cells]
        columns = (squares[name].tolist() for name in ("tile", "rotation", "ingots"))
        return [
            Placed(
                tile_kinds()[tile].name, *coordinates(game, cell), 90 * rotation, ingots, tuple(figures.get(cell, ()))
            )
            for cell, tile, rotation, ingots in zip(cells.tolist(), *columns)
        ]

    def features(self) -> list[Feature]:
        """All roads, cities, fields and buildings on the table. Symbols of boxes that are not in play do not count."""
        game, n = self.state, int(self.state["n_segments"])
        cells = game["segments"]["cell"][:n].astype(int)
        squares = game["board"][cells]
        spots = tile_table()[0]["kinds"]["spot"][
            squares["tile"], squares["rotation"], np.arange(n) - squares["first_segment"]
        ]
        members: dict[int, list[int]] = {}
        for node, feature in enumerate(game["segments"]["feature"][:n].tolist()):
            members.setdefault(feature, []).append(node)
        columns = (game["features"][name][:n].tolist() for name in ("kind", "open", "pennants", "lies", "strength"))
        known = list(zip(*columns))
        shown = int(game["kinds"]) | 1 << Kind.GARDEN
        return [
            self._feature(cells[nodes].tolist(), spots[nodes].tolist(), *known[feature])
            for feature, nodes in members.items()
            if shown >> known[feature][0] & 1
        ]

    def _feature(
        self, cells: list[int], spots: list[int], kind: int, empty: int, pennants: int, lies: int, strength: list[int]
    ) -> Feature:
        cell = cells[0]
        if BUILDINGS[kind, ITSELF]:
            square = self.state["board"][cell]
            empty = int(square["around"]) - int(square["neighbours"])
        if kind == Kind.GERMAN_CATHEDRAL:
            empty = self._open_roads(cell)
        places = tuple(sorted(self._place(*place) for place in zip(cells, spots)))
        return Feature(
            WORDS[kind],
            places,
            len(set(cells)),
            empty,
            pennants,
            tuple(strength[: self.players]),
            kind != Kind.FIELD and empty == 0 and not lies and not (kind == Kind.CASTLE and any(strength)),
        )

    def _place(self, cell: int, spot: int) -> tuple[int, int, str]:
        """The square and the spot that a spot of a tile belongs to: they differ for the second square of a German
        castle.
        """
        square = other_square(self.state, cell) if spot >= FIRST_OF_SECOND else cell
        return (*coordinates(self.state, int(square)), SPOTS[own_spot(spot)])

    def _open_roads(self, cell: int) -> int:
        """The number of different roads on a tile that are not completed."""
        game = self.state
        here = game["features"][
            np.unique(
                game["segments"]["feature"][: game["n_segments"]][
                    game["segments"]["cell"][: game["n_segments"]] == cell
                ]
            )
        ]
        return int(((here["kind"] == Kind.ROAD) & (here["open"] > 0)).sum())

    def _figures_by_cell(self) -> dict[int, list[Figure]]:
        found: dict[int, list[Figure]] = {}
        figures = self.state["players"]["figures"][: self.players]
        players, slots = (figures >= 0).nonzero()
        numbers = figures[players, slots]
        cells = self.state["segments"]["cell"][numbers]
        squares, facts = self.state["board"][cells], tile_table()[0]["kinds"]
        tiles, number = squares["tile"], numbers - squares["first_segment"]
        features = self.state["segments"]["feature"][numbers]
        kinds = self.state["features"]["kind"][features]  # a castle is not printed
        spots = facts["spot"][tiles, squares["rotation"], number]
        spots = np.where(self.state["features"]["lies"][features] == 1, Spot.LYING, spots)
        for player, slot, cell, kind, spot in zip(
            *(column.tolist() for column in (players, slots, cells, kinds, spots))
        ):
            found.setdefault(cell, []).append(Figure(FIGURES[SLOT_FIGURE[slot]], player, WORDS[kind], SPOTS[spot]))
        return found

    def observe(
        self, player: int | None = None, observation: str | encode.ObservationSpec = "planes"
    ) -> dict[str, np.ndarray]:
        """The observation of a player, by default the one who has to act, as the arrays of `carc_env.observing.encode`.

        Args:
            player: 0 to players - 1.
            observation: "planes", "candidates" or "both", or an `encode.ObservationSpec`.
        """
        player = max(0, int(self._games["player"][0])) if player is None else as_player(player, self.players)
        return {name: array[0] for name, array in encode.observe(self._games, np.array([player]), observation).items()}

    def provisional_scores(self) -> np.ndarray:
        """The score that every player would have if the game were scored now, int64[players]."""
        out = np.empty((1, MAX_PLAYERS), np.int64)
        encode.provisional_scores(self._games, tile_table(), out)
        return out[0, : self.players]

    # --- what is wrong with an answer ----------------------------------------------------------------------------
    def _why_not(self, action: int, answer: int | str) -> str:
        """Explain why an action is not legal."""
        if self.is_over:
            return f"{answer!r} is not legal: the game is over"
        if not 0 <= action < self.n_actions:
            return f"action {answer!r} is not from 0 to {self.n_actions - 1}"
        return f"{answer!r} is not legal: {texts.why_not(self.state, action, self.legal_actions())}"

    # --- for search ----------------------------------------------------------------------------------------------
    def undo(self) -> None:
        """Undo the last action that a player chose, together with the actions that the engine played after it.

        Raises IllegalAction if there is none; the game is then unchanged. The method plays the game again from its
        beginning, which takes some tenths of a millisecond. A search that often goes back should keep clones instead.

        >>> game = Game("base", deck=["U", "V"])
        >>> game.play("U@1,0/0")
        >>> game.undo()
        >>> game.phase.name, game.tile
        ('PLACE_TILE', 'U')
        """
        if not batch.undo(self._games, tile_table(), self._template()):
            raise IllegalAction("nobody has chosen an action yet, so there is nothing to undo")

    def _template(self) -> np.ndarray:
        """The record that this game started from, with every draw decided."""
        hands = hands_at_start(self._every_box, self.players)
        return template(dataclasses.replace(self.config, starts=self._starts()), tuple(self.deck), self._chips(), hands)

    def reshuffle_hidden(self, seed: int) -> None:
        """Redraw what nobody may know: the order of the stack and the faces of the chips that lie face down.

        All that is known stays. A search bot must call this before it looks ahead, or it would cheat. Afterwards the
        game has no seed.
        """
        batch.reshuffle(self._games, tile_table(), seed_words([seed]))
        self.seed = None

    def position(self, player: int | None = None) -> str:
        """The position as one line of text: all that a player may know, by default the one who has to act. See
        `carc_env.notation.positions`.
        """
        if player is not None:
            as_player(player, self.players)  # nothing in the boxes so far is known to some players only
        return json.dumps(known(self), separators=(",", ":"))

    @classmethod
    def from_position(cls, text: str, seed: int | None = None) -> "Game":
        """A game in a position that `position` wrote. The hidden information is redrawn. Raises RecordError.

        >>> game = Game("carcassonne", seed=7)
        >>> Game.from_position(game.position(), seed=1).position() == game.position()
        True
        """
        from carc_env.games.replay import replay  # it stands above games, as it makes them

        seed = secrets.randbits(63) if seed is None else as_seed(seed)
        position = read_position(text)
        game = replay(with_any_order(position))
        check_drawn(position, int(game.state["n_drawn"]))
        game.reshuffle_hidden(seed)
        return game

    # --- for people -----------------------------------------------------------------------------------------------
    def __str__(self) -> str:
        """One line: the configuration, the progress of the game, the question asked, and the scores."""
        from carc_env.render import line  # asked for only here and below: the drawing takes its time to load

        return line(self)

    def __repr__(self) -> str:
        return f"<Game {self}>"

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        from carc_env.render import svg

        return svg(self)

    def save(self, path: PathLike[str] | str) -> None:
        """Save a drawing of the table as `x.svg` or `x.png`. Raises PictureError or FileError."""
        from carc_env.render import save

        save(self, path)

    # --- copies and records ----------------------------------------------------------------------------------------
    def clone(self) -> "Game":
        """An independent copy."""
        return self._around(self.config, copied(self._games), self.seed, self.notes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.config, self.seed, self._games.tobytes(), self.notes)

    def __copy__(self) -> "Game":
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.clone()

    @classmethod
    def _around(cls, config: GameConfig, games: np.ndarray, seed: int | None = None, notes: Notes = NO_NOTES) -> "Game":
        """A Game that uses the first record of an array of records."""
        game = object.__new__(cls)
        game.config, game.seed, game._games, game.notes = config, seed, games, notes
        return game

    def __eq__(self, other: object) -> bool:
        """Two games are equal if their configurations and all bytes of their states are equal."""
        if not isinstance(other, Game):
            return NotImplemented
        return self.config == other.config and self._games.tobytes() == other._games.tobytes()

    __hash__ = None  # type: ignore[assignment]

    @property
    def moves(self) -> list[str]:
        """All actions so far as texts, including those that the engine played because there was only one."""
        return texts.moves_of(self.state)

    @property
    def deck(self) -> list[str]:
        """All tiles in the order of drawing. Players may not know it."""
        game = self.state
        return [tile_kinds()[number].id for number in game["deck"][: game["n_deck"]]]

    def record(self) -> dict[str, Any]:
        """The game as a dict that can be written as JSON: one line of a record file."""
        hands = [list(hand) for hand in hands_at_start(self._every_box, self.players)]
        return {
            "carc_env": FORMAT,
            "config": self.config.to_dict(),
            "seed": self.seed,
            "deck": self.deck,
            "chips": [list(chip) for chip in self._chips()],
            **({"german_castles": hands} if "german_castles" in self.config.boxes else {}),
            "starts": [list(start) for start in self._starts()],
            "moves": self.moves,
            "scores": self.scores.tolist(),
            **self.notes.to_dict(),
        }

    def to_bytes(self) -> bytes:
        """The whole game as bytes, including the hidden deck: a compressed record with a checksum."""
        return write_bytes(self.record())

    @staticmethod
    def from_bytes(data: bytes) -> "Game":
        """The game that `to_bytes` wrote. Every move is checked again. Raises RecordError."""
        from carc_env.games.replay import replay

        return replay(read_bytes(data))


def as_blocks(games: np.ndarray) -> np.ndarray:
    """View games as one block of bytes each, in the same memory. Copying them field by field would be 20 times
    slower.
    """
    return games.view(_block(games.dtype.itemsize))


@cache
def _block(n_bytes: int) -> np.dtype:
    return np.dtype((np.void, n_bytes))


def copied(games: np.ndarray) -> np.ndarray:
    """Copy games to the last byte, including the bytes between the fields."""
    return np.ndarray(games.shape, games.dtype, as_blocks(games).copy())  # `view` would take longer than the copy


def _unpickled(config: GameConfig, seed: int | None, data: bytes, notes: Notes = NO_NOTES) -> Game:
    games = np.frombuffer(bytearray(data), game_dtype(config.boxes, config.table_size))
    return Game._around(config, games, seed, notes)


def as_deck(deck: Sequence[str]) -> tuple[str, ...]:
    """Check a given deck and return it as a tuple of tile ids. Raises DeckError."""
    if isinstance(deck, str) or not isinstance(deck, Sequence) or not all(isinstance(tile, str) for tile in deck):
        raise DeckError(f"a deck is a list of tile ids, not {brief(deck)}")
    return tuple(deck)


def __getattr__(name: str) -> Any:
    """Names that were in this module before version 0.2 and are now in `carc_env.games.replay`."""
    if name in ("read_records", "replay", "retrace"):
        return getattr(importlib.import_module("carc_env.games.replay"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
