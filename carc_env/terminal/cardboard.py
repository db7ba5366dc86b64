"""Implements `carc play --real-table`, which keeps track of a game that people play with cardboard tiles. One person at
the computer enters every drawn tile, every drawn chip, and the moves of all people. Bots can play in the game, or
advise a player.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from carc_env.boxes.tiles import TERRAINS, TileKind, tile_kind
from carc_env.common.errors import IllegalAction
from carc_env.games.game import Game
from carc_env.games.open_game import CHIP, TILE, Chance
from carc_env.games.real_table import RealTable
from carc_env.render.ansi import tile_lines
from carc_env.terminal import kept_games
from carc_env.terminal.asked_bots import Seats
from carc_env.terminal.frame import Display
from carc_env.terminal.menu import Entry, Menu
from carc_env.terminal.play import Sitting
from carc_env.terminal.words import Names, answered

PERSON = "person"  # in `--seats`, this word means a person; `person:Ann` also gives the person's name
ADVISER = "level:5"
KEYS = "number, notation, tile, undo, hint, ? for help, quit"
HELP = """\
When something was drawn, enter one of these:
GM1, orange 2    the tile that was drawn, or the chip that was turned up
CRFR             the edges of the tile (city, road, field), clockwise from any
                 side; you get a menu of the tiles that have them
inn, pennant     what is on the tile; you get a menu of the tiles that have it
a number         the number in the menu
n or +, -        shows the next page of the menu; shows the page before
b                goes back to the whole menu
When a player has made a move, enter one of these:
U@1,0/90         the move in notation, or its number in the menu; `m c n` means
                 `meeple city N`
hint, hint BOT   shows the moves that a bot thinks best
At any time:
undo             takes back the last entry and the bots' moves after it
h j k l, arrows  move the board to the west, south, north, east; `3l` by three
all, board       shows the whole board; shows the last move again
players, news    shows what all players hold; what happened since the last entry
save FILE        adds the game to a file
quit             ends the session; you can continue the game later
?, key           shows this help; explains the letters on the board"""


class RealSitting(Sitting):
    """A session for a game that people play with cardboard tiles. One person enters every drawn tile, every drawn chip,
    and the moves of all people. The screen shows the moves of the bots.
    """

    help, keys = HELP, KEYS

    def __init__(
        self,
        real: RealTable,
        seats: Seats,
        people: Mapping[int, str],
        display: Display,
        keeper: kept_games.Keeper,
        hints: str = ADVISER,
        advised: int | None = None,
    ):
        super().__init__(real.game, -1, seats, display, keeper, hints)
        self.real, self.people, self.advised = real, people, advised
        self.names = Names(seats.specs, real.game.players, people)
        self.news = [f"The game continues after {len(real.entries)} entries."] if real.entries else []
        self.has_answered = bool(real.entries)
        self._answers_told = self._chosen()

    def _chosen(self) -> int:
        """Return the number of moves in the game so far. A move counts as soon as a player has chosen it, even if the
        next drawn tile or chip has not been entered yet.
        """
        is_waiting = self.real.is_chance and len(self.real.game.legal_actions()) > 1
        return int(self.real.game.state["n_moves"]) + is_waiting

    @property
    def subject(self) -> kept_games.Recorded:
        """The game to save in a file."""
        return kept_games.Seated(self.real, self._who_sits())

    @property
    def table(self) -> Game:
        """The game whose board is shown."""
        return self.real.table

    def run(self) -> None:
        """Ask for draws and moves, and let the bots play, until the game is over. Raises Quit if the person ends the
        session, and EOFError at the end of the input.
        """
        while not self.real.is_over:
            if self.real.is_chance:
                self._ask_draw()
            elif self.game.player in self.seats.specs:
                self._let_bot_answer()
            else:
                self._ask()

    # --- answers ------------------------------------------------------------------------------------------------------
    def _play(self, action: int) -> None:
        """Play an action. Add lines about the action and its events to `news`."""
        assert self.game.player is not None
        self.news.append(f"{self.names.short(self.game.player)}: {self.game.text(action)}")
        self._answers_told += 1
        self._enter(self.game.text(action))

    def _enter(self, text: str) -> None:
        """Enter the result of a draw, or an action. `text` is in the game's notation."""
        self.real.enter(text)
        self.game = self.real.game
        self.has_answered = True
        self.news += answered(self.game, self._answers_told, self.names, 0)
        self._answers_told = max(self._answers_told, int(self.game.state["n_moves"]))
        self.news += [self.names.told(event) for event in self.real.events]
        self._keep()

    def _advise(self) -> None:
        """If a bot advises the player who has to act, show the bot's suggestions at once."""
        if not self.real.is_chance and self.game.player == self.advised:
            self._hint()

    # --- what is drawn ------------------------------------------------------------------------------------------------
    def _ask_draw(self) -> None:
        """Ask which tile or chip was drawn. The question is repeated until a draw is entered or an earlier entry is
        taken back.
        """
        self.answers = []
        self._put(draw_menu(self.real.chances()))

    def _question(self) -> str:
        if not self.real.is_chance:
            return super()._question()
        if self.real.wanted == TILE:
            drawn = [text.removeprefix(f"{TILE} ") for text in self.real.drawing() if text.startswith(f"{TILE} ")]
            again = f"{drawn[-1]} fits nowhere, so it is set aside. " if drawn else ""
            drawer = self.table.player
            who = "" if drawer is None else f"{self.names.long(drawer)} draws. "
            return f"{again}{who}Which tile was drawn?"
        return "Which chip was turned up on {},{}?".format(*self.real.square or ())

    def _pictures(self, page: Sequence[tuple[int, Entry]]) -> list[list[str]]:
        if not self.real.is_chance:
            return super()._pictures(page)
        if self.real.wanted != TILE:
            return []
        return [[f"{number:^7}", *tile_lines(entry.label, 0, self.display.colour)] for number, entry in page]

    def _pick(self, number: int) -> None:
        if not self.real.is_chance or not 1 <= number <= len(self.menu.entries):
            super()._pick(number)
            return
        self._draw(self.menu.entries[number - 1].label)

    def _match(self, typed: str) -> None:
        if not self.real.is_chance:
            super()._match(typed)
            return
        fitting = meant(self.real.chances(), typed)
        if len(fitting) == 1:
            self._draw(fitting[0].name)
        elif fitting:
            self.menu = draw_menu(fitting)
            self.note = [f"{len(fitting)} {self.real.wanted}s fit this text."]
        else:
            try:
                self.real.drawn_by(typed)
            except IllegalAction as error:
                self.note = [f"{error} (? for help)"]

    def _draw(self, text: str) -> None:
        self.news, self.is_asking = [], False
        self._enter(text)

    # --- commands -----------------------------------------------------------------------------------------------------
    def _hint(self, spec: str = "") -> None:
        if self.real.is_chance:
            self.note = ["First enter the drawn tile or chip."]
        else:
            super()._hint(spec)

    def _undo(self) -> None:
        """Take back the last draw or move that a person entered, and the bots' actions after it."""
        try:
            last = self.real.take_back()
            while last.player in self.seats.specs:
                last = self.real.take_back()
        except IllegalAction:
            self.note = ["There is nothing to take back."]
        else:
            self.news = [f"Taken back: {last.text}"]
            self._shown, self.is_asking = -1, False
            self._keep()
        self.game = self.real.game
        self._answers_told = self._chosen()

    def last_news(self) -> list[str]:
        """Return the last actions of the bots. A person still has to play these actions with the cardboard tiles."""
        return [*self.news, ""]

    def _to_go_on(self, path: Path) -> str:
        advice = "" if self.advised is None else f" --advise {self.advised} --hints {shlex.quote(self.hints)}"
        words = shlex.join(self._who_sits())
        return f"carc play --real-table --load {shlex.quote(str(path))} --seats {words}{advice}"

    def _who_sits(self) -> list[str]:
        """Return who plays in each seat, in the format of the option `--seats`."""
        people = {seat: f"{PERSON}:{name}" if name else PERSON for seat, name in self.people.items()}
        return [who for _, who in sorted((people | self.seats.specs).items())]


# --- what may be drawn ------------------------------------------------------------------------------------------------
def draw_menu(chances: Sequence[Chance]) -> Menu:
    """Return a menu of the tiles or chips that can be drawn."""
    return Menu([Entry(chance.name.partition(" ")[2], "", ()) for chance in chances])


def meant(chances: Sequence[Chance], typed: str) -> list[Chance]:
    """Return the tiles or chips that match the text `typed`. The text can be the name of a tile or chip, the edges of a
    tile, or features and symbols of a tile. If no tile or chip matches in any of these ways, return the tiles or chips
    whose names begin with the text.
    """
    wanted = " ".join(typed.lower().split()).removeprefix(f"{TILE} ").removeprefix(f"{CHIP} ")
    names = {chance.name.partition(" ")[2].lower(): chance for chance in chances}
    if not wanted:
        return []
    if wanted in names:
        return [names[wanted]]
    tiles = [(chance, tile_kind(chance.name[5:])) for chance in chances if chance.name.startswith(f"{TILE} ")]
    if len(wanted) == len(TERRAINS) and set(wanted.upper()) <= set(TERRAINS):
        found = [chance for chance, tile in tiles if wanted.upper() in 2 * tile.edges]
    else:
        found = [chance for chance, tile in tiles if set(wanted.split()) <= words_of(tile)]
    return found or [chance for name, chance in names.items() if name.startswith(wanted)]


def words_of(tile: TileKind) -> set[str]:
    """Return the words that describe a tile: its features, the symbols on its features, and the symbols of the whole
    tile.
    """
    marks = (mark for segment in tile.segments for mark in segment.marks)
    return {
        word
        for name in (*(segment.kind for segment in tile.segments), *marks, *tile.symbols)
        for word in (name, *name.split("_"))
    }
