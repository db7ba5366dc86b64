"""Tests of looking at games: undo, seats, replay, features, records, positions, streams, and hidden information."""

import json
import threading

import pytest

import carc_env
from carc_env.arena.check_files import position_after
from carc_env.games.replay import retrace
from carc_env.web import models
from carc_env.web.view import drawing_difference, event_view, features_view, game_view, recent_events
from tests.web.asking import AGAINST_GREEDY, PERSONS, answer, begin, look, refused, settled


def play_on(client, view, answers):
    for _ in range(answers):
        view = settled(client, view)
        if view["over"]:
            break
        view = answer(client, view, drawing=False).json()
    return settled(client, view)


# --- undo and seats ---------------------------------------------------------------------------------------------------
def test_undo_goes_back_to_the_last_question_of_a_person(client):
    view, questions = begin(client, seats=AGAINST_GREEDY), []
    for _ in range(5):
        questions.append((view["answers"], view["n_moves"], [player["score"] for player in view["players"]]))
        view = settled(client, answer(client, view, drawing=False).json())
    while questions:
        version = view["version"]
        view = client.post(f"/api/games/{view['id']}/undo", json={"version": version}).json()
        assert view["version"] == version + 1
        assert (view["answers"], view["n_moves"], [player["score"] for player in view["players"]]) == questions.pop()
    reason = refused(client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}), 422)
    assert reason == "nobody has chosen an action yet, so there is nothing to undo"
    assert look(client, view, drawing=False)["version"] == view["version"]


def test_other_answers_after_an_undo_are_kept(client):
    view = begin(client)
    first = view["answers"][0]["text"]
    view = answer(client, view, first).json()
    view = client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}).json()
    other = view["answers"][-1]["text"]
    view = answer(client, view, other).json()
    assert [move["text"] for move in view["moves"]] == [other]
    assert client.tables._store.find(view["id"])[1] == [other]


def test_seats_are_handed_over(client):
    view = begin(client)
    view = client.post(f"/api/games/{view['id']}/seats/0", json={"bot": "greedy", "version": 1}).json()
    assert view["version"] == 2 and view["thinking"] == 0
    assert settled(client, view)["player"] == 1
    url = f"/api/games/{view['id']}/seats"
    refused(client.post(f"{url}/0", json={"bot": None, "version": 1}), 409)
    refused(client.post(f"{url}/2", json={"bot": None}), 404)
    assert "there is no bot" in refused(client.post(f"{url}/1", json={"bot": "nobody"}), 422)
    refused(client.post(f"{url}/one", json={"bot": None}), 422)
    refused(client.post(f"{url}/1", json={}), 422)
    assert client.post(f"{url}/0", json={"bot": None, "name": "Zoë"}).json()["players"][0]["name"] == "Zoë"


# --- replay, features, records ----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def finished(client):
    return settled(client, begin(client, "goldmines", [{"bot": "random"}, {"bot": "greedy"}]))


def test_replay(client, finished):
    game = client.tables.find(finished["id"]).now.game
    seats = [{"name": "random", "bot": "random"}, {"name": "greedy", "bot": "greedy"}]
    views = {n: client.get(f"/api/games/{finished['id']}/moves/{n}").json() for n in (0, 10, 11, len(game.moves))}
    for n, view in views.items():
        models.ReplayView.model_validate(view)
        expected = json.loads(json.dumps(game_view(position_after(game, n), seats, legal=False)))
        assert {key: view[key] for key in expected} == expected and view["replay"] and view["answers"] == []
    difference = client.get(f"/api/games/{finished['id']}/moves/11", params={"since": 10}).json()
    assert (
        difference["drawing"] == drawing_difference(views[10]["drawing"], views[11]["drawing"])
        and difference["since"] == 10
    )
    for n in (-1, len(game.moves) + 1, 10**30, "x"):
        refused(client.get(f"/api/games/{finished['id']}/moves/{n}"), 422)


def test_moves_have_their_events(client, finished):
    """Checks that a client sees the same events, whether it follows the game or loads the record later."""
    game = client.tables.find(finished["id"]).now.game
    told = {number: earlier.last_events for number, earlier in retrace(game.record())}
    shown = client.get(f"/api/games/{finished['id']}").json()["moves"]
    words = [event["words"] for move in shown for event in move["events"]]
    said = {move["words"].replace(": ", " ", 1) for move in shown}
    names = [seat["name"] for seat in finished["players"]]
    happened = [event_view(event, names)["words"] for move in shown for event in told.get(move["n"], ())]
    assert words == [each for each in happened if each not in said]
    assert sum(len(move["events"]) > 0 for move in shown) > 1
    assert shown[-1]["events"] == client.get(f"/api/games/{finished['id']}").json()["events"]
    twin = client.post("/api/games/load", json={"record": game.record(), "seats": [{"name": "red"}, {"name": "blue"}]})
    words = [[event["words"].split(" ", 1)[1] for event in move["events"]] for move in shown]
    assert [[event["words"].split(" ", 1)[1] for event in move["events"]] for move in twin.json()["moves"]] == words


def test_what_a_move_says_is_not_said_again(client):
    view = begin(client)
    while not any("put an ingot" in move["words"] for move in view["moves"]):
        view = answer(client, view).json()
    words = [each["words"].replace(": ", " ", 1) for move in view["moves"] for each in (move, *move["events"])]
    assert len(words) == len(set(words)) and any("put an ingot" in each for each in words)


def test_after_moves_and_an_undo_moves_have_their_events(client):
    view = begin(client, seats=AGAINST_GREEDY)
    table = client.tables.find(view["id"])
    for _ in range(30):
        view = play_on(client, view, 1)
        assert table.now.recent == recent_events(table.now.game)
    view = settled(client, client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}).json())
    view = play_on(client, view, 2)
    assert table.now.recent == recent_events(table.now.game)
    assert any(move["events"] for move in view["moves"])


def test_features(client, finished):
    found = models.Features.model_validate(client.get(f"/api/games/{finished['id']}/features").json())
    game = client.tables.find(finished["id"]).now.game
    assert found.version == finished["version"]
    assert [feature.worth for feature in found.features] == [feature["worth"] for feature in features_view(game)]


def test_a_finished_game_is_downloaded_and_loaded(client, finished):
    response = client.get(f"/api/games/{finished['id']}/record")
    assert response.headers["content-disposition"] == f'attachment; filename="carc-{finished["id"]}.jsonl"'
    assert response.text.endswith("}\n") and response.text.count("\n") == 1
    loaded = client.post("/api/games/load", json={"record": response.json(), "seats": PERSONS})
    assert loaded.status_code == 201
    models.NewView.model_validate(loaded.json())
    assert loaded.json()["over"] and loaded.json()["drawing"] == look(client, finished)["drawing"]


def test_a_record_brings_the_names_of_its_players(client):
    names, game = ["Ada", "L" * 60], carc_env.Game("base", seed=3)
    view = client.post("/api/games/load", json={"record": game.record() | {"names": names}}).json()
    assert [player["name"] for player in view["players"]] == ["Ada", "L" * 40]
    few = client.post("/api/games/load", json={"record": game.record() | {"names": names[:1]}})
    assert "names should contain 2 names, one for each player, not 1" in refused(few, 422)
    odd = client.post("/api/games/load", json={"record": game.record() | {"names": [1, 2]}})
    assert "names of players are strings" in refused(odd, 422)


def test_a_game_that_was_forfeited_goes_on(client):
    game = carc_env.Game("base", deck=["U"])
    record = game.record() | {"names": ["Ada", "Ben"], "forfeit": 1}
    view = client.post("/api/games/load", json={"record": record}).json()
    while not view["over"]:
        view = answer(client, view).json()
    assert "wins" in view["question"] or "draw" in view["question"]
    assert "forfeit" not in client.get(f"/api/games/{view['id']}/record").json()


def test_an_unfinished_record_and_a_position_go_on(client):
    game = carc_env.Game("carcassonne", seed=3)
    for _ in range(12):
        game.play(int(game.legal_actions()[0]))
    record = client.post("/api/games/load", json={"record": game.record()}).json()
    assert record["n_moves"] == len(game.moves) and record["title"] == "carcassonne"
    position = client.get(f"/api/games/{record['id']}/position").text
    assert position.count("\n") == 1 and position.strip() == game.position()
    again = client.post("/api/games/load", json={"position": position, "seats": AGAINST_GREEDY}).json()
    assert again["answers"] == record["answers"] and again["left"] == record["left"]
    assert play_on(client, again, 3)["fault"] is None


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({}, "exactly one of `record` and `position` is needed"),
        ({"record": {}, "position": "{}"}, "exactly one of `record` and `position` is needed"),
        ({"record": {}}, "the record lacks the key"),
        ({"record": {"carc_env": 1, "config": "a.toml", "deck": ["U"], "moves": []}}, "unknown preset 'a.toml'"),
        (
            {"record": {"carc_env": 1, "config": {"sheet": "a.toml"}, "deck": ["U"], "moves": []}},
            "unknown sheet 'a.toml'",
        ),
        ({"record": {"carc_env": 1, "config": {"sheet": "\nx"}, "deck": ["U"], "moves": []}}, "unknown sheet"),
        (
            {"record": {"carc_env": 1, "config": {"sheet": {"name": "x"}}, "deck": ["U"], "moves": []}},
            "the sheet lacks the key",
        ),
        (
            {"record": {"carc_env": 1, "config": "base", "deck": ["U"], "moves": ["fly"]}},
            "moves[0]: 'fly' is not an action",
        ),
        ({"position": "x"}, "a position should be JSON"),
        (
            {
                "position": json.dumps(
                    {"carc_env": 1, "config": "b.toml", "deck": [], "starts": [], "chips": [], "moves": []}
                )
            },
            "unknown preset 'b.toml'",
        ),
    ],
)
def test_what_cannot_be_loaded(client, wish, reason):
    assert reason in refused(client.post("/api/games/load", json=wish), 422)


# --- streams ----------------------------------------------------------------------------------------------------------
def events(response):
    """Yield the events of a stream as (name, id, data)."""
    found = {}
    for line in response.iter_lines():
        if line.startswith(":"):
            continue
        name, _, value = line.partition(": ")
        if line:
            found[name] = value
        elif found:
            yield found["event"], int(found["id"]) if "id" in found else None, json.loads(found["data"])
            found = {}


def test_a_stream_tells_every_version_in_order(client):
    view = begin(client, "base", AGAINST_GREEDY)
    with client.stream("GET", f"/api/games/{view['id']}/stream") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = events(response)
        name, number, first = next(told)
        assert (name, number, first["since"]) == ("view", 1, None) and first["drawing"] == view["drawing"]
        versions, last = (
            [],
            settled(client, answer(client, settled(client, answer(client, view).json())).json())["version"],
        )
        while not versions or versions[-1] < last:
            _, number, data = next(told)
            assert data["since"] == number - 1 and data["version"] == number
            versions.append(number)
        assert versions == list(range(2, last + 1))
        client.delete(f"/api/games/{view['id']}")
        assert next(told)[0] == "gone"
        assert list(told) == []


def test_a_stream_goes_on_where_it_was(client):
    view = begin(client)
    later = answer(client, view).json()
    for options in ({"params": {"since": 1}}, {"headers": {"last-event-id": "1"}}):
        with client.stream("GET", f"/api/games/{view['id']}/stream", **options) as response:
            assert next(events(response))[2] == later
    with client.stream("GET", f"/api/games/{view['id']}/stream", params={"since": 99, "drawing": False}) as response:
        data = next(events(response))[2]
        assert data["since"] is None and "drawing" not in data


def test_streams_are_counted(client, monkeypatch):
    monkeypatch.setattr("carc_env.web.streams.MOST_OF_A_GAME", 1)
    view = begin(client)
    url = f"/api/games/{view['id']}/stream"
    with client.stream("GET", url) as response:
        told = events(response)
        next(told)
        assert "too many streams are open" in refused(client.get(url), 503)
    for _ in range(100):  # until the server has noticed that the stream was closed
        with client.stream("GET", url) as response:
            if response.status_code == 200:
                return
        threading.Event().wait(0.05)
    pytest.fail("a closed stream still counts")


# --- what is hidden ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", ["goldmines", "carcassonne", "everything"])
def test_games_that_differ_in_what_is_hidden_look_alike(client, config):
    """Two games differ only in the order of the stack and in the faces of hidden chips. Their views, hints and features
    are the same, and their records cannot be downloaded before the end.
    """
    game, paths = carc_env.Game(config, seed=5), ("", "/features", "/hints?bot=greedy", "/position", "/moves/5")
    for _ in range(20):
        game.play(int(game.legal_actions()[0]))
    other = game.clone()
    other.reshuffle_hidden(seed=1)
    assert other.deck != game.deck
    told = []
    for each in (game, other):
        view = client.post("/api/games/load", json={"record": each.record()}).json()
        told.append(
            [view] + [client.get(f"/api/games/{view['id']}{path}").text.replace(view["id"], "") for path in paths]
        )
        assert refused(client.get(f"/api/games/{view.pop('id')}/record"), 409).startswith(
            "the record of an unfinished game would reveal"
        )
    assert told[0] == told[1]
    assert "seed" not in told[0][0]
