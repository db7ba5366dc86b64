"""Tests of bots on the server: no game waits for the bots of other games, and a bot that fails is reported."""

import time

import pytest

from tests.web import bots
from tests.web.asking import AGAINST_GREEDY, answer, begin, look, refused, settled

BAD = {
    "tests.web.bots:Failing": "failed: KeyError",
    "tests.web.bots:Illegal": "chose an illegal action",
    "tests.web.bots:Nonsense": "chose an illegal action",
    "tests.web.bots:Slow": "has not answered within 3 s",
    "cmd:sleep 100": "has not written 'ready' within",
}


def test_a_slow_bot_stops_nobody_else(serving):
    with serving(bots=["tests.web.bots:Slow"], patience=600) as client:
        waiting = begin(client, seats=[{"bot": "tests.web.bots:Slow"}, {"name": "Ben"}])
        assert waiting["thinking"] == 0
        reason = refused(answer(client, waiting), 422)
        assert reason == "the bot tests.web.bots:Slow has to act: wait for its action"
        # more games than there are worker threads
        others = [begin(client, seats=AGAINST_GREEDY, seed=seed) for seed in range(60)]
        for view in others:
            assert settled(client, answer(client, view, drawing=False).json())["player"] == 0
        assert look(client, waiting)["thinking"] == 0
        bots.GO.set()
        assert settled(client, waiting)["player"] == 1


@pytest.mark.parametrize("spec", [spec for spec in BAD if spec != "cmd:sleep 100"])
def test_a_bot_that_fails_is_told_of_and_its_seat_handed_over(serving, spec):
    with serving(bots=[spec], patience=3) as client:
        view = begin(client, seats=[{"name": "Ada"}, {"bot": spec}])
        while view["player"] == 0:
            view = answer(client, view, drawing=False).json()
        view = settled(client, view)
        assert BAD[spec] in view["fault"] and "\n" not in view["fault"] and view["player"] == 1
        failed = view["version"]
        view = client.post(f"/api/games/{view['id']}/undo", json={"version": failed}).json()
        assert view["player"] == 0 and view["fault"] is None
        view = settled(client, answer(client, view).json())
        while view["player"] == 0:
            view = settled(client, answer(client, view).json())
        view = client.post(f"/api/games/{view['id']}/seats/1", json={"bot": "greedy"}).json()
        assert view["fault"] is None and view["players"][1] == view["players"][1] | {"name": "greedy", "bot": "greedy"}
        assert settled(client, view)["player"] == 0


def test_a_bot_acts_again_if_its_action_could_not_be_stored(serving, monkeypatch, capsys):
    """For example, the disk may be full for a moment."""
    monkeypatch.setattr("carc_env.web.turns_of_bots.PAUSE", 0.2)
    with serving(bots=["tests.web.bots:Slow"], patience=600) as client:
        view = begin(client, seats=[{"bot": "tests.web.bots:Slow"}, {"name": "Ben"}])
        connection = client.tables._store._connection
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        bots.GO.set()
        until, told = time.monotonic() + 60, ""
        while told.count("cannot be written: disk full") < 2:
            assert time.monotonic() < until
            told += capsys.readouterr().err
            time.sleep(0.02)
        assert look(client, view)["thinking"] == 0
        connection.execute("DROP TRIGGER full")
        found = settled(client, view)
        assert found["player"] == 1 and found["fault"] is None


def test_what_comes_too_late_is_not_heard(serving):
    with serving(bots=["tests.web.bots:Slow"], patience=0.3) as client:
        view = settled(client, begin(client, seats=[{"bot": "tests.web.bots:Slow"}, {}]))
        assert "has not answered" in view["fault"]
        bots.GO.set()
        time.sleep(0.3)
        assert look(client, view, drawing=False)["version"] == view["version"]


def test_an_undo_does_not_wait_for_a_bot(serving):
    with serving(bots=["tests.web.bots:Slow"], patience=600) as client:
        view = begin(client, seats=[{"name": "Ada"}, {"bot": "tests.web.bots:Slow"}])
        while view["player"] == 0:
            before, view = view, answer(client, view, drawing=False).json()
        view = client.post(f"/api/games/{view['id']}/undo", json={"version": view["version"]}).json()
        assert view["answers"] == before["answers"]
        bots.GO.set()
        time.sleep(0.7)
        assert look(client, view, drawing=False)["version"] == view["version"]


def test_bots_do_not_see_the_stack(serving):
    bots.Spy.seen.clear()
    with serving(bots=["tests.web.bots:Spy"]) as client:
        view = settled(client, begin(client, "base", [{"bot": "tests.web.bots:Spy"}, {}]))
        game = client.tables.find(view["id"]).now.game
        assert bots.Spy.seen and game.deck not in bots.Spy.seen
        assert all(sorted(deck) == sorted(game.deck) and deck[0] == game.deck[0] for deck in bots.Spy.seen)


def test_a_program_is_stopped_when_the_game_is_gone(serving):
    import sys

    spec = f"cmd:{sys.executable} -m carc_env bot greedy"
    with serving(bots=[spec], patience=600) as client:
        view = settled(client, begin(client, "base", [{"bot": spec}, {}]))
        assert view["fault"] is None and view["player"] == 1
        program = client.tables.find(view["id"]).bots[0]._bot._program._process
        assert program.poll() is None
        client.delete(f"/api/games/{view['id']}")
        assert program.poll() is not None


def test_hints_are_the_bots_values(client):
    from carc_env.bots import make
    from carc_env.bots.winning import chance_in

    view = begin(client)
    hints = client.get(f"/api/games/{view['id']}/hints", params={"bot": "greedy"}).json()
    game = client.tables.find(view["id"]).now.game
    numbers = {int(action): number for number, action in enumerate(game.legal_actions())}
    values = make("greedy").analyse(game)
    assert hints == {
        "bot": "greedy",
        "version": 1,
        "values": [[numbers[action], value] for action, value in values],
        "errors": [None] * len(numbers),
        "chances": [chance_in(game, value) for _, value in values],
        "hurried": None,
    }
    searched = client.get(f"/api/games/{view['id']}/hints", params={"bot": "level:5"}).json()
    assert len(searched["values"]) == len(searched["errors"]) and any(searched["errors"])
    assert "cannot compute values of actions" in refused(
        client.get(f"/api/games/{view['id']}/hints", params={"bot": "random"}), 422
    )
    unknown = refused(client.get(f"/api/games/{view['id']}/hints", params={"bot": "cmd:sh"}), 422)
    assert unknown.startswith("there is no bot 'cmd:sh' here; the bots are "), "the request names no seat"


def test_others_are_not_told_how_a_program_is_begun(serving):
    """Neither the list of bots, nor a view, nor the report of a fault contains the command of a program."""
    with serving(bots=["cmd:sleep 100 --key 7"], host="0.0.0.0", guarded=True, patience=0.5) as client:
        offered = client.get("/api/choices").text
        assert "cmd:sleep" in offered and "--key" not in offered
        view = begin(client, seats=[{"bot": "cmd:sleep"}, {"name": "Ben"}])
        client.headers["Authorization"] = f"Bearer {view['tokens'][1]}"
        found = settled(client, view)
        assert found["fault"].startswith("cmd:sleep ") and "--key" not in client.get(f"/api/games/{view['id']}").text
    with serving(bots=["cmd:sleep 100 --key 7"]) as client:
        assert "--key 7" in client.get("/api/choices").text, "on this machine it is told"
