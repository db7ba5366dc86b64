"""Defines what the commands of `carc` share: the parser, functions that parse arguments, options that several commands
have, and the function that reports an error.
"""

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from carc_env.common.exit_status import WRONG_USAGE


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line. If `reader` is set, `reader()` returns a second parser, and
    this second parser parses the arguments.
    """

    reader: "Callable[[], argparse.ArgumentParser] | None" = None  # makes the second parser when needed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse a command line. If `reader` is set, the parser from `reader()` parses the whole command line."""
        return (
            super().parse_known_args(args, namespace)
            if self.reader is None
            else (self.reader().parse_args(args, namespace), [])
        )

    def error(self, message: str) -> NoReturn:
        """Report that the command line is invalid, and exit."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


Command = Callable[..., Parser]  # adds a command to `carc` and returns the command's parser


def complain(what: object, status: int) -> int:
    """Print one line on standard error. Returns the exit status."""
    print("carc:", " ".join(str(what).split()), file=sys.stderr)
    return status


def add_preset(parser: Parser) -> None:
    """Add the option for the preset."""
    parser.add_argument(
        "--preset",
        default="goldmines",
        metavar="P",
        help="a preset, or a TOML file with a configuration (default: goldmines)",
    )


def add_players(parser: Parser) -> None:
    """Add the option for the number of players."""
    parser.add_argument(
        "--players",
        type=positive,
        metavar="N",
        help="the number of players, 2 to 6 (default: as in the configuration). With 3 or more players, the two "
        "bots take alternate seats",
    )


def add_crew(parser: Parser) -> None:
    """Add the options for the worker processes."""
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="the number of processes (default: 1)")
    parser.add_argument(
        "--backend",
        choices=("loky", "dask", "ray"),
        help="distribute the games with joblib, either to processes on this machine (loky) or to a cluster (dask "
        "or ray)",
    )
    parser.add_argument(
        "--address", metavar="A", help="the address of Dask's scheduler, such as tcp://host:8786, or of Ray's head node"
    )


def tell_levels(parser: Parser) -> None:
    """Append the list of bot levels to the help text of a command."""
    from carc_env.bots import level

    parser.epilog = f"{parser.epilog}. Levels with their ratings on base: {level.all_in_words()}; greedy has 1000."


def what_is_played(preset: str, players: int | None) -> Any:
    """Return the configuration of a preset or a TOML file. If `players` is not None, the configuration is changed to
    this number of players.
    """
    from carc_env import GameConfig
    from carc_env.setup.config import as_config

    config = GameConfig.from_toml(preset) if preset.endswith(".toml") else preset
    return config if players is None else replace(as_config(config), players=players)


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    return count(text, 1)


def count(text: str, least: int = 0) -> int:
    """Parse a whole number. The argument `least` is the smallest valid number."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from {least} up")
    return number


def real(text: str) -> float:
    """Parse a real number. Any other text becomes NaN, which fails every range check."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def factor(text: str) -> float:
    """Parse a factor from 0 to 1,000,000."""
    number = real(text)
    if not 0 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number from 0 to 1000000")
    return number


def error_rate(text: str) -> float:
    """Parse a probability of error between 0 and 1."""
    number = real(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number between 0 and 1, such as 0.05")
    return number


def seconds(text: str, least: float = 0.0, most: float = 3600.0) -> float:
    """Parse a number of seconds. The arguments `least` and `most` are the limits of the valid range."""
    number = real(text)
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number of seconds from {least:g} to {most:g}")
    return number


def port(text: str) -> int:
    """Parse a port number."""
    number = count(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 0 to 65535")
    return number
