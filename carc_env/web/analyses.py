"""The analysis of a finished game as Server-Sent Events. The server sends an event for each move as soon as the bot has
evaluated the move. The last event tells how many points each player lost by not choosing the best actions.
"""

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastapi.concurrency import run_in_threadpool

from carc_env.arena.analysis import Judged, how_many, judged, totals
from carc_env.common.errors import CarcError
from carc_env.games.game import Game, retrace
from carc_env.notation.texts import shown
from carc_env.render.tile_art import tile_art
from carc_env.web.answer_places import answers_of
from carc_env.web.running_games import Tables
from carc_env.web.streams import EventStream
from carc_env.web.table import Conflict, Full, Table
from carc_env.web.turns_of_bots import Judge
from carc_env.web.versions import Moment
from carc_env.web.words import choice_in_words

MOST_ANALYSES = 4  # the maximum number of analyses that run at the same time, across all games
Event = tuple[str, dict[str, Any]]  # the name of an event, and its data as a dict for JSON


class Analyses:
    """Starts analyses, and limits how many of them run at the same time."""

    def __init__(self, tables: Tables):
        self._tables = tables
        # the number of running analyses for each address; the address is "" if the server has no limits
        self._running: Counter[str] = Counter()

    async def open(
        self, table: Table, spec: str, drawing: bool, address: str = "", most: float = math.inf
    ) -> EventStream:
        """Begin an analysis for a client. The bot evaluates the first move before the stream begins, so that errors can
        still be raised. Raises Conflict, SeatError, BotError or BotFault. Raises Full if there are too many analyses,
        or if the client's address already has the maximum number of analyses (`most`).
        """
        if self._running[address] >= most:
            raise Full(f"{self._running[address]} games are being analysed for this address: wait until one is done")
        events = self._events(table, spec, drawing, address)
        first = await anext(events)
        return EventStream(beginning_with(first, events))

    async def _events(self, table: Table, spec: str, drawing: bool, address: str) -> AsyncIterator[str]:
        """Yield the events as text. The events end when all moves are evaluated, the game is deleted, the server stops
        or the client disconnects.
        """
        now = table.now
        if not now.game.is_over:
            raise Conflict("the game is not over: it can be analysed only after its end")
        if self._running.total() >= MOST_ANALYSES:
            raise Full(f"{MOST_ANALYSES} games are being analysed: wait until one analysis is done")
        judge = self._tables.bots.judge(table.id, spec)
        self._running[address] += 1
        try:
            events = events_of(now, judge, drawing)
            while not (self._tables.is_over or table.is_gone) and (
                event := await run_in_threadpool(next, events, None)
            ):
                yield f"event: {event[0]}\ndata: {json.dumps(event[1], separators=(',', ':'))}\n\n"
        finally:
            self._running -= Counter([address])  # an address without running analyses is removed
            # in another thread, because it can take a while until an external program ends
            asyncio.get_running_loop().run_in_executor(None, judge.close)


async def beginning_with(first: str, events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the first event, which has already been produced, and then the other events."""
    yield first
    async for event in events:
        yield event


def events_of(moment: Moment, judge: Judge, drawing: bool = True) -> Iterator[Event]:
    """Yield the events of an analysis: first `begin`, then an event `answer` for each action that a player chose, and
    finally `totals`. If the bot fails to evaluate the first action, no event is yielded, and BotError or BotFault is
    raised. If the bot fails at a later action, the last event is `error`.
    """
    game = moment.game
    found: list[Judged] = []
    begin = "begin", {"bot": judge.name, "version": moment.version, "answers": how_many(game)}
    try:
        for answer, (_, before) in zip(judged(game, judge), retrace(game.record())):
            if not found:
                yield begin
            found.append(answer)
            yield "answer", told(answer, before, drawing)
    except CarcError as error:
        if not found:
            raise
        yield "error", {"error": str(error)}
        return
    if not found:
        yield begin
    yield "totals", {"totals": [total.to_dict() for total in totals(found, game.players)]}


def told(answer: Judged, before: Game, drawing: bool) -> dict[str, Any]:
    """Return a bot's evaluation of an action as a dict. If the action lost points and `drawing` is True, the dict also
    describes where on the board people would click for this action and for the best action.
    """
    legal = (shown(before.state, int(action)) for action in before.legal_actions())
    words = {one.text: choice_in_words(one) for one in legal}
    facts = {
        "move": answer.move,
        "player": answer.player,
        "phase": answer.phase,
        "answer": answer.answer,
        "words": words[answer.answer],
        "value": answer.value,
        "best": answer.best,
        "best_words": words[answer.best],
        "best_value": answer.best_value,
        "lost": answer.lost,
        "scores": list(answer.scores),
        "error": answer.error,
        "best_error": answer.best_error,
        "chance": answer.chance,
        "best_chance": answer.best_chance,
    }
    if not drawing:
        return facts
    places = {place["text"]: place for place in answers_of(before, before.board())} if answer.lost else {}
    better = places.get(answer.best)
    return facts | {"given": places.get(answer.answer), "better": better, "definitions": picture_of(better)}


def picture_of(answer: dict[str, Any] | None) -> dict[str, str]:
    """Return the picture of the tile that an action places. The result is a dict `{id: SVG}`. The dict is empty if the
    action places no tile.
    """
    if answer is None or answer["how"] != "tile":
        return {}
    return {f"tile-{answer['tile']}-{answer['rotation']}": tile_art(answer["tile"], answer["rotation"])}
