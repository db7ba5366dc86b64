"""Checks that three steps lead from the README to the rules of a box: the list of systems, the page of the box, and its
module.
"""

import re
from pathlib import Path

import pytest

from carc_env.boxes.tiles import BOX_NAMES

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#\s]+)")


def linked(page: Path) -> set[Path]:
    """Return the files and folders that a page links to."""
    return {(page.parent / target).resolve() for target in LINK.findall(page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("box", [*BOX_NAMES, "maps"])
def test_three_steps_from_the_readme_to_a_rule(box):
    index, page = ROOT / "docs" / "rules" / "index.md", ROOT / "docs" / "rules" / f"{box}.md"
    rules, tiles = ROOT / "carc_env" / "rules", ROOT / "carc_env" / "systems" / box / "tiles.toml"
    assert index in linked(ROOT / "README.md")
    assert page in linked(index)
    assert (rules if box == "base" else rules / "expansions" / f"{box}.py") in linked(page)
    assert tiles in linked(page) or not tiles.exists()
    assert ROOT / "tests" / "scenarios" / box in linked(page)
