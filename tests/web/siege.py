"""Measure how long two persons wait to see each other's actions while bots think in many other games.

`python -m tests.web.siege` starts a server, begins --tables games between two strong bots, and prints the median, the
99th percentile and the longest time. The time of an action ends when the stream of the other person's game shows it.
With --tables 0, no other games are played.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit

from tests.web.load import Person, events, percentiles


class Beside(Person):
    """Two simulated persons who play in one game. The client can also begin other games."""

    def begin(self, connection, config, seats):
        return self.ask(connection, "POST", "/api/games", {"config": config, "seats": seats})

    def answers_shown(self, connection, seconds):
        """Play for a number of seconds. Returns, for each action, the seconds until the stream shows it."""
        shown, until, view = [], time.monotonic() + seconds, None
        while time.monotonic() < until:
            if view is None or view["over"]:
                view, looking = self.begin(connection, self.config, [{"name": "Ada"}, {"name": "Ben"}]), self.connect()
                looking.request("GET", f"/api/games/{view['id']}/stream")
                views = events(looking.getresponse())
                next(views)
            time.sleep(self.rng.uniform(0.5, 1.5) * self.pause)
            wish = {"version": view["version"], "answer": self.rng.choice(view["answers"])["text"]}
            began = time.perf_counter()
            answered = self.ask(connection, "POST", f"/api/games/{view['id']}/answers", wish)["version"]
            view = next(found for found in views if found["version"] >= answered)
            shown.append(time.perf_counter() - began)
        return shown


def keep_thinking(person, connection, games, bot):
    """Begin games in which only bots play, so that all of these games always wait or think. Returns their ids."""
    return [person.begin(connection, person.config, [{"bot": bot}, {"bot": bot}])["id"] for _ in range(games)]


def measure(tables, bot, config, seconds, pause, workers):
    """Measure while bots think in this many other games. Returns the figures."""
    with tempfile.TemporaryDirectory() as folder:
        more = ["--bot-workers", str(workers)] if workers else []
        command = [sys.executable, "-m", "carc_env", "serve", "--port", "0", "--no-browser", "--data", folder, *more]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            split = urlsplit(server.stdout.readline().split("at ")[1].split(" ")[0])
            person = Beside((split.hostname, split.port), random.randrange(2**32), config, pause, 0.0)
            connection = person.connect()
            person.answers_shown(connection, 5)  # until everything is loaded
            ids = keep_thinking(person, connection, tables, bot)
            shown = person.answers_shown(connection, seconds)
            views = [person.ask(connection, "GET", f"/api/games/{id}?drawing=false") for id in ids]
        finally:
            server.terminate()
            server.wait()
    return {
        "tables": tables,
        "bot": bot,
        "config": config,
        "answers": len(shown),
        "shown_ms": percentiles(shown) | {"longest": round(1e3 * max(shown), 1)},
        "most_tables_before": max((view["tables_before"] or 0 for view in views), default=0),
        "bot_had_ms": min((view["hurried"]["ms"] for view in views if view["hurried"]), default=None),
        "bot_answers": sum(view["n_moves"] for view in views),
        "still_thinking": sum(view["thinking"] is not None for view in views),
        "cores": len(os.sched_getaffinity(0)),
        "load_average": round(os.getloadavg()[0], 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--bot", default="level:6")
    parser.add_argument("--config", default="goldmines")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds that the two persons think")
    parser.add_argument("--workers", type=int, help="--bot-workers of the server")
    print(json.dumps(measure(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
