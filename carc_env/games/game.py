"""The class `Game`, which holds and plays one game."""

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
from carc_env.rules.geometry import coordinates, coordinates_of
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
    """One game of Carcassonne. A Game provides the current decision and the legal actions. The method `play` plays an
    action.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        seed: an integer from 0 to 2**64 - 1. If `seed` and `deck` are None, the operating system supplies a seed.
        deck: the tiles in drawing order, without start tiles. The game ends after the last tile of the deck. With a
            deck but no seed, the attribute `seed` is None, and other random choices, such as the chips, cannot be
            reproduced.
        chips: the Map-Chips, each as (x, y, colour, value). Pass () for a game without chips.
        german_castles: the castle tiles in each player's hand at the start, as one tuple of tile ids for each player.

    Raises:
        ConfigError, DeckError, ChipError, SeedError: for an invalid argument. The four exceptions are subclasses of
            ValueError.

    >>> game = Game("base", deck=["U", "V"])
    >>> game.phase.name, game.player, game.tile
    ('PLACE_TILE', 0, 'U')
    >>> game.play("U@1,0/0")
    >>> [game.text(action) for action in game.legal_actions()]
    ['meeple road E', 'meeple field Nw', 'meeple field Es', 'pass']
    """

    _notes: Notes = NO_NOTES

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
        """Begin a game, and use the seed to shuffle the deck. The seed also determines the start tiles, chips and
        castle tiles that are not given.
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
        """Begin a game with a given deck, start tiles, chips or castle tiles. Everything that is not given is drawn at
        random with the seed.
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
        """Return the start tiles, which lie on the table before any player acts."""
        return tuple(tile[:4] for tile in self.board()[: int(self.state["n_tiles"]) - texts.tiles_laid(self.state)])

    def _chips(self) -> tuple[Chip, ...]:
        """Return the chips as they were laid out at the start."""
        game = self.state
        return tuple(
            (*coordinates(game, cell), GRAPES[chip // 2], int(chip % 2) + 1)
            for cell, chip in enumerate(game["board"]["chip"])
            if chip != NONE
        )

    # --- the current decision -------------------------------------------------------------------------------------
    @property
    def state(self) -> np.record:
        """The state of the game as a record of dtype
        `carc_env.rules.state.game_dtype(config.boxes, config.table_size)`. Do not write to this record.
        """
        record: np.record = self._games[0]
        return record

    @property
    def _every_box(self) -> np.record:
        """The state of the game as a record with the fields of all boxes, even of boxes that are not in play."""
        record: np.record = self._games.view(whole_game(self.config.table_size))[0]
        return record

    def _of_players(self, field: np.ndarray) -> np.ndarray:
        """Return the entries of `field` that belong to the players of this game, as an array int64[players, ...].
        `field` has MAX_PLAYERS entries, even if the game has fewer players.
        """
        found: np.ndarray = field[: self.players].astype(np.int64)
        return found

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return bool(self._games["phase"][0] == OVER)

    @property
    def phase(self) -> Phase:
        """The type of the current decision, such as PLACE_TILE."""
        return Phase(int(self._games["phase"][0]))

    @property
    def player(self) -> int | None:
        """The acting player, who has to choose an action. None if the game is over."""
        player = int(self._games["player"][0])
        return None if player == NONE else player

    @property
    def active_player(self) -> int | None:
        """The active player, whose turn it is. None if the game is over."""
        return None if self.is_over else int(self._games["active"][0])

    @property
    def tile(self) -> str | None:
        """The id of the tile that was drawn and has to be placed. None if no tile has to be placed."""
        number = self._games["tile"][0]
        return None if number == NONE else tile_kinds()[number].id

    def legal_actions(self) -> np.ndarray:
        """Return the ids of the legal actions in ascending order, as an array int32[k]. The array is empty if the game
        is over.
        """
        rooms = np.empty(1, ROOM)
        n = batch.legal_actions(self._games, tile_table(), rooms)
        return rooms["answers"][0, :n].copy()

    def mask(self) -> np.ndarray:
        """Return the action mask, as an array int8[n_actions]. The mask is 1 for legal actions, and otherwise 0."""
        out = np.empty((1, self.n_actions), np.int8)
        batch.legal_masks(self._games, tile_table(), out)
        return out.reshape(-1)

    def play(self, answer: int | str) -> None:
        """Play an action. `answer` is the id or the text of the action. An illegal action raises an IllegalAction with
        the reason, and leaves the game unchanged.
        """
        action = texts.action_of(self.state, answer) if isinstance(answer, str) else as_action(answer, self.n_actions)
        if self.is_over or batch.step(self._games, tile_table(), np.array([action], np.int64)) != NONE:
            raise IllegalAction(self._why_not(action, answer))

    def text(self, action: int) -> str:
        """Return the text of a legal action. Raises IllegalAction."""
        action = as_action(action, self.n_actions)
        if action not in self.legal_actions():
            raise IllegalAction(self._why_not(action, action))
        return texts.text_of(self.state, action)

    def texts(self) -> list[str]:
        """Return the texts of all legal actions, in the order of `legal_actions`.

        >>> game = Game("base", deck=["U", "V"])
        >>> game.play("U@1,0/0")
        >>> game.texts()
        ['meeple road E', 'meeple field Nw', 'meeple field Es', 'pass']
        """
        return texts.texts_of(self.state, self.legal_actions().tolist())

    def places(self) -> list[Place]:
        """Return where a user interface offers each legal action: at a place on the board, or as a button. The places
        are in the same order as `legal_actions`.
        """
        return texts.places_of(self.state, self.legal_actions().tolist())

    def action(self, text: str) -> int:
        """Return the id of a legal action that is given as text. Raises IllegalAction."""
        action = texts.action_of(self.state, text)
        if action not in self.legal_actions():
            raise IllegalAction(self._why_not(action, text))
        return action

    @property
    def n_actions(self) -> int:
        """The number of action ids. `carc_env.boxes.actions.table(config.table_size)` lists their meanings."""
        return ids_of(self.config.table_size).n

    @property
    def notes(self) -> Notes:
        """Additional entries of the game record, such as the names of the players. The value must be a `Notes` object.
        Any other value raises TypeError.
        """
        return self._notes

    @notes.setter
    def notes(self, notes: Notes) -> None:
        if not isinstance(notes, Notes):
            raise TypeError(f"notes should be a carc_env.notation.notes.Notes, not {brief(notes)}")
        self._notes = notes

    # --- the table -----------------------------------------------------------------------------------------------
    @property
    def players(self) -> int:
        """The number of players."""
        return self.config.players

    @property
    def scores(self) -> np.ndarray:
        """The points on the scoring track, int64[players]."""
        return self._games["players"]["score"][0, : self.players].astype(np.int64)

    @property
    def ingots(self) -> np.ndarray:
        """The number of ingots that each player has, int64[players]."""
        return self._of_players(self.state["players"]["ingots"])

    @property
    def supply(self) -> int:
        """The number of ingots that are left in the supply."""
        return int(self.state["systems"]["goldmines"]["supply"])

    @property
    def chips_sold(self) -> np.ndarray:
        """The Map-Chips that players have sold as wine, counted by colour and value, as an array int64[3, 2]. The first
        axis is the colour (purple, light blue, orange), and the second axis is the value (1, 2).
        """
        board = self.state["board"]
        taken = board["chip"][(board["chip"] != NONE) & (board["tile"] != NONE)]
        gone: np.ndarray = np.bincount(taken, minlength=2 * N_COLOURS).reshape(N_COLOURS, 2) - self.chips.sum(0)
        return gone

    @property
    def chips(self) -> np.ndarray:
        """The Map-Chips of each player, counted by colour and value, as an array int64[players, 3, 2]. The second axis
        is the colour (purple, light blue, orange), and the third axis is the value (1, 2).
        """
        return self._of_players(self.state["players"]["chips"])

    @property
    def goods(self) -> np.ndarray:
        """The goods tokens of each player, counted by type, as an array int64[players, 3]. The second axis is the type
        of goods (wine, grain, cloth).
        """
        return self._of_players(self.state["players"]["goods"])

    @property
    def ferries(self) -> list[tuple[int, int, str]]:
        """The ferries on the table, row by row, each as (x, y, edges). `edges` names the two edges of the lake tile
        that the ferry connects, such as "S-W".
        """
        return ferries_lying(self._every_box)

    @property
    def castles(self) -> list[tuple[int, int, str, int, bool]]:
        """The castles on the table, in the order in which they were founded. Each castle is a tuple (x, y, edge,
        player, lord). A castle covers two squares: `(x, y)` is the first square, and `edge` is the edge between the
        first and the second square. `player` is the owner. `lord` is True if the castle has a lord.
        """
        game = self._every_box
        built = game["systems"]["castles"]["built"][: game["systems"]["castles"]["n_built"]]
        halves = game["segments"][built["node"]]
        lords = game["features"]["strength"][halves["feature"]].any(1)
        columns = (column.tolist() for column in (halves["cell"], built["side"], built["player"], lords))
        return [(*coordinates(game, cell), SPOTS[side], player, lord) for cell, side, player, lord in zip(*columns)]

    @property
    def castle_tokens(self) -> np.ndarray:
        """The number of castle tokens that each player has, int64[players]. In a game without castles, every entry is
        0.
        """
        return self._of_players(self._every_box["systems"]["castles"]["tokens"])

    @property
    def abbeys(self) -> np.ndarray:
        """The number of abbeys that each player has, int64[players]."""
        return self._of_players(self._every_box["systems"]["abbeys"]["held"])

    @property
    def german_castles(self) -> Hands:
        """The castle tiles in each player's hand, as one tuple of tile ids for each player."""
        return hands_now(self._every_box, self.players)

    @property
    def meeples(self) -> dict[str, np.ndarray]:
        """The figures in each player's supply, counted by type. The keys are the types of figures, and the values are
        arrays int64[players].
        """
        slots = self.state["players"]["figures"][: self.players]
        return {
            figure: (slots[:, FIRST_SLOT[i] : FIRST_SLOT[i + 1]] == IN_SUPPLY).sum(1)
            for i, figure in enumerate(FIGURES)
        }

    @property
    def tiles_left(self) -> int:
        """The number of tiles that have not been drawn yet."""
        return int(self.state["n_deck"] - self.state["n_drawn"])

    @property
    def is_cut_off(self) -> bool:
        """True if the table was too small for a placement that the rules allow.

        For each preset, the table is too small in at most 1 of 10,000 games; see `GameConfig.table_size`.
        """
        return bool(self._games["is_cut_off"][0])

    @property
    def last_events(self) -> tuple[Event, ...]:
        """The events of the last action, and of the forced actions that the engine played after this action.

        Only the first MAX_EVENTS (192) events are listed. There can be more events only in a game with an unusual deck,
        in which many consecutive tiles have at most one legal placement.
        """
        return read_events(self.state)

    def final_scores(self) -> dict[str, np.ndarray]:
        """Return the points of each player, grouped by source. Examples of sources are `roads`, `cities` and `ingots`.
        The keys are the sources, and the values are arrays int64[players]. For each player, the points from all sources
        add up to the player's entry in `scores`.
        """
        points = self.state["players"]["points"][: self.players].astype(np.int64)
        return {source: points[:, i] for i, source in enumerate(SOURCES)}

    def board(self) -> list[Placed]:
        """Return the tiles on the table, in the order in which they were placed."""
        game = self._every_box
        tiles = game["board"]["tile"]
        # leave out the squares of large cities, and the second squares of double tiles
        cells = np.flatnonzero((tiles != NONE) & (tiles < len(tile_kinds())))
        cells = np.setdiff1d(cells, game["systems"]["german_castles"]["squares"][:, 1])
        cells = cells[np.argsort(game["board"]["first_segment"][cells])]
        figures, squares = self._figures_by_cell(), game["board"][cells]
        columns = (squares[name].tolist() for name in ("tile", "rotation", "ingots"))
        return [
            Placed(tile_kinds()[tile].name, x, y, 90 * rotation, ingots, tuple(figures.get(cell, ())))
            for cell, (x, y), tile, rotation, ingots in zip(cells.tolist(), coordinates_of(game, cells), *columns)
        ]

    def features(self) -> list[Feature]:
        """Return all roads, cities, fields and buildings on the table. Buildings of boxes that are not in play are left
        out, except gardens, which are always included.
        """
        game, n = self.state, int(self.state["n_segments"])
        cells = game["segments"]["cell"][:n].astype(int)
        squares = game["board"][cells]
        spots = tile_table()[0]["kinds"]["spot"][
            squares["tile"], squares["rotation"], np.arange(n) - squares["first_segment"]
        ]
        places = self._places(cells, spots)
        members: dict[int, list[int]] = {}
        for node, feature in enumerate(game["segments"]["feature"][:n].tolist()):
            members.setdefault(feature, []).append(node)
        columns = (game["features"][name][:n].tolist() for name in ("kind", "open", "pennants", "lies", "strength"))
        known = list(zip(*columns))
        shown = int(game["kinds"]) | 1 << Kind.GARDEN
        return [
            self._feature(cells[nodes].tolist(), tuple(sorted(places[node] for node in nodes)), *known[feature])
            for feature, nodes in members.items()
            if shown >> known[feature][0] & 1
        ]

    def _feature(
        self,
        cells: list[int],
        places: tuple[tuple[int, int, str], ...],
        kind: int,
        empty: int,
        pennants: int,
        lies: int,
        strength: list[int],
    ) -> Feature:
        cell = cells[0]
        if BUILDINGS[kind, ITSELF]:
            square = self.state["board"][cell]
            empty = int(square["around"]) - int(square["neighbours"])
        if kind == Kind.GERMAN_CATHEDRAL:
            empty = self._open_roads(cell)
        return Feature(
            WORDS[kind],
            places,
            len(set(cells)),
            empty,
            pennants,
            tuple(strength[: self.players]),
            kind != Kind.FIELD and empty == 0 and not lies and not (kind == Kind.CASTLE and any(strength)),
        )

    def _places(self, cells: np.ndarray, spots: np.ndarray) -> list[tuple[int, int, str]]:
        """Return the square of each spot, and the spot's name on this square. `cells` holds the cell of each spot's
        tile. For a spot on a German castle, `cells` holds the first of the castle's two squares, even if the spot is on
        the second square.
        """
        second = spots >= FIRST_OF_SECOND
        squares = cells.copy()
        squares[second] = [other_square(self.state, cell) for cell in cells[second].tolist()]
        names = [SPOTS[own_spot(spot)] for spot in spots.tolist()]
        return [(x, y, name) for (x, y), name in zip(coordinates_of(self.state, squares), names)]

    def _open_roads(self, cell: int) -> int:
        """Return the number of distinct unfinished roads on a tile."""
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
        # read the kind of feature from the state of the game, because castles are not printed on tiles
        kinds = self.state["features"]["kind"][features]
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
        """Return the observation of a player as a dict of arrays. The module `carc_env.observing.encode` describes the
        arrays.

        Args:
            player: the number of the player, from 0 to players - 1. The default is the acting player, or player 0 if
                the game is over.
            observation: "planes", "candidates" or "both", or an `encode.ObservationSpec`.

        Raises PlayerError for an invalid player, and ArgumentError for an invalid observation.
        """
        player = max(0, int(self._games["player"][0])) if player is None else as_player(player, self.players)
        return {name: array[0] for name, array in encode.observe(self._games, np.array([player]), observation).items()}

    def provisional_scores(self) -> np.ndarray:
        """Return the score that each player would have if the game ended now, int64[players]."""
        out = np.empty((1, MAX_PLAYERS), np.int64)
        encode.provisional_scores(self._games, tile_table(), out)
        return out[0, : self.players]

    # --- what is wrong with an action ----------------------------------------------------------------------------
    def _why_not(self, action: int, answer: int | str) -> str:
        """Explain why an action is not legal."""
        named = repr(answer) if isinstance(answer, str) else f"action {answer}"
        if self.is_over:
            return f"{named} is not legal: the game is over"
        if not 0 <= action < self.n_actions:
            return f"action {answer!r} is not from 0 to {self.n_actions - 1}"
        return f"{named} is not legal: {texts.why_not(self.state, action, self.legal_actions())}"

    # --- for search ----------------------------------------------------------------------------------------------
    def undo(self) -> None:
        """Undo the last action that a player chose, and the forced actions after it.

        Raises IllegalAction if no player has acted yet. The method replays the game from the beginning. Replaying a
        game takes 0.3 to 2 milliseconds. A search that often undoes actions should keep clones instead.

        >>> game = Game("base", deck=["U", "V"])
        >>> game.play("U@1,0/0")
        >>> game.undo()
        >>> game.phase.name, game.tile
        ('PLACE_TILE', 'U')
        """
        if not batch.undo(self._games, tile_table(), self._template()):
            raise IllegalAction("nobody has chosen an action yet, so there is nothing to undo")

    def _template(self) -> np.ndarray:
        """Return the initial state of this game. The state includes all random outcomes of the setup: the deck, the
        start tiles, the chips and the castle tiles.
        """
        hands = hands_at_start(self._every_box, self.players)
        return template(dataclasses.replace(self.config, starts=self._starts()), tuple(self.deck), self._chips(), hands)

    def reshuffle_hidden(self, seed: int) -> None:
        """Draw the hidden information at random: the order of the stack and the faces of the face-down chips.

        All public information stays unchanged. To avoid using hidden information, a search bot must call this method
        before it looks ahead. The call sets the attribute `seed` to None.
        """
        batch.reshuffle(self._games, tile_table(), seed_words([seed]))
        self.seed = None

    def position(self, player: int | None = None) -> str:
        """Return everything that a player is allowed to know about the position, as one line of text. By default,
        `player` is the acting player. See `carc_env.notation.positions`.
        """
        if player is not None:
            as_player(player, self.players)  # only checks the argument, because all players have the same information
        return json.dumps(known(self), separators=(",", ":"))

    @classmethod
    def from_position(cls, text: str, seed: int | None = None) -> "Game":
        """Make a game from a text that the method `position` returned. The seed determines the hidden information.
        Raises RecordError.

        >>> game = Game("carcassonne", seed=7)
        >>> Game.from_position(game.position(), seed=1).position() == game.position()
        True
        """
        from carc_env.games.replay import replay  # imported here, because the module `replay` imports this module

        seed = secrets.randbits(63) if seed is None else as_seed(seed)
        position = read_position(text)
        game = replay(with_any_order(position))
        check_drawn(position, int(game.state["n_drawn"]))
        game.reshuffle_hidden(seed)
        return game

    # --- for people -----------------------------------------------------------------------------------------------
    def __str__(self) -> str:
        """Return the configuration, the progress of the game, the current decision and the scores in one line."""
        from carc_env.render import line  # imported here (and in the methods below), because drawing code loads slowly

        return line(self)

    def __repr__(self) -> str:
        return f"<Game {self}>"

    def _repr_svg_(self) -> str:
        """Return the SVG picture that a Jupyter notebook displays."""
        from carc_env.render import svg

        return svg(self)

    def save(self, path: PathLike[str] | str) -> None:
        """Save a drawing of the table as an SVG or PNG file. Raises PictureError or FileError."""
        from carc_env.render import save

        save(self, path)

    # --- copies and records ----------------------------------------------------------------------------------------
    def clone(self) -> "Game":
        """Return an independent copy."""
        return self._around(self.config, copied(self._games), self.seed, self.notes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.config, self.seed, self._games.tobytes(), self.notes)

    def __copy__(self) -> "Game":
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.clone()

    @classmethod
    def _around(cls, config: GameConfig, games: np.ndarray, seed: int | None = None, notes: Notes = NO_NOTES) -> "Game":
        """Make a Game whose state is the first element of an array of game states."""
        game = object.__new__(cls)
        game.config, game.seed, game._games, game._notes = config, seed, games, notes
        return game

    def __eq__(self, other: object) -> bool:
        """Two games are equal if their configurations and all bytes of their states are equal."""
        if not isinstance(other, Game):
            return NotImplemented
        return self.config == other.config and self._games.tobytes() == other._games.tobytes()

    __hash__ = None  # type: ignore[assignment]

    @property
    def moves(self) -> list[str]:
        """The texts of all actions played so far. Forced actions that the engine played are included, except forced
        passes, which are not recorded.
        """
        return texts.moves_of(self.state)

    @property
    def deck(self) -> list[str]:
        """All tiles in drawing order, including the tiles drawn so far. The players do not know the order of the tiles
        that have not been drawn yet.
        """
        game = self.state
        return [tile_kinds()[number].id for number in game["deck"][: game["n_deck"]]]

    def record(self) -> dict[str, Any]:
        """Return the game record, a dict for JSON. Each line of a record file holds one game record."""
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
        """Return the whole game as bytes, including the hidden deck. The bytes are a compressed record with a
        checksum.
        """
        return write_bytes(self.record())

    @staticmethod
    def from_bytes(data: bytes) -> "Game":
        """Restore a game from bytes that `to_bytes` returned. The method replays the game, and checks that every action
        is legal. Raises RecordError.
        """
        from carc_env.games.replay import replay

        return replay(read_bytes(data))


def as_blocks(games: np.ndarray) -> np.ndarray:
    """Return a view of the array `games`, with one block of bytes for each game. Copying a whole block is 20 times
    faster than copying each field of a record.
    """
    return games.view(_block(games.dtype.itemsize))


@cache
def _block(n_bytes: int) -> np.dtype:
    return np.dtype((np.void, n_bytes))


def copied(games: np.ndarray) -> np.ndarray:
    """Copy games byte by byte, including the padding between the fields."""
    # `as_blocks(games).copy().view(games.dtype)` would be slower, because `view` takes longer than the copy
    return np.ndarray(games.shape, games.dtype, as_blocks(games).copy())


def _unpickled(config: GameConfig, seed: int | None, data: bytes, notes: Notes = NO_NOTES) -> Game:
    games = np.frombuffer(bytearray(data), game_dtype(config.boxes, config.table_size))
    return Game._around(config, games, seed, notes)


def as_deck(deck: Sequence[str]) -> tuple[str, ...]:
    """Check a given deck and return it as a tuple of tile ids. Raises DeckError."""
    if isinstance(deck, str) or not isinstance(deck, Sequence) or not all(isinstance(tile, str) for tile in deck):
        raise DeckError(f"a deck is a list of tile ids, not {brief(deck)}")
    return tuple(deck)


def __getattr__(name: str) -> Any:
    """Return a function that was in this module before version 0.2, and is now in `carc_env.games.replay`."""
    if name in ("read_records", "replay", "retrace"):
        return getattr(importlib.import_module("carc_env.games.replay"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
