"""Fixtures of the web tests: servers in this process or in processes of their own, and a browser."""

import functools
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from carc_env.web.app import make_app
from carc_env.web.choices import specs
from carc_env.web.connections import Connection
from carc_env.web.guard import Guard, Hosts
from carc_env.web.running_games import Tables
from carc_env.web.server import Server, listen
from carc_env.web.store import Store
from tests.web import bots
from tests.web.browser import CHROMIUM, DESKTOP

ROOT = Path(__file__).parents[2]
# Features of Chromium that are switched off: those that use the network, which Playwright switches off as well, and
# those that prepare pages of Chromium for each window, which takes longer than loading our page.
UNUSED = (
    "AimEnabled",
    "MediaRouter",
    "OptimizationHints",
    "PreconnectToSearch",
    "Translate",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)


@contextmanager
def begin(folder, host="127.0.0.1", bots=(), password=None, limits=None, proxied=False, http=Connection, **options):
    """Run a server in a thread. The server listens on 127.0.0.1, but behaves as if it listened on `host`. `options` are
    arguments of Tables. Yields a client, whose attributes `tables` and `app` are those of the server.
    """
    tables = Tables(Store(folder), specs(bots), **options)
    with listen("127.0.0.1", 0) as listening:
        app = make_app(tables, password, limits)
        guard = Guard(app, Hosts(host), limits, proxied)
        server = Server(uvicorn.Config(guard, log_level="error", access_log=False, http=http), tables)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=300) as client:
                client.tables, client.app = tables, app
                yield client
        finally:  # also after a failed test, which would hang otherwise
            server.should_exit = True
            thread.join(60)
        assert not thread.is_alive(), "the server does not end"


@pytest.fixture
def serving(tmp_path):
    """A function that runs a server for one test: `with serving(...) as client`."""
    return functools.partial(begin, tmp_path)


@pytest.fixture(autouse=True)
def go():
    """Clear the event GO before a test, so that Slow waits, and set it afterwards, so that no bot waits any longer."""
    bots.GO.clear()
    yield
    bots.GO.set()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A client of a server on 127.0.0.1 that all tests of a module share."""
    with begin(tmp_path_factory.mktemp("games")) as client:
        yield client


class Process:
    """A server in a process of its own."""

    def __init__(self, folder, *words, cwd=ROOT, env=None):
        command = [
            sys.executable,
            "-m",
            "carc_env",
            "serve",
            "--port",
            "0",
            "--no-browser",
            "--data",
            str(folder),
            *map(str, words),
        ]
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.line = self.process.stdout.readline()
        assert "http://" in self.line, self.process.communicate()[1]
        self.url = self.line.split("at ")[1].split(" ")[0].rstrip("/")

    def kill(self):
        """Kill the server with SIGKILL, which no program can handle."""
        self.process.kill()
        self.process.communicate()

    def interrupt(self):
        """Send SIGINT, as Ctrl-C does. Returns the exit status, standard output and standard error."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=90)
        return self.process.returncode, out, err


@pytest.fixture
def served():
    """A function that starts a server in a process of its own: `served(folder, words...)`. The servers end with the
    test.
    """
    begun = []

    def begin(folder, *words):
        begun.append(Process(folder, *words))
        return begun[-1]

    yield begin
    for server in begun:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """A server in a process of its own on 127.0.0.1 that all tests of a module share. It offers the bots in the
    module's list SERVER_BOTS.
    """
    words = [word for bot in getattr(request.module, "SERVER_BOTS", ()) for word in ("--bot", bot)]
    process = Process(tmp_path_factory.mktemp("games"), *words)
    yield process
    process.kill()


@pytest.fixture(scope="module")
def browser():
    """Chromium. Tests that need it are skipped if it is not installed."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the page is not tested in a browser: playwright is not installed"
    )
    if CHROMIUM is None:
        pytest.skip("the page is not tested in a browser: there is no chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=[f"--disable-features={','.join(UNUSED)}"], timeout=180_000
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """A function that opens a page in a new browser context: `open_page(url, **options)`. The test fails if a page
    reports an error. Bots on the page act at once unless another pace is given.
    """
    contexts, wrong = [], []

    def begin(url, context=None, pace="at once", **options):
        if context is None:
            context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
            contexts.append(context)
            context.add_init_script(f"localStorage.setItem('carc pace', localStorage.getItem('carc pace') ?? '{pace}')")
        page = context.new_page()
        page.set_default_timeout(300_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda message: (
                wrong.append(message.text) if message.type == "error" and "Failed to load" not in message.text else None
            ),
        )
        page.goto(url)
        return page

    yield begin
    for context in contexts:
        context.close()
    assert not wrong
