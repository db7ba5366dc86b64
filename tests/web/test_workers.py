"""Tests of the threads in which bots think: games take turns and share the time, and a slow bot delays nobody else."""

import math
import threading
import time

import pytest

from carc_env.common.errors import BotFault
from carc_env.compiling import waiting
from carc_env.web import bot_workers
from carc_env.web.bot_workers import LEAST, LONGEST_ROUND, Workers, usual_number
from carc_env.web.thinking import Hurried, Player, Watch
from tests.web import bots
from tests.web.asking import answer, begin, look, refused, settled

SLOW = "tests.web.bots:Slow"


@pytest.fixture
def workers():
    """A function that starts workers with this many threads. A task may take `patience` seconds."""
    begun = []

    def begin(number, patience=20.0, **more):
        watch = Watch(patience)
        begun.extend([Workers(number, watch, **more), watch])
        return begun[-2]

    yield begin
    for each in begun:
        each.close()


def wait_for(what):
    until = time.monotonic() + 20
    while not what():
        assert time.monotonic() < until, "it does not come"
        time.sleep(0.01)


def test_tables_take_turns(workers):
    """Even if one game has many tasks, the other games get their turns in between."""
    ready, order = threading.Event(), []
    found = workers(1, ready=ready)
    futures = [found.ask(table, lambda _, name=name: order.append(name), "") for table, name in ASKED]
    assert [found.before(table) for table in "abcd"] == [0, 1, 2, None] and found.waiting("a") == 3
    ready.set()
    for future in futures:
        future.result(20)
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3"]


@pytest.mark.parametrize(("lost", "is_late"), [(0.0, True), (5.0, False)])
def test_compiling_is_not_the_time_of_a_bot(workers, monkeypatch, lost, is_late):
    spent, is_told = [3.0], threading.Event()
    monkeypatch.setattr("carc_env.web.thinking.seconds_lost", lambda: spent[0])

    def work(_):
        spent[0] += lost
        is_told.wait(300 if is_late else 0.6)

    error = workers(1, patience=0.2).ask("a", work, "late").exception(120)
    is_told.set()
    assert (str(error) == "late") if is_late else error is None


def test_the_time_of_compiling_is_counted_once():
    before, began = waiting.seconds_lost(), time.monotonic()
    with waiting._counted(), waiting._counted():
        time.sleep(0.05)
        assert waiting.seconds_lost() - before >= 0.05, "also while it lasts"
    after = waiting.seconds_lost()
    assert 0.05 <= after - before <= time.monotonic() - began and waiting.seconds_lost() == after


ASKED = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b", "b2"), ("c", "c1")]


def test_a_table_has_one_thread(workers):
    go, begun = threading.Event(), []
    found = workers(3)

    def work(_):
        begun.append(None)
        return go.wait(20)

    futures = [found.ask("a", work, "") for _ in range(3)]
    wait_for(lambda: begun)
    assert found.ask("b", lambda _: "done", "").result(20) == "done" and len(begun) == 1
    go.set()
    assert all(future.result(20) for future in futures) and len(begun) == 3


def test_who_waits_knows_how_many_are_before(workers):
    go = threading.Event()
    found = workers(1)
    futures = [found.ask(table, lambda _: go.wait(20), "") for table in "abc"]
    wait_for(lambda: found.before("a") == 0)
    assert [found.before(table) for table in "abc"] == [0, 1, 2]
    go.set()
    futures[-1].result(20)
    wait_for(lambda: found.before("c") is None)


@pytest.mark.parametrize(
    ("tables", "seconds"), [(1, math.inf), (2, math.inf), (3, LONGEST_ROUND * 2 / 3), (999, LEAST)]
)
def test_the_time_of_many_is_shared(workers, tables, seconds):
    ready = threading.Event()
    found = workers(2, ready=ready)
    first = [found.ask(str(number), lambda seconds: seconds, "") for number in range(tables)][0]
    ready.set()
    assert first.result(20) == seconds


def test_who_is_late_is_told_of_and_replaced(workers):
    go = threading.Event()
    found = workers(1, patience=2)
    hanging = found.ask("a", lambda _: go.wait(60), "too late")
    assert found.ask("b", lambda _: "done", "").result(20) == "done"
    with pytest.raises(BotFault, match="too late"):
        hanging.result(20)
    go.set()
    assert found.ask("a", lambda _: "again", "").result(20) == "again"


def test_who_is_slow_holds_up_nobody_else(workers, monkeypatch):
    """Long before the time limit of a slow task, another thread takes over. The slow task's result still counts."""
    monkeypatch.setattr(bot_workers, "SLOW", 0.2)
    go = threading.Event()
    found = workers(1)
    slow = found.ask("a", lambda _: go.wait(20), "")
    assert found.ask("b", lambda _: "done", "").result(20) == "done" and not slow.done()
    go.set()
    assert slow.result(20) is True


def test_faults_are_those_of_who_asked(workers):
    found = workers(1)
    with pytest.raises(ZeroDivisionError):
        found.ask("a", lambda _: 1 / 0, "").result(20)
    assert found.ask("a", lambda _: "still there", "").result(20) == "still there"


def test_there_is_a_worker_on_every_machine():
    assert usual_number() >= 1


# --- time budgets -----------------------------------------------------------------------------------------------------
def test_a_bot_with_a_budget_of_time_takes_less_where_many_wait():
    from carc_env import Game

    game, player = Game("base", seed=1), Player("rollout:ms=60")
    assert game.action(player.answer(game, 0.02)) in game.legal_actions() and player.hurried == Hurried(20, 60)
    player.answer(game, 5.0)
    assert player.hurried is None and player._bot.ms == 60, "never more than its own"
    greedy = Player("greedy")
    greedy.answer(game, 0.02)
    assert greedy.hurried is None


def test_a_view_says_who_is_before_and_who_had_less_time(serving, monkeypatch):
    monkeypatch.setattr(bot_workers, "LONGEST_ROUND", 0.3)
    monkeypatch.setattr(bot_workers, "SLOW", 600)  # no thread replaces that of the waiting bot
    with serving(bots=[SLOW], workers=1, patience=600) as client:
        holding = begin(client, seats=[{"bot": SLOW}, {"name": "Ben"}])
        seats = [{"bot": "rollout:ms=200"}, {"name": "Ben"}]
        waiting = [begin(client, "base", seats, seed=seed) for seed in range(3)]
        assert [view["tables_before"] for view in waiting] == [1, 2, 3] and look(client, holding)["tables_before"] == 0
        with client.stream("GET", f"/api/games/{waiting[2]['id']}/stream?drawing=false") as stream:
            bots.GO.set()
            events = "".join(text for _, text in zip(range(3), stream.iter_text()))
        assert "event: view" in events
        views = [settled(client, view) for view in waiting]
        assert views[0]["hurried"]["ms"] < views[0]["hurried"]["own"] == 200 and views[0]["tables_before"] is None
        last = begin(client, "base", seats)
        assert settled(client, last)["hurried"] is None, "nobody else waits any more"


def test_a_stream_tells_how_many_are_still_before(serving, monkeypatch):
    monkeypatch.setattr("carc_env.web.streams.STEP", 0.05)
    monkeypatch.setattr(bot_workers, "SLOW", 600)
    with serving(bots=[SLOW], workers=1, patience=600) as client:
        begin(client, seats=[{"bot": SLOW}, {"name": "Ben"}])
        view = begin(client, "base", [{"bot": "greedy"}, {"name": "Ben"}])
        with client.stream("GET", f"/api/games/{view['id']}/stream?drawing=false") as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line == "event: queue")
            assert next(lines) == 'data: {"tables_before": 1}'
            bots.GO.set()
            assert any('"thinking":null' in line for line in lines if line.startswith("data"))


def test_hints_wait_for_their_turn_and_are_bounded(serving):
    with serving(bots=[SLOW], workers=1, patience=600) as client:
        view = begin(client)
        table = client.tables.find(view["id"])
        holding = client.tables.bots.workers.ask(table.id, lambda _: bots.GO.wait(600), "")
        wait_for(lambda: client.tables.bots.workers.waiting(table.id) == 0)
        asked = [client.tables.bots.hints(table, "greedy") for _ in range(8)]
        reason = refused(client.get(f"/api/games/{view['id']}/hints"), 503)
        assert reason == "8 hints are already waiting in this game: request another one later"
        assert answer(client, view).status_code == 200, "people wait for no bot"
        bots.GO.set()
        assert holding.result(300) and all(future.result(300).version == 1 for future in asked)
