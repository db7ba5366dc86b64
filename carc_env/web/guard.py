"""Checks each request before the application receives it: the host, the origin, the body, and the rate of requests.
Also adds security headers to each response.
"""

import asyncio
import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from carc_env.web.allowances import Client, Limits, TooMany
from carc_env.web.seats import hashed

MOST_BYTES = 1 << 20  # the greatest size of a request body in bytes; the longest game record has about 100 kB
MOST_SECONDS = 20.0  # seconds that a client may take to send a body
MOST_TOKENS = 128  # tokens in a request; with more tokens, headers could exceed 8 kB; some proxies reject such headers
SAFE = ("GET", "HEAD", "OPTIONS")  # HTTP methods that change nothing
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Refused(Exception):
    """A request was rejected."""

    def __init__(self, status: int, reason: str, seconds: int | None = None):
        super().__init__(reason)
        self.status, self.seconds = status, seconds  # `seconds`: how long the client must wait before the next request


def is_loopback(host: str) -> bool:
    """True if only this machine can reach an address."""
    address = as_address(host)
    return host == "localhost" if address is None else address.is_loopback


def as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address in a string, or None if the string is a host name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class Hosts:
    """The host names that a server accepts: its own address, and the additional names in `names`.

    Checking host names protects against DNS rebinding. DNS rebinding means that a foreign page makes its own host name
    point to this machine. The requests of the foreign page contain the foreign host name, and the server rejects
    requests with a foreign host name.
    """

    def __init__(self, listening: str, names: Iterable[str] = ()):
        self._loopback = is_loopback(listening)
        own = socket.gethostname().lower()
        self._names = {"localhost", listening.lower(), *(name.lower() for name in names)} | (
            set() if self._loopback else {own, f"{own}.local"}
        )

    def __contains__(self, host: str) -> bool:
        address = as_address(host)
        if address is None:
            return host.rstrip(".") in self._names
        return address.is_loopback or not self._loopback


class Guard:
    """Passes acceptable requests on to an ASGI application, and adds security headers to its responses.

    Args:
        app: the application. If `limits` is not None, the scope of each request contains the client that sent the
            request, under the key `client_known`.
        hosts: the host names that requests may use.
        limits: the rate limits for clients, or None for no limits.
        proxied: True if a proxy on this machine gives the client's address in the header X-Forwarded-For.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        hosts: Hosts,
        limits: Limits | None = None,
        proxied: bool = False,
    ):
        self._app, self._hosts, self._limits, self._proxied = app, hosts, limits, proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return None  # the server refuses websockets
        try:
            self._check(scope)
            self._count(scope)
            body = await read(scope, receive)
        except Refused as refused:
            return await refuse(refused, safe(send))
        await self._app(scope, once(body, receive), safe(send))

    def _check(self, scope: Scope) -> None:
        """Check the host and the origin of a request. Raises Refused."""
        fields = headers_of(scope)
        hosts = fields.get("host", [])
        split = split_host(hosts[0]) if len(hosts) == 1 else None
        if split is None or split[0] not in self._hosts:
            raise Refused(421, "this host name is not accepted: use the address that `carc serve` prints")
        if scope["method"] in SAFE:
            return
        for origin in fields.get("origin", []):
            scheme, _, rest = origin.partition("://")
            if scheme not in ("http", "https") or rest.lower() != hosts[0].lower():
                raise Refused(403, "requests from pages of other origins are not allowed")
        if fields.get("sec-fetch-site", ["none"])[0] not in ("same-origin", "none"):
            raise Refused(403, "requests from pages of other sites are not allowed")

    def _count(self, scope: Scope) -> None:
        """Count a request. Requests for the files of the page are not counted, so that all pupils of a school can open
        the page from the same address. Raises Refused if the client who sent the request exceeds a limit, or if the
        request has too many tokens.
        """
        if self._limits is None:
            return
        is_api = str(scope["path"]).startswith("/api/")
        client = scope["client_known"] = client_of(scope, self._proxied, has_tokens=is_api)
        if not is_api:
            return
        try:
            self._limits.request(client)
            if begins_table(scope):
                self._limits.table(client)
        except TooMany as error:
            raise Refused(429, str(error), error.seconds) from None


def begins_table(scope: Scope) -> bool:
    """True if a request begins a new game."""
    path = str(scope["path"]).rstrip("/")
    return scope["method"] == "POST" and (
        path in ("/api/games", "/api/games/load") or path.endswith(("/rematch", "/branch"))
    )


# --- clients ----------------------------------------------------------------------------------------------------------
def client_of(scope: Scope, proxied: bool, has_tokens: bool = True) -> Client:
    """Return the client that sent a request. If `proxied` is True and the request comes from this machine, the client's
    address is the last one in X-Forwarded-For. Otherwise, the client's address is the address of the connection.

    If `has_tokens` is False, the tokens of the request are ignored. Raises Refused if there are too many tokens.
    """
    fields = headers_of(scope)
    peer = (scope.get("client") or ("",))[0]
    told = fields.get("x-forwarded-for", [""])[-1].rpartition(",")[2].strip() if proxied and is_loopback(peer) else ""
    return Client(neighbourhood(told or peer), tuple(map(hashed, tokens_in(fields) if has_tokens else ())))


def tokens_in(fields: dict[str, list[str]]) -> set[str]:
    """Return the distinct tokens in the headers of a request. Raises Refused if there are more than MOST_TOKENS."""
    texts = ",".join(fields.get("authorization", [])).partition(" ")[2].split(",")
    tokens = {text.strip() for text in texts} - {""}
    if len(tokens) > MOST_TOKENS:
        raise Refused(400, f"the request has {len(tokens)} tokens; at most {MOST_TOKENS} are allowed")
    return tokens


def neighbourhood(host: str) -> str:
    """Return the address under which the requests of a host are counted. For an IPv6 host, the address is the /64
    network of the host, because one client can use all addresses of such a network.

    >>> neighbourhood("192.0.2.7"), neighbourhood("2001:db8::7"), neighbourhood("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    address = as_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


def headers_of(scope: Scope) -> dict[str, list[str]]:
    """Return a dict that maps the name of each header to the values of the header. The names are in lower case."""
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def split_host(text: str) -> tuple[str, int | None] | None:
    """Return the host and the port in a Host header, or None if the header is invalid.

    >>> split_host("[::1]:8000"), split_host("localhost"), split_host("a@b")
    (('::1', 8000), ('localhost', None), None)
    """
    try:
        split = urlsplit(f"//{text}")
        if split.netloc != text or not split.hostname or "@" in text or "%" in text:
            return None
        return split.hostname, split.port
    except ValueError:
        return None


# --- bodies -----------------------------------------------------------------------------------------------------------
async def read(scope: Scope, receive: Receive) -> bytes:
    """Return the body of a request. Raises Refused if the body is too long, arrives too slowly, or is not JSON
    according to its content type.
    """
    fields = headers_of(scope)
    length = fields.get("content-length", ["0"])[0]
    if length.isascii() and length.isdigit() and int(length[:20]) > MOST_BYTES:
        raise Refused(413, f"a request body may have at most {MOST_BYTES} bytes")
    try:
        body = await asyncio.wait_for(whole(receive), MOST_SECONDS)
    except asyncio.TimeoutError:
        raise Refused(408, f"a request should be sent within {MOST_SECONDS:g} s") from None
    kind = fields.get("content-type", [""])[0].partition(";")[0].strip().lower()
    if body and kind != "application/json":
        raise Refused(415, "a body should be JSON, with the header Content-Type: application/json")
    return body


async def whole(receive: Receive) -> bytes:
    """Return the whole body of a request. Raises Refused if the body is too long or the client disconnects."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the request body is incomplete")
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > MOST_BYTES:
            raise Refused(413, f"a request body may have at most {MOST_BYTES} bytes")
    return b"".join(parts)


def once(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` function. The first call of the returned function returns `body`. All later calls are passed
    on to `receive`.
    """
    given = False

    async def give() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give


# --- responses --------------------------------------------------------------------------------------------------------
def safe(send: Send) -> Send:
    """Return a `send` function that adds the security headers to a response."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            has = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in has]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return with_headers


async def refuse(refused: Refused, send: Send) -> None:
    """Send an error response."""
    body = json.dumps({"error": str(refused)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refused.seconds is not None:
        headers.append((b"retry-after", str(refused.seconds).encode()))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
