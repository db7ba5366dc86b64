"""Checks docs/design.md: the example system on the page is built from the page's code blocks and its diff, and then
played.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from carc_env.boxes import layout
from carc_env.observing import encode
from tests.web.browser import CHROMIUM, DESKTOP, PLACES, click_place, game_url, gone_on, look, ready
from tests.web.conftest import Process

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLAYED = """
import carc_env
from carc_env.observing import encode

config = carc_env.GameConfig(boxes=("base", "wells"))
game = carc_env.Game(config, deck=["WE1", "U", "WE1", "E"])
game.play("pass")  # the well has one place only, below the start tile
assert game.phase.name == "DRAW_WATER" and "player 0 may draw water" in str(game), str(game)
assert [game.text(action) for action in game.legal_actions()] == ["draw 0,1", "pass"]
for wrong, said in (("draw 0,0", "player 0 can answer draw 0,1, pass"), ("sell orange 2 abroad", "write 'draw x,y', or 'pass'")):
    try:
        game.play(wrong)
    except carc_env.IllegalAction as error:
        assert said in str(error), error
    else:
        raise AssertionError(f"{wrong} was played")
game.play("draw 0,1")
assert game.scores.tolist() == [1, 0] and game.final_scores()["wells"].tolist() == [1, 0]
assert str(game.last_events[0]) == "player 0 scored 1 point from wells"
assert game.active_player == 1 and game.phase.name == "PLACE_TILE"
copy = carc_env.Game.from_position(game.position(), seed=1)
assert copy.scores.tolist() == [1, 0] and carc_env.replay(game.record()) == game
game.undo()
assert game.phase.name == "DRAW_WATER"

bot = carc_env.make_bot("greedy", seed=1)
whole = carc_env.Game(config, deck=["WE1", "V", "D", "WE1", "U", "E"])
drawn = 0
while not whole.is_over:
    seen = whole.observe(observation="both")
    assert whole.phase.name != "DRAW_WATER" or seen["candidates"][:2, list(encode.COLUMNS).index("asked_water")].all()
    answer = whole.text(bot.choose(whole))
    drawn += answer.startswith("draw")
    whole.play(answer)
assert drawn == 2 <= whole.final_scores()["wells"].sum(), drawn
"""


def blocks(kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE) if name == kind]


def changes() -> dict[str, list[tuple[str, str]]]:
    """Return the changes in the page's diff by file, in the order of the page. Each change is an existing line and the
    text that replaces it.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    (diff,) = blocks("diff")
    for line in diff.splitlines():
        if line.startswith("--- "):
            edits = found[line[4:]] = []
        elif line.startswith("+"):
            edits[-1] = edits[-1][0], f"{edits[-1][1]}\n{line[1:]}" if edits[-1][1] is not None else line[1:]
        else:
            edits.append((line[1:], line[1:] if line.startswith(" ") else None))
    return found


DRAWN = """
import sys
from pathlib import Path

import numpy as np
import carc_env
from carc_env.boxes import layout
from carc_env.envs.single import CarcassonneEnv
from carc_env.observing import encode
from carc_env.render import ansi, png, rgb_array, svg
from carc_env.render.pieces import SIGNS, plain_sign
from carc_env.terminal.menu import legal_answers, menu_of

config = carc_env.GameConfig(boxes=("base", "wells"))
game = carc_env.Game(config, deck=["WE1", "U", "WE1", "E"])
game.play("pass")
folder = Path(sys.argv[1])
(folder / "well.svg").write_text(svg(game))
(folder / "well.png").write_bytes(png(game, width=900))
assert 'href="#well"' in svg(game) and '<g id="well">' in svg(game) and SIGNS["well"]() != plain_sign("well")
picture = rgb_array(game)
assert picture.shape == (600, 800, 3) and (picture == (0x6F, 0xA9, 0xC9)).all(2).sum() > 20, "no water is seen"
lines = ansi(game).splitlines()
assert "     ...o..." in lines and lines[-1] == "o well", lines
assert [entry.cell for entry in menu_of(game, legal_answers(game)).entries] == [(0, 1), None]

# a learner sees the question, the tile and what follows
assert (layout.VERSION, layout.ROWS_VERSION) == tuple(int(number) + 1 for number in sys.argv[2:4])
assert encode.layout_hash() != sys.argv[4] and encode.layout_hash("candidates") != sys.argv[5]
env = CarcassonneEnv(config, observation="both", opponent="random")
asked, of_well = list(env.layout.globals).index("phase_draw_water"), list(encode.COLUMNS).index("asked_water")
seen, info = env.reset(seed=1, options={"deck": ["WE1", "V", "WE1", "U", "E", "WE1"]})
over, steps = False, 0
while not over:
    assert env.observation_space.contains(seen)
    legal = np.flatnonzero(info["action_mask"])
    if seen["globals"][asked]:
        steps += 1
        assert len(legal) == 2 and (seen["candidates"][:2, of_well] == 1).all()
    seen, _, over, _, info = env.step(int(legal[0]))
assert steps, "no well was asked about"
"""
POOR = """
import carc_env
from carc_env.render import ansi, rgb_array, svg
from carc_env.render.pieces import SIGNS, plain_sign
from carc_env.web.view import game_view, tile_svg

game = carc_env.Game(carc_env.GameConfig(boxes=("base", "wells")), deck=["WE1", "U", "WE1", "E"])
game.play("pass")
view = game_view(game, [{"name": "Ada", "bot": None}, {"name": "Ben", "bot": None}])
assert [(answer["how"], answer["words"]) for answer in view["answers"]] == [("button", "draw 0,1"), ("button", "leave the water")]
assert view["answers"][0]["point"] is not None and SIGNS["well"]() == plain_sign("well")
assert plain_sign("well") in svg(game) and plain_sign("well") in tile_svg("WE1") and rgb_array(game).shape == (600, 800, 3)
assert "?" in ansi(game)
"""
RECORD = """
import json
import carc_env

game = carc_env.Game(carc_env.GameConfig(boxes=("base", "wells")), deck=["WE1", "U", "WE1", "E"])
game.play("pass")
print(json.dumps(game.record()))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Make a copy of the package, add the example system of the page to it, and return the folder."""
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT / "carc_env", folder / "carc_env", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for text in blocks("toml") + blocks("python"):
        name, rest = text.removeprefix("# ").split("\n", 1)
        assert not (folder / name).exists()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(rest, encoding="utf-8")
    for name, edits in changes().items():
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        for before, after in edits:
            assert lines.count(before) == 1, f"{name}: {before!r} stands there {lines.count(before)} times"
            lines[lines.index(before)] = after
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return folder


def ran(built, program, *words):
    """Run a program with the copy of the package, without the compiler, and return what it prints."""
    command, env = [sys.executable, "-c", program, *map(str, words)], surroundings(built)
    run = subprocess.run(command, cwd=built, capture_output=True, text=True, timeout=300, env=env)
    assert run.returncode == 0, run.stderr
    return run.stdout


def surroundings(built):
    return os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(built)}


def test_the_system_on_the_page_can_be_built_and_played(built):
    ran(built, PLAYED)


def test_it_is_drawn_and_seen_by_a_learner_and_raises_the_version(built, tmp_path):
    hashes = encode.layout_hash(), encode.layout_hash("candidates")
    ran(built, DRAWN, tmp_path, layout.VERSION, layout.ROWS_VERSION, *hashes)
    assert (tmp_path / "well.png").read_bytes().startswith(b"\x89PNG")


def test_a_system_without_signs_and_places_is_drawn_too(built, tmp_path):
    """Checks that the symbol of such a system is a disc with a letter, and that its action is a button with the
    action's text.
    """
    poor = tmp_path / "poor"
    shutil.copytree(built, poor, ignore=shutil.ignore_patterns("__pycache__"))
    words = poor / "carc_env" / "systems" / "wells" / "words.py"
    text = words.read_text(encoding="utf-8").replace("    signs = SIGNS\n", "")
    for method in ("place", "in_words"):
        text = re.sub(rf"    def {method}\(.*?\n\n", "", text, flags=re.DOTALL)
    words.write_text(text, encoding="utf-8")
    ran(poor, POOR)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
def test_it_is_answered_on_the_page(built, tmp_path):
    """Checks in a browser that the well is drawn on its tile, and that a click on this tile draws the water."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    server = Process(tmp_path, cwd=built, env=surroundings(built))
    try:
        record = json.loads(ran(built, RECORD))
        seats = [{"name": "Ada"}, {"name": "Ben"}]
        body = {"record": record, "seats": seats}
        view = httpx.post(f"{server.url}/api/games/load", json=body, timeout=300).json()
        assert view["question"] == "Ada may draw water" and view["answers"][0]["words"] == "draw water on 0,1"
        with playwright.sync_playwright() as started:
            browser = started.chromium.launch(executable_path=CHROMIUM, timeout=180_000)
            page, wrong = browser.new_page(viewport=DESKTOP, reduced_motion="reduce"), []
            page.set_default_timeout(300_000)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.goto(game_url(server, view))
            version = ready(page)
            assert page.inner_text("#hand .pass").startswith("Leave the water")
            assert page.evaluate("document.querySelectorAll('#drawing use[href=\"#tile-WE1-0\"]').length") == 1
            assert page.evaluate('document.querySelectorAll(\'[id="tile-WE1-0"] use[href="#well"]\').length') == 1
            place = next(place for place in page.evaluate(PLACES) if place["answer"] == "draw 0,1")
            page.screenshot(path=tmp_path / "page.png")
            click_place(page, place)
            gone_on(page, version)
            browser.close()
        after = look(server, view["id"])
        assert after["phase"] == "PLACE_TILE" and after["players"][0]["score"] == 1 and not wrong
        assert after["moves"][-1]["words"] == "Ada: draw water on 0,1"
    finally:
        server.kill()


def test_a_system_costs_few_lines_elsewhere():
    added = sum(
        len((after or "").split("\n")) - (before == (after or "").split("\n")[0])
        for edits in changes().values()
        for before, after in edits
    )
    assert added <= 20 and f"also needs {added} lines in existing files" in PAGE and len(PAGE.splitlines()) < 250
