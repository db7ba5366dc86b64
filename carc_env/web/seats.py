"""The seats at a table: who plays there, and who may act for them."""

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
    """A seat cannot be taken in this way. The message says which seat and why."""


@dataclass(frozen=True)
class Seat:
    """A place at a table."""

    name: str
    bot: str | None = None  # the spec of the bot that plays here; None: a person does

    def to_dict(self) -> dict[str, Any]:
        """The seat as a dict for JSON."""
        return {"name": self.name, "bot": self.bot}


def seats_for(wanted: Sequence[Mapping[str, Any]] | None, players: int, bots: Sequence[str]) -> tuple[Seat, ...]:
    """The seats of a game. `wanted` gives a mapping with `name` and `bot` for each; both may be None or missing. None:
    only persons.

    Raises SeatError for a wrong number of seats, an unknown bot or an invalid name.
    """
    wanted = [{}] * players if wanted is None else wanted
    if len(wanted) != players:
        raise SeatError(f"the game has {players} players, but {len(wanted)} seats are given")
    return tuple(seat_for(number, seat.get("name"), seat.get("bot"), bots) for number, seat in enumerate(wanted))


def seat_for(number: int, name: str | None, bot: str | None, bots: Sequence[str]) -> Seat:
    """One seat. Without a name it gets the name of its bot, or `Player 1`. Raises SeatError."""
    if bot is not None and bot not in bots:
        raise SeatError(f"seat {number}: there is no bot {brief(bot)} here; the bots are {', '.join(bots)}")
    name = (name or (bot and level.in_words(bot)) or f"Player {number + 1}").strip()[
        : LONGEST_NAME if name is None else None
    ]
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise SeatError(
            f"seat {number}: a name should have 1 to {LONGEST_NAME} printable characters, not {brief(name)}"
        )
    return Seat(name, bot)


# --- tokens -----------------------------------------------------------------------------------------------------------
class Closed(CarcError):
    """The request needs the token of a seat, or another token than it has."""

    def __init__(self, message: str, given: bool):
        super().__init__(message)
        self.given = given  # whether there was a token at all


@dataclass(frozen=True)
class Rights:
    """What a request may do at a table."""

    seats: frozenset[int]  # those that it may answer for
    is_beginner: bool  # whether it comes from who began the game

    def check(self, seat: int | None) -> None:
        """Raise Closed unless the request may act for a seat. With None: unless it may enter draws at a real table, as
        every seat may.
        """
        if not self.seats or seat is not None and seat not in self.seats:
            raise Closed("this token is of another seat" if self.seats else "this token only looks on", True)


EVERYTHING = Rights(frozenset(range(MAX_PLAYERS)), True)  # where no tokens are asked for


@dataclass(frozen=True)
class Tokens:
    """The secrets of a game. Only the person who begins it gets them, and only once."""

    seats: tuple[str, ...]
    watcher: str  # of all who only look on
    beginner: str

    def keys(self) -> "Keys":
        """The part of the tokens that is stored."""
        return Keys(tuple(map(hashed, self.seats)), hashed(self.watcher), hashed(self.beginner))


@dataclass(frozen=True)
class Keys:
    """The hashes of a game's tokens; empty if the server uses no tokens."""

    seats: tuple[str, ...] = ()
    watcher: str | None = None
    beginner: str | None = None

    def opened(self, tokens: Sequence[str]) -> Rights | None:
        """The rights that tokens give; None for those of other games."""
        found = set(map(hashed, tokens))
        rights = Rights(
            frozenset(number for number, key in enumerate(self.seats) if key in found), self.beginner in found
        )
        return rights if rights.seats or rights.is_beginner or self.watcher in found else None

    def changed(self, number: int, token: str) -> "Keys":
        """The keys with another token for a seat."""
        return dataclasses.replace(self, seats=(*self.seats[:number], hashed(token), *self.seats[number + 1 :]))

    def turned(self) -> "Keys":
        """The keys of a rematch: each follows its person to the new seat."""
        return dataclasses.replace(self, seats=self.seats[1:] + self.seats[:1])

    def to_dict(self) -> dict[str, Any]:
        """The keys as a dict for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Keys":
        """Restore the keys from the dict that `to_dict` returned."""
        return cls(tuple(kept["seats"]), kept["watcher"], kept["beginner"])


def new_token() -> str:
    """A new secret."""
    return secrets.token_urlsafe(24)


def new_tokens(players: int) -> Tokens:
    """The secrets of a new game."""
    return Tokens(tuple(new_token() for _ in range(players)), new_token(), new_token())


def hashed(token: str) -> str:
    """The hash of a token, which is stored instead. The token cannot be computed from it, so the time of a comparison
    reveals nothing.
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
