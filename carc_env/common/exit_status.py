"""Exit statuses of all commands, both those of `carc` and those of the package `training`."""

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # 130: by Ctrl-C


def ended_by(signal: int) -> int:
    """Return the exit status that shells give to a command ended by a signal."""
    return 128 + signal
