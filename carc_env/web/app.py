"""Defines the HTTP routes of the server for the web page. The page docs/http.md describes the routes. Handlers run in
worker threads. A thread waits for a bot only during an evaluation or an analysis. The server runs only a few
evaluations and analyses at the same time.
"""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from carc_env import __version__
from carc_env.boxes.tiles import tile_kinds
from carc_env.common.errors import BotFault, CarcError
from carc_env.web import models
from carc_env.web.allowances import Client, Limits
from carc_env.web.analyses import Analyses
from carc_env.web.choices import choices
from carc_env.web.password import Password
from carc_env.web.puzzle_routes import add_puzzles
from carc_env.web.routing import (
    BEGINS,
    CHANGES,
    MAY_BEGIN,
    OF_A_GAME,
    PICTURE,
    AllPersons,
    AllTables,
    AtTable,
    Drawing,
    Json,
    Since,
    Tokens,
    error,
    refusals,
    seats_of,
    secrets_of,
    told,
)
from carc_env.web.running_games import Tables
from carc_env.web.seats import LONGEST_NAME, Closed, Keys, Rights, hashed
from carc_env.web.store import Entry, StoreError
from carc_env.web.streams import EventStream, Streams
from carc_env.web.table import Conflict, Full, NoSuchGame
from carc_env.web.turns_of_persons import Persons
from carc_env.web.understanding import add_understanding
from carc_env.web.versions import named, replayed
from carc_env.web.view import features_view, tile_svg

STATIC = Path(__file__).parent / "static"
# The HTTP status codes of errors. The error Closed gives 401 or 403, and any error that is not listed here gives 422.
STATUS = {NoSuchGame: 404, Conflict: 409, Full: 503, StoreError: 503, BotFault: 504}
ABOUT = """Games of Carcassonne for people and programs. To act, a program posts the text of one of the view's
`answers`. `?drawing=false` leaves out the drawing. A rejected request changes nothing, and its
response is one sentence: `{"error": "..."}`."""


class Application(FastAPI):
    """A FastAPI application. The OpenAPI description lists the query parameter `token` only for GET requests, because
    other requests do not accept this parameter (see `routing.tokens_of`).
    """

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description of all routes. The route /openapi.json sends this description."""
        described = super().openapi()
        for path in described["paths"].values():
            for method, operation in path.items():
                if method != "get" and "parameters" in operation:
                    operation["parameters"] = [each for each in operation["parameters"] if each["name"] != "token"]
        return described


def make_app(tables: Tables, password: Password | None = None, limits: Limits | None = None) -> FastAPI:
    """Return the web application that serves the games of `tables`. The application also starts and closes `tables`. If
    `password` is not None, requests that begin a game need the password. `limits` gives the maximum numbers of streams
    and analyses for each address.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        tables.begin()
        yield
        await run_in_threadpool(tables.close)

    app = Application(
        title="carc_env",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        redirect_slashes=False,
        responses=refusals(422, 429),
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.tables, app.state.persons = tables, Persons(tables)
    app.state.password, app.state.limits = password, limits
    app.state.streams, app.state.analyses = Streams(tables), Analyses(tables)
    handlers: dict[type[Exception], Callable[..., Response]] = {
        CarcError: refused,
        RequestValidationError: malformed,
        HTTPException: elsewhere,
        Exception: failed,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    adders = (add_choices, add_games, add_changes, add_company, add_views, add_replays, add_judgements, add_facts)
    for add in (*adders, add_puzzles, add_understanding):
        add(app)
    app.mount("/", StaticFiles(directory=STATIC))
    return app


# --- errors -----------------------------------------------------------------------------------------------------------
def refused(request: Request, why: CarcError) -> Response:
    """Return the response to a rejected request."""
    if isinstance(why, Closed):
        return error(403 if why.given else 401, str(why))
    return error(next((status for kind, status in STATUS.items() if isinstance(why, kind)), 422), str(why))


def malformed(request: Request, why: RequestValidationError) -> Response:
    """Return the response to a malformed request. The response names the field and the error."""
    first = why.errors()[0]
    if first["type"] == "json_invalid":
        return error(400, f"the body is not JSON: {first['ctx']['error']}")
    where = ".".join(str(part) for part in first["loc"])
    return error(422, f"{where}: {first['msg']}")


def elsewhere(request: Request, why: HTTPException) -> Response:
    """Return the response for an unknown page, a wrong method or an unreadable body."""
    return error(why.status_code, str(why.detail))


def failed(request: Request, why: Exception) -> Response:
    """Return the response after an error in the server. The traceback goes to standard error."""
    return error(500, "internal server error; the server has printed the details on standard error")


# --- routes -----------------------------------------------------------------------------------------------------------
def add_choices(app: FastAPI) -> None:
    """Add the routes for the page itself, the choices for a new game, and the pictures of tiles."""

    @app.get("/", include_in_schema=False)
    def get_page() -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    @app.get(
        "/api/choices", response_model=models.Choices, summary="List the presets, settings and bots to choose from"
    )
    def get_choices(tables: AllTables) -> Response:
        return Json(choices(tables.bots.names) | {"tokens": tables.guarded, "password": app.state.password is not None})

    @app.get(
        "/api/tiles/{tile}", response_class=Response, summary="The picture of a tile", responses=PICTURE | refusals(404)
    )
    def get_tile(tile: str) -> Response:
        if tile not in {kind.id for kind in tile_kinds() if kind.is_land}:
            raise NoSuchGame("there is no tile with this id")
        return Response(tile_svg(tile), media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})


def add_games(app: FastAPI) -> None:
    """Add the routes to begin, list and delete games."""

    @app.post(
        "/api/games",
        status_code=201,
        response_model=models.NewView,
        summary="Begin a game",
        responses=BEGINS,
        dependencies=MAY_BEGIN,
    )
    def post_game(wish: models.NewGame, tables: AllTables, drawing: Drawing = True) -> Response:
        clock = {} if wish.clock is None else {"minutes": wish.clock.minutes, "bonus": wish.clock.bonus}
        table, tokens = tables.create(wish.config, seats_of(wish), wish.seed, lying=wish.real_table, **clock)
        return told(table, table.moments[0], None, drawing, 201, **secrets_of(tokens))

    @app.post(
        "/api/games/load",
        status_code=201,
        response_model=models.NewView,
        summary="Begin a game that continues a game record or a position",
        responses=BEGINS,
        dependencies=MAY_BEGIN,
    )
    def post_record(wish: models.LoadedGame, tables: AllTables, drawing: Drawing = True) -> Response:
        if (wish.record is None) == (wish.position is None):
            return error(422, "body: exactly one of `record` and `position` is needed")
        # the game continues, so a forfeit in the record does not count
        record = wish.record and {key: value for key, value in wish.record.items() if key != "forfeit"}
        table, tokens = tables.load(record, wish.position, seats_of(wish) or seats_named(record))
        return told(table, table.moments[0], None, drawing, 201, **secrets_of(tokens))

    @app.get("/api/games", response_model=models.Games, summary="List the stored games")
    def get_games(tables: AllTables, tokens: Tokens) -> Response:
        hashes = frozenset(map(hashed, tokens))
        entries = tables.listed(hashes if tables.guarded else None)
        return Json({"games": [listed(entry, Keys.of(entry.tokens).opened_by(hashes)) for entry in entries]})

    @app.delete(
        "/api/games/{id}",
        response_model=models.Deleted,
        summary="Delete a game; this needs the `beginner` token, or the tokens of all people who play",
        responses=OF_A_GAME,
    )
    def delete_game(found: AtTable, tables: AllTables) -> Response:
        tables.delete(*found)
        return Json({"deleted": found[0].id})


def seats_named(record: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    """Return the seats for the names in a record, one seat for each name. A person plays in each of these seats.
    Returns None if the record has no valid names.
    """
    names = (record or {}).get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return [{"name": name[:LONGEST_NAME]} for name in names]


def listed(entry: Entry, rights: Rights | None) -> dict[str, Any]:
    """Return the entry of a game in the list of games as a dict. `rights` describes what the client is allowed to do in
    the game.
    """
    return {
        "id": entry.id,
        "title": entry.title,
        "seats": entry.seats,
        "started": entry.started,
        "changed": entry.changed,
        "over": entry.is_over,
        "scores": entry.scores,
        "n_moves": entry.n_moves,
        "player": entry.asked,
        "yours": sorted(rights.seats) if rights else [],
    }


def add_changes(app: FastAPI) -> None:
    """Add the routes that change a game. Every change gives the game a new version number. A request contains the
    version number of the position that the client shows. If the server still has the client's version in memory, the
    drawing in the response contains only the changes since the client's version.
    """

    @app.post("/api/games/{id}/answers", response_model=models.View, summary="Play an action", responses=CHANGES)
    def post_answer(wish: models.Answer, found: AtTable, persons: AllPersons, drawing: Drawing = True) -> Response:
        return told(found[0], persons.answer(found[0], wish.version, wish.answer, found[1]), wish.version, drawing)

    @app.post(
        "/api/games/{id}/undo",
        response_model=models.View,
        summary="Go back to the previous decision of a person, or ask the other people to agree",
        responses=CHANGES,
    )
    def post_undo(wish: models.Undo, found: AtTable, persons: AllPersons, drawing: Drawing = True) -> Response:
        return told(found[0], persons.undo(found[0], wish.version, found[1]), wish.version, drawing)

    @app.post(
        "/api/games/{id}/undo/reply",
        response_model=models.View,
        summary="Accept, refuse or withdraw an undo request",
        responses=CHANGES,
    )
    def post_reply(wish: models.Reply, found: AtTable, persons: AllPersons, drawing: Drawing = True) -> Response:
        moment = persons.reply(found[0], wish.wish, wish.agree, found[1])
        return told(found[0], moment, moment.version - 1, drawing)


def add_company(app: FastAPI) -> None:
    """Add the routes for seats, messages and rematches."""

    @app.post(
        "/api/games/{id}/seats/{number}",
        response_model=models.SeatView,
        summary="Hand a seat to a bot or a person",
        responses=CHANGES,
    )
    def post_seat(
        number: int, wish: models.SeatChange, found: AtTable, persons: AllPersons, drawing: Drawing = True
    ) -> Response:
        moment, token = persons.take_seat(found[0], wish.version, number, wish.name, wish.bot, found[1])
        mine: dict[str, Any] = {"token": token} if token else {}
        return told(found[0], moment, moment.version - 1, drawing, **mine)

    @app.post(
        "/api/games/{id}/seats/{number}/claim",
        response_model=models.SeatView,
        summary="Take a seat with the token from its link, and receive a new token for the seat",
        responses=CHANGES,
    )
    def post_claim(
        number: int, wish: models.Claim, found: AtTable, persons: AllPersons, drawing: Drawing = True
    ) -> Response:
        moment, token = persons.claim(found[0], number, wish.name, found[1])
        return told(found[0], moment, moment.version - 1, drawing, token=token)

    @app.post(
        "/api/games/{id}/messages",
        response_model=models.View,
        summary="Send a message to everybody in the game",
        responses=CHANGES,
    )
    def post_message(wish: models.Message, found: AtTable, persons: AllPersons, drawing: Drawing = True) -> Response:
        moment = persons.say(found[0], wish.seat, wish.text, found[1])
        return told(found[0], moment, moment.version - 1, drawing)

    @app.post(
        "/api/games/{id}/rematch",
        status_code=201,
        response_model=models.View,
        summary="Begin a rematch of a finished game, with the seats rotated by one",
        responses=CHANGES,
    )
    def post_rematch(found: AtTable, persons: AllPersons, drawing: Drawing = True) -> Response:
        table = persons.rematch(*found)
        return told(table, table.now, None, drawing, 201)


def add_views(app: FastAPI) -> None:
    """Add the routes that send the current view of a game, once or as a stream."""

    @app.get("/api/games/{id}", response_model=models.View, summary="The current view", responses=OF_A_GAME)
    def get_game(found: AtTable, since: Since = None, drawing: Drawing = True) -> Response:
        return told(found[0], found[0].now, since, drawing)

    @app.get(
        "/api/games/{id}/stream",
        response_class=Response,
        summary="A stream of every new view, as Server-Sent Events",
        responses=OF_A_GAME
        | refusals(503)
        | {
            200: {
                "content": {"text/event-stream": {}},
                "description": "an event `view` for each view; an event `gone` if the game is deleted",
            }
        },
    )
    async def get_stream(
        found: AtTable,
        request: Request,
        since: Since = None,
        drawing: Drawing = True,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        if last_event_id and last_event_id.isascii() and last_event_id.isdigit():
            since = int(last_event_id[:18])
        streams: Streams = request.app.state.streams
        return streams.open(found[0], since, drawing, *limited(request, "most_streams"))


def limited(request: Request, limit: str) -> tuple[str, float]:
    """Return the address of a client, and the server's limit with the name `limit`. If the server has no limits, return
    "" and infinity.
    """
    limits: Limits | None = request.app.state.limits
    client: Client | None = request.scope.get("client_known")
    return (client.address, getattr(limits, limit)) if client and limits else ("", math.inf)


def add_replays(app: FastAPI) -> None:
    """Add the route for earlier positions of a game."""

    @app.get(
        "/api/games/{id}/moves/{n}",
        response_model=models.ReplayView,
        summary="The game after its first n moves",
        responses=OF_A_GAME,
    )
    def get_move(
        n: int,
        found: AtTable,
        since: Annotated[
            int | None,
            Query(description="a number of moves; the drawing is a difference from the drawing after these moves"),
        ] = None,
        drawing: Drawing = True,
    ) -> Response:
        table, now = found[0], found[0].now
        moment, before = replayed(now, n), None if since is None else replayed(now, since)
        view = moment.shown(before, drawing) | {"version": now.version, "replay": True, "fault": None, "thinking": None}
        return Json({"id": table.id, "title": table.title} | view)


def add_judgements(app: FastAPI) -> None:
    """Add the routes for the values that a bot gives to actions."""

    @app.get(
        "/api/games/{id}/hints",
        response_model=models.Hints,
        summary="The value that a bot gives to each legal action",
        responses=OF_A_GAME | refusals(503, 504),
    )
    async def get_hints(found: AtTable, tables: AllTables, bot: str = "greedy") -> Response:
        hints = await asyncio.wrap_future(tables.bots.hints(found[0], bot, found[1]))
        return Json(hints.to_dict(bot))

    @app.get(
        "/api/games/{id}/analysis",
        status_code=200,
        response_class=EventStream,
        response_model=models.AnalysisBegun | models.JudgedAnswer | models.AnalysisTotals | models.Error,
        summary="A bot's analysis of a finished game, action by action, as Server-Sent Events",
        responses=OF_A_GAME
        | refusals(409, 503, 504)
        | {
            200: {
                "description": "events `begin`, `answer` for each action that a player chose, and `totals`; "
                "if the bot fails during the analysis, `error` instead of `totals`"
            }
        },
    )
    async def get_analysis(found: AtTable, request: Request, bot: str = "greedy", drawing: Drawing = True) -> Response:
        analyses: Analyses = request.app.state.analyses
        return await analyses.open(found[0], bot, drawing, *limited(request, "most_analyses"))


def add_facts(app: FastAPI) -> None:
    """Add the routes for a game's features, record and position."""

    @app.get(
        "/api/games/{id}/features",
        response_model=models.Features,
        summary="Roads, cities, fields and buildings, with their owners and points",
        responses=OF_A_GAME,
    )
    def get_features(found: AtTable) -> Response:
        now = found[0].now
        return Json({"version": now.version, "features": features_view(now.game)})

    @app.get(
        "/api/games/{id}/record",
        response_class=Response,
        summary="The game record of a finished game, as one line of JSON",
        responses=OF_A_GAME | refusals(409) | {200: {"content": {"application/jsonl": {}}}},
    )
    def get_record(found: AtTable) -> Response:
        game = found[0].now.game
        if not game.is_over:
            raise Conflict(
                "the record of an unfinished game would reveal the order of the stack: request the position instead"
            )
        name = f"carc-{found[0].id}.jsonl"
        return Response(
            json.dumps(named(found[0].now).record()) + "\n",
            media_type="application/jsonl",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    @app.get(
        "/api/games/{id}/position",
        response_class=Response,
        summary="The position as one line of text, with everything that the player to act may know",
        responses=OF_A_GAME | {200: {"content": {"text/plain": {}}}},
    )
    def get_position(found: AtTable) -> Response:
        return Response(found[0].now.game.position() + "\n", media_type="text/plain")
