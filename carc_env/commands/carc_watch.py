"""The command `carc watch`, which shows a game between two bots in the terminal."""

import argparse

from carc_env.commands.shared import Command, add_preset, seconds


def add(command: Command) -> None:
    """Add `carc watch`."""
    watch = command(
        "watch",
        run,
        "watch a game between two bots in the terminal. The keys are + (play faster), - (play slower), the "
        "space bar (pause), . (play one move) and q (quit)",
        "",
        "carc watch greedy ppo --preset goldmines --delay 0.5",
    )
    watch.add_argument("a", metavar="A", help="the bot that plays first, as in `carc match`")
    watch.add_argument("b", metavar="B", help="another bot")
    add_preset(watch)
    watch.add_argument("--seed", type=int, metavar="S", help="the seed of the game (default: a random seed)")
    watch.add_argument(
        "--delay",
        type=seconds,
        metavar="SECONDS",
        help="the pause between two moves, in seconds (default: 1; for plain lines: 0)",
    )
    watch.add_argument("--plain", action="store_true", help="print plain lines of text, even on a terminal")


def run(arguments: argparse.Namespace) -> int:
    """Run `carc watch`."""
    from carc_env.terminal.begin import watch

    return watch(arguments.a, arguments.b, arguments.preset, arguments.seed, arguments.delay, arguments.plain)
