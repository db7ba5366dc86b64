"""Checks other processes, for tests."""

import os
from pathlib import Path


def is_running(pid: int) -> bool:
    """Return True if a process runs. A process that has ended may still be listed until its parent asks for its status;
    such a process does not run.
    """
    try:
        os.kill(pid, 0)
        return not (status := Path(f"/proc/{pid}/status")).exists() or "State:\tZ" not in status.read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
