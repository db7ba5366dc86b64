"""The command `carc bot`, which runs a bot that speaks the bot protocol."""

import argparse
import sys

from carc_env.commands.shared import Command
from carc_env.common.exit_status import GOOD


def add(command: Command) -> None:
    """Add `carc bot`."""
    bot = command(
        "bot",
        run,
        "run a bot that speaks the bot protocol on standard input and output. See docs/protocol.md",
        "",
        "printf 'carc\\nisready\\nquit\\n' | carc bot greedy",
    )
    bot.add_argument(
        "spec",
        metavar="SPEC",
        help="the bot, such as random, greedy, keen, rollout:ms=50, mcts, ppo, ppo:CHECKPOINT or your own MODULE:CLASS",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc bot` until `quit` or the end of the input."""
    from carc_env.arena.protocol import serve

    serve(arguments.spec, sys.stdin.buffer, sys.stdout.buffer)
    return GOOD
