"""Tests of puzzles in a real browser: solving them by clicks, by keys and on a phone, the tally, and accessibility."""

import httpx
import pytest

from carc_env.arena.puzzles import shipped
from tests.web.browser import PHONE, faults, until

BASE = [puzzle for puzzle in shipped() if puzzle.preset == "base"]  # the page begins with these puzzles
TITLE = "document.querySelector('#puzzle-title')?.textContent"


@pytest.fixture
def puzzle_page(server, open_page):
    """A function that opens the page of all puzzles, or of one puzzle, and waits until it is shown."""

    def begin(id="", **options):
        page = open_page(f"{server.url}/?puzzles={id}", **options)
        until(page, f"{TITLE}?.startsWith('Puzzle ')")
        return page

    return begin


def answer(page, text):
    page.evaluate("document.querySelector('#all-answers').open = true")
    until(page, "document.querySelectorAll('#answer-list button').length > 0")
    id = page.url.rpartition("=")[2]
    view = httpx.get(f"{page.url.partition('?')[0]}api/puzzles/{id}", timeout=60).json()
    number = [each["text"] for each in view["answers"]].index(text)
    page.locator("#answer-list button").nth(number).click()
    until(page, "document.querySelector('#verdict')")


def test_puzzles_are_set_one_after_the_other_and_counted(puzzle_page):
    page, (first, second, *_) = puzzle_page(), BASE
    assert page.inner_text("#puzzle-title") == f"Puzzle 1 of {len(BASE)}"
    assert "None tried yet." in page.inner_text("#tally") and not page.query_selector("#verdict")
    answer(page, first.best)
    assert "Correct:" in page.inner_text("#verdict") and "Solved 1 of 1" in page.inner_text("#tally")
    page.keyboard.press("n")
    until(page, f"{TITLE} === 'Puzzle 2 of {len(BASE)}'")
    wrong = second.answers[-1]
    answer(page, wrong.text)
    lost = float(page.inner_text("#verdict").split()[0])
    assert lost == pytest.approx(-wrong.gain, abs=0.06) and "Solved 1 of 2" in page.inner_text("#tally")
    assert "points compared with the best move" in page.inner_text("#why") and "from" in page.inner_text("#why")
    page.locator(".valued button").first.click()
    assert "the best move." in page.inner_text("#why") and "Solved 1 of 2" in page.inner_text("#tally")
    page.reload()
    until(page, f"{TITLE}?.startsWith('Puzzle ')")
    assert "Solved 1 of 2" in page.inner_text("#tally")
    page.goto(page.url.partition("?")[0] + "?puzzles")
    until(page, f"{TITLE} === 'Puzzle 3 of {len(BASE)}'")
    page.select_option("#puzzle select", "")
    until(page, f"{TITLE}.endsWith(' of {len(shipped())}')")
    page.goto(page.url.partition("?")[0] + "?puzzles")
    until(page, f"{TITLE}?.endsWith(' of {len(shipped())}')")


def test_puzzles_of_one_preset_are_answered_again_from_the_beginning(puzzle_page):
    page = puzzle_page()
    for number, puzzle in enumerate(BASE, 1):
        until(page, f"{TITLE} === 'Puzzle {number} of {len(BASE)}' && !document.querySelector('#verdict')")
        answer(page, puzzle.best)
        page.keyboard.press("n")
    page.locator("text=Try them again").click()
    until(page, f"{TITLE} === 'Puzzle 1 of {len(BASE)}'")
    assert "None tried yet." in page.inner_text("#tally")


def test_an_answer_by_a_click_on_the_board_and_without_a_mouse(puzzle_page):
    page = puzzle_page()
    page.focus("#board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#verdict')")
    assert page.query_selector("#over .hint")
    for key in ("u", "h", "b"):  # these keys work only in games
        page.keyboard.press(key)
    assert page.query_selector("#verdict") and page.is_hidden("#tools")


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True}], ids=["desktop", "phone"])
def test_axe_finds_nothing(puzzle_page, options):
    page = puzzle_page(bypass_csp=True, **options)
    for _ in range(2):
        assert faults(page) == []
        answer(page, BASE[0].answers[-1].text)


def test_the_way_in_leads_to_the_puzzles(server, open_page):
    page = open_page(server.url)
    page.click("text=Solve puzzles")
    until(page, f"{TITLE}?.startsWith('Puzzle ')")
