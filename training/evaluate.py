"""How strong is a bot? `python -m training.evaluate A --against B --pairs 1000 --preset goldmines`.

The same match as `carc match A B`, and the same figures with `--json`: seat-swapped pairs of games on the same decks.
"""

import argparse
import sys
from collections.abc import Sequence

from carc_env import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Play the match. Returns the exit status of `carc match`."""
    parser = argparse.ArgumentParser("python -m training.evaluate", description="Let two bots play pairs of games.")
    parser.add_argument("a", metavar="A", help="a bot: random, greedy, ppo, ppo:CHECKPOINT, or MODULE:CLASS")
    parser.add_argument("--against", required=True, metavar="B", help="another one")
    parser.add_argument("--pairs", default="1000", metavar="N", help="how many decks (1000)")
    parser.add_argument("--preset", default="goldmines", metavar="P", help="what is played (goldmines)")
    parser.add_argument("--seed", default="0", metavar="S", help="the first deck's seed (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args(argv)
    return cli.main(["match", asked.a, asked.against, "--pairs", asked.pairs, "--preset", asked.preset,
                     f"--seed={asked.seed}", *["--json"] * asked.json])


if __name__ == "__main__":
    sys.exit(main())
