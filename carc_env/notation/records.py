"""Checks whether game records have the correct form, and converts records to bytes. The records can come from any
source. The module does not play the recorded games.

A record that passes `check_record` has the right keys and types. To check that the game of the record can be played,
use `carc_env.replay`.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

from carc_env.common.arguments import Kinds, as_seed, brief, check_fields
from carc_env.common.errors import RecordError

FORMAT = 1  # the version of the format of game records
MAGIC = b"carc_env game 1\n"  # the first line of every game record in bytes
DIGEST = hashlib.sha256().digest_size
MOST_BYTES = (
    2**22
)  # the maximum number of bytes, packed or unpacked; records without a user's map sheet have fewer than 2**17 bytes
KEYS: dict[str, Kinds] = {
    "carc_env": int,
    "config": (dict, str),
    "seed": (int, type(None)),
    "deck": list,
    "chips": list,
    "german_castles": list,
    "starts": list,
    "moves": list,
    "scores": list,
    "names": list,
    "forfeit": int,
}
REQUIRED_KEYS = ("carc_env", "config", "deck", "moves")
ENTRIES: dict[str, tuple[type, str]] = {
    "deck": (str, "a deck is a list of tile ids"),
    "moves": (str, "moves are strings such as 'pass'"),
    "starts": (list, "start tiles are lists [tile, x, y, rotation]"),
    "chips": (list, "chips are lists [x, y, colour, value]"),
    "german_castles": (list, "each player's castle tiles are a list of tile ids"),
    "scores": (int, "scores are whole numbers"),
    "names": (str, "names of players are strings"),
}


def check_record(record: Any) -> None:
    """Check that a game record has the right keys, and that their values have the right types. Raises RecordError."""
    check_format(record)
    check_fields(record, {key: KEYS[key] for key in REQUIRED_KEYS}, KEYS, "the record", RecordError)
    if record.get("seed") is not None:
        _check_seed(record["seed"])
    for key in ENTRIES.keys() & record.keys():
        _check_entries(key, record[key])


def check_format(record: Any) -> None:
    """Check the version of the format of a game record or position. Call this function before other checks, because the
    keys can differ between versions. Raises RecordError.
    """
    version = record.get("carc_env") if isinstance(record, Mapping) else None
    if type(version) is int and version != FORMAT:
        raise RecordError(f"carc_env = {brief(version)}, but this version reads format {FORMAT}")


def _check_seed(seed: int) -> None:
    try:
        as_seed(seed)
    except ValueError as error:
        raise RecordError(f"record: {error}") from None


def _check_entries(key: str, values: list[Any]) -> None:
    kind, meaning = ENTRIES[key]
    for place, value in enumerate(values):
        if not isinstance(value, kind) or isinstance(value, bool):
            raise RecordError(f"{key}[{place}] = {brief(value)}: {meaning}")


# --- bytes ------------------------------------------------------------------------------------------------------------
def write_bytes(record: Mapping[str, Any]) -> bytes:
    """Convert a record to compressed bytes with a checksum."""
    payload = zlib.compress(json.dumps(record).encode())
    return MAGIC + hashlib.sha256(payload).digest() + payload


def read_bytes(data: bytes | bytearray | memoryview) -> Any:
    """Read a record from bytes that `write_bytes` returned. The caller should check the record with `check_record`.
    Raises RecordError.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise RecordError(f"a game should be given as bytes, not as {brief(data)}")
    if memoryview(data).nbytes > MOST_BYTES:
        raise RecordError(f"{memoryview(data).nbytes} bytes are too many for a game; the maximum is {MOST_BYTES}")
    data = bytes(data)
    if not data.startswith(MAGIC):
        raise RecordError(
            f"these bytes are not a game of carc_env: the first line should be {MAGIC.decode().strip()!r}"
        )
    digest, payload = data[len(MAGIC) :][:DIGEST], data[len(MAGIC) + DIGEST :]
    if hashlib.sha256(payload).digest() != digest:
        raise RecordError("the bytes of this game were truncated or changed: the checksum is wrong")
    return _unpacked(payload)


def _unpacked(payload: bytes) -> Any:
    """Decompress and parse the content, and check that it has at most MOST_BYTES bytes. Raises RecordError."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(payload, MOST_BYTES)
        if unpacking.unconsumed_tail:
            raise RecordError(f"these bytes unpack to more than {MOST_BYTES} bytes, but no game is that long")
        if not unpacking.eof or unpacking.unused_data:
            raise RecordError(
                "these bytes are not a game of carc_env: the compressed data are cut off, or extra bytes follow"
            )
        return json.loads(text.decode("utf-8"))
    except zlib.error as error:
        raise RecordError(f"these bytes are not a game of carc_env: they cannot be unpacked: {error}") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"these bytes are not a game of carc_env: they do not contain text: {error}") from None
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError(f"these bytes are not a game of carc_env: they do not contain JSON: {error}") from None
