"""Exit statuses of `carc` commands, and of commands in the package `training`."""

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # 130: ended by Ctrl-C


def ended_by(signal: int) -> int:
    """Return the exit status that a shell reports for a command terminated by a signal."""
    return 128 + signal
