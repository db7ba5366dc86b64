"""What routes share: descriptions of refusals, JSON, who asks and for which table, and how a new game is told."""

import json
from typing import Annotated, Any, Protocol

from fastapi import Depends, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from carc_env.web import models
from carc_env.web.running_games import Tables
from carc_env.web.seats import Rights
from carc_env.web.seats import Tokens as NewTokens
from carc_env.web.table import Table
from carc_env.web.turns_of_persons import Persons
from carc_env.web.versions import Moment

REASONS = {
    400: "no JSON",
    401: "a token is needed, or the password",
    403: "a token of another seat or game, or a foreign origin",
    404: "there is no such game",
    409: "the version is not the present one, or the game is not over",
    413: "more than a megabyte",
    415: "not called JSON by its header",
    422: "not what could be meant, or not legal",
    429: "too many requests, or new tables, by this address or token; the header Retry-After tells the seconds to wait",
    503: "no room, or the database cannot be written",
    504: "the bot has not answered in time",
}


ERROR = {"$ref": "#/components/schemas/Error"}  # models.Error, which is JSON also where the route answers otherwise


class Json(Response):
    """JSON text that is sent as it is."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for its description."""
    return {
        status: {"content": {"application/json": {"schema": ERROR}}, "description": REASONS[status]}
        for status in statuses
    }


PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}}}}
OF_A_GAME = refusals(401, 403, 404)
SENT = refusals(400, 403, 413, 415, 503)
BEGINS = SENT | refusals(401)
PASSWORD = "the server's password, percent-encoded, where it asks for one"
CHANGES = OF_A_GAME | SENT | refusals(409)
Drawing = Annotated[bool, Query(description="whether there is a drawing in the view")]
Since = Annotated[
    int | None,
    Query(description="a version that is known: the drawing is a difference to it, if the server still knows it too"),
]


def error(status: int, reason: str) -> Response:
    """An error as one sentence."""
    return JSONResponse(
        {"error": " ".join(reason.encode("utf-8", "backslashreplace").decode().split())[:480]},
        status,
        {"www-authenticate": "Bearer"} if status == 401 else None,
    )


# --- who asks, and for what -------------------------------------------------------------------------------------------
async def tables_of(request: Request) -> Tables:
    """All tables."""
    tables: Tables = request.app.state.tables
    return tables


async def persons_of(request: Request) -> Persons:
    """Those who play."""
    persons: Persons = request.app.state.persons
    return persons


async def tokens_of(
    request: Request,
    authorization: Annotated[
        str | None, Header(description="`Bearer TOKEN`, where seats have tokens; several have commas between them")
    ] = None,
    token: Annotated[
        str | None, Query(description="the same, for streams and downloads, where a browser sends no headers")
    ] = None,
) -> list[str]:
    """The tokens of a request; in the address only where nothing is changed."""
    scheme, _, rest = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return [each.strip() for each in rest.split(",") if each.strip()]
    return [token] if token and request.method == "GET" else []


async def may_begin(
    request: Request, carc_password: Annotated[str | None, Header(description=PASSWORD)] = None
) -> None:
    """Who begins a game knows the password, if there is one. Raises Closed."""
    if request.app.state.password is not None:
        request.app.state.password.check(carc_password)


MAY_BEGIN = [Depends(may_begin)]
AllTables = Annotated[Tables, Depends(tables_of)]
AllPersons = Annotated[Persons, Depends(persons_of)]
Tokens = Annotated[list[str], Depends(tokens_of)]


async def table_of(id: str, tables: AllTables, tokens: Tokens) -> tuple[Table, Rights]:
    """The table of a game, and what the tokens allow there. Raises NoSuchGame, Closed."""
    table = tables.at_hand(id)
    if table is None:
        table = await run_in_threadpool(tables.find, id)
    return table, table.rights(tokens, tables.guarded)


AtTable = Annotated[tuple[Table, Rights], Depends(table_of)]


def told(table: Table, moment: Moment, since: int | None, drawing: bool, status: int = 200, **more: Any) -> Response:
    """A view as a response."""
    return Response(
        table.text(moment, None if since is None else table.at(since), drawing, **more),
        status,
        media_type="application/json",
    )


# --- a new game -------------------------------------------------------------------------------------------------------
class Seated(Protocol):
    """What names seats."""

    seats: models.Seats | None


def seats_of(wish: Seated) -> list[dict[str, Any]] | None:
    """The seats that a request asks for."""
    return None if wish.seats is None else [seat.model_dump() for seat in wish.seats]


def secrets_of(tokens: NewTokens | None) -> dict[str, Any]:
    """The tokens of a new game, for the person who begins it."""
    return {"tokens": tokens.seats, "watcher": tokens.watcher, "beginner": tokens.beginner} if tokens else {}
