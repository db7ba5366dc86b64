"""Rate limits for each address and each access token, so that no client can keep other clients from playing. The limits
use the token bucket algorithm.

All people in a game share one token for watching the game. The limit of a token is several times as high as the limit
of an address. Therefore, one person alone cannot use up the limit of the shared token. A request is rejected if the
limit of its address is exceeded. A request with tokens is also rejected if the limits of all its tokens are exceeded.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from carc_env.common.errors import CarcError

# for each limit, the greatest number of addresses or tokens in memory; the least recently used one is forgotten first
MOST_KNOWN = 10_000


class TooMany(CarcError):
    """A client has exceeded a limit. The message states the limit."""

    def __init__(self, message: str, seconds: int):
        super().__init__(message)
        self.seconds = seconds  # how long the client must wait before the next request


class Client(NamedTuple):
    """The client that sends a request, identified by its address and its tokens."""

    address: str
    tokens: tuple[str, ...]  # hashes of all tokens in the request, valid or not


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
STREAMS = 100  # streams that one address may have open at the same time
# Analyses that may run for one address at the same time. An analysis continues for a moment after its client has left,
# so a limit of 1 would be too low.
ANALYSES = 2
# the limit of a token divided by the limit of an address; one client alone cannot use up the limit of a token
ADDRESSES = 4.0


class Buckets:
    """Token buckets with the same limit: one for each address, or one for each access token."""

    def __init__(self, allowance: Allowance):
        self.allowance = allowance
        # for each key: how many requests were left, and at what time; the least recently used key comes first
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, keys: Iterable[str]) -> float:
        """Count one request for each of the client's keys. A key is an address or a token. Returns how many seconds the
        client must wait before the next request. Returns 0 if there is no key, or if at least one key is within the
        limit.
        """
        return min([self._spend(key) for key in keys], default=0.0)

    def _spend(self, key: str) -> float:
        now, (most, a_minute) = time.monotonic(), (self.allowance.at_once, self.allowance.a_minute)
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
        requests: the limit for requests from one address. The limit for one token is ADDRESSES times as high.
        tables: the limit for new games from one address. The limit for one token is ADDRESSES times as high.
        streams: the maximum number of streams that one address may have open at the same time.
        analyses: the maximum number of analyses that may run for one address at the same time.
    """

    def __init__(
        self,
        factor: float = 1.0,
        requests: Allowance = REQUESTS,
        tables: Allowance = TABLES,
        streams: int = STREAMS,
        analyses: int = ANALYSES,
    ):
        self.most_streams, self.most_analyses = math.ceil(factor * streams), math.ceil(factor * analyses)
        self._limits = {
            what: {
                whose: Buckets(allowance.times(times))
                for whose, times in (("address", factor), ("token", ADDRESSES * factor))
            }
            for what, allowance in (("requests", requests), ("new games", tables))
        }

    def request(self, client: Client) -> None:
        """Count a request from a client. Raises TooMany."""
        self._spend("requests", client)

    def table(self, client: Client) -> None:
        """Count a new game that a client begins. Raises TooMany."""
        self._spend("new games", client)

    def _spend(self, what: str, client: Client) -> None:
        for whose, keys in (("address", (client.address,)), ("token", client.tokens)):
            buckets = self._limits[what][whose]
            if wait := buckets.spend(keys):
                seconds, allowance = math.ceil(wait), buckets.allowance
                raise TooMany(
                    f"too many {what} from this {whose}: the limit is {allowance.at_once:g} at once and "
                    f"{allowance.a_minute:g} a minute; try again in {seconds} s",
                    seconds,
                )
