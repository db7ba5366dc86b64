"""Implements the bot protocol. A bot reads lines from standard input and writes lines to standard output. See
docs/protocol.md.

| input line | reply |
|---|---|
| `carc` | `id name greedy`, then `ready` |
| `isready` | `readyok` |
| `position <JSON>` | no reply; `<JSON>` is a position as returned by `Game.position()` |
| `go` | any number of lines that begin with `info`, then `best <action>` |
| `quit` | no reply; the session ends |

There is no reply to an empty line. The reply to a line that is not in the table is `error <reason>`. A line that causes
an error has no other effect.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import BinaryIO

from carc_env.bots import Bot, make
from carc_env.bots.options import Option
from carc_env.bots.search_bot import BUDGETS, SearchingBot
from carc_env.common.arguments import as_action, brief
from carc_env.common.errors import BotError, CarcError, IllegalAction
from carc_env.compiling.waiting import seconds_lost
from carc_env.games.game import Game

LONGEST_LINE = 1 << 22  # the maximum length of an input line, in bytes; every position is shorter
MOST = 10**9  # the largest number that `go` accepts, in milliseconds or playouts
TELL_SECONDS = 3.0  # seconds between two lines `info compiling`
INFOS = 3  # the maximum number of lines `info rank ...` before the line `best ...`


class ProtocolError(CarcError):
    """Raised if a line does not follow the protocol. The message says what is wrong."""


class Session:
    """A session of the bot protocol. Another program sends lines, and a bot replies.

    Args:
        bot: any argument that `make_bot` accepts.

    Attributes:
        game: the position that was received last; None before the first position.
        is_over: True after `quit`.

    >>> list(Session("greedy").answers("isready"))
    ['readyok']
    """

    def __init__(self, bot: object):
        self.bot: Bot = make(bot)
        self.game: Game | None = None
        self.is_over = False
        self._commands = {
            "carc": self._greet,
            "isready": self._ready,
            "position": self._take_position,
            "go": self._go,
            "quit": self._quit,
        }

    def answers(self, line: str) -> Iterator[str]:
        """Yield the lines of the reply to an input line."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return
        try:
            if word not in self._commands:
                raise ProtocolError(
                    f"unknown command {brief(word)}; the known commands are {', '.join(self._commands)}"
                )
            yield from self._commands[word](rest.strip())
        except CarcError as error:
            yield f"error {error}"

    def _greet(self, rest: str) -> Iterator[str]:
        no_more("carc", rest)
        yield f"id name {self.bot.name}"
        yield "ready"

    def _ready(self, rest: str) -> Iterator[str]:
        no_more("isready", rest)
        yield "readyok"

    def _quit(self, rest: str) -> Iterator[str]:
        no_more("quit", rest)
        self.is_over = True
        return iter(())

    def _take_position(self, rest: str) -> Iterator[str]:
        self.game = read_game(rest)
        return iter(())

    def _go(self, rest: str) -> Iterator[str]:
        limit = read_limit(rest, self.bot)
        if self.game is None:
            raise ProtocolError("no position has been given yet; first send 'position <JSON>'")
        if self.game.is_over:
            raise ProtocolError("the game is over, so there is no action to choose")
        if isinstance(self.bot, SearchingBot):  # a single search finds the best action and the values
            with self.bot.budget(**limit) if limit else nullcontext():
                values = self.bot.analyse(self.game.clone())
            best = values[0][0]
        else:
            best, values = self._best(self.game), self._values(self.game)
        for rank, (action, value) in enumerate(values[:INFOS], 1):
            yield f"info rank {rank} value {value:.2f} answer {self.game.text(action)}"
        yield f"best {self.game.text(best)}"

    def _best(self, game: Game) -> int:
        """Return the bot's action. Raises BotError if the action is not legal."""
        answer = self.bot.choose(game.clone())
        try:
            action = as_action(answer, game.n_actions)
            game.clone().play(action)
        except IllegalAction as error:
            raise BotError(f"{self.bot} returned {brief(answer)}: {error}") from None
        return action

    def _values(self, game: Game) -> list[tuple[int, float]]:
        """Return the bot's values for the legal actions, best first. The list is empty if the bot cannot evaluate
        actions.
        """
        try:
            return self.bot.analyse(game)
        except BotError:
            return []


def no_more(word: str, rest: str) -> None:
    """Raise ProtocolError if anything follows a command that has no arguments."""
    if rest:
        raise ProtocolError(f"{word} takes no arguments, but {brief(rest)} follows")


def read_game(text: str) -> Game:
    """Read a position from JSON, and return it as a Game. Raises RecordError."""
    return Game.from_position(text, seed=0)


def read_limit(rest: str, bot: Bot) -> dict[str, int]:
    """Return the limit in `rest`, which is the text after `go`. The result is a dict of arguments for
    `SearchingBot.budget`. If there is no limit, the dict is empty. Raises ProtocolError unless the limit has the form
    `movetime MS` or `playouts N`. MS and N must be whole numbers of at least 1. MS and N must not exceed the largest
    budget that is allowed in a spec of this bot.
    """
    words = rest.split()
    if not words:
        return {}
    if len(words) != 2 or words[0] not in ("movetime", "playouts"):
        raise ProtocolError(f"go {brief(rest)}: write 'go', 'go movetime MILLISECONDS' or 'go playouts NUMBER'")
    name, digits = "ms" if words[0] == "movetime" else "playouts", words[1]
    allowed = BUDGETS | getattr(bot, "options", {}) if isinstance(bot, SearchingBot) else {name: Option(int, 1, MOST)}
    most = int(min(MOST, allowed[name].most))
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))
    if not (is_number and 1 <= int(digits) <= most):
        raise ProtocolError(f"{words[0]} {brief(digits)}: should be a whole number from 1 to {most}")
    return {name: int(digits)}


def serve(bot: object, lines: BinaryIO, out: BinaryIO) -> None:
    """Read lines of the bot protocol, and write the bot's replies to `out`. The session ends with `quit` or at the end
    of the input. Raises BotError if `bot` does not describe a bot.
    """
    session, lock, over = Session(bot), threading.Lock(), threading.Event()

    def say(answer: str) -> None:
        with lock:
            out.write(answer.encode() + b"\n")
            out.flush()

    threading.Thread(target=tell_compiling, args=(say, over), daemon=True).start()
    try:
        while not session.is_over and (line := lines.readline(LONGEST_LINE + 1)):
            if len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = lines.readline(LONGEST_LINE)
                say(f"error the line has more than {LONGEST_LINE} bytes")
            else:
                for answer in decoded(session, line):
                    say(answer)
    finally:
        over.set()


def tell_compiling(say: Callable[[str], None], over: threading.Event) -> None:
    """While this process compiles, write `info compiling` every few seconds, so that the other program keeps waiting.
    Return when `over` is set, or when the other program has closed the output.
    """
    before = seconds_lost()
    while not over.wait(TELL_SECONDS):
        now = seconds_lost()
        if now - before > TELL_SECONDS / 2:
            try:
                say("info compiling")
            except (OSError, ValueError):
                return
        before = now


def decoded(session: Session, line: bytes) -> Iterator[str]:
    """Return the lines of a session's reply to an input line. The input line is given as bytes."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return iter([f"error a line should be UTF-8: {error}"])
    return session.answers(text)
