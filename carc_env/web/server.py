"""Starts and runs the page's server, for the command `carc serve`."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import uvicorn

from carc_env.common.errors import CarcError
from carc_env.games.game import Game, replay
from carc_env.web.allowances import Limits
from carc_env.web.app import make_app
from carc_env.web.choices import specs
from carc_env.web.company import new_company
from carc_env.web.connections import Connection, CountedConnection
from carc_env.web.guard import Guard, Hosts, is_loopback
from carc_env.web.password import Password
from carc_env.web.running_games import Tables
from carc_env.web.seats import seats_for
from carc_env.web.store import Store
from carc_env.web.thinking import Player
from carc_env.web.versions import Moment, before_last_answer, played
from carc_env.web.view import features_view

FOR_OTHERS = (
    "other machines can reach this server: {who} may begin games; the link for a seat contains the seat's token; "
    "connections are not encrypted, so put a proxy with HTTPS in front of the server (docs/http.md)"
)  # printed if other machines can reach the server
ANYBODY = "everybody who knows its address"
KNOWS = "everybody who knows its password"
GRACE = 3  # the time limit for running requests after the server was told to stop, in seconds


class ServeError(CarcError):
    """The server cannot start. The message gives the reason."""


class Server(uvicorn.Server):
    """A uvicorn server that also ends its open streams when it is stopped."""

    def __init__(self, config: uvicorn.Config, tables: Tables):
        super().__init__(config)
        self._tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams first, and then everything else."""
        self._tables.finish()
        await super().shutdown(sockets)


def data_folder() -> Path:
    """Return the default folder for the database of games."""
    return Path(platformdirs.user_data_dir("carc_env", appauthor=False))


@dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    host: str  # the address to listen on; if this is not a loopback address, seats have tokens
    port: int  # 0 for any free port
    folder: Path  # contains the database of games
    browser: bool = True  # whether to open the page in the browser
    bots: Sequence[str] = ()  # specs of bots besides those of the package
    names: Sequence[str] = ()  # further host names of the server; if there are any, seats have tokens
    workers: int | None = None  # how many bots think at the same time; None: the number of cores minus 1
    password: Password | None = None  # the password for beginning a game; None if no password is needed
    proxied: bool = False  # whether a proxy on this machine gives the client's address in X-Forwarded-For
    limit_factor: float = 1.0  # multiplies the limits of clients; 0 for no limits

    @property
    def guarded(self) -> bool:
        """True if the server uses tokens. A server uses tokens if other machines can reach it."""
        return bool(self.names) or not is_loopback(self.host)

    @property
    def limits(self) -> Limits | None:
        """The rate limits for clients. There are no limits (None) if no other machine can reach the server, or if
        `limit_factor` is 0.
        """
        return Limits(self.limit_factor) if self.guarded and self.limit_factor else None


def serve(settings: Settings) -> None:
    """Serve the page until Ctrl-C raises KeyboardInterrupt.

    Raises:
        BotError: if a bot does not exist.
        ServeError, StoreError: if the address or the folder cannot be used.
    """
    for spec in settings.bots:
        Player(spec).try_out()
    listening = listen(settings.host, settings.port)
    with listening:
        ready = threading.Event()
        store, bots = Store(settings.folder), specs(settings.bots)
        tables = Tables(store, bots, settings.guarded, ready=ready, workers=settings.workers)
        address = address_of(settings.host, listening.getsockname()[1])
        if tables.guarded:
            print(
                f"carc: {FOR_OTHERS.format(who=KNOWS if settings.password else ANYBODY)}", file=sys.stderr, flush=True
            )
        print(f"carc: the page is at {address} (Ctrl-C ends the server)", flush=True)
        threading.Thread(target=warm_up, args=(ready,), name="warm-up", daemon=True).start()
        if settings.browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        Server(configuration(settings, tables), tables).run([listening])


def configuration(settings: Settings, tables: Tables) -> uvicorn.Config:
    """Return the configuration of the server: the application and the options of uvicorn."""
    limits = settings.limits
    app = make_app(tables, settings.password, limits)
    return uvicorn.Config(
        Guard(app, Hosts(settings.host, settings.names), limits, settings.proxied),
        http=Connection if limits is None or settings.proxied else CountedConnection,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=2000,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises ServeError."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        # asyncio sends data at once only if the socket is created with the protocol TCP; otherwise, data can be
        # delayed by 40 ms
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":  # on other systems, this option would let two servers listen on the same port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(512)
        except BaseException:
            listening.close()
            raise
        return listening
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ServeError(
            f"cannot listen on {host}, port {port}: {reason}; choose another port with --port, or 0 for a free one"
        ) from None


def address_of(host: str, port: int) -> str:
    """Return the URL at which a browser finds the page."""
    if host in ("0.0.0.0", "::", ""):  # the server listens on all addresses of the machine
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def warm_up(ready: threading.Event) -> None:
    """Compile the code for games, or load it from the cache, so that players do not have to wait for compilation later.
    At the end, set the event `ready`, even after an error. The bots wait until `ready` is set.
    """
    try:
        for config in ("goldmines", "carcassonne"):
            try_everything(config)
    except Exception as error:  # noqa: BLE001 - the error will occur again in a game and be reported there
        print(f"carc: compiling in advance has failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        ready.set()


def try_everything(config: str) -> None:
    """Run the code for games once, so that the code is compiled or loaded. This function begins a game, lets each bot
    make a move, creates the views, and undoes a move.
    """
    game, bots = Game(config, seed=0), [Player(spec) for spec in ("random", "greedy", "ppo")]
    moment = Moment(1, game, new_company(seats_for(None, game.players, ())))
    moment.shown()
    for bot in bots:
        game = played(game, bot.answer(game))
    later = Moment(2, game, moment.company)
    later.shown(moment)
    bots[1].worths(game)
    features_view(game)
    before_last_answer(later)
    replay(game.record())
