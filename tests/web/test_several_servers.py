"""Two servers behind a reverse proxy that follows docs/http.md: the first part of the path names the server."""

import asyncio
import itertools
import threading
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from carc_env.web.server import listen
from tests.web.asking import AGAINST_GREEDY, PERSONS, refused

NAME = "games.example.org"
DROPPED = {"host", "connection", "transfer-encoding", "content-length"}  # headers that are of one connection


def proxy(servers):
    """A reverse proxy: /a/... goes to server a without the /a, / to each in turn."""
    turn = itertools.cycle(servers)

    async def home(request):
        return RedirectResponse(f"/{next(turn)}/", 302)

    def hall(url):
        async def forward(request):
            sent = {name: value for name, value in request.headers.items() if name not in DROPPED}
            sent |= {"host": request.headers["host"], "x-forwarded-for": request.client.host}
            client = httpx.AsyncClient(timeout=60)
            path = "/" + request.path_params["path"]
            wish = client.build_request(
                request.method, url + path, params=request.query_params, headers=sent, content=await request.body()
            )
            reply = await client.send(wish, stream=True)
            told = {name: value for name, value in reply.headers.items() if name not in DROPPED}

            async def parts():
                try:
                    async for part in reply.aiter_raw():
                        yield part
                finally:
                    await asyncio.shield(client.aclose())

            if "text/event-stream" in told.get("content-type", ""):
                return StreamingResponse(parts(), reply.status_code, told)
            return Response(b"".join([part async for part in parts()]), reply.status_code, told)

        methods = ["GET", "POST", "DELETE"]
        return [Route("/{path:path}", forward, methods=methods)]

    return Starlette(routes=[Route("/", home), *(Mount(f"/{name}", routes=hall(url)) for name, url in servers.items())])


@contextmanager
def running(app):
    """An application in a thread; yields its address."""
    with listen("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture
def halls(served, tmp_path):
    """Two servers behind a proxy; yields a client of the proxy, and the servers."""
    servers = {name: served(tmp_path / name, "--name", NAME, "--proxied") for name in "ab"}
    app = proxy({name: server.url for name, server in servers.items()})
    with running(app) as url, httpx.Client(base_url=url, timeout=120, headers={"Host": NAME}) as client:
        yield client, servers


def test_two_servers_behind_a_proxy(halls):
    client, servers = halls
    homes = [client.get("/").headers["location"] for _ in range(4)]
    assert homes == ["/a/", "/b/", "/a/", "/b/"]
    games = {}
    for home in homes[:2]:
        assert "<html" in client.get(home).text and client.get(f"{home}main.js").status_code == 200
        reply = client.post(
            f"{home}api/games", json={"config": "base", "seats": PERSONS}, headers={"Origin": f"http://{NAME}"}
        )
        games[home] = reply.json()
    tokens = {home: {"Authorization": "Bearer " + ",".join(view["tokens"])} for home, view in games.items()}
    for home, view in games.items():
        url, headers = f"{home}api/games/{view['id']}", tokens[home]
        with client.stream("GET", f"{url}/stream?drawing=false", headers=headers) as stream:
            lines = stream.iter_lines()
            next(line for line in lines if line.startswith("data: "))
            wish = {"version": 1, "answer": view["answers"][0]["text"]}
            after = client.post(f"{url}/answers", json=wish, headers=headers).json()
            told = next(line for line in lines if line.startswith("data: "))
            assert f'"version":{after["version"]}' in told
        listed = client.get(f"{home}api/games", headers=headers).json()["games"]
        assert [(game["id"], game["n_moves"]) for game in listed] == [(view["id"], after["n_moves"])]
    other = f"/b/api/games/{games['/a/']['id']}"
    assert "there is no game" in refused(client.get(other, headers=tokens["/a/"]), 404), "each table is of one server"


def test_one_server_goes_on_while_the_other_is_gone(halls):
    client, servers = halls
    view = client.post("/a/api/games", json={"config": "base", "seats": AGAINST_GREEDY}).json()
    servers["b"].kill()
    headers = {"Authorization": f"Bearer {view['tokens'][0]}"}
    wish = {"version": 1, "answer": view["answers"][0]["text"]}
    assert client.post(f"/a/api/games/{view['id']}/answers", json=wish, headers=headers).status_code == 200


def test_limits_are_by_the_address_that_the_proxy_tells(served, tmp_path):
    server = served(tmp_path, "--name", NAME, "--proxied", "--limit-factor", "0.1")
    with httpx.Client(base_url=server.url, headers={"Host": NAME}, timeout=120) as client:
        begun = [client.post("/api/games", json={}, headers={"X-Forwarded-For": "198.51.100.1"}) for _ in range(3)]
        assert [reply.status_code for reply in begun] == [201, 201, 429]
        assert "too many new games from this address" in refused(begun[-1], 429)
        assert client.post("/api/games", json={}, headers={"X-Forwarded-For": "198.51.100.2"}).status_code == 201
