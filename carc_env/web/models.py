"""The requests and responses of the page's server, as /openapi.json describes them."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt

AGAINST_GREEDY: dict[str, Any] = {"config": "base", "seats": [{"name": "Ada"}, {"bot": "greedy"}], "seed": 7}
OWN: dict[str, Any] = {
    "config": {"boxes": ["base", "abbot"], "players": 3},
    "seats": [{"name": "Ada"}, {"name": "Ben"}, {"bot": "random"}],
}


class Sent(BaseModel):
    """The base class of requests. An unknown field is an error. No value is converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SeatWish(Sent):
    """The player in a seat: a person, or one of the bots that /api/choices lists."""

    name: str | None = Field(None, description="1 to 40 characters; by default the bot's name, or `Player 1` and so on")
    bot: str | None = Field(None, description="the spec of a bot; null for a person", examples=["greedy"])


Seats = Annotated[
    list[SeatWish],
    Field(min_length=2, max_length=6, description="one entry per player; by default, all players are people"),
]


class ClockWish(Sent):
    """The time that each person has for a game. If a person's time runs out, `greedy` plays the rest of the game for
    this person.
    """

    minutes: float = Field(gt=0, le=600, description="minutes for the whole game")
    bonus: float = Field(0, ge=0, le=600, description="seconds that each action adds")


class NewGame(Sent):
    """A request to begin a game, with its configuration and its players."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [AGAINST_GREEDY, OWN]})

    config: str | dict[str, Any] = Field(
        "goldmines",
        description="the name of a preset, or the fields of a GameConfig (docs/configuration.md); "
        "`sheet` is the name of a sheet of the package, or a sheet as an object",
    )
    seats: Seats | None = None
    seed: StrictInt | None = Field(
        None, ge=0, lt=2**64, description="decides the order of the stack; chosen at random if null"
    )
    clock: ClockWish | None = Field(None, description="null for a game without a time limit")
    real_table: dict[str, Annotated[str, Field(max_length=1000)]] | None = Field(
        None,
        description="for a game that people play with cardboard tiles: one text for each `key` in the preset's "
        "`asked_before`; an answer may then also be the result of a draw, such as `tile D`",
    )


class LoadedGame(Sent):
    """A request to continue a game from a game record or from a position. Exactly one of `record` and `position` must
    be given.
    """

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
    """An action, and the version of the game in which the player chooses the action."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"version": 12, "answer": "meeple city N"}]}
    )

    version: int
    answer: str = Field(max_length=200, description="the text of one of the view's `answers` (docs/game.md)")


class Undo(Sent):
    """A request to undo a person's last move. `version` is the version of the game that the client shows."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"version": 12}]})

    version: int


class Reply(Sent):
    """A reply that accepts, refuses or withdraws an undo request."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"wish": 13, "agree": True}]}
    )

    wish: int = Field(description="the `number` of the request, from `company.wish` in the view")
    agree: bool


class Claim(Sent):
    """A request to take a seat, with the name of the person."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"name": "Ben"}]})

    name: str | None = Field(None, description="1 to 40 characters; by default the current name of the seat")


class Message(Sent):
    """A message for everybody in the game."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"seat": 0, "text": "Well played!"}]}
    )

    seat: int = Field(description="the seat of its author")
    text: str = Field(max_length=2000, description="1 to 200 characters")


class SeatChange(Sent):
    """A request to hand a seat to another player."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"bot": "greedy"}]})

    bot: str | None = Field(description="the spec of a bot; null for a person")
    name: str | None = Field(None, description="1 to 40 characters; by default the bot's name, or `Player 1` and so on")
    version: int | None = Field(None, description="if given, it must be the current version")


# --- responses --------------------------------------------------------------------------------------------------------
class Told(BaseModel):
    """The base class of responses. A response has exactly the fields of its class."""

    model_config = ConfigDict(extra="forbid")


class Error(Told):
    """The body of an error response. The body gives the reason for the failure. A failed request changes nothing."""

    error: str = Field(
        examples=[
            "the game is at version 13, not 12: the request has the version of another position; request the game again"
        ]
    )


class PresetOffer(Told):
    """A preset that can be played."""

    name: str
    title: str
    players: list[int] = Field(description="the least and the greatest number of players", examples=[[2, 5]])
    boxes: list[str]
    tiles_only: list[str] = Field(description="boxes of which only the tiles are used")
    sheet: str | None
    tiles: int = Field(description="the number of tiles, including start tiles")
    asked_before: list[dict[str, str]] = Field(
        description="the questions before a game with cardboard tiles, each with its `key`, `question` and `example`"
    )


class BotOffer(Told):
    """A bot that can be chosen."""

    spec: str
    name: str
    rating: int | None = Field(
        description="the rating of a level on `base`, where `greedy` has 1000; null for other bots"
    )
    presets: list[str] | None = Field(
        description="the presets on which the bot was trained; null if the bot can play all presets"
    )


class SheetOffer(Told):
    """A map sheet that comes with the package."""

    name: str
    title: str


class SettingWords(Told):
    """A setting of the game, described in words."""

    label: str = Field(examples=["Sharing ingots"])
    values: list[str] = Field(description="a description of each value, in the order of `settings`")
    about: str | None = Field(
        description="the box to which the setting belongs, or `sheet` if it needs a map sheet; null if every game has "
        "it. In other games, the setting must keep its default"
    )


class Choices(Told):
    """The contents of the form for a new game."""

    presets: list[PresetOffer]
    bots: list[BotOffer]
    boxes: list[str]
    titles: dict[str, str] = Field(description="the titles of the boxes")
    settings: dict[str, list[Any]] = Field(
        description="the possible values of fields of a GameConfig, the default first"
    )
    words: dict[str, SettingWords] = Field(description="the settings in words")
    most_players: dict[str, int] = Field(
        description="for each box, the most players that it allows. The greatest of these numbers holds for a game, "
        "and the number of `base` holds for every game"
    )
    sheets: list[SheetOffer]
    tokens: bool = Field(description="true if the server uses tokens")
    password: bool = Field(description="true if beginning a game needs a password")


class ListedGame(Told):
    """A game in the list of games."""

    id: str
    title: str
    seats: list["Seat"]
    started: float = Field(description="seconds since 1970")
    changed: float
    over: bool
    scores: list[int]
    n_moves: int
    player: int | None = Field(
        description="the player to act; null if the game is over, or waits for a drawn tile or chip"
    )
    yours: list[int] = Field(description="the seats that the tokens of the request are valid for")


class Seat(Told):
    """The player in a seat."""

    name: str
    bot: str | None


class Games(Told):
    """The stored games, the most recently changed first. If the server uses tokens, the list contains only games for
    which the request has a token.
    """

    games: list[ListedGame]


class Line(Told):
    """A line in the chat of a game."""

    text: str
    seat: int | None = Field(description="the seat of its author; null for a report of an event")
    told: float = Field(description="seconds since 1970")


class Wish(Told):
    """A request to undo moves. The other people in the game have to agree to the request."""

    number: int
    seat: int = Field(description="the seat of the person who made it")
    moves: int = Field(description="the number of moves that would remain after the undo")
    agreed: list[int]


class Clock(Told):
    """The remaining thinking time of each person. The clock runs for the person who has to act."""

    seconds: float = Field(description="seconds that each person had at the beginning")
    bonus: float = Field(description="seconds that each action adds")
    left: list[float] = Field(description="seconds that each seat had left at the time `since`")
    since: float = Field(description="seconds since 1970, by the server's clock")


class Company(Told):
    """Everything about a game apart from its position and its players."""

    claims: list[int] = Field(description="how often the token for each seat has changed; older tokens are invalid")
    talk: list[Line] = Field(description="the last lines of the chat")
    wish: Wish | None
    clock: Clock | None
    rematch: str | None = Field(description="the id of the game that follows this one")


class Hurried(Told):
    """A bot's reduced thinking time while many games wait in the queue."""

    ms: float = Field(description="milliseconds that the bot had")
    own: float = Field(description="milliseconds that the bot has if no other game waits")


class View(BaseModel):
    """The view of a game, with all information that is visible to all players. The page docs/http.md describes the
    field `drawing`.
    """

    model_config = ConfigDict(extra="allow")  # for the further fields, see carc_env.web.view

    id: str
    title: str
    version: int = Field(description="grows by one with every change")
    since: int | None = Field(
        description="the drawing describes the changes since this version; null if the drawing is complete"
    )
    fault: str | None = Field(description="why the bot that has to act has failed")
    thinking: int | None = Field(description="the seat whose bot is thinking, or waits for its turn to think")
    tables_before: int | None = Field(
        None, description="how many games are ahead in the queue: 0 while the bot thinks, null if no bot has to act"
    )
    hurried: Hurried | None = Field(
        None,
        description="the thinking time of the bot that acted last; null unless the bot had less time than usual, "
        "because many games were waiting",
    )
    company: Company
    phase: str = Field(description="the kind of decision", examples=["PLACE_FIGURE"])
    player: int | None = Field(
        description="the player to act; null if the game is over, or waits for a drawn tile or chip"
    )
    over: bool
    question: str = Field(description="the current decision in words")
    asked: str | None = Field(
        description="the current decision in words for the player to act; null if no player has to act"
    )
    why: dict[str, str] | None = Field(
        description="why the player has to decide (`words`), and the `box` with the rule; null if no player has to act"
    )
    boxes: dict[str, str] = Field(description="the boxes in play with their titles")
    tiles: dict[str, dict[int, str]] = Field(
        description="descriptions of the tiles that may be placed, for each rotation"
    )
    left_words: dict[str, str] = Field(description="the tiles of `left` in words")
    tile: str | None = Field(description="the tile in hand")
    tiles_left: int
    supplies: list[str] = Field(
        description="the supplies that all players share, in words", examples=[["6 ingots in the supply"]]
    )
    n_moves: int
    moves: list[dict[str, Any]] = Field(description="the last twelve moves, each with its `events`")
    players: list[dict[str, Any]]
    left: dict[str, int] = Field(description="the number of tiles of each kind in the stack")
    events: list[dict[str, Any]] = Field(description="the events of the last action")
    answers: list[dict[str, Any]] = Field(
        description="the legal actions, each with its `text`, its `words` and its effect (`means`, which may be null)"
    )
    draws: list[dict[str, Any]] | None = Field(
        None,
        description="for cardboard tiles, while a draw has to be entered: its possible results, each with its `text`",
    )
    drawing: dict[str, Any] | None = Field(None, description="left out with ?drawing=false")


class NewView(View):
    """The view of a new game, with tokens if the server uses tokens."""

    tokens: list[str] | None = Field(
        None, description="one token per seat, only in this response, and only if the server uses tokens"
    )
    watcher: str | None = Field(None, description="the token for people who only watch")
    beginner: str | None = Field(None, description="the token for deleting the game and for handing over any seat")


class SeatView(View):
    """The view of a game after a seat was handed to another player."""

    token: str | None = Field(
        None, description="the new token for the seat, if the sender gets one; only in this response"
    )


class ReplayView(BaseModel):
    """A view of an earlier position of the game. Nobody can act in this view."""

    model_config = ConfigDict(extra="allow")

    id: str
    replay: bool
    n_moves: int
    since: int | None = Field(
        description="the drawing describes the changes since the position after this number of moves; null if the "
        "drawing is complete"
    )


class Hints(Told):
    """A bot's estimate of the value of each legal action."""

    bot: str
    version: int
    values: list[tuple[int, float]] = Field(
        description="for each action its index in the view's `answers` and its value in points, best first"
    )
    errors: list[float | None] = Field(description="standard errors of these values; null if unknown")
    chances: list[float | None] = Field(
        description="the chances to win, from 0 to 1, that follow from these values; null for more than two players"
    )
    hurried: Hurried | None = Field(
        description="the thinking time of the bot; null unless the bot had less time than usual, because many games "
        "were waiting"
    )


class AnalysisBegun(Told):
    """The JSON content of the event `begin`, the first event of an analysis."""

    bot: str
    version: int
    answers: int = Field(description="the number of actions that will be judged")


class JudgedAnswer(Told):
    """The JSON content of an event `answer` in an analysis. Each value is the margin in points that the bot expects for
    the player who moved.
    """

    move: int = Field(description="the number of the action; /moves/{n} shows the game after it")
    player: int
    phase: str = Field(description="the kind of decision", examples=["PLACE_FIGURE"])
    answer: str = Field(examples=["meeple city N"])
    words: str
    value: float | None = Field(description="the value of the action; null if the bot gives none")
    best: str = Field(description="the action that the bot prefers")
    best_words: str
    best_value: float
    lost: float | None = Field(description="the points that the action lost compared with the best one")
    scores: list[int] = Field(description="the scores of all players after the action")
    error: float | None = Field(description="standard error of `value`; null if unknown")
    best_error: float | None = Field(description="standard error of `best_value`")
    chance: float | None = Field(
        description="the chance to win that follows from `value`, from 0 to 1; null for more than two players"
    )
    best_chance: float | None = Field(description="the chance to win that follows from `best_value`")
    given: dict[str, Any] | None = Field(
        None,
        description="if points were lost: the action with its place, like an entry of a view's `answers`; "
        "left out with ?drawing=false",
    )
    better: dict[str, Any] | None = Field(None, description="like `given`, for the best action")
    definitions: dict[str, str] | None = Field(None, description="the tile that the best action places (id -> SVG)")


class TotalOfPlayer(Told):
    """The points that a player lost in a game, compared with the best actions."""

    player: int
    answers: int = Field(description="the number of actions for which the bot gives values")
    unknown: int = Field(description="the number of actions to which the bot gave no value")
    lost: float
    average: float
    worst: list[int] = Field(description="the numbers of the actions that lost the most points, at most five")


class AnalysisTotals(Told):
    """The JSON content of the event `totals`, the last event of an analysis."""

    totals: list[TotalOfPlayer]


class FeatureView(Told):
    """A road, city, field or building on the table."""

    kind: str
    places: list[tuple[int, int, str | None]] = Field(description="x, y and spot of each segment")
    points: list[tuple[float, float]] = Field(
        description="where to show the segments on the board, with 100 units per cell"
    )
    owners: list[int] = Field(description="the players with the majority")
    strength: list[int] = Field(description="the total strength of each player's followers")
    worth: int = Field(description="points for the feature if it were scored now")
    each: list[int] = Field(description="points that each player would score for the feature now")
    complete: bool
    tiles: int
    open: int


class Features(Told):
    """All features on the table. The number `version` increases by one with every change of the game."""

    version: int
    features: list[FeatureView]


class Deleted(Told):
    """The game has been deleted."""

    deleted: str
