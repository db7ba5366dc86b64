"""Rate limits for each address and each access token, so that no client can keep other clients from playing. The limits
use the token bucket algorithm.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from carc_env.common.errors import CarcError

MOST_KNOWN = 10_000  # addresses or tokens that a limit remembers; then it forgets the least recently used one


class TooMany(CarcError):
    """A client has exceeded a limit. The message states the limit."""

    def __init__(self, message: str, seconds: int):
        super().__init__(message)
        self.seconds = seconds  # until the client may try again


class Client(NamedTuple):
    """The client that sends a request, identified by its address and its tokens."""

    address: str
    tokens: tuple[str, ...]  # hashes of the tokens that it sends, valid or not


@dataclass(frozen=True)
class Allowance:
    """A rate limit: a client may send `at_once` requests at once, and then `a_minute` requests per minute."""

    at_once: float
    a_minute: float

    def times(self, factor: float) -> "Allowance":
        """Return this limit multiplied by a factor."""
        return Allowance(factor * self.at_once, factor * self.a_minute)


REQUESTS = Allowance(300, 1800)
TABLES = Allowance(20, 4)
STREAMS = 100  # open at a time


class Buckets:
    """Token buckets with the same limit: one for each address, or one for each access token."""

    def __init__(self, allowance: Allowance):
        self._allowance = allowance
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when; oldest first

    def spend(self, keys: Iterable[str]) -> float:
        """Count one request for each of the client's keys. A key is an address or a token. Returns how many seconds the
        client must wait before the next request. Returns 0 if no address or token exceeds the limit.
        """
        return max((self._spend(key) for key in keys), default=0.0)

    def _spend(self, key: str) -> float:
        now, (most, a_minute) = time.monotonic(), (self._allowance.at_once, self._allowance.a_minute)
        left, since = self._left.pop(key, (most, now))
        left = min(most, left + (now - since) * a_minute / 60)
        self._left[key] = (left - 1 if left >= 1 else left), now
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) * 60 / a_minute


class Limits:
    """Counts the requests of each client, and enforces the rate limits.

    Args:
        factor: the factor by which all limits are multiplied.
        requests: the limit for requests from one address or with one token.
        tables: the limit for new games from one address or with one token.
        streams: the maximum number of streams that one address may have open at the same time.
    """

    def __init__(
        self, factor: float = 1.0, requests: Allowance = REQUESTS, tables: Allowance = TABLES, streams: int = STREAMS
    ):
        self.most_streams = math.ceil(factor * streams)
        self._limits = {
            "requests": (requests.times(factor), Buckets(requests.times(factor)), Buckets(requests.times(factor))),
            "new games": (tables.times(factor), Buckets(tables.times(factor)), Buckets(tables.times(factor))),
        }

    def request(self, client: Client) -> None:
        """Count a request from a client. Raises TooMany."""
        self._spend("requests", client)

    def table(self, client: Client) -> None:
        """Count a new game that a client begins. Raises TooMany."""
        self._spend("new games", client)

    def _spend(self, what: str, client: Client) -> None:
        allowance, by_address, by_token = self._limits[what]
        for whose, wait in (("address", by_address.spend([client.address])), ("token", by_token.spend(client.tokens))):
            if wait:
                seconds = math.ceil(wait)
                raise TooMany(
                    f"too many {what} from this {whose}: the limit is {allowance.at_once:g} at once and "
                    f"{allowance.a_minute:g} a minute; try again in {seconds} s",
                    seconds,
                )
