"""Defines the saved states of environments. The method `save()` of an environment returns a saved state. The method
`restore(state)` resets the environment to a saved state.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carc_env.common.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Saved:
    """The state of an environment at one moment. A saved state can be kept, pickled, and restored any number of
    times.
    """

    kind: dict[str, Any] = field(repr=False)  # settings; an environment with other settings cannot restore the state
    parts: dict[str, Any] = field(repr=False)  # the saved values, which later steps do not change


def parts_of(state: object, kind: dict[str, Any]) -> dict[str, Any]:
    """Check that a state comes from an environment with the settings `kind`, and return the content of the state.
    Raises ArgumentError.
    """
    if not isinstance(state, Saved):
        raise ArgumentError(f"the state should be a result of save(), not a {type(state).__name__}")
    other = [name for name in kind if state.kind.get(name) != kind[name]]
    if other:
        raise ArgumentError(f"this state comes from a different environment; the differences are in {', '.join(other)}")
    return state.parts


def generator_state(rng: np.random.Generator | None) -> dict[str, Any] | None:
    """Return the state of a random generator, or None if there is no generator."""
    return None if rng is None else dict(rng.bit_generator.state)


def generator(state: dict[str, Any] | None) -> Any:
    """Make a random generator that continues from a saved state. Returns None if the state is None."""
    if state is None:
        return None
    bits = getattr(np.random, state["bit_generator"])(0)
    bits.state = state
    return np.random.Generator(bits)


def write_bytes(data: bytes, array: np.ndarray) -> None:
    """Restore the content of an array from the bytes that `array.tobytes()` has returned."""
    array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)
