"""Check arguments: action ids, seeds, players, counts, and dicts from TOML and JSON.

Ints, NumPy integers and zero-dimensional arrays of integers are accepted as numbers. Some learning libraries pass
actions as zero-dimensional arrays. A float, a boolean, a string, None or a number out of range raises a CarcError. The
error message describes the valid values. An invalid value is never rounded or converted.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from carc_env.common.errors import ArrayError, CarcError, CountError, IllegalAction, PlayerError, SeedError

INT64 = range(-(2**63), 2**63)
SEEDS = range(2**64)


def whole_number(value: object) -> int | None:
    """Return the value as an int, or None if the value is not an integer.

    Ints, NumPy integers and zero-dimensional arrays of integers count as integers. Booleans do not.

    >>> whole_number(np.int8(3)), whole_number(np.array(3)), whole_number(3.0), whole_number(True)
    (3, 3, None, None)
    """
    if isinstance(value, (int, np.integer)):
        return None if isinstance(value, bool) else int(value)
    if getattr(value, "ndim", 0) or "bool" in str(getattr(value, "dtype", "")):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def as_action(value: object, n_actions: int) -> int:
    """Convert an action id to an int.

    The range of the id and the legality of the action are not checked. Raises IllegalAction if the value is not a
    64-bit integer.
    """
    number = whole_number(value)
    if number is None or number not in INT64:
        raise IllegalAction(f"{brief(value)} is not an action; it should be an int from 0 to {n_actions - 1}")
    return number


def as_actions(values: Any, n: int, n_actions: int) -> np.ndarray:
    """Convert a list of action ids to an array, with one action for each game.

    Args:
        values: a list or an array of n integers.
        n: the number of games.
        n_actions: the number of action ids, for error messages.

    Returns:
        an array int64[n].

    Raises:
        IllegalAction: `values` is not a list or an array of n integers.
    """
    if not isinstance(values, np.ndarray):
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise IllegalAction(f"{n} games need {n} actions, not {brief(values)}")
        values = (
            np.array([as_action(value, n_actions) for value in values], np.int64)
            if not hasattr(values, "shape")
            else np.asarray(values)
        )
    if values.shape != (n,):
        raise IllegalAction(f"{n} games need {n} actions, not an array of shape {values.shape}")
    if values.dtype.kind not in "iu" or values.dtype == np.uint64 and (values > INT64[-1]).any():
        raise IllegalAction(f"the actions should be ints from 0 to {n_actions - 1}, not of dtype {values.dtype}")
    actions: np.ndarray = values.astype(np.int64)
    return actions


def as_seed(value: object) -> int:
    """Return a seed as an int. Raises SeedError if the seed is not an integer from 0 to 2**64 - 1."""
    number = whole_number(value)
    if number is None or number not in SEEDS:
        raise SeedError(f"seed {brief(value)} should be an integer from 0 to 2**64 - 1")
    return number


def seed_words(seeds: Sequence[object] | np.ndarray) -> np.ndarray:
    """Split each seed into its low and its high 32 bits.

    Returns:
        an array int64[n, 2].

    Raises:
        SeedError: a seed is invalid.
    """
    if isinstance(seeds, (str, bytes)) or not hasattr(seeds, "__len__"):
        raise SeedError(f"seeds should be a list with one seed for each game, not {brief(seeds)}")
    numbers = [as_seed(seed) for seed in seeds]
    return np.array([(number & 0xFFFFFFFF, number >> 32) for number in numbers], np.int64).reshape(-1, 2)


def as_player(value: object, players: int) -> int:
    """Return the index of a player as an int. Raises PlayerError if the index is not an integer or is out of range."""
    number = whole_number(value)
    if number is None or not 0 <= number < players:
        raise PlayerError(f"player {brief(value)} should be an int from 0 to {players - 1}")
    return number


def as_count(value: object, name: str, least: int = 0, most: int = 2**31) -> int:
    """Return a number as an int. Raises CountError if the number is not an integer from `least` to `most`. The error
    message names the argument.
    """
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise CountError(
            f"{name} = {brief(value)}: should be an int from {least}" + (f" to {most}" if most < 2**31 else " up")
        )
    return number


def check_out(out: object, shape: tuple[int, ...], dtype: type, name: str = "out") -> None:
    """Check that an output array is writeable and has the given shape and dtype. Raises ArrayError otherwise."""
    if not (isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype and out.flags.writeable):
        found = f"{out.dtype}{list(out.shape)}" if isinstance(out, np.ndarray) else brief(out)
        raise ArrayError(f"{name} should be a writeable array {np.dtype(dtype)}{list(shape)}, not {found}")


def check_chances(chances: np.ndarray, n: int) -> None:
    """Check an array that holds the states of n random generators.

    Raises:
        ArrayError: the array is not writeable, not C-contiguous, or not int64[n, 2].
    """
    check_out(chances, (n, 2), np.int64, "chances")
    if not chances.flags.c_contiguous:
        raise ArrayError("chances should be C-contiguous in memory; np.ascontiguousarray(chances) makes such an array")


Kinds = type | tuple[type, ...]


def check_fields(
    table: Any, required: Mapping[str, Kinds], optional: Mapping[str, Kinds], what: str, error: type[CarcError]
) -> None:
    """Check the fields of a dict from TOML or JSON.

    All required fields must be present, unknown fields are not allowed, and each field must have the right type. If a
    check fails, raises `error` with a message that begins with `what`.
    """
    known = {**required, **optional}
    check_keys(table, known, what, error)
    for key, kind in known.items():
        if key in table and not is_of(table[key], kind):
            kinds = " or ".join(
                "None" if one is type(None) else one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))
            )
            raise error(f"{what}: {key} = {brief(table[key])}: should be of type {kinds}")
    for key in required:
        if key not in table:
            raise error(f"{what} lacks the key {key!r}")


def check_keys(table: object, known: Iterable[str], what: str, error: type[CarcError]) -> None:
    """Check that a value is a dict without unknown keys. If the check fails, raises `error` with a message that begins
    with `what`.
    """
    if not isinstance(table, Mapping):
        raise error(f"{what} should be a table of fields, not {brief(table)}")
    for key in table:
        if key not in known:
            raise error(f"{what}: unknown key {brief(key)}; the known keys are {', '.join(known)}")


def is_of(value: object, kind: Kinds) -> bool:
    """Return True if a value has the given type. A boolean does not count as a number."""
    return isinstance(value, kind) and (not isinstance(value, bool) or kind is bool)


def brief(value: object) -> str:
    """Return the `repr` of a value for a message, shortened to at most 60 characters."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - an int may have too many digits, and an object may define a faulty `repr`
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
