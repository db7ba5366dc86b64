"""The command `carc dataset`, which writes games of bots as a Minari data set."""

import argparse
import json
from dataclasses import asdict

from carc_env.commands.shared import Command, Parser, add_preset, complain, positive
from carc_env.common.exit_status import GOOD, INTERRUPTED


def add(command: Command) -> None:
    """Add `carc dataset`."""
    dataset = command(
        "dataset",
        run,
        "let bots play games, and write these games as a Minari data set. See docs/data.md",
        "a summary of the data",
        "carc dataset greedy --preset base --games 500 --observation candidates",
    )
    dataset.add_argument(
        "players",
        metavar="PLAYER",
        nargs="*",
        help="one bot for all seats, or one bot for each seat, as in `carc match` (default: greedy)",
    )
    add_preset(dataset)
    add_what_is_observed(dataset)
    dataset.add_argument("--games", type=positive, default=100, metavar="N", help="the number of games (default: 100)")
    dataset.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the first game (default: 0)")
    dataset.add_argument(
        "--name", metavar="NAME", help="the name of the data set including its version, such as goldmines-greedy-v0"
    )
    dataset.add_argument(
        "--out",
        metavar="DIR",
        help="the folder for all data sets (default: Minari's folder). The command creates a subfolder for the new"
        " data set",
    )
    dataset.add_argument(
        "--record", metavar="FILE", help="also append the record of every game to this file, one record per line"
    )


def add_what_is_observed(dataset: Parser) -> None:
    """Add the options of `carc dataset` for observations and rewards."""
    dataset.add_argument(
        "--observation",
        default="planes",
        metavar="O",
        help="the observation: planes, candidates or both (default: planes)",
    )
    dataset.add_argument(
        "--spaces",
        default="game",
        metavar="S",
        help="the observation and action spaces: game or common (default: game). The game spaces contain only "
        "the planes, global features and actions that this configuration can use. The common spaces contain the "
        "planes, global features and actions that any game with this table size can use",
    )
    dataset.add_argument(
        "--reward",
        default="margin",
        metavar="R",
        help="the reward: margin, outcome or potential, as in the environments (default: margin)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc dataset`. If the command is interrupted, the data set is valid and contains the games played so far."""
    from carc_env.arena.dataset import Written, write
    from carc_env.common.progress import progress

    so_far: list[Written] = []
    status = GOOD
    with progress() as show:

        def keep(written: Written) -> None:
            so_far[:] = [written]
            show(f"games, {written.megabytes:.1f} MB", written.games, arguments.games)

        show("games", 0, arguments.games)
        try:
            write(
                arguments.players or ["greedy"],
                arguments.preset,
                arguments.games,
                arguments.seed,
                arguments.observation,
                arguments.reward,
                arguments.name,
                arguments.out,
                keep,
                arguments.record,
                arguments.spaces,
            )
        except KeyboardInterrupt:
            status = INTERRUPTED
    if status == INTERRUPTED:
        complain(f"interrupted after {so_far[0].games if so_far else 0} of {arguments.games} games", status)
    for written in so_far:
        print(
            json.dumps(asdict(written))
            if arguments.json
            else f"{written.name}: {written.games} games, {written.episodes} episodes, {written.steps} steps, "
            f"{written.megabytes:.1f} MB in {written.path}"
        )
    return status
