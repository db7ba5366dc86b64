"""Tests of games over HTTP: begin, act and delete. A refused request changes nothing."""

import dataclasses
import json
import threading

import pytest

import carc_env
from carc_env.systems import SYSTEMS
from carc_env.web import models
from carc_env.web.setting_words import read_words
from carc_env.web.view import drawing_difference
from tests.web.asking import answer, begin, look, refused, settled


# --- beginning --------------------------------------------------------------------------------------------------------
def test_what_can_be_played(client):
    found = models.Choices.model_validate(client.get("/api/choices").json())
    assert [offer.name for offer in found.presets] == list(carc_env.presets())
    assert {"greedy", "ppo", "random", "ppo:base-quick"} <= {bot.spec for bot in found.bots}
    assert [bot.presets for bot in found.bots if bot.spec in ("ppo:base-quick", "greedy")] == [None, ["base"]]
    levels = [bot for bot in found.bots if bot.rating is not None]
    assert [bot.spec for bot in levels] == [f"level:{n}" for n in range(1, 7)]
    assert levels[0].name.startswith("level 1 (beginner, rating ") and levels[0].rating < levels[5].rating
    assert found.settings["small_city_points"] == [4, 2] and found.tokens is False


def test_every_setting_and_every_value_has_words(client):
    found = models.Choices.model_validate(client.get("/api/choices").json())
    fields = {field.name: field.metadata for field in dataclasses.fields(carc_env.GameConfig)}
    allowed = {name: set(map(str, about["allowed"])) for name, about in fields.items() if about.get("allowed")}
    assert {name: set(words["values"]) for name, words in read_words().items()} == allowed, "and no others"
    assert set(found.words) == set(found.settings) == set(allowed)
    labels = [words.label for words in found.words.values()]
    assert all(labels) and len(set(labels)) == len(labels)
    for name, words in found.words.items():
        assert words.about == fields[name]["about"], name
        assert words.about in (None, "sheet", *found.boxes), name
        assert all(words.values) and len(set(words.values)) == len(found.settings[name]) == len(words.values), name
        assert not any("_" in text for text in (words.label, *words.values)), name
    assert dict(zip(found.settings["gold_rule"], found.words["gold_rule"].values)) == {
        "hig": "one by one, in turns: Hans im Glück",
        "rgg_rounds": "one for each feature, in several rounds: Rio Grande",
        "rgg_single_pass": "one for each feature, in one round: Rio Grande",
    }


def test_the_choices_say_how_many_can_play_with_each_box(client):
    """A configuration accepts as many players as the box that allows the most."""
    found = client.get("/api/choices").json()
    assert list(found["most_players"]) == [system.box for system in SYSTEMS if system.box in found["boxes"]]
    assert set(found["most_players"]) == set(found["boxes"])
    for box, most in found["most_players"].items():
        config = {"boxes": sorted({"base", box}), "sheet": "france" if box == "map_chips" else None}
        carc_env.GameConfig(**config, players=most)
        with pytest.raises(carc_env.ConfigError, match=f"from 2 to {most}"):
            carc_env.GameConfig(**config, players=most + 1)


@pytest.mark.parametrize(
    "config",
    [
        "base",
        "everything",
        {"boxes": ["base", "abbot"], "players": 2, "meeples": 3},
        {"boxes": ["base"], "sheet": "france"},
    ],
)
def test_a_game_begins(client, config):
    view = begin(client, config)
    models.NewView.model_validate(view)
    assert view["version"] == 1 and view["player"] == 0 and "tokens" not in view
    game = carc_env.Game(config, seed=7)
    assert [found["text"] for found in view["answers"]] == [game.text(action) for action in game.legal_actions()]
    assert [player["name"] for player in view["players"]] == ["Ada", "Ben"]


def test_defaults_hold_where_a_request_leaves_fields_out(client):
    for wish, title, names in (
        ({}, "goldmines", ["Player 1", "Player 2"]),
        ({"seats": [{}, {}]}, "goldmines", ["Player 1", "Player 2"]),
        ({"seats": [{}, {}, {}]}, "goldmines", ["Player 1", "Player 2", "Player 3"]),
        ({"config": {"players": 3}}, "base", ["Player 1", "Player 2", "Player 3"]),
        ({"config": {"players": 3}, "seats": [{}, {"bot": "random"}]}, "base", ["Player 1", "random"]),
    ):
        view = client.post("/api/games", json=wish).json()
        assert (view["title"], [player["name"] for player in view["players"]]) == (title, names), wish


def test_the_seats_say_how_many_play(client):
    view = begin(client, "base", [{}, {"bot": "level:1"}, {"name": "Cleo", "bot": "random"}])
    assert [player["name"] for player in view["players"]] == ["Player 1", "level 1", "Cleo"]
    assert view["players"][1]["bot"] == "level:1"


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"config": "gold"}, "unknown preset 'gold'"),
        ({"config": "configs/base.toml"}, "unknown preset"),
        ({"config": {"boxes": ["base"], "sheet": "carc_env/data/sheets/france.toml"}}, "unknown sheet"),
        ({"config": {"boxes": ["base"], "colour": 1}}, "unknown key 'colour'"),
        ({"config": {"boxes": ["base"], "players": 9}}, "players = 9: should be from 2 to 5"),
        (
            {"config": {"boxes": ["base"], "table_size": 43}},
            "table_size = 43: should be one of 25, 31, 75 on this server",
        ),
        ({"config": 7}, "body.config"),
        ({"seats": [{}]}, "body.seats: List should have at least 2 items"),
        ({"seats": [{}] * 7}, "body.seats: List should have at most 6 items"),
        ({"config": {"players": 3}, "seats": [{}, {"bot": "cmd:sh"}, {}]}, "there is no bot 'cmd:sh' here"),
        ({"seats": [{"bot": "ppo:somewhere/else"}, {}]}, "there is no bot"),
        ({"seats": [{"bot": "os:system"}, {}]}, "there is no bot"),
        ({"seats": [{"name": "x" * 41}, {}]}, "a name should have 1 to 40 printable characters"),
        ({"seats": [{"name": "a\x1b[31m"}, {}]}, "a name should have 1 to 40 printable characters"),
        ({"seats": [{"name": " "}, {}]}, "a name should have 1 to 40 printable characters"),
        ({"seats": [{"colour": "red"}, {}]}, "body.seats.0.colour: Extra inputs"),
        ({"seed": -1}, "body.seed"),
        ({"seed": 1.0}, "body.seed"),
        ({"seed": True}, "body.seed"),
        ({"sead": 1}, "body.sead: Extra inputs"),
    ],
)
def test_what_cannot_be_played(client, wish, reason):
    before = client.get("/api/games").json()
    assert reason in refused(client.post("/api/games", json=wish), 422)
    assert client.get("/api/games").json() == before


# --- playing ----------------------------------------------------------------------------------------------------------
def test_a_whole_game_is_that_of_the_library(client):
    view, game = begin(client, "base", seed=3), carc_env.Game("base", seed=3)
    while not view["over"]:
        text = view["answers"][len(view["answers"]) // 2]["text"]
        game.play(text)
        view = answer(client, view, text, drawing=False).json()
        assert [found["text"] for found in view["answers"]] == [game.text(action) for action in game.legal_actions()]
    assert client.get(f"/api/games/{view['id']}/record").json() == game.record() | {"names": ["Ada", "Ben"]}
    assert client.get("/api/games").json()["games"][0]["scores"] == game.scores.tolist()


def test_a_view_is_what_its_model_says_and_a_difference_leads_to_it(client):
    view = begin(client)
    for _ in range(4):
        old, view = view, answer(client, view).json()
        models.View.model_validate(view)
        assert view["version"] == old["version"] + 1 and view["since"] == old["version"]
        new = look(client, view)
        assert new["since"] is None and view["drawing"] == drawing_difference(old["drawing"], new["drawing"])
        assert look(client, view, since=old["version"]) == view
        assert "drawing" not in look(client, view, drawing=False)
        view = new


def test_an_illegal_answer_changes_nothing(client):
    view = begin(client)
    for text in ("pass", "D@9,9/0", "", "\ud800", "x" * 200, "meeple city N"):
        wish = json.dumps({"version": 1, "answer": text}).encode()
        reason = refused(
            client.post(f"/api/games/{view['id']}/answers", content=wish, headers={"content-type": "application/json"}),
            422,
        )
        assert reason and look(client, view) == {key: value for key, value in view.items()}


def test_another_version_is_a_conflict_and_changes_nothing(client):
    view = begin(client)
    view = answer(client, view).json()
    for version in (0, 1, 3, 2**70, -1):
        reason = refused(answer(client, view | {"version": version}), 409)
        assert "the game is at version 2" in reason
        refused(client.post(f"/api/games/{view['id']}/undo", json={"version": version}), 409)
    assert look(client, view, drawing=False)["version"] == 2


def test_of_two_tabs_one_is_quicker(client):
    view, statuses = begin(client), []

    def press():
        statuses.append(answer(client, view).status_code)

    threads = [threading.Thread(target=press) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + 7 * [409]


def test_unknown_games(client):
    for id in ("x", "x" * 16, "../../../../etc", "%00", "..%2f..", "a" * 5000):
        refused(client.get(f"/api/games/{id}"), 404)


def test_a_game_is_deleted(client):
    view, other = begin(client), begin(client)
    assert client.delete(f"/api/games/{view['id']}").json() == {"deleted": view["id"]}
    refused(client.get(f"/api/games/{view['id']}"), 404)
    refused(client.delete(f"/api/games/{view['id']}"), 404)
    assert client.get("/api/games").json()["games"][0]["id"] == other["id"]


# --- bots -------------------------------------------------------------------------------------------------------------
def test_bots_answer_until_a_person_is_asked(client):
    view = begin(client, seats=[{"name": "Ada"}, {"bot": "greedy"}, {"bot": "random"}])
    for _ in range(5):
        view = settled(client, view)
        assert view["player"] == 0 and view["fault"] is None
        view = answer(client, view, drawing=False).json()
    assert {move["player"] for move in view["moves"]} == {0, 1, 2}


def test_a_game_of_bots_alone_ends(client):
    view = settled(client, begin(client, "base", [{"bot": "random"}, {"bot": "greedy"}]))
    assert view["over"] and view["players"][0]["final"] is not None
    assert refused(client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}), 422).startswith(
        "only bots play here"
    )
    assert (
        refused(client.get(f"/api/games/{view['id']}/hints"), 422)
        == "the game is over, so there is no action to choose"
    )
