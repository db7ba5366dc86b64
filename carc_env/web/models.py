"""The requests and responses of the page's server, as /openapi.json describes them."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt

AGAINST_GREEDY: dict[str, Any] = {"config": "base", "seats": [{"name": "Ada"}, {"bot": "greedy"}], "seed": 7}
OWN: dict[str, Any] = {
    "config": {"boxes": ["base", "abbot"], "players": 3},
    "seats": [{"name": "Ada"}, {"name": "Ben"}, {"bot": "random"}],
}


class Sent(BaseModel):
    """The base of requests: unknown fields are errors, and no value is converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SeatWish(Sent):
    """The player on a seat: a person, or one of the bots of /api/choices."""

    name: str | None = Field(None, description="1 to 40 letters; by default that of the bot, or `Player 1`")
    bot: str | None = Field(None, description="the spec of a bot; null: a person", examples=["greedy"])


Seats = Annotated[
    list[SeatWish], Field(min_length=2, max_length=6, description="one a player; without it all are persons")
]


class ClockWish(Sent):
    """The time of each person. When the time of a person is up, greedy plays on."""

    minutes: float = Field(gt=0, le=600, description="for the whole game")
    bonus: float = Field(0, ge=0, le=600, description="seconds more for each answer")


class NewGame(Sent):
    """The game to play, and its players."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [AGAINST_GREEDY, OWN]})

    config: str | dict[str, Any] = Field(
        "goldmines",
        description="a preset, or fields of a GameConfig (docs/configuration.md); "
        "`sheet` is the name of one that comes with the package, or a sheet as a table",
    )
    seats: Seats | None = None
    seed: StrictInt | None = Field(None, ge=0, lt=2**64, description="decides the deck; drawn if null")
    clock: ClockWish | None = Field(None, description="null: nobody is in a hurry")
    real_table: dict[str, Annotated[str, Field(max_length=1000)]] | None = Field(
        None,
        description="for a game that people play with cardboard, how the table lies: what each entry of a preset's "
        "`asked_before` asks for, as people write it; an answer may then also be what was drawn, such as `tile D`",
    )


class LoadedGame(Sent):
    """A game record or a position; exactly one of them."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [{"record": {"carc_env": 1, "config": "base", "deck": ["U", "V"], "moves": ["U@1,0/0"]}}]
        },
    )

    record: dict[str, Any] | None = Field(None, description="a game record (docs/game.md)")
    position: str | None = Field(None, description="a position on one line (docs/game.md)")
    seats: Seats | None = None


class Answer(Sent):
    """A move at the question of this version."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"version": 12, "answer": "meeple city N"}]}
    )

    version: int
    answer: str = Field(max_length=200, description="its text (docs/game.md), one of the view's `answers`")


class Undo(Sent):
    """The version that the client shows."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"version": 12}]})

    version: int


class Reply(Sent):
    """The reply to a wish to undo."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"wish": 13, "agree": True}]}
    )

    wish: int = Field(description="its `number`, as `company.wish` of the view tells it")
    agree: bool


class Claim(Sent):
    """The person who sits down."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"name": "Ben"}]})

    name: str | None = Field(None, description="1 to 40 letters; by default that which the seat has")


class Message(Sent):
    """A message."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"seat": 0, "text": "Well played!"}]}
    )

    seat: int = Field(description="who says it")
    text: str = Field(max_length=2000, description="1 to 200 letters")


class SeatChange(Sent):
    """The new player of a seat."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"bot": "greedy"}]})

    bot: str | None = Field(description="the spec of a bot; null: a person")
    name: str | None = Field(None, description="1 to 40 letters; by default that of the bot, or `Player 1`")
    version: int | None = Field(None, description="if given, it must be the present one")


# --- answers ----------------------------------------------------------------------------------------------------------
class Told(BaseModel):
    """The base of responses: these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Error(Told):
    """The reason of an error. Nothing has changed."""

    error: str = Field(examples=["the game is at version 13, not 12: somebody was quicker; look at it again"])


class PresetOffer(Told):
    """A preset."""

    name: str
    title: str
    players: list[int] = Field(description="at least, at most", examples=[[2, 5]])
    boxes: list[str]
    tiles_only: list[str] = Field(description="boxes of which only the tiles are used")
    sheet: str | None
    tiles: int = Field(description="how many are drawn")
    asked_before: list[dict[str, str]] = Field(
        description="what must be said before a game at a real table: `key`, `question`, `example`"
    )


class BotOffer(Told):
    """A bot."""

    spec: str
    name: str
    rating: int | None = Field(description="of a level, on `base`: 1000 is that of `greedy`; else null")
    presets: list[str] | None = Field(description="those it was trained on; null: it plays all alike")


class SheetOffer(Told):
    """A sheet that comes with the package."""

    name: str
    title: str


class Choices(Told):
    """The contents of the form for a new game."""

    presets: list[PresetOffer]
    bots: list[BotOffer]
    boxes: list[str]
    titles: dict[str, str] = Field(description="of the boxes")
    settings: dict[str, list[Any]] = Field(description="fields of a GameConfig with their values, the default first")
    sheets: list[SheetOffer]
    tokens: bool = Field(description="whether seats have tokens here")
    password: bool = Field(description="whether who begins a game needs a password")


class ListedGame(Told):
    """A game in the list."""

    id: str
    title: str
    seats: list["Seat"]
    started: float = Field(description="seconds since 1970")
    changed: float
    over: bool
    scores: list[int]
    n_moves: int
    player: int | None = Field(description="who is asked; null when the game is over")
    yours: list[int] = Field(description="the seats that the tokens of the request open")


class Seat(Told):
    """A seat that is taken."""

    name: str
    bot: str | None


class Games(Told):
    """The stored games, the most recently changed first. If seats have tokens, only those of the request."""

    games: list[ListedGame]


class Line(Told):
    """A line that everybody at a table can read."""

    text: str
    seat: int | None = Field(description="who says it; null: the table itself")
    told: float = Field(description="seconds since 1970")


class Wish(Told):
    """A wish to undo. The other persons are asked to agree."""

    number: int
    seat: int = Field(description="whose wish it is")
    moves: int = Field(description="the number of moves that would be left")
    agreed: list[int]


class Clock(Told):
    """The time of the persons. It runs for the person who has to act."""

    seconds: float = Field(description="that each had at the beginning")
    bonus: float = Field(description="seconds more for each answer")
    left: list[float] = Field(description="seconds of each seat at the time `since`")
    since: float = Field(description="seconds since 1970, by the server's clock")


class Company(Told):
    """Everything known about a table besides its game and its players."""

    claims: list[int] = Field(description="how often each seat got another token: older ones open it no more")
    talk: list[Line] = Field(description="what was told last")
    wish: Wish | None
    clock: Clock | None
    rematch: str | None = Field(description="the id of the game that follows this one")


class Hurried(Told):
    """A bot had less time than its own, because many tables waited."""

    ms: float = Field(description="that it had")
    own: float = Field(description="milliseconds that it has if nobody waits")


class View(BaseModel):
    """Everything that may be seen of a game. docs/http.md explains how a drawing is composed."""

    model_config = ConfigDict(extra="allow")  # of the drawing and its players: carc_env.web.view

    id: str
    title: str
    version: int = Field(description="grows by one with every change")
    since: int | None = Field(description="the version to which the drawing is a difference; null: it is whole")
    fault: str | None = Field(description="why the bot that is asked has not answered")
    thinking: int | None = Field(description="the seat whose bot is thinking, or waits for its turn to think")
    tables_before: int | None = Field(
        None, description="how many tables have their turn before that bot: 0 while it thinks; null where none is asked"
    )
    hurried: Hurried | None = Field(
        None,
        description="the time of the bot that gave the last answer, if many tables waited and it had less than its own",
    )
    company: Company
    phase: str = Field(description="the question asked", examples=["PLACE_FIGURE"])
    player: int | None = Field(description="who is asked; null when the game is over")
    over: bool
    question: str = Field(description="in words")
    asked: str | None = Field(description="the question, said to who is asked; null when the game is over")
    why: dict[str, str] | None = Field(
        description="why it is asked, as `words`, and the `box` that asks it; null when nothing is asked"
    )
    boxes: dict[str, str] = Field(description="the boxes in play with their titles")
    tiles: dict[str, dict[int, str]] = Field(description="the tiles that may be laid, at each rotation, in words")
    left_words: dict[str, str] = Field(description="the tiles of `left` in words")
    tile: str | None = Field(description="in hand")
    tiles_left: int
    supplies: list[str] = Field(
        description="what lies beside the table for all, in words", examples=[["6 ingots in the supply"]]
    )
    n_moves: int
    moves: list[dict[str, Any]] = Field(description="the last twelve")
    players: list[dict[str, Any]]
    left: dict[str, int] = Field(description="how many of each tile are in the stack")
    events: list[dict[str, Any]] = Field(description="what the last answer caused")
    answers: list[dict[str, Any]] = Field(
        description="the legal answers, each with its `text`, its `words` and what it `means`, null if there is nothing to say"
    )
    draws: list[dict[str, Any]] | None = Field(
        None, description="at a real table, while something is to be drawn: what it may be, each with its `text`"
    )
    drawing: dict[str, Any] | None = Field(None, description="left out with ?drawing=false")


class NewView(View):
    """The first view of a game."""

    tokens: list[str] | None = Field(
        None, description="one a seat, told only here, and only where the server listens elsewhere than on this machine"
    )
    watcher: str | None = Field(None, description="the token of all who only look on")
    beginner: str | None = Field(None, description="the token that deletes the game, and hands any seat over")


class SeatView(View):
    """The view after a seat got another player."""

    token: str | None = Field(None, description="that of the seat from now on, if it is another and yours; only here")


class ReplayView(BaseModel):
    """A view of an earlier moment of the game, in which nobody can act."""

    model_config = ConfigDict(extra="allow")

    id: str
    replay: bool
    n_moves: int
    since: int | None = Field(
        description="the number of moves to whose drawing this is a difference; null: it is whole"
    )


class Hints(Told):
    """A bot's values of the legal moves."""

    bot: str
    version: int
    values: list[tuple[int, float]] = Field(
        description="the number of the answer in the view's list and its value in points, best first"
    )
    errors: list[float | None] = Field(description="standard errors of these values; null where none is known")
    chances: list[float | None] = Field(
        description="chances to win that these values mean, from 0 to 1; null for more than two players"
    )
    hurried: Hurried | None = Field(description="its time, if many tables waited and it had less than its own")


class AnalysisBegun(Told):
    """The data of the event `begin`."""

    bot: str
    version: int
    answers: int = Field(description="how many will be judged")


class JudgedAnswer(Told):
    """The data of an event `answer`. Values are the margins in points that the bot expects for the player who moved."""

    move: int = Field(description="the number of the answer: /moves/{n} shows the game after it")
    player: int
    phase: str = Field(description="the question", examples=["PLACE_FIGURE"])
    answer: str = Field(examples=["meeple city N"])
    words: str
    value: float | None = Field(description="of the answer; null if the bot says nothing of it")
    best: str = Field(description="the answer that the bot would have given")
    best_words: str
    best_value: float
    lost: float | None = Field(description="points by which the answer is worth less")
    scores: list[int] = Field(description="of all players, after it")
    error: float | None = Field(description="standard error of `value`; null where none is known")
    best_error: float | None = Field(description="standard error of `best_value`")
    chance: float | None = Field(description="to win, by `value`, from 0 to 1; null for more than two players")
    best_chance: float | None = Field(description="to win, by `best_value`")
    given: dict[str, Any] | None = Field(
        None,
        description="where points were lost: the answer as one of a view's `answers`, with its place; "
        "left out with ?drawing=false",
    )
    better: dict[str, Any] | None = Field(None, description="the same of the best answer")
    definitions: dict[str, str] | None = Field(None, description="the tile that the best answer lays, id -> SVG")


class TotalOfPlayer(Told):
    """The losses of a player in a game."""

    player: int
    answers: int = Field(description="those of which the bot says something")
    lost: float
    average: float
    worst: list[int] = Field(description="the numbers of the answers with which most was lost, five at most")


class AnalysisTotals(Told):
    """The data of the event `totals`, the last one."""

    totals: list[TotalOfPlayer]


class FeatureView(Told):
    """A road, city, field or building on the table."""

    kind: str
    places: list[tuple[int, int, str | None]] = Field(description="x, y and spot of each part")
    points: list[tuple[float, float]] = Field(description="where on the board, 100 a cell")
    owners: list[int] = Field(description="who has the majority")
    strength: list[int] = Field(description="of the followers of each player")
    worth: int = Field(description="points if it were scored now")
    each: list[int] = Field(description="points that each player would get")
    complete: bool
    tiles: int
    open: int


class Features(Told):
    """All features of a game at a version."""

    version: int
    features: list[FeatureView]


class Deleted(Told):
    """The game has been deleted."""

    deleted: str
