"""Tests of the page in a real browser: who is ahead, playing on from an earlier position, positions in the address,
links to a finished game, explanations of decisions, and the rules.
"""

import json
import re
from urllib.parse import quote

import httpx
import pytest

import carc_env
from carc_env.arena.check_files import position_after
from tests.web.browser import (
    PHONE,
    PLACES,
    TOO_SMALL,
    begin,
    click_place,
    faults,
    game_url,
    gone_on,
    load,
    look,
    played,
    ready,
    until,
)
from tests.web.conftest import Process
from tests.web.test_page import at_answer

DICEY = "tests.web.bots:Dicey"
SERVER_BOTS = (DICEY,)
ROBOTS = [{"name": "Ada", "bot": DICEY}, {"name": "Ben", "bot": DICEY}]
WORDS = "document.querySelector('#ahead-words').textContent"
NO_POSITION = "This text is not a position. To get one, use “Copy the position” on the page of a game."


@pytest.fixture(scope="module")
def short():
    """A finished game with few tiles."""
    game = carc_env.Game("base", deck=["E", "V", "B", "U", "K", "J"])
    while not game.is_over:
        game.play(int(game.legal_actions()[0]))
    return game


def judged(page, moments):
    """Wait until the curve shows this many positions."""
    until(page, f"document.querySelectorAll('#curve .chance').length === 2 && {WORDS} !== '…'")
    until(
        page, f"(document.querySelector('#curve .margin').getAttribute('d').match(/L/g) ?? []).length >= {moments - 1}"
    )


# --- who is ahead -----------------------------------------------------------------------------------------------------
def test_after_a_game_a_bar_and_a_curve_say_who_was_ahead(server, open_page, short):
    view = load(server, short)
    page = open_page(game_url(server, view))
    ready(page)
    judged(page, len(short.moves) + 1)
    a, b = short.scores.tolist()
    leader = "Ada" if a > b else "Ben"
    assert page.evaluate(WORDS) == (f"{leader} has won by {abs(a - b)}." if a != b else "A draw.")
    box = page.locator("#curve").bounding_box()
    page.mouse.click(box["x"] + 31, box["y"] + 20)  # the left end is the beginning of the game
    at_answer(page, 0)
    until(page, f"/ expected, \\d+\\s%\\sto\\swin, says keen$/.test({WORDS})")
    shares = page.locator("#ahead-bar span").evaluate_all("parts => parts.map(part => parseFloat(part.style.width))")
    found = httpx.get(f"{server.url}/api/games/{view['id']}/moves/0/evaluation").json()
    assert shares == pytest.approx([100 * chance for chance in found["chances"]], abs=0.01)
    page.locator("#curve").focus()
    page.keyboard.press("End")
    at_answer(page, len(short.moves))


def test_who_plays_is_not_told_unless_asked(server, open_page):
    page = open_page(game_url(server, begin(server, "base")))
    version = ready(page)
    assert page.locator("#ahead").is_hidden() and page.locator("#curve").is_hidden()
    page.keyboard.press("e")
    until(page, f"/ expected.* says keen$/.test({WORDS})")
    click_place(page, page.evaluate(PLACES)[0])
    gone_on(page, version)
    judged(page, 2)
    page.reload()
    ready(page)
    assert page.locator("#ahead").is_visible(), "the browser remembers the wish"
    page.get_by_role("button", name="More").click()
    page.locator("#judge-bot option", has_text="level 4").wait_for(state="attached")
    page.get_by_label("Bot that estimates who is ahead").select_option("level:4")
    page.keyboard.press("Escape")
    until(page, f"{WORDS}.endsWith('says level 4')")
    page.get_by_role("button", name="Who is ahead").click()
    assert page.locator("#ahead").is_hidden()


def test_a_game_between_bots_is_watched_with_its_evaluation(server, open_page):
    page = open_page(game_url(server, begin(server, "base", ROBOTS)))
    ready(page)
    until(page, f"{WORDS} !== '' && {WORDS} !== '…'")
    assert page.locator("#ahead-bar").is_visible()


def test_of_three_players_each_has_a_line(server, open_page):
    game = carc_env.Game({"players": 3, "boxes": ["base"]}, deck=["E", "V", "B", "U", "K", "J"])
    while not game.is_over:
        game.play(int(game.legal_actions()[0]))
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    until(page, "document.querySelectorAll('#curve .margin[data-player]').length === 3")
    assert page.locator("#ahead-bar").is_hidden() and not page.locator("#curve .chance").count()


# --- playing on -------------------------------------------------------------------------------------------------------
def test_a_finished_game_is_played_on_from_a_moment(server, open_page):
    game = played("base", 4, lambda game: game.is_over)
    view = load(server, game)
    page = open_page(game_url(server, view))
    ready(page)
    page.keyboard.press("b")
    assert page.locator("#branch").is_hidden(), "after the last answer nothing can be played"
    page.get_by_role("slider", name="Move", exact=True).fill("20")
    at_answer(page, 20)
    page.get_by_role("button", name="Play on…").click()
    page.get_by_role("dialog").wait_for()
    before = position_after(game, 20)
    seats = page.locator("#branch-seats select").evaluate_all("seats => seats.map(seat => seat.value)")
    assert seats == [("" if seat == before.player else "greedy") for seat in range(2)]
    page.get_by_label("Draw the tiles in the same order").check()
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    page.wait_for_url(lambda url: url.startswith(server.url) and view["id"] not in url)
    ready(page)
    new = look(server, page.url.partition("game=")[2], drawing=False)
    assert new["n_moves"] == int(before.state["n_moves"]) and [player["bot"] for player in new["players"]] == [
        seat or None for seat in seats
    ]
    assert look(server, view["id"], drawing=False)["over"]


def test_where_persons_play_nobody_plays_on_elsewhere(server, open_page):
    page = open_page(game_url(server, load(server, played("base", 4, lambda game: len(game.moves) > 9))))
    ready(page)
    page.keyboard.press("b")
    page.locator("#replay").wait_for()
    assert page.locator("#branch").is_hidden()


# --- positions --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def position():
    return played("goldmines", 3, lambda game: len(game.moves) > 30 and game.phase.name == "PLACE_TILE").position()


def games(server):
    return len(httpx.get(f"{server.url}/api/games").json()["games"])


def test_a_position_in_the_address_is_looked_at_and_played_on(server, open_page, position):
    before = games(server)
    page = open_page(f"{server.url}/?position={quote(position)}")
    ready(page)
    until(page, f"/ expected.* says keen$/.test({WORDS})")
    page.keyboard.press("h")
    until(page, "document.querySelectorAll('#over .hint').length > 0")
    assert games(server) == before and page.get_by_role("button", name="Undo").is_hidden()
    place = page.evaluate(PLACES)[0]
    click_place(page, place)
    page.wait_for_url("**/?game=*")
    ready(page)
    view = look(server, page.url.partition("game=")[2], drawing=False)
    number = len(json.loads(position)["moves"]) + 1
    assert place["answer"] in [move["text"] for move in view["moves"] if move["n"] == number]
    assert games(server) == before + 1
    assert [player["bot"] for player in view["players"]] == [None, None]


def test_a_position_is_played_on_against_bots(server, open_page, position):
    page = open_page(f"{server.url}/?position={quote(position)}")
    ready(page)
    page.get_by_role("button", name="Play on…").click()
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    ready(page)
    view = look(server, page.url.partition("game=")[2], drawing=False)
    assert sorted(player["bot"] or "" for player in view["players"]) == ["", "greedy"]


def test_a_long_position_fits_into_the_address(server, open_page):
    long = played("everything", 4, lambda game: game.is_over or game.tiles_left < 12).position()
    page = open_page(f"{server.url}/?position={quote(long)}")
    ready(page)
    assert page.evaluate(PLACES)


def test_what_is_no_position_is_told(server, open_page):
    page = open_page(f"{server.url}/?position=nonsense")
    page.get_by_role("heading", name="Invalid position").wait_for()
    assert "use “Copy the position” on the page of a game." in page.inner_text("#sorry-words")
    assert "JSON" not in page.inner_text("#sorry-words")


@pytest.mark.parametrize("button", ["Look at it", "Continue from this position"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NO_POSITION),
        ("not a position", NO_POSITION),
        ("7", NO_POSITION),
        ('{"carc_env": 1', NO_POSITION),
        ("{}", "This position is not valid: the position lacks the key 'carc_env'."),
    ],
)
def test_the_first_page_tells_why_a_text_is_no_position(server, open_page, button, text, reason):
    page = open_page(server.url)
    page.locator(".choice").first.wait_for()
    page.get_by_label("Position").fill(text)
    page.get_by_role("button", name=button).click()
    page.wait_for_selector("#load-error:not([hidden])")
    assert page.inner_text("#load-error") == reason
    assert page.url.rstrip("/") == server.url, "the form stays"
    assert page.get_by_label("Position").input_value() == text


def test_the_first_page_leads_to_a_position(server, open_page, position):
    page = open_page(server.url)
    page.locator(".choice").first.wait_for()
    page.get_by_label("Position").fill(position)
    page.get_by_role("button", name="Look at it").click()
    page.wait_for_url("**/?position=*")
    ready(page)


# --- the end of a game, explanations, the rules -----------------------------------------------------------------------
def test_a_finished_game_has_a_link_that_only_looks(tmp_path, open_page, short):
    far = Process(tmp_path, "--host", "0.0.0.0")
    try:
        url = f"http://127.0.0.1:{far.url.rpartition(':')[2]}"
        view = httpx.post(f"{url}/api/games/load", json={"record": short.record()}, timeout=60).json()
        page = open_page(f"{url}/?game={view['id']}#seat=0&token={view['tokens'][0]}&watch={view['watcher']}")
        link = page.get_by_role("link", name="Link to this game").get_attribute("href")
        assert view["watcher"] in link and view["tokens"][0] not in link
        other = open_page(link)
        ready(other)
        assert other.get_by_role("button", name="Undo").is_disabled() and other.locator("#final").is_visible()
        assert other.locator("#rematch").is_hidden()
    finally:
        far.kill()


def test_on_this_machine_the_link_is_the_plain_one(server, open_page, short):
    view = load(server, short)
    page = open_page(game_url(server, view))
    link = page.get_by_role("link", name="Link to this game")
    assert link.get_attribute("href") == game_url(server, view)


def test_a_rare_question_says_why_it_is_asked_and_what_answers_bring(server, open_page):
    game = played("carcassonne", 9, lambda game: game.phase.name == "PLACE_INGOT")
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    assert "A gold tile brings two ingots" in page.inner_text(".why p")
    place = page.evaluate(PLACES)[0]
    page.mouse.move(place["x"], place["y"])
    until(page, "document.querySelector('#means').textContent.endsWith('.')")
    page.locator("#all-answers summary").click()
    until(page, "document.querySelectorAll('#answer-list small').length > 0")
    link = page.locator(".why a")
    assert link.inner_text() == "The rules: The Goldmines" and link.get_attribute("href") == "rules.html#goldmines"
    with page.expect_popup() as opened:
        link.click()
    opened.value.wait_for_load_state()
    assert opened.value.locator("#goldmines h2").inner_text() == "The Goldmines"


def test_a_usual_question_explains_itself_when_it_is_wished(server, open_page):
    page = open_page(game_url(server, begin(server, "goldmines")))
    ready(page)
    assert page.locator(".why p").is_hidden()
    page.get_by_text("Why this decision?").click()
    assert "Each edge must match the tile beside it" in page.inner_text(".why p")
    links = page.locator("#rules a").all_inner_texts()
    assert links == ["Carcassonne", "The Goldmines"]


def test_tiles_are_told_in_words(server, open_page):
    page = open_page(game_url(server, begin(server, "base")))
    ready(page)
    title = page.locator("#hand .tile").first.get_attribute("title")
    assert re.match(r"(City|Road|Monastery|Fields)\b", title)
    page.locator("#all-answers summary").click()
    until(page, "document.querySelectorAll('#answer-list button').length > 0")
    for words in page.locator("#answer-list button").all_inner_texts():
        assert re.search(r"(city|road|monastery|fields).*, on -?\d+,-?\d+", words)


@pytest.mark.long
def test_all_of_it_fits_on_a_phone_and_axe_finds_no_fault(server, open_page, short, position):
    view = load(server, short)
    page = open_page(game_url(server, view), viewport=PHONE, has_touch=True, is_mobile=True, bypass_csp=True)
    ready(page)
    judged(page, 3)
    page.keyboard.press("b")
    page.get_by_role("slider", name="Move", exact=True).fill("3")
    at_answer(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("#replay button:visible, #ahead-toggle, #curve").evaluate_all(TOO_SMALL) == []
    assert faults(page) == []
    page.get_by_role("button", name="Play on…").click()
    assert faults(page) == []
    page.goto(f"{server.url}/?position={quote(position)}")
    ready(page)
    assert faults(page) == []
    page.goto(f"{server.url}/rules.html#castles")
    assert faults(page) == []
