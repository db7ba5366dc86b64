"""SIGKILL at any moment: after each restart every answer that was acknowledged is there, and every game is a legal
replay of itself.
"""

import random
import threading
import time

import httpx
import pytest

import carc_env
from carc_env.web.store import Store

SEATS = (
    [{"name": "Ada"}, {"name": "Ben"}],
    [{"name": "Ada"}, {"bot": "greedy"}],
    [{"bot": "random"}, {"name": "Ben"}, {"bot": "greedy"}],
)
CONFIGS = ("base", "goldmines", "carcassonne")


class Player(threading.Thread):
    """Plays games one after the other, and remembers what was acknowledged.

    Attributes:
        acknowledged: of each game the texts of the moves by their number, as the last view that came told them.
        undoing: games of which an answer was being taken back when the server went away.
    """

    def __init__(self, url, number, acknowledged):
        super().__init__(daemon=True)
        self.client, self.rng, self.number = (
            httpx.Client(base_url=url, timeout=90),
            random.Random(f"{url} {number}"),
            number,
        )
        self.acknowledged, self.undoing, self.over, self.answers = acknowledged, set(), threading.Event(), 0

    def run(self):
        try:
            while not self.over.is_set():
                self.play(self.rng.choice([*list(self.acknowledged)[-20:], None]))
        except httpx.TransportError:
            pass  # the server was killed

    def play(self, id):
        """Some answers in a game, or in a new one."""
        if id is None:
            wish = {"config": self.rng.choice(CONFIGS), "seats": SEATS[self.number % len(SEATS)]}
            view = self.client.post("/api/games?drawing=false", json=wish).json()
        else:
            view = self.client.get(f"/api/games/{id}?drawing=false").json()
        self.note(view)
        for _ in range(8):
            if self.over.is_set() or view["over"]:
                return
            view = self.go_on(view)
            self.note(view)

    def go_on(self, view):
        """Answer, wait for a bot, or take back."""
        url, wish = f"/api/games/{view['id']}", {"version": view["version"]}
        if view["thinking"] is not None:
            return self.client.get(f"{url}?drawing=false").json()
        self.answers += 1
        if self.rng.random() < 0.1:
            self.undoing.add(view["id"])
            reply = self.client.post(f"{url}/undo?drawing=false", json=wish)
            self.undoing.discard(view["id"])
            return reply.json() if reply.status_code == 200 else self.client.get(f"{url}?drawing=false").json()
        wish["answer"] = self.rng.choice(view["answers"])["text"]
        reply = self.client.post(f"{url}/answers?drawing=false", json=wish)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def note(self, view):
        """Remember the moves that a view tells of."""
        known = {n: text for n, text in self.acknowledged.get(view["id"], {}).items() if n <= view["n_moves"]}
        self.acknowledged[view["id"]] = known | {move["n"]: move["text"] for move in view["moves"]}


def check(folder, players):
    """What was acknowledged is in the database, and what is there can be played."""
    store = Store(folder)
    kept = {entry.id: entry for entry, _ in store.all()}
    for player in players:
        for id, moves in player.acknowledged.items():
            assert id in kept, f"the game {id} is lost"
            texts = store.find(id)[1]
            assert id in player.undoing or all(texts[n - 1 : n] == [text] for n, text in moves.items()), (
                f"the game {id} has lost answers"
            )
    for id, entry in kept.items():
        game = carc_env.replay(entry.beginning | {"moves": store.find(id)[1], "scores": entry.scores})
        assert game.player == entry.asked and game.config == carc_env.GameConfig.from_dict(entry.beginning["config"])
    store.close()


def wait_for_answers(players):
    """Until every player has played a little; compiled code may have to be loaded first, or made."""
    until = time.monotonic() + 180
    while any(player.is_alive() and player.answers < 3 for player in players):
        assert time.monotonic() < until, "the server answers nobody"
        time.sleep(0.02)


def killed(served, folder, times, seed):
    """Kill a server under load so often; returns how many answers were given."""
    rng, games, answers = random.Random(seed), [{}, {}, {}], 0
    for _ in range(times):
        server = served(folder)
        players = [Player(server.url, number, known) for number, known in enumerate(games)]
        for player in players:
            player.start()
        if rng.random() < 0.8:  # else while it begins
            wait_for_answers(players)
        time.sleep(rng.uniform(0, 1.5))
        server.kill()
        for player in players:
            player.over.set()
            player.join(120)
            assert not player.is_alive()
        check(folder, players)
        games = [
            {id: {} if id in player.undoing else moves for id, moves in player.acknowledged.items()}
            for player in players
        ]
        answers += sum(player.answers for player in players)
    return answers


def test_five_kills(served, tmp_path):
    assert killed(served, tmp_path, 5, 1) > 50


@pytest.mark.stress
def test_a_hundred_kills(served, tmp_path):
    assert killed(served, tmp_path, 100, 2) > 2000
