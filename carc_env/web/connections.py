"""Connections of clients. An idle connection is closed. Each address may have only a limited number of connections."""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from carc_env.web.guard import neighbourhood

MOST_SILENT = 20.0  # seconds that may pass without a new request
MOST_OF_AN_ADDRESS = 200  # open at a time


class Connection(H11Protocol):
    """A connection that is closed if no complete request arrives for some time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._answered: Any = None  # the last request at the time of the previous check
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request."""
        self._timer.cancel()
        super().connection_lost(exc)

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
    """A connection that counts the open connections of its address. A new connection is closed at once if its address
    already has MOST_OF_AN_ADDRESS open connections.
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
        """Subtract the closed connection from the number of open connections of its address."""
        self._open[self._address] -= 1
        if not self._open[self._address]:
            del self._open[self._address]
        super().connection_lost(exc)
