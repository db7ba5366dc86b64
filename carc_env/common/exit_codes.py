"""The exit codes of all commands."""

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
