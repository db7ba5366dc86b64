"""Coverage-guided fuzzing with atheris: the functions that read records and checkpoints get bytes that reach ever more
of their lines. Any exception other than a clear error of carc_env ends the run.

    python -m tests.guided record --seconds 3600
    python -m tests.guided checkpoint --seconds 3600

An input of `record` begins with a byte that says how the rest is wrapped; an input of `checkpoint` begins with the
length of the card. Most inputs get the right checksum, so that a wrong checksum does not hide the rest from the reader.
A finding is written to the folder (`--folder`), and `python -m tests.guided record FILE` tries it alone. Inputs that
reached new lines are kept in the folder, and the next run begins with them.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType

from carc_env import replay
from carc_env.bots import checkpoint
from carc_env.common.errors import CarcError
from carc_env.notation import records
from carc_env.rules.state import MAX_SIZE, MIN_SIZE
from carc_env.setup.config import TABLE_SIZES
from tests.fuzz import check_error
from tests.fuzz_inputs import good_records

ROOMS = ("bots.checkpoint", "notation", "setup", "common", "games", "boxes")  # of carc_env: their lines are measured
FOLDER = Path("runs/guided")
SIZES = tuple(size for size, _ in TABLE_SIZES)
LENGTH = 4  # bytes that give the length of the card
LONGEST = 1 << 16  # bytes of an input at most


# --- trying an input --------------------------------------------------------------------------------------------------
def try_record(data: bytes) -> None:
    """Read a record: from JSON, from bytes behind the right checksum (perhaps compressed), or from the bytes as they
    are.
    """
    way, rest = data[:1], data[1:]
    try:
        record = as_json(rest) if way == b"j" else records.read_bytes(WRAPPED.get(way, bytes)(rest))
        replay(on_usual_table(record))
    except CarcError as error:
        check_error(error)


def on_usual_table(record: object) -> object:
    """Return the record. If it names an unusual but allowed table size, the size is replaced by a usual one, because
    the rules are compiled for each further size, which takes a minute and much memory.
    """
    config = record.get("config") if isinstance(record, dict) else None
    size = config.get("table_size") if isinstance(config, dict) else None
    if size in range(MIN_SIZE, MAX_SIZE + 1) and size not in SIZES:
        return record | {"config": config | {"table_size": SIZES[0]}}
    return record


def packed(payload: bytes) -> bytes:
    """Return the payload behind the magic bytes and the right checksum."""
    return records.MAGIC + hashlib.sha256(payload).digest() + payload


def as_json(text: bytes) -> object:
    """Return the value of a JSON text, or the text itself if it is not valid JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


WRAPPED: dict[bytes, Callable[[bytes], bytes]] = {b"c": packed, b"z": lambda text: packed(zlib.compress(text))}


def try_checkpoint(data: bytes) -> None:
    """Read a checkpoint. If its card is a JSON object with a checksum, the checksum is corrected first."""
    cut = LENGTH + int.from_bytes(data[:LENGTH], "little")
    card, numbers = data[LENGTH:cut], data[cut:]
    told = as_json(card)
    if isinstance(told, dict) and "sha256" in told:
        card = json.dumps(told | {"sha256": hashlib.sha256(numbers).hexdigest()}).encode()
    with tempfile.TemporaryDirectory() as folder:
        numbers_path, card_path = checkpoint.paths(Path(folder) / "agent")
        numbers_path.write_bytes(numbers)
        card_path.write_bytes(card)
        try:
            checkpoint.read(numbers_path)
        except CarcError as error:
            check_error(error)


# --- the first inputs -------------------------------------------------------------------------------------------------
def record_seeds() -> list[bytes]:
    """Return the first inputs for `record`: valid records, together wrapped in each way."""
    some = [json.dumps(record).encode() for record in good_records()]
    return [b"j" + text for text in some] + [b"z" + some[0], b"c" + zlib.compress(some[1]), b"r" + packed(some[2])]


def checkpoint_seeds() -> list[bytes]:
    """Return the first inputs for `checkpoint`: the card of a shipped agent with an empty file of weights, with a file
    that lists no weights, and with its own weights.
    """
    numbers, card = (path.read_bytes() for path in checkpoint.paths(checkpoint.shipped("base-values")))
    few = (2).to_bytes(8, "little") + b"{}"
    return [len(card).to_bytes(LENGTH, "little") + card + tail for tail in (b"", few, numbers)]


TARGETS = {"record": (try_record, record_seeds), "checkpoint": (try_checkpoint, checkpoint_seeds)}


def readers() -> Iterator[FunctionType]:
    """Yield the functions whose lines are measured: the plain Python functions of ROOMS."""
    modules = [module for name, module in sys.modules.items() if name.startswith(tuple(f"carc_env.{r}" for r in ROOMS))]
    for module in modules:
        classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
        for thing in (module, *classes):
            for function in list(vars(thing).values()):
                if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                    yield function


# --- the command ------------------------------------------------------------------------------------------------------
def main() -> None:
    """Read the command line and fuzz; atheris ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.guided", description="Fuzz readers, guided by coverage.")
    parser.add_argument("target", choices=TARGETS, help="what reads")
    parser.add_argument("file", nargs="?", type=Path, help="one input, tried alone")
    parser.add_argument("--seconds", type=int, default=60, metavar="S", help="how long (60)")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="DIR", help=f"of inputs and findings ({FOLDER})")
    asked = parser.parse_args()
    target, seeds = TARGETS[asked.target]
    if asked.file:
        target(asked.file.read_bytes())
        print(f"{asked.file}: one clear error, or a good {asked.target}")
        return
    import atheris

    inputs = asked.folder / asked.target
    inputs.mkdir(parents=True, exist_ok=True)
    for seed in seeds():
        (inputs / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    for function in readers():
        atheris.instrument_func(function)
    limits = [f"-max_total_time={asked.seconds}", f"-max_len={LONGEST}", f"-artifact_prefix={asked.folder}/finding-"]
    atheris.Setup([sys.argv[0], *limits, str(inputs)], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
