"""The command `carc selfplay`, which writes training data."""

import argparse
import json
from pathlib import Path

from carc_env.commands.shared import Command, Parser, add_crew, add_preset, complain, count, positive, what_is_played
from carc_env.common.exit_status import GOOD, INTERRUPTED


def add(command: Command) -> None:
    """Add `carc selfplay`."""
    selfplay = command(
        "selfplay",
        run,
        "let a bot play against itself, and write training data as Parquet files. See docs/data.md",
        "a summary of the data",
        "carc selfplay learned --preset base --games 10000 --workers 2",
    )
    selfplay.add_argument(
        "bot",
        metavar="BOT",
        nargs="?",
        default="keen",
        help="the bot that plays against itself: greedy, keen, learned or learned:CHECKPOINT (default: keen)",
    )
    add_preset(selfplay)
    selfplay.add_argument(
        "--games", type=positive, default=10_000, metavar="N", help="the number of games (default: 10000)"
    )
    selfplay.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the first game (default: 0)")
    add_notes(selfplay)
    selfplay.add_argument(
        "--out", metavar="DIR", help="the folder for the Parquet files (default: runs/selfplay/PRESET)"
    )
    add_crew(selfplay)


def add_notes(selfplay: Parser) -> None:
    """Add the options for the content of the Parquet files."""
    selfplay.add_argument(
        "--note",
        choices=("tables", "answers", "comparisons"),
        default="tables",
        help="the content of each row of the files (default: tables). With tables, a row holds a position and the "
        "final margin of its game. With answers, a row holds a legal action and its value. With comparisons, a row "
        "holds the position after a good action, and the final margin as estimated by rollouts from this position",
    )
    selfplay.add_argument(
        "--stacks",
        type=count,
        default=12,
        metavar="N",
        help="with --note answers or comparisons: the number of reshuffled stacks on which rollouts compare "
        "promising actions (default: 12). With `--note answers --stacks 0`, there are no rollouts, and the bot's "
        "heuristic values are noted",
    )
    selfplay.add_argument(
        "--errors",
        type=count,
        default=80,
        metavar="N",
        help="choose randomly among the good actions at N of 1,000 decisions, on average (default: 80)",
    )
    selfplay.add_argument(
        "--every",
        type=positive,
        default=4,
        metavar="N",
        help="with --note tables or comparisons: record only every Nth tile placement (default: 4)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc selfplay`. If the command is interrupted, the finished files are kept, and the next run writes only the
    missing files.
    """
    from carc_env.arena.noted_answers import Answers
    from carc_env.arena.noted_comparisons import Comparisons
    from carc_env.arena.noted_tables import Tables
    from carc_env.arena.shards import Notes, prices_of, write_shards
    from carc_env.common.progress import progress
    from carc_env.setup.config import as_config

    config = as_config(what_is_played(arguments.preset, None))
    folder = Path(arguments.out or Path("runs", "selfplay", Path(arguments.preset).stem))
    prices = prices_of(arguments.bot, config)
    errors, every, stacks = arguments.errors, arguments.every, arguments.stacks
    notes: Notes
    if arguments.note == "tables":
        notes = Tables(config, prices, errors, every=every)
    elif arguments.note == "answers":
        notes = Answers(config, prices, stacks, errors=errors)
    else:
        notes = Comparisons(config, prices, stacks, every=every, errors=errors)
    done = 0
    with progress() as show:

        def tell(games: int, total: int) -> None:
            nonlocal done
            done = games
            show("games", games, total)

        try:
            paths = write_shards(
                folder, notes, arguments.games, arguments.seed, arguments.workers, tell, arguments.backend,
                arguments.address,
            )  # fmt: skip
        except KeyboardInterrupt:
            return complain(
                f"interrupted after {done} of {arguments.games} games; the same command continues the run", INTERRUPTED
            )
    told = {"folder": str(folder), "games": arguments.games, "shards": len(paths)}
    print(json.dumps(told) if arguments.json else f"{folder}: {arguments.games:,} games in {len(paths)} shards")
    return GOOD
