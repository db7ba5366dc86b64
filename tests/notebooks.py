"""Convert the tutorials to Jupyter notebooks: `python -m tests.notebooks` writes `build/notebooks/*.ipynb`.

Blocks of Python and of shell commands become cells. A block that begins with the name of a file becomes a cell that
writes this file. Blocks of commands that need a terminal, a browser, a new environment or much time stay text.
"""

import re
import shlex
import sys
from pathlib import Path

import jupytext
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "notebooks"
PAGES = ("quickstart", "tutorial", "tutorial_bot", "tutorial_search", "tutorial_benchmark")
# A block with one of these words stays text: it needs a terminal, a browser or a new environment, or it takes long.
BY_HAND = ("venv", "carc serve", "carc play", "--workers")

FILE = re.compile(r"^```python\n# (\w+\.py)\n", re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:|#)")
MAGIC = re.compile(r"(?:%%(\w+)(?: (\S+))?\n)?(.*)", re.DOTALL)

# Training in the tutorial takes minutes. These programs do the same with a few actions, for tests.
SHORT = {
    "imitate.py": "import imitate; imitate.imitate(steps=6, games=4)",
    "learn.py": "import learn; learn.GAMES, learn.STEPS = 4, 8; learn.learn(rounds=2, batches=2, pairs=1)",
}


def notebook(page: str) -> NotebookNode:
    """Return the notebook of a page. `page` is the name of the page without `.md`."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    text = FILE.sub(r"```python\n%%writefile \1\n", text)
    text = COMMANDS.sub(lambda block: block[0] if is_runnable(block[1]) else f"```sh .noeval{block[0][5:]}", text)
    found = jupytext.reads(LINK.sub("](../../docs/", text), fmt="md")
    found.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return found


def is_runnable(commands: str) -> bool:
    """True if a notebook can run these commands."""
    return not any(words in commands for words in BY_HAND)


def cells(page: str) -> list[str]:
    """Return the source of each code cell of a page's notebook."""
    return [cell.source for cell in notebook(page).cells if cell.cell_type == "code"]


def parts(page: str) -> list[tuple[str | None, str | None, str]]:
    """Return each code cell as its magic command (`sh`, `writefile` or None), the name of its file, and its code."""
    return [found.groups() for cell in cells(page) if (found := MAGIC.fullmatch(cell))]


def program(page: str, short: bool = False) -> str:
    """Return the code cells of a page as one Python program, which runs the commands in a shell.

    If `short` is true, the programs in SHORT replace the training, and each match has one pair of games.
    """
    lines = ["import pathlib, subprocess"]
    for magic, file, code in parts(page):
        if magic == "writefile":
            lines.append(f"pathlib.Path({file!r}).write_text({code!r}, encoding='utf-8')")
        elif magic == "sh":
            commands = [shortened(line) if short else line for line in code.splitlines()]
            lines += [f"subprocess.run({command!r}, shell=True, check=True)" for command in commands]
        else:
            lines.append(code)
    return "\n".join(lines) + "\n"


def shortened(command: str) -> str:
    """Return a command of the tutorial with less training or fewer games."""
    words = shlex.split(command, comments=True)
    if words[:2] == ["carc", "match"]:
        words += ["--pairs", "1"]  # the last --pairs counts
    elif words[:1] == ["python"] and words[-1] in SHORT:
        words = ["python", "-c", SHORT[words[-1]]]
    return shlex.join(words)


def main() -> None:
    """Write all notebooks."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        path = FOLDER / f"{page}.ipynb"
        jupytext.write(notebook(page), path, fmt="ipynb")
        print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
