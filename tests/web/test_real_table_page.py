"""Tests of a game at a real table in a real browser: the form, draws by click and by name, and undo."""

import pytest

from tests.web.browser import PHONE, PLACES, click_place, faults, until

ASKS = "document.querySelector('#draws') && !document.querySelector('#draws').hidden"


@pytest.fixture
def real_page(server, open_page):
    """A function that begins a game at a real table with the form, and waits until the page asks for the first draw."""

    def begin(**options):
        page = open_page(server.url, **options)
        page.check("input[name=preset][value=base]")
        page.check("#real")
        assert page.is_disabled("#seed") and not page.query_selector("#real-lying textarea")
        page.select_option("#seat-list li:nth-child(2) select", "greedy")
        page.click("#setup button[type=submit]")
        page.wait_for_url("**/?game=*")
        until(page, ASKS)
        return page

    return begin


def test_draws_and_answers_are_entered_and_taken_back(real_page):
    page = real_page()
    assert page.inner_text("#question") == "Which tile was drawn?" and page.is_hidden("#hand")
    assert page.is_disabled("#undo") and page.get_attribute("#game", "data-mine") == "false"
    page.fill("#draw-name", "D")
    page.press("#draw-name", "Enter")
    until(page, "document.querySelector('#game').dataset.mine === 'true'")
    assert page.is_hidden("#draws") and page.inner_text("#question") == "Your turn: place a tile with a city and a road"
    page.click("#undo")
    until(page, ASKS)
    page.click("#draws [data-draw='tile V']")
    until(page, "document.querySelector('#game').dataset.mine === 'true'")
    click_place(page, next(place for place in page.evaluate(PLACES) if place["fits"]))
    until(page, "document.querySelector('#game').dataset.phase === 'PLACE_FIGURE'")
    page.keyboard.press("p")
    until(page, ASKS)
    page.click("#draws [data-draw='tile E']")
    until(page, f"{ASKS} && document.querySelector('#log').innerText.includes('Blue: a tile with a city, on')")
    assert page.inner_text("#question") == "Which tile was drawn?"
    entered = page.get_attribute("#game", "data-moves")
    page.reload()
    until(page, ASKS)
    assert page.get_attribute("#game", "data-moves") == entered


def test_the_form_asks_how_the_table_lies(server, open_page):
    page = open_page(server.url)
    page.check("#real")
    page.check("input[name=preset][value=carcassonne]")
    assert page.locator("#real-lying textarea").count() == 2
    page.fill("#real-lying textarea[name=starts]", "D@5")
    page.click("#setup button[type=submit]")
    until(page, "document.querySelector('#setup-error').innerText.includes('should be a tile with its square')")
    page.check("input[name=preset][value='']")
    assert page.is_disabled("#real") and not page.query_selector("#real-lying textarea")


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True}], ids=["desktop", "phone"])
def test_axe_finds_nothing(real_page, options):
    page = real_page(bypass_csp=True, **options)
    assert faults(page) == []
