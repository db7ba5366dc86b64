"""Tests of a server that strangers can reach: limits by address and by token, the password, and hidden commands of
bots.
"""

import socket
import time

import httpx
import pytest

import carc_env
from carc_env.web import allowances
from carc_env.web.allowances import Allowance, Buckets, Client, Limits, TooMany
from carc_env.web.connections import Connection, CountedConnection
from carc_env.web.guard import MOST_TOKENS, Refused, client_of
from carc_env.web.password import Password, PasswordError, read_password
from tests.web import bots
from tests.web.asking import answer, begin, look, refused, settled

PAUSING = "tests.web.bots:Pausing"


def bearer(*tokens):
    return {"Authorization": "Bearer " + ",".join(tokens)}


@pytest.fixture(autouse=True)
def unseen():
    """Forget what the bot Pausing saw in earlier tests."""
    bots.Pausing.seen.clear()


@pytest.fixture
def clock(monkeypatch):
    """A clock that changes only when a test changes `now`."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    found = Clock()
    monkeypatch.setattr(allowances, "time", found)
    return found


# --- buckets ----------------------------------------------------------------------------------------------------------
def test_a_bucket_fills_as_time_goes_by(clock):
    buckets = Buckets(Allowance(3, 60))
    assert [buckets.spend(["a"]) for _ in range(4)] == [0, 0, 0, 1] and buckets.spend(["b"]) == 0
    clock.now += 0.5
    assert buckets.spend(["a"]) == 0.5
    clock.now += 0.5
    assert buckets.spend(["a"]) == 0
    clock.now += 3600
    assert [buckets.spend(["a"]) for _ in range(4)] == [0, 0, 0, 1], "never more than it holds"


def test_of_very_many_the_quietest_is_forgotten(clock, monkeypatch):
    monkeypatch.setattr(allowances, "MOST_KNOWN", 2)
    buckets = Buckets(Allowance(1, 60))
    assert [buckets.spend([key]) for key in "abacb"] == [0, 0, 1, 0, 0] and len(buckets._left) == 2


def test_limits_are_by_address_and_by_token(clock):
    found = Limits(0.1, Allowance(20, 600), Allowance(10, 60))
    with pytest.raises(
        TooMany, match="too many requests from this address: the limit is 2 at once and 60 a minute; "
    ) as no:
        for _ in range(3):
            found.request(Client("192.0.2.1", ()))
    assert no.value.seconds == 1
    with pytest.raises(TooMany, match="too many new games from this token: the limit is 4 at once and 24 a minute"):
        for number in range(5):  # each request comes from another address
            found.table(Client(f"192.0.2.{number}", ("token",)))
    found.table(Client("192.0.2.9", ("another",)))


def test_one_token_within_its_limit_is_enough(clock):
    buckets = Buckets(Allowance(1, 60))
    assert [buckets.spend(["shared"]) for _ in range(2)] == [0, 1]
    assert buckets.spend(["shared", "own"]) == 0 and buckets.spend(["shared", "own"]) == 1
    assert buckets.spend([]) == 0


# --- addresses --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("peer", "forwarded", "proxied", "address"),
    [
        ("192.0.2.7", [], False, "192.0.2.7"),
        ("192.0.2.7", ["198.51.100.1"], True, "192.0.2.7"),  # X-Forwarded-For counts only from a proxy on this machine
        ("127.0.0.1", ["198.51.100.1"], False, "127.0.0.1"),  # and only with the option --proxied
        ("127.0.0.1", ["198.51.100.1"], True, "198.51.100.1"),
        ("::1", ["203.0.113.9, 198.51.100.1"], True, "198.51.100.1"),  # only the last address, which the proxy added
        ("127.0.0.1", ["203.0.113.9", "198.51.100.1"], True, "198.51.100.1"),
        ("127.0.0.1", [], True, "127.0.0.1"),
        ("127.0.0.1", ["nonsense"], True, "None"),
        ("2001:db8::1:2:3:4", [], False, "2001:db8::/64"),
        ("::ffff:192.0.2.7", [], False, "192.0.2.7"),
    ],
)
def test_who_asks(peer, forwarded, proxied, address):
    headers = [(b"X-Forwarded-For", text.encode()) for text in forwarded]
    assert client_of({"client": (peer, 1), "headers": headers}, proxied) == Client(address, ())


def test_very_many_tokens_are_refused_before_they_are_hashed(monkeypatch):
    tokens = ",".join(str(number) for number in range(MOST_TOKENS + 1))
    scope = {"client": ("192.0.2.7", 1), "headers": [(b"authorization", f"Bearer {tokens}".encode())]}
    monkeypatch.setattr("carc_env.web.guard.hashed", None)
    with pytest.raises(Refused, match="the request has 129 tokens; at most 128 are allowed"):
        client_of(scope, False)
    assert client_of(scope, False, has_tokens=False).tokens == ()


def test_tokens_are_counted_once_each():
    found = client_of({"client": ("192.0.2.7", 1), "headers": [(b"authorization", b"Bearer a, b,a,")]}, False)
    assert len(found.tokens) == 2 and not any(token == "a" for token in found.tokens)


# --- a server ---------------------------------------------------------------------------------------------------------
FEW = {"host": "0.0.0.0", "guarded": True, "proxied": True}


def test_tables_are_limited_and_games_go_on(serving):
    """Checks that one address cannot begin so many games that the server is full for everybody."""
    with serving(limits=Limits(tables=Allowance(3, 0.1)), **FEW) as client:
        views = [begin(client) for _ in range(3)]
        reply = client.post("/api/games", json={})
        wait = reply.headers["retry-after"]
        reason = f"too many new games from this address: the limit is 3 at once and 0.1 a minute; try again in {wait} s"
        assert refused(reply, 429) == reason and 0 < int(wait) <= 600
        refused(client.post("/api/games/load", json={}), 429)
        client.headers.update(bearer(views[0]["tokens"][0]))
        refused(client.post(f"/api/games/{views[0]['id']}/rematch"), 429)
        assert answer(client, views[0]).status_code == 200
        elsewhere = {"X-Forwarded-For": "198.51.100.7"}
        assert client.post("/api/games", json={}, headers=elsewhere).status_code == 201


def test_requests_are_limited(serving):
    with serving(limits=Limits(requests=Allowance(5, 1)), **FEW) as client:
        replies = [client.get("/api/puzzles") for _ in range(8)]
        assert [reply.status_code for reply in replies][:5] == [200] * 5
        assert "too many requests from this address" in refused(replies[-1], 429) and replies[-1].headers["retry-after"]
        assert client.get("/api/puzzles", headers={"X-Forwarded-For": "198.51.100.7"}).status_code == 200
        assert [client.get(path).status_code for path in ("/", "/main.js")] == [200, 200], "files do not count"
        for number in range(21):
            headers = {"X-Forwarded-For": f"203.0.113.{number}"} | bearer("a token of somebody")
            last = client.get("/api/games", headers=headers)
        assert "too many requests from this token: the limit is 20 at once" in refused(last, 429)
        many = bearer(*map(str, range(MOST_TOKENS + 1))) | {"X-Forwarded-For": "198.51.100.8"}
        assert refused(client.get("/api/games", headers=many), 400).startswith("the request has 129 tokens")
        assert client.get("/main.js", headers=many).status_code == 200


def test_who_floods_with_the_token_for_watching_stops_nobody(serving):
    """Everybody who plays or watches a game knows this token."""
    with serving(limits=Limits(requests=Allowance(6, 1)), **FEW) as client:
        view = begin(client)
        url, flood = f"/api/games/{view['id']}?drawing=false", bearer(view["watcher"])
        flooder, player = ({"X-Forwarded-For": f"198.51.100.{number}"} for number in (7, 8))
        assert client.get(url, headers=flood | flooder).status_code == 200
        for _ in range(12):
            last = client.get(url, headers=flood | flooder)
        assert "too many requests from this address" in refused(last, 429)
        assert client.get(url, headers=flood | player).status_code == 200, "one address does not use it up"
        for number in range(40):  # now from many different addresses
            last = client.get(url, headers=flood | {"X-Forwarded-For": f"203.0.113.{number}"})
        assert "too many requests from this token" in refused(last, 429)
        client.headers.update(bearer(view["tokens"][0], view["watcher"]) | player)
        assert answer(client, view).status_code == 200


def test_streams_of_an_address_are_limited(serving):
    with serving(limits=Limits(streams=2), **FEW) as client:
        view = begin(client)
        url, headers = f"/api/games/{view['id']}/stream", bearer(view["watcher"])
        with client.stream("GET", url, headers=headers) as one, client.stream("GET", url, headers=headers) as other:
            held = [one.iter_bytes(), other.iter_bytes()]
            assert all(map(next, held))
            assert "too many streams are open" in refused(client.get(url, headers=headers), 503)
            with client.stream("GET", url, headers=headers | {"X-Forwarded-For": "198.51.100.7"}) as third:
                assert next(third.iter_bytes())


def test_analyses_of_an_address_are_limited(serving):
    with serving(limits=Limits(analyses=1), bots=[PAUSING], workers=2, **FEW) as client:
        one, other = (client.post("/api/games/load", json={"record": finished().record()}).json() for _ in range(2))
        client.headers.update(bearer(one["watcher"], other["watcher"]))
        url = f"/api/games/{other['id']}/analysis"
        with client.stream("GET", f"/api/games/{one['id']}/analysis?bot={PAUSING}") as running:
            told = running.iter_bytes()
            assert next(told)
            reason = refused(client.get(url), 503)
            assert reason == "1 games are being analysed for this address: wait until one is done"
            assert client.get(url, headers={"X-Forwarded-For": "198.51.100.7"}).status_code == 200
            bots.GO.set()


def finished():
    """Return a short finished game."""
    game = carc_env.Game("base", deck=["U", "V", "E", "W", "U"], seed=1)
    while not game.is_over:
        game.play(int(game.legal_actions()[0]))
    return game


@pytest.mark.parametrize("what", ["stream", f"analysis?bot={PAUSING}"])
@pytest.mark.parametrize("reads", [False, True])
def test_who_does_not_read_holds_nothing(serving, monkeypatch, what, reads):
    """Checks that a client that stops reading loses its connection, unless it reads again in time. The test pauses
    writing in the event loop, because the buffers of the operating system differ in size.
    """
    monkeypatch.setattr("carc_env.web.connections.MOST_UNREAD", 0.3)
    made, connections = Connection.connection_made, []

    def connection_made(connection, transport):
        made(connection, transport)
        connections.append(connection)

    monkeypatch.setattr(Connection, "connection_made", connection_made)
    with serving(bots=[PAUSING], patience=60) as client:
        view = client.post("/api/games/load", json={"record": finished().record()}).json()
        table, analyses = client.tables.find(view["id"]), client.app.state.analyses
        is_held = (lambda: table.is_looked_at) if what == "stream" else analyses._running.total
        with client.stream("GET", f"/api/games/{view['id']}/{what}") as response:
            told = response.iter_bytes()
            assert next(told) and is_held()
            held = connections[-1]
            held.loop.call_soon_threadsafe(held.pause_writing)
            if reads:
                held.loop.call_soon_threadsafe(held.resume_writing)
                time.sleep(0.6)
                assert is_held() and not held.transport.is_closing()
            else:
                bots.GO.set()
                until = time.monotonic() + 60
                while is_held() or not held.transport.is_closing():
                    assert time.monotonic() < until
                    time.sleep(0.01)
        bots.GO.set()


def test_on_this_machine_nothing_is_limited(client):
    for _ in range(60):
        begin(client)


def test_half_a_request_is_not_waited_for(serving, monkeypatch):
    monkeypatch.setattr("carc_env.web.connections.MOST_SILENT", 0.2)
    with serving() as client:
        address = (client.base_url.host, client.base_url.port)
        for sent in (b"", b"GET / HTTP/1.1\r\nHo"):
            with socket.create_connection(address, timeout=20) as connection:
                connection.sendall(sent)
                assert connection.recv(1) == b"", "it is closed"
        view = begin(client)
        with client.stream("GET", f"/api/games/{view['id']}/stream?drawing=false") as stream:
            events = stream.iter_text()
            next(events)
            with socket.create_connection(address, timeout=20) as connection:
                connection.recv(1)  # this takes longer than a silent connection is kept
            message = {"seat": 0, "text": "not silent"}
            httpx.post(f"{client.base_url}/api/games/{view['id']}/messages", json=message, timeout=300)
            assert any("not silent" in text for text in events), "a stream is no silence"


def test_connections_of_an_address_are_counted(serving, monkeypatch):
    monkeypatch.setattr("carc_env.web.connections.MOST_OF_AN_ADDRESS", 3)
    with serving(http=CountedConnection) as client:
        client.get("/api/games")
        address = (client.base_url.host, client.base_url.port)
        held = [socket.create_connection(address, timeout=20) for _ in range(2)]
        with socket.create_connection(address, timeout=20) as one_more, pytest.raises(ConnectionResetError):
            assert one_more.recv(1) == b""
            raise ConnectionResetError  # both ways of closing are accepted
        for connection in held:
            connection.close()
        assert client.get("/api/games").status_code == 200


# --- the password -----------------------------------------------------------------------------------------------------
def test_a_password_guards_new_tables(serving):
    with serving(password=Password("schöner Tag, 100 %"), host="0.0.0.0", guarded=True) as client:
        assert client.get("/api/choices").json()["password"] is True
        for path in ("/api/games", "/api/games/load"):
            assert "a password is needed to begin a game here" in refused(client.post(path, json={}), 401)
            wrong = client.post(path, json={}, headers={"Carc-Password": "wrong"})
            assert refused(wrong, 403) == "this is not the password of this server"
        right = {"Carc-Password": "sch%C3%B6ner%20Tag%2C%20100%20%25"}
        view = client.post("/api/games", json={"config": "base"}, headers=right).json()
        client.headers.update(bearer(view["tokens"][0]))
        assert answer(client, view).status_code == 200, "who plays needs no password"


def test_without_a_password_none_is_asked_for(client):
    assert client.get("/api/choices").json()["password"] is False


def test_where_a_password_comes_from(tmp_path, monkeypatch):
    import os

    file = tmp_path / "password"
    file.write_text("open sesame\n")
    monkeypatch.setenv("CARC_ENV_PASSWORD", "another")
    read_password(file).check("open%20sesame")
    assert "CARC_ENV_PASSWORD" not in os.environ, "programs that are begun do not see a variable that is not used"
    monkeypatch.setenv("CARC_ENV_PASSWORD", "another")
    read_password(None).check("another")
    assert "CARC_ENV_PASSWORD" not in os.environ, "programs that are begun do not see it"
    assert read_password(None) is None


@pytest.mark.parametrize(
    ("text", "reason"), [(b"", "should contain the password"), (b"a\nb\n", "on one line"), (b"\xff", "UTF-8")]
)
def test_what_is_no_password(tmp_path, monkeypatch, text, reason):
    file = tmp_path / "password"
    with pytest.raises(PasswordError, match="cannot be read: No such file.* --password-file should name a file"):
        read_password(file)
    file.write_bytes(text)
    with pytest.raises(PasswordError, match=reason):
        read_password(file)
    monkeypatch.setenv("CARC_ENV_PASSWORD", "")
    with pytest.raises(PasswordError, match="CARC_ENV_PASSWORD is empty"):
        read_password(None)


# --- what is hidden ---------------------------------------------------------------------------------------------------
def test_no_route_tells_others_how_bots_are_begun(serving):
    """Each route is tested in games with two bots that are programs. One program acts, the other fails."""
    import sys

    good, bad = f"cmd:{sys.executable} -m carc_env bot greedy", "cmd:sleep 100 --key 7"
    with serving(bots=[good, bad], host="0.0.0.0", guarded=True, patience=30) as client:
        names = [bot["spec"] for bot in client.get("/api/choices").json()["bots"] if bot["spec"].startswith("cmd:")]
        assert names == [f"cmd:{sys.executable.rpartition('/')[2]}", "cmd:sleep"]
        told = [client.get(path).text for path in ("/api/choices", "/openapi.json", "/api/games")]
        for name in names:
            view = begin(client, "base", [{"bot": name}, {"name": "Ben"}])
            headers = bearer(*view["tokens"], view["beginner"])
            client.headers.update(headers)
            view, url = settled(client, view), f"/api/games/{view['id']}"
            told += [client.get(url + path).text for path in ("", "/moves/0", "/position", f"/hints?bot={name}")]
            told += [client.get("/api/games").text, client.get(f"{url}/analysis?bot={name}").text]
            told.append(client.post(f"{url}/seats/0", json={"bot": "nobody"}).text)
            told.append(look(client, view)["fault"] or "")
        assert any("cmd:sleep has ended" in text for text in told), "its fault is told, by its name"
        assert not [text for text in told if "--key" in text or "-m carc_env" in text]
