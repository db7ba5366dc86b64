"""Measure how long a server with many games at once takes to respond to an action.

`python -m tests.web.load` starts a server and prints the median and the 99th percentile. In each game, a person plays
random actions against the bot `greedy`. The person's client keeps the game's stream open, as the page does. Before each
action, the person thinks for a random time around --pause seconds.
"""

import argparse
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import urlsplit


class Person(threading.Thread):
    """A simulated person who plays games until a given time.

    Attributes:
        answers: for each action, the seconds until the server's response.
        turns: for each action, the seconds until the person has to act again, including the bot's moves between.
    """

    def __init__(self, address, number, config, pause, until):
        super().__init__(daemon=True)
        self.address, self.config, self.pause, self.until = address, config, pause, until
        self.rng, self.answers, self.turns, self.wrong = random.Random(number), [], [], None

    def run(self):
        time.sleep(self.rng.uniform(0, self.pause))
        try:
            while time.monotonic() < self.until:
                self.play()
        except Exception as error:
            self.wrong = f"{type(error).__name__}: {error}"

    def ask(self, connection, method, path, body=None):
        connection.request(
            method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        text = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:200]}")
        return json.loads(text)

    def play(self):
        connection, looking = (self.connect() for _ in range(2))
        view = self.ask(connection, "POST", "/api/games", {"config": self.config, "seats": [{}, {"bot": "greedy"}]})
        looking.request("GET", f"/api/games/{view['id']}/stream?since={view['version']}")
        views = events(looking.getresponse())
        while not view["over"] and time.monotonic() < self.until:
            if view["player"] == 0:
                time.sleep(self.rng.uniform(0.5, 1.5) * self.pause)
                wish = {"version": view["version"], "answer": self.rng.choice(view["answers"])["text"]}
                began = time.perf_counter()
                answered = self.ask(connection, "POST", f"/api/games/{view['id']}/answers", wish)["version"]
                self.answers.append(time.perf_counter() - began)
                view = next(
                    found for found in views if found["version"] >= answered and (found["over"] or found["player"] == 0)
                )
                self.turns.append(time.perf_counter() - began)
        connection.close()
        looking.close()

    def connect(self):
        connection = http.client.HTTPConnection(*self.address, timeout=120)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


def events(response):
    """Yield the views from a stream. Other events, such as the number of games that are ahead in the queue, are
    skipped.
    """
    for line in response:
        if line.startswith(b"event: "):
            name = line[7:].strip()
        elif line.startswith(b"data: ") and name == b"view":
            yield json.loads(line[6:])


def measure(games, config, pause, seconds):
    """Let a person play in each of `games` games at once. Returns the figures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "carc_env", "serve", "--port", "0", "--no-browser", "--data", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        split = urlsplit(server.stdout.readline().split("at ")[1].split(" ")[0])
        warm = Person((split.hostname, split.port), 0, config, 0.01, time.monotonic() + 5)
        warm.run()
        until, spent = time.monotonic() + seconds, cpu_seconds(server.pid)
        persons = [Person((split.hostname, split.port), number, config, pause, until) for number in range(games)]
        for person in persons:
            person.start()
        for person in persons:
            person.join()
        spent = cpu_seconds(server.pid) - spent
        server.terminate()
        server.wait()
    wrong = [person.wrong for person in (warm, *persons) if person.wrong]
    if wrong:
        raise SystemExit(f"{len(wrong)} of {games} persons met an error, the first: {wrong[0]}")
    answers, turns = ([value for person in persons for value in getattr(person, name)] for name in ("answers", "turns"))
    return {
        "games": games,
        "config": config,
        "pause_s": pause,
        "answers": len(answers),
        "answers_per_s": round(len(answers) / seconds, 1),
        "answer_ms": percentiles(answers),
        "turn_ms": percentiles(turns),
        "server_cpu_ms_per_answer": round(1e3 * spent / len(answers), 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def percentiles(values):
    """Return the median and the 99th percentile, in milliseconds."""
    return {
        "median": round(1e3 * statistics.median(values), 1),
        "99th": round(1e3 * statistics.quantiles(values, n=100)[98], 1),
    }


def cpu_seconds(pid):
    """Return the processor time that a process has used. Works only on Linux."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--config", default="goldmines")
    parser.add_argument("--pause", type=float, default=10.0, help="seconds that a person thinks")
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.games, arguments.config, arguments.pause, arguments.seconds)))


if __name__ == "__main__":
    main()
