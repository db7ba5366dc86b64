"""Defines optional entries of a game record: the names of the players, and the player who forfeited the game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import RecordError

LONGEST_NAME = 200  # characters


@dataclass(frozen=True)
class Notes:
    """The names of the players, and the player who forfeited the game. A player forfeits the game by choosing an
    illegal action, or by choosing no action.
    """

    names: tuple[str, ...] = ()  # the names of the players; if empty, the players are named after their colours
    forfeit: int | None = None  # the player who forfeited the game, or None

    def to_dict(self) -> dict[str, Any]:
        """Return the names and the forfeit as entries of a game record. Entries without a value are left out."""
        names = {"names": list(self.names)} if self.names else {}
        return names if self.forfeit is None else names | {"forfeit": self.forfeit}

    @classmethod
    def read(cls, record: Mapping[str, Any], players: int) -> "Notes":
        """Read the notes of a game record. The caller must have checked the keys of the record. Raises RecordError."""
        names, forfeit = tuple(record.get("names", ())), record.get("forfeit")
        if names and len(names) != players:
            raise RecordError(f"names should contain {players} names, one for each player, not {len(names)}")
        for place, name in enumerate(names):
            if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
                raise RecordError(
                    f"names[{place}] = {brief(name)}: a name should have 1 to {LONGEST_NAME} printable characters"
                )
        if forfeit is not None and not 0 <= forfeit < players:
            raise RecordError(f"forfeit = {brief(forfeit)}: should be a player from 0 to {players - 1}")
        return cls(names, forfeit)


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Convert the names of players to names that are valid in a game record. If several players have the same name, the
    number of the player is appended to each of these names. The first player of the game has number 1.

    >>> told_apart(["greedy", "greedy", "Ada"])
    ('greedy 1', 'greedy 2', 'Ada')
    """
    plain = ["".join(letter if letter.isprintable() else "?" for letter in name[: LONGEST_NAME - 2]) for name in names]
    return tuple(
        f"{name} {seat}" if plain.count(name) > 1 else name or f"player {seat}" for seat, name in enumerate(plain, 1)
    )


NO_NOTES = Notes()
