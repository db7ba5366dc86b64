"""The server is killed with SIGKILL at any moment. Afterwards, the database contains every acknowledged action, and
every game can be replayed.
"""

import random
import threading
import time

import httpx
import pytest

from tests.web.acknowledged import Acknowledged, check, check_replays

SEATS = (
    [{"name": "Ada"}, {"name": "Ben"}],
    [{"name": "Ada"}, {"bot": "greedy"}],
    [{"bot": "random"}, {"name": "Ben"}, {"bot": "greedy"}],
)
CONFIGS = ("base", "goldmines", "carcassonne")


class Player(threading.Thread):
    """Plays one game after another, and records in `known` what the server has acknowledged."""

    def __init__(self, url, number, known):
        super().__init__(daemon=True)
        self.client, self.rng, self.number = (
            httpx.Client(base_url=url, timeout=90),
            random.Random(f"{url} {number}"),
            number,
        )
        self.known, self.over, self.answers = known, threading.Event(), 0

    def run(self):
        try:
            while not self.over.is_set():
                self.play(self.rng.choice([*list(self.known.moves)[-20:], None]))
        except httpx.TransportError:
            pass  # the server was killed

    def play(self, id):
        """Play up to eight steps in the game `id`, or in a new game if `id` is None."""
        if id is None:
            wish = {"config": self.rng.choice(CONFIGS), "seats": SEATS[self.number % len(SEATS)]}
            view = self.client.post("/api/games?drawing=false", json=wish).json()
        else:
            view = self.client.get(f"/api/games/{id}?drawing=false").json()
        self.known.note(view)
        for _ in range(8):
            if self.over.is_set() or view["over"]:
                return
            view = self.go_on(view)
            self.known.note(view)

    def go_on(self, view):
        """Act, undo, or look at the game again if a bot is thinking. Returns the new view."""
        url, wish = f"/api/games/{view['id']}", {"version": view["version"]}
        if view["thinking"] is not None:
            return self.client.get(f"{url}?drawing=false").json()
        self.answers += 1
        if self.rng.random() < 0.1:
            self.known.undoing.add(view["id"])
            reply = self.client.post(f"{url}/undo?drawing=false", json=wish)
            self.known.undoing.discard(view["id"])
            return reply.json() if reply.status_code == 200 else self.client.get(f"{url}?drawing=false").json()
        wish["answer"] = self.rng.choice(view["answers"])["text"]
        reply = self.client.post(f"{url}/answers?drawing=false", json=wish)
        assert reply.status_code == 200, reply.text
        return reply.json()


def wait_for_answers(players):
    """Wait until every player has sent three actions. Compiled code may have to be loaded or compiled first."""
    until = time.monotonic() + 180
    while any(player.is_alive() and player.answers < 3 for player in players):
        assert time.monotonic() < until, "the server answers nobody"
        time.sleep(0.02)


def killed(served, folder, times, seed):
    """Kill a server under load this many times. Returns how many actions and undo requests the players sent."""
    rng, games, answers = random.Random(seed), [Acknowledged() for _ in SEATS], 0
    for _ in range(times):
        server = served(folder)
        players = [Player(server.url, number, known) for number, known in enumerate(games)]
        for player in players:
            player.start()
        if rng.random() < 0.8:  # otherwise, the server is killed while it starts
            wait_for_answers(players)
        time.sleep(rng.uniform(0, 1.5))
        server.kill()
        for player in players:
            player.over.set()
            player.join(120)
            assert not player.is_alive()
        check(folder, games)
        check_replays(folder)
        for known in games:
            known.settle()
        answers += sum(player.answers for player in players)
    return answers


@pytest.mark.long
def test_two_kills(served, tmp_path):
    assert killed(served, tmp_path, 2, 1) > 20


@pytest.mark.stress
def test_a_hundred_kills(served, tmp_path):
    assert killed(served, tmp_path, 100, 2) > 2000
