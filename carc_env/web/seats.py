"""Seats at a table: who sits there, and who may answer for them."""

import dataclasses
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.bots import level
from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError
from carc_env.rules.state import MAX_PLAYERS

LONGEST_NAME = 40  # letters


class SeatError(CarcError):
    """A seat cannot be taken so; the message says which and why."""


@dataclass(frozen=True)
class Seat:
    """A place at a table."""

    name: str
    bot: str | None = None  # the spec of the bot that plays here; None: a person does

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return {"name": self.name, "bot": self.bot}


def seats_for(wanted: Sequence[Mapping[str, Any]] | None, players: int, bots: Sequence[str]) -> tuple[Seat, ...]:
    """The seats of a game, a mapping with `name` and `bot` wanted for each, which both may be None or missing. None:
    persons only.

    Raises SeatError: another number of them than of players, a bot that is not among these, or a name that is none.
    """
    wanted = [{}] * players if wanted is None else wanted
    if len(wanted) != players:
        raise SeatError(f"{players} play, but there are {len(wanted)} seats")
    return tuple(seat_for(number, seat.get("name"), seat.get("bot"), bots) for number, seat in enumerate(wanted))


def seat_for(number: int, name: str | None, bot: str | None, bots: Sequence[str]) -> Seat:
    """One seat; without a name it has that of its bot, or `Player 1`. Raises SeatError."""
    if bot is not None and bot not in bots:
        raise SeatError(f"seat {number}: there is no bot {brief(bot)} here; there are {', '.join(bots)}")
    name = (name or (bot and level.in_words(bot)) or f"Player {number + 1}").strip()[
        : LONGEST_NAME if name is None else None
    ]
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise SeatError(f"seat {number}: a name has 1 to {LONGEST_NAME} letters that can be printed, not {brief(name)}")
    return Seat(name, bot)


# --- tokens -----------------------------------------------------------------------------------------------------------
class Closed(CarcError):
    """A seat's token is needed, or another one than was given."""

    def __init__(self, message: str, given: bool):
        super().__init__(message)
        self.given = given  # whether there was a token at all


@dataclass(frozen=True)
class Rights:
    """What a request may do at a table."""

    seats: frozenset[int]  # those that it may answer for
    is_beginner: bool  # whether it comes from who began the game

    def check(self, seat: int | None) -> None:
        """It may answer for a seat; with None, say what was drawn at a real table, as every seat may. Raises Closed."""
        if not self.seats or seat is not None and seat not in self.seats:
            raise Closed("this token is of another seat" if self.seats else "this token only looks on", True)


EVERYTHING = Rights(frozenset(range(MAX_PLAYERS)), True)  # where no tokens are asked for


@dataclass(frozen=True)
class Tokens:
    """The secrets of a game, told once to who begins it."""

    seats: tuple[str, ...]
    watcher: str  # of all who only look on
    beginner: str

    def keys(self) -> "Keys":
        """What is kept of them."""
        return Keys(tuple(map(hashed, self.seats)), hashed(self.watcher), hashed(self.beginner))


@dataclass(frozen=True)
class Keys:
    """The hashes of a game's tokens; none where the server asks for none."""

    seats: tuple[str, ...] = ()
    watcher: str | None = None
    beginner: str | None = None

    def opened(self, tokens: Sequence[str]) -> Rights | None:
        """What tokens allow; None for those of other games."""
        found = set(map(hashed, tokens))
        rights = Rights(
            frozenset(number for number, key in enumerate(self.seats) if key in found), self.beginner in found
        )
        return rights if rights.seats or rights.is_beginner or self.watcher in found else None

    def changed(self, number: int, token: str) -> "Keys":
        """With another token for a seat."""
        return dataclasses.replace(self, seats=(*self.seats[:number], hashed(token), *self.seats[number + 1 :]))

    def turned(self) -> "Keys":
        """Those of a rematch: each follows who sits there."""
        return dataclasses.replace(self, seats=self.seats[1:] + self.seats[:1])

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Keys":
        """What `to_dict` gave."""
        return cls(tuple(kept["seats"]), kept["watcher"], kept["beginner"])


def new_token() -> str:
    """A secret."""
    return secrets.token_urlsafe(24)


def new_tokens(players: int) -> Tokens:
    """The secrets of a new game."""
    return Tokens(tuple(new_token() for _ in range(players)), new_token(), new_token())


def hashed(token: str) -> str:
    """What is kept of a token: from it nobody finds the token, so that comparing hashes tells nothing by its time."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
