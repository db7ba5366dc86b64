"""The bot protocol: a bot answers lines of text on standard input with lines on standard output. See docs/protocol.md.

    carc             ->  id name greedy, ready
    isready          ->  readyok
    position <JSON>      a position as `Game.position()` writes it; nothing is answered
    go               ->  any number of lines that begin with info, then best <answer>
    quit                 ends it

A line that is none of these is answered with `error <reason>` and changes nothing.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from carc_env.bots import Bot, make
from carc_env.common.arguments import as_action, brief
from carc_env.common.errors import BotError, CarcError, IllegalAction, RecordError
from carc_env.games.game import Game

LONGEST_LINE = 1 << 22  # bytes: more than any position has
MOST = 10**9  # milliseconds or playouts
INFOS = 3  # so many answers are told with their values before the best one


class ProtocolError(CarcError):
    """A line that the protocol does not know; the message says what would be right."""


class Session:
    """A bot and what it was told so far.

    Args:
        bot: whatever `make_bot` takes.

    Attributes:
        game: the position it was given last; None before.
        is_over: whether the other side has said `quit`.

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
        """The lines that answer a line, whatever it is."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return
        try:
            if word not in self._commands:
                raise ProtocolError(f"unknown command {brief(word)}; known are {', '.join(self._commands)}")
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
        check_limit(rest)
        if self.game is None:
            raise ProtocolError("no position was given yet: say 'position <JSON>' first")
        if self.game.is_over:
            raise ProtocolError("the game is over: there is nothing to answer")
        best = self._best(self.game)
        for rank, (action, value) in enumerate(self._values(self.game)[:INFOS], 1):
            yield f"info rank {rank} value {value:.2f} answer {self.game.text(action)}"
        yield f"best {self.game.text(best)}"

    def _best(self, game: Game) -> int:
        """The bot's answer. Raises BotError if it is none."""
        answer = self.bot.choose(game.clone())
        try:
            action = as_action(answer, game.n_actions)
            game.clone().play(action)
        except IllegalAction as error:
            raise BotError(f"{self.bot} answered {brief(answer)}: {error}") from None
        return action

    def _values(self, game: Game) -> list[tuple[int, float]]:
        """What the bot says of the answers, best first; nothing if it cannot say."""
        try:
            return self.bot.analyse(game)
        except BotError:
            return []


def no_more(word: str, rest: str) -> None:
    """Raise ProtocolError if a command that stands alone is followed by anything."""
    if rest:
        raise ProtocolError(f"{word} stands alone, but {brief(rest)} follows")


def read_game(text: str) -> Game:
    """The game of a position; what its `legal` says is for others. Raises RecordError."""
    try:
        position = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a position is JSON: {error}") from None
    if isinstance(position, dict):
        position.pop("legal", None)
    return Game.from_position(json.dumps(position), seed=0)


def check_limit(rest: str) -> None:
    """Raise ProtocolError unless `go` is followed by nothing, `movetime MS` or `playouts N`."""
    words = rest.split()
    if not words:
        return
    if len(words) != 2 or words[0] not in ("movetime", "playouts"):
        raise ProtocolError(f"go {brief(rest)}: write 'go', 'go movetime MILLISECONDS' or 'go playouts NUMBER'")
    if not (words[1].isascii() and words[1].isdigit() and 0 < int(words[1][:12]) <= MOST):
        raise ProtocolError(f"{words[0]} {brief(words[1])}: should be a whole number from 1 to {MOST}")


def serve(bot: object, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer lines until `quit` or their end. Raises BotError for a bot that there is not."""
    session = Session(bot)
    while not session.is_over and (line := lines.readline(LONGEST_LINE + 1)):
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = lines.readline(LONGEST_LINE)
            answers = iter([f"error a line of more than {LONGEST_LINE} bytes"])
        else:
            answers = decoded(session, line)
        out.writelines(answer.encode() + b"\n" for answer in answers)
        out.flush()


def decoded(session: Session, line: bytes) -> Iterator[str]:
    """What a session answers to a line of bytes."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return iter([f"error a line is UTF-8: {error}"])
    return session.answers(text)
