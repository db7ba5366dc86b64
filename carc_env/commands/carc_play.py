"""The command `carc play`: games against bots in the terminal, and games that people play with cardboard tiles."""

import argparse

from carc_env.commands.shared import Command, Parser, complain, count, tell_levels
from carc_env.common.exit_status import WRONG_USAGE


def add(command: Command) -> None:
    """Add `carc play`."""
    play = command(
        "play",
        run,
        "play against bots in the terminal. Choose a move from a menu, or type the move in notation",
        "",
        "carc play --preset base --against greedy random --seat 1",
    )
    tell_levels(play)
    play.add_argument(
        "--preset", metavar="P", help="a preset, or a TOML file with a configuration (default: goldmines)"
    )
    play.add_argument(
        "--against",
        metavar="SPEC",
        nargs="+",
        help="the bots in the other seats, in the order of the seats (default: greedy in each seat; with --load, "
        "the bots of the saved game). Give level:1 to level:6, or a bot as in `carc match`",
    )
    play.add_argument(
        "--seat",
        type=count,
        metavar="N",
        help="your seat (default: 0; with --load and without --against, your seat in the saved game). Seat 0 plays "
        "first",
    )
    play.add_argument(
        "--hints",
        "--bot",
        metavar="SPEC",
        help="the bot that gives hints, such as level:5 or rollout:ms=200 (default: greedy). With --real-table, "
        "the default is level:5",
    )
    play.add_argument("--seed", type=int, metavar="S", help="the seed of the game (default: a random seed)")
    play.add_argument("--load", metavar="FILE", help="continue the last game in this file of game records")
    play.add_argument("--plain", action="store_true", help="print plain lines of text, even on a terminal")
    add_real_table(play)


def add_real_table(play: Parser) -> None:
    """Add the options of `carc play` for a game that people play with cardboard tiles."""
    from carc_env.systems import SET_OUTS

    real = play.add_argument_group("for a game with cardboard tiles (docs/terminal.md)")
    real.add_argument(
        "--real-table",
        action="store_true",
        help="keep track of a game that people play with cardboard tiles. Bots can also take part in the game",
    )
    real.add_argument(
        "--seats",
        metavar="WHO",
        nargs="+",
        help="the player in each seat, in the order of the seats: person, person:NAME or a bot. By default, "
        "level:5 plays in the last seat, and people play in all other seats. With --load, the players of the saved "
        "game are the default",
    )
    real.add_argument(
        "--advise",
        type=count,
        metavar="N",
        help="show suggestions to the person in seat N. The option --hints selects the bot that makes the suggestions",
    )
    for part in SET_OUTS:
        option = f"--{part.key.replace('_', '-')}"
        real.add_argument(option, metavar="WORD", nargs="+", help=f"{part.question} Example: {part.example}")


def run(arguments: argparse.Namespace) -> int:
    """Run `carc play` with a new game or a saved one."""
    from carc_env.terminal.begin import play

    if wrong := wrong_table(arguments):
        return complain(wrong, WRONG_USAGE)
    if arguments.real_table:
        return run_real_table(arguments)
    return play(
        arguments.preset or "goldmines",
        arguments.against,
        arguments.seat,
        arguments.seed,
        arguments.load,
        arguments.plain,
        arguments.hints or "greedy",
    )


def wrong_table(arguments: argparse.Namespace) -> str:
    """Check that the options of `carc play` can be combined. Returns an error message, or an empty string if there is
    no error.
    """
    screen = {"--against": arguments.against, "--seat": arguments.seat, "--seed": arguments.seed}
    lying = {f"--{key.replace('_', '-')}": words for key, words in lying_in(arguments).items()}
    real = {"--seats": arguments.seats, "--advise": arguments.advise, **lying}
    for name, value in (screen if arguments.real_table else real).items():
        if value is not None:
            return f"{name} {'cannot be used with' if arguments.real_table else 'needs'} --real-table"
    if arguments.load is None:
        return ""
    for name in lying:
        return f"--load already gives the layout of the table; leave out {name}"
    if (arguments.preset, arguments.seed) != (None, None):
        return "--load already gives the game; leave out --preset and --seed"
    return ""


def lying_in(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """Return the options that the user has given for the setup of a game with cardboard tiles. The options, listed in
    `SET_OUTS`, describe the parts of the setup that are drawn at random.
    """
    from carc_env.systems import SET_OUTS

    found = {part.key: getattr(arguments, part.key) for part in SET_OUTS}
    return {key: words for key, words in found.items() if words is not None}


def run_real_table(arguments: argparse.Namespace) -> int:
    """Run `carc play --real-table`."""
    from carc_env.terminal.real_begin import Wish, play

    return play(
        Wish(
            arguments.preset,
            arguments.seats,
            arguments.advise,
            arguments.hints or Wish.hints,
            lying_in(arguments),
            arguments.load,
            arguments.plain,
        )
    )
