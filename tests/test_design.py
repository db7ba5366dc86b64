"""The page about the design tells the truth: the system that it makes up is built from it, line by line, and played."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
assert str(game.last_events[0]) == "player 0 scored 1 points from wells"
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
    """By file: (line, what stands there instead), in the order of the page."""
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


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the package with the system."""
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT / "carc_env", folder / "carc_env", ignore=shutil.ignore_patterns("__pycache__"))
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


def test_the_system_on_the_page_can_be_built_and_played(built):
    run = subprocess.run(
        [sys.executable, "-c", PLAYED],
        cwd=built,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(built)},
    )
    assert run.returncode == 0, run.stderr


def test_a_system_costs_few_lines_elsewhere():
    added = sum(
        len((after or "").split("\n")) - (before == (after or "").split("\n")[0])
        for edits in changes().values()
        for before, after in edits
    )
    assert added <= 20 and len(PAGE.splitlines()) < 200
