"""Measure the strength of a bot: `python -m training.evaluate A --against B --pairs 1000 --preset goldmines`.

The command plays the same match as `carc match A B` and prints the same output. A match consists of pairs of games.
Both games of a pair have the same tile stack, and each bot plays first in one of the two games.
"""

import argparse
import sys
from collections.abc import Sequence

from carc_env.commands import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Play the match. Returns the exit status of `carc match`."""
    return start(parser().parse_args(argv))


def parser(command: str = "python -m training.evaluate") -> cli.Parser:
    """Return the argument parser. The parser's messages show `command` as the name of the program."""
    found = cli.Parser(command, description="Let two bots play pairs of games.")
    found.set_defaults(run=start)
    found.add_argument(
        "a", metavar="A", help="a bot: random, greedy, keen, rollout:ms=50, mcts, ppo, ppo:CHECKPOINT, or MODULE:CLASS"
    )
    found.add_argument("--against", required=True, metavar="B", help="the bot to play against")
    found.add_argument("--pairs", default="1000", metavar="N", help="the number of pairs of games (1000)")
    found.add_argument("--preset", default="goldmines", metavar="P", help="the preset or configuration (goldmines)")
    found.add_argument("--seed", default="0", metavar="S", help="the seed of the first deck (0)")
    found.add_argument("--json", action="store_true", help="print the result as JSON")
    return found


def start(asked: argparse.Namespace) -> int:
    """Play the match with the parsed arguments. Returns the exit status."""
    return cli.main(
        [
            "match",
            asked.a,
            asked.against,
            "--pairs",
            asked.pairs,
            "--preset",
            asked.preset,
            f"--seed={asked.seed}",
            *["--json"] * asked.json,
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
