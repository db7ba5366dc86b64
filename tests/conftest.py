"""What all tests share: nothing is told of compiling, and a line says in which of the three modes they run."""

import os
import signal

from tests import modes

SAMPLES = "samples of the random games"
RULES = {
    "checked": f"compiled, array bounds checked; {SAMPLES}",
    "compiled": "compiled, array bounds not checked",
    "uncompiled": f"not compiled; {SAMPLES}",
}

# in the background of a shell tests, and what they start, would not hear Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("CARC_ENV_QUIET", "1")  # a command that says nothing on standard error may still have to compile
if modes.NAME == "compiled":
    modes.play_rare_boxes_on_one_size()


def pytest_terminal_summary(terminalreporter) -> None:
    """The mode, so that a log tells what was tested."""
    terminalreporter.write_line(f"rules: {RULES[modes.NAME]}")
