"""Connections of clients. A connection is closed if it is idle, or if its client does not read what the server sends.
Each address may have only a limited number of connections.
"""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from carc_env.web.guard import neighbourhood

MOST_SILENT = 20.0  # seconds that may pass without a new request
MOST_UNREAD = 30.0  # seconds that the server waits for a client that does not read
MOST_OF_AN_ADDRESS = 200  # connections that one address may have open at the same time


class Connection(H11Protocol):
    """A connection that is closed if no complete request arrives for some time, or if the client does not read."""

    _reading: asyncio.TimerHandle | None = None  # the timer that closes the connection; set while sending is blocked

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._answered: Any = None  # the last request if it was answered before the previous check, otherwise None
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers of this connection."""
        self._timer.cancel()
        self._is_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer that closes the connection if the client does not read. Without this timer, a client could
        keep its stream or its analysis open forever by never reading.
        """
        super().pause_writing()
        self._reading = self._reading or self.loop.call_later(MOST_UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer that `pause_writing` has started, because the client has read."""
        super().resume_writing()
        self._is_read()

    def _is_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _look_again(self) -> None:
        self._timer = self.loop.call_later(MOST_SILENT, self._look)

    def _look(self) -> None:
        """Close the connection if no request has arrived since the previous check."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if not is_busy and self.cycle is self._answered:
            self.transport.close()
            return
        self._answered = None if is_busy else self.cycle
        self._look_again()


class CountedConnection(Connection):
    """A connection whose class counts the open connections of each address. A new connection is closed at once if its
    address already has MOST_OF_AN_ADDRESS open connections.
    """

    _open: Counter[str] = Counter()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and close it if its address has too many connections."""
        super().connection_made(transport)
        self._address = neighbourhood(self.client[0] if self.client else "")
        self._open[self._address] += 1
        if self._open[self._address] > MOST_OF_AN_ADDRESS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Reduce the number of open connections of the address by one."""
        self._open[self._address] -= 1
        if not self._open[self._address]:
            del self._open[self._address]
        super().connection_lost(exc)
