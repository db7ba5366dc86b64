"""Appends game records to a file, with one JSON object per line."""

import json
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import RecordError


class Recorder:
    """Appends game records to a file, one line for each record. If the process is killed, or if the disk is full, the
    last line may be incomplete. All earlier lines stay valid.

    Earlier content of the file is kept. Use the class in a `with` block. Raises RecordError for a file that cannot be
    written, or whose content does not begin like a game record.
    """

    def __init__(self, path: os.PathLike[str] | str):
        if not isinstance(path, (str, os.PathLike)):
            raise RecordError(f"the target of game records should be a file or a function, not {brief(path)}")
        self.path, self.games = path, 0
        try:
            if not _may_be_records(path):
                raise RecordError(f"{path}: this file does not contain game records; choose another file")
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - stays open until close()
            self._rest = b"\n" if _ends_within_a_line(path) else b""
        except RecordError:
            raise
        except (OSError, ValueError) as error:
            raise self._complaint(error) from None

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Add one record."""
        line = self._rest + json.dumps(record).encode() + b"\n"
        try:
            # on a full disk, or after a signal, one call of `write` may leave the end of the line unwritten
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise self._complaint(error) from None
        self._rest, self.games = b"", self.games + 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _complaint(self, error: Exception) -> RecordError:
        return RecordError(f"{self.path}: {getattr(error, 'strerror', None) or error}")

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _may_be_records(path: os.PathLike[str] | str) -> bool:
    """False if the file has content that does not begin like a game record. `Recorder` adds nothing to such a file."""
    if not os.path.isfile(path):
        return True
    with open(path, "rb") as file:
        return file.read(1000).lstrip()[:1] in (b"", b"{")


def _ends_within_a_line(path: os.PathLike[str] | str) -> bool:
    """True if a line break must be written before the next record, because the file does not end with a line break."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"
