"""Tests of the analysis of finished games over HTTP: its events, refused requests, limits, and what the bots see."""

import json
import random
import time

import pytest

import carc_env
from carc_env.arena.analysis import analyse_game, totals
from carc_env.arena.check_files import position_after
from carc_env.web import models
from carc_env.web.answer_places import answers_of
from tests.web import bots
from tests.web.asking import answer, begin, look, refused
from tests.web.test_looks import events

WATCHED, PAUSING, TIRING, SILENT, FAILING, SLOW = (
    f"tests.web.bots:{name}" for name in ("Watched", "Pausing", "Tiring", "Silent", "Failing", "Slow")
)


@pytest.fixture(autouse=True)
def fresh():
    """Forget what bots saw in earlier tests, and release all bots after a test."""
    bots.GO.clear()
    for kind in (bots.Watched, bots.Pausing, bots.Tiring, bots.Silent):
        kind.seen.clear()
    yield
    bots.GO.set()


def over(config="goldmines", seed=4):
    """Play random actions until the game is over. Returns the game."""
    game, chance = carc_env.Game(config, seed=seed), random.Random(seed)
    while not game.is_over:
        game.play(chance.choice(game.legal_actions().tolist()))
    return game


def load(client, game):
    """Load a game on the server. Returns the view."""
    return client.post("/api/games/load", json={"record": game.record()}).json()


def told(client, view, **parameters):
    """Return all events of an analysis as (name, data)."""
    with client.stream("GET", f"/api/games/{view['id']}/analysis", params=parameters) as response:
        assert response.status_code == 200 and response.headers["content-type"].startswith("text/event-stream")
        return [(name, data) for name, _, data in events(response)]


@pytest.mark.parametrize("config", ["goldmines", "everything"])
def test_it_is_that_of_the_library(client, config):
    game = over(config)
    view, expected = load(client, game), analyse_game(game)
    (first, begun), *answers, (last, sums) = told(client, view)
    assert (first, last) == ("begin", "totals") and begun == {"bot": "greedy", "version": 1, "answers": len(expected)}
    assert {name for name, _ in answers} == {"answer"}
    same = ("move", "player", "phase", "answer", "value", "best", "best_value", "lost", "error", "best_error")
    same += ("chance", "best_chance")
    assert [[data[key] for key in same] for _, data in answers] == [
        [getattr(judged, key) for key in same] for judged in expected
    ]
    assert [tuple(data["scores"]) for _, data in answers] == [judged.scores for judged in expected]
    assert sums["totals"] == [total.to_dict() for total in totals(expected, game.players)]
    for model, data in (
        (models.AnalysisBegun, begun),
        *((models.JudgedAnswer, data) for _, data in answers),
        (models.AnalysisTotals, sums),
    ):
        model.model_validate(data)


def test_a_level_tells_how_sure_it_is(client):
    short = carc_env.Game("base", deck=["E", "V", "B", "U", "K", "J", "W", "A", "H", "I", "V", "U", "K", "J"])
    while not short.is_over:
        short.play(int(short.legal_actions()[0]))
    answers = [data for name, data in told(client, load(client, short), bot="level:5") if name == "answer"]
    assert any(data["error"] or data["best_error"] for data in answers)


def test_where_points_were_lost_both_places_are_told(client):
    game = over("everything")
    answers = [data for name, data in told(client, load(client, game)) if name == "answer"]
    assert all(
        data["given"] is data["better"] is None and data["definitions"] == {} for data in answers if not data["lost"]
    )
    losing = [data for data in answers if data["lost"]]
    assert len(losing) > 20
    for data in losing[::8]:
        before = position_after(game, data["move"] - 1)
        places = {place["text"]: place for place in json.loads(json.dumps(answers_of(before, before.board())))}
        assert data["given"] == places[data["answer"]] and data["better"] == places[data["best"]]
        assert data["words"] == data["given"]["words"] and data["best_words"] == data["better"]["words"]
    laid = [data for data in losing if data["better"]["how"] == "tile"]
    assert laid and all(
        list(data["definitions"]) == [f"tile-{data['better']['tile']}-{data['better']['rotation']}"] for data in laid
    )


def test_without_a_drawing(client):
    found = told(client, load(client, over()), drawing=False)
    assert all(data.keys().isdisjoint({"given", "better", "definitions"}) for _, data in found)


def test_what_is_refused(serving):
    with serving(bots=[FAILING, SLOW]) as client:
        view = begin(client)
        url = f"/api/games/{view['id']}/analysis"
        assert refused(client.get(url), 409) == "the game is not over: it can be analysed only after its end"
        refused(client.get(f"/api/games/{'x' * 16}/analysis"), 404)
        url = f"/api/games/{load(client, over())['id']}/analysis"
        for spec, status, reason in (
            ("random", 422, "cannot compute values of actions"),
            ("cmd:sh", 422, "there is no bot 'cmd:sh' here"),
            ("os:system", 422, "there is no bot"),
            (FAILING, 422, "cannot compute values of actions"),
            (SLOW, 422, "cannot compute values of actions"),
        ):
            assert reason in refused(client.get(url, params={"bot": spec}), status)
        assert client.get(f"/api/games/{view['id']}").json()["version"] == 1


def test_a_bot_that_fails_on_the_way_ends_it(serving):
    with serving(bots=[TIRING, PAUSING], patience=2) as client:
        view = load(client, over())
        for spec, reason in ((TIRING, f"{TIRING} failed: KeyError"), (PAUSING, "the bot has not answered within 2 s")):
            found = told(client, view, bot=spec)
            assert [name for name, _ in found] == ["begin", "answer", "answer", "answer", "error"]
            assert (
                set(found[-1][1]) == {"error"} and reason in found[-1][1]["error"] and "\n" not in found[-1][1]["error"]
            )
        for spec in (TIRING, PAUSING):  # both fail at their first decision now
            refused(client.get(f"/api/games/{view['id']}/analysis", params={"bot": spec}), 504)


def test_answers_of_which_the_bot_says_nothing(serving):
    with serving(bots=[SILENT]) as client:
        found = told(client, load(client, over("base")), bot=SILENT)
        silent = [data for name, data in found if name == "answer" and data["value"] is None]
        assert silent and all(data["lost"] is None and data["given"] is None for data in silent)
        assert sum(total["answers"] for total in found[-1][1]["totals"]) == found[0][1]["answers"] - len(silent)


def test_it_ends_when_the_client_leaves_and_stops_nobody_else(serving, monkeypatch):
    monkeypatch.setattr("carc_env.web.analyses.MOST_ANALYSES", 1)
    with serving(bots=[PAUSING], patience=20) as client:
        view = load(client, over())
        url = f"/api/games/{view['id']}/analysis"
        with client.stream("GET", url, params={"bot": PAUSING}) as response:
            assert [name for (name, *_), _ in zip(events(response), range(3))] == ["begin", "answer", "answer"]
            assert refused(client.get(url), 503) == "1 games are being analysed: wait until one analysis is done"
            other = begin(client)
            assert answer(client, other).status_code == 200
        bots.GO.set()
        until = time.monotonic() + 120
        while client.get(url).status_code == 503:
            assert time.monotonic() < until, "a client that left is still served"
            time.sleep(0.05)
        seen = len(bots.Pausing.seen)
        time.sleep(0.2)
        assert len(bots.Pausing.seen) == seen < 10


def test_it_ends_when_the_game_is_deleted(serving):
    with serving(bots=[PAUSING]) as client:
        view = load(client, over())
        with client.stream("GET", f"/api/games/{view['id']}/analysis", params={"bot": PAUSING}) as response:
            found = events(response)
            assert [next(found)[0] for _ in range(3)] == ["begin", "answer", "answer"]
            client.delete(f"/api/games/{view['id']}")
            bots.GO.set()
            assert len(list(found)) <= 2  # the decision that was already judged, and the one that was being judged


def test_the_bot_does_not_see_the_stack(serving):
    with serving(bots=[WATCHED]) as client:
        game = over("base")
        told(client, load(client, game), bot=WATCHED)
        early = bots.Watched.seen[: len(bots.Watched.seen) // 2]
        assert early and game.deck not in early and all(sorted(deck) == sorted(game.deck) for deck in early)


def test_where_seats_have_tokens(serving):
    with serving(guarded=True) as client:
        view = load(client, over())
        url = f"/api/games/{view['id']}/analysis"
        refused(client.get(url), 401)
        refused(client.get(url, headers={"authorization": "Bearer x"}), 403)
        assert client.get(url, headers={"authorization": f"Bearer {view['tokens'][1]}"}).status_code == 200


def test_nothing_of_it_changes_the_game(client):
    view = load(client, over())
    before = look(client, view)
    told(client, view)
    assert look(client, view) == before
