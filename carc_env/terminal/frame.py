"""What is shown at one moment, independent of the output: `Plain` writes it as lines, and `Screen` fills a terminal
with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from carc_env.games.game import Game
from carc_env.render.ansi import Drawn, cells, mark, tile_lines
from carc_env.render.facts import cells_of, to_place
from carc_env.render.sheet_text import WIDE
from carc_env.rules.state import Phase
from carc_env.systems.where import Laid
from carc_env.terminal.board import Window
from carc_env.terminal.menu import Menu, Square
from carc_env.terminal.words import Names, holdings

GAP = " "  # between pictures of tiles side by side


@dataclass
class Frame:
    """One moment of a game."""

    game: Game
    names: Names
    drawn: Drawn
    last: Square | None  # the cell of the tile placed last
    title: str
    question: str
    news: Sequence[str] = ()  # what happened since the person was asked last
    note: Sequence[str] = ()  # what is said to what was typed
    menu: Sequence[tuple[str, str, str]] = ()  # number, answer, what is said of it
    more: str = ""  # whether the menu has other pages
    pictures: Sequence[Sequence[str]] = ()  # of tiles, a list of lines each
    view: Sequence[str] = ()  # a text to be read, shown instead of the board
    keys: str = ""  # what can be typed
    has_new_board: bool = True  # whether the board is another than the one shown before
    is_first: bool = True  # whether the question was not shown before
    holdings: Sequence[Sequence[str]] = field(init=False)  # of each player

    def __post_init__(self) -> None:
        self.holdings = [holdings(self.game, player) for player in range(self.game.players)]


class Display(Protocol):
    """The output of a game: `Plain` or `Screen`."""

    colour: bool

    @property
    def height(self) -> int:
        """The number of lines of a longer text that are shown at a time."""

    def __enter__(self) -> "Display":
        """Take over the terminal."""

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""

    def room(self, players: int) -> int:
        """The number of menu entries that are shown at a time."""

    def look(self) -> Window:
        """The part of the board that is shown."""

    def show(self, frame: Frame) -> None:
        """Show one moment."""

    def wait(self, moment: Callable[[], Frame]) -> None:
        """Show that a bot is thinking, if the output can."""

    def say(self, lines: Sequence[str], wrap: bool = True) -> None:
        """Show some lines."""

    def ask(self, prompt: str = "> ", words: Sequence[str] = ()) -> str:
        """The next line typed."""


def drawn_with(game: Game, colour: bool, menu: Menu | None = None, chosen: Square | None = None) -> Drawn:
    """The cells of the board. The numbers of menu entries are written on the cells they belong to."""
    drawn = cells(game, colour)
    for cell, word in (menu.marks() if menu and chosen is None else {}).items():
        mark(drawn, cell, word)
    if chosen is not None:
        mark(drawn, chosen, "(*)")
    return drawn


def last_cell(game: Game) -> Square:
    """The cell of the tile placed last."""
    tile = game.board()[-1]
    return tile.x, tile.y


def pictures_of(game: Game, colour: bool, menu: Menu | None, chosen: Square | None) -> list[list[str]]:
    """Pictures of the tile in hand, of the ways to place it on the chosen cell with the numbers of these moves, or of
    the tile just placed with the numbers of its spots.
    """
    if menu is not None and chosen is not None:
        tiles = [entry.answers[0].tile for entry in menu.entries]
        return [_numbered(number, laid, colour) for number, laid in enumerate(tiles, 1) if laid]
    if to_place(game):
        return [tile_lines(tile, 0, colour) for tile in to_place(game)]
    tile = game.board()[-1]
    words = menu.spots() if menu is not None and game.phase == Phase.PLACE_FIGURE else {}
    return [tile_lines(tile.tile, tile.rotation, colour, words)]


def _numbered(number: int, laid: Laid, colour: bool) -> list[str]:
    """The turned tile that a move places, below the number of the move."""
    _, tile, rotation = laid
    width = WIDE * (1 + max(x for x, _ in cells_of(tile, 0, 0, rotation)))
    return [f"{number:^{width}}", *tile_lines(tile, rotation, colour)]


def side_by_side(pictures: Sequence[Sequence[str]], width: int, wide: Callable[[str], int] = len) -> list[str]:
    """Pictures side by side, as many as fit. `wide` measures a line."""
    shown: list[Sequence[str]] = []
    sizes = [max(map(wide, picture), default=0) for picture in pictures]
    while len(shown) < len(pictures) and sum(sizes[: len(shown) + 1]) + len(shown) * len(GAP) <= width:
        shown.append(pictures[len(shown)])
    height = max(map(len, shown), default=0)
    padded = [
        [line + " " * (size - wide(line)) for line in [*picture, *[""] * (height - len(picture))]]
        for picture, size in zip(shown, sizes)
    ]
    return [GAP.join(parts).rstrip() for parts in zip(*padded)]
