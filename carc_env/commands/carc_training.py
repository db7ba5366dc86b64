"""The commands of the package `training`: `carc train`, `carc evaluate` and `carc benchmark`."""

from functools import partial

from carc_env.commands import find_training
from carc_env.commands.shared import Command, Parser

ABOUT = {
    "train": "train an agent and measure its strength; needs the extra `train`",
    "evaluate": "measure the strength of a bot against another bot, as `carc train` does after the training",
    "benchmark": "train an algorithm on a task with several seeds, and measure the results. See docs/benchmark.md",
}


def add(command: Command) -> None:
    """Add the commands of the package `training`. The package `training` contains the parsers for the options of these
    commands.
    """
    for name, about in ABOUT.items():
        command(name, None, about, "").reader = partial(parser, name)


def parser(command: str) -> Parser:
    """Return the argument parser of a command of the package `training`."""
    found: Parser = find_training.module(command).parser(f"carc {command}")
    return found
