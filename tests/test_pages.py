"""What the pages show runs: Python, the commands, and the files they write down.

A page is played through from top to bottom in a folder of its own:

- Python blocks run one after the other, in one namespace. One that begins with a comment with a file's name is that file too.
- A TOML block that begins with a comment with a file's name is that file, and `carc check` must accept it.
- Lines of `sh` blocks that begin with `carc` are carried out; what would take long only has its words checked.
- A block marked `text` is what the Python or the commands before it print.
"""

import json
import re
import shlex
from pathlib import Path

import pytest

import carc_env
from carc_env import jit
from carc_env.bots import make
from carc_env.check import check_file
from carc_env.cli import main, parser

ROOT = Path(__file__).parent.parent
ELSEWHERE = {  # pages whose examples other tests run
    "docs/libraries.md": "tests/envs/test_libraries.py",
    "docs/gpu.md": "tests/test_gpu.py",
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.(?:toml|py))\b")
LONG = ("bench", "doctor", "serve", "play", "ladder", "dataset")  # commands that are not carried out here
FEW = {"--pairs": "1"}  # and what others do less of


def blocks(path: Path) -> list[tuple[str, str]]:
    """The marked blocks of a page, each behind as many empty lines as stand before it, so that a traceback names its line."""
    text = path.read_text(encoding="utf-8")
    return [(block[1], "\n" * text.count("\n", 0, block.start(2)) + block[2]) for block in BLOCK.finditer(text) if block[1]]


PAGES = {str(path.relative_to(ROOT)): blocks(path) for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]}
PAGES = {name: found for name, found in PAGES.items() if found and name not in ELSEWHERE}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder with the games that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    bot = make("greedy", seed=0)
    with open("games.jsonl", "w", encoding="utf-8") as file:
        for seed in (1, 2):
            game = carc_env.Game("base", deck=["U", "E", "V", "B"], seed=seed)
            while not game.is_over:
                game.play(bot.choose(game))
            file.write(json.dumps(game.record()) + "\n")
    return tmp_path


@pytest.mark.skipif(not jit.is_compiled(), reason="whole games; the rules are not what is tested here")
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_runs(page, folder, capsys):
    names, printed = {"__name__": "page"}, None
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
    if name[1].endswith(".toml"):
        check_file(name[1])


def run(line: str) -> None:
    """A command that a page shows."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["carc"]:
        return
    for option, value in FEW.items():
        if option in words:
            words[words.index(option) + 1] = value
    parser().parse_args(words[1:])
    if words[1] not in LONG:
        assert main(words[1:]) == 0, line


def test_the_pages_are_found():
    assert {"README.md", "docs/bots.md", "docs/game.md", "docs/configuration.md", "docs/sheets.md"} <= set(PAGES)
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not run {page}"
