"""Tests of games between several people: links that claim seats, watching, undo requests, messages, clocks, rematches
and leaving.
"""

import threading
import time

import pytest

from carc_env.web import app, models
from carc_env.web.seats import Seat
from carc_env.web.table import REMEMBERED, Table
from carc_env.web.turns_of_persons import handed_over
from tests.web.asking import begin, look, refused, settled
from tests.web.conftest import begin as begin_server

THREE = [{"name": "Ada"}, {"name": "Ben"}, {"bot": "greedy"}]


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A client of a server that behaves as if it listened on an address that other machines can reach."""
    with begin_server(tmp_path_factory.mktemp("far"), host="0.0.0.0", guarded=True) as client:
        yield client


class Guest:
    """A browser with tokens for a game."""

    def __init__(self, client, view, *tokens):
        self.client, self.url, self.tokens = client, f"/api/games/{view['id']}", tokens

    def ask(self, method, path="", body=None):
        headers = {"Authorization": "Bearer " + ",".join(self.tokens)}
        return self.client.request(method, self.url + path, json=body, headers=headers)

    def view(self):
        return self.ask("GET", "?drawing=false").json()

    def post(self, path, **body):
        return self.ask("POST", path, body)

    def done(self, path, **body):
        reply = self.post(path, **body)
        assert reply.status_code in (200, 201), reply.text
        return reply.json()

    def answer(self):
        """Choose the first legal action."""
        view = self.view()
        return self.done("/answers", version=view["version"], answer=view["answers"][0]["text"])


@pytest.fixture
def table(far):
    """Return the guests Ada, Ben and Cleo. Ada began the game. Ben has claimed his seat with a token that Ada has, too;
    since then, he has a token of his own. Cleo watches.
    """
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}])
    ada, cleo = Guest(far, view, *view["tokens"], view["beginner"]), Guest(far, view, view["watcher"])
    token = Guest(far, view, view["tokens"][1]).done("/seats/1/claim")["token"]
    return ada, Guest(far, view, token), cleo


def play_to(ada, ben, player):
    """Act for both players until `player` has to act and the other player has acted. Returns the view."""
    guests, others = (ada, ben), 0
    while (view := ada.view())["player"] != player or not others:
        others += view["player"] != player
        guests[view["player"]].answer()
    return view


# --- links ------------------------------------------------------------------------------------------------------------
def test_a_link_claims_its_seat(far):
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}])
    ada, link = Guest(far, view, *view["tokens"]), Guest(far, view, view["tokens"][1])
    before = ada.view()
    assert before["company"]["claims"] == [0, 0]
    found = link.done("/seats/1/claim", name="Benno")
    models.SeatView.model_validate(found)
    assert found["company"]["claims"] == [0, 1] and found["players"][1]["name"] == "Benno"
    assert found["company"]["talk"][-1]["text"] == "Benno has sat down."
    for path in ("/seats/1/claim", "/messages"):
        assert "not valid for this game" in refused(link.post(path), 403)
    ben = Guest(far, view, found["token"])
    while ada.view()["player"] == 0:
        ada.answer()
    now = ben.view()
    wish = {"version": now["version"], "answer": now["answers"][0]["text"]}
    assert "for another seat" in refused(ada.post("/answers", **wish), 403)
    assert ben.done("/answers", **wish)["n_moves"] > now["n_moves"]


def test_what_cannot_be_claimed(far, client):
    view = begin(far, seats=THREE)
    ada = Guest(far, view, *view["tokens"])
    assert refused(ada.post("/seats/2/claim"), 409) == "the bot greedy plays in this seat"
    refused(ada.post("/seats/3/claim"), 404)
    assert "for another seat" in refused(Guest(far, view, view["tokens"][0]).post("/seats/1/claim"), 403)
    assert "only allows you to watch" in refused(Guest(far, view, view["watcher"]).post("/seats/1/claim"), 403)
    here = begin(client)
    assert "uses no tokens" in refused(client.post(f"/api/games/{here['id']}/seats/1/claim", json={}), 409)


def test_who_looks_on_only_looks(table):
    ada, ben, cleo = table
    view = cleo.view()
    assert view["answers"]
    for path, body in (
        ("/answers", {"version": view["version"], "answer": view["answers"][0]["text"]}),
        ("/undo", {"version": view["version"]}),
        ("/undo/reply", {"wish": 1, "agree": True}),
        ("/seats/1", {"bot": "greedy"}),
        ("/messages", {"seat": 0, "text": "hello"}),
        ("/rematch", {}),
    ):
        assert cleo.post(path, **body).status_code in (403, 409, 422), path
    refused(cleo.ask("DELETE"), 403)
    assert cleo.view() == view


def test_the_list_tells_whose_games(far, table):
    ada, ben, cleo = table
    id = ada.url.rpartition("/")[2]
    for guest, seats in ((ada, [0]), (ben, [1]), (cleo, [])):
        headers = {"Authorization": "Bearer " + ",".join(["x", *guest.tokens])}
        games = far.get("/api/games", headers=headers).json()["games"]
        assert [(game["id"], game["yours"], game["player"]) for game in games] == [(id, seats, 0)]


def test_the_list_reads_only_the_games_of_the_tokens(far, table, monkeypatch):
    """Checks that the list reads no other games, and not how these games began: a custom map sheet may be long."""
    read, hashed_tokens = [], []
    rows, hashing = far.tables._store._read, app.hashed
    monkeypatch.setattr(
        far.tables._store, "_read", lambda *words: [read.append((words[0], row)) or row for row in rows(*words)]
    )
    monkeypatch.setattr(app, "hashed", lambda token: hashed_tokens.append(token) or hashing(token))
    begin(far)
    read.clear()
    assert far.get("/api/games").json() == {"games": []} and not read
    tokens = ["x", *table[0].tokens]
    games = far.get("/api/games", headers={"Authorization": "Bearer " + ",".join(tokens)}).json()["games"]
    assert [game["id"] for game in games] == [table[0].url.rpartition("/")[2]] and hashed_tokens == tokens
    assert len([row for _, row in read if len(row) > 2]) == 1 and '"carc_env"' not in str(read)


# --- undo requests ----------------------------------------------------------------------------------------------------
def test_undo_asks_the_others(table):
    ada, ben, cleo = table
    view = play_to(ada, ben, 1)
    asked = ada.done("/undo", version=view["version"])
    wish = asked["company"]["wish"]
    assert asked["n_moves"] == view["n_moves"] and wish["seat"] == 0 and wish["agreed"] == [0]
    assert asked["company"]["talk"][-1]["text"] == "Ada asks Ben to agree to an undo."
    assert ada.done("/undo", version=asked["version"])["company"]["talk"] == asked["company"]["talk"], "told once"
    refused(cleo.post("/undo/reply", wish=wish["number"], agree=True), 403)
    refused(ben.post("/undo/reply", wish=wish["number"] + 9, agree=True), 409)
    assert ada.done("/undo/reply", wish=wish["number"], agree=True)["n_moves"] == view["n_moves"], "Ben has not agreed"
    after = ben.done("/undo/reply", wish=wish["number"], agree=True)
    assert after["company"]["wish"] is None and after["n_moves"] < view["n_moves"] and after["player"] == 0
    assert after["company"]["talk"][-1]["text"].startswith("Ada undoes a move.")


def test_a_wish_is_refused_withdrawn_or_passed_over(table):
    ada, ben, _ = table
    view = play_to(ada, ben, 1)
    for guest, words in ((ben, "refused the undo request"), (ada, "withdrew the undo request")):
        wish = ada.done("/undo", version=ada.view()["version"])["company"]["wish"]
        after = guest.done("/undo/reply", wish=wish["number"], agree=False)
        assert after["company"]["wish"] is None and after["n_moves"] == view["n_moves"]
        assert words in after["company"]["talk"][-1]["text"]
    ada.done("/undo", version=ada.view()["version"])
    assert ben.answer()["company"]["wish"] is None


def test_an_answer_is_not_lost_while_something_is_told(table):
    ada, ben, _ = table
    view = ada.view()
    ben.done("/messages", seat=1, text="Take your time")
    assert ada.done("/answers", version=view["version"], answer=view["answers"][0]["text"])["n_moves"] > 0
    refused(ada.post("/answers", version=view["version"], answer=view["answers"][0]["text"]), 409)


def test_however_much_is_told_an_answer_is_not_lost(table):
    """The server may have forgotten the version in which the player decided."""
    ada, ben, _ = table
    view = ada.view()
    for number in range(2 * REMEMBERED):
        ben.done("/messages", seat=1, text=f"{number}")
    for version in (0, view["version"] + 2 * REMEMBERED + 1):
        refused(ada.post("/answers", version=version, answer=view["answers"][0]["text"]), 409)
    assert ada.done("/answers", version=view["version"], answer=view["answers"][0]["text"])["n_moves"] > 0


def test_what_was_seen_is_drawn_anew(client):
    """After an undo, tiles drawn since the undone action go back to the stack, and a tile is drawn again at random."""
    view = begin(client, "base", [{"name": "Ada"}, {"name": "Ben"}], 7)
    url, drawn, record = f"/api/games/{view['id']}", [], client.tables.find(view["id"]).now.game.record()["deck"]

    def turn():
        found = client.get(f"{url}?drawing=false").json()
        while found["player"] == 0:
            wish = {"version": found["version"], "answer": found["answers"][0]["text"]}
            found = client.post(f"{url}/answers?drawing=false", json=wish).json()
        return found

    for _ in range(16):
        found = turn()
        drawn.append(found["tile"])
        while found["player"] == 1:
            found = client.post(f"{url}/undo?drawing=false", json={"version": found["version"]}).json()
        assert "drawn again" in found["company"]["talk"][-1]["text"]
    assert len(set(drawn)) > 3, drawn
    game = client.tables.find(view["id"]).now.game
    assert game.deck != record and sorted(game.deck) == sorted(record)
    kept, moves = client.tables._store.find(view["id"])
    assert kept.beginning["deck"] == game.deck and moves == game.moves


def test_nothing_is_drawn_anew_where_nothing_was_seen(client):
    view = begin(client, "base", seed=7)
    deck = client.tables.find(view["id"]).now.game.deck
    url = f"/api/games/{view['id']}"
    wish = {"version": 1, "answer": view["answers"][0]["text"]}
    after = client.post(f"{url}/answers", json=wish).json()
    assert after["phase"] == "PLACE_FIGURE"
    back = client.post(f"{url}/undo", json={"version": after["version"]}).json()
    assert back["company"]["talk"][-1]["text"] == "Ada undoes a move."
    assert client.tables.find(view["id"]).now.game.deck == deck


# --- messages ---------------------------------------------------------------------------------------------------------
def test_messages(table):
    ada, ben, _ = table
    said = ben.done("/messages", seat=1, text="  Well\n played! ")["company"]["talk"][-1]
    assert (said["seat"], said["text"]) == (1, "Well played!")
    assert "for another seat" in refused(ben.post("/messages", seat=0, text="I lose"), 403)
    for text in ("", " ", "x" * 201, "\x1b[31m"):
        assert "a message should have 1 to 200 printable characters" in refused(
            ben.post("/messages", seat=1, text=text), 422
        )
    for number in range(60):
        ben.done("/messages", seat=1, text=f"number {number}")
    talk = ada.view()["company"]["talk"]
    assert [line["text"] for line in talk] == [f"number {number}" for number in range(48, 60)]


def test_a_message_disturbs_no_bot(serving):
    """If a message is sent while a bot thinks, the bot is asked only once, and its action counts."""
    with serving(bots=["tests.web.bots:Sleepy"]) as client:
        view = begin(client, "base", [{"bot": "tests.web.bots:Sleepy"}, {"name": "Ben"}])
        for text in ("Hm", "Go on"):
            client.post(f"/api/games/{view['id']}/messages", json={"seat": 1, "text": text})
        found = settled(client, view)
        assert found["fault"] is None and found["player"] == 1
        assert threading.active_count() < 60


def test_what_is_said_of_a_seat_with_the_same_name():
    """The bot in a seat may have the same name as the person before it."""
    person, bot = Seat("Red"), Seat("Red", "greedy")
    assert handed_over(person, bot) == "A bot takes over from Red."
    assert handed_over(bot, person) == "A person takes over from Red."


# --- seats ------------------------------------------------------------------------------------------------------------
def test_leaving_and_coming_back(table):
    ada, ben, _ = table
    left = ben.done("/seats/1", bot="greedy")
    assert left["company"]["talk"][-1]["text"] == "greedy takes over from Ben." and "token" not in left
    back = ada.done("/seats/1", bot=None, name="Dora")
    assert back["players"][1] == back["players"][1] | {"name": "Dora", "bot": None}
    assert "not valid for this game" in refused(ben.ask("GET"), 403)
    dora = Guest(ada.client, {"id": ada.url.rpartition("/")[2]}, back["token"])
    while (view := ada.view())["player"] == 0:
        ada.answer()
    assert dora.done("/answers", version=view["version"], answer=view["answers"][0]["text"])


def test_the_beginner_hands_over_for_who_is_gone(table):
    ada, ben, _ = table
    beginner = Guest(ada.client, {"id": ada.url.rpartition("/")[2]}, ada.tokens[-1])
    assert "for another seat" in refused(ben.post("/seats/0", bot="greedy"), 403)
    assert beginner.done("/seats/1", bot="greedy")["players"][1]["bot"] == "greedy"


def test_who_may_delete(far):
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}])
    for token in (*view["tokens"], view["watcher"]):
        assert "only the person who began this game" in refused(Guest(far, view, token).ask("DELETE"), 403)
    assert Guest(far, view, *view["tokens"]).ask("DELETE").status_code == 200
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}])
    assert Guest(far, view, view["beginner"]).ask("DELETE").status_code == 200
    view = begin(far, seats=[{"name": "Ada"}, {"bot": "greedy"}])
    assert Guest(far, view, view["tokens"][0]).ask("DELETE").status_code == 200, "nobody else plays"


# --- a real table -----------------------------------------------------------------------------------------------------
def test_who_only_looks_on_enters_nothing_and_who_enters_takes_back_alone(far):
    view = begin(far, seats=[{"name": "Ada"}, {"name": "Ben"}], real_table={})
    ada, cleo = Guest(far, view, view["tokens"][0]), Guest(far, view, view["watcher"])
    refused(cleo.post("/answers", version=view["version"], answer="tile D"), 403)
    entered = ada.done("/answers", version=view["version"], answer="tile D")
    assert entered["entries"] == 1 and entered["question"] == "Ada places a tile with a city and a road"
    refused(cleo.post("/undo", version=entered["version"]), 403)
    back = ada.done("/undo", version=entered["version"])
    assert back["entries"] == 0 and back["company"]["wish"] is None
    again = ada.done("/answers", version=back["version"], answer="tile D")
    # the tile is not drawn again at random, because it lies on the real table
    assert again["question"] == "Ada places a tile with a city and a road"


# --- a rematch --------------------------------------------------------------------------------------------------------
def test_a_rematch_turns_the_seats(far):
    seats = [{"name": "Ada"}, {"bot": "random"}, {"name": "Cleo"}]
    clock = {"minutes": 5, "bonus": 3}
    config = {"boxes": ["base"], "players": 3, "starts": [["D", 0, 0, 0]]}
    view = begin(far, config, seats, clock=clock)
    guests = [Guest(far, view, token) for token in view["tokens"]]
    refused(guests[0].post("/rematch"), 409)
    for seat in (0, 2):
        guests[seat].done(f"/seats/{seat}", bot="random")
    over = settled(Told(far, guests[0]), view)
    assert over["over"]
    after = guests[0].done("/rematch")
    assert [player["bot"] for player in after["players"]] == ["random"] * 3
    assert after["company"]["clock"]["seconds"] == 300 and after["title"] == view["title"]
    assert guests[2].done("/rematch")["id"] == after["id"] == guests[1].view()["company"]["rematch"]
    for old, new in ((0, 2), (1, 0), (2, 1)):
        moved = Guest(far, after, view["tokens"][old])
        games = far.get("/api/games", headers={"Authorization": f"Bearer {view['tokens'][old]}"}).json()["games"]
        assert {game["id"]: game["yours"] for game in games} == {view["id"]: [old], after["id"]: [new]}
        assert moved.view()["id"] == after["id"]


class Told:
    """A client that sends the tokens of a guest with each request."""

    def __init__(self, client, guest):
        self.client, self.headers = client, {"Authorization": "Bearer " + ",".join(guest.tokens)}

    def get(self, *words, **more):
        return self.client.get(*words, headers=self.headers, **more)


# --- clocks -----------------------------------------------------------------------------------------------------------
def test_a_clock_runs_for_who_is_asked(client):
    began = time.time()
    view = begin(client, "base", clock={"minutes": 1, "bonus": 2})
    models.NewView.model_validate(view)
    clock = view["company"]["clock"]
    assert clock["left"] == [60, 60] and began <= clock["since"] <= time.time()
    time.sleep(0.3)
    wish = {"version": 1, "answer": view["answers"][0]["text"]}
    after = client.post(f"/api/games/{view['id']}/answers", json=wish).json()["company"]["clock"]
    assert 62 - (time.time() - began) <= after["left"][0] < 61.8 and after["left"][1] == 60
    assert after["since"] > clock["since"]


def test_a_bot_goes_on_for_whose_time_is_up(client):
    view = begin(client, "base", [{"name": "Ada"}, {"name": "Ben"}], clock={"minutes": 0.005})
    until = time.monotonic() + 120
    while look(client, view, drawing=False)["players"][0]["bot"] is None:
        assert time.monotonic() < until
        time.sleep(0.02)
    until = time.monotonic() + 120
    while not (found := look(client, view, drawing=False))["over"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    told = [line["text"] for line in found["company"]["talk"]]
    assert "The time of Ada is up: greedy takes over." in told and "The time of Ben is up: greedy takes over." in told


def test_no_clock_is_lost_where_two_requests_meet(serving, monkeypatch):
    """While the server starts the clock after one move, another move is made. A clock must still run afterwards."""
    with serving() as client:
        view = begin(client, "base", [{"name": "Ada"}, {"name": "Ben"}], clock={"minutes": 0.03})
        table, persons, meanwhile = client.tables.find(view["id"]), client.app.state.persons, []

        def make_a_move():
            moment = table.now
            persons.answer(table, moment.version, moment.facts()["answers"][0]["text"])

        def alarm(table):
            """Return the current timer. When the server first reads it, in order to stop it, another move is made."""
            if not meanwhile:
                meanwhile.append(threading.Thread(target=make_a_move))
                meanwhile[0].start()
                meanwhile[0].join(0.5)
            return table.__dict__["alarm"]

        found = property(alarm, lambda table, alarm: table.__dict__.update(alarm=alarm))
        monkeypatch.setattr(Table, "alarm", found, raising=False)
        make_a_move()
        meanwhile[0].join(60)
        assert int(table.now.game.state["n_moves"]) >= 2
        until = time.monotonic() + 20
        while all(seat.bot is None for seat in table.now.seats):
            assert time.monotonic() < until, "nobody's time runs"
            time.sleep(0.05)


def test_what_is_no_clock(client):
    for clock in ({}, {"minutes": 0}, {"minutes": -1}, {"minutes": 1e9}, {"minutes": 5, "bonus": -1}, {"hours": 1}, 5):
        refused(client.post("/api/games", json={"clock": clock}), 422)
