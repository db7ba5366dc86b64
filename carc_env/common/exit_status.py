"""Exit statuses of every command, both those of `carc` and those in `training`."""

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # 130: by Ctrl-C


def ended_by(signal: int) -> int:
    """The exit status of a command that a signal ended, as shells define it."""
    return 128 + signal
