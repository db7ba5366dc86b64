"""Exit statuses of all commands: of `carc` and of those in `training`."""

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130  # 130: by Ctrl-C
