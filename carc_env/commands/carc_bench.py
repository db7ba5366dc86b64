"""The command `carc bench`, which measures the speed of carc_env on this machine."""

import argparse
import json
import sys

from carc_env.commands.shared import Command, complain
from carc_env.common.exit_status import GOOD, WRONG_USAGE


def add(command: Command) -> None:
    """Add `carc bench`."""
    bench = command(
        "bench", run, "measure the speed of the engine, the environments and the search on this machine", "the results"
    )
    bench.add_argument(
        "prefixes",
        metavar="PREFIX",
        nargs="*",
        help="run only the measurements whose names begin with PREFIX, such as engine.base",
    )
    bench.add_argument(
        "--compare", action="store_true", help="mark results that are more than 15 %% worse than the package's baseline"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc bench`. Print a line after each measurement. With --json, print one JSON object at the end instead."""
    from carc_env.commands.bench import baseline, has_fallen, measure, names, unit

    unknown = [prefix for prefix in arguments.prefixes if not any(name.startswith(prefix) for name in names())]
    if unknown:
        return complain(
            f"no result has a name that begins with {unknown[0]!r}; the names are {', '.join(names())}", WRONG_USAGE
        )
    measured, before = {}, baseline() if arguments.compare else {}
    for name, value in measure(arguments.prefixes):
        measured[name] = value
        line = f"{name:36} {value:>14,.{0 if value >= 100 else 3}f}  {unit(name)}"
        if name in before:
            line = f"{line:64} {value / before[name]:6.0%} of the baseline"
            line += "  FALLEN" if has_fallen(name, value, before[name]) else ""
        if not arguments.json:
            print(line, flush=True)
        elif line.endswith("FALLEN"):
            print(line, file=sys.stderr)
    if arguments.json:
        print(json.dumps(measured))
    return GOOD
