"""Tests of games between several people, each in a browser of their own: links, watching, undo requests, messages,
clocks, rematches, the list of games, and games between bots that a person watches.
"""

from itertools import pairwise

import pytest

from tests.web.browser import PLACES, begin, click_place, faults, game_url, gone_on, load, played, ready, until
from tests.web.conftest import Process

VERSION = "Number(document.querySelector('#game').dataset.version)"


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A server that listens on all addresses, so that the seats have tokens. The tests use it at 127.0.0.1."""
    process = Process(tmp_path_factory.mktemp("far"), "--host", "0.0.0.0")
    process.url = f"http://127.0.0.1:{process.url.rpartition(':')[2]}"
    yield process
    process.kill()


def begun(open_page, far, clock="", **options):
    """Begin a game between Ada and Ben with the form. Returns Ada's page, Ben's link, and the link for watching."""
    page = open_page(far.url, **options)
    page.get_by_label("Base game").check()
    page.get_by_label("Name of player 1").fill("Ada")
    page.get_by_label("Name of player 2").fill("Ben")
    page.get_by_label("Who plays Blue").select_option("")
    page.get_by_label("Clock").select_option(clock)
    page.get_by_label("Seed").fill("5")  # if the first tile had only one place, it would be placed automatically
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/?game=*")
    ready(page)
    link = page.get_by_role("link", name="Link for Ben").get_attribute("href")
    page.get_by_role("button", name="More").click()
    watching = page.get_by_role("link", name="Only to watch").get_attribute("href")
    page.keyboard.press("Escape")
    return page, link, watching


def settled(page):
    """Wait until the page shows a view, whoever has to act. Returns its version."""
    until(page, "document.querySelector('#game').dataset.version")
    return page.evaluate(VERSION)


def joined(open_page, link, ada, **options):
    """Open Ben's link, and wait until Ada's page shows that he has sat down. Returns Ben's page."""
    ben = open_page(link, **options)
    settled(ben)
    until(ada, "document.querySelector('#talk-lines').textContent.includes('Ben has sat down.')")
    return ben


def answer(page, *others):
    """Choose the first place, or pass. Wait until the page and the other pages show the move."""
    version = ready(page)
    places = page.evaluate(PLACES)
    click_place(page, places[0]) if places else page.keyboard.press("p")
    for each in (page, *others):
        gone_on(each, version)


def play_until_asked(ada, ben):
    """Let Ada act until Ben has to act."""
    while ada.get_attribute("#game", "data-mine") == "true":
        answer(ada, ben)
    ready(ben)


# --- links ------------------------------------------------------------------------------------------------------------
def test_a_link_claims_a_seat_and_the_beginner_gives_it_up(far, open_page):
    ada, link, watching = begun(open_page, far)
    version = settled(ada)
    ben = open_page(link)
    gone_on(ada, version)
    settled(ben)
    assert "token" not in ben.url and not ben.evaluate(PLACES)
    assert ben.locator(".player >> nth=1").inner_text().split()[:2] == ["Ben", "you"]
    assert ada.locator(".player >> nth=0").inner_text().split()[:4] == ["Ada", "you,", "to", "play"]
    assert ada.locator("#invite").is_hidden() and "Ben has sat down." in ada.inner_text("#talk-lines")
    assert ada.inner_text("#question").startswith("Your turn: place ") and ada.title().startswith("● Your turn")
    assert ben.inner_text("#question").startswith("Ada places ") and "Your turn" not in ben.title()
    icon = "document.querySelector('link[rel=icon]').getAttribute('href')"
    assert (ada.evaluate(icon), ben.evaluate(icon)) == ("icon-turn.svg", "icon.svg")
    play_until_asked(ada, ben)
    assert not ada.evaluate(PLACES) and ben.evaluate(PLACES)
    assert (ada.evaluate(icon), ben.evaluate(icon)) == ("icon.svg", "icon-turn.svg")
    late, cleo = open_page(link), open_page(watching)
    for page in (late, cleo):
        settled(page)
        assert not page.evaluate(PLACES) and page.get_by_role("button", name="Undo").is_disabled()
        assert page.locator("#talk-form").is_hidden()
    assert "You can only watch" in late.inner_text("#notice")
    answer(ben, ada, late, cleo)
    ben.reload()
    settled(ben)
    assert ben.locator(".player >> nth=1").inner_text().split()[:2] == ["Ben", "you,"] or "you" in ben.inner_text(
        ".player >> nth=1"
    )


def test_a_link_opened_in_a_tab_on_the_game(far, open_page):
    ada, link, watching = begun(open_page, far)
    ben = open_page(watching)
    settled(ben)
    assert "you" not in ben.inner_text("#players-now")
    ben.evaluate("address => { location.href = address; }", link)
    ben.locator(".player small", has_text="you").wait_for()
    assert "token" not in ben.url


def test_without_a_link_the_table_is_closed(far, open_page):
    ada, *_ = begun(open_page, far)
    page = open_page(ada.url)
    page.get_by_role("heading", name="You have no access to this game").wait_for()
    page.get_by_role("link", name="To the games").click()
    page.get_by_role("heading", name="New game").wait_for()


def test_no_such_game(server, open_page):
    page = open_page(f"{server.url}/?game=nonsense")
    page.get_by_role("heading", name="Game not found").wait_for()
    assert page.locator("#game").is_hidden() and page.locator("#lost").is_hidden()
    page.get_by_role("link", name="To the games").click()
    page.get_by_role("heading", name="New game").wait_for()


def test_a_game_that_is_deleted_says_so(far, open_page):
    ada, link, _ = begun(open_page, far)
    ben = joined(open_page, link, ada)
    home = open_page(far.url, context=ada.context)
    home.on("dialog", lambda dialog: dialog.accept())
    home.get_by_role("button", name="Delete").first.click()
    ben.get_by_role("heading", name="Game not found").wait_for()


# --- at the table -----------------------------------------------------------------------------------------------------
def test_undo_asks_the_other(far, open_page):
    ada, link, _ = begun(open_page, far)
    ben = joined(open_page, link, ada)
    play_until_asked(ada, ben)
    moves = ada.get_attribute("#game", "data-moves")
    ada.get_by_role("button", name="Undo").click()
    ada.get_by_text("Waiting for Ben").wait_for()
    ben.get_by_role("button", name="No", exact=True).click()
    until(ada, "document.querySelector('#wish').hidden")
    assert (
        "refused the undo request" in ada.inner_text("#talk-lines")
        and ada.get_attribute("#game", "data-moves") == moves
    )
    ada.get_by_role("button", name="Undo").click()
    ben.get_by_role("button", name="Agree").click()
    until(ada, f"document.querySelector('#game').dataset.moves !== '{moves}'")
    told = "The tiles and chips that were revealed after this move go back and are drawn again at random."
    until(ben, f"document.querySelector('#talk-lines').textContent.includes({told!r})")


def test_a_message_keeps_what_is_chosen(far, open_page):
    """A message is shown to the other player without changing what this player has selected."""
    ada, link, _ = begun(open_page, far)
    ben = joined(open_page, link, ada)
    ready(ada)
    ada.locator("#board").focus()
    ada.keyboard.press("ArrowRight")
    cursor = ada.get_attribute("#over .cursor", "data-answer")
    ben.get_by_label("Message", exact=True).fill("Take your time")
    ben.get_by_role("button", name="Send").click()
    ada.locator("#talk-lines li >> nth=0").get_by_text("Ben: Take your time", exact=True).wait_for()
    version = settled(ada)
    assert ada.get_attribute("#over .cursor", "data-answer") == cursor
    until(ben, "document.querySelector('#talk-text').value === ''")
    ada.keyboard.press("Enter")
    gone_on(ada, version)


def test_clocks(far, open_page):
    ada, link, _ = begun(open_page, far, clock="5")
    ben = joined(open_page, link, ada)
    times = "[...document.querySelectorAll('.clock')].map(clock => clock.textContent)"
    until(ben, f"({times})[0].startsWith('5:') === false")
    assert ben.evaluate(times)[1] == "5:00"


def test_leaving(far, open_page):
    ada, link, _ = begun(open_page, far)
    ben = open_page(link)
    version = settled(ben)
    ben.on("dialog", lambda dialog: dialog.accept())
    ben.get_by_role("button", name="More").click()
    ben.get_by_role("button", name="Leave the table").click()
    gone_on(ada, version)
    assert "greedy takes over from Ben." in ada.inner_text("#talk-lines")
    assert "greedy" in ada.inner_text(".player >> nth=1")


def test_a_rematch_with_seats_turned(server, open_page):
    page = open_page(game_url(server, load(server, played("base", 4, lambda game: game.is_over))))
    ready(page)
    assert page.get_by_role("button", name="Analyse the game").is_visible()
    assert page.get_by_role("link", name="Download the record").is_visible()
    before = page.url
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: url != before)
    ready(page)
    assert page.locator(".player h2").all_inner_texts() == ["Ben", "Ada"]
    page.goto(before)
    page.get_by_role("button", name="To the rematch").wait_for()


def test_the_list_of_games(far, open_page):
    """The list shows a person's own games with their dates, and whose turn it is."""
    ada, link, _ = begun(open_page, far)
    ben = joined(open_page, link, ada)
    for page, turn in ((ada, True), (ben, False)):
        home = open_page(far.url, context=page.context)
        home.get_by_role("heading", name="Your games").wait_for()
        rows = home.locator("#games li")
        assert rows.count() == 1 and "Base game" in rows.inner_text() and ("your turn" in rows.inner_text()) == turn
        assert "20" in rows.locator("small").inner_text() and "Ada 0, Ben 0" in rows.inner_text()
    stranger = open_page(far.url)
    stranger.get_by_text("There are no games yet.").wait_for()


MANY = """([id, tokens, watcher, beginner, day]) => {
    const old = { seats: { 0: { token: "x".repeat(32), claims: 0 } }, watcher: "y".repeat(32), beginner: "z".repeat(32), at: "/" };
    const unlike = (number) => JSON.parse(JSON.stringify(old).replaceAll(/(x|y|z){4}/g, `$1${String(number).padStart(3, "0")}`));
    for (let number = 0; number < 100; number++) localStorage.setItem(`carc game ${String(number).padStart(16, "o")}`, JSON.stringify({ ...unlike(number), opened: Date.now() - 40 * day }));
    localStorage.setItem("carc game lately----------", JSON.stringify({ ...unlike(100), opened: Date.now() - day }));
    localStorage.setItem("carc game another-server--", JSON.stringify({ ...unlike(101), at: "/b/", opened: 0 }));
    const seats = Object.fromEntries(tokens.map((token, seat) => [seat, { token, claims: 0 }]));
    localStorage.setItem(`carc game ${id}`, JSON.stringify({ seats, watcher, beginner, opened: Date.now() - 50 * day, at: "/" }));
}"""


def test_very_many_games_are_listed_with_short_headers(far, open_page):
    """The tokens are sent in several requests, because proxies accept headers of only 8 kB. Games that no longer exist
    are forgotten, unless they were opened in the last 30 days or belong to another server.
    """
    view, sent = begin(far, "base"), []
    page = open_page(far.url)
    page.get_by_text("There are no games yet.").wait_for()
    page.evaluate(MANY, [view["id"], view["tokens"], view["watcher"], view["beginner"], 86400e3])
    page.on("request", lambda request: sent.append((request.method, request.url, request.all_headers())))
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    row = page.locator("#games li")
    row.get_by_text("Base game").wait_for()
    assert row.count() == 1 and "Your games" in page.inner_text("#games")
    tokens = [
        (method, url.removeprefix(far.url), headers.get("authorization", "Bearer ")[7:].split(","))
        for method, url, headers in sent
    ]
    listing = [each for _, path, each in tokens if path == "/api/games"]
    assert (
        len(listing) == 3
        and max(map(len, listing)) <= 128
        and len({token for each in listing for token in each}) == 3 * 101 + 4
    )
    assert all(each == [""] for _, path, each in tokens if path != "/api/games")
    known = "Object.keys(localStorage).filter(key => key.startsWith('carc game ')).map(key => key.slice(10)).sort()"
    until(page, f"{known}.length === 3")
    assert page.evaluate(known) == sorted([view["id"], "lately----------", "another-server--"])
    row.get_by_role("button", name="Delete").click()
    page.get_by_text("There are no games yet.").wait_for()
    (deleting,) = (request for request in sent if request[0] == "DELETE")
    own = {*view["tokens"], view["watcher"], view["beginner"]}
    assert set(deleting[2]["authorization"].removeprefix("Bearer ").split(",")) == own


def test_finished_games_are_listed_apart(server, open_page):
    running, over = begin(server, "base"), load(server, played("base", 4, lambda game: game.is_over))
    page = open_page(game_url(server, running))
    ready(page)
    page.goto(game_url(server, over))
    ready(page)
    page.goto(server.url)
    page.get_by_role("heading", name="Your games").wait_for()
    titles = page.locator("#games h3").all_inner_texts()
    assert titles[:2] == ["Your games", "Your finished games"]
    assert page.locator("#games section").first.locator("a").get_attribute("href") == f"?game={running['id']}"


def test_a_notification_when_it_is_the_own_turn(far, open_page):
    ada, link, _ = begun(open_page, far)
    ben = joined(open_page, link, ada)
    ben.evaluate("""() => {
        window.told = [];
        window.Notification = class extends EventTarget {
            static permission = "default";
            static async requestPermission() { return Notification.permission = "granted"; }
            constructor(title, { body }) { super(); window.told.push([title, body]); }
        };
    }""")
    ben.get_by_role("button", name="More").click()
    ben.get_by_role("button", name="Notify me when it is my turn").click()
    ben.locator("#notify[aria-pressed=true]").wait_for()
    ben.keyboard.press("Escape")
    ben.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    while ada.get_attribute("#game", "data-mine") == "true":
        answer(ada, ben)
    until(ben, "window.told.length > 0")
    title, body = ben.evaluate("window.told[0]")
    assert title == "Your turn" and body.startswith("Ben ")


@pytest.mark.long
def test_axe_finds_no_fault_at_a_table(far, open_page):
    ada, link, _ = begun(open_page, far, bypass_csp=True)
    assert faults(ada) == []
    ben = joined(open_page, link, ada, bypass_csp=True)
    play_until_asked(ada, ben)
    ada.get_by_role("button", name="Undo").click()
    ben.get_by_role("button", name="Agree").wait_for()
    assert faults(ben) == []
    ada.get_by_role("button", name="More").click()
    assert faults(ada) == []


# --- the form ---------------------------------------------------------------------------------------------------------
def test_nothing_typed_is_lost_and_the_last_choice_comes_back(server, open_page):
    page = open_page(server.url)
    page.locator("#players").select_option("4")
    for number, name in enumerate(("Ada", "Ben", "Cleo"), 1):
        page.get_by_label(f"Name of player {number}").click()
        page.keyboard.type(name)
    assert page.evaluate("document.activeElement.ariaLabel") == "Name of player 3"
    page.get_by_label("Who plays Yellow").select_option("level:2")
    page.get_by_label("Base game").check()
    page.locator("#players").select_option("2")
    page.locator("#players").select_option("3")
    names = "[...document.querySelectorAll('#seat-list input')].filter(input => input.offsetParent).map(input => input.value)"
    assert page.evaluate(names) == ["Ada", "Ben", "Cleo"]
    page.reload()
    page.get_by_label("Base game").wait_for()
    until(page, f"{names}.length === 3")
    assert page.evaluate(names) == ["Ada", "Ben", "Cleo"] and page.get_by_label("Base game").is_checked()
    assert page.get_by_label("Who plays Yellow").input_value() == "level:2"


def test_presets_show_pictures_and_how_long_they_take(server, open_page):
    page = open_page(server.url)
    page.locator(".choice img").first.wait_for()
    until(page, "[...document.querySelectorAll('.choice img')].every(image => image.complete)")
    assert (
        page.evaluate("[...document.querySelectorAll('.choice img')].filter(image => !image.naturalWidth).length") == 0
    )
    long = page.locator(".choice .long").all_inner_texts()
    assert "72 tiles, about 25 minutes" in long and len(long) == 7


# --- games between bots -----------------------------------------------------------------------------------------------
BOTS = [{"name": "Ada"}, {"bot": "greedy"}, {"bot": "random"}, {"bot": "greedy"}]
SHOWN = """() => { window.shown = []; new MutationObserver(() => window.shown.push([document.querySelector('#game').dataset.version, performance.now()]))
  .observe(document.querySelector('#game'), { attributeFilter: ['data-version'] }); }"""


def test_the_pace_of_bots_is_kept(server, open_page):
    page = open_page(game_url(server, begin(server, "base", BOTS, 5)), pace="quick")
    ready(page)
    page.evaluate(SHOWN)
    while page.get_attribute("#game", "data-mine") == "true":
        answer(page)
    ready(page)
    times = [time for _, time in page.evaluate("window.shown")]
    gaps = [b - a for a, b in pairwise(times)]
    assert len([gap for gap in gaps if gap > 175]) >= 3, gaps  # of 350 ms, minus the time for showing the move
    page.get_by_role("button", name="More").click()
    page.get_by_label("Pace of the bots").select_option("at once")
    page.reload()
    ready(page)
    page.get_by_role("button", name="More").click()
    assert page.get_by_label("Pace of the bots").input_value() == "at once"


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_tiles_slide_in_and_figures_step_on_where_motion_is_wished_for(server, open_page, motion):
    page = open_page(game_url(server, begin(server, "base", seed=5)), pace="slow", reduced_motion=motion)
    ready(page)
    page.evaluate("""() => { window.moved = []; const plain = Element.prototype.animate; Element.prototype.animate = function (...words) {
      window.moved.push(this.closest("[data-layer]")?.dataset.layer ?? this.className); return plain.apply(this, words); }; }""")
    while page.get_attribute("#game", "data-phase") != "PLACE_FIGURE":
        answer(page)
    page.wait_for_timeout(800)  # the board moves first, so that the places are easy to tell apart
    answer(page)
    moved = page.evaluate("window.moved")
    assert moved[:2] == ["tiles", "figures"] if motion == "no-preference" else moved == []


def test_points_fly_and_figures_go_home(server, open_page):
    game = played("base", 3, scores_soon)
    page = open_page(game_url(server, load(server, game)), pace="slow", reduced_motion="no-preference")
    ready(page)
    version = page.evaluate(VERSION)
    page.evaluate(
        "() => { window.flown = []; new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => node.className === 'flying' && window.flown.push(node.textContent)))).observe(document.body, { childList: true }); }"
    )
    page.locator("#answer-list").evaluate("list => { list.parentElement.open = true; }")
    page.locator("#answer-list button").nth(answer_that_scores(game)).dispatch_event("click")
    gone_on(page, version)
    until(page, "window.flown.length > 0")
    assert all(words.startswith("+") for words in page.evaluate("window.flown"))
    until(page, "document.querySelectorAll('.flying, #leaving > *').length === 0")


def test_ingots_go_to_who_takes_them(server, open_page):
    game = played("goldmines-c1", 1, lambda game: game.phase.name == "TAKE_INGOT")
    page = open_page(game_url(server, load(server, game)), pace="slow", reduced_motion="no-preference")
    version = ready(page)
    page.evaluate("""() => { window.left = []; new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => window.left.push(node.outerHTML))))
      .observe(document.querySelector('#leaving'), { childList: true }); }""")
    page.wait_for_timeout(600)  # the board moves first, so that all places are visible
    click_place(page, page.evaluate(PLACES)[0])
    gone_on(page, version)
    until(page, "window.left.length > 0")
    until(page, "document.querySelectorAll('#leaving > *').length === 0")


def answer_that_scores(game):
    """Return the index of the first legal action that scores points, or None if there is none."""
    for number, action in enumerate(game.legal_actions().tolist() if not game.is_over else []):
        after = game.clone()
        after.play(action)
        if any(getattr(event, "points", 0) for event in after.last_events):
            return number
    return None


def scores_soon(game):
    return game.phase.name == "PLACE_FIGURE" and len(game.board()) > 8 and answer_that_scores(game) is not None


def test_the_last_turn_again(server, open_page):
    page = open_page(game_url(server, begin(server, "base", BOTS, 5)))
    while page.get_attribute("#game", "data-moves") in (None, "0", "1", "2"):
        answer(page)
        ready(page)
    moves = page.get_attribute("#game", "data-moves")
    page.evaluate("""() => { window.looked = []; new MutationObserver(() => window.looked.push(Number(document.querySelector('#game').dataset.moves)))
      .observe(document.querySelector('#game'), { attributeFilter: ['data-moves'] }); }""")
    page.evaluate("""() => { window.opened = false; new MutationObserver(() => window.opened ||= !document.querySelector('#replay').hidden)
      .observe(document.querySelector('#replay'), { attributeFilter: ['hidden'] }); }""")
    page.get_by_role("button", name="Again").click()
    until(page, "window.opened && document.querySelector('#replay').hidden")
    ready(page)
    looked = page.evaluate("window.looked")
    assert page.get_attribute("#game", "data-moves") == moves and len(set(looked)) >= 3
