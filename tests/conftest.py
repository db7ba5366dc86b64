"""What all tests share: the line that says in which of the three modes they run."""

from tests import modes

SAMPLES = "samples of the random games"
RULES = {
    "checked": "compiled, array bounds checked",
    "compiled": f"compiled, array bounds not checked; {SAMPLES}",
    "uncompiled": f"not compiled; {SAMPLES}",
}


def pytest_terminal_summary(terminalreporter) -> None:
    """The mode, so that a log tells what was tested."""
    terminalreporter.write_line(f"rules: {RULES[modes.NAME]}")
