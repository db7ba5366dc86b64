"""What the pages show runs: Python, the commands, and the files they write down.

A page is played through from top to bottom in a folder of its own:

- Python blocks run one after the other, in one namespace. One that begins with a comment with a file's name is that
  file too.
- A TOML block that begins with a comment with a file's name is that file, and `carc check` must accept it, or training
  for one called so.
- Lines of `sh` blocks that begin with `carc` are carried out; what would take long only has its words checked.
- A block marked `text` is what the Python or the commands before it print.
"""

import dataclasses
import importlib.util
import json
import re
import shlex
from pathlib import Path

import gymnasium
import pytest

import carc_env
from carc_env.arena.check_files import check_file
from carc_env.bots import make
from carc_env.boxes.tiles import BOX_NAMES, library
from carc_env.commands.cli import main, parser
from carc_env.compiling import jit
from carc_env.envs import gpu
from carc_env.setup.config import SHEET
from training.config import TrainConfig

ROOT = Path(__file__).parent.parent
ELSEWHERE = {
    "docs/protocol.md": "tests/test_protocol.py",
    "docs/libraries.md": "tests/envs/test_libraries.py",
    "docs/design.md": "tests/test_design.py",
    # pages whose examples another test runs
    "docs/terminal.md": "tests/terminal/test_page.py",
    "docs/quickstart.md": "tests/test_notebooks.py",
    "docs/tutorial.md": "tests/test_tutorial.py",
    "docs/http.md": "tests/web/test_interface.py",
}
NO_GPU = pytest.mark.skipif(gpu.cuda is None or not gpu.cuda.is_available(), reason="there is no GPU")
NEEDED = {"docs/openspiel.md": "pyspiel", "docs/data.md": "minari"}  # modules that may not be there


def marks(page: str) -> tuple:
    """Where a page cannot be played through, or takes long: README's example learns."""
    module = NEEDED.get(page, "json")
    if page == "README.md":
        return (pytest.mark.long,)
    missing = pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")
    return (NO_GPU,) if page == "docs/gpu.md" else (missing,)


BLOCK = re.compile(r"^```(\w*|\{[\w-]+\}[^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.(?:toml|py))\b")
# commands that are not carried out here
LONG = (
    "bench",
    "bot",
    "doctor",
    "serve",
    "play",
    "puzzles",
    "ladder",
    "dataset",
    "selfplay",
    "train",
    "evaluate",
    "benchmark",
)


def blocks(path: Path) -> list[tuple[str, str]]:
    """The marked blocks of a page, each behind as many empty lines as stand before it, so that a traceback names its
    line; none in braces, which Sphinx reads.
    """
    text = path.read_text(encoding="utf-8")
    return [
        (block[1], "\n" * text.count("\n", 0, block.start(2)) + block[2])
        for block in BLOCK.finditer(text)
        if block[1][:1] not in ("", "{")
    ]


PAGES = {str(path.relative_to(ROOT)): blocks(path) for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]}
PAGES = {name: found for name, found in PAGES.items() if found and name not in ELSEWHERE}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder with the games that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    bot = make("greedy", seed=0)
    with open("games.jsonl", "w", encoding="utf-8") as file:
        for game in (carc_env.Game("base", seed=1), carc_env.Game("base", deck=["U", "E", "V", "B"])):
            while not game.is_over:
                game.play(bot.choose(game))
            file.write(json.dumps(game.record()) + "\n")
    return tmp_path


@pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
@pytest.mark.parametrize("page", [pytest.param(page, marks=marks(page)) for page in PAGES])
def test_what_a_page_shows_runs(page, folder, capsys):
    names = {"__name__": "page"} | ({"gymnasium": gymnasium} if page == "docs/environments/index.md" else {})
    printed = None
    for kind, code in PAGES[page]:
        if kind == "text":
            assert printed == code.lstrip("\n")
        elif kind == "python":
            if FILE.match(code.lstrip("\n")):
                write(code.lstrip("\n"))
            exec(compile(code, page, "exec"), names)
            printed = capsys.readouterr().out
        elif kind == "toml":
            write(code.lstrip("\n"))
        elif kind == "sh":
            for line in code.splitlines():
                run(line)
            printed = capsys.readouterr().out
        else:
            pytest.fail(f"{page}: a block marked {kind!r}")


def write(text: str) -> None:
    """The file that a page writes down."""
    name = FILE.match(text)
    assert name, f"the first line should name the file: {text:.60}"
    Path(name[1]).parent.mkdir(exist_ok=True)
    Path(name[1]).write_text(text, encoding="utf-8")
    if name[1].endswith("training.toml"):
        TrainConfig.from_toml(name[1])
    elif name[1].endswith(".toml"):
        check_file(name[1])


def run(line: str) -> None:
    """A command that a page shows."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["carc"]:
        return
    if words[1] == "match":
        words += ["--pairs", "1"]  # the last one counts
    if words[1] == "watch":
        words += ["--delay", "0"]
    words = ["games.jsonl" if word == "FILE" else word.replace("ms=200", "ms=20") for word in words]
    parser().parse_args(words[1:])
    if words[1] not in LONG:
        assert main(words[1:]) == 0, line


def test_the_pages_are_found():
    assert {"README.md", "docs/bots.md", "docs/game.md", "docs/configuration.md", "docs/sheets.md"} <= set(PAGES)
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not run {page}"


# --- the tables of the page about configurations ----------------------------------------------------------------------
def table(title: str) -> list[list[str]]:
    """The rows of the table under a title of docs/configuration.md, cell by cell."""
    section = (
        (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    )
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in rows]


def in_toml(value: object) -> str:
    """A value as a TOML file has it, marked as code."""
    return f"`{json.dumps(value)}`"


def test_every_field_stands_on_its_page():
    rows = {row[0].strip("`"): row[1:] for row in table("Fields")}
    fields = {field.name: field for field in dataclasses.fields(carc_env.GameConfig)}
    assert list(rows) == list(fields)
    for name, (default, values, about, meaning) in rows.items():
        field = fields[name]
        assert default == in_toml(field.default) if field.default is not None else default.startswith("not set: "), name
        allowed = field.metadata.get("allowed")
        assert not allowed or values == ", ".join(map(in_toml, allowed)), name
        needs = field.metadata.get("about")
        assert about == ("" if needs is None else "a sheet" if needs == SHEET else f"`{needs}`"), name
        assert meaning


def test_every_box_stands_on_its_page():
    assert [row[:2] for row in table("Boxes")] == [
        [f"`{name}`", f"{library()[name].tiles['C1']}, {library()[name].tiles['C2']}"] for name in BOX_NAMES
    ]
    for name, _, rules in table("Boxes"):
        assert f"(rules/{name.strip('`')}.md)" in rules


def test_every_preset_stands_on_its_page():
    rows = table("Presets")
    assert sorted(row[0] for row in rows) == sorted(f"`{name}`" for name in carc_env.presets())
    for name, what in rows:
        game = carc_env.Game(name.strip("`"), seed=0)
        tiles = int(re.search(r"(\d+) tiles", what)[1])
        assert tiles == len(game.deck) + len(game.record()["starts"]), name
