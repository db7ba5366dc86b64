"""Tests of the layout: everything fits with six players at 1280 x 800, on a phone in both orientations, on a zoomed
page and with long names; labels are readable; a ferry shows the road that it would create.
"""

import httpx
import pytest

from tests.web.browser import DESKTOP, PHONE, TOO_SMALL, box_of, game_url, load, played, ready

BOXES = {"players": 6, "boxes": ["base", "inns_and_cathedrals", "traders_and_builders", "goldmines", "abbot"]}
NAMES = ("Maximiliane Alexandra von Hohenstein-Lan", "W" * 40, "Ben", "Cléo the third of her name", "Dora", "Émile")
LANDSCAPE = {"width": PHONE["height"], "height": PHONE["width"]}
TOUCH = {"has_touch": True, "is_mobile": True}
SEEN = """(selector) => [...document.querySelectorAll(selector)].map(element => { const box = element.getBoundingClientRect();
  return box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })"""
CUT = """(selector) => [...document.querySelectorAll(selector)].filter(element => { const own = element.getBoundingClientRect(), card = element.closest('.card').getBoundingClientRect();
  return own.left < card.left || own.right > card.right + 0.5; }).map(element => element.outerHTML)"""


@pytest.fixture(scope="module")
def six(server):
    """A game of six players with long names. The first player is a person; the others are bots."""
    game = played(BOXES, 3, lambda game: game.tiles_left < 60 and game.phase.name == "PLACE_TILE" and game.player == 0)
    seats = [{"name": name, "bot": "random" if number else None} for number, name in enumerate(NAMES)]
    wish = {"record": game.record(), "seats": seats}
    return httpx.post(f"{server.url}/api/games/load", json=wish, timeout=60).json()


@pytest.mark.parametrize(
    ("options", "selectors"),
    [
        (
            {"viewport": DESKTOP},
            ("#hand .tile", "#undo", "#hints", "#more", ".player", ".player .score", "#log li:first-child"),
        ),
        ({"viewport": PHONE, **TOUCH}, ("#board", "#hand .tile", "#undo", "#hints", "#more")),
        ({"viewport": LANDSCAPE, **TOUCH}, ("#board", "#hand .tile", "#undo", "#hints", "#more")),
        ({"viewport": {"width": 640, "height": 400}}, ("#board", "#hand .tile", "#undo", "#hints", "#more")),  # 200 %
    ],
)
def test_all_that_is_needed_is_seen(server, open_page, six, options, selectors):
    page = open_page(game_url(server, six), **options)
    ready(page)
    page.wait_for_timeout(300)
    for selector in selectors:
        seen = page.evaluate(SEEN, selector)
        assert seen and all(seen), (selector, seen)
    assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
    assert page.evaluate(CUT, ".player .score, .player h2, #hand button, #log li") == []
    board = box_of(page, "#board")
    assert (board["right"] - board["left"]) * (board["bottom"] - board["top"]) > 0.3 * (
        options["viewport"]["width"] * options["viewport"]["height"]
    )
    titles = page.locator(".player h2").evaluate_all("names => names.map(name => name.title)")
    assert titles == list(NAMES), "the whole name is told by the mouse"


@pytest.mark.parametrize("viewport", [PHONE, LANDSCAPE])
def test_controls_of_a_phone_are_large_enough(server, open_page, six, viewport):
    page = open_page(game_url(server, six), viewport=viewport, **TOUCH)
    ready(page)
    page.get_by_role("button", name="More").click()
    controls = page.locator("button:visible, select:visible, a.button:visible, summary:visible")
    assert controls.count() > 5 and controls.evaluate_all(TOO_SMALL) == []


def test_spots_are_large_enough_for_a_finger(server, open_page):
    """The text of the decision takes two lines here, which leave less room for the board."""
    game = played("goldmines", 5, lambda game: game.phase.name == "PLACE_FIGURE" and len(game.board()) > 12)
    page = open_page(game_url(server, load(server, game, (NAMES[0], "Ben"))), viewport=PHONE, **TOUCH)
    ready(page)
    page.wait_for_timeout(500)
    spots = page.locator("#over .place circle").evaluate_all(
        "found => found.map(each => each.getBoundingClientRect().width)"
    )
    assert spots and min(spots) > 28, spots
    assert all(page.evaluate(SEEN, "#over .place circle"))


def test_the_final_table_of_six(server, open_page):
    game = played(BOXES, 3, lambda game: game.is_over)
    seats = [{"name": name} for name in NAMES]
    view = httpx.post(f"{server.url}/api/games/load", json={"record": game.record(), "seats": seats}, timeout=60).json()
    page = open_page(game_url(server, view))
    ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
    for name in ("Rematch", "Analyse the game"):
        assert page.get_by_role("button", name=name).is_visible()
    table, card = box_of(page, "#final-table"), box_of(page, "#final")
    assert table["right"] <= card["right"]


def test_hints_on_one_tile_hide_neither_each_other_nor_what_stands_there(server, open_page):
    game = played("goldmines", 5, lambda game: game.phase.name == "PLACE_FIGURE" and len(game.legal_actions()) > 6)
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    page.get_by_role("button", name="Hints").click()
    page.wait_for_selector("#over .hint")
    labels, spots = (
        page.locator(selector).evaluate_all("found => found.map(each => each.getBoundingClientRect().toJSON())")
        for selector in ("#over .hint .back", "#over .place circle")
    )
    assert len(labels) == len(spots) >= 6
    for number, label in enumerate(labels):
        assert not any(overlap(label, other) for other in labels[:number] + spots), (number, label)
        assert label["left"] >= 0 and label["bottom"] <= DESKTOP["height"]
    texts = page.locator("#over .hint").evaluate_all(
        "found => found.map(each => each.querySelector('text').getBoundingClientRect().width <= each.querySelector('rect').getBoundingClientRect().width)"
    )
    assert all(texts)


def overlap(one, other):
    return min(one["right"], other["right"]) - max(one["left"], other["left"]) > 0.5 and (
        min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 0.5
    )


def test_the_badge_of_the_score_track_holds_its_words(server, open_page):
    """Checks the badges of players with 137 and 62 points: +100 and +50."""
    page = open_page(game_url(server, load(server, played("base", 4, lambda game: game.is_over))))
    ready(page)
    page.evaluate("""async () => {
      const { showTrack } = await import("./panel.js"), view = await (await fetch(`api/games/${new URLSearchParams(location.search).get("game")}`)).json();
      view.players[0].score = 137; view.players[1].score = 62; showTrack(view); }""")
    badges = page.locator("#track .badge").evaluate_all(
        "found => found.map(each => [each.textContent, each.querySelector('text').getBoundingClientRect().width, each.querySelector('rect').getBoundingClientRect().width])"
    )
    assert sorted(words for words, _, _ in badges) == ["+100", "+50"]
    assert all(text < rect for _, text, rect in badges)


def test_a_ferry_shows_the_road_that_would_come(server, open_page):
    config = {"players": 2, "boxes": ["base", "ferries"]}
    game = played(config, 1, lambda game: game.phase.name == "PLACE_FERRY")
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    ways = page.locator("#over .way").evaluate_all("found => found.map(each => each.getAttribute('d'))")
    assert len(set(ways)) == len(ways) == len(game.legal_actions()) >= 3
    page.locator("#board").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#over .way.here", state="attached")
    answer = page.get_attribute("#over .cursor", "data-answer")
    page.wait_for_selector(f"#over [data-answer='{answer}'] .way.here", state="attached")
    assert page.locator("#over .way.here").count() == 1


def test_wine_tells_its_points(server, open_page):
    game = played("carcassonne", 1, lambda game: game.phase.name == "SELL_WINE")
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    told = [int(words.split()[0]) for words in page.locator("#hand .brings").all_inner_texts()]
    gains = []
    for action in game.legal_actions():
        after = game.clone()
        after.play(int(action))
        gains.append(int(after.scores[game.player] - game.scores[game.player]))
    assert told == [gain for gain in gains if gain] != []
