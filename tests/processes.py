"""Looks at other processes, for tests."""

import os
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that has ended may still be listed until somebody asks for its status."""
    try:
        os.kill(pid, 0)
        return not (status := Path(f"/proc/{pid}/status")).exists() or "State:\tZ" not in status.read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
