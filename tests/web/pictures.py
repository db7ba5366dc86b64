"""Draw the pictures in docs/page.md, and measure how fast the page shows a move: `python -m tests.web.pictures`.

This needs Chromium. The positions are from games that greedy plays against itself. Every run draws the same pictures,
except for small differences due to animations.
"""

import io
import statistics
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import carc_env
from carc_env.bots import make
from tests.web.browser import CHROMIUM, DESKTOP, PHONE, PLACES, click_place, game_url, gone_on, load, ready
from tests.web.conftest import Process

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("Anna", "Ben")
PICTURES = {  # name: preset, seed, tiles left, decision, options of the browser, keys to press
    "page": ("expansions", 4, 92, "PLACE_TILE", {"viewport": DESKTOP}, "o"),
    "page_dark": ("carcassonne", 4, 60, "PLACE_TILE", {"viewport": DESKTOP, "color_scheme": "dark"}, "h"),
    "page_phone": (
        "goldmines",
        4,
        48,
        "PLACE_FIGURE",
        {"viewport": PHONE, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
        "",
    ),
}


SHOWN_BY = {"o": "#feature:not([hidden])", "h": "#over .hint"}  # what each key shows


def position(preset: str, seed: int, tiles_left: int, question: str) -> carc_env.Game:
    """Return a game of greedy against itself, at the first such decision with at most `tiles_left` tiles left."""
    game, greedy = carc_env.Game(preset, seed=seed), make("greedy")
    while game.tiles_left > tiles_left or game.phase.name != question:
        game.play(greedy.choose(game))
    return game


def save(page: Page, path: Path) -> None:
    """Save the visible part of a page as a small PNG."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    print(f"{path.name}: {picture.width} x {picture.height}, {path.stat().st_size} bytes")


def measure(page: Page, moves: int) -> None:
    """Make moves by clicks. Prints how many milliseconds after each click the page showed the move, and how many of
    them the server and the page took.
    """
    for _ in range(moves):
        version = ready(page)
        places = [place for place in page.evaluate(PLACES) if place["fits"]]
        click_place(page, places[0]) if places else page.keyboard.press("p")
        gone_on(page, version)
        page.wait_for_timeout(400)
    for name in ("move shown", "server", "page"):
        found = page.evaluate("name => performance.getEntriesByName(name).map(entry => entry.duration)", name)
        print(f"{name}: median {statistics.median(found):.0f} ms, longest {max(found):.0f} ms of {len(found)}")


def frames(page: Page) -> None:
    """Drag the board for two seconds. Prints how long a frame took."""
    page.evaluate("""() => { window.frames = []; let last = performance.now();
        const next = now => { window.frames.push(now - last); last = now; requestAnimationFrame(next); }; requestAnimationFrame(next); }""")
    page.mouse.move(600, 400)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(600 + 2 * (step % 60), 400 + step)
        page.wait_for_timeout(16)
    page.mouse.up()
    found = page.evaluate("window.frames")
    print(
        f"dragging: a frame takes {statistics.median(found):.0f} ms, the 99th of 100 {sorted(found)[int(0.99 * len(found))]:.0f} ms"
    )


def picture(
    server: Process,
    browser: Browser,
    name: str,
    preset: str,
    seed: int,
    left: int,
    question: str,
    options: dict,
    keys: str,
) -> None:
    """Draw one of PICTURES."""
    page = browser.new_context(reduced_motion="reduce", **options).new_page()
    page.goto(game_url(server, load(server, position(preset, seed, left, question), NAMES)))
    ready(page)
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_selector(SHOWN_BY[key], state="attached")
    page.wait_for_timeout(1000)
    save(page, DOCS / f"{name}.png")


def main() -> None:
    """Draw the pictures and measure the page. Without Chromium, only print a message."""
    if CHROMIUM is None:
        return print("there is no chromium: the pictures of the page stay as they are")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        server, browser = Process(Path(folder)), started.chromium.launch(executable_path=CHROMIUM)
        try:
            for name, wanted in PICTURES.items():
                picture(server, browser, name, *wanted)
            page = browser.new_context(viewport=DESKTOP).new_page()
            page.goto(game_url(server, load(server, position("everything", 4, 48, "PLACE_TILE"))))
            measure(page, 25)
            frames(page)
        finally:
            server.kill()
            browser.close()


if __name__ == "__main__":
    main()
