"""The command `carc` with its subcommands for matches, replays, checks, measurements and more.

The exit status is 0 for success, 1 for failure, 2 for an invalid command line and 130 for an interruption. An error is
reported in one line on standard error.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from carc_env import __version__
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED, WRONG_USAGE


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line. If `reader` is set, `reader()` returns a second parser, and
    this second parser parses the arguments.
    """

    reader: "Callable[[], argparse.ArgumentParser] | None" = None  # makes the other parser when it is needed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse a command line. If `reader` is set, the parser from `reader()` parses the whole command line."""
        return (
            super().parse_known_args(args, namespace)
            if self.reader is None
            else (self.reader().parse_args(args, namespace), [])
        )

    def error(self, message: str) -> NoReturn:
        """Report that the command line is invalid, and exit."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status. For --help and for invalid arguments, argparse raises SystemExit."""
    try:
        arguments = parser().parse_args(argv)
        status: int = arguments.run(arguments)
        sys.stdout.flush()  # a closed pipe raises its error here
        return status
    except BrokenPipeError:  # the program that reads the output, such as head, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except MemoryError:
        return complain("there is not enough memory", FAILED)
    except (OSError, ImportError, BrokenExecutor) as error:  # BrokenExecutor: a worker process was killed
        return complain(error, FAILED)
    except ValueError as error:
        if not type(error).__module__.startswith("carc_env"):
            raise  # not a message for the user but a bug, which needs its traceback
        return complain(error, WRONG_USAGE if is_usage(error) else FAILED)


def complain(what: object, status: int) -> int:
    """Print one line on standard error. Returns the exit status."""
    print("carc:", " ".join(str(what).split()), file=sys.stderr)
    return status


def is_usage(error: ValueError) -> bool:
    """Return True if the command line caused the error. Examples are an unknown bot, an unknown preset and an invalid
    seed.
    """
    from carc_env import BotError, ConfigError, CountError, SeedError
    from carc_env.common.errors import ArgumentError, PictureError, PlayerError

    return isinstance(error, (ArgumentError, BotError, ConfigError, CountError, PlayerError, SeedError, PictureError))


def parser() -> Parser:
    """Return the argument parser of `carc`."""
    carc = Parser(
        prog="carc",
        description="Carcassonne with its expansions as a reinforcement-learning environment.",
        epilog="For the options of a command, run `carc COMMAND --help`.",
    )
    carc.add_argument("--version", action="version", version=f"carc_env {__version__}")
    commands = carc.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, about: str, json_of: str, example: str = "") -> Parser:
        sub = commands.add_parser(
            name, help=about, description=about[0].upper() + about[1:] + ".", epilog=example and f"Example: {example}"
        )
        sub.set_defaults(run=run)
        if json_of:
            sub.add_argument("--json", action="store_true", help=f"print {json_of} as JSON")
        return sub

    add_match(command)
    add_ladder(command)
    add_play(command)
    add_watch(command)
    add_serve(command)
    add_replay(command)
    add_dataset(command)
    add_check(command)
    add_selfplay(command)
    add_puzzles(command)
    add_bench(command)
    add_bot(command)
    add_training(command)
    add_doctor(command)
    return carc


def add_match(command: Callable[..., Parser]) -> None:
    """Add `carc match`."""
    match = command(
        "match",
        run_match,
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


def add_preset(command: Parser) -> None:
    """Add the option for the preset."""
    command.add_argument(
        "--preset",
        default="goldmines",
        metavar="P",
        help="a preset, or a TOML file with a configuration (default: goldmines)",
    )


def add_players(match: Parser) -> None:
    """Add the option for the number of players."""
    match.add_argument(
        "--players",
        type=positive,
        metavar="N",
        help="the number of players, 2 to 6 (default: as in the configuration). With 3 or more players, the two "
        "bots take alternate seats",
    )


def add_crew(match: Parser) -> None:
    """Add the options for the worker processes."""
    match.add_argument("--workers", type=positive, default=1, metavar="N", help="the number of processes (default: 1)")
    match.add_argument(
        "--backend",
        choices=("loky", "dask", "ray"),
        help="distribute the games with joblib, either to processes on this machine (loky) or to a cluster (dask "
        "or ray)",
    )
    match.add_argument(
        "--address", metavar="A", help="the address of Dask's scheduler, such as tcp://host:8786, or of Ray's head node"
    )


def add_ladder(command: Callable[..., Parser]) -> None:
    """Add `carc ladder`."""
    ladder = command(
        "ladder",
        run_ladder,
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


def add_play(command: Callable[..., Parser]) -> None:
    """Add `carc play`."""
    play = command(
        "play",
        run_play,
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
        real.add_argument(option, metavar="WORD", nargs="+", help=f"{part.question} {part.example}")


def tell_levels(command: Parser) -> None:
    """Append the list of bot levels to the help text of a command."""
    from carc_env.bots import level

    command.epilog = f"{command.epilog}. Levels with their ratings on base: {level.all_in_words()}; greedy has 1000."


def add_watch(command: Callable[..., Parser]) -> None:
    """Add `carc watch`."""
    watch = command(
        "watch",
        run_watch,
        "watch a game between two bots in the terminal. The keys are + (play faster), - (play slower), the "
        "space bar (pause), . (play one move) and q (quit)",
        "",
        "carc watch greedy ppo --preset goldmines --delay 0.5",
    )
    watch.add_argument("a", metavar="A", help="the bot that plays first, as in `carc match`")
    watch.add_argument("b", metavar="B", help="another bot")
    watch.add_argument(
        "--preset",
        default="goldmines",
        metavar="P",
        help="a preset, or a TOML file with a configuration (default: goldmines)",
    )
    watch.add_argument("--seed", type=int, metavar="S", help="the seed of the game (default: a random seed)")
    watch.add_argument(
        "--delay",
        type=seconds,
        metavar="SECONDS",
        help="the pause between two moves (default: 1, or 0 with plain lines)",
    )
    watch.add_argument("--plain", action="store_true", help="print plain lines of text, even on a terminal")


def add_replay(command: Callable[..., Parser]) -> None:
    """Add `carc replay`."""
    replay = command(
        "replay",
        run_replay,
        "replay and check the game records in a file, and show the final board of the last game",
        "the result of each game",
    )
    replay.add_argument("file", metavar="FILE", help="a file of game records, one JSON object per line")
    replay.add_argument(
        "--move",
        type=count,
        metavar="N",
        help="show one game after its first N moves. With 0, show the start of the game",
    )
    replay.add_argument(
        "--game",
        type=positive,
        metavar="K",
        help="show game number K of the file (default: 1). The first game of the file has number 1",
    )
    replay.add_argument(
        "--picture",
        metavar="OUT",
        help="save a drawing of the position as OUT.svg or OUT.png. The option --move selects the position "
        "(default: the last position)",
    )
    add_analysis(replay)
    replay.add_argument(
        "--movie",
        metavar="OUT",
        help="save a movie of one game as OUT.gif or OUT.svg. The movie has a picture for each move",
    )
    replay.add_argument(
        "--delay",
        metavar="SECONDS",
        type=seconds_shown,
        help="with --movie: the display time of each picture, in seconds (default: 0.6)",
    )


def add_analysis(replay: Parser) -> None:
    """Add the options of `carc replay` for the analysis of a game by a bot."""
    replay.add_argument(
        "--analyze",
        "--analyse",
        action="store_true",
        help="for each move of one game, print its value and the value of the best move",
    )
    replay.add_argument(
        "--bot",
        "--with",
        metavar="SPEC",
        dest="judge",
        help="the bot that estimates the values of the moves, such as ppo, level:5 or rollout:ms=200 (default: greedy)",
    )
    replay.add_argument(
        "--plot",
        metavar="OUT",
        help="with --analyze: save a plot as OUT.svg or OUT.png. The plot shows the scores, the "
        "expected margins, and the points that each move lost",
    )


def add_check(command: Callable[..., Parser]) -> None:
    """Add `carc check`."""
    check = command(
        "check",
        run_check,
        "check files. A file can contain game records, a configuration, the description of a box or of a map sheet, or "
        "the heuristic weights of a bot. The type of the file is detected from its content",
        "the results",
    )
    check.add_argument("files", metavar="FILE", nargs="+", help="a TOML file, or a file with one JSON object per line")
    check.add_argument(
        "--picture",
        metavar="OUT",
        help="save a drawing of a single FILE as OUT.svg or OUT.png. For a map sheet, the drawing shows the "
        "sheet. For a configuration, it shows the start of a game. For game records, it shows the last position",
    )


def add_bench(command: Callable[..., Parser]) -> None:
    """Add `carc bench`."""
    bench = command(
        "bench",
        run_bench,
        "measure the speed of the engine, the environments and the search on this machine",
        "the results",
    )
    bench.add_argument(
        "prefixes",
        metavar="PREFIX",
        nargs="*",
        help="run only the measurements whose names begin with PREFIX, such as engine.base",
    )
    bench.add_argument(
        "--compare", action="store_true", help="mark results that are more than 15 %% worse than the package's baseline"
    )


def add_bot(command: Callable[..., Parser]) -> None:
    """Add `carc bot`."""
    bot = command(
        "bot",
        run_bot,
        "run a bot that speaks the bot protocol on standard input and output. See docs/protocol.md",
        "",
        "printf 'carc\\nisready\\nquit\\n' | carc bot greedy",
    )
    bot.add_argument(
        "spec",
        metavar="SPEC",
        help="the bot, such as random, greedy, keen, rollout:ms=50, mcts, ppo, ppo:CHECKPOINT or your own MODULE:CLASS",
    )


def add_training(command: Callable[..., Parser]) -> None:
    """Add the commands of the package `training`. The package `training` contains the parsers for the options of these
    commands.
    """
    for name, about in (
        ("train", "train an agent and measure its strength; needs the extra `train`"),
        ("evaluate", "measure the strength of a bot against another bot, as `carc train` does after the training"),
        (
            "benchmark",
            "train an algorithm on a task with several seeds, and measure the results. See docs/benchmark.md",
        ),
    ):
        command(name, None, about, "").reader = partial(training_parser, name)


def training_parser(name: str) -> Parser:
    """Return the argument parser of a command of the package `training`."""
    from carc_env.commands import find_training

    found: Parser = find_training.module(name).parser(f"carc {name}")
    return found


def add_doctor(command: Callable[..., Parser]) -> None:
    """Add `carc doctor`."""
    doctor = command(
        "doctor",
        run_doctor,
        "show the installed versions, the compiled code and its cache, and the duration of single calls",
        "the results",
    )
    doctor.add_argument(
        "--compile",
        action="store_true",
        help="compile the rules for all presets now, so that later commands do not have to compile them. The code of "
        "the search bots is not compiled",
    )
    doctor.add_argument(
        "--clean", action="store_true", help="first remove the code that was compiled from other source versions"
    )


def add_serve(command: Callable[..., Parser]) -> None:
    """Add `carc serve`."""
    serve = command(
        "serve",
        run_serve,
        "serve the web page on which people play against bots and each other. See docs/http.md for the HTTP interface",
        "",
        "carc serve --port 0 --bot 'cmd:python my_bot.py'",
    )
    tell_levels(serve)
    serve.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="the address to listen on (default: 127.0.0.1). If other machines can reach this address, each seat "
        "of a game has a secret token",
    )
    serve.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name under which people reach the server, such as the name of a proxy. With --name, each "
        "seat of a game has a secret token. The option may be repeated",
    )
    serve.add_argument(
        "--port",
        type=port,
        default=8000,
        metavar="N",
        help="the port (default: 8000). With 0, the server chooses a free port",
    )
    serve.add_argument("--data", metavar="DIR", help="the folder for saved games (default: in the user's data folder)")
    add_siege(serve)
    serve.add_argument("--no-browser", action="store_true", help="do not open a browser")
    serve.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="SPEC",
        help="an additional bot that the page offers, such as MODULE:CLASS or cmd:PROGRAM. The option may be repeated",
    )


def add_siege(serve: Parser) -> None:
    """Add the options of `carc serve` for a server that many people use."""
    serve.add_argument(
        "--bot-workers",
        type=positive,
        metavar="N",
        help="the number of bots that compute at the same time (default: one less than the number of cores). Any "
        "further bot waits for its turn to compute. A bot that takes more than 2 seconds is not counted",
    )
    serve.add_argument(
        "--password-file",
        metavar="FILE",
        help="a file with the password that people need to begin a game (default: no password). Instead of this "
        "option, you can set the environment variable CARC_ENV_PASSWORD to the password",
    )
    serve.add_argument(
        "--proxied",
        action="store_true",
        help="identify clients by the address in the header X-Forwarded-For, which a proxy on this machine sets. "
        "With --proxied and --name, each address has its own limits (see --limit-factor). Without --name, a server "
        "that only its own machine can reach has no limits",
    )
    serve.add_argument(
        "--limit-factor",
        type=factor,
        default=1.0,
        metavar="F",
        help="multiply the default limits on requests, new games, event streams and analyses by this factor (default: "
        "1). The factor 0 removes the limits",
    )


def add_dataset(command: Callable[..., Parser]) -> None:
    """Add `carc dataset`."""
    dataset = command(
        "dataset",
        run_dataset,
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


def add_selfplay(command: Callable[..., Parser]) -> None:
    """Add `carc selfplay`."""
    selfplay = command(
        "selfplay",
        run_selfplay,
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
        "holds the position after a good action, and the final margin that rollouts expect in this position",
    )
    selfplay.add_argument(
        "--stacks",
        type=count,
        default=12,
        metavar="N",
        help="with --note answers or comparisons: the number of reshuffled stacks on which rollouts compare "
        "promising actions (default: 12). With --note answers, N can be 0 to use the bot's heuristic values "
        "instead of rollouts",
    )
    selfplay.add_argument(
        "--errors",
        type=count,
        default=80,
        metavar="N",
        help="on average, choose randomly among the good actions at N of 1,000 decisions (default: 80)",
    )
    selfplay.add_argument(
        "--every",
        type=positive,
        default=4,
        metavar="N",
        help="with --note tables or comparisons: record only every Nth tile placement (default: 4)",
    )


def add_puzzles(command: Callable[..., Parser]) -> None:
    """Add `carc puzzles`."""
    puzzles = command(
        "puzzles",
        run_puzzles,
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


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    return count(text, 1)


def count(text: str, least: int = 0) -> int:
    """Parse a whole number. The argument `least` is the smallest valid number."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from {least} up")
    return number


def factor(text: str) -> float:
    """Parse a factor from 0 to 1,000,000."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number from 0 to 1000000")
    return number


def error_rate(text: str) -> float:
    """Parse a probability of error between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number between 0 and 1, such as 0.05")
    return number


def seconds(text: str, least: float = 0.0, most: float = 3600.0) -> float:
    """Parse a number of seconds. The arguments `least` and `most` are the limits of the valid range."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} should be a number of seconds from {least:g} to {most:g}")
    return number


def seconds_shown(text: str) -> float:
    """Parse the number of seconds for which each picture of a movie is shown."""
    from carc_env.arena.movie import LONGEST, SHORTEST

    return seconds(text, SHORTEST, LONGEST)


def port(text: str) -> int:
    """Parse a port number."""
    number = count(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 0 to 65535")
    return number


# --- the commands -----------------------------------------------------------------------------------------------------
def run_match(arguments: argparse.Namespace) -> int:
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


def what_is_played(preset: str, players: int | None) -> Any:
    """Return the configuration of a preset or a TOML file. If `players` is not None, the configuration is changed to
    this number of players.
    """
    from carc_env import GameConfig
    from carc_env.setup.config import as_config

    config = GameConfig.from_toml(preset) if preset.endswith(".toml") else preset
    return config if players is None else replace(as_config(config), players=players)


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
    `3 (2 actions not legal, 1 without an action)`.
    """
    if not result.illegal:
        return "none"
    wrong = result.illegal - result.faults
    reasons = [
        (wrong, f"{wrong} action{'s' * (wrong != 1)} not legal"),
        (result.faults, f"{result.faults} without an action"),
    ]
    return f"{result.illegal} ({', '.join(words for number, words in reasons if number)})"


def test_text(result: Any) -> str:
    """Return the result of a match's sequential test as text."""
    found = "undecided" if result.better is None else f"{result.titles['ab'.index(result.better)]} is better"
    margin = (
        "" if result.margin_anytime_ci95 is None else " margin {:+.1f} to {:+.1f},".format(*result.margin_anytime_ci95)
    )
    return f"{found} after {result.pairs} pairs;{margin} probability of error {result.until:g}"


def run_ladder(arguments: argparse.Namespace) -> int:
    """Run `carc ladder`. The results are saved after every few pairs of games, so the command can be interrupted at any
    time.
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


def run_dataset(arguments: argparse.Namespace) -> int:
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


def run_selfplay(arguments: argparse.Namespace) -> int:
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


def run_puzzles(arguments: argparse.Namespace) -> int:
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


def run_play(arguments: argparse.Namespace) -> int:
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


def run_watch(arguments: argparse.Namespace) -> int:
    """Run `carc watch`."""
    from carc_env.terminal.begin import watch

    return watch(arguments.a, arguments.b, arguments.preset, arguments.seed, arguments.delay, arguments.plain)


def run_replay(arguments: argparse.Namespace) -> int:
    """Run `carc replay` for all games in a file, or for one of them."""
    if wrong := wrong_mixture(arguments):
        return complain(wrong, WRONG_USAGE)
    if arguments.analyze:
        return run_analysis(arguments)
    if arguments.movie is not None:
        return run_movie(arguments)
    if (arguments.move, arguments.game, arguments.picture) != (None, None, None):
        return run_position(arguments)
    from carc_env.arena.check_files import replay_file
    from carc_env.render import ansi

    found = []
    for number, game in enumerate(replay_file(arguments.file), 1):
        found.append(outcome(game))
        if not arguments.json:
            print(f"game {number}: {outcome_line(game)}")
    print(
        json.dumps({"file": arguments.file, "games": found})
        if arguments.json
        else "\n" + ansi(game, colour=sys.stdout.isatty()),
        end="\n" if arguments.json else "",
    )
    return GOOD


def wrong_mixture(arguments: argparse.Namespace) -> str:
    """Check that the options of `carc replay` can be combined. Returns an error message, or an empty string if there
    is no error.
    """
    is_movie = arguments.movie is not None
    if arguments.analyze and is_movie:
        return "give either --analyze or --movie, not both"
    for name, value, needed, is_given in (
        ("--plot", arguments.plot, "--analyze", arguments.analyze),
        ("--delay", arguments.delay, "--movie", is_movie),
        ("--bot", arguments.judge, "--analyze", arguments.analyze),
    ):
        if value is not None and not is_given:
            return f"{name} needs {needed}"
    if arguments.picture is not None and (arguments.analyze or is_movie):
        return f"--picture cannot be used with {'--analyze' if arguments.analyze else '--movie'}"
    return ""


def outcome(game: Any) -> dict[str, Any]:
    """Return the outcome of a game as a dict for JSON. The dict contains the number of moves and the scores. It also
    contains the players' names and the player who forfeited the game, if they are known.
    """
    return {"moves": len(game.moves), "over": game.is_over, "scores": game.scores.tolist(), **game.notes.to_dict()}


def outcome_line(game: Any) -> str:
    """Return the outcome of a game in words, such as `140 moves, Ada 85 : greedy 92 points`."""
    names = [f"{name} " for name in game.notes.names] or [""] * game.players
    scores = " : ".join(f"{name}{score}" for name, score in zip(names, game.scores.tolist()))
    return f"{len(game.moves)} moves, {scores} points{ending(game)}"


def ending(game: Any) -> str:
    """Return a phrase that says why a game was not played to its end. The phrase is empty if the game is over."""
    from carc_env.render.facts import names_of

    if game.notes.forfeit is not None:
        return f", a forfeit by {names_of(game)[game.notes.forfeit]}"
    return "" if game.is_over else ", not over"


def run_position(arguments: argparse.Namespace) -> int:
    """Run `carc replay` for one game, and show the position after a move. The other games in the file are not
    checked.
    """
    from carc_env.arena.check_files import position_after
    from carc_env.render import ansi, picture_kind

    if arguments.picture is not None:
        picture_kind(arguments.picture)
    game, number, lines = game_asked_for(arguments)
    moves = len(game.moves) if arguments.move is None else arguments.move
    position = position_after(game, moves)
    if arguments.picture is not None:
        position.save(arguments.picture)
    last = last_move(position, moves)
    if arguments.json:
        print(
            json.dumps(
                {
                    "file": arguments.file,
                    "games": [outcome(game)],
                    "position": {"game": number, "move": moves, **last, **outcome(position)},
                }
            )
        )
    else:
        print(
            f"game {number} of {lines}, {move_line(moves, len(game.moves), game.notes.names, **last)}\n\n"
            f"{ansi(position, colour=sys.stdout.isatty())}",
            end="",
        )
    return GOOD


def game_asked_for(arguments: argparse.Namespace) -> tuple[Any, int, int]:
    """Return the selected game, its number in the file, and the number of games in the file. Raises CountError if the
    file has too few games for --game, or if the game has too few moves for --move.
    """
    from carc_env.arena.check_files import read_text, record_lines, replay_line
    from carc_env.common.errors import CountError

    lines = record_lines(arguments.file, read_text(arguments.file))
    number = arguments.game or 1
    if number > len(lines):
        raise CountError(f"--game {number}: {arguments.file} has {len(lines)} game records")
    game = replay_line(*lines[number - 1])
    if (arguments.move or 0) > len(game.moves):
        raise CountError(f"--move {arguments.move}: game {number} of {arguments.file} has {len(game.moves)} moves")
    return game, number, len(lines)


def part_asked_for(arguments: argparse.Namespace) -> tuple[Any, int]:
    """Return the selected game and its number in the file. If --move is given, the returned game ends after the
    selected move.
    """
    from carc_env.arena.check_files import position_after

    game, number, _ = game_asked_for(arguments)
    return (game if arguments.move is None else position_after(game, arguments.move)), number


def run_analysis(arguments: argparse.Namespace) -> int:
    """Run `carc replay --analyze`. If the command is interrupted, print the analysis of the moves so far."""
    from carc_env.arena.analysis import how_many, judged, save_plot, totals
    from carc_env.bots import make
    from carc_env.common.progress import progress
    from carc_env.render import picture_kind
    from carc_env.render.facts import names_of

    if arguments.plot is not None:
        picture_kind(arguments.plot)
    (game, number), bot, answers, status = part_asked_for(arguments), make(arguments.judge or "greedy", 0), [], GOOD
    of = how_many(game)
    with progress() as show:
        try:
            for answer in judged(game, bot):
                answers.append(answer)
                show(f"moves judged by {bot.name}", len(answers), of)
        except KeyboardInterrupt:
            status = INTERRUPTED
    if status == INTERRUPTED:
        complain(f"interrupted after {len(answers)} of {of} moves", status)
    summary = totals(answers, game.players)
    if arguments.plot is not None:
        save_plot(answers, game, bot, arguments.plot)
    if arguments.json:
        print(
            json.dumps(
                {
                    "file": arguments.file,
                    "game": number,
                    "with": bot.name,
                    **outcome(game),
                    "answers": [asdict(answer) for answer in answers],
                    "players": [total.to_dict() for total in summary],
                }
            )
        )
    else:
        print_analysis(answers, summary, names_of(game))
    return status


def print_analysis(answers: Sequence[Any], summary: Sequence[Any], names: Sequence[str]) -> None:
    """Print a table of the analysed moves, and the points that each player lost by mistakes. On a terminal, the table
    has colours.
    """
    from carc_env.arena.analysis import COLUMNS, NUMBERS, lines_of, row_of, total_line

    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, header_style="bold")
        for column in COLUMNS:
            table.add_column(column, justify="right" if column in NUMBERS else "left")
        for answer in answers:
            table.add_row(
                *row_of(answer, names),
                style="bold red" if (answer.lost or 0) >= 2 else "yellow" if (answer.lost or 0) >= 0.5 else "",
            )
        Console().print(table)
    else:
        print("\n".join(lines_of(answers, names)))
    print("\n" + "\n".join(total_line(total, names) for total in summary))


def run_movie(arguments: argparse.Namespace) -> int:
    """Run `carc replay --movie`. If the command is interrupted, no file is written."""
    from carc_env.arena.analysis import how_many
    from carc_env.arena.movie import DELAY, movie_kind, save_movie
    from carc_env.common.progress import progress

    movie_kind(arguments.movie)
    game, number = part_asked_for(arguments)
    with progress() as show:
        of = how_many(game) + 1
        pictures = save_movie(game, arguments.movie, arguments.delay or DELAY, lambda made: show("pictures", made, of))
    print(
        json.dumps({"file": arguments.file, "game": number, "movie": arguments.movie, "pictures": pictures})
        if arguments.json
        else f"game {number}: {pictures} pictures in {arguments.movie}"
    )
    return GOOD


def last_move(game: Any, moves: int) -> dict[str, Any]:
    """Return the last move that a player chose before a position. The result is a dict with the player, the text of the
    move and the forced moves after this move.
    """
    player = int(game.state["moves"][moves - 1]["player"]) if moves else None
    return {"player": player, "text": game.moves[moves - 1] if moves else None, "followed": game.moves[moves:]}


def move_line(
    number: int, of: int, names: Sequence[str], player: int | None, text: str | None, followed: Sequence[str]
) -> str:
    """Return a line of text for a move, such as `move 40 of 132: player 1 played 'take 0,1'`. If the players have
    names, the line contains a name instead of `player 1`.
    """
    who = names[player] if names and player is not None else f"player {player}"
    line = f"move {number} of {of}: {who} played {text!r}" if number else f"before the first of {of} moves"
    return line + (f"; the engine then played {', '.join(map(repr, followed))}" if followed else "")


def run_check(arguments: argparse.Namespace) -> int:
    """Run `carc check`. After a file with an error, the remaining files are still checked."""
    from carc_env.arena.check_files import check_file, save_picture
    from carc_env.common.errors import FileError
    from carc_env.render import picture_kind

    if arguments.picture is not None:
        if len(arguments.files) > 1:
            return complain("--picture draws one file, but several are given", WRONG_USAGE)
        picture_kind(arguments.picture)
    status, found = GOOD, []
    for path in arguments.files:
        try:
            checked = check_file(path)
            if arguments.picture is not None:
                save_picture(checked, arguments.picture)
        except FileError as error:
            status = complain(error, FAILED)
            found.append({"file": path, "good": False, "error": str(error)})
        else:
            found.append({"file": path, "good": True, "kind": checked.kind, "summary": checked.summary})
            if not arguments.json:
                print(f"{path}: {checked.summary}" + (f"\n\n{checked.letters}\n" if checked.letters else ""))
    if arguments.json:
        print(json.dumps(found))
    return status


def run_bench(arguments: argparse.Namespace) -> int:
    """Run `carc bench`. Print a line after each measurement. With --json, print one JSON object at the end instead."""
    from carc_env.commands.bench import baseline, has_fallen, measure, names, unit

    unknown = [prefix for prefix in arguments.prefixes if not any(name.startswith(prefix) for name in names())]
    if unknown:
        return complain(
            f"no result has a name that begins with {unknown[0]!r}; the names are {', '.join(names())}", WRONG_USAGE
        )
    measured, before = {}, baseline() if arguments.compare else {}
    for name, value in measure(arguments.prefixes):
        measured[name] = value
        line = f"{name:36} {value:>14,.{0 if value >= 100 else 3}f}  {unit(name)}"
        if name in before:
            line = f"{line:64} {value / before[name]:6.0%} of the baseline"
            line += "  FALLEN" if has_fallen(name, value, before[name]) else ""
        if not arguments.json:
            print(line, flush=True)
        elif line.endswith("FALLEN"):
            print(line, file=sys.stderr)
    if arguments.json:
        print(json.dumps(measured))
    return GOOD


def run_bot(arguments: argparse.Namespace) -> int:
    """Run `carc bot` until `quit` or the end of the input."""
    from carc_env.arena.protocol import serve

    serve(arguments.spec, sys.stdin.buffer, sys.stdout.buffer)
    return GOOD


def run_serve(arguments: argparse.Namespace) -> int:
    """Run `carc serve` until Ctrl-C, which ends the process."""
    from pathlib import Path

    try:
        from carc_env.web.password import read_password
        from carc_env.web.server import Settings, data_folder, serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("carc_env"):
            raise
        return complain(f'carc serve needs {error.name}: pip install ".[web]"', FAILED)
    folder = Path(arguments.data) if arguments.data else data_folder()
    settings = Settings(
        arguments.host,
        arguments.port,
        folder,
        not arguments.no_browser,
        arguments.bot,
        arguments.name,
        arguments.bot_workers,
        read_password(Path(arguments.password_file) if arguments.password_file else None),
        arguments.proxied,
        arguments.limit_factor,
    )
    try:
        serve(settings)
    except KeyboardInterrupt:
        end_now(complain(f"interrupted; the games are saved in {folder}", INTERRUPTED))
    return GOOD


def end_now(status: int) -> NoReturn:
    """End the process at once with the given exit status, even if other threads are still compiling code or running
    compiled code.

    `sys.exit` would end these threads inside compiled C++ code, and C++ may then abort the whole process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Run `carc doctor`. Code is compiled only if --compile is given."""
    from carc_env.commands.doctor import clean, findings, report

    if arguments.clean:
        print(clean(), file=sys.stderr)
    found = findings(arguments.compile)
    print(json.dumps(found) if arguments.json else report(found))
    return GOOD
