"""Functions for tests of the page in a browser: begin and load games, find places to click, wait for the page."""

import gzip
import random
import shutil
import time
from pathlib import Path

import httpx

import carc_env

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
AXE = Path(__file__).with_name("axe-core-4.14.1.min.js.gz")
PERSONS = [{"name": "Ada"}, {"name": "Ben"}]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}

# The places on the board that the mouse can click now: the centres of all places that are visible and not covered.
PLACES = """() => [...document.querySelectorAll('#over .place')].map(place => {
  const box = place.querySelector('rect, circle').getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  return {x, y, answer: place.dataset.answer, fits: place.classList.contains('fits'), seen: Boolean(document.elementFromPoint(x, y)?.closest('#board'))};
}).filter(place => place.seen)"""


# Those of the given controls that are too small for a finger.
TOO_SMALL = """found => found.filter(control => {
  const {width, height} = control.getBoundingClientRect();
  return width < 40 || height < 40;
}).map(control => control.outerHTML)"""


def begin(server, config="goldmines", seats=PERSONS, seed=7):
    reply = httpx.post(f"{server.url}/api/games", json={"config": config, "seats": seats, "seed": seed}, timeout=300)
    assert reply.status_code == 201, reply.text
    return reply.json()


def look(server, id, **parameters):
    return httpx.get(f"{server.url}/api/games/{id}", params=parameters, timeout=300).json()


def load(server, game, names=("Ada", "Ben", "Cleo"), seats=None):
    """Load a game on the server. All seats are taken by persons unless `seats` is given. Returns the view."""
    seats = seats or [{"name": name} for name in names[: game.players]]
    return httpx.post(
        f"{server.url}/api/games/load", json={"record": game.record(), "seats": seats}, timeout=300
    ).json()


def played(config, seed, until):
    """Play random actions until the condition `until` is true. Returns the game."""
    game, chance = carc_env.Game(config, seed=seed), random.Random(seed)
    while not until(game):
        game.play(chance.choice(game.legal_actions().tolist()))
    return game


def game_url(server, view):
    return f"{server.url}/?game={view['id']}"


def until(page, condition, seconds=300):
    """Wait until a JavaScript expression is true. The page's security policy forbids Playwright's way of waiting."""
    last = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < last, f"never came: {condition}"
        time.sleep(0.03)  # each check takes processor time that the page needs


def ready(page):
    """Wait until a person has to act on this page, or the game is over. Returns the version that the page shows."""
    until(
        page,
        "document.querySelector('#game').dataset.mine === 'true' || document.querySelector('#game').dataset.phase === 'GAME_OVER'",
    )
    return int(page.get_attribute("#game", "data-version"))


def gone_on(page, version):
    until(page, f"Number(document.querySelector('#game').dataset.version) > {version}")


def box_of(page, selector):
    """Return the position of an element on the screen: `left`, `top`, `right` and `bottom`. The element may be one that
    the page redraws at any time.
    """
    return page.evaluate("selector => document.querySelector(selector).getBoundingClientRect().toJSON()", selector)


def click_place(page, place):
    """Click a place. A place that does not match the tile's rotation or the chosen figure is clicked twice."""
    page.mouse.click(place["x"], place["y"])
    if not place["fits"]:
        page.mouse.click(place["x"], place["y"])


def faults(page):
    """Return the problems that axe-core finds in light colours, and the colour contrast problems in dark colours. The
    page must have been opened with `bypass_csp=True`.
    """
    page.evaluate(gzip.decompress(AXE.read_bytes()).decode())
    found = []
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(300)
        found += page.evaluate(
            "rules => axe.run(rules).then(found => found.violations.map(({id, impact, nodes}) => [impact, id, nodes.slice(0, 3).map(node => node.html.slice(0, 160))]))",
            rules,
        )
    return found
