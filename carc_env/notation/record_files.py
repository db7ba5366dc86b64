"""Record files: game records are added to the end of a file, one JSON object a line."""

import json
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from carc_env.common.arguments import brief
from carc_env.common.errors import RecordError


class Recorder:
    """Adds game records to a file; whole lines only, so that what was written is good whenever the process ends.

    What the file held before is kept. Use it in a `with` block. Raises RecordError for a file that cannot be written.
    """

    def __init__(self, path: os.PathLike[str] | str):
        if not isinstance(path, (str, os.PathLike)):
            raise RecordError(f"game records go to a file or to a function, not to {brief(path)}")
        self.path, self.games = path, 0
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - stays open until close()
            self._rest = b"\n" if _ends_within_a_line(path) else b""
        except (OSError, ValueError) as error:
            raise self._complaint(error) from None

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Add one record."""
        line = self._rest + json.dumps(record).encode() + b"\n"
        try:
            while line:  # a full disk or a signal may take only a part of it
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


def _ends_within_a_line(path: os.PathLike[str] | str) -> bool:
    """Whether the last line of a file has no end, so that nothing can be added to it."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"
