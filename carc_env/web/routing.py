"""Defines functions that several routes share. The functions describe errors, write JSON responses, and find the
tokens, the game and the seats of a request.
"""

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
    400: "the body is not JSON, or the request has too many tokens",
    401: "a token or the password is missing",
    403: "a wrong token or password, or a foreign origin",
    404: "there is no such game",
    409: "the game has another version, or it is not over",
    413: "the body is longer than a megabyte",
    415: "the content type is not JSON",
    422: "an invalid value or an illegal action",
    429: "too many requests or new games from this address or token; the header Retry-After gives the seconds to wait",
    503: "the server is full, or the database cannot be written",
    504: "the bot has not answered in time",
}


# the schema of models.Error; error responses are JSON, even if the other responses of the route are not
ERROR = {"$ref": "#/components/schemas/Error"}


class Json(Response):
    """A response with compact JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return a dict that maps status codes to descriptions of a route's error responses."""
    return {
        status: {"content": {"application/json": {"schema": ERROR}}, "description": REASONS[status]}
        for status in statuses
    }


PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}}}}
OF_A_GAME = refusals(401, 403, 404)
SENT = refusals(400, 403, 413, 415, 503)
BEGINS = SENT | refusals(401)
PASSWORD = "the server's password, percent-encoded, if it has one"
CHANGES = OF_A_GAME | SENT | refusals(409)
Drawing = Annotated[bool, Query(description="whether the view contains the drawing")]
Since = Annotated[
    int | None,
    Query(
        description="a version that the client knows; if the server still has this version, the drawing contains only "
        "the differences from it"
    ),
]


def error(status: int, reason: str) -> Response:
    """Return an error response with one sentence."""
    return JSONResponse(
        {"error": " ".join(reason.encode("utf-8", "backslashreplace").decode().split())[:480]},
        status,
        {"www-authenticate": "Bearer"} if status == 401 else None,
    )


# --- tokens, passwords and tables -------------------------------------------------------------------------------------
async def tables_of(request: Request) -> Tables:
    """Return all games of the server."""
    tables: Tables = request.app.state.tables
    return tables


async def persons_of(request: Request) -> Persons:
    """Return the object that performs the requests of people."""
    persons: Persons = request.app.state.persons
    return persons


async def tokens_of(
    request: Request,
    authorization: Annotated[
        str | None, Header(description="`Bearer TOKEN`, if the server uses tokens; several are separated by commas")
    ] = None,
    token: Annotated[
        str | None, Query(description="a token for streams and downloads, where a browser cannot send the header")
    ] = None,
) -> list[str]:
    """Return the tokens of a request. A token in the URL is accepted only for GET requests, because GET requests change
    nothing.
    """
    scheme, _, rest = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return [each.strip() for each in rest.split(",") if each.strip()]
    return [token] if token and request.method == "GET" else []


async def may_begin(
    request: Request, carc_password: Annotated[str | None, Header(description=PASSWORD)] = None
) -> None:
    """Check the password of a request that begins a game, if the server has a password. Raises Closed."""
    if request.app.state.password is not None:
        request.app.state.password.check(carc_password)


MAY_BEGIN = [Depends(may_begin)]
AllTables = Annotated[Tables, Depends(tables_of)]
AllPersons = Annotated[Persons, Depends(persons_of)]
Tokens = Annotated[list[str], Depends(tokens_of)]


async def table_of(id: str, tables: AllTables, tokens: Tokens) -> tuple[Table, Rights]:
    """Return a game, and the rights that the tokens give in it. Raises NoSuchGame and Closed."""
    table = tables.at_hand(id)
    if table is None:
        table = await run_in_threadpool(tables.find, id)
    return table, table.rights(tokens, tables.guarded)


AtTable = Annotated[tuple[Table, Rights], Depends(table_of)]


def told(table: Table, moment: Moment, since: int | None, drawing: bool, status: int = 200, **more: Any) -> Response:
    """Return the view of a game as an HTTP response."""
    return Response(
        table.text(moment, None if since is None else table.at(since), drawing, **more),
        status,
        media_type="application/json",
    )


# --- a new game -------------------------------------------------------------------------------------------------------
class Seated(Protocol):
    """A request to begin a game. The request can specify which player takes each seat."""

    seats: models.Seats | None


def seats_of(wish: Seated) -> list[dict[str, Any]] | None:
    """Return the seats in a request as dicts, or None if the request has no seats."""
    return None if wish.seats is None else [seat.model_dump() for seat in wish.seats]


def secrets_of(tokens: NewTokens | None) -> dict[str, Any]:
    """Return the tokens of a new game as a dict. Only the response to the person who begins the game contains these
    fields.
    """
    return {"tokens": tokens.seats, "watcher": tokens.watcher, "beginner": tokens.beginner} if tokens else {}
