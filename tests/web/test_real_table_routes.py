"""Tests of games at a real table over HTTP: draws and actions are entered, bots act, and all is stored, undone and
continued.
"""

import time

import numpy as np
import pytest

import carc_env
from tests.web.asking import refused

PEOPLE = [{"name": "Ann"}, {"bot": "greedy"}]


def begin(client, config="base", seats=PEOPLE, lying=None):
    reply = client.post("/api/games", json={"config": config, "seats": seats, "real_table": lying or {}})
    assert reply.status_code == 201, reply.text
    return reply.json()


def settled(client, view):
    """Wait until no bot is thinking. Returns the view."""
    while view["thinking"] is not None:
        time.sleep(0.01)
        view = client.get(f"/api/games/{view['id']}").json()
        assert view["fault"] is None
    return view


def enter(client, view, text):
    reply = client.post(f"/api/games/{view['id']}/answers", json={"version": view["version"], "answer": text})
    assert reply.status_code == 200, reply.text
    return settled(client, client.get(f"/api/games/{view['id']}").json())


def undo(client, view):
    reply = client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]})
    assert reply.status_code == 200, reply.text
    return settled(client, client.get(f"/api/games/{view['id']}").json())


def test_a_game_that_waits_for_a_draw_is_not_over(client):
    view = begin(client)
    (entry,) = [each for each in client.get("/api/games").json()["games"] if each["id"] == view["id"]]
    assert view["player"] is None and not view["over"], "somebody has to enter the tile that was drawn"
    assert entry["player"] is None and not entry["over"]
    assert view["id"] not in client.tables._store.finished(time.time() + 1)


def test_draws_are_asked_for_and_entered(client):
    view = begin(client)
    assert view["question"] == "Which tile was drawn?" and view["player"] is None and view["answers"] == []
    assert sum(draw["left"] for draw in view["draws"]) == 71 == view["tiles_left"] and view["entries"] == 0
    view = enter(client, view, "tile D")
    assert (
        view["question"] == "Ann places a tile with a city and a road"
        and view["draws"] is None
        and view["entries"] == 1
    )
    assert view["left"]["D"] == 2 and view["tiles_left"] == 70
    view = enter(client, enter(client, view, "D@1,0/180"), "pass")
    assert view["question"] == "Which tile was drawn?" and view["tile"] is None and view["tiles_left"] == 70
    assert view["moves"][-1]["words"] == "Ann: no figure"
    position = client.get(f"/api/games/{view['id']}/position").text
    assert carc_env.Game.from_position(position, seed=1).moves == ["D@1,0/180"]
    view = enter(client, view, "e")  # a tile for the bot, which places it at once
    assert view["question"] == "Which tile was drawn?" and view["active"] is not None
    assert any(move["words"].startswith("greedy: a tile with a city, on ") for move in view["moves"])
    refused(client.post(f"/api/games/{view['id']}/answers", json={"version": view["version"], "answer": "GM1"}), 422)


def test_a_wrong_entry_is_taken_back_with_what_the_bot_answered(client):
    view = begin(client, seats=[{"bot": "greedy"}, {"name": "Ann"}])
    first = enter(client, view, "D")
    assert first["entries"] > 1 and first["question"] == "Which tile was drawn?"
    again = undo(client, first)
    assert again["entries"] == 0 and again["n_moves"] == 0 and again["tiles_left"] == 71
    assert enter(client, again, "E")["moves"][0]["words"].startswith("greedy: a tile with a city, on ")
    refused(client.post(f"/api/games/{again['id']}/undo", json={"version": again["version"]}), 409)


@pytest.mark.parametrize("config", ["carcassonne", {"boxes": ["base", "german_castles"], "players": 2}], ids=str)
def test_the_table_is_entered_as_it_lies(client, config):
    record = carc_env.Game(config, seed=4).record()
    words = {
        "starts": " ".join("{}@{},{}/{}".format(*start) for start in record["starts"]),
        "chips": " ".join("{},{}".format(*chip[:2]) for chip in record["chips"]),
        "german_castles": " ".join(",".join(hand) or "-" for hand in record.get("german_castles", [])),
    }
    view = begin(client, config, lying=words)
    asked = "Ann may place a castle tile" if "german_castles" in record else "Which tile was drawn?"
    assert view["question"] == asked and view["drawing"]["layers"]
    wrong = {"config": config, "seats": PEOPLE, "real_table": words | {"starts": "D@5"}}
    assert "should be a tile with its square" in refused(client.post("/api/games", json=wrong), 422)
    if record["chips"]:
        lacking = {"config": config, "seats": PEOPLE, "real_table": words | {"chips": ""}}
        assert "chips: On which squares do chips lie?" in refused(client.post("/api/games", json=lacking), 422)


def test_choices_say_what_is_asked_before(client):
    presets = {preset["name"]: preset for preset in client.get("/api/choices").json()["presets"]}
    assert presets["base"]["asked_before"] == []
    assert [part["key"] for part in presets["carcassonne"]["asked_before"]] == ["starts", "chips"]
    assert [part["key"] for part in presets["everything"]["asked_before"]] == ["german_castles"]


def test_a_whole_game_is_kept_and_ends_as_a_record(serving, tmp_path):
    chance = np.random.default_rng(3)
    with serving() as client:
        view = begin(client, {"boxes": ["goldmines"], "players": 2})
        for _ in range(6):
            view = enter(client, view, str(chance.choice([one["text"] for one in view["draws"] or view["answers"]])))
    with serving() as client:  # the server is started again
        again = client.get(f"/api/games/{view['id']}").json()
        for key in ("entries", "question", "moves", "draws", "answers", "n_moves"):
            assert again[key] == view[key], key
        earlier = client.get(f"/api/games/{view['id']}/moves/1").json()
        assert earlier["n_moves"] >= 1 and earlier["answers"] == []
        view = again
        while not view["over"]:
            view = enter(client, view, str(chance.choice([one["text"] for one in view["draws"] or view["answers"]])))
        game = carc_env.replay(client.get(f"/api/games/{view['id']}/record").json())
        assert game.is_over and game.scores.tolist() == [player["score"] for player in view["players"]]
        hints = client.get(f"/api/games/{view['id']}/hints")
        refused(hints, 422)
        result = client.get(f"/api/games/{view['id']}/moves/{view['n_moves']}/evaluation").json()
        assert result["over"] and result["margins"][0] == int(game.scores[0] - game.scores[1])
        again = client.post(f"/api/games/{view['id']}/rematch", json={})
        assert "has no rematch" in refused(again, 409)


def test_hints_advise_a_person(client):
    view = enter(client, begin(client), "D")
    hints = client.get(f"/api/games/{view['id']}/hints?bot=level:5").json()
    assert hints["values"] and view["answers"][hints["values"][0][0]]["text"].startswith("D@")
    waiting = begin(client)
    assert "first enter the drawn tile or chip" in refused(client.get(f"/api/games/{waiting['id']}/hints"), 422)
