"""The command `carc`: matches, replays, checks and measurements.

Exit status: 0 good, 1 failed, 2 wrong usage, 130 interrupted. What goes wrong is said in one line on standard error.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from carc_env import __version__

GOOD, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line and leave."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status; argparse raises SystemExit for --help and wrong usage."""
    try:
        arguments = parser().parse_args(argv)
        status = arguments.run(arguments)
        sys.stdout.flush()  # here, so that a closed pipe is noticed
        return status
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except (OSError, ImportError) as error:
        return complain(error, FAILED)
    except ValueError as error:
        if not type(error).__module__.startswith("carc_env"):
            raise  # not one of our messages to the user but a fault of ours, which needs its traceback
        return complain(error, WRONG_USAGE if is_usage(error) else FAILED)


def complain(what: object, status: int) -> int:
    """One line on standard error; returns the exit status."""
    print("carc:", " ".join(str(what).split()), file=sys.stderr)
    return status


def is_usage(error: ValueError) -> bool:
    """Whether the words of the command line are to blame: an unknown bot or preset, an impossible seed."""
    from carc_env import BotError, ConfigError, CountError, SeedError
    from carc_env.check import PictureError

    return isinstance(error, (BotError, ConfigError, CountError, SeedError, PictureError))


def parser() -> Parser:
    """The command line of `carc`."""
    carc = Parser(prog="carc", description="Carcassonne with its expansions as a reinforcement-learning environment.",
                  epilog="`carc COMMAND --help` tells more.")
    carc.add_argument("--version", action="version", version=f"carc_env {__version__}")
    commands = carc.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, about: str, json_of: str) -> Parser:
        sub = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        sub.set_defaults(run=run)
        if json_of:
            sub.add_argument("--json", action="store_true", help=f"print {json_of} as JSON")
        return sub

    match = command("match", run_match, "let two bots play pairs of games, each beginning once on every deck",
                    "the figures")
    match.add_argument("a", metavar="A", help="a bot: random, greedy, ppo, ppo:CHECKPOINT, or MODULE:CLASS of one's own")
    match.add_argument("b", metavar="B", help="another one")
    match.add_argument("--preset", default="goldmines", metavar="P",
                       help="what is played: a preset, or a TOML file with a configuration (goldmines)")
    match.add_argument("--pairs", type=positive, default=100, metavar="N", help="how many decks (100)")
    match.add_argument("--seed", type=int, default=0, metavar="S", help="the first deck's seed (0)")
    match.add_argument("--record", metavar="FILE", help="add every game to a file of game records, one a line")
    match.add_argument("--workers", type=positive, default=1, metavar="N", help="processes that play (1)")

    replay = command("replay", run_replay, "play the game records of a file again, check them, show the last board",
                     "what each game gave")
    replay.add_argument("file", metavar="FILE", help="game records, one JSON object a line")
    replay.add_argument("--move", type=count, metavar="N", help="show one game after its first N moves; 0 is the start")
    replay.add_argument("--game", type=positive, metavar="K", help="which game that is, from 1 (the first)")
    replay.add_argument("--picture", metavar="OUT", help="draw that position, or the end without --move, into OUT.svg or OUT.png")

    check = command("check", run_check, "check game records, boxes, sheets and configurations; the content says what a file is",
                    "what was found")
    check.add_argument("files", metavar="FILE", nargs="+", help="JSON lines or TOML")
    check.add_argument("--picture", metavar="OUT", help="draw one file into OUT.svg or OUT.png: a sheet, a configuration "
                                                        "(the table at the start) or game records (the last position)")

    bench = command("bench", run_bench, "measure how fast everything is on this machine", "the figures")
    bench.add_argument("prefixes", metavar="PREFIX", nargs="*",
                       help="only figures whose names begin with one of these, such as engine.base")

    bench.add_argument("--compare", action="store_true",
                       help="mark what is over 15 %% worse than the figures that come with the package")

    bot = command("bot", run_bot, "answer as a bot in the bot protocol, lines on standard input and output; docs/protocol.md tells of them", "")
    bot.add_argument("spec", metavar="SPEC", help="the bot: random, greedy, ppo, ppo:CHECKPOINT, or MODULE:CLASS of one's own")

    add_serve(command("serve", run_serve, "serve the page, on which people play against bots and each other; docs/http.md tells of its interface", ""))

    doctor = command("doctor", run_doctor, "tell versions, what is compiled, where, and what a call costs", "the findings")
    doctor.add_argument("--compile", action="store_true", help="compile everything now, so that nothing waits for it later")
    doctor.add_argument("--clean", action="store_true", help="first remove the compiled code of other sources")
    return carc


def add_serve(serve: Parser) -> None:
    """The arguments of `carc serve`."""
    serve.epilog = "example: carc serve --port 0 --bot 'cmd:python my_bot.py'"
    serve.add_argument("--host", default="127.0.0.1", metavar="H",
                       help="the address to listen on (127.0.0.1); elsewhere than on this machine each seat has a token")
    serve.add_argument("--name", action="append", default=[], metavar="NAME",
                       help="another name that the server is asked under, such as that of a proxy before it; then seats have tokens too")
    serve.add_argument("--port", type=port, default=8000, metavar="N", help="0 takes a free one (8000)")
    serve.add_argument("--data", metavar="DIR", help="where the games are kept (the user's data folder)")
    serve.add_argument("--no-browser", action="store_true", help="open no browser")
    serve.add_argument("--bot", action="append", default=[], metavar="SPEC",
                       help="another bot that may be asked for, such as MODULE:CLASS or cmd:PROGRAM; as often as wanted")


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return count(text, 1)


def count(text: str, least: int = 0) -> int:
    """A whole number from `least` up."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from {least} up")
    return number


def port(text: str) -> int:
    """The number of a port."""
    number = count(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 0 to 65535")
    return number


# --- the commands -----------------------------------------------------------------------------------------------------
def run_match(arguments: argparse.Namespace) -> int:
    """`carc match`: when interrupted, it tells what was played so far."""
    from carc_env import GameConfig
    from carc_env.match import MatchResult, play_match
    from carc_env.progress import progress

    config = GameConfig.from_toml(arguments.preset) if arguments.preset.endswith(".toml") else arguments.preset
    so_far: list[MatchResult] = []
    status = GOOD
    with progress() as show:
        def keep(result: MatchResult) -> None:
            so_far[:] = [replace(result, preset=arguments.preset)]
            show(f"pairs, {result.win_rate_a:.1%} won", result.pairs, arguments.pairs)

        show("pairs", 0, arguments.pairs)
        try:
            play_match(arguments.a, arguments.b, config, arguments.pairs, arguments.seed, keep, arguments.record,
                       arguments.workers)
        except KeyboardInterrupt:
            status = INTERRUPTED
    if status == INTERRUPTED:
        complain(f"interrupted after {so_far[0].pairs if so_far else 0} of {arguments.pairs} pairs", status)
    for result in so_far:
        print(json.dumps(result.to_dict()) if arguments.json else match_table(result))
        if arguments.record:
            print(f"carc: the games are in {arguments.record}; `carc replay {shlex.quote(arguments.record)}` plays them again",
                  file=sys.stderr)
    return status


def match_table(result: Any) -> str:
    """The figures of a match for people."""
    rows = [("points", f"{result.points_a:.1f} : {result.points_b:.1f}"), ("margin", f"{result.margin:+.1f}"),
            ("illegal answers", str(result.illegal)),
            ("time per answer", f"{result.seconds_per_move_a * 1e3:.3f} : {result.seconds_per_move_b * 1e3:.3f} ms")]
    return "\n".join([str(result), *(f"  {name:16} {value}" for name, value in rows)])


def run_replay(arguments: argparse.Namespace) -> int:
    """`carc replay`: all games of a file, or one of them at one of its moves."""
    if (arguments.move, arguments.game, arguments.picture) != (None, None, None):
        return run_position(arguments)
    from carc_env.check import replay_file
    from carc_env.render import ansi

    found = []
    for number, game in enumerate(replay_file(arguments.file), 1):
        found.append(outcome(game))
        if not arguments.json:
            scores = " : ".join(map(str, found[-1]["scores"]))
            print(f"game {number}: {found[-1]['moves']} moves, {scores} points{'' if game.is_over else ', not over'}")
    print(json.dumps({"file": arguments.file, "games": found}) if arguments.json
          else "\n" + ansi(game, colour=sys.stdout.isatty()), end="\n" if arguments.json else "")
    return GOOD


def outcome(game: Any) -> dict[str, Any]:
    """How many moves were made in a game and what they gave."""
    return {"moves": len(game.moves), "over": game.is_over, "scores": game.scores.tolist()}


def run_position(arguments: argparse.Namespace) -> int:
    """`carc replay` of one game, which alone is played and checked: how it stood after a move."""
    from carc_env.check import picture_kind, position_after, read_text, record_lines, replay_line
    from carc_env.render import ansi

    if arguments.picture is not None:
        picture_kind(arguments.picture)
    lines = record_lines(arguments.file, read_text(arguments.file))
    number = arguments.game or 1
    if number > len(lines):
        return complain(f"--game {number}: {arguments.file} has {len(lines)} game records", WRONG_USAGE)
    game = replay_line(*lines[number - 1])
    moves = len(game.moves) if arguments.move is None else arguments.move
    if moves > len(game.moves):
        return complain(f"--move {moves}: game {number} of {arguments.file} has {len(game.moves)} moves", WRONG_USAGE)
    position = position_after(game, moves)
    if arguments.picture is not None:
        position.save(arguments.picture)
    last = last_move(position, moves)
    if arguments.json:
        print(json.dumps({"file": arguments.file, "games": [outcome(game)],
                          "position": {"game": number, "move": moves, **last, **outcome(position)}}))
    else:
        print(f"game {number} of {len(lines)}, {move_line(moves, len(game.moves), **last)}\n\n"
              f"{ansi(position, colour=sys.stdout.isatty())}", end="")
    return GOOD


def last_move(game: Any, moves: int) -> dict[str, Any]:
    """The move that led to a position after so many: whose it was, its text, and what the engine answered itself after it."""
    player = int(game.state["moves"][moves - 1]["player"]) if moves else None
    return {"player": player, "text": game.moves[moves - 1] if moves else None, "followed": game.moves[moves:]}


def move_line(number: int, of: int, player: int | None, text: str | None, followed: Sequence[str]) -> str:
    """A move for people: `move 40 of 132: player 1 played 'take 0,1'`."""
    line = f"move {number} of {of}: player {player} played {text!r}" if number else f"before the first of {of} moves"
    return line + (f"; by itself followed {', '.join(map(repr, followed))}" if followed else "")


def run_check(arguments: argparse.Namespace) -> int:
    """`carc check`: every file is looked at, also after one that does not hold."""
    from carc_env.check import FileError, check_file, picture_kind, save_picture

    if arguments.picture is not None:
        if len(arguments.files) > 1:
            return complain("--picture draws one file; more are given", WRONG_USAGE)
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
    """`carc bench`: a line as soon as it is measured, or one JSON object at the end."""
    from carc_env.bench import baseline, has_fallen, measure, names, unit

    unknown = [prefix for prefix in arguments.prefixes if not any(name.startswith(prefix) for name in names())]
    if unknown:
        return complain(f"no figure begins with {unknown[0]!r}; there are {', '.join(names())}", WRONG_USAGE)
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
    """`carc bot`: until `quit` or the end of the input."""
    from carc_env.protocol import serve

    serve(arguments.spec, sys.stdin.buffer, sys.stdout.buffer)
    return GOOD


def run_serve(arguments: argparse.Namespace) -> int:
    """`carc serve`: until Ctrl-C."""
    from pathlib import Path

    try:
        from carc_env.web.server import data_folder, serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("carc_env"):
            raise
        return complain(f'carc serve needs {error.name}: pip install ".[web]"', FAILED)
    folder = Path(arguments.data) if arguments.data else data_folder()
    try:
        serve(arguments.host, arguments.port, folder, not arguments.no_browser, arguments.bot, arguments.name)
    except KeyboardInterrupt:
        return complain(f"interrupted; the games are kept in {folder}", INTERRUPTED)
    return GOOD


def run_doctor(arguments: argparse.Namespace) -> int:
    """`carc doctor`: it tells, and compiles when asked to."""
    from carc_env.doctor import clean, findings, report

    if arguments.clean:
        print(clean(), file=sys.stderr)
    found = findings(arguments.compile)
    print(json.dumps(found) if arguments.json else report(found))
    return GOOD
