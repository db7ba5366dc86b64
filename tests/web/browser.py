"""What tests of the page in a browser share: games to show, places to click, and waiting for what is shown."""

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

# Where the mouse may click on the board now: the middle of each place that can be seen and is covered by nothing.
PLACES = """() => [...document.querySelectorAll('#over .place')].map(place => {
  const box = place.querySelector('rect, circle').getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  return {x, y, answer: place.dataset.answer, fits: place.classList.contains('fits'), seen: Boolean(document.elementFromPoint(x, y)?.closest('#board'))};
}).filter(place => place.seen)"""


# Controls, of those found, that a finger misses.
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
    """A table at which a game goes on, all seats taken by persons unless others are given."""
    seats = seats or [{"name": name} for name in names[: game.players]]
    return httpx.post(
        f"{server.url}/api/games/load", json={"record": game.record(), "seats": seats}, timeout=300
    ).json()


def played(config, seed, until):
    """A game of random answers up to where something holds."""
    game, chance = carc_env.Game(config, seed=seed), random.Random(seed)
    while not until(game):
        game.play(chance.choice(game.legal_actions().tolist()))
    return game


def game_url(server, view):
    return f"{server.url}/?game={view['id']}"


def until(page, condition, seconds=300):
    """Wait until an expression of JavaScript is true; Playwright's own way of waiting is against the page's security
    policy.
    """
    last = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < last, f"never came: {condition}"
        time.sleep(0.03)  # asking takes processor time that the page needs


def ready(page):
    """Wait until a person is asked, or the game is over. Returns the version shown."""
    until(
        page,
        "document.querySelector('#game').dataset.mine === 'true' || document.querySelector('#game').dataset.phase === 'GAME_OVER'",
    )
    return int(page.get_attribute("#game", "data-version"))


def gone_on(page, version):
    until(page, f"Number(document.querySelector('#game').dataset.version) > {version}")


def box_of(page, selector):
    """Where an element lies on the screen, by `left`, `top`, `right` and `bottom`; of what may be drawn anew at any
    time.
    """
    return page.evaluate("selector => document.querySelector(selector).getBoundingClientRect().toJSON()", selector)


def click_place(page, place):
    """Click a place; one that does not fit yet is clicked twice."""
    page.mouse.click(place["x"], place["y"])
    if not place["fits"]:
        page.mouse.click(place["x"], place["y"])


def faults(page):
    """What axe-core finds wrong, in light colours, and in dark ones of the colours. The page must bypass its policy."""
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
