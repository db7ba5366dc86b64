"""The command `carc ladder`, which rates bots on one scale."""

import argparse
import json
import sys
from pathlib import Path

from carc_env.commands.shared import (
    Command,
    add_crew,
    add_players,
    add_preset,
    complain,
    error_rate,
    positive,
    what_is_played,
)
from carc_env.common.exit_status import GOOD, INTERRUPTED


def add(command: Command) -> None:
    """Add `carc ladder`."""
    ladder = command(
        "ladder",
        run,
        "let bots play matches against each other, and rate the bots on one scale. If a run was interrupted, the same "
        "command continues it. See docs/ladder.md",
        "the ladder",
        "carc ladder random greedy ppo --preset base --pairs 50",
    )
    ladder.add_argument(
        "specs",
        metavar="SPEC",
        nargs="+",
        help="a bot, as in `carc match`. With --neighbours, list the bots from the weakest to the strongest",
    )
    add_preset(ladder)
    add_players(ladder)
    ladder.add_argument(
        "--pairs",
        type=positive,
        default=100,
        metavar="N",
        help="the number of pairs of games in each match between two bots (default: 100)",
    )
    ladder.add_argument(
        "--until",
        type=error_rate,
        metavar="E",
        help="end the match of two bots as soon as a sequential test finds the better bot. E is the test's "
        "probability of error, such as 0.05",
    )
    ladder.add_argument(
        "--neighbours",
        type=positive,
        metavar="K",
        help="let each bot play only against the K bots before it and the K bots after it in the list (default: "
        "against all bots)",
    )
    ladder.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the shuffled stacks (default: 0)")
    ladder.add_argument("--out", metavar="DIR", help="the folder of the ladder (default: runs/ladder/PRESET[-PLAYERS])")
    add_crew(ladder)


def run(arguments: argparse.Namespace) -> int:
    """Run `carc ladder`. The results are saved after each chunk of a few pairs of games, so the command can be
    interrupted at any time.
    """
    from carc_env.arena import ladder_tables
    from carc_env.arena.ladder import play_ladder
    from carc_env.common.progress import progress

    table = Path(arguments.preset).stem + ("" if arguments.players is None else f"-{arguments.players}")
    folder = Path(arguments.out or Path("runs", "ladder", table))
    so_far = [0, 0]
    with progress() as show:

        def tell(done: int, total: int) -> None:
            so_far[:] = [done, total]
            show("pairs", done, total)

        try:
            found = play_ladder(
                arguments.specs,
                what_is_played(arguments.preset, arguments.players),
                arguments.pairs,
                arguments.seed,
                arguments.until,
                arguments.neighbours,
                arguments.workers,
                folder,
                tell,
                arguments.preset,
                arguments.backend,
                arguments.address,
            )
        except KeyboardInterrupt:
            return complain(
                "interrupted after {} of {} pairs; the same command continues the run".format(*so_far), INTERRUPTED
            )
    ladder_tables.write(found, folder)
    print(json.dumps(found.to_dict()) if arguments.json else ladder_tables.text_table(found))
    print(f"carc: wrote ladder.json, ladder.md and ladder.svg to {folder}", file=sys.stderr)
    return GOOD
