"""Checks that the generated pages are up to date, and that links lead to existing files. test_pages.py checks that the
examples run.
"""

import re
from pathlib import Path

import pytest

import carc_env
from carc_env.commands import docs
from tests.sentences import FENCE, blanked

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("path", docs.pages(), ids=lambda path: path.stem)
def test_generated_pages_are_up_to_date(path, usual_sizes):
    assert path.read_text(encoding="utf-8") == docs.pages()[path], "run `make docs`"


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_lines_are_short_enough_to_review():
    """Checks that lines have at most 100 characters, not counting link targets and inline code. Tables, comments,
    images and code blocks may be wider.
    """
    for page in PAGES:
        text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", blanked(FENCE, page.read_text(encoding="utf-8")))
        for number, line in enumerate(text.splitlines(), 1):
            is_wide = line.lstrip().startswith(("|", "<!--", "!["))
            assert len(line) <= 100 or is_wide, f"{page.relative_to(ROOT)}:{number}"


def test_nobody_is_sent_to_an_index_that_does_not_have_the_package():
    """Checks that no text recommends a command such as `pip install carc_env[train]`, which finds nothing. In a
    checkout, `pip install ".[train]"` works.
    """
    for path in [*PAGES, *(ROOT / "carc_env").rglob("*.py")]:
        assert not re.search(r"pip install (-U )?[\"']?carc_env", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("name", docs.PICTURES)
def test_generated_pictures_are_shown_and_a_reconstruction_is_called_one(name):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / name).stat().st_size > 100_000 and f"](docs/{name})" in readme
    sheet = carc_env.preset(docs.PICTURES[name][0]).sheet
    said = "is a reconstruction, not the publisher's layout" in readme.partition(f"](docs/{name})")[2][:200]
    assert said == (sheet is not None)
