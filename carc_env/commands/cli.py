"""The command `carc`. Each subcommand has a module in this package, such as `carc_match` for `carc match`.

The exit status is 0 for success, 1 for failure, 2 for an invalid command line and 130 for an interruption. An error is
reported in one line on standard error.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from carc_env import __version__
from carc_env.commands import (
    carc_bench,
    carc_bot,
    carc_check,
    carc_dataset,
    carc_doctor,
    carc_ladder,
    carc_match,
    carc_play,
    carc_puzzles,
    carc_replay,
    carc_selfplay,
    carc_serve,
    carc_training,
    carc_watch,
)
from carc_env.commands.shared import Parser, complain, positive
from carc_env.common.exit_status import FAILED, INTERRUPTED, WRONG_USAGE

__all__ = ["Parser", "main", "parser", "positive"]

# the modules of the subcommands, in the order of `carc --help`
MODULES = (
    carc_match,
    carc_ladder,
    carc_play,
    carc_watch,
    carc_serve,
    carc_replay,
    carc_dataset,
    carc_check,
    carc_selfplay,
    carc_puzzles,
    carc_bench,
    carc_bot,
    carc_training,
    carc_doctor,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status. For --help and for invalid arguments, argparse raises SystemExit."""
    try:
        arguments = parser().parse_args(argv)
        status: int = arguments.run(arguments)
        sys.stdout.flush()  # raises BrokenPipeError if the reader of the output has closed the pipe
        return status
    except BrokenPipeError:  # the program that reads the output, such as head, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except MemoryError:
        return complain("there is not enough memory", FAILED)
    except (OSError, ImportError, BrokenExecutor) as error:  # BrokenExecutor: a worker process was killed
        return complain(error, FAILED)
    except ValueError as error:
        if not type(error).__module__.startswith("carc_env"):
            raise  # the error is a bug in the program, so the traceback is shown
        return complain(error, WRONG_USAGE if is_usage(error) else FAILED)


def is_usage(error: ValueError) -> bool:
    """Return True if the command line caused the error. Examples are an unknown bot, an unknown preset and an invalid
    seed.
    """
    from carc_env import BotError, ConfigError, CountError, SeedError
    from carc_env.common.errors import ArgumentError, PictureError, PlayerError

    return isinstance(error, (ArgumentError, BotError, ConfigError, CountError, PlayerError, SeedError, PictureError))


def parser() -> Parser:
    """Return the argument parser of `carc`."""
    carc = Parser(
        prog="carc",
        description="Carcassonne with its expansions as a reinforcement-learning environment.",
        epilog="For the options of a command, run `carc COMMAND --help`.",
    )
    carc.add_argument("--version", action="version", version=f"carc_env {__version__}")
    commands = carc.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, about: str, json_of: str, example: str = "") -> Parser:
        sub = commands.add_parser(
            name, help=about, description=about[0].upper() + about[1:] + ".", epilog=example and f"Example: {example}"
        )
        sub.set_defaults(run=run)
        if json_of:
            sub.add_argument("--json", action="store_true", help=f"print {json_of} as JSON")
        return sub

    for module in MODULES:
        module.add(command)
    return carc
