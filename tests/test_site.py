"""Tests of the documentation site: Sphinx builds it without a warning, its reference contains the public API, and its
pages load nothing from other sites.
"""

import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import carc_env

pytest.importorskip("furo", reason="the extra `docs` is not installed")

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "sphinx", "-q", "-E", "-n", "-W", "--keep-going", "docs", folder]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return folder


def test_every_page_is_on_it(site):
    for page in ROOT.glob("docs/**/*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    assert not list(site.rglob("*.md")), "a link leads to the text of a page instead of the page"


def test_what_is_public_stands_in_the_reference(site):
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    told = {line.split()[0] for line in inventory.splitlines() if " py:" in line}
    modules = {"actions", "bots", "encode", "envs"}
    assert {f"carc_env.{name}" for name in carc_env.__all__} - {f"carc_env.{name}" for name in modules} - {
        "carc_env.Event"
    } <= told
    assert {
        "carc_env.GameConfig.boxes",
        "carc_env.Feature.pennants",
        "carc_env.Game.undo",
        "carc_env.networks.NeighborhoodPolicy",
    } <= told


def test_fields_say_what_their_comments_say(site):
    page = re.sub(r"<[^>]+>", "", (site / "api" / "configuration.html").read_text(encoding="utf-8"))
    assert (
        "Points that a completed road scores for each coat of arms" in page
        and "The number of updates of the network" in page
    )


def test_the_tiles_of_a_box_stand_on_its_page():
    for picture in (ROOT / "docs" / "gallery").glob("*.svg"):
        page = ROOT / "docs" / "rules" / f"{picture.stem}.md"
        assert picture.stem == "pieces" or f"](../gallery/{picture.name})" in page.read_text(encoding="utf-8"), page


def test_a_reader_fetches_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert not re.search(
            r"<(?:script|link|img)\b[^>]*(?:src|href)=\"(?:https?:)?//", page.read_text(encoding="utf-8")
        ), page
