"""The routes for the puzzles of the web page: their list, the view of each puzzle, and its solution."""

import zlib
from functools import cache, lru_cache
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from carc_env.arena.puzzles import LEAST_TOLD, Puzzle, Why, shipped
from carc_env.common.arguments import brief
from carc_env.common.palette import PLAYERS
from carc_env.games.game import Game
from carc_env.systems import SOURCE_NAMES
from carc_env.web.company import new_company
from carc_env.web.features import features_view
from carc_env.web.models import Error, Features, Told, View
from carc_env.web.seats import Seat
from carc_env.web.table import NoSuchGame
from carc_env.web.versions import Moment

GRADES = ("easy", "medium", "hard")  # each grade contains a third of the puzzles
REMEMBERED = 64  # the maximum number of puzzles whose views are cached
NOT_THERE: dict[int | str, dict[str, Any]] = {404: {"model": Error, "description": "there is no such puzzle"}}


class ListedPuzzle(Told):
    """A puzzle in the list."""

    id: str
    preset: str
    grade: str = Field(description="easy, medium or hard", examples=["easy"])
    difficulty: float = Field(
        description="how rarely a simulated beginner finds the best action, in bits (-log2 of the probability)"
    )


class PuzzleList(Told):
    """The puzzles, the easiest first."""

    puzzles: list[ListedPuzzle]


class ValuedAnswer(Told):
    """An action in a puzzle, with its value."""

    number: int = Field(description="the index of the action in the view's `answers`")
    text: str
    words: str
    gain: float = Field(
        description="final margin in points compared with the best action: 0 for the best, negative for others"
    )
    error: float = Field(description="standard error of the gain")
    why: list[str] = Field(description="how its points differ from those of the best action, in words")


class Solution(Told):
    """The values of all actions in a puzzle, estimated by long rollouts."""

    answers: list[ValuedAnswer] = Field(description="best first")
    greedy: str = Field(description="the text of the action that `greedy` chooses")


def add_puzzles(app: FastAPI) -> None:
    """Add the routes for the puzzles."""

    @app.get("/api/puzzles", response_model=PuzzleList, summary="The puzzles, the easiest first")
    def get_puzzles() -> Response:
        return JSONResponse({"puzzles": listed()})

    @app.get("/api/puzzles/{id}", response_model=View, summary="The view of a puzzle", responses=NOT_THERE)
    def get_puzzle(id: str) -> Response:
        puzzle, moment = find(id), moment_of(id)
        return JSONResponse({"id": id, "title": puzzle.preset} | moment.shown())

    @app.get(
        "/api/puzzles/{id}/features",
        response_model=Features,
        summary="Roads, cities, fields and buildings of a puzzle",
        responses=NOT_THERE,
    )
    def get_puzzle_features(id: str) -> Response:
        return JSONResponse({"version": 0, "features": features_view(moment_of(id).game)})

    @app.get(
        "/api/puzzles/{id}/solution",
        response_model=Solution,
        summary="The value of each action of a puzzle, with reasons",
        responses=NOT_THERE,
    )
    def get_solution(id: str) -> Response:
        return JSONResponse(solution(find(id), moment_of(id)))


# --- the list of puzzles ----------------------------------------------------------------------------------------------
@cache
def by_id() -> dict[str, Puzzle]:
    """Return a dict that maps ids to puzzles, the easiest first. An id does not change when other puzzles are added or
    removed.
    """
    return {f"{zlib.crc32(puzzle.position.encode()):08x}": puzzle for puzzle in shipped()}


def listed() -> list[dict[str, Any]]:
    """Return the list of puzzles as dicts for JSON."""
    puzzles = by_id()
    return [
        {
            "id": id,
            "preset": puzzle.preset,
            "grade": GRADES[len(GRADES) * number // len(puzzles)],
            "difficulty": puzzle.difficulty,
        }
        for number, (id, puzzle) in enumerate(puzzles.items())
    ]


def find(id: str) -> Puzzle:
    """Return the puzzle with the given id. Raises NoSuchGame."""
    if id not in by_id():
        raise NoSuchGame(f"there is no puzzle {brief(id)}")
    return by_id()[id]


@lru_cache(REMEMBERED)
def moment_of(id: str) -> Moment:
    """Return the position of a puzzle. The players are named after their colours."""
    # the seed does not matter, because no hidden information is shown
    game = Game.from_position(find(id).position, seed=0)
    return Moment(0, game, new_company(tuple(Seat(name) for name, *_ in PLAYERS[: game.players])))


# --- the solution -----------------------------------------------------------------------------------------------------
def solution(puzzle: Puzzle, moment: Moment) -> dict[str, Any]:
    """Return the solution of a puzzle as a dict for JSON."""
    legal = {answer["text"]: (number, answer["words"]) for number, answer in enumerate(moment.facts()["answers"])}
    other = "The other player" if moment.game.players == 2 else "The best other player"
    answers = [
        {
            "number": legal[text][0],
            "text": text,
            "words": legal[text][1],
            "gain": gain,
            "error": error,
            "why": [line for side, who in enumerate(("You", other)) if (line := told(why, side, who))],
        }
        for (text, gain, error), why in zip(puzzle.answers, puzzle.why)
    ]
    return {"answers": answers, "greedy": puzzle.greedy}


def told(why: Why, side: int, who: str) -> str:
    """Describe how many points a player gains or loses compared with the best action, separately for each source of
    points, such as roads. The largest gain or loss comes first. Gains and losses of less than LEAST_TOLD points are
    left out. If every gain and loss is less than LEAST_TOLD points, the description is empty.

    >>> told({"roads": (1.5, 0.0), "cities": (-6.2, 2.0)}, 0, "You")
    'You: −6.2 from cities, +1.5 from roads.'
    """
    points = [
        (of[side], SOURCE_NAMES.get(source, source.replace("_", " ")))
        for source, of in why.items()
        if abs(of[side]) >= LEAST_TOLD
    ]
    points.sort(key=lambda entry: (-abs(entry[0]), entry[1]))
    words = ", ".join(f"{value:+.1f} from {source}".replace("-", "−") for value, source in points)
    return f"{who}: {words}." if words else ""
