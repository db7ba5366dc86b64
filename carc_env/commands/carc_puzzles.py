"""The command `carc puzzles`, which finds puzzles in games, or prints the puzzles of the package."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from carc_env.commands.shared import Command, complain, positive
from carc_env.common.exit_status import GOOD, INTERRUPTED, WRONG_USAGE


def add(command: Command) -> None:
    """Add `carc puzzles`."""
    puzzles = command(
        "puzzles",
        run,
        "find puzzles: positions in which one move is clearly best, but greedy chooses a different move. Long"
        " rollouts determine the best move. If a run was interrupted, the same command continues it. See "
        "docs/puzzles.md",
        "the puzzles",
        "carc puzzles games.jsonl --out runs/puzzles/mine.jsonl",
    )
    puzzles.add_argument(
        "files", metavar="FILE", nargs="*", help="a file of game records to search. Without a file, bots play the games"
    )
    puzzles.add_argument(
        "--shipped",
        action="store_true",
        help="print the puzzles of this package with their solutions. To solve the puzzles yourself, use the web "
        "page of `carc serve`",
    )
    puzzles.add_argument(
        "--preset",
        metavar="P",
        help="a preset, or a TOML file with a configuration (default: goldmines). With --shipped, print only the "
        "puzzles of this preset",
    )
    puzzles.add_argument(
        "--players", metavar="SPEC", help="the bot that plays the games, as in `carc match` (default: level:3)"
    )
    puzzles.add_argument("--games", type=positive, metavar="N", help="the number of games to play (default: 100)")
    puzzles.add_argument(
        "--last",
        type=positive,
        metavar="N",
        help="search only positions with at most N tiles in the stack (default: all positions)",
    )
    puzzles.add_argument("--wanted", type=positive, metavar="N", help="stop when the file has at least N puzzles")
    puzzles.add_argument(
        "--seed", type=int, metavar="S", help="the seed of the first game and of the rollouts (default: 0)"
    )
    puzzles.add_argument("--out", metavar="FILE", help="the file for the puzzles (default: in runs/puzzles)")


def run(arguments: argparse.Namespace) -> int:
    """Run `carc puzzles`. The puzzles of a game are saved as soon as the whole game has been searched. Therefore, the
    command can be interrupted at any time.
    """
    from carc_env.arena.puzzle_search import Effort, Found, PuzzleFinder, search
    from carc_env.arena.puzzles import shipped
    from carc_env.common.progress import progress

    if wrong := wrong_search(arguments):
        return complain(wrong, WRONG_USAGE)
    if arguments.shipped:
        found_presets = sorted({puzzle.preset for puzzle in shipped()})
        if arguments.preset not in (None, *found_presets):
            return complain(
                f"there is no puzzle for {arguments.preset}, only for {', '.join(found_presets)}", WRONG_USAGE
            )
        of_preset = [puzzle for puzzle in shipped() if arguments.preset in (None, puzzle.preset)]
        return print_puzzles(of_preset, arguments.json)
    sources, finder = games_to_search(arguments), PuzzleFinder(arguments.seed or 0, Effort(last=arguments.last))
    first = Path(arguments.files[0] if arguments.files else arguments.preset or "goldmines").stem
    found = Found(Path(arguments.out or Path("runs", "puzzles", f"{first}.jsonl")))
    with progress() as show:

        def tell(games: int, puzzles: int, questions: int) -> None:
            show(f"games; {puzzles} puzzles, {questions} decisions of this game searched", games, len(sources))

        try:
            search(sources, found, finder, arguments.wanted, tell)
        except KeyboardInterrupt:
            return complain(
                f"interrupted; {found.path} has {len(found.puzzles)} puzzles from {len(found.games)} games; the same "
                f"command continues the run",
                INTERRUPTED,
            )
    print(f"carc: {found.path} has {len(found.puzzles)} puzzles from {len(found.games)} games", file=sys.stderr)
    return print_puzzles(found.puzzles, arguments.json)


def wrong_search(arguments: argparse.Namespace) -> str:
    """Check that the options of `carc puzzles` can be combined. Returns an error message, or an empty string if there
    is no error.
    """
    about_games = {"--players": arguments.players, "--games": arguments.games}
    if arguments.preset is not None and arguments.files:
        return "--preset cannot be used with files of games"
    about_search = {"--seed": arguments.seed, "--out": arguments.out, "--wanted": arguments.wanted}
    about_search["--last"] = arguments.last
    if arguments.shipped and arguments.files:
        return "--shipped searches no games; leave out the files"
    for name, value in (about_games | about_search).items():
        if value is not None and (arguments.shipped or arguments.files and name in about_games):
            return f"{name} cannot be used with {'--shipped' if arguments.shipped else 'files of games'}"
    return ""


def games_to_search(arguments: argparse.Namespace) -> list[Any]:
    """Return the games in which `carc puzzles` searches for puzzles."""
    from carc_env.arena.puzzle_search import played_games, recorded_games
    from carc_env.bots import make
    from carc_env.setup.config import as_config

    if arguments.files:
        return [source for path in arguments.files for source in recorded_games(path)]
    spec, config = arguments.players or "level:3", as_config(arguments.preset or "goldmines")
    make(spec, 0)  # raises an error if the spec is invalid
    return played_games(config, arguments.games or 100, arguments.seed or 0, spec)


def print_puzzles(puzzles: Sequence[Any], as_json: bool) -> int:
    """Print puzzles as JSON or as lines of text."""
    from carc_env.arena.puzzles import lines_of

    if as_json:
        print(json.dumps([puzzle.to_dict() for puzzle in puzzles]))
    for number, puzzle in enumerate([] if as_json else puzzles, 1):
        print(f"puzzle {number}, " + "\n".join(lines_of(puzzle)) + "\n")
    return GOOD
