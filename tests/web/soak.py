"""Simulate many people who play for a long time, kill the server repeatedly, and check that nothing is lost.

`python -m tests.web.soak` prints one line with its findings and the memory that the server used. In each game, one or
two simulated persons play, with tokens of their own. They think, act, undo, leave and come back. Sometimes they act for
a wrong version or against the rules, send half a request, close a stream, or request something that does not exist.
--speed is the number of simulated seconds in a second.
"""

import argparse
import contextlib
import json
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter

import httpx

from tests.web.acknowledged import Acknowledged, check, check_replays
from tests.web.conftest import Process

SEATS = (
    [{"name": "Ada"}, {"name": "Ben"}],
    [{"name": "Ada"}, {"bot": "greedy"}],
    [{"bot": "level:2"}, {"name": "Ben"}],
)
CONFIGS = ("base", "base", "goldmines", "carcassonne")
THOUGHT = 60.0  # simulated seconds that a person thinks, on average
AWAY = 3600.0  # simulated seconds that a person who has left stays away
LEAVES = 0.02  # the fraction of turns after which a person leaves
ODD = {  # what may go wrong: the fraction of all turns, and the expected status
    "another version": (0.04, 409),
    "against the rules": (0.04, 422),
    "no JSON": (0.01, 400),
    "no such game": (0.01, 404),
    "no token": (0.01, 401),
    "half a request": (0.02, None),
    "a dropped stream": (0.03, None),
}
UNDO = 0.05


class Server:
    """The server process that is running now. After a kill, another process is started."""

    def __init__(self, folder):
        self.folder, self.up, self.memory = folder, threading.Event(), []
        self.begin()

    def begin(self):
        self.process = Process(self.folder, "--name", "soak.example", "--limit-factor", "0")
        self.up.set()

    def kill(self):
        """Kill the server with SIGKILL. Its memory use is recorded first."""
        self.up.clear()
        self.memory.append(resident(self.process.process.pid))
        self.process.kill()


def resident(pid):
    """Return the memory of a process in MB. Works only on Linux."""
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) / 1024


class Guests(threading.Thread):
    """The persons in one game. When the game is over, they begin another one."""

    def __init__(self, server, number, seed, speed, until):
        super().__init__(daemon=True)
        self.server, self.speed, self.until = server, speed, until
        self.rng, self.known, self.lock = random.Random(f"{seed} {number}"), Acknowledged(), threading.Lock()
        self.view, self.headers, self.counts, self.wrong = None, {}, Counter(), []

    def run(self):
        self.wait(self.rng.uniform(0, 2 * THOUGHT))
        while time.monotonic() < self.until:
            if not self.server.up.wait(1):
                continue
            with self.lock:  # `looked_for` reads `known` only between two turns
                try:
                    with httpx.Client(base_url=self.server.process.url, timeout=60) as self.client:
                        self.turn()
                except (httpx.TransportError, OSError):
                    self.counts["broken off"] += 1  # the server was killed
                except Exception as error:
                    self.wrong.append(f"{type(error).__name__}: {error}")
            self.wait(AWAY if self.rng.random() < LEAVES else self.rng.expovariate(1 / THOUGHT))

    def wait(self, seconds):
        time.sleep(min(seconds / self.speed, max(0.0, self.until - time.monotonic())))

    # --- what the persons do ------------------------------------------------------------------------------------------
    def turn(self):
        """Look at the game, or begin a new one. Then send something wrong, or act or undo if it is a person's turn."""
        view = self.look()
        if view is None or view["over"]:
            view = self.begin(view)
        dice = self.rng.random()
        for what, (share, status) in ODD.items():
            dice -= share
            if dice < 0:
                return self.misbehave(what, view, status)
        if view["player"] is not None and view["thinking"] is None and view["answers"]:
            self.take_back(view) if dice < UNDO and view["n_moves"] else self.answer(view)

    def ask(self, method, path, expected, **more):
        reply = self.client.request(method, f"/api/games{path}", headers=self.headers, **more)
        if reply.status_code not in expected:
            raise AssertionError(f"{method} {path}: {reply.status_code} {reply.text[:200]}")
        return reply

    def look(self):
        """Return the view of the game, or None if there is no game."""
        if self.view is None:
            return None
        reply = self.ask("GET", f"/{self.view}?drawing=false", (200, 404))
        if reply.status_code == 404:
            assert not self.known.moves.get(self.view), f"the game {self.view} is gone"
            return None
        self.known.note(reply.json())
        return reply.json()

    def begin(self, old):
        """Begin another game. The old game is deleted or left as it is. Returns the new view."""
        if old is not None and self.rng.random() < 0.5:
            self.known.leaving.add(self.view)
            self.ask("DELETE", f"/{self.view}", (200, 404))
        self.known.moves.clear()
        self.known.leaving.clear()
        wish = {"config": self.rng.choice(CONFIGS), "seats": self.rng.choice(SEATS)}
        view = self.ask("POST", "?drawing=false", (201,), json=wish).json()
        self.view, tokens = view["id"], [*view["tokens"], view["beginner"]]
        self.headers = {"Authorization": "Bearer " + ",".join(tokens)}
        self.known.note(view)
        self.counts["games"] += 1
        return view

    def answer(self, view):
        wish = {"version": view["version"], "answer": self.rng.choice(view["answers"])["text"]}
        reply = self.ask("POST", f"/{view['id']}/answers?drawing=false", (200, 409), json=wish)
        if reply.status_code == 200:
            self.known.note(reply.json())
            self.counts["answers"] += 1

    def take_back(self, view):
        """Undo a move. The client has all tokens of the game, so nobody else is asked."""
        self.known.undoing.add(view["id"])
        reply = self.ask(
            "POST", f"/{view['id']}/undo?drawing=false", (200, 409, 422), json={"version": view["version"]}
        )
        if reply.status_code == 200:
            self.known.note(reply.json())
        self.known.undoing.discard(view["id"])
        self.counts["taken back"] += 1

    def misbehave(self, what, view, status):
        """Send something wrong, or break off a connection. A refusal must have the expected status."""
        url, wish = f"/{view['id']}/answers", {"version": view["version"], "answer": "meeple city N"}
        if what == "half a request":
            return self.break_off(b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{", what)
        if what == "a dropped stream":
            with self.client.stream("GET", f"/api/games{'/' + view['id']}/stream", headers=self.headers) as stream:
                next(stream.iter_bytes())
        elif what == "another version":
            self.ask("POST", url, (status,), json=wish | {"version": view["version"] + 1000})
        elif what == "against the rules":
            if view["thinking"] is not None or view["over"]:
                return None
            self.ask("POST", url, (status, 409), json=wish | {"answer": "tile to the moon"})
        elif what == "no JSON":
            self.client.headers["content-type"] = "application/json"
            self.ask("POST", url, (status,), content=b"{'version': ")
        elif what == "no such game":
            self.ask("GET", "/AAAAAAAAAAAAAAAA", (status,))
        elif what == "no token":
            reply = self.client.get(f"/api/games/{view['id']}")
            assert reply.status_code == status, reply.text
        self.counts[what] += 1
        return None

    def break_off(self, begun, what):
        """Send the beginning of a request, and close the connection."""
        address = httpx.URL(self.server.process.url)
        with contextlib.suppress(OSError), socket.create_connection((address.host, address.port), 5) as connection:
            connection.sendall(begun)
        self.counts[what] += 1


# --- the whole simulation ---------------------------------------------------------------------------------------------
def looked_for(server, guests):
    """Return how many acknowledged moves were looked up in the database after a kill. All of them must be there."""
    with contextlib.ExitStack() as held:
        for each in guests:
            held.enter_context(each.lock)
        found = check(server.folder, [each.known for each in guests])
        for each in guests:
            each.known.settle()
    return found


def wait_for_answers(guests):
    """Wait until the server has acknowledged an action. It may have to load compiled code first."""
    before, limit = answers_of(guests), time.monotonic() + 180
    while answers_of(guests) == before and any(each.is_alive() for each in guests):
        assert time.monotonic() < limit, "the server answers nobody"
        time.sleep(0.05)


def answers_of(guests):
    return sum(each.counts["answers"] for each in guests)


def soak(hours, tables, speed, kill_every, seed):
    """Run the simulation. Returns the figures. Raises AssertionError if something was lost or a response was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        server, began = Server(folder), time.monotonic()
        until, found = began + 3600 * hours / speed, 0
        guests = [Guests(server, number, seed, speed, until) for number in range(tables)]
        for each in guests:
            each.start()
        try:
            while time.monotonic() < until:
                time.sleep(max(0.0, min(kill_every, until - time.monotonic())))
                wait_for_answers(guests)
                server.kill()
                found += looked_for(server, guests)
                if time.monotonic() < until:
                    server.begin()
            for each in guests:
                each.join(120)
        finally:
            if server.process.process.poll() is None:
                server.process.kill()
        games = check_replays(folder)
    wrong = [error for each in guests for error in each.wrong]
    assert not wrong, f"{len(wrong)} times the server did not answer as it should, first {wrong[0]}"
    counts = sum((each.counts for each in guests), Counter())
    return {
        "hours": hours,
        "tables": tables,
        "seed": seed,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "kills": len(server.memory),
        "acknowledged_answers_found": found,
        "lost": 0,
        "games_replayed": games,
        "counts": dict(counts),
        "rss_mb": {
            "first": round(server.memory[0]),
            "median": round(statistics.median(server.memory)),
            "last": round(server.memory[-1]),
            "most": round(max(server.memory)),
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=24.0, help="simulated (24)")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--speed", type=float, default=20.0, help="simulated seconds a second (20)")
    parser.add_argument("--kill-every", type=float, default=180.0, metavar="S", help="real seconds (180)")
    parser.add_argument("--seed", type=int, default=1)
    try:
        print(json.dumps(soak(**vars(parser.parse_args()))))
    except AssertionError as error:
        sys.exit(f"soak: {error}")


if __name__ == "__main__":
    main()
