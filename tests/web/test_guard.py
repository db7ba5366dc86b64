"""Tests of the requests that the server accepts, by host, origin, token and body, and of the headers that it sends."""

import http.client
import socket

import pytest

from carc_env.web.guard import HEADERS, MOST_BYTES, Hosts, is_loopback, split_host
from tests.web.asking import AGAINST_GREEDY, begin, look, refused


@pytest.mark.parametrize(
    ("host", "listens_here"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.0.7", False),
        ("::", False),
        ("games.example", False),
        ("localhost.example", False),
    ],
)
def test_what_is_loopback(host, listens_here):
    assert is_loopback(host) == listens_here


@pytest.mark.parametrize(
    ("listening", "asked", "is_ours"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "::1", True),
        ("127.0.0.1", "evil.example", False),
        ("127.0.0.1", "192.168.0.7", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "", False),
        ("0.0.0.0", "192.168.0.7", True),
        ("0.0.0.0", "evil.example", False),
        ("0.0.0.0", socket.gethostname().lower(), True),
        ("games.example", "games.example", True),
        ("games.example", "evil.example", False),
    ],
)
def test_hosts(listening, asked, is_ours):
    assert (asked in Hosts(listening)) == is_ours


def test_more_names():
    hosts = Hosts("127.0.0.1", ["Games.Example"])
    assert "games.example" in hosts and "evil.example" not in hosts and "192.168.0.7" not in hosts


@pytest.mark.parametrize("text", ["a@b", "a/b", "a:b", "a:99999", "[::1", "", "a b?c", "%6c"])
def test_what_is_no_host(text):
    assert split_host(text) is None


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "a@127.0.0.1", "127.0.0.1/", ""]
)
def test_other_hosts_are_refused(client, host):
    for path in ("/", "/api/choices", "/openapi.json"):
        assert refused(client.get(path, headers={"host": host}), 421).startswith("this host name is not accepted")


def test_two_hosts_are_refused(client):
    connection = http.client.HTTPConnection(client.base_url.host, client.base_url.port)
    connection.putrequest("GET", "/", skip_host=True)
    for host in ("127.0.0.1", "evil.example"):
        connection.putheader("Host", host)
    connection.endheaders()
    assert connection.getresponse().status in (400, 421)
    connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "file://127.0.0.1"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_foreign_origins_change_nothing(client, headers):
    view = begin(client)
    for method, path in (
        ("POST", "/api/games"),
        ("POST", f"/api/games/{view['id']}/answers"),
        ("DELETE", f"/api/games/{view['id']}"),
    ):
        assert "are not allowed" in refused(client.request(method, path, headers=headers), 403)
    assert look(client, view) == view


def test_our_own_page_may(client):
    headers = {"origin": str(client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert client.post("/api/games", json={}, headers=headers).status_code == 201


def test_what_browsers_are_told(client):
    for path in ("/", "/style.css", "/api/choices", "/nothing", "/api/games/x"):
        response = client.get(path)
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
        assert "access-control-allow-origin" not in response.headers
    assert "'unsafe" not in HEADERS["content-security-policy"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b" " * (MOST_BYTES + 1), {"content-type": "application/json"}, 413),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"{}", {"content-type": "multipart/form-data; boundary=x"}, 415),
        (b"{", {"content-type": "application/json"}, 400),
        (b"", {"content-type": "application/json"}, 422),
    ],
)
def test_bodies(client, body, headers, status):
    refused(client.post("/api/games", content=body, headers=headers), status)


def test_a_body_that_never_ends(client):
    def parts():
        for _ in range(2 * MOST_BYTES // 65536):
            yield b" " * 65536

    refused(client.post("/api/games", content=parts(), headers={"content-type": "application/json"}), 413)


def test_a_body_that_takes_too_long(client, monkeypatch):
    monkeypatch.setattr("carc_env.web.guard.MOST_SECONDS", 0.2)
    connection = http.client.HTTPConnection(client.base_url.host, client.base_url.port, timeout=10)
    connection.putrequest("POST", "/api/games")
    for name, value in (("Content-Type", "application/json"), ("Content-Length", "10")):
        connection.putheader(name, value)
    connection.endheaders(b"{")
    assert connection.getresponse().status == 408
    connection.close()


# --- tokens -----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A client of a server that behaves as if it listened on an address that other machines can reach."""
    from tests.web.conftest import begin as begin_server

    with begin_server(tmp_path_factory.mktemp("far"), host="0.0.0.0", guarded=True) as client:
        yield client


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_tokens(far):
    view, other = begin(far, seats=AGAINST_GREEDY), begin(far)
    mine, bots = view["tokens"]
    url = f"/api/games/{view['id']}"
    assert far.get("/api/choices").json()["tokens"] is True and len(set(view["tokens"] + other["tokens"])) == 4
    for path in ("", "/stream", "/hints", "/features", "/position", "/record", "/moves/0"):
        assert "token for this game is needed" in refused(far.get(url + path), 401)
        assert "not valid for this game" in refused(far.get(url + path, headers=bearer(other["tokens"][0])), 403)
    wish = {"version": 1, "answer": view["answers"][0]["text"]}
    for path, body in (("/answers", wish), ("/undo", {"version": 1}), ("/seats/0", {"bot": "greedy"})):
        refused(far.post(url + path, json=body), 401)
        refused(far.post(url + path, json=body, params={"token": mine}), 401)  # a token in the URL allows no changes
        refused(far.post(url + path, json=body, headers=bearer("x")), 403)
    assert "for another seat" in refused(far.post(f"{url}/answers", json=wish, headers=bearer(bots)), 403)
    assert "for another seat" in refused(far.post(f"{url}/seats/0", json={"bot": "greedy"}, headers=bearer(bots)), 403)
    assert "for another seat" in refused(far.get(f"{url}/hints", headers=bearer(bots)), 403)
    refused(far.delete(url), 401)
    assert (
        far.get(url, headers=bearer(bots)).json()["version"]
        == far.get(url, params={"token": mine}).json()["version"]
        == 1
    )
    assert far.post(f"{url}/answers", json=wish, headers=bearer(mine)).status_code == 200
    # any player may change the bot in a seat
    assert far.post(f"{url}/seats/1", json={"bot": "random"}, headers=bearer(mine)).status_code == 200


def test_only_who_answered_takes_back(far):
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}])
    url, tokens = f"/api/games/{view['id']}", view["tokens"]
    while view["player"] == 0:
        wish = {"version": view["version"], "answer": view["answers"][0]["text"]}
        view = far.post(f"{url}/answers", json=wish, headers=bearer(tokens[0])).json()
    body = {"version": view["version"]}
    assert "for another seat" in refused(far.post(f"{url}/undo", json=body, headers=bearer(tokens[1])), 403)
    asked = far.post(f"{url}/undo", json=body, headers=bearer(tokens[0])).json()
    assert asked["player"] == 1 and asked["company"]["wish"]["seat"] == 0
    reply = {"wish": asked["company"]["wish"]["number"], "agree": True}
    assert far.post(f"{url}/undo/reply", json=reply, headers=bearer(tokens[1])).json()["player"] == 0


def test_games_are_listed_for_their_tokens_only(far):
    view = begin(far)
    assert far.get("/api/games").json() == {"games": []}
    listed = far.get("/api/games", headers=bearer(view["tokens"][1])).json()["games"]
    assert [game["id"] for game in listed] == [view["id"]]


def test_tokens_are_kept_as_hashes(far):
    view = begin(far)
    stored = far.tables._store.path.read_bytes() + far.tables._store.path.with_name("games.sqlite-wal").read_bytes()
    assert view["id"].encode() in stored
    assert not any(token.encode() in stored for token in view["tokens"])


def test_a_game_without_tokens_is_closed_elsewhere(serving):
    with serving() as client:
        view = begin(client)
    with serving(host="0.0.0.0", guarded=True) as client:
        refused(client.get(f"/api/games/{view['id']}"), 401)
        refused(client.get(f"/api/games/{view['id']}", headers=bearer("x")), 403)
