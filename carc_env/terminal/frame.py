"""Defines `Frame`, the content that a terminal shows at one moment of a game. `Plain` prints a frame as lines, and
`Screen` fills the terminal with a frame.
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

GAP = " "  # separates pictures of tiles that are side by side


@dataclass
class Frame:
    """The content that a terminal shows at one moment of a game."""

    game: Game
    names: Names
    drawn: Drawn
    last: Square | None  # the cell of the tile placed last
    title: str
    question: str
    news: Sequence[str] = ()  # what has happened since the person's last decision
    note: Sequence[str] = ()  # the reply to the last input
    menu: Sequence[tuple[str, str, str]] = ()  # for each entry: its number, the action and a remark
    more: str = ""  # a text that says how to see the rest of the menu
    pictures: Sequence[Sequence[str]] = ()  # pictures of tiles, each as a list of lines
    view: Sequence[str] = ()  # a longer text, shown instead of the board
    keys: str = ""  # the possible inputs
    has_new_board: bool = True  # True if the board differs from the one shown before
    is_first: bool = True  # True if this decision has not been shown before
    holdings: Sequence[Sequence[str]] = field(init=False)  # the possessions of each player

    def __post_init__(self) -> None:
        self.holdings = [holdings(self.game, player) for player in range(self.game.players)]


class Display(Protocol):
    """The output of a game: `Plain` or `Screen`."""

    colour: bool

    @property
    def height(self) -> int:
        """How many lines of a long text are shown at once."""

    def __enter__(self) -> "Display":
        """Prepare the terminal for output."""

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""

    def room(self, players: int) -> int:
        """Return how many menu entries are shown at once."""

    def look(self) -> Window:
        """Return the window, that is, the visible part of the board."""

    def show(self, frame: Frame) -> None:
        """Show a frame of the game."""

    def wait(self, moment: Callable[[], Frame]) -> None:
        """While a bot computes its action, show the frame that `moment` returns. `Plain` does nothing here."""

    def say(self, lines: Sequence[str], wrap: bool = True) -> None:
        """Show some lines."""

    def ask(self, prompt: str = "> ", words: Sequence[str] = ()) -> str:
        """Return the next line that the person types."""


def drawn_with(game: Game, colour: bool, menu: Menu | None = None, chosen: Square | None = None) -> Drawn:
    """Return the characters of the board. A cell with an entry in the menu shows the number of this entry. If a cell is
    chosen, only this cell is marked.
    """
    drawn = cells(game, colour)
    for cell, word in (menu.marks() if menu and chosen is None else {}).items():
        mark(drawn, cell, word)
    if chosen is not None:
        mark(drawn, chosen, "(*)")
    return drawn


def last_cell(game: Game) -> Square:
    """Return the cell of the tile placed last."""
    tile = game.board()[-1]
    return tile.x, tile.y


def pictures_of(game: Game, colour: bool, menu: Menu | None, chosen: Square | None) -> list[list[str]]:
    """Return the tile pictures that are shown on the screen for the current decision. If a cell is chosen, the pictures
    show each way to place the tile there, with its menu number. If a tile is to be placed but no cell is chosen, the
    pictures show the tile in hand. If no tile is to be placed, the pictures show the tile just placed, with the menu
    numbers of its spots.
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
    """Return a picture of the tile that a move places. The tile is rotated as in this move, and the menu number of the
    move is above it.
    """
    _, tile, rotation = laid
    width = WIDE * (1 + max(x for x, _ in cells_of(tile, 0, 0, rotation)))
    return [f"{number:^{width}}", *tile_lines(tile, rotation, colour)]


def side_by_side(pictures: Sequence[Sequence[str]], width: int, wide: Callable[[str], int] = len) -> list[str]:
    """Return lines that show pictures side by side. Only as many pictures are shown as fit into `width` characters. The
    function `wide` measures the width of a line.
    """
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
