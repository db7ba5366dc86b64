"""Tests of two servers behind a reverse proxy as in docs/http.md: the first part of the path selects the server."""

import asyncio
import itertools
import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from carc_env.web.server import listen
from tests.modes import nightly
from tests.web.asking import AGAINST_GREEDY, PERSONS, refused

NAME = "games.example.org"
DROPPED = {"host", "connection", "transfer-encoding", "content-length"}  # headers that belong to one connection


def proxy(servers):
    """Return a reverse proxy. It forwards /a/... to server a, without the /a. It redirects / to each server in turn."""
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
    """Run an application in a thread. Yields its address."""
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
    """Run two servers behind a proxy. Yields a client of the proxy, and the servers."""
    servers = {name: served(tmp_path / name, "--name", NAME, "--proxied") for name in "ab"}
    app = proxy({name: server.url for name, server in servers.items()})
    with running(app) as url, httpx.Client(base_url=url, timeout=120, headers={"Host": NAME}) as client:
        yield client, servers


def play_in_both(client):
    """Begin a game on each server and make a move in it, which the game's stream shows at once."""
    games = {}
    for home in ("/a/", "/b/"):
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


@pytest.mark.long
def test_two_servers_behind_a_proxy(halls):
    client, _ = halls
    assert [client.get("/").headers["location"] for _ in range(4)] == ["/a/", "/b/", "/a/", "/b/"]
    play_in_both(client)


def documented(language):
    """Return the configuration in docs/http.md whose code block begins with this text."""
    page = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
    return re.search(rf"^{re.escape(language)}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]


def for_nginx(port):
    """Return the documented configuration of nginx, without encryption and on another port."""
    text = re.sub(r"^ *ssl_certificate.*\n", "", documented("```nginx"), flags=re.MULTILINE)
    text = text.replace("443 ssl", f"127.0.0.1:{port}")
    return f"daemon off; pid nginx.pid; error_log stderr; events {{}}\nhttp {{ access_log off;\n{text}}}\n"


def for_caddy(port):
    """Return the documented configuration of Caddy, without encryption and on another port."""
    site = f"http://{NAME}:{port}"
    return "{\n    admin off\n}\n" + documented(f"```\n{NAME} {{").join((site + " {\n", ""))


PROXIES = {
    "nginx": (for_nginx, ("nginx", "-p", ".", "-c", "proxy.conf")),
    "caddy": (for_caddy, ("caddy", "run", "--config", "proxy.conf", "--adapter", "caddyfile")),
}


@contextmanager
def in_front_of(servers, name, folder):
    """Run a proxy in front of the servers a and b, with its configuration from docs/http.md. Yields its address."""
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    text, command = PROXIES[name]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = text(port)
    for hall, documented_port in (("a", "8001"), ("b", "8002")):
        assert f"127.0.0.1:{documented_port}" in text
        text = text.replace(f"127.0.0.1:{documented_port}", servers[hall].url.removeprefix("http://"))
    (folder / "proxy.conf").write_text(text)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for _ in range(100):
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stdout.read()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate() if name == "nginx" else process.kill()  # Caddy would wait for open connections
        process.wait(20)


@pytest.mark.parametrize("name", [nightly("nginx"), nightly("caddy")])
def test_the_proxies_of_the_docs(served, tmp_path, name):
    servers = {hall: served(tmp_path / hall, "--name", NAME, "--proxied", "--limit-factor", "0.1") for hall in "ab"}
    with (
        in_front_of(servers, name, tmp_path) as url,
        httpx.Client(base_url=url, timeout=20, headers={"Host": NAME}) as client,
    ):
        assert re.search(r"/[ab]/$", client.get("/").headers["location"])
        play_in_both(client)
        tries = [
            client.post("/a/api/games", json={}, headers={"X-Forwarded-For": f"198.51.100.{number}"})
            for number in range(3)
        ]
        assert "too many new games from this address" in refused(tries[-1], 429), "an address that was made up"


@pytest.mark.long
def test_one_server_goes_on_while_the_other_is_gone(halls):
    client, servers = halls
    view = client.post("/a/api/games", json={"config": "base", "seats": AGAINST_GREEDY}).json()
    servers["b"].kill()
    headers = {"Authorization": f"Bearer {view['tokens'][0]}"}
    wish = {"version": 1, "answer": view["answers"][0]["text"]}
    assert client.post(f"/a/api/games/{view['id']}/answers", json=wish, headers=headers).status_code == 200


@pytest.mark.long
def test_limits_are_by_the_address_that_the_proxy_tells(served, tmp_path):
    server = served(tmp_path, "--name", NAME, "--proxied", "--limit-factor", "0.1")
    with httpx.Client(base_url=server.url, headers={"Host": NAME}, timeout=120) as client:
        begun = [client.post("/api/games", json={}, headers={"X-Forwarded-For": "198.51.100.1"}) for _ in range(3)]
        assert [reply.status_code for reply in begun] == [201, 201, 429]
        assert "too many new games from this address" in refused(begun[-1], 429)
        assert client.post("/api/games", json={}, headers={"X-Forwarded-For": "198.51.100.2"}).status_code == 201
