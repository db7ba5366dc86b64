"""The seats of a game: the player in each seat, and the tokens that allow a client to act for a seat."""

import dataclasses
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from carc_env.bots import level
from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError
from carc_env.rules.state import MAX_PLAYERS

LONGEST_NAME = 40  # characters


class SeatError(CarcError):
    """A seat or a bot in a request is not valid. The message gives the reason. For an entry in a list of seats, the
    message also gives the number of the seat.
    """


@dataclass(frozen=True)
class Seat:
    """A seat in a game, with the name of its player."""

    name: str
    bot: str | None = None  # the spec of the bot that plays here; None for a person

    def to_dict(self) -> dict[str, Any]:
        """Return the seat as a dict that can be written as JSON."""
        return {"name": self.name, "bot": self.bot}


def seats_for(wanted: Sequence[Mapping[str, Any]] | None, players: int, bots: Sequence[str]) -> tuple[Seat, ...]:
    """Return the seats of a game. For each seat, `wanted` contains a mapping with the keys `name` and `bot`. Each of
    the two keys may be missing or have the value None. If `wanted` is None, all players are people.

    Raises SeatError for a wrong number of seats, an unknown bot or an invalid name.
    """
    wanted = [{}] * players if wanted is None else wanted
    if len(wanted) != players:
        raise SeatError(f"the game has {players} players, but {len(wanted)} seats are given")
    return tuple(seat_for(number, seat.get("name"), seat.get("bot"), bots) for number, seat in enumerate(wanted))


def seat_for(number: int, name: str | None, bot: str | None, bots: Sequence[str]) -> Seat:
    """Return a seat. If `name` is None or empty, a bot's seat gets the name of the bot, and a person's seat gets a name
    such as `Player 1`. Raises SeatError.
    """
    if bot is not None:
        check_bot(bot, bots, f"seat {number}: ")
    name = (name or (bot and level.in_words(bot)) or f"Player {number + 1}").strip()[
        : LONGEST_NAME if name is None else None
    ]
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise SeatError(
            f"seat {number}: a name should have 1 to {LONGEST_NAME} printable characters, not {brief(name)}"
        )
    return Seat(name, bot)


def check_bot(bot: str, bots: Sequence[str], where: str = "") -> None:
    """Check that clients may choose this bot. Raises SeatError if they may not. The message begins with `where`."""
    if bot not in bots:
        raise SeatError(f"{where}there is no bot {brief(bot)} here; the bots are {', '.join(bots)}")


# --- tokens -----------------------------------------------------------------------------------------------------------
class Closed(CarcError):
    """The request lacks a valid token or the correct password."""

    def __init__(self, message: str, given: bool):
        super().__init__(message)
        self.given = given  # True: the token or password in the request is not enough; False: the request has neither


@dataclass(frozen=True)
class Rights:
    """What a request is allowed to do in a game."""

    seats: frozenset[int]  # the seats that the request may act for
    is_beginner: bool  # whether the request comes from the person who began the game

    def check(self, seat: int | None) -> None:
        """Check that the request may act for a seat, and raise Closed if it may not. `seat` is None if no player has to
        act, for example because a person must first enter which cardboard tile was drawn. If `seat` is None, the right
        to act for at least one seat is enough.
        """
        if not self.seats or seat is not None and seat not in self.seats:
            raise Closed(
                "this token is for another seat" if self.seats else "this token only allows you to watch", True
            )


EVERYTHING = Rights(frozenset(range(MAX_PLAYERS)), True)  # the rights of every request if the server uses no tokens


@dataclass(frozen=True)
class Tokens:
    """The tokens of a game. The tokens are sent only once, to the person who begins the game."""

    seats: tuple[str, ...]
    watcher: str  # the token for watching; all spectators share it
    beginner: str

    def keys(self) -> "Keys":
        """Return the hashes of the tokens. Only the hashes are stored."""
        return Keys(tuple(map(hashed, self.seats)), hashed(self.watcher), hashed(self.beginner))


@dataclass(frozen=True)
class Keys:
    """The hashes of a game's tokens. There are no hashes if the server uses no tokens."""

    seats: tuple[str, ...] = ()
    watcher: str | None = None
    beginner: str | None = None

    def opened(self, tokens: Sequence[str]) -> Rights | None:
        """Return the rights that tokens give in this game, or None if all tokens are invalid."""
        return self.opened_by(set(map(hashed, tokens)))

    def opened_by(self, hashes: AbstractSet[str]) -> Rights | None:
        """Return the rights that tokens with these hashes give in this game, or None if all tokens are invalid."""
        seats = frozenset(number for number, key in enumerate(self.seats) if key in hashes)
        rights = Rights(seats, self.beginner in hashes)
        return rights if rights.seats or rights.is_beginner or self.watcher in hashes else None

    def changed(self, number: int, token: str) -> "Keys":
        """Return a copy with the hash of a new token for a seat."""
        return dataclasses.replace(self, seats=(*self.seats[:number], hashed(token), *self.seats[number + 1 :]))

    def turned(self) -> "Keys":
        """Return the hashes of the tokens for a rematch. In the rematch, each token is valid for the new seat of its
        holder.
        """
        return dataclasses.replace(self, seats=self.seats[1:] + self.seats[:1])

    def to_dict(self) -> dict[str, Any]:
        """Return the hashes as a dict that can be written as JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Keys":
        """Restore the hashes from the dict that `to_dict` returned."""
        return cls(tuple(kept["seats"]), kept["watcher"], kept["beginner"])


def new_token() -> str:
    """Return a new random token."""
    return secrets.token_urlsafe(24)


def new_tokens(players: int) -> Tokens:
    """Return the tokens of a new game."""
    return Tokens(tuple(new_token() for _ in range(players)), new_token(), new_token())


def hashed(token: str) -> str:
    """Return the hash of a token. The server stores and compares hashes instead of tokens. The duration of a comparison
    can reveal a part of a hash, but nobody can compute a token from a hash.
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
