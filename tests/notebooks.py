"""Makes notebooks of the tutorials: `python -m tests.notebooks` writes `build/notebooks/*.ipynb` from the pages.

Blocks of Python and of shell commands become cells. A block that names its file writes that file. Commands that need a
terminal, a browser or a new environment stay text.
"""

import re
import sys
from pathlib import Path

import jupytext
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "notebooks"
PAGES = ("quickstart", "tutorial")
BY_HAND = ("venv", "carc serve", "carc play")  # in a block of commands: what nobody can run in a notebook

FILE = re.compile(r"^```python\n# (\w+\.py)\n", re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:|#)")


def notebook(page: str) -> NotebookNode:
    """The notebook of a page, by its name without `.md`."""
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
    """The code of a notebook, cell by cell."""
    return [cell.source for cell in notebook(page).cells if cell.cell_type == "code"]


def main() -> None:
    """Write all notebooks."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        path = FOLDER / f"{page}.ipynb"
        jupytext.write(notebook(page), path, fmt="ipynb")
        print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
