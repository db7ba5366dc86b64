"""What all tests share: nothing is told of compiling, and a line says in which of the three modes they run."""

import os

os.environ.setdefault("CARC_ENV_QUIET", "1")  # a command that says nothing on standard error may still have to compile


def pytest_report_header() -> str:
    """The mode, so that a log tells what was tested."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return "rules: not compiled"
    checked = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    return f"rules: compiled, array bounds {'checked' if checked else 'not checked'}"
