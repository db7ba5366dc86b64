"""Defines games in which the caller decides the outcome of every chance event. OpenSpiel and searches with chance nodes
need such games.

The state of a `Game` contains hidden information, such as the order of the shuffled stack. An `OpenGame` contains no
hidden information, because every tile and chip is drawn only when it is revealed. The tiles in the stack are stored in
sorted order, which reveals nothing about future draws. The faces of face-down chips are also stored in sorted order.
When a tile is drawn or a chip is turned up, `chances` lists the possible outcomes and `decide` chooses one.
"""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from carc_env.boxes.sheets import GRAPES
from carc_env.boxes.tiles import tile_kinds, tile_table
from carc_env.common.arguments import as_action, as_count
from carc_env.common.errors import IllegalAction
from carc_env.games.game import Game, copied
from carc_env.rules import batch
from carc_env.rules.state import NONE
from carc_env.setup.config import ConfigSource, GameConfig, as_config
from carc_env.setup.template import template
from carc_env.systems import set_outs

BEGIN = NONE  # stands for an action that begins the first turn
TABLE, TILE, CHIP = "table", "tile", "chip"  # the types of draws
LAID = 256  # the default number of initial positions


class Chance(NamedTuple):
    """One possible outcome of a chance event."""

    # the number of the initial position, the index of the tile kind (`carc_env.boxes.tiles.tile_kinds`), or the number
    # of the chip's face (`CELL.chip`)
    number: int
    name: str  # "table 3", "tile D", "chip purple 2"
    probability: float


class OpenGame:
    """A game in which the caller decides the outcome of every draw. Change the game only with `play` and `decide`, and
    copy the game with `clone`.

    In some configurations, start tiles, chips or castle tiles are drawn before the game begins. The first draw then
    selects one of `tables` initial positions. All of them are equally likely. The initial position with number k is the
    one that `Game` makes with seed k. The outcomes of the first draw are therefore only a sample of all possible
    initial positions.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        tables: the number of initial positions. The argument `tables` matters only if start tiles, chips or castle
            tiles are drawn before the game.

    Attributes:
        game: the current position as a Game. The caller must not change `game`. While a draw is pending, `game` is the
            position before the action that causes the draw.

    >>> game = OpenGame({"boxes": ["goldmines"]})
    >>> [chance.name for chance in game.chances()][:3]
    ['tile GM1', 'tile GM2', 'tile GM3']
    >>> game.decide(game.chances()[0].number)
    >>> game.game.tile
    'GM1'
    """

    def __init__(self, config: ConfigSource = "goldmines", tables: int = LAID):
        config, tables = as_config(config), as_count(tables, "tables", 1)
        self.game = Game._around(config, copied(template(config)))
        self._tables = tables if is_laid_by_chance(config) else 0
        self._answer: int | None = None  # the action being carried out (or BEGIN); None if a player has to act
        self._drawn: list[int] = []  # the outcomes that the caller has chosen so far for the draws of this action
        # all draws of this action that are known so far: (CHIP, cell) or (TILE, index in the deck)
        self._draws: list[tuple[str, int]] = []
        if not self._tables:
            self._lay()

    def _lay(self) -> None:
        """Begin the first turn. The start tiles, the chips and the castle tiles have already been drawn."""
        self._tables = 0
        hide(self.game.state)
        self._carry_out(BEGIN)

    # --- the current decision or draw -------------------------------------------------------------------------------
    @property
    def is_chance(self) -> bool:
        """True if an initial position, a tile or a chip has to be drawn next."""
        return bool(self._tables) or self._answer is not None

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return not self.is_chance and self.game.is_over

    @property
    def player(self) -> int | None:
        """The acting player. None if a draw is pending or the game is over."""
        return None if self.is_chance else self.game.player

    def legal_actions(self) -> np.ndarray:
        """Return the ids of the legal actions in ascending order, as an array int32[k]. The array is empty if a draw is
        pending or the game is over.
        """
        return np.empty(0, np.int32) if self.is_chance else self.game.legal_actions()

    def chances(self) -> list[Chance]:
        """Return the possible outcomes of the pending draw, in ascending order of `Chance.number`. The list is empty if
        no draw is pending.
        """
        if not self.is_chance:
            return []
        kind, numbers = self._open()
        total = numbers.total()
        return [Chance(number, name_of(kind, number), amount / total) for number, amount in sorted(numbers.items())]

    def name_of(self, number: int) -> str:
        """Return the name of a possible outcome of the pending draw, such as "table 3", "tile D" or "chip purple 2"."""
        return name_of(self._open()[0], number)

    def drawing(self) -> list[str]:
        """Return a list of texts: first the text of the action that is being carried out, and then the names of the
        draws that this action has caused so far. Before the first action of the game, the list contains only names of
        draws, such as "tile D".
        """
        answer = [] if self._answer in (None, BEGIN) else [self.game.text(self._answer)]
        return answer + [name_of(kind, number) for (kind, _), number in zip(self._draws, self._drawn)]

    def _open(self) -> tuple[str, Counter[int]]:
        """Return the type of the next draw, and the number of remaining copies of each outcome. The type is one of
        `TABLE` (an initial position), `TILE` and `CHIP`.
        """
        if self._tables:
            return TABLE, Counter(range(self._tables))
        (kind, place), game = self._draws[len(self._drawn)], self._with_draws()[0]
        items = game["deck"] if kind == TILE else game["board"]["chip"]
        return kind, Counter(items[self._unseen(game, kind, place)].tolist())

    # --- actions and outcomes ---------------------------------------------------------------------------------------
    def play(self, action: int) -> None:
        """Play an action of the acting player. An illegal action raises IllegalAction and leaves the game unchanged."""
        if self.is_chance:
            raise IllegalAction(
                f"action {action} is not legal now: a {self._open()[0]} has to be drawn first; call `decide`"
            )
        action = as_action(action, self.game.n_actions)
        if action not in self.game.legal_actions():
            self.game.text(action)  # raises an IllegalAction that gives the reason
        self._carry_out(action)

    def decide(self, number: int) -> None:
        """Choose the outcome of the pending draw. An impossible outcome raises IllegalAction and leaves the game
        unchanged.
        """
        possible = {chance.number for chance in self.chances()}
        number = as_action(number, max(possible, default=0) + 1)
        if number not in possible:
            raise IllegalAction(f"outcome {number} is impossible; `chances` lists the possible outcomes")
        if self._tables:
            self.game = Game._around(self.game.config, copied(Game(self.game.config, seed=number)._template()))
            self._lay()
        else:
            self._drawn.append(number)
            self._go_on()

    def clone(self) -> "OpenGame":
        """Return an independent copy."""
        copy = object.__new__(OpenGame)
        copy.game, copy._tables, copy._answer = self.game.clone(), self._tables, self._answer
        copy._drawn, copy._draws = self._drawn.copy(), self._draws
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> "OpenGame":
        return self.clone()

    # --- carrying out -----------------------------------------------------------------------------------------------
    def _carry_out(self, answer: int) -> None:
        self._answer, self._drawn, self._draws = answer, [], []
        self._go_on()

    def _go_on(self) -> None:
        """Carry out actions until a draw is pending, a player has a choice, or the game is over."""
        while self._answer is not None:
            games = self._carried_out()
            self._draws = draws(self.game.state, games[0])
            if len(self._draws) > len(self._drawn):
                return
            self._stand(Game._around(self.game.config, games))
            only = self.game.legal_actions()
            self._answer, self._drawn, self._draws = int(only[0]) if len(only) == 1 else None, [], []

    def _stand(self, game: Game) -> None:
        """Make `game` the current game."""
        self.game = game

    def _carried_out(self) -> np.ndarray:
        """Return a copy of the game in the position after the action that is being carried out. If the caller has not
        yet chosen the outcome of a draw, the copy contains an arbitrary outcome.
        """
        games = self._with_draws()
        if self._answer == BEGIN:
            batch.begin(games, tile_table())
        else:
            batch.replay(games, tile_table(), self._answer)
        return games

    def _with_draws(self) -> np.ndarray:
        """Return a copy of the game in the position before the action that is being carried out. In the returned copy,
        the stack and the face-down chips are rearranged, so that the action draws the tiles and reveals the chips that
        the caller has chosen.
        """
        games = copied(self.game._games)
        for (kind, place), number in zip(self._draws, self._drawn):
            items = games[0]["deck"] if kind == TILE else games[0]["board"]["chip"]
            put(items, self._unseen(games[0], kind, place), place, number)
        return games

    def _unseen(self, game: np.record, kind: str, place: int) -> np.ndarray:
        """Return the indices of all tiles (if `kind` is TILE) or all chips (if `kind` is CHIP) that are still hidden
        immediately before a draw. `place` is the index of the tile or chip that is drawn.
        """
        if kind == TILE:
            return np.arange(place, game["n_deck"])
        return np.setdiff1d(
            face_down(game), [cell for what, cell in self._draws[: self._draws.index((kind, place))] if what == CHIP]
        )


def is_laid_by_chance(config: GameConfig) -> bool:
    """True if start tiles, chips or castle tiles are drawn before the game begins."""
    return bool(set_outs(config))


def draws(before: np.record, after: np.record) -> list[tuple[str, int]]:
    """Return the draws that an action caused: first the revealed chips, each with its cell, and then the drawn tiles,
    each with its index in the deck.
    """
    covered = [cell for cell in face_down(before) if after["board"]["tile"][cell] != NONE]
    return [(CHIP, int(cell)) for cell in covered] + [
        (TILE, place) for place in range(before["n_drawn"], after["n_drawn"])
    ]


def face_down(game: np.record) -> np.ndarray:
    """Return the cells with a face-down chip, in ascending order."""
    return np.flatnonzero((game["board"]["chip"] != NONE) & (game["board"]["tile"] == NONE))


def hide(game: np.record) -> None:
    """Sort the tiles in the stack and the faces of the face-down chips. A sorted list does not reveal the original
    order.
    """
    game["deck"][game["n_drawn"] : game["n_deck"]].sort()
    game["board"]["chip"][face_down(game)] = np.sort(game["board"]["chip"][face_down(game)])


def put(items: np.ndarray, places: np.ndarray, place: int, item: int) -> None:
    """Move `item` to the index `place` of `items`. Before the call, the item is at one of the indices in `places`. The
    array `places` must be ascending and contain `place`. The other items at the indices in `places` move, but their
    order stays the same.
    """
    others = items[places].tolist()
    others.remove(item)
    items[places[places != place]], items[place] = others, item


def name_of(kind: str, number: int) -> str:
    """Return the name of an outcome, such as "tile D"."""
    if kind == TILE:
        return f"tile {tile_kinds()[number].id}"
    return f"chip {GRAPES[number // 2]} {number % 2 + 1}" if kind == CHIP else f"table {number}"
