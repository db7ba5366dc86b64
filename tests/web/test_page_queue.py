"""Tests of the page of a server with many games and few threads for bots: the password, the number of games ahead in
the queue, and bots with less time.
"""

import pytest

from carc_env.web.password import Password
from tests.web import bots
from tests.web.asking import begin
from tests.web.browser import ready, until

SLOW = "tests.web.bots:Slow"


@pytest.fixture
def busy(serving, monkeypatch):
    """A client of a server whose only thread for bots is occupied by a slow bot until GO is set."""
    monkeypatch.setattr("carc_env.web.bot_workers.SLOW", 600)  # no other thread replaces the slow one
    with serving(bots=[SLOW], workers=1, patience=600) as client:
        client.url = str(client.base_url).rstrip("/")
        begin(client, "base", [{"bot": SLOW}, {"name": "Ben"}])
        yield client


def test_the_page_tells_how_many_tables_are_first(busy, open_page):
    view = begin(busy, "base", [{"bot": "greedy"}, {"name": "Ben"}])
    page = open_page(f"{busy.url}/?game={view['id']}")
    page.get_by_text("waits for 1 other game").wait_for()
    bots.GO.set()
    ready(page)
    assert page.locator("#thinking").is_hidden() and page.locator("#hurried").is_hidden()


def test_the_page_tells_when_a_bot_had_less_time(busy, open_page, monkeypatch):
    monkeypatch.setattr("carc_env.web.bot_workers.LONGEST_ROUND", 0.1)
    view = begin(busy, "base", [{"bot": "rollout:ms=200"}, {"name": "Ben"}])
    page = open_page(f"{busy.url}/?game={view['id']}")
    page.get_by_text("waits for 1 other game").wait_for()
    begin(busy, "base", [{"bot": "rollout:ms=200"}, {"bot": "rollout:ms=200"}])
    bots.GO.set()
    page.get_by_text("for its move instead of 0.2 s").wait_for()


def test_the_form_asks_for_the_password(serving, open_page):
    with serving(password=Password("schöner Tag")) as client:
        page = open_page(str(client.base_url))
        page.get_by_label("Base game").check()
        page.get_by_label("Who plays Blue").select_option("")
        page.get_by_role("button", name="Begin").click()
        page.get_by_text("a password is needed to begin a game here").wait_for()
        page.get_by_label("Password").fill("schöner Tag")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url("**/?game=*")
        until(page, "document.querySelector('#game').dataset.version")


def test_without_a_password_the_form_asks_for_none(client, open_page):
    page = open_page(str(client.base_url))
    page.get_by_role("button", name="Begin").wait_for()
    assert page.locator("#password-row").is_hidden()
