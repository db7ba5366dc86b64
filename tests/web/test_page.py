"""Tests of the page in a real browser: whole games by clicks, the keyboard, a phone, two tabs, a server that is
restarted, and accessibility.
"""

import json
import random
import re
import time
from pathlib import Path

import httpx
import pytest

import carc_env
from carc_env.arena.analysis import analyse_game, totals
from tests.modes import later, nightly
from tests.web.browser import (
    PHONE,
    PLACES,
    TOO_SMALL,
    begin,
    box_of,
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

DICEY = "tests.web.bots:Dicey"
SERVER_BOTS = (DICEY,)
WATER = {"players": 3, "boxes": ["base", "castles", "ferries"]}


# --- whole games ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "config, asked",
    [
        ("carcassonne", {"PLACE_TILE", "PLACE_FIGURE", "PLACE_INGOT", "SELL_WINE"}),
        nightly(
            "everything",
            {
                "PLACE_TILE",
                "PLACE_FIGURE",
                "PLACE_INGOT",
                "PLACE_GERMAN_CASTLE",
                "PLACE_ABBEY",
                "PLACE_FERRY",
                "MOVE_FERRY",
                "CROP_CHOICE",
                "CROP_ADD",
            },
        ),
    ],
)
def test_a_whole_game_by_clicks(server, open_page, config, asked):
    """Plays a game with half of the tiles by clicks, against a bot with random actions, until the final table is shown.
    For every decision, there are places to click on the board.

    Both players choose the same actions in each run, so the same kinds of decision occur.
    """
    deck = carc_env.Game(config, seed=3).deck
    game = carc_env.Game(config, seed=3, deck=deck[: len(deck) // 2])
    view = load(server, game, seats=[{"name": "Ada"}, {"bot": DICEY}])
    page, chance, phases = open_page(game_url(server, view)), random.Random(3), set()
    while True:
        version, phase = ready(page), page.get_attribute("#game", "data-phase")
        if phase == "GAME_OVER":
            break
        phases.add(phase)
        places = page.evaluate(PLACES)
        passing = page.query_selector("#hand .pass")
        if passing and chance.random() < 0.15:
            passing.click()
        else:
            assert places, f"{phase}: {page.inner_text('#hand')}"
            click_place(page, chance.choice(places))
        gone_on(page, version)
    over = look(server, view["id"], drawing=False)
    assert over["over"] and phases == asked
    totals = page.locator("#final tfoot td").all_inner_texts()
    assert list(map(int, totals)) == [player["score"] for player in over["players"]]
    columns = [
        [int(cell) for cell in row.locator("td").all_inner_texts()] for row in page.locator("#final tbody tr").all()
    ]
    assert [sum(column) for column in zip(*columns)] == [player["score"] for player in over["players"]]


def test_a_server_that_takes_long_is_explained(server, open_page):
    """After an installation, the server compiles for minutes. The page says so, so that nobody thinks that a click was
    lost.
    """
    page, held = open_page(game_url(server, begin(server, "base"))), []
    version = ready(page)
    page.route("**/answers", lambda route: held.append(route))
    board = box_of(page, "#board")
    click_place(page, page.evaluate(PLACES)[0])
    until(page, "document.querySelector('#notice').textContent.includes('compiles the rules')")
    assert box_of(page, "#board") == board, "the board does not move, so that no click goes astray"
    held[0].continue_()
    gone_on(page, version)
    until(page, "document.querySelector('#notice').hidden")


@pytest.mark.parametrize("reply", ["late", "broken off"])
def test_no_click_is_lost_while_the_reply_to_the_one_before_is_on_its_way(server, open_page, reply):
    """The stream may show the next decision before the reply arrives. An incomplete reply does not prevent further
    actions.
    """
    page, held = open_page(game_url(server, begin(server, "base"))), []

    def hold(route):
        held.append((route, route.fetch(timeout=300_000)))
        if reply == "broken off":
            route.fulfill(response=held[-1][1], body="{")

    page.route("**/answers", hold)
    for _ in range(4):
        version = ready(page)
        click_place(page, page.evaluate(PLACES)[0])
        gone_on(page, version)
    limit = time.monotonic() + 300
    while len(held) < 4:
        assert time.monotonic() < limit, "the replies do not come"
        page.wait_for_timeout(20)
    version, question = ready(page), page.inner_text("#question")
    for route, answer in held if reply == "late" else []:
        route.fulfill(response=answer)
    page.unroute("**/answers")
    assert len(held) == 4 and (ready(page), page.inner_text("#question")) == (version, question)
    click_place(page, page.evaluate(PLACES)[0])
    gone_on(page, version)


QUESTIONS = {  # where each decision occurs in games of random actions: configuration, seed
    "PLACE_GERMAN_CASTLE": ("everything", 0),
    "PLACE_ABBEY": ("everything", 2),
    "CROP_REMOVE": ("everything", 6),
    "CROP_CHOICE": ("goldmines-c1", 2),
    "CROP_ADD": ("goldmines-c1", 2),
    "PLACE_FERRY": (WATER, 1),
    "MOVE_FERRY": (WATER, 1),
    "FOUND_CASTLE": (WATER, 11),
    "SELL_WINE": ("carcassonne", 1),
    "TAKE_INGOT": ("goldmines-c1", 1),
    "PLACE_INGOT": ("carcassonne", 9),
}


OFTEN = ("PLACE_FERRY", "FOUND_CASTLE", "SELL_WINE", "TAKE_INGOT", "CROP_ADD")


@pytest.mark.parametrize(
    "question", [question if question in OFTEN else later(question) for question in (*QUESTIONS, "CASTLE_SCORE")]
)
def test_every_answer_to_every_question_is_given_by_a_click(server, open_page, question):
    """Each action except `pass`, which has a button, is chosen by a click on its place. Then it is undone."""
    game = (
        castle_that_scores()
        if question == "CASTLE_SCORE"
        else played(*QUESTIONS[question], lambda game: game.phase.name == question)
    )
    view = load(server, game)
    page, wanted = (
        open_page(game_url(server, view)),
        sorted({game.text(action) for action in game.legal_actions()} - {"pass"}),
    )
    for text in wanted:
        version = ready(page)
        turn_to(page, text)
        place = next(place for place in page.evaluate(PLACES) if place["answer"] == text)
        page.mouse.click(place["x"], place["y"])
        gone_on(page, version)
        after = look(server, view["id"], drawing=False)
        assert text in [move["text"] for move in after["moves"] if move["n"] == len(game.moves) + 1]
        page.keyboard.press("u")
        gone_on(page, after["version"])


@pytest.mark.parametrize("options", [{}, later({"viewport": PHONE, "has_touch": True, "is_mobile": True})])
def test_followers_far_apart_are_all_in_sight(server, open_page, options):
    """Three followers in a crop circle, fifteen tiles apart, are all visible, even if the person has zoomed in."""
    game = played("everything", 8, lambda game: len(game.moves) == 294)
    assert game.phase.name == "CROP_CHOICE"
    page = open_page(game_url(server, load(server, game)), **options)
    version = ready(page)
    for _ in range(4):
        page.locator("#zoom-in").dispatch_event("click")
    page.locator("#answer-list").evaluate("list => { list.parentElement.open = true; }")
    page.locator("#answer-list button", has_text="takes a follower back").click()
    gone_on(page, version)
    ready(page)
    page.evaluate("scrollTo(0, 0)")
    assert page.get_attribute("#game", "data-phase") == "CROP_REMOVE"
    places = page.evaluate(PLACES)
    across = [max(place[axis] for place in places) - min(place[axis] for place in places) for axis in "xy"]
    assert len(places) == page.locator("#over .place").count() == 3 and max(across) > 150


def turn_to(page, text):
    """Turn the tile in hand and choose among the figures until a place on the board stands for this action."""
    for key in "1r r r r 2r r r r 3 4 5".replace(" ", ""):
        if text in [place["answer"] for place in page.evaluate(PLACES) if place["fits"]]:
            return
        page.keyboard.press(key)
    raise AssertionError(f"no place means {text}")


def castle_that_scores():
    """Return a game in which Red must choose whether their castle scores a city or a road that were completed at the
    same time (tests/scenarios/castles/CT05.toml).
    """
    game = carc_env.Game({"boxes": ["base", "castles"]}, deck=["E", "W", "E", "L", "B"])
    for text in (
        "E@0,-1/180",
        "meeple city S",
        "castle 0,-1 S",
        "W@-1,0/0",
        "pass",
        "E@1,-1/180",
        "pass",
        "L@1,0/0",
        "pass",
    ):
        game.play(text)
    return game


def test_from_the_form_to_a_game_that_a_reload_does_not_lose(server, open_page):
    page = open_page(server.url)
    page.get_by_label("Base game").check()
    page.get_by_label("Name of player 1").fill("Ada")
    page.get_by_label("Who plays Blue").select_option("")
    page.get_by_label("Seed").fill("5")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    for _ in range(6):
        version = ready(page)
        click_place(page, page.evaluate(PLACES)[0])
        gone_on(page, version)
    layers = "() => [...document.querySelectorAll('#drawing > g')].map(layer => layer.innerHTML)"
    drawn, question, log = (
        page.evaluate(layers),
        page.inner_text("#question"),
        page.locator("#log li").all_inner_texts(),
    )
    assert page.inner_text("#players-now article >> nth=0").startswith("Ada")
    page.reload()
    ready(page)
    assert page.evaluate(layers) == drawn and page.inner_text("#question") == question
    assert (
        [words for words in page.locator("#log li").all_inner_texts() if words.startswith(("Ada:", "Blue:"))][:5]
        == [words for words in log if words.startswith(("Ada:", "Blue:"))][:5]
        != []
    )
    address = page.url
    page.goto(server.url)
    page.locator("#games a").first.click()
    page.wait_for_url(address)


def test_begin_says_that_it_waits_and_makes_one_game(server, open_page):
    page, held = open_page(server.url), []
    page.route(
        "**/api/games", lambda route: held.append(route) if route.request.method == "POST" else route.continue_()
    )
    button = page.get_by_role("button", name="Begin")
    button.click()
    assert button.is_disabled()
    page.keyboard.press("Enter")
    page.get_by_text("The server is still working on your request").wait_for()
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_url("**/?game=*")


def test_a_level_is_chosen_by_its_rating_and_another_gives_hints(server, open_page):
    page = open_page(server.url)
    blue = page.get_by_label("Who plays Blue")
    assert blue.input_value() == "greedy"
    offered = blue.locator("option").all_inner_texts()
    assert [words for words in offered if re.match(r"level [1-6] \([a-z ]+, rating \d+\)$", words)] == offered[1:7]
    blue.select_option("level:2")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    ready(page)
    assert page.inner_text("#players-now article:nth-of-type(2) small") == "level 2"
    page.get_by_role("button", name="More").click()
    page.locator("#hint-bot option", has_text="level 5").wait_for(state="attached")
    assert page.get_by_label("Bot for hints and analysis").input_value() == "keen"
    page.get_by_label("Bot for hints and analysis").select_option("level:5")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Hints").click()
    page.wait_for_selector("#over .hint")
    page.locator("#all-answers summary").click()
    page.locator("#answer-list b").first.wait_for()
    assert any(
        re.match(r"−?\d+\.\d ± \d+\.\d, \d+\xa0%\xa0to\xa0win$", words)
        for words in page.locator("#answer-list b").all_inner_texts()
    )


def test_own_boxes_and_settings(server, open_page):
    page = open_page(server.url)
    page.get_by_label("Own table").check()
    for box in ("The Goldmines", "Inns & Cathedrals"):
        page.get_by_label(box, exact=True).check()
    assert page.locator("select[name=edition]").input_value() == '"C2"', "the default comes first"
    page.get_by_label("Sharing ingots").select_option(label="one for each feature, in several rounds: Rio Grande")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    ready(page)
    assert "Inns & Cathedrals" in page.inner_text("#game-title")
    page.go_back()
    page.get_by_label("Own table").check()
    page.get_by_label("Map sheet").select_option('"france"')
    page.get_by_label("Completed building at the border").select_option(label="9 points")
    page.get_by_label("Carcassonne", exact=True).uncheck()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#setup-error:not([hidden])")
    assert "box" in page.inner_text("#setup-error")


SHOWN_SETTINGS = "[...document.querySelectorAll('#settings label:not([hidden]) select')].map(select => select.name)"


def test_own_settings_are_shown_in_words_and_only_where_they_apply(server, open_page):
    choices = httpx.get(f"{server.url}/api/choices", timeout=60).json()
    page = open_page(server.url)
    page.get_by_label("Own table").check()
    always = ["sheet", "edition", "small_city_points"]
    assert page.evaluate(SHOWN_SETTINGS) == always
    page.get_by_label("The Goldmines", exact=True).check()
    assert page.evaluate(SHOWN_SETTINGS) == [*always, "gold_rule"]
    assert page.locator("select[name=gold_rule] option").all_inner_texts() == [
        "one by one, in turns: Hans im Glück (default)",
        "one for each feature, in several rounds: Rio Grande",
        "one for each feature, in one round: Rio Grande",
    ]
    for title in choices["titles"].values():
        page.get_by_label(title, exact=True).check()
    page.get_by_label("Map sheet").select_option('"france"')
    assert page.evaluate(SHOWN_SETTINGS) == ["sheet", *choices["settings"]]
    labels = [words["label"] for words in choices["words"].values()]
    assert page.locator("#settings label span").all_inner_texts() == ["Map sheet", *labels]
    for name, words in choices["words"].items():
        options = page.locator(f"select[name={name}] option").all_inner_texts()
        assert options == [f"{words['values'][0]} (default)", *words["values"][1:]]


def test_a_hidden_setting_is_not_sent(server, open_page):
    page = open_page(server.url)
    page.get_by_label("Own table").check()
    page.get_by_label("The Goldmines", exact=True).check()
    page.get_by_label("Sharing ingots").select_option('"rgg_rounds"')
    page.get_by_label("Map sheet").select_option('"france"')
    page.get_by_label("Completed building at the border").select_option('"nine"')
    page.get_by_label("The Goldmines", exact=True).uncheck()
    page.get_by_label("Map sheet").select_option("null")
    with page.expect_request("**/api/games") as sent:
        page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    assert sent.value.post_data_json["config"] == {"players": 2, "boxes": ["base"]}


def test_the_form_offers_as_many_players_as_the_boxes_allow(server, open_page):
    page = open_page(server.url)
    offered = "[...document.querySelectorAll('#players option:not([hidden])')].map(option => option.value)"
    page.get_by_label("Own table").check()
    assert page.evaluate(offered) == ["2", "3", "4", "5"]
    inns = page.get_by_label("Inns & Cathedrals", exact=True)
    inns.check()
    assert page.evaluate(offered) == ["2", "3", "4", "5", "6"]
    page.locator("#players").select_option("6")
    inns.uncheck()
    assert page.evaluate(offered) == ["2", "3", "4", "5"]
    assert page.locator("#players").input_value() == "5"
    assert page.locator("#seat-list li:visible").count() == 5
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")


def test_two_tabs_stay_in_step(server, open_page):
    view = begin(server)
    one = open_page(game_url(server, view))
    other = open_page(game_url(server, view), context=one.context)
    for page, behind in ((one, other), (other, one)):
        version = ready(page)
        click_place(page, page.evaluate(PLACES)[0])
        gone_on(behind, version)
        gone_on(page, version)
        assert behind.inner_text("#question") == page.inner_text("#question")
        assert behind.evaluate("document.querySelector('#drawing').innerHTML") == page.evaluate(
            "document.querySelector('#drawing').innerHTML"
        )


@pytest.mark.long
def test_a_server_that_comes_back(served, open_page, tmp_path):
    first = served(tmp_path)
    view = begin(first)
    page = open_page(game_url(first, view))
    version = ready(page)
    first.kill()
    page.wait_for_selector("#lost:not([hidden])")
    served(tmp_path, "--port", first.url.rpartition(":")[2])
    page.wait_for_selector("#lost", state="hidden")
    click_place(page, page.evaluate(PLACES)[0])
    gone_on(page, version)


# --- what is shown ----------------------------------------------------------------------------------------------------
def test_only_what_changed_is_drawn(server, open_page):
    """The board has 130 tiles. docs/page.md says how fast the page shows a move."""
    view = load(
        server, played("everything", 3, lambda game: len(game.board()) == 130 and game.phase.name == "PLACE_TILE")
    )
    page = open_page(game_url(server, view))
    version = ready(page)
    page.evaluate(
        "document.querySelectorAll('#drawing [data-layer=tiles] > g').forEach((tile, number) => { tile.known = number; })"
    )
    with page.expect_response("**/answers") as reply:
        click_place(page, next(place for place in page.evaluate(PLACES) if place["fits"]))
    gone_on(page, version)
    assert page.evaluate(
        "[...document.querySelectorAll('#drawing [data-layer=tiles] > g')].map(tile => tile.known ?? null)"
    ) == [*range(130), None]
    assert len(reply.value.body()) < 40_000 < len(json.dumps(look(server, view["id"])))
    page.wait_for_function("performance.getEntriesByName('move shown').length")  # docs/page.md reports this duration


def test_whose_pick_it_is_in_a_draft(server, open_page):
    game = played(
        {"players": 3, "boxes": ["base", "goldmines"]},
        71,
        lambda game: game.phase.name == "TAKE_INGOT" and game.player != game.active_player,
    )
    page = open_page(game_url(server, load(server, game)))
    ready(page)
    name = page.locator(".player h2").nth(game.player).inner_text()
    assert page.inner_text("#question").startswith(f"{name} takes an ingot") and "draft" in page.get_attribute(
        "#banner", "class"
    )
    assert page.locator(".player.asked h2").inner_text() == name
    assert len(page.evaluate(PLACES)) == len(game.legal_actions())


def test_hints_tell_the_values_of_the_bot(server, open_page):
    view = begin(server)
    page = open_page(game_url(server, view))
    ready(page)
    page.get_by_role("button", name="Hints").click()
    page.wait_for_selector("#over .hint")
    found = httpx.get(f"{server.url}/api/games/{view['id']}/hints?bot=keen", timeout=60).json()
    hints, chances = found["values"], found["chances"]
    told = {view["answers"][number]["text"]: f"{value:.1f}".replace("-", "−") for number, value in hints}
    shown = page.evaluate(
        "[...document.querySelectorAll('#over .place.fits')].map(place => [place.dataset.answer, place.querySelector('.value').textContent])"
    )
    assert shown and all(value == told[answer] for answer, value in shown)
    assert page.locator("#over .place.fits .hint.best").count(), "the tile is turned as in the best move"
    page.locator("#all-answers summary").click()
    assert (
        page.locator("#answer-list b").first.inner_text()
        == f"{hints[0][1]:.1f}".replace("-", "−") + f", {100 * chances[0]:.0f}\xa0%\xa0to\xa0win"
    )


def test_the_mouse_over_a_feature_tells_its_owner_and_worth(server, open_page):
    view = begin(server, "base")
    page = open_page(game_url(server, view))
    while look(server, view["id"], drawing=False)["phase"] != "PLACE_FIGURE" or not page.query_selector(
        "#over [data-answer*=city]"
    ):
        version = ready(page)
        places = page.evaluate(PLACES)
        page.keyboard.press("p") if page.query_selector("#hand .pass") else click_place(page, places[0])
        gone_on(page, version)
    version = ready(page)
    city = next(place for place in page.evaluate(PLACES) if "city" in place["answer"])
    click_place(page, city)
    gone_on(page, version)
    ready(page)
    features = httpx.get(f"{server.url}/api/games/{view['id']}/features", timeout=60).json()["features"]
    owned = next(feature for feature in features if feature["owners"])
    x, y = owned["points"][0]
    at = page.evaluate(
        "([x, y]) => { const m = document.querySelector('#drawing').getScreenCTM(); return [m.a * x + m.e, m.d * y + m.f]; }",
        [x, y],
    )
    limit = time.monotonic() + 300
    while page.locator("#feature").is_hidden():  # the features of this version may still be loading
        assert time.monotonic() < limit, "no card comes"
        page.mouse.move(*at)
        page.wait_for_timeout(100)
        at[0] += 0.2
    card = page.inner_text("#feature")
    assert (
        card.lower().startswith("city")
        and ("Ada" if owned["owners"] == [0] else "Ben") in card
        and f"{owned['worth']} point" in card
    )
    page.keyboard.press("o")
    assert page.locator("#over .lit path").count() == len(owned["places"])


def test_undo_against_a_bot(server, open_page):
    view = begin(server, "goldmines", [{"name": "Ada"}, {"bot": "greedy"}])
    page = open_page(game_url(server, view))
    version, question = ready(page), page.inner_text("#question")
    for _ in range(2):
        version = ready(page)
        click_place(page, page.evaluate(PLACES)[0])
        gone_on(page, version)
    version = ready(page)
    page.get_by_role("button", name="Undo").click()
    gone_on(page, version)
    page.get_by_role("button", name="Undo").click()
    until(page, "document.querySelector('#game').dataset.moves === '0'")
    assert page.inner_text("#question") == question and page.locator("#drawing .tile").count() == 1
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_a_bot_that_fails_hands_over(served, open_page, tmp_path):
    """Checks that greedy can take over from a bot that fails, and that a person can take over a bot's seat."""
    own = served(tmp_path, "--bot", "tests.web.bots:Failing")
    page = open_page(game_url(own, begin(own, "base", [{"bot": "tests.web.bots:Failing"}, {"name": "Ben"}])))
    page.get_by_role("button", name="Let greedy take over").click()
    version = ready(page)
    assert (
        page.inner_text("#question").startswith("Your turn: ")
        and page.locator(".player.asked h2").inner_text() == "Ben"
    )
    page.get_by_role("button", name="More").click()
    page.locator("#seats-now select").first.select_option("")
    gone_on(page, version)
    page.keyboard.press("Escape")
    assert look(own, page.url.partition("game=")[2], drawing=False)["players"][0]["bot"] is None


def test_the_wheel_turns_the_tile_and_zooms_the_board(server, open_page):
    page = open_page(game_url(server, begin(server)))
    ready(page)
    label, camera = (
        "document.querySelector('#hand .tile').ariaLabel",
        "document.querySelector('#camera').style.transform",
    )
    before, far = page.evaluate(label), page.evaluate(camera)
    page.hover("#hand .tile")
    page.mouse.wheel(0, 100)
    until(page, f"{label} !== {json.dumps(before)}")
    page.locator("#hand .tile").click()
    page.hover("#board")
    page.mouse.wheel(0, -300)
    until(page, f"{camera} !== {json.dumps(far)}")
    near = page.evaluate(camera)
    page.mouse.down()
    page.mouse.move(500, 500, steps=4)
    page.mouse.up()
    assert page.evaluate(camera) != near and page.evaluate(camera).partition("scale")[2] == near.partition("scale")[2]
    assert page.get_attribute("#game", "data-moves") == "0", "a drag is no click"
    page.keyboard.press("f")
    assert page.evaluate(camera) == far


def test_a_record_with_a_slider(server, open_page, tmp_path):
    game = played("goldmines", 4, lambda game: game.is_over)
    (tmp_path / "games.jsonl").write_text(json.dumps(game.record()) + "\n")
    page = open_page(server.url)
    page.locator(".choice").first.wait_for()
    page.set_input_files("#record-file", tmp_path / "games.jsonl")
    page.wait_for_url("**/?game=*")
    ready(page)
    assert page.inner_text("#final-title").endswith(("wins", "draw"))
    page.get_by_role("button", name="Replay").click()
    slider = page.get_by_role("slider", name="Move", exact=True)
    slider.fill("0")
    until(page, "document.querySelectorAll('#drawing .tile').length === 1")
    page.get_by_role("button", name="One move forward").click()
    until(page, "document.querySelectorAll('#drawing .tile').length === 2")
    slider.fill(str(len(game.moves)))
    until(page, f"document.querySelectorAll('#drawing .tile').length === {len(game.board())}")
    page.get_by_role("button", name="Close the replay").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert carc_env.replay(json.loads(Path(download.value.path()).read_text())) == game


# --- analysis ---------------------------------------------------------------------------------------------------------
def at_answer(page, move):
    """Wait until the replay shows the game after this many moves."""
    until(
        page,
        f"document.querySelector('#game').dataset.moves === '{move}' && document.querySelector('#replay-slider').value === '{move}'",
    )


def analysed(page):
    """Open the replay, and wait until the whole game is analysed."""
    ready(page)
    page.keyboard.press("b")
    page.get_by_role("button", name="Analyse", exact=True).click()
    until(page, "document.querySelector('#worst-lists ol') && document.querySelector('#judging').hidden")


def test_the_replay_judges_the_game(server, open_page):
    game = played("goldmines", 4, lambda game: game.is_over)
    answers = analyse_game(game, "keen")
    page = open_page(game_url(server, load(server, game)))
    analysed(page)
    sums = totals(answers, 2)
    assert page.locator("#worst h3").all_inner_texts() == [
        f"{name} lost {sums[player].lost:.1f} points with {sums[player].answers} moves."
        for player, name in enumerate(("Ada", "Ben"))
    ]
    listed = [
        int(move) for move in page.locator("#worst button").evaluate_all("rows => rows.map(row => row.dataset.move)")
    ]
    assert listed == [answer.move for total in sums for answer in total.worst]
    bars = page.locator("#plot .lost").evaluate_all(
        "bars => bars.map(bar => [Number(bar.dataset.move), bar.height.baseVal.value])"
    )
    lost = {answer.move: answer.lost for answer in answers if answer.lost}
    assert [move for move, _ in bars] == list(lost)
    assert max(bars, key=lambda bar: bar[1])[0] == max(lost, key=lost.get)
    assert page.locator("#plot .margin.lead").count() == 1 and page.locator("#plot .chance").count() == 2


def test_what_happened_follows_the_replay(server, open_page):
    view = load(server, played("goldmines", 4, lambda game: game.is_over))
    page = open_page(game_url(server, view))
    ready(page)
    page.keyboard.press("b")
    for move in (0, view["n_moves"] // 2, view["n_moves"]):
        page.locator("#replay-slider").fill(str(move))
        until(page, f"document.querySelector('#game').dataset.moves === '{move}'")
        moves = httpx.get(f"{server.url}/api/games/{view['id']}/moves/{move}", timeout=60).json()["moves"]
        told = [words for each in moves for words in (each["words"], *(event["words"] for event in each["events"]))]
        assert page.locator("#log li").all_inner_texts() == told[::-1]


def test_the_better_answer_is_shown_at_its_place(server, open_page):
    game = played("goldmines", 4, lambda game: game.is_over)
    page = open_page(game_url(server, load(server, game)))
    analysed(page)
    answers = analyse_game(game, "keen")
    for phase in ("PLACE_TILE", "PLACE_FIGURE"):
        answer = next(
            answer
            for answer in answers
            if answer.lost and answer.lost > 1 and answer.phase == phase and answer.best != "pass"
        )
        page.get_by_role("slider", name="Move", exact=True).fill(str(answer.move))
        at_answer(page, answer.move)
        until(page, "document.querySelector('#over .better')")
        assert page.get_attribute("#over .better", "data-answer") == answer.best
        shown = page.text_content("#over .better .value").replace("−", "-")
        assert shown == f"{answer.best_value:.1f}"
        assert f"Points lost: {answer.lost:.1f}." in page.inner_text("#judged")
        best, board = box_of(page, "#over .better"), box_of(page, "#board")
        assert board["left"] <= best["left"] and best["bottom"] <= board["bottom"], "it is in sight"
    assert page.locator("#over .better use").count() or answer.best.startswith("ingot")
    best = next(answer for answer in answers if not answer.lost)
    page.get_by_role("slider", name="Move", exact=True).fill(str(best.move))
    at_answer(page, best.move)
    until(page, "document.querySelector('#judged').textContent.endsWith('no move was better.')")
    assert not page.locator("#over .better").count()
    page.get_by_role("button", name="Close the replay").click()
    until(page, "document.querySelector('#game').dataset.phase === 'GAME_OVER'")
    assert not page.locator("#over .better").count()


def test_both_moves_are_in_sight_even_if_the_better_one_lies_outside_the_board(server, open_page):
    game = played("goldmines", 4, lambda game: game.is_over)
    page = open_page(game_url(server, load(server, game)))
    analysed(page)
    rows = page.locator("#worst button")
    for number in range(rows.count()):
        rows.nth(number).evaluate("row => row.click()")  # the page may still be scrolling after the last click
        page.locator(f"#worst button >> nth={number}").and_(page.locator("[aria-current=true]")).wait_for()
        for press_fit in (False, True):
            if press_fit:
                page.keyboard.press("f")
            until(page, "!document.querySelector('#camera.moving')")
            board = box_of(page, "#board")
            for each in page.locator("#over .better, #over .given").all():
                box = each.bounding_box()
                assert board["left"] <= box["x"] and box["x"] + box["width"] <= board["right"]
                assert board["top"] <= box["y"] and box["y"] + box["height"] <= board["bottom"]


def test_the_analysis_says_if_the_judge_also_played(server, open_page):
    game = played("base", 4, lambda game: game.is_over)
    page = open_page(game_url(server, load(server, game, seats=[{"name": "Ada"}, {"bot": "keen"}])))
    analysed(page)
    assert page.inner_text("#worst-note").startswith("keen also played in this game. A bot finds few faults")


def test_ways_to_an_answer(server, open_page):
    """A move is reached from the list of the worst moves, by a click on a bar, and by keys on the plot."""
    game = played("goldmines", 4, lambda game: game.is_over)
    page = open_page(game_url(server, load(server, game)))
    analysed(page)
    row = page.locator("#worst button").nth(2)
    row.click()
    at_answer(page, row.get_attribute("data-move"))
    assert page.locator("#worst [aria-current=true]").count() == 1
    bar = page.locator("#plot .lost").nth(4)
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2 + 1, box["y"] + 1)
    move = int(bar.get_attribute("data-move"))
    at_answer(page, move)
    plot = page.get_by_role("slider", name="Expected margin after each move, and points lost by each move")
    plot.focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        at_answer(page, move + step)
    losing = [int(bar.get_attribute("data-move")) for bar in page.locator("#plot .lost").all()]
    page.keyboard.press("PageUp")
    at_answer(page, next(each for each in losing if each > move + 1))
    page.keyboard.press("Home")
    at_answer(page, 0)
    page.keyboard.press("End")
    at_answer(page, len(game.moves))
    assert plot.get_attribute("aria-valuenow") == str(len(game.moves)) and plot.get_attribute(
        "aria-valuetext"
    ).startswith(f"{len(game.moves)} of")
    page.get_by_role("button", name="Close the replay").click()
    row.click()
    at_answer(page, row.get_attribute("data-move"))
    assert page.locator("#replay").is_visible(), "a row of the list opens the replay"


def test_only_finished_games_are_judged_and_an_undo_forgets_it(server, open_page):
    view = load(server, played("base", 4, lambda game: game.is_over))
    page = open_page(game_url(server, view))
    analysed(page)
    version = int(page.get_attribute("#game", "data-version"))
    page.get_by_role("button", name="Close the replay").click()
    page.get_by_role("button", name="Undo").click()
    gone_on(page, version)
    assert not page.locator("#worst").is_visible()
    page.keyboard.press("b")
    page.locator("#replay").wait_for()
    assert (
        not page.locator("#plot").is_visible()
        and not page.get_by_role("button", name="Analyse", exact=True).is_visible()
    )


@pytest.mark.long
def test_judging_by_another_bot_shows_how_far_it_is_and_stops(served, open_page, tmp_path):
    own = served(tmp_path, "--bot", "tests.web.bots:Pausing", "--bot", "tests.web.bots:Tiring")
    page = open_page(game_url(own, load(own, played("base", 4, lambda game: game.is_over))))
    ready(page)
    page.keyboard.press("b")

    def judge(bot):
        page.get_by_role("button", name="More").click()
        page.locator("#hint-bot option", has_text=bot).wait_for(state="attached")
        page.get_by_label("Bot for hints and analysis").select_option(bot)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Analyse", exact=True).click()

    judge("tests.web.bots:Pausing")
    until(page, "document.querySelector('#progress').value === 3")
    assert re.fullmatch(r"3 of \d+ moves judged", page.inner_text("#judging-words"))
    page.get_by_role("button", name="Stop").click()
    until(page, "document.querySelector('#judging').hidden")
    assert page.inner_text("#worst-title") == "Judged by tests.web.bots:Pausing" and page.locator("#plot").is_visible()
    judge("tests.web.bots:Tiring")
    until(page, "document.querySelector('#judging-words').classList.contains('error')")
    assert "failed: KeyError" in page.inner_text("#judging-words") and page.locator("#plot").is_visible()
    judge("greedy")
    until(page, "document.querySelector('#judging').hidden")
    assert page.inner_text("#worst-title") == "Judged by greedy"
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight"), "the page itself does not scroll"


def test_the_analysis_on_a_phone(server, open_page):
    page = open_page(
        game_url(server, load(server, played("everything", 4, lambda game: game.is_over))),
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
    )
    analysed(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    controls = page.locator("#replay button:visible, #worst button:visible, #plot")
    assert controls.count() and controls.evaluate_all(TOO_SMALL) == []
    row = page.locator("#worst button").last
    row.tap()
    at_answer(page, row.get_attribute("data-move"))
    until(page, "scrollY === 0")
    board, card = page.locator("#board").bounding_box(), page.locator("#replay").bounding_box()
    assert (
        board["height"] > 200
        and board["y"] + board["height"] <= card["y"] + 1
        and card["y"] + card["height"] <= PHONE["height"]
    )


def test_the_position_is_copied(server, open_page):
    view = begin(server, "carcassonne")
    page = open_page(game_url(server, view), permissions=["clipboard-read", "clipboard-write"])
    ready(page)
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Copy the position").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert carc_env.Game.from_position(page.evaluate("navigator.clipboard.readText()")).phase.name == "PLACE_TILE"


# --- without a mouse --------------------------------------------------------------------------------------------------
def test_by_keyboard_alone(server, open_page):
    view = begin(server, "expansions")
    page = open_page(game_url(server, view))
    ready(page)
    while page.evaluate("document.activeElement.id") != "board":
        page.keyboard.press("Tab")
    figures = 0
    for _ in range(30):
        version, phase = ready(page), page.get_attribute("#game", "data-phase")
        if phase == "PLACE_TILE" and page.locator("#hand .tile").get_attribute("aria-label").endswith("turn it"):
            before = page.locator("#hand .tile").get_attribute("aria-label")
            page.keyboard.press("r")
            assert page.locator("#hand .tile").get_attribute("aria-label") != before
        if phase == "PLACE_FIGURE":
            page.keyboard.press("2" if page.locator(".figures button").count() > 1 else "1")
        page.keyboard.press("ArrowRight")
        if not page.locator("#over .cursor").count():
            page.keyboard.press("ArrowLeft")
        words = page.inner_text("#live")
        assert re.search(r" \d+ of \d+$", words), words
        page.keyboard.press("Enter")
        gone_on(page, version)
        figures += phase == "PLACE_FIGURE"
    assert figures > 5 and page.locator("#drawing .figure").count() > 3
    version = ready(page)
    page.keyboard.press("u")
    gone_on(page, version)
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_on_a_phone(server, open_page):
    touch = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    view = load(server, played("expansions", 2, lambda game: game.tiles_left < 90 and game.phase.name == "PLACE_TILE"))
    for url in (server.url, game_url(server, view)):
        page = open_page(url, **touch)
        page.wait_for_selector(".choice, #over .place", state="attached")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        controls = page.locator(
            "button:visible, select:visible, a.button:visible, summary:visible, input:visible:not([type=radio], [type=checkbox], [type=file])"
        )
        assert controls.count() and controls.evaluate_all(TOO_SMALL) == []
    version = ready(page)
    place = next(place for place in page.evaluate(PLACES) if place["fits"])
    page.touchscreen.tap(place["x"], place["y"])
    page.wait_for_selector("#over .cursor .ghost", state="attached")
    assert int(page.get_attribute("#game", "data-version")) == version
    page.touchscreen.tap(place["x"], place["y"])
    gone_on(page, version)


@pytest.mark.long
def test_axe_finds_no_fault(server, open_page):
    """In light colours, all rules of axe-core are checked; in dark colours, only the contrast."""
    over = load(server, played("everything", 4, lambda game: game.is_over))
    figure = load(
        server, played("everything", 4, lambda game: game.phase.name == "PLACE_FIGURE" and game.tiles_left < 150)
    )
    for url, keys in (
        (server.url, ""),
        (f"{server.url}/?game=nonsense", ""),
        (game_url(server, figure), "h"),
        (game_url(server, figure), "?"),
        (game_url(server, figure), "more"),
        (game_url(server, over), "b"),
        (game_url(server, over), "analysed"),
    ):
        page = open_page(url, bypass_csp=True)
        page.locator(".choice, #question:not(:empty), #sorry:not([hidden])").first.wait_for(state="attached")
        if keys == "analysed":
            analysed(page)
            page.locator("#worst button").first.click()
        elif keys == "more":
            page.get_by_role("button", name="More").click()
        else:
            for key in keys:
                page.keyboard.press(key)
        assert faults(page) == []


def test_reduced_motion_moves_nothing(server, open_page):
    page = open_page(game_url(server, begin(server)))
    ready(page)
    assert page.evaluate("document.getAnimations().length") == 0
