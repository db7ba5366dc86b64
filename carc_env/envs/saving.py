"""States of environments: what `save()` gives and `restore(state)` takes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carc_env.common.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Saved:
    """The state of an environment at one moment: to be kept, pickled, and restored any number of times."""

    kind: dict[str, Any] = field(repr=False)  # what must be alike in the environment that it is restored in
    parts: dict[str, Any] = field(repr=False)  # nothing that a later step writes to


def parts_of(state: object, kind: dict[str, Any]) -> dict[str, Any]:
    """The parts of a state for an environment of this kind. Raises ArgumentError."""
    if not isinstance(state, Saved):
        raise ArgumentError(f"a state that save() gave is needed, not a {type(state).__name__}")
    other = [name for name in kind if state.kind.get(name) != kind[name]]
    if other:
        raise ArgumentError(f"this state is of an environment of another kind: not the same are {', '.join(other)}")
    return state.parts


def generator_state(rng: np.random.Generator | None) -> dict[str, Any] | None:
    """What a generator needs to draw the same again."""
    return None if rng is None else dict(rng.bit_generator.state)


def generator(state: dict[str, Any] | None) -> Any:
    """A generator that goes on from a state; None where there was none."""
    if state is None:
        return None
    bits = getattr(np.random, state["bit_generator"])(0)
    bits.state = state
    return np.random.Generator(bits)


def write_bytes(data: bytes, array: np.ndarray) -> None:
    """Write to an array what its `tobytes` gave."""
    array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)
