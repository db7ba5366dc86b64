"""Tests of the command `carc serve`: what it prints, how it ends, and its messages when it cannot start."""

import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest

import carc_env
from carc_env.commands.cli import main
from carc_env.web.server import address_of
from carc_env.web.store import FILE
from tests.web.asking import answer, begin, settled
from tests.web.conftest import ROOT


def complaint(capsys, *words):
    """Return the exit status and the one line on standard error."""
    try:
        status = main(["serve", "--no-browser", *map(str, words)])
    except SystemExit as leaving:
        status = leaving.code
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1, err
    return status, err


def test_it_says_where_it_is_and_ctrl_c_ends_it(served, tmp_path):
    server = served(tmp_path)
    assert server.line == f"carc: the page is at {server.url}/ (Ctrl-C ends the server)\n"
    with httpx.Client(base_url=server.url, timeout=60) as client:
        assert client.get("/openapi.json").json()["info"]["version"] == carc_env.__version__
        assert "<html" in client.get("/").text
        view = settled(client, answer(client, begin(client, seats=[{}, {"bot": "greedy"}])).json())
        with client.stream("GET", f"/api/games/{view['id']}/stream") as response:  # the server does not wait for it
            next(response.iter_bytes())
            status, out, err = server.interrupt()
    assert (status, out, err) == (130, "", f"carc: interrupted; the games are saved in {tmp_path}\n")
    assert (tmp_path / FILE).exists()


ABORTS_WHILE_PYTHON_ENDS = """
import os, sys
from carc_env.commands.cli import main
class Aborting:
    def __del__(self, abort=os.abort): abort()
sys.aborting = Aborting()
sys.exit(main(["serve", "--port", "0", "--no-browser", "--data", sys.argv[1]]))
"""


def test_ctrl_c_waits_for_no_thread_that_compiles(tmp_path):
    """C++ aborts the process if Python ends while a thread compiles. In this test, an object aborts the process if
    Python destroys it at the end.
    """
    command = [sys.executable, "-c", ABORTS_WHILE_PYTHON_ENDS, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "http://" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
    assert (process.returncode, out, err) == (130, "", f"carc: interrupted; the games are saved in {tmp_path}\n")


def test_where_others_can_reach_it_it_says_what_that_means(served, tmp_path):
    server = served(tmp_path, "--host", "0.0.0.0")
    _, out, err = server.interrupt()
    assert out == "" and err.startswith(
        "carc: other machines can reach this server: everybody who knows its address may begin games; "
    )
    assert "connections are not encrypted" in err and err.count("\n") == 2


def test_with_a_password_it_says_who_may_begin_games(served, tmp_path):
    (tmp_path / "password").write_text("open sesame\n")
    server = served(
        tmp_path / "games", "--host", "0.0.0.0", "--password-file", tmp_path / "password", "--bot-workers", "1"
    )
    with httpx.Client(base_url=server.url.replace(socket.gethostname(), "127.0.0.1"), timeout=60) as client:
        assert client.post("/api/games", json={}).status_code == 401
        assert client.post("/api/games", json={}, headers={"Carc-Password": "open%20sesame"}).status_code == 201
    _, out, err = server.interrupt()
    assert (
        "other machines can reach this server: everybody who knows its password may begin games; " in err
        and "sesame" not in err
    )


def test_sigterm_ends_it_too(served, tmp_path):
    server = served(tmp_path)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.communicate(timeout=90) == ("", "") and server.process.returncode == -signal.SIGTERM
    served(tmp_path)  # the folder is free again


def test_a_port_that_is_taken(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, line = complaint(capsys, "--port", port, "--data", tmp_path)
    assert status == 1 and line == (
        f"carc: cannot listen on 127.0.0.1, port {port}: {os.strerror(98)}; choose another port with --port, or 0 for a free one\n"
    )


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        (("--port", "x"), 2, "'x' should be a whole number from 0 up"),
        (("--port", "65536"), 2, "'65536' should be a whole number from 0 to 65535"),
        (("--host", "no such host"), 1, "cannot listen on no such host"),
        (("--bot", "nobody"), 2, "unknown bot 'nobody'"),
        (("--bot-workers", "0"), 2, "'0' should be a whole number from 1 up"),
        (("--limit-factor", "-1"), 2, "'-1' should be a number from 0 to 1000000"),
        (("--password-file", "no-such-file"), 1, "no-such-file cannot be read: No such file"),
        (("--bot", "cmd:no-such-program"), 2, "cannot be started"),
    ],
)
def test_what_cannot_be_served(capsys, tmp_path, words, status, reason):
    found, line = complaint(capsys, "--port", 0, "--data", tmp_path / "new", *words)
    assert found == status and reason in line and not (tmp_path / "new").exists()


def test_a_foreign_database(capsys, tmp_path):
    (tmp_path / FILE).write_text("hello")
    status, line = complaint(capsys, "--port", 0, "--data", tmp_path)
    assert status == 1 and "is not a database of carc_env" in line and (tmp_path / FILE).read_text() == "hello"


def test_a_missing_extra_is_named(capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("carc_env.web.") or name.split(".")[0] == "fastapi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert complaint(capsys) == (1, 'carc: carc serve needs fastapi: pip install ".[web]"\n')


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    assert "Example: carc serve " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("::1", "http://[::1]:80/"),
        ("0.0.0.0", f"http://{socket.gethostname()}:80/"),
    ],
)
def test_the_address_that_people_type(host, address):
    assert address_of(host, 80) == address
