"""Everything about a table besides its game: the people and bots on the seats, the chat, wishes to undo, and the
clock.
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

LONGEST_MESSAGE = 200  # letters
MOST_LINES = 40  # of what is told that are kept
LINES_SHOWN = 12


class MessageError(CarcError):
    """A message cannot be accepted. The text says why."""


@dataclass(frozen=True)
class Line:
    """A line that everybody at a table can read."""

    text: str
    seat: int | None  # who says it; None: the table itself
    told: float  # seconds since 1970


@dataclass(frozen=True)
class Wish:
    """A wish to undo moves. The other persons are asked to agree."""

    number: int  # the version at which it came up
    seat: int  # whose wish it is
    moves: int  # the number of moves that would be left
    agreed: tuple[int, ...]  # the seats that have agreed


@dataclass(frozen=True)
class Clock:
    """The time that persons have left. It runs for the person who has to act."""

    seconds: float  # that each had at the beginning
    bonus: float  # seconds more for each answer
    left: tuple[float, ...]  # of each seat at the time `since`
    since: float  # seconds since 1970

    def left_of(self, seat: int, now: float) -> float:
        """The seconds that a seat has left at a time, if the clock runs for it."""
        return self.left[seat] - max(0.0, now - self.since)

    def after(self, seat: int | None, now: float, bonus: bool) -> "Clock":
        """The clock after it ran for a seat until a time, or for nobody. A move adds the bonus."""
        left = list(self.left)
        if seat is not None:
            left[seat] = max(0.0, self.left_of(seat, now)) + self.bonus * bonus
        return dataclasses.replace(self, left=tuple(left), since=now)


@dataclass(frozen=True)
class Company:
    """Everything known about a table besides its game. Each change makes a new object."""

    seats: tuple[Seat, ...]
    claims: tuple[int, ...]  # how often each seat got another token
    talk: tuple[Line, ...] = ()
    wish: Wish | None = None
    clock: Clock | None = None
    rematch: str | None = None  # the id of the game that follows this one

    @property
    def persons(self) -> frozenset[int]:
        """The seats of persons."""
        return frozenset(number for number, seat in enumerate(self.seats) if seat.bot is None)

    def telling(self, text: str, seat: int | None = None) -> "Company":
        """The company with a new line that everybody can read."""
        return dataclasses.replace(self, talk=(*self.talk, Line(text, seat, time.time()))[-MOST_LINES:])

    def seated(self, number: int, seat: Seat) -> "Company":
        """The company with another player on a seat."""
        return dataclasses.replace(self, seats=(*self.seats[:number], seat, *self.seats[number + 1 :]))

    def claimed(self, number: int) -> "Company":
        """The company with a new token for a seat."""
        claims = tuple(count + (seat == number) for seat, count in enumerate(self.claims))
        return dataclasses.replace(self, claims=claims)

    def timed(self, person: int | None, answered: bool) -> "Company":
        """The company after the clock stops for a person, who may have moved."""
        return dataclasses.replace(self, clock=self.clock and self.clock.after(person, time.time(), answered))

    def awake(self) -> "Company":
        """The company when a server loads it. No clock ran while there was no server."""
        return dataclasses.replace(self, clock=self.clock and dataclasses.replace(self.clock, since=time.time()))

    def names(self, seats: Iterable[int]) -> str:
        """The names of some seats: `Ada and Ben`."""
        *names, last = [self.seats[seat].name for seat in sorted(seats)]
        return f"{', '.join(names)} and {last}" if names else last

    # --- as JSON ------------------------------------------------------------------------------------------------------
    def shown(self) -> dict[str, Any]:
        """The company as clients see it, without the seats, which are listed with the players."""
        return self.kept() | {"talk": [dataclasses.asdict(line) for line in self.talk[-LINES_SHOWN:]]}

    def kept(self) -> dict[str, Any]:
        """The company as the store keeps it, without the seats."""
        found = dataclasses.asdict(self)
        del found["seats"]
        return found

    @classmethod
    def of(cls, seats: list[dict[str, Any]], kept: dict[str, Any]) -> "Company":
        """The company from what `kept` returned, and the seats. Games from before there were companies have nothing to
        restore.
        """
        return COMPANY.validate_python({"claims": [0] * len(seats)} | kept | {"seats": seats})


COMPANY = TypeAdapter(Company)


def new_company(seats: tuple[Seat, ...], seconds: float | None = None, bonus: float = 0.0) -> Company:
    """The company of a new game, with a clock if `seconds` is given."""
    clock = None if seconds is None else Clock(seconds, bonus, (seconds,) * len(seats), time.time())
    return Company(seats, (0,) * len(seats), clock=clock)


def turned(company: Company) -> Company:
    """The company of a rematch. The seats are rotated by one, so the player who began now plays last."""
    seats, clock = company.seats[1:] + company.seats[:1], company.clock
    return new_company(seats, clock.seconds, clock.bonus) if clock else new_company(seats)


def message(text: str) -> str:
    """Check the message of a person. Raises MessageError."""
    words = " ".join(text.split())
    if not 0 < len(words) <= LONGEST_MESSAGE or not words.isprintable():
        raise MessageError(f"a message should have 1 to {LONGEST_MESSAGE} printable characters, not {brief(text)}")
    return words
