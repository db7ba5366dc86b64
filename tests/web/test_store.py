"""Tests of the database: stored games are found again, and a file that is not a database of carc_env is not changed."""

import dataclasses
import json
import sqlite3
import time

import pytest

from carc_env.web.choices import specs
from carc_env.web.running_games import IDLE, Conflict, Full, Tables
from carc_env.web.store import FILE, Store, StoreError
from carc_env.web.turns_of_persons import Persons
from tests.web.asking import answer, begin, look, refused, settled


def broken(text: bytes):
    """Return a function that writes a database with a valid header and damaged pages."""

    def write(path):
        Store(path.parent).close()
        data = bytearray(path.read_bytes())
        data[100:] = text * (len(data) // len(text))
        path.write_bytes(bytes(data[: len(path.read_bytes())]))

    return write


def newer(path):
    Store(path.parent).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 5")
    connection.close()


def of_another(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE games (id)")
    connection.close()


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda path: path.write_text("hello"), "is not a database of carc_env"),
        (lambda path: path.write_text(""), "is not a database of carc_env"),
        (of_another, "is not a database of carc_env"),
        (newer, "has format 5; this version of carc_env reads only formats 1 to 4"),
        (broken(b"\x07rubbish"), "is damaged"),
    ],
)
def test_a_file_of_another_kind_is_left_as_it_was(tmp_path, write, reason):
    path = tmp_path / FILE
    write(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=reason) as caught:
        Store(tmp_path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_file_of_format_1_goes_on(serving):
    """In format 1, there were no clocks and no messages, and only seats had tokens."""
    with serving(host="0.0.0.0", guarded=True) as client:
        view = begin(client, "base", [{"name": "Ada"}, {"name": "Ben"}])
    with sqlite3.connect(client.tables._store.path) as connection:
        seats = json.loads(connection.execute("SELECT tokens FROM games").fetchone()[0])["seats"]
        connection.execute("UPDATE games SET tokens = ?", (json.dumps(seats),))
        connection.execute("ALTER TABLE games DROP COLUMN company")
        connection.execute("ALTER TABLE games DROP COLUMN used")
        connection.execute("ALTER TABLE games DROP COLUMN is_over")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with serving(host="0.0.0.0", guarded=True) as client:
        client.headers["Authorization"] = f"Bearer {view['tokens'][0]}"
        assert look(client, view)["answers"] == view["answers"]
        assert answer(client, view).json()["version"] == 2
        assert client.get("/api/games").json()["games"][0]["yours"] == [0]


def test_a_file_of_format_2_knows_which_games_are_in_use(tmp_path):
    tables = Tables(Store(tmp_path), specs())
    (unused, _), (used, _) = (tables.create("base", None, seed=7) for _ in range(2))
    assert not unused.now.facts()["n_moves"], "with this seed, the first move is not the only one"
    Persons(tables).answer(used, 1, used.now.facts()["answers"][0]["text"])
    tables.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        for change in (
            "DROP COLUMN company",
            "DROP COLUMN used",
            "DROP COLUMN is_over",
            "ADD COLUMN company TEXT NOT NULL DEFAULT '{}'",
        ):
            connection.execute(f"ALTER TABLE games {change}")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    store = Store(tmp_path)
    assert store.unused() == [unused.id] and store.count() == 2
    store.close()


def test_a_file_of_format_3_knows_which_games_are_over(tmp_path):
    tables = Tables(Store(tmp_path), specs())
    over, (going_on, _) = finish(tables), tables.create("base", None)
    tables.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("ALTER TABLE games DROP COLUMN is_over")
        connection.execute("PRAGMA user_version = 3")
    connection.close()
    store = Store(tmp_path)
    assert store.finished(time.time() + 1) == [over.id]
    assert {entry.id: entry.is_over for entry in store.listed()} == {over.id: True, going_on.id: False}
    store.close()


def test_a_folder_is_of_one_server_at_a_time(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(StoreError, match="another `carc serve` uses the folder"):
        Store(tmp_path)
    store.close()
    Store(tmp_path).close()


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "file" / "folder")


def test_games_go_on_where_they_were(serving):
    with serving() as client:
        view = begin(client, "carcassonne", [{"name": "Ada"}, {"bot": "greedy"}])
        for _ in range(6):
            view = settled(client, answer(client, view, drawing=False).json())
        over = settled(client, begin(client, "base", [{"bot": "random"}, {"bot": "random"}]))
        before = [look(client, view), look(client, over)]
        listed = client.get("/api/games").json()
    with serving() as client:
        assert client.get("/api/games").json() == listed
        assert [look(client, view), look(client, over)] == before
        assert answer(client, view).status_code == 200


def test_bots_whose_turn_it_was_go_on(serving):
    with serving(bots=["tests.web.bots:Sleepy"]) as client:
        view = begin(client, seats=[{"bot": "tests.web.bots:Sleepy"}, {"name": "Ben"}])
    with serving(bots=["tests.web.bots:Sleepy"]) as client:  # no client has asked for the game yet
        until = time.monotonic() + 60
        while not client.get("/api/games").json()["games"][0]["n_moves"]:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert settled(client, view)["player"] == 1


def test_a_bot_that_is_no_more_is_told_of(serving):
    with serving(bots=["tests.web.bots:Slow"]) as client:
        view = begin(client, seats=[{"bot": "tests.web.bots:Slow"}, {"name": "Ben"}])
    with sqlite3.connect(client.tables._store.path) as connection:
        connection.execute("UPDATE games SET seats = replace(seats, 'Slow', 'Gone')")
    connection.close()
    with serving() as client:
        assert "has no Gone" in settled(client, view)["fault"]


def test_what_cannot_be_kept_is_not_played(serving, monkeypatch):
    with serving() as client:
        view = begin(client)
        connection = client.tables._store._connection
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        assert "cannot be written: disk full" in refused(answer(client, view), 503)
        assert look(client, view) == view
        connection.execute("DROP TRIGGER full")
        assert answer(client, view).status_code == 200


def test_a_game_that_cannot_be_played_any_more_is_told_of(serving):
    with serving() as client:
        good, bad = begin(client), answer(client, begin(client)).json()
    with sqlite3.connect(client.tables._store.path) as connection:
        connection.execute("UPDATE answers SET text = 'fly' WHERE game = ?", (bad["id"],))
    connection.close()
    with serving() as client:
        assert "can no longer be played: moves[0]: 'fly'" in refused(client.get(f"/api/games/{bad['id']}"), 409)
        assert look(client, good)["version"] == 1


# --- limits -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def tables(tmp_path):
    found = Tables(Store(tmp_path), specs(), most_games=3, most_days=30)
    yield found
    found.close()


def finish(tables):
    table, _ = tables.create({"boxes": ["base"], "starts": [["D", 0, 0, 0]]}, [{"bot": "random"}, {"bot": "random"}], 1)
    while not table.now.game.is_over:
        time.sleep(0.01)
    return table


def used(tables):
    """Return a game in which a person has moved."""
    table, _ = tables.create("base", None)
    Persons(tables).answer(table, 1, table.now.facts()["answers"][0]["text"])
    return table


def kept(tables):
    return {entry.id for entry in tables.listed()}


def test_finished_games_make_room_where_people_play_in_all_others(tables):
    tables.load(finish(tables).now.game.record(), None, None)  # no person has moved in either of these two games
    played = used(tables)
    others = [used(tables), used(tables)]
    assert kept(tables) == {played.id, *(table.id for table in others)}
    with pytest.raises(Full, match="3 games are stored, and all of them are in use: delete a game first"):
        tables.create("base", None)
    assert tables.find(played.id) is played


def test_games_that_nobody_has_played_make_room_first(tables):
    over = finish(tables)
    with over.lock:  # as if a person had moved in this game
        over.kept = dataclasses.replace(over.kept, used=True, version=over.kept.version + 1)
        tables._store.change(over.kept, over.now.moves(), len(over.now.moves()))
    older, _ = tables.create("base", None)
    newer, _ = tables.create("base", None)
    following, _ = tables.create("base", None)
    assert kept(tables) == {over.id, newer.id, following.id} and older.is_gone
    newer.listen(print)  # somebody watches it
    last = used(tables)
    assert kept(tables) == {over.id, newer.id, last.id}
    assert used(tables).id in kept(tables) and over.is_gone, "then the finished one"
    newer.leave(print)


@pytest.mark.parametrize("follows", ["rematch", "branch"])
def test_a_game_that_follows_another_does_not_take_its_place(serving, follows):
    with serving(most_games=3) as client:
        record = finish(client.tables).now.game.record()
        client.tables.delete(client.tables.find(client.get("/api/games").json()["games"][0]["id"]))
        persons = [{"name": "Ada"}, {"name": "Ben"}]
        over = client.post("/api/games/load", json={"record": record, "seats": persons}).json()
        other = used(client.tables)
        url = f"/api/games/{over['id']}/" + ("rematch" if follows == "rematch" else "moves/0/branch")
        body = None if follows == "rematch" else {}
        last = used(client.tables)
        assert "3 games are stored, and all of them are in use" in refused(client.post(url, json=body), 503)
        assert kept(client.tables) == {over["id"], other.id, last.id}
        client.tables.delete(last)
        after = client.post(url, json=body)
        assert after.status_code == 201
        assert kept(client.tables) == {over["id"], other.id, after.json()["id"]}


def test_old_finished_games_are_deleted(tables):
    over, (going_on, _) = finish(tables), tables.create("base", None)
    tables.clean(time.time() + 29 * 86400)
    assert tables.find(over.id) is over
    tables.clean(time.time() + 31 * 86400)
    assert kept(tables) == {going_on.id} and over.is_gone


def test_what_nobody_uses_is_put_away_and_found_again(tables):
    table, _ = tables.create("base", None, 1)
    Persons(tables).answer(table, 1, table.now.facts()["answers"][0]["text"])
    tables.clean()
    assert tables.find(table.id) is table
    table.used -= IDLE + 1
    tables.clean()
    with pytest.raises(Conflict, match="removed from memory a moment ago"):
        Persons(tables).answer(table, 2, "pass")
    again = tables.find(table.id)
    assert again is not table and again.now.game == table.now.game and again.now.version == 2
    assert json.dumps(again.now.shown()) == json.dumps(table.now.shown())
