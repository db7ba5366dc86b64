"""Stores everything about a game apart from its position. The stored data include the people and bots who play, the
chat, an undo request, and the clock.
"""

import dataclasses
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError
from carc_env.web.seats import Seat

LONGEST_MESSAGE = 200  # characters
MOST_LINES = 40  # the maximum number of chat lines that are stored for a game
LINES_SHOWN = 12


class MessageError(CarcError):
    """A message for the chat was rejected. The text of this exception gives the reason."""


@dataclass(frozen=True)
class Line:
    """A line in the chat of a game."""

    text: str
    seat: int | None  # the seat of the person who wrote the line; None for a report of an event
    told: float  # seconds since 1970


@dataclass(frozen=True)
class Wish:
    """A request to undo moves. The other people in the game have to agree to the request."""

    number: int  # the version of the game in which the request was made
    seat: int  # the seat of the person who made the request
    moves: int  # the number of moves that would remain after the undo
    agreed: tuple[int, ...]  # the seats that have agreed


@dataclass(frozen=True)
class Clock:
    """The remaining thinking time of each person. The clock runs for the person who has to act."""

    seconds: float  # seconds that each person had at the beginning
    bonus: float  # seconds that each move adds
    left: tuple[float, ...]  # seconds that each seat had left at the time `since`
    since: float  # seconds since 1970

    def left_of(self, seat: int, now: float) -> float:
        """Return how many seconds the player in a seat has left at the time `now`. The result is correct only for the
        seat whose clock is running.
        """
        return self.left[seat] - max(0.0, now - self.since)

    def after(self, seat: int | None, now: float, bonus: bool) -> "Clock":
        """Return the clock at the time `now`. The remaining time of `seat` is reduced by the time that has passed since
        the last update. If `seat` is None, every seat keeps its remaining time. If `bonus` is True, the bonus for a
        move is added to the remaining time of `seat`.
        """
        left = list(self.left)
        if seat is not None:
            left[seat] = max(0.0, self.left_of(seat, now)) + self.bonus * bonus
        return dataclasses.replace(self, left=tuple(left), since=now)


@dataclass(frozen=True)
class Company:
    """Everything about a game apart from its position. A `Company` object is immutable. Methods that change something
    return a new object.
    """

    seats: tuple[Seat, ...]
    claims: tuple[int, ...]  # how often the token for each seat has changed
    talk: tuple[Line, ...] = ()
    wish: Wish | None = None
    clock: Clock | None = None
    rematch: str | None = None  # the id of the rematch; None if there is none

    @property
    def persons(self) -> frozenset[int]:
        """The seats in which people play."""
        return frozenset(number for number, seat in enumerate(self.seats) if seat.bot is None)

    def telling(self, text: str, seat: int | None = None) -> "Company":
        """Return a copy with a new line in the chat."""
        return dataclasses.replace(self, talk=(*self.talk, Line(text, seat, time.time()))[-MOST_LINES:])

    def seated(self, number: int, seat: Seat) -> "Company":
        """Return a copy with a new player in a seat."""
        return dataclasses.replace(self, seats=(*self.seats[:number], seat, *self.seats[number + 1 :]))

    def claimed(self, number: int) -> "Company":
        """Return a copy in which the number of token changes of a seat is increased by 1 (see `claims`)."""
        claims = tuple(count + (seat == number) for seat, count in enumerate(self.claims))
        return dataclasses.replace(self, claims=claims)

    def timed(self, person: int | None, answered: bool) -> "Company":
        """Return a copy whose clock is updated to the current time. The remaining time of the seat `person` is reduced
        by the time that has passed since the last update. If `person` is None, every seat keeps its remaining time. If
        `answered` is True, the person has made a move and gets the bonus.
        """
        return dataclasses.replace(self, clock=self.clock and self.clock.after(person, time.time(), answered))

    def awake(self) -> "Company":
        """Return a copy whose clock runs from now on. Use this method for a game that has just been loaded, because the
        clock stops while the server is down.
        """
        return dataclasses.replace(self, clock=self.clock and dataclasses.replace(self.clock, since=time.time()))

    def names(self, seats: Iterable[int]) -> str:
        """Return the names of the players in the given seats, such as `Ada and Ben`."""
        *names, last = [self.seats[seat].name for seat in sorted(seats)]
        return f"{', '.join(names)} and {last}" if names else last

    # --- as JSON ------------------------------------------------------------------------------------------------------
    def shown(self) -> dict[str, Any]:
        """Return the dict that the server sends to clients. The dict does not contain the seats, because the view
        already lists the seats with the players.
        """
        return self.kept() | {"talk": [dataclasses.asdict(line) for line in self.talk[-LINES_SHOWN:]]}

    def kept(self) -> dict[str, Any]:
        """Return the dict that the database stores. The dict does not contain the seats, because the database stores
        the seats separately.
        """
        found = dataclasses.asdict(self)
        del found["seats"]
        return found

    @classmethod
    def of(cls, seats: list[dict[str, Any]], kept: dict[str, Any]) -> "Company":
        """Restore a `Company` from the seats and from the dict that the method `kept` returned. The dict is empty for a
        game from a database of format 1.
        """
        return COMPANY.validate_python({"claims": [0] * len(seats)} | kept | {"seats": seats})


COMPANY = TypeAdapter(Company)


def new_company(seats: tuple[Seat, ...], seconds: float | None = None, bonus: float = 0.0) -> Company:
    """Return the `Company` of a new game: the players, an empty chat and the clock. The game has a clock if `seconds`
    is given.
    """
    clock = None if seconds is None else Clock(seconds, bonus, (seconds,) * len(seats), time.time())
    return Company(seats, (0,) * len(seats), clock=clock)


def turned(company: Company) -> Company:
    """Return the `Company` of a rematch: the players, an empty chat and the clock. The seats are rotated by one: the
    player who played first in the old game plays last in the rematch.
    """
    seats, clock = company.seats[1:] + company.seats[:1], company.clock
    return new_company(seats, clock.seconds, clock.bonus) if clock else new_company(seats)


def message(text: str) -> str:
    """Return a chat message with single spaces between its words. Raises MessageError if the message is empty, too long
    or not printable.
    """
    words = " ".join(text.split())
    if not 0 < len(words) <= LONGEST_MESSAGE or not words.isprintable():
        raise MessageError(f"a message should have 1 to {LONGEST_MESSAGE} printable characters, not {brief(text)}")
    return words
