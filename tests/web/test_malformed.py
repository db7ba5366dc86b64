"""Tests of a thousand malformed requests: each gets an error or a normal response, none makes the server fail, and the
server works as before.
"""

import json
import random
import socket
from collections import Counter

from tests.web.asking import answer, begin

REQUESTS = 1000
PATIENCE = 1.0  # seconds to wait for a response
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "BREW", "")
PATHS = (
    "/",
    "/api/games",
    "/api/games/load",
    "/api/games/{id}",
    "/api/games/{id}/answers",
    "/api/games/{id}/undo",
    "/api/games/{id}/seats/0",
    "/api/games/{id}/seats/-1",
    "/api/games/{id}/seats/999999999999999999999999",
    "/api/games/{id}/moves/1e9",
    "/api/games/{id}/moves/-0",
    "/api/games/{id}/hints?bot=%00",
    "/api/games/{id}/hints?bot=ppo:../../x",
    "/api/games/{id}?since=x",
    "/api/games/{id}?since=" + "9" * 5000,
    "/api/games/{id}?drawing=maybe",
    "/api/games/{id}/../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/app.py",
    "//etc/passwd",
    "/static/../app.py",
    "/index.html%00.js",
    "/%ff%fe",
    "/\udce9",
    "/api/tiles/../D",
    "/api/tiles/%00",
    "/api/tiles/GC1",
    "/" + "a/" * 3000,
    "http://evil.example/api/games",
    "*",
    "",
    "/api/games/" + "é" * 20,
)
ODD = (
    None,
    True,
    False,
    0,
    -1,
    2**63,
    2**64,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\x00",
    "\ud800",
    "é" * 500,
    "x" * 100_000,
    [],
    {},
    [[]] * 1000,
    {"": ""},
    {"config": {}},
    ["a", None],
    "goldmines",
    "__import__('os')",
    {"boxes": ["base"] * 3},
    {"players": 10**400},
)
FIELDS = ("config", "seats", "seed", "record", "position", "version", "answer", "bot", "name", "more")
RECORD_FIELDS = (
    "carc_env",
    "config",
    "seed",
    "deck",
    "chips",
    "german_castles",
    "starts",
    "moves",
    "scores",
    "left",
    "faces",
)


def odd_body(rng, record):
    """Return bytes that are not JSON, or JSON with wrong content."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(300))
    if kind == 1:
        return rng.choice(
            (
                b"[" * 100_000,
                b'{"a":' * 50_000,
                b'"\\ud800"',
                b"1" * 10_000,
                b"\xef\xbb\xbf{}",
                b"nul",
                b'{"seed": 1' + b"0" * 5000 + b"}",
            )
        )
    if kind == 2:
        return json.dumps(rng.choice(ODD)).encode()
    if kind == 3:
        spoilt = record | {rng.choice(RECORD_FIELDS): rng.choice(ODD)}
        return json.dumps(rng.choice(({"record": spoilt}, {"position": json.dumps(spoilt)}))).encode()
    if kind == 4:
        return json.dumps(
            {"config": {rng.choice(("boxes", "players", "sheet", "starts", "meeples", "edition")): rng.choice(ODD)}}
        ).encode()
    return json.dumps({field: rng.choice(ODD) for field in rng.sample(FIELDS, rng.randrange(1, 4))}).encode()


def odd_request(rng, view, record, host):
    """Return the bytes of a malformed request."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(1, 2000)) + b"\r\n\r\n"
    body, post = odd_body(rng, record), rng.random() < 0.6
    method = "POST" if post else rng.choice(METHODS)
    path = rng.choice(PATHS[1:7] if post else PATHS).replace("{id}", view["id"])
    headers = {
        "Host": host,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    if rng.random() < 0.2:
        name = rng.choice(
            (
                *headers,
                "Origin",
                "Authorization",
                "Last-Event-ID",
                "Transfer-Encoding",
                "X-Forwarded-For",
                "Expect",
                "Upgrade",
            )
        )
        headers[name] = rng.choice(
            (
                "",
                "x",
                "-1",
                "9" * 30,
                "chunked",
                "gzip",
                "Bearer",
                "Bearer é",
                "null",
                "a" * 20_000,
                "100-continue",
                "websocket",
            )
        )
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    request = "\r\n".join(lines).encode("utf-8", "surrogateescape") + body
    if rng.random() < 0.2:
        request = bytearray(request)
        for _ in range(rng.randrange(1, 6)):
            request[rng.randrange(min(len(request), 300))] = rng.randrange(256)
    return bytes(request)


def status_of(client, request):
    """Return the status of the response to a request. Returns None if the server waits for more bytes, or closes the
    connection without a response.
    """
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(request)
            answered = connection.recv(65536)
        except OSError:
            return None
    words = answered.split(b" ", 2)
    return int(words[1]) if len(words) > 2 and words[0].startswith(b"HTTP/") else None


def test_malformed_requests(client, capfd):
    rng, view = random.Random(1), begin(client)  # some requests delete it
    record = client.tables.find(view["id"]).now.game.record()
    host = f"127.0.0.1:{client.base_url.port}"
    statuses = Counter()
    for number in range(REQUESTS):
        request = odd_request(rng, view, record, host)
        status = status_of(client, request)
        assert status is None or status < 500 or status == 503, (number, status, request[:500])
        statuses[status] += 1
    assert statuses[422] > 100 and statuses[400] > 50 and statuses[404] > 20, statuses
    assert statuses[503] == 0, statuses
    assert "Traceback" not in capfd.readouterr().err
    fresh = begin(client)
    assert answer(client, fresh).json()["version"] == 2
