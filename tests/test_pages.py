"""The Python code, the commands and the files in the documentation work.

The code blocks of a page run from top to bottom in a new folder:

- Python blocks run one after the other, in one namespace. A block that begins with a comment with the name of a file is
  also written to this file.
- A TOML block begins with a comment with the name of a file, and is written to this file. `carc check` must accept the
  file. If the name ends with `training.toml`, the file must be a valid `TrainConfig` instead.
- In `sh` blocks, the lines that begin with `carc` run. For a command that takes long, only its arguments are checked.
- A `text` block must be equal to the output of the Python or shell block before it.
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
    # the examples of these pages run in other tests
    "docs/terminal.md": "tests/terminal/test_page.py",
    "docs/quickstart.md": "tests/test_notebooks.py",
    "docs/tutorial.md": "tests/test_tutorial.py",
    "docs/http.md": "tests/web/test_interface.py",
}
NO_GPU = pytest.mark.skipif(gpu.cuda is None or not gpu.cuda.is_available(), reason="there is no GPU")
NEEDED = {"docs/openspiel.md": "pyspiel", "docs/data.md": "minari"}  # modules that may be missing


def marks(page: str) -> tuple:
    """Return the pytest marks of a page: it may need a module or a GPU, or take long, as README.md trains an agent."""
    module = NEEDED.get(page, "json")
    if page == "README.md":
        return (pytest.mark.long,)
    missing = pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")
    return (NO_GPU,) if page == "docs/gpu.md" else (missing,)


BLOCK = re.compile(r"^```(\w*|\{[\w-]+\}[^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.(?:toml|py))\b")
# only the arguments of these commands are checked
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
    """Return the language and the code of the blocks of a page, without blocks for Sphinx, which have names in braces.

    Empty lines before the code give it the same line numbers as on the page, so that a traceback shows these numbers.
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
    """Change to a new folder with games.jsonl, the file of games that many pages use. Returns the folder.

    The code of a page can import the files that the page has written to the folder.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
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
    """Write a block to the file that it names, and check the file if it is TOML."""
    name = FILE.match(text)
    assert name, f"the first line should name the file: {text:.60}"
    Path(name[1]).parent.mkdir(exist_ok=True)
    Path(name[1]).write_text(text, encoding="utf-8")
    if name[1].endswith("training.toml"):
        TrainConfig.from_toml(name[1])
    elif name[1].endswith(".toml"):
        check_file(name[1])


def run(line: str) -> None:
    """Run a line of a shell block if it is a `carc` command that does not take long."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["carc"]:
        return
    if words[1] == "match":
        words += ["--pairs", "1"]  # the last --pairs counts
    if words[1] == "watch":
        words += ["--delay", "0"]
    words = ["games.jsonl" if word == "FILE" else word.replace("ms=200", "ms=20") for word in words]
    parser().parse_args(words[1:])
    if words[1] not in LONG:
        assert main(words[1:]) == 0, line


def test_the_pages_are_found():
    assert {"README.md", "docs/bots.md", "docs/game.md", "docs/configuration.md", "docs/sheets.md"} <= set(PAGES)
    assert {f"docs/tutorial_{name}.md" for name in ("bot", "search", "benchmark")} <= set(PAGES)
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not run {page}"


# --- the tables of the page about configurations ----------------------------------------------------------------------
def table(title: str) -> list[list[str]]:
    """Return the cells of each row of the table under a title of docs/configuration.md."""
    section = (
        (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    )
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in rows]


def in_toml(value: object) -> str:
    """Return a value as it is written in TOML, as code in Markdown."""
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
