"""Streams of Server-Sent Events. The server sends every change in a game to everybody who watches the game."""

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from carc_env.web.running_games import Tables
from carc_env.web.table import Full, Table
from carc_env.web.versions import Moment

MOST_STREAMS = 1000  # the maximum number of open streams, across all games
MOST_OF_A_GAME = 50
STEP = 1.0  # seconds between two checks of the game's place in the queue
PULSE = 15.0  # seconds after which an idle stream sends a comment


class EventStream(StreamingResponse):
    """A response that sends Server-Sent Events."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str]):
        super().__init__(events, headers={"cache-control": "no-store", "x-accel-buffering": "no"})


class Streams:
    """The open streams."""

    def __init__(self, tables: Tables):
        self._tables = tables
        self._open: Counter[str] = Counter()  # the number of open streams for each game
        # the number of open streams for each address; the address is "" if the server has no limits
        self._of: Counter[str] = Counter()

    def open(
        self, table: Table, since: int | None, drawing: bool, address: str = "", most: float = math.inf
    ) -> EventStream:
        """Open a stream for a client. The stream first sends the current view of the game, and then a new view after
        each change. If the version `since` is still in memory, the drawing in the first view contains only the
        differences from this version. The drawing in each later view contains only the differences from the previous
        view. Raises Full if there are too many streams, or if the client's address already has the maximum number of
        streams (`most`).
        """
        if self._open.total() >= MOST_STREAMS or self._open[table.id] >= MOST_OF_A_GAME or self._of[address] >= most:
            raise Full("too many streams are open: close another page first")
        return EventStream(self._counted(table, since, drawing, address))

    async def _counted(self, table: Table, since: int | None, drawing: bool, address: str) -> AsyncIterator[str]:
        self._open[table.id] += 1
        self._of[address] += 1
        try:
            async for event in self._events(table, since, drawing):
                yield event
        finally:
            for open_streams, key in ((self._open, table.id), (self._of, address)):
                open_streams[key] -= 1
                if not open_streams[key]:
                    del open_streams[key]

    async def _events(self, table: Table, since: int | None, drawing: bool) -> AsyncIterator[str]:
        woken, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the event loop may have been closed
                loop.call_soon_threadsafe(woken.set)

        table.listen(wake)
        try:
            told, after = None if since is None else table.at(since), [table.now]
            while True:
                for moment in after:
                    yield await run_in_threadpool(event_of, table, moment, told, drawing)
                    told = moment
                if self._tables.is_over or table.is_put_away:
                    break
                before = table.tables_before
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(woken.wait(), STEP if before else PULSE)
                yield "" if woken.is_set() else meanwhile(table.tables_before) if before else ": still here\n\n"
                woken.clear()
                assert told is not None  # at least one view was sent
                after = table.after(told.version)
            if table.is_gone:
                yield "event: gone\ndata: {}\n\n"
        finally:
            table.leave(wake)


def meanwhile(before: int | None) -> str:
    """Return an event with the number of games that are ahead of the watched game in the queue."""
    return f"event: queue\ndata: {json.dumps({'tables_before': before})}\n\n"


def event_of(table: Table, moment: Moment, told: Moment | None, drawing: bool) -> str:
    """Return the view of a game as an event."""
    return f"id: {moment.version}\nevent: view\ndata: {table.text(moment, told, drawing)}\n\n"
