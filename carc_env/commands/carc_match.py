"""The command `carc match`, which lets two bots play a match."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

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
    """Add `carc match`."""
    match = command(
        "match",
        run,
        "play a match between two bots. A match consists of pairs of games. Both games of a pair have the same stack, "
        "and each bot begins one of them",
        "the results",
    )
    match.add_argument(
        "a",
        metavar="A",
        help="a bot, such as random, greedy, keen, rollout:ms=50, mcts, ppo, ppo:CHECKPOINT or your own MODULE:CLASS",
    )
    match.add_argument("b", metavar="B", help="another bot")
    add_preset(match)
    add_players(match)
    match.add_argument(
        "--pairs",
        type=positive,
        metavar="N",
        help="the number of pairs of games (default: 100). With --until, the maximum number of pairs (default: 1000)",
    )
    match.add_argument(
        "--until",
        type=error_rate,
        metavar="E",
        help="end the match as soon as a sequential test finds the better bot. E is the test's probability of "
        "error, such as 0.05",
    )
    match.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the first pair (default: 0)")
    match.add_argument(
        "--record", metavar="FILE", help="append the record of every game to this file, one record per line"
    )
    add_crew(match)


def run(arguments: argparse.Namespace) -> int:
    """Run `carc match`. If the match is interrupted, print the result of the pairs played so far."""
    from carc_env.arena.match import MatchResult
    from carc_env.common.progress import progress

    pairs = arguments.pairs or (100 if arguments.until is None else 1000)
    so_far: list[MatchResult] = []
    status = GOOD
    with progress() as show:

        def keep(result: MatchResult) -> None:
            so_far[:] = [replace(result, preset=arguments.preset)]
            show(f"pairs, {result.win_rate_a:.1%} won", result.pairs, pairs)

        show("pairs", 0, pairs)
        try:
            play_as_asked(arguments, pairs, keep)
        except KeyboardInterrupt:
            status = INTERRUPTED
    if status == INTERRUPTED:
        complain(f"interrupted after {so_far[0].pairs if so_far else 0} of {pairs} pairs", status)
    for result in so_far:
        print(json.dumps(result.to_dict()) if arguments.json else match_table(result))
        if arguments.record:
            print(
                f"carc: the games are in {arguments.record}; replay them with "
                f"`carc replay {shlex.quote(arguments.record)}`",
                file=sys.stderr,
            )
    return status


def play_as_asked(arguments: argparse.Namespace, pairs: int, keep: Callable[[Any], None]) -> None:
    """Play the match described by the arguments of `carc match`."""
    from carc_env.arena.match import play_match

    play_match(
        arguments.a,
        arguments.b,
        what_is_played(arguments.preset, arguments.players),
        pairs,
        arguments.seed,
        keep,
        arguments.record,
        arguments.workers,
        arguments.until,
        arguments.backend,
        arguments.address,
    )


def match_table(result: Any) -> str:
    """Return the result of a match as a table."""
    rows = [
        ("points", f"{result.points_a:.1f} : {result.points_b:.1f}"),
        ("margin", f"{result.margin:+.1f}"),
        ("forfeits", forfeits_text(result)),
        ("time per move", f"{result.seconds_per_move_a * 1e3:.3f} : {result.seconds_per_move_b * 1e3:.3f} ms"),
    ]
    if result.until is not None:
        rows.append(("sequential test", test_text(result)))
    return "\n".join([str(result), *(f"  {name:16} {value}" for name, value in rows)])


def forfeits_text(result: Any) -> str:
    """Return the number of forfeited games in a match, with the reasons. An example is
    `3 (2 actions not legal, 1 failure of a program)`.
    """
    if not result.illegal:
        return "none"
    wrong = result.illegal - result.faults
    reasons = [
        (wrong, f"{wrong} action{'s' * (wrong != 1)} not legal"),
        (result.faults, f"{result.faults} failure{'s' * (result.faults != 1)} of a program"),
    ]
    return f"{result.illegal} ({', '.join(words for number, words in reasons if number)})"


def test_text(result: Any) -> str:
    """Return the result of a match's sequential test as text."""
    found = "undecided" if result.better is None else f"{result.titles['ab'.index(result.better)]} is better"
    margin = (
        "" if result.margin_anytime_ci95 is None else " margin {:+.1f} to {:+.1f},".format(*result.margin_anytime_ci95)
    )
    return f"{found} after {result.pairs} pairs;{margin} probability of error {result.until:g}"
