"""Implements the command `carc play`, with which a person plays against bots. The person types the number of a menu
entry, a move in notation, or a command.
"""

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from carc_env.bots.level import in_words
from carc_env.common.errors import BotFault, IllegalAction, RecordError
from carc_env.common.exit_status import GOOD, INTERRUPTED, ended_by
from carc_env.games.game import Game
from carc_env.render.ansi import KEY, more_key
from carc_env.render.sheet_text import KEY as SHEET_KEY
from carc_env.rules.state import Phase
from carc_env.terminal import kept_games
from carc_env.terminal.asked_bots import DEFAULT, Seats, judged_by
from carc_env.terminal.board import survey
from carc_env.terminal.frame import Display, Frame, drawn_with, last_cell, pictures_of
from carc_env.terminal.leaving import HungUp, fallen_silent, heard_signals
from carc_env.terminal.menu import Answer, Entry, Menu, Square, found, hint_menu, legal_answers, menu_of
from carc_env.terminal.words import Names, begun, final_table, is_fresh, played, players_in_full, question, title

HINTS = 5  # number of actions that a hint shows
KEYS = "number, notation, hint, undo, ? for help, quit"
HELP = """\
a number         plays that move of the menu, or opens the moves at that place
n or +, -        shows the next page of the menu; shows the page before
b                goes back to the whole menu
U@1,0/90         plays the move with this notation; the first letters of each
                 word are enough: `m c n` means `meeple city N`
hint             shows a menu of the five best moves according to a bot, each
                 with the margin in points that the bot expects; the bot is
                 greedy, or the bot of --hints
hint BOT         does the same with another bot, such as level:5 or
                 rollout:ms=200; later hints also use this bot
undo             takes back your last move and all moves after it
h j k l, arrows  move the board to the west, south, north, east; `3l` by three
all, board       shows the whole board; shows the last move again
players, news    shows what all players hold; what happened since your last move
save FILE        adds the game to a file of game records
quit             ends the session; you can continue the game later
?, key           shows this help; explains the letters on the board"""


class Quit(Exception):
    """Raised if the person ends the session."""


class Sitting:
    """A session in which a person plays against bots. The session asks the person for moves, plays all moves, and saves
    the game after each move.
    """

    help, keys = HELP, KEYS

    def __init__(
        self, game: Game, seat: int, seats: Seats, display: Display, keeper: kept_games.Keeper, hints: str = DEFAULT
    ):
        self.game, self.seat, self.seats, self.display, self.keeper = game, seat, seats, display, keeper
        self.hints = hints  # the spec of the bot that gives hints
        self.names = Names(seats.specs, game.players)
        self.news = begun(game, self.names)
        self.has_answered = not is_fresh(game)  # True if there is a move to save
        self.is_asking = False
        self.answers: list[Answer] = []  # the legal actions
        # `whole` contains all actions; `menu` is the menu that is shown, and can contain fewer actions
        self.whole = self.menu = Menu([])
        self.chosen: Square | None = None  # the common cell of all actions in the menu
        self.note: list[str] = []  # the reply to the last input
        self.view: list[str] = []  # a longer text that is shown instead of the board
        self.farewell: list[str] = []
        self._shown = -1  # the number of moves when the board was last shown
        self._commands: dict[str, Callable[[], None]] = {
            "?": self._help,
            "help": self._help,
            "key": self._key,
            "hint": self._hint,
            "undo": self._undo,
            "b": self._back,
            "n": lambda: self._page(1),
            "+": lambda: self._page(1),
            "-": lambda: self._page(-1),
            "all": self._all,
            "board": self._board,
            "players": self._players,
            "news": self._news,
            "quit": self._quit,
            "q": self._quit,
        }

    # --- playing ------------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Play until the game is over. Raises Quit if the person ends the session, and EOFError at the end of the
        input.
        """
        while not self.game.is_over:
            if self.game.player == self.seat:
                self._ask()
            else:
                self._let_bot_answer()

    def _let_bot_answer(self) -> None:
        self.display.wait(self._waiting)
        try:
            self._play(self.seats.answer(self.game))
        except BotFault as fault:
            self._replace_bot(fault)

    def _waiting(self) -> Frame:
        """Return the content to show while a bot computes its action."""
        game, colour = self.game, self.display.colour
        return Frame(
            game,
            self.names,
            drawn_with(game, colour),
            last_cell(game),
            title(game),
            question(game, self.names),
            self.news,
            pictures=pictures_of(game, colour, None, None),
            keys="Ctrl-C ends the session; the game is saved",
        )

    def _replace_bot(self, fault: BotFault) -> None:
        player = self.game.player
        assert player is not None
        self.display.say([f"{self.names.short(player)} did not play: {fault}"])
        if self.display.ask(f"Go on with {DEFAULT} in its seat? (Enter: yes, q: leave) ").lower() in (
            "q",
            "quit",
            "n",
            "no",
        ):
            self._keep()
            raise Quit
        self.seats.replace(player)

    def _play(self, action: int) -> None:
        """Play an action and save the game. Add lines about the action and its events to `news`."""
        before = int(self.game.state["n_moves"])
        self.game.play(action)
        self.news += played(self.game, before, self.names)
        if self.has_answered:
            self._keep()

    def _keep(self) -> None:
        before = self.keeper.failed
        self.keeper.keep(self.subject)
        if self.keeper.failed and not before:
            self.news.append(self.keeper.failed)

    @property
    def subject(self) -> kept_games.Recorded:
        """The game to save in a file."""
        return self.game

    @property
    def table(self) -> Game:
        """The game whose board is shown."""
        return self.game

    # --- the person's question ----------------------------------------------------------------------------------------
    def _ask(self) -> None:
        """Ask the person for an action. The question is repeated until an action is played or an earlier action is
        taken back.
        """
        self.answers = legal_answers(self.game)
        self._put(menu_of(self.game, self.answers))

    def _put(self, menu: Menu, note: Sequence[str] = ()) -> None:
        """Show the menu and read what the person types, again and again, until the person has made the decision or
        taken back an earlier one.
        """
        self.whole = self.menu = menu
        self.chosen, self.note, self.view = None, list(note), []
        self._follow()
        self._advise()
        self.is_asking, is_first = True, True
        while self.is_asking:
            self.display.show(self._frame(is_first))
            self.note, is_first = [], False
            self._hear(self.display.ask(words=[answer.text for answer in self.answers]))

    def _advise(self) -> None:
        """Show advice before the person types anything. By default, no advice is shown."""

    def _follow(self) -> None:
        """Scroll the board to the cells of the legal actions."""
        drawn = drawn_with(self.table, self.display.colour, self.whole)
        self.display.look().follow(drawn, last_cell(self.table), self.whole.marks())

    def _frame(self, is_first: bool) -> Frame:
        game, colour, moves = self.table, self.display.colour, int(self.table.state["n_moves"])
        page = self.menu.page(self.display.room(game.players))
        is_new, self._shown = self._shown != moves and (game.phase != Phase.PLACE_FIGURE or self._shown < 0), moves
        return Frame(
            game,
            self.names,
            drawn_with(game, colour, self.menu, self.chosen),
            last_cell(game),
            title(game),
            self._question(),
            self.news,
            self.note,
            [(str(number), entry.label, entry.about) for number, entry in page],
            self._more(len(page)),
            self._pictures(page),
            self.view,
            self._keys(),
            is_new,
            is_first,
        )

    def _question(self) -> str:
        return question(self.game, self.names)

    def _pictures(self, page: Sequence[tuple[int, Entry]]) -> list[list[str]]:
        """Return the pictures of tiles that are shown above this page of the menu."""
        return pictures_of(self.game, self.display.colour, self.menu, self.chosen)

    def _keys(self) -> str:
        """Return a line that lists the possible inputs."""
        return (
            self.keys
            if not self.view
            else "Enter: back to the game" + (", n: more" if len(self.view) > self.display.height else "")
        )

    def _more(self, shown: int) -> str:
        """Return a line that says how to see the rest of the menu. If the whole menu is visible, return an empty
        string.
        """
        n_entries = len(self.menu.entries)
        turn = "n: more" if self.menu.first + shown < n_entries else "n: first page"
        others = [f"{n_entries} in total, {turn}"] if shown < n_entries else []
        return ", ".join([*others, *(["b: back"] if self.menu is not self.whole else [])])

    def _hear(self, typed: str) -> None:
        """Execute the command that the person typed, or play the typed move."""
        if self.view and typed in ("", "n", "+"):
            self.view = self.view[self.display.height :] if typed else []
            return
        self.view = []
        command, _, rest = typed.partition(" ")
        if command.lower() == "save":
            self._save(rest.strip())
        elif command.lower() == "hint" and rest.strip():
            self._hint(rest.strip())
        elif command_of := self._commands.get(typed.lower()):
            command_of()
        elif typed.isdecimal() and typed.isascii():
            self._pick(int(typed[:6]))
        elif move := scrolling(typed):
            self.display.look().move(drawn_with(self.table, False, self.menu), *move)
            self._shown = -1
        elif typed:
            self._match(typed)

    def _pick(self, number: int) -> None:
        """Choose the menu entry with this number. If the entry stands for a single action, play this action. If the
        entry stands for several actions, show a menu of these actions.
        """
        if not 1 <= number <= len(self.menu.entries):
            self.note = [f"The menu has no number {number}; its numbers are 1 to {len(self.menu.entries)}."]
            return
        entry = self.menu.entries[number - 1]
        if len(entry.answers) == 1:
            self._answer(entry.answers[0].action)
        else:
            self._open(entry.answers)

    def _open(self, answers: Sequence[Answer]) -> None:
        """Show a menu of the given actions. If all these actions have the same cell, scroll the board to this cell."""
        cells = {answer.cell for answer in answers}
        self.menu, self.chosen = menu_of(self.game, answers), cells.pop() if len(cells) == 1 else None
        if self.chosen is not None and not self.display.look().shows(self.chosen):
            self.display.look().follow(drawn_with(self.game, False, None, self.chosen), self.chosen, ())

    def _match(self, typed: str) -> None:
        """Play the action that matches the text `typed`. If several actions match, show a menu of these actions."""
        fitting = found(self.game, self.answers, typed)
        if len(fitting) == 1:
            self._answer(fitting[0].action)
        elif fitting:
            self._open(fitting)
            self.note = [f"{len(fitting)} moves begin with this text."]
        else:
            try:
                self.game.action(typed)
            except IllegalAction as error:
                self.note = [f"{self.names.said(error)} (? for help)"]

    def _answer(self, action: int) -> None:
        self.news, self.has_answered, self.is_asking = [], True, False
        self._play(action)

    # --- commands -----------------------------------------------------------------------------------------------------
    def _help(self) -> None:
        self.view = self.help.splitlines()

    def _key(self) -> None:
        self.view = [word for line in KEY.splitlines() for word in split_key(line)] + more_key(self.game)
        self.view += (
            [part for line in SHEET_KEY.splitlines() for part in split_key(line)] if self.game.config.sheet else []
        )
        self.view += [
            "",
            "figures have the colours of their players"
            if self.display.colour
            else "m0, B1 ...: the figures of the players 0, 1 ...",
            "(3): the place of menu number 3; [3] at the border: the tile placed last",
            "N E S W: the sides of a tile; Ws, for a field: the southern half of the west side",
        ]

    def _all(self) -> None:
        self.view = survey(
            drawn_with(self.table, self.display.colour, self.menu), self.display.colour, last_cell(self.table)
        )

    def _board(self) -> None:
        self._shown = -1
        self._follow()

    def _players(self) -> None:
        self.view = players_in_full(self.table, self.names, 78)

    def _news(self) -> None:
        self.view = list(self.news) or ["Nothing has happened yet."]

    def _back(self) -> None:
        self.menu, self.chosen = self.whole, None
        self.menu.first = 0

    def _page(self, pages: int) -> None:
        self.menu.turn(self.display.room(self.game.players), pages)

    def _hint(self, spec: str = "") -> None:
        """Show a menu of the actions to which the bot `spec` gives the highest values. If `spec` is empty, use the bot
        that gave the last hint. For the first hint, use the bot of the option `--hints`.
        """
        spec = spec or self.hints
        self.display.wait(lambda: replace(self._waiting(), question=f"{in_words(spec)} values the moves ..."))
        try:
            worths = judged_by(spec, self.game)
        except BotFault as fault:
            self.note = [str(fault)]
            return
        self.menu, self.chosen, self.hints = hint_menu(self.game, worths[:HINTS]), None, spec
        error = "" if all(worth.error is None for worth in worths) else " (± standard error)"
        chance = " and the chance to win" if self.game.players == 2 else ""
        self.note = [f"What {in_words(spec)} thinks best, with the expected margin{error}{chance}:"]

    def _undo(self) -> None:
        """Take back the person's last move and all moves after it."""
        before = self.game.clone()
        try:
            before.undo()
            while before.player != self.seat:
                before.undo()
        except IllegalAction:
            self.note = ["You have made no move that you could take back."]
            return
        self.game, self.news = before, ["Taken back."]
        self._shown, self.is_asking = -1, False
        self._keep()

    def _save(self, path: str) -> None:
        if not path:
            self.note = ["Add the name of a file: save my_game.jsonl"]
            return
        try:
            kept_games.save(self.subject, path)
            self.note = [f"The game was added to {path}."]
        except RecordError as error:
            self.note = [f"The game was not saved: {error}"]

    def _quit(self) -> None:
        """Ask the person whether to save the game, and end the session."""
        if self.has_answered:
            self._keep()
            wanted = self.display.ask("Save the game? (Enter: yes, FILE: also to this file, no: delete it) ")
            while wanted.lower() not in ("", "y", "yes", "n", "no") and not Path(wanted).suffix:
                wanted = self.display.ask(f"{wanted}: answer yes, no, or the name of a file such as my_game.jsonl ")
            if wanted.lower() in ("n", "no"):
                self.keeper.throw_away()
                self.has_answered = False
            elif wanted and wanted.lower() not in ("y", "yes"):
                self._save(wanted)
                self.farewell += self.note
        raise Quit

    def last_news(self) -> list[str]:
        """Return lines that describe the last actions. The lines are shown at the end of the game."""
        return []

    def kept(self) -> list[str]:
        """Return lines about the saved game. The lines are shown at the end of the session."""
        if self.keeper.failed:
            return [self.keeper.failed]
        if self.keeper.path is None:
            return []
        if self.game.is_over:
            file = shlex.quote(str(self.keeper.path))
            return [
                "This command shows where you lost points.",
                f"carc replay {file} --analyze",
                f"The game is in {self.keeper.path}",
            ]
        return ["The game is saved. To continue it:", self._to_go_on(self.keeper.path)]

    def _to_go_on(self, path: Path) -> str:
        """Return the command that continues the game."""
        return kept_games.to_go_on(path, [*self.seats.specs.values()], self.seat)


def scrolling(typed: str) -> tuple[int, int] | None:
    """Return two numbers: by how many columns and by how many rows the command `typed` scrolls the board. Return None
    if the command does not scroll the board. `l` scrolls by one column to the east, and `3l` by three columns. `hhk`
    scrolls by two columns to the west and one row to the north.
    """
    count, keys = typed.rstrip("hjkl"), typed.lstrip("0123456789")
    if not keys or set(keys) - set("hjkl") or count and not count.isdecimal():
        return None
    times = int(count[:3] or 1)
    return times * (keys.count("l") - keys.count("h")), times * (keys.count("j") - keys.count("k"))


def split_key(line: str) -> list[str]:
    """Split a line of the legend into two lines if the line is too long."""
    entries = line.split("  ")
    half = len(entries) // 2
    return ["  ".join(entries[:half]), "  ".join(entries[half:])] if len(line) > 78 else [line]


def play(sitting: Sitting) -> int:
    """Play a game until it is over or the person ends the session. Returns the exit status."""
    status, reason = GOOD, ""
    with heard_signals():
        try:
            with sitting.display:
                try:
                    sitting.run()
                except (Quit, EOFError):
                    pass
                except KeyboardInterrupt:
                    status, reason = INTERRUPTED, "interrupted"
                except HungUp as closed:
                    fallen_silent()
                    status = ended_by(closed.number)
                if sitting.has_answered:
                    sitting.keeper.keep(sitting.subject)
        except HungUp as closed:
            fallen_silent()
            status = ended_by(closed.number)
    over = [*sitting.last_news(), title(sitting.game), "", *final_table(sitting.game, sitting.names), ""]
    lines = [*(over if sitting.game.is_over else []), *sitting.farewell, *sitting.kept()]
    sitting.display.say(lines, wrap=False)
    if reason:
        print(f"carc: {reason}", file=sys.stderr)
    return status
