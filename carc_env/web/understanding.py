"""HTTP routes for positions. With these routes, a client can let a bot evaluate a position, begin a new game from a
position, or look at a position that belongs to no stored game.
"""

from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import Response
from pydantic import ConfigDict, Field

from carc_env.web import models
from carc_env.web.branches import branch
from carc_env.web.choices import title_of
from carc_env.web.evaluations import Evaluation, Evaluations
from carc_env.web.features import features_view
from carc_env.web.posed_positions import moment_at
from carc_env.web.routing import (
    BEGINS,
    CHANGES,
    MAY_BEGIN,
    OF_A_GAME,
    SENT,
    AllTables,
    AtTable,
    Drawing,
    Json,
    refusals,
    seats_of,
    secrets_of,
    told,
)
from carc_env.web.turns_of_bots import Hints

CHEAP = "keen"  # the default bot for evaluations
POSITION: dict[str, Any] = {
    "position": '{"carc_env":1,"config":"base","deck":["U"],"starts":[["D",0,0,0]],"chips":[],"moves":[]}'
}


class Expected(models.Told):
    """A bot's evaluation of a position."""

    bot: str
    move: int | None = Field(description="number of moves before the position; null if the position belongs to no game")
    player: int | None = Field(description="the player to act; null when the game is over")
    margins: list[float | None] = Field(
        description="for each player the expected margin in points over the best other player; with more than two "
        "players it is null for all but the player to act"
    )
    chances: list[float | None] = Field(
        description="for each player the chance to win, from 0 to 1; in a game of more than two players, null until "
        "the game is over"
    )
    error: float | None = Field(description="standard error of the margin; null if unknown")
    over: bool = Field(
        description="true if the game is over in this position; the values are then the result of the game"
    )


class Branch(models.Sent):
    """The players of a new game that continues from a position."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"seats": [{"name": "Ada"}, {"bot": "greedy"}]}]}
    )

    seats: models.Seats | None = None
    same: bool = Field(False, description="true to keep the tile order of the old game; the old game must then be over")


class Position(models.Sent):
    """A position that belongs to no game."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [POSITION]})

    position: str = Field(description="on one line (docs/game.md)")


class JudgedPosition(Position):
    """A position together with the bot that evaluates the position."""

    bot: str = Field(CHEAP, description="one of the bots of /api/choices")


def add_understanding(app: FastAPI) -> None:
    """Add the HTTP routes of this module. Some routes are for positions of stored games, and others are for positions
    that belong to no stored game.
    """
    evaluations = Evaluations(app.state.tables)
    add_moments(app, evaluations)
    add_positions(app, evaluations)


def expectation(evaluation: Evaluation, bot: str, move: int | None) -> Response:
    """Return an evaluation as an HTTP response."""
    return Json({"bot": bot, "move": move} | evaluation)


def add_moments(app: FastAPI, evaluations: Evaluations) -> None:
    """Add the HTTP routes that evaluate a position of a stored game, or begin a new game from this position."""

    @app.get(
        "/api/games/{id}/moves/{n}/evaluation",
        response_model=Expected,
        summary="A bot's evaluation of the game after its first n moves",
        responses=OF_A_GAME | refusals(503, 504),
    )
    def get_evaluation(
        n: int, found: AtTable, bot: Annotated[str, Query(description="one of the bots of /api/choices")] = CHEAP
    ) -> Response:
        return expectation(evaluations.of_moment(found[0], n, bot), bot, n)

    @app.post(
        "/api/games/{id}/moves/{n}/branch",
        status_code=201,
        response_model=models.NewView,
        summary="Begin a new game from the position after the first n moves",
        responses=CHANGES | BEGINS,
        dependencies=MAY_BEGIN,
    )
    def post_branch(n: int, wish: Branch, found: AtTable, tables: AllTables, drawing: Drawing = True) -> Response:
        record = branch(found[0].now, n, wish.same)
        table, tokens = tables.load(record, None, seats_of(wish), found[0].id)
        return told(table, table.moments[0], None, drawing, 201, **secrets_of(tokens))


def add_positions(app: FastAPI, evaluations: Evaluations) -> None:
    """Add the HTTP routes for a position that the client sends. The server shows or evaluates the position, but does
    not store it.
    """

    @app.post("/api/positions", response_model=models.View, summary="The view of a position", responses=SENT)
    def post_position(wish: Position) -> Response:
        moment = moment_at(wish.position)
        return Json({"id": "position", "title": title_of(moment.game.config)} | moment.shown())

    @app.post(
        "/api/positions/features",
        response_model=models.Features,
        summary="Roads, cities, fields and buildings of a position",
        responses=SENT,
    )
    def post_position_features(wish: Position) -> Response:
        return Json({"version": 0, "features": features_view(moment_at(wish.position).game)})

    @app.post(
        "/api/positions/hints",
        response_model=models.Hints,
        summary="The value that a bot gives to each legal action of a posted position",
        responses=SENT | refusals(504),
    )
    def post_position_hints(wish: JudgedPosition) -> Response:
        game = moment_at(wish.position).game
        return Json(Hints.of(game, 0, evaluations.worths(game, wish.bot)).to_dict(wish.bot))

    @app.post(
        "/api/positions/evaluation",
        response_model=Expected,
        summary="A bot's evaluation of a position",
        responses=SENT | refusals(504),
    )
    def post_position_evaluation(wish: JudgedPosition) -> Response:
        return expectation(evaluations.of_position(moment_at(wish.position).game, wish.bot), wish.bot, None)
