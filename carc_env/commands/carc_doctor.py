"""The command `carc doctor`, which prints what is installed, what is compiled, and whether everything works."""

import argparse
import json
import sys

from carc_env.commands.shared import Command
from carc_env.common.exit_status import GOOD


def add(command: Command) -> None:
    """Add `carc doctor`."""
    doctor = command(
        "doctor",
        run,
        "show the installed versions, the compiled code and its cache, and the duration of single calls",
        "the results",
    )
    doctor.add_argument(
        "--compile",
        action="store_true",
        help="compile the rules for all presets now, so that later commands do not have to compile them. The code of "
        "the search bots is not compiled",
    )
    doctor.add_argument(
        "--clean", action="store_true", help="first remove the code that was compiled from other source versions"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc doctor`. Code is compiled only if --compile is given."""
    from carc_env.commands.doctor import clean, findings, report

    if arguments.clean:
        print(clean(), file=sys.stderr)
    found = findings(arguments.compile)
    print(json.dumps(found) if arguments.json else report(found))
    return GOOD
