"""Read and write checkpoints. A checkpoint is a trained agent in two files: NAME.safetensors contains its weights, and
NAME.json is its model card.

The model card records the configuration of the training games, the training settings and the agent's strength. Both
files are plain data, so loading them does not execute any code.
"""

import functools
import hashlib
import json
import os
import secrets
import stat
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from carc_env.boxes.prospect_parts import Part
from carc_env.common.arguments import brief, check_fields
from carc_env.common.errors import CarcError, ConfigError
from carc_env.observing.encode import layout_hash
from carc_env.observing.keen import SINGLE
from carc_env.observing.prospects import MOST_HELD, OF_KEEN, default_prices
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.setup.config import GameConfig

FORMAT = 1
VALID_FOR = "every configuration, on a table of any size: candidates mean the same in all of them"
PACKAGE = Path(__file__).parents[1]
# the folders of the package's checkpoints: in an installed package, and in a checkout of the repository
SHIPPED = (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints")
LARGEST = 2**28  # the maximum size of a file, in bytes; an agent's file is thousands of times smaller
LIMIT = float(np.finfo(np.float32).max)  # the largest allowed magnitude of a weight or price: the largest float32
TABLES = {"part": "parts", "early": "early", "hands": "hands"}  # maps the prefix of a weight's name to a PRICES field
ONLY_KEEN = {f"early_{part.name.lower()}" for part in Part} | {f"hands_{number}" for number in range(MOST_HELD + 1)}


class CheckpointError(CarcError):
    """Raised if a checkpoint cannot be used. The message contains the path of the file and the reason."""


@dataclass(frozen=True)
class Card:
    """The model card of an agent, stored in the JSON file of its checkpoint."""

    network: str  # kind of network: `candidates` (bots/policy.py) or `values` (observing/value_network.py)
    preset: str  # name of the preset that the agent was trained on; "custom" for a configuration that is no preset
    config: dict[str, Any]  # the GameConfig
    rows: int  # the maximum number of candidates; only the legal actions with the best heuristic values are candidates
    prices: dict[str, float]  # the heuristic weights for computing the agent's observations; see `prices_to_dict`
    training: dict[str, Any]  # the TrainConfig
    steps: int  # the number of decisions that the agent learned from
    games: int  # the number of games that were finished in training
    minutes: float  # duration of the training
    seed: int
    commit: str | None  # the commit of the code that trained the agent; None if the commit is not known
    versions: dict[str, str]  # the versions of Python and of the libraries used for training
    strength: list[dict[str, Any]]  # results of matches, as `carc match --json` prints them; the agent is bot "a"
    carc_env: int = FORMAT
    # the hash of the candidate columns that the agent was trained on; see `layout_hash` in observing/encode.py
    layout_hash: str = field(default_factory=lambda: layout_hash("candidates"))
    valid_for: str = VALID_FOR  # a description of the games that the agent can play
    sha256: str = ""  # the hash of the file with the weights; computed when the checkpoint is written


@dataclass(frozen=True)
class Checkpoint:
    """An agent that was loaded from a checkpoint."""

    path: Path
    card: Card
    tensors: dict[str, np.ndarray]

    @functools.cached_property
    def prices(self) -> np.ndarray:
        """The heuristic weights from the model card, as an array with one record of the dtype PRICES."""
        return prices_from_dict(self.card.prices, self.path)


def paths(name: Path | str) -> tuple[Path, Path]:
    """Return the paths of a checkpoint's two files: the weights and the model card. The suffix `.safetensors` of `name`
    is optional.
    """
    stem = str(name).removesuffix(".safetensors")
    return Path(f"{stem}.safetensors"), Path(f"{stem}.json")


def shipped(name: str) -> Path:
    """Return the path of a checkpoint that comes with the package."""
    for folder in SHIPPED:
        if paths(folder / name)[0].is_file():
            return folder / name
    return SHIPPED[-1] / name


def shipped_names(kind: str = "*") -> list[str]:
    """Return the names of the checkpoints that come with the package. If `kind` is "quick", only names that
    end with `-quick` are returned. If `kind` is "values", only names that end with `-values` are returned.
    """
    return sorted({path.stem for folder in SHIPPED for path in folder.glob(f"*-{kind}.safetensors")})


def find(name: str) -> Path:
    """Return the path of the checkpoint with this name. A file with this name takes precedence over a checkpoint that
    comes with the package. Raises CheckpointError if no checkpoint is found.
    """
    if any(os.path.lexists(path) for path in paths(name)):
        return Path(name)
    if name.removesuffix(".safetensors") in shipped_names():
        return shipped(name.removesuffix(".safetensors"))
    if os.path.lexists(name):
        raise CheckpointError(
            f"{name} is not a checkpoint. A checkpoint consists of two files: NAME.safetensors and NAME.json"
        )
    names = ", ".join(shipped_names())
    raise CheckpointError(f"there is no checkpoint {brief(name)}; the checkpoints of the package are {names}")


def write(name: Path | str, card: Card, tensors: dict[str, np.ndarray]) -> Path:
    """Write both files of a checkpoint. Each file is replaced completely or not at all. Returns the path of the file
    with the weights.
    """
    numbers, card_path = paths(name)
    data = safetensors.numpy.save({key: np.ascontiguousarray(array) for key, array in tensors.items()})
    fields_of_card = asdict(card) | {"sha256": hashlib.sha256(data).hexdigest()}
    numbers.parent.mkdir(parents=True, exist_ok=True)
    write_whole(numbers, data)
    write_whole(card_path, (json.dumps(fields_of_card, indent=2) + "\n").encode())
    return numbers


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically: no other process ever sees an incomplete file."""
    # the name is random, because another machine can write to the same folder at the same time
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with open(beside, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def read(name: Path | str) -> Checkpoint:
    """Read a checkpoint. Raises CheckpointError if the weights do not match the model card, or if this version of
    carc_env cannot use the checkpoint.
    """
    numbers, card_path = paths(name)
    card = read_card(card_path)
    data = read_bytes(numbers)
    if hashlib.sha256(data).hexdigest() != card.sha256:
        raise CheckpointError(
            f"{numbers} was truncated or changed: its SHA-256 differs from the SHA-256 in the model card"
        )
    try:
        tensors = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(f"{numbers} is not a safetensors file: {error}") from None
    for key, array in tensors.items():
        if array.dtype.kind != "f" or not (np.abs(array) <= LIMIT).all():
            raise CheckpointError(f"{numbers}: {brief(key)} should contain only finite float32 numbers")
    return Checkpoint(numbers, card, tensors)


def read_card(path: Path) -> Card:
    """Read a model card. Raises CheckpointError if the model card is invalid."""
    text = read_bytes(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is not JSON: {error}") from None
    if isinstance(data, dict) and data.get("carc_env") != FORMAT:  # other formats may have other keys
        raise CheckpointError(
            f"{path} has checkpoint format {data.get('carc_env')!r}; this version of carc_env reads only format {FORMAT}"
        )
    kinds = {entry.name: TYPES[entry.type] for entry in fields(Card)}
    check_fields(
        data,
        {name: kind for name, kind in kinds.items() if name != "valid_for"},
        kinds,
        f"{path}: the card",
        CheckpointError,
    )
    card, wanted = Card(**data), layout_hash("candidates")
    if card.layout_hash != wanted:  # with another layout, the rest of the card may have another meaning
        raise CheckpointError(
            f"{path} was trained with another layout of candidates: its layout hash is {card.layout_hash:.40}, but the "
            f"hash of this version of carc_env is {wanted}"
        )
    if not 1 <= card.rows <= MAX_ANSWERS:
        raise CheckpointError(f"{path}: rows = {brief(card.rows)}: should be from 1 to {MAX_ANSWERS}")
    try:
        GameConfig.from_dict(card.config)
    except ConfigError as error:
        raise CheckpointError(f"{path}: config: {error}") from None
    prices_from_dict(card.prices, path)
    return card


TYPES: dict[Any, Any] = {
    str: str,
    int: int,
    float: (int, float),
    dict[str, Any]: dict,
    dict[str, str]: dict,
    dict[str, float]: dict,
    list[dict[str, Any]]: list,
    str | None: (str, type(None)),
}


def read_bytes(path: Path) -> bytes:
    """Return the content of a checkpoint's file. Raises CheckpointError if the file cannot be read."""
    try:
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST:
            return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from None
    wrong = (
        f"has {found.st_size:,} bytes; at most {LARGEST:,} are read" if stat.S_ISREG(found.st_mode) else "is not a file"
    )
    raise CheckpointError(f"{path}: {wrong}")


# --- heuristic weights ------------------------------------------------------------------------------------------------
def prices_to_dict(prices: np.ndarray | None = None) -> dict[str, float]:
    """Return a bot's heuristic weights as a dict from names to numbers. By default, the weights of `greedy` are
    returned.

    `prices` is an array with one record of the dtype PRICES. The key `part_<name>` holds the weight of the heuristic
    estimate `<name>` (a member of `prospect_parts.Part`). The bot `keen` also has the weights `early_<name>` and
    `hands_<number>`. The weight `early_<name>` is added to `part_<name>`. The weight `hands_<number>` holds the
    additional points for a player with `<number>` followers in supply. The effect of the weights `early_<name>` and
    `hands_<number>` shrinks to 0 in the last turns of a game. If all weights `early_<name>` and `hands_<number>` are 0,
    the dict does not contain them.
    """
    prices = (default_prices() if prices is None else prices)[0]
    found = {f"part_{part.name.lower()}": float(prices["parts"][part]) for part in Part}
    found |= {name: float(prices[name]) for name in SINGLE}
    if any(prices[name].any() for name in OF_KEEN):
        found |= {f"early_{part.name.lower()}": float(prices["early"][part]) for part in Part}
        found |= {f"hands_{number}": float(prices["hands"][number]) for number in range(MOST_HELD + 1)}
    return found


def prices_from_dict(prices: dict[str, float], path: Path) -> np.ndarray:
    """Convert a dict of heuristic weights to an array with one record of the dtype PRICES. Raises CheckpointError if a
    weight is missing, unknown or not a finite number. The error message begins with `path`.
    """
    found, wanted = default_prices(), prices_to_dict()
    if not set(wanted) <= set(prices) or set(prices) - set(wanted) not in (set(), ONLY_KEEN):
        raise CheckpointError(f"{path}: the heuristic weights ('prices') should have the names {', '.join(wanted)}")
    for name, value in prices.items():
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise CheckpointError(f"{path}: the heuristic weight {name} is {brief(value)}, which is not a number")
        if not abs(value) <= LIMIT:
            raise CheckpointError(
                f"{path}: the heuristic weight {name} is {brief(value)}, which is not finite in float32"
            )
        kind, _, which = name.partition("_")
        if kind in TABLES:
            found[0][TABLES[kind]][int(which) if kind == "hands" else Part[which.upper()]] = value
        else:
            found[0][name] = value
    return found
