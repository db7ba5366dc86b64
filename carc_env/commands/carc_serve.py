"""The command `carc serve`, which serves the web page."""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from carc_env.commands.shared import Command, Parser, complain, factor, port, positive, tell_levels
from carc_env.common.exit_status import FAILED, GOOD, INTERRUPTED


def add(command: Command) -> None:
    """Add `carc serve`."""
    serve = command(
        "serve",
        run,
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
        "further bot waits for its turn to compute. After computing for 2 seconds, a bot no longer counts towards this "
        "number",
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
        "If --name is given too, each address has its own limits (see --limit-factor). Without --name, there are no "
        "limits if only this machine can reach the server",
    )
    serve.add_argument(
        "--limit-factor",
        type=factor,
        default=1.0,
        metavar="F",
        help="multiply the default limits on requests, new games, event streams and analyses by this factor (default: "
        "1). The factor 0 removes the limits",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc serve` until Ctrl-C, which ends the process."""
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
