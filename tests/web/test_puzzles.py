"""Tests of the routes of the puzzles."""

import carc_env
from carc_env.arena.puzzles import shipped
from carc_env.web.puzzle_routes import told
from tests.web.asking import refused


def test_the_routes(client):
    found = client.get("/api/puzzles").json()["puzzles"]
    assert len(found) == len(shipped()) and len({one["id"] for one in found}) == len(found)
    assert [one["difficulty"] for one in found] == sorted(one["difficulty"] for one in found)
    assert {one["grade"] for one in found} == {"easy", "medium", "hard"} and found[0]["grade"] == "easy"
    for one, puzzle in zip(found, shipped()):
        if one["preset"] != "base":
            continue
        view = client.get(f"/api/puzzles/{one['id']}").json()
        assert (
            view["title"] == "base"
            and view["players"][view["player"]]["name"] in ("Red", "Blue")
            and view["drawing"]["layers"]
        )
        assert {answer["text"] for answer in view["answers"]} == {answer.text for answer in puzzle.answers}
        assert "gain" not in str(view) and puzzle.position not in str(view)
        solution = client.get(f"/api/puzzles/{one['id']}/solution").json()
        assert [(each["text"], each["gain"], each["error"]) for each in solution["answers"]] == list(puzzle.answers)
        for each in solution["answers"]:
            assert view["answers"][each["number"]]["text"] == each["text"]
        assert solution["answers"][0]["why"] == [] != solution["answers"][-1]["why"]
        assert solution["greedy"] == puzzle.greedy


def test_features_and_what_there_is_not(client):
    id = client.get("/api/puzzles").json()["puzzles"][0]["id"]
    features = client.get(f"/api/puzzles/{id}/features").json()
    assert features["version"] == 0 and len(features["features"]) > 5
    for path in ("nothing", "nothing/solution", "nothing/features"):
        refused(client.get(f"/api/puzzles/{path}"), 404)


def test_why_in_words():
    why = {"roads": (1.5, 0.0), "cities": (-6.2, 2.0), "german_castles": (0.4, -0.4)}
    assert told(why, 0, "You") == "You: −6.2 from cities, +1.5 from roads."
    assert told(why, 1, "The other player") == "The other player: +2.0 from cities."
    assert told({}, 0, "You") == ""


def test_every_position_is_that_of_its_preset():
    for puzzle in shipped():
        assert carc_env.preset(puzzle.preset) == carc_env.Game.from_position(puzzle.position, seed=1).config
