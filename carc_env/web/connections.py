"""Connections of clients: one on which nothing is asked is closed, and an address has a bounded number of them."""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from carc_env.web.guard import neighbourhood

MOST_SILENT = 20.0  # seconds from one request to the next, or to the first
MOST_OF_AN_ADDRESS = 200  # open at a time


class Connection(H11Protocol):
    """A connection that is closed while no request comes on it, also if half of one does."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._answered: Any = None  # the request that was the last one when it was looked at
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._timer.cancel()
        super().connection_lost(exc)

    def _look_again(self) -> None:
        self._timer = self.loop.call_later(MOST_SILENT, self._look)

    def _look(self) -> None:
        """Close the connection if nothing was asked since it was looked at last."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if not is_busy and self.cycle is self._answered:
            self.transport.close()
            return
        self._answered = None if is_busy else self.cycle
        self._look_again()


class CountedConnection(Connection):
    """The same, of which an address has so many at most; one more is closed at once."""

    _open: Counter[str] = Counter()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close it if there are too many."""
        super().connection_made(transport)
        self._address = neighbourhood(self.client[0] if self.client else "")
        self._open[self._address] += 1
        if self._open[self._address] > MOST_OF_AN_ADDRESS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """There is room for another one."""
        self._open[self._address] -= 1
        if not self._open[self._address]:
            del self._open[self._address]
        super().connection_lost(exc)
