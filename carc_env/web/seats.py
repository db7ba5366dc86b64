"""Seats at a table: who sits there, and who may answer for them."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.bots import level
from carc_env.common.arguments import brief
from carc_env.common.errors import CarcError

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
def new_tokens(players: int) -> list[str]:
    """A secret for each seat."""
    return [secrets.token_urlsafe(24) for _ in range(players)]


def hashed(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def seats_opened(token: str | None, hashes: Sequence[str]) -> set[int]:
    """The seats that a token opens, of those whose tokens have these hashes."""
    found = hashed(token or "")
    return {number for number, each in enumerate(hashes) if hmac.compare_digest(found, each)}
