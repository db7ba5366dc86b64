"""How much is answered to one address, and to one token: token buckets, so that nobody keeps others from playing."""

import math
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from carc_env.common.errors import CarcError

MOST_KNOWN = 10_000  # addresses, and tokens, that a limit remembers; then the one that was quiet longest is forgotten


class TooMany(CarcError):
    """More was asked for than is answered; the message says what the limit is."""

    def __init__(self, message: str, seconds: int):
        super().__init__(message)
        self.seconds = seconds  # after which to ask again


class Client(NamedTuple):
    """Who asks."""

    address: str
    tokens: tuple[str, ...]  # hashes of those that it sends, whether they are any or not


@dataclass(frozen=True)
class Allowance:
    """What may be asked for: some at once, and then more as time goes by."""

    at_once: float
    a_minute: float

    def times(self, factor: float) -> "Allowance":
        """So many times as much."""
        return Allowance(factor * self.at_once, factor * self.a_minute)


REQUESTS = Allowance(300, 1800)  # opening the page takes some 25
TABLES = Allowance(20, 4)
STREAMS = 100  # open at a time


class Buckets:
    """What each of many may still ask for."""

    def __init__(self, allowance: Allowance):
        self._allowance = allowance
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when; quiet ones first

    def spend(self, keys: Iterable[str]) -> float:
        """Take one of what is left to each. Returns the seconds until all of them have one, 0 if they had."""
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
    """What clients may ask for.

    Args:
        factor: how many times the usual limits.
        requests: of all kinds, of an address, and of a token.
        tables: that are begun by them.
        streams: that an address may have open.
    """

    def __init__(
        self, factor: float = 1.0, requests: Allowance = REQUESTS, tables: Allowance = TABLES, streams: int = STREAMS
    ):
        self.most_streams = math.ceil(factor * streams)
        self._limits = {
            "requests": (requests.times(factor), Buckets(requests.times(factor)), Buckets(requests.times(factor))),
            "new tables": (tables.times(factor), Buckets(tables.times(factor)), Buckets(tables.times(factor))),
        }

    def request(self, client: Client) -> None:
        """Something is asked for. Raises TooMany."""
        self._spend("requests", client)

    def table(self, client: Client) -> None:
        """A table is to be begun. Raises TooMany."""
        self._spend("new tables", client)

    def _spend(self, what: str, client: Client) -> None:
        allowance, by_address, by_token = self._limits[what]
        for whose, wait in (("address", by_address.spend([client.address])), ("token", by_token.spend(client.tokens))):
            if wait:
                seconds = math.ceil(wait)
                raise TooMany(
                    f"too many {what} by this {whose}: {allowance.at_once:g} at once and {allowance.a_minute:g} a minute "
                    f"are answered; ask again in {seconds} s",
                    seconds,
                )
