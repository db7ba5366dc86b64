"""What a record notes of a game besides how it was played: who the players are, and who gave it up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import RecordError

LONGEST_NAME = 200  # letters


@dataclass(frozen=True)
class Notes:
    """Who plays, and who lost the game by an answer that was not legal, or by giving none."""

    names: tuple[str, ...] = ()  # of the players; empty: they are called by their colours
    forfeit: int | None = None  # the player who gave the game up; None: nobody

    def to_dict(self) -> dict[str, Any]:
        """The keys of a record that tell it; those of which there is nothing to tell are left out."""
        names = {"names": list(self.names)} if self.names else {}
        return names if self.forfeit is None else names | {"forfeit": self.forfeit}

    @classmethod
    def read(cls, record: Mapping[str, Any], players: int) -> "Notes":
        """The notes of a record whose keys were checked. Raises RecordError."""
        names, forfeit = tuple(record.get("names", ())), record.get("forfeit")
        if names and len(names) != players:
            raise RecordError(f"names: {len(names)} are given, but {players} play")
        for place, name in enumerate(names):
            if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
                raise RecordError(
                    f"names[{place}] = {brief(name)}: a name has 1 to {LONGEST_NAME} letters that can be printed"
                )
        if forfeit is not None and not 0 <= forfeit < players:
            raise RecordError(f"forfeit = {brief(forfeit)}: should be a player, from 0 to {players - 1}")
        return cls(names, forfeit)


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names as records may have them, two of one name with the numbers of their seats.

    >>> told_apart(["greedy", "greedy", "Ada"])
    ('greedy 1', 'greedy 2', 'Ada')
    """
    plain = ["".join(letter if letter.isprintable() else "?" for letter in name[: LONGEST_NAME - 2]) for name in names]
    return tuple(
        f"{name} {seat}" if plain.count(name) > 1 else name or f"player {seat}" for seat, name in enumerate(plain, 1)
    )


NO_NOTES = Notes()
