"""Tests of the page that shows every tile of every box."""

import re
from functools import cache

import pytest

from carc_env.boxes.tiles import library
from carc_env.commands import docs
from carc_env.render.facts import drawn_tiles
from tests.render.helpers import marked, parse

PAGE = docs.DOCS / "gallery.md"
files = cache(docs.gallery)


@cache
def pictures():
    """Return the pictures by name."""
    return {path.stem: text for path, text in files().items() if path.suffix == ".svg"}


def test_page_and_pictures_are_up_to_date():
    old = [path.name for path, text in files().items() if path.read_text(encoding="utf-8") != text]
    assert not old, "run `make pictures`"


def test_nothing_else_lies_in_the_folder():
    assert {path.stem for path in (docs.DOCS / "gallery").iterdir()} == set(pictures())
    assert sum(len(text) for text in files().values()) < 800_000


@pytest.mark.parametrize("box", [name for name, box in library().items() if box.kinds])
def test_every_tile_of_every_box_is_shown_with_its_name(box):
    root = parse(pictures()[box])
    tiles = [kind.id if kind.id in drawn_tiles() else kind.id[:-1] for kind in library()[box].kinds]
    entries = [e for e in root.iter() if e.get("data-name")]
    assert [e.get("data-name") for e in entries] == list(dict.fromkeys(tiles))
    for entry, tile in zip(entries, dict.fromkeys(tiles)):
        assert (
            marked(entry, href=f"#tile-{tile}-0")
            and marked(entry, data_text=tile)
            and marked(root, id=f"tile-{tile}-0")
        )
    assert f"](gallery/{box}.svg)" in files()[PAGE] and f"## {library()[box].title}\n" in files()[PAGE]


def test_pictures_need_nothing_from_elsewhere():
    for name, drawing in pictures().items():
        root = parse(drawing)
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)) and {e.get("href") for e in root.iter() if e.get("href")} <= {
            "#" + i for i in ids
        }, name
        assert re.findall(r"https?://[^\"]*", drawing) == ["http://www.w3.org/2000/svg"]


def test_entries_do_not_overlap():
    for name, drawing in pictures().items():
        root = parse(drawing)
        places = [
            tuple(map(float, re.match(r"translate\((\S+) (\S+)\)", e.get("transform")).groups()))
            for e in root.iter()
            if e.get("data-name")
        ]
        assert len(set(places)) == len(places), name
        assert max(x for x, _ in places) + 100 < float(root.get("viewBox").split()[2]), name


def test_pieces_are_shown_in_a_picture_of_their_own():
    root = parse(pictures()["pieces"])
    assert len(marked(root, class_="castle")) == len(marked(root, class_="ferry")) == 2
    assert {e.get("data-feature") for e in marked(root, class_="figure")} == {
        "road",
        "city",
        "field",
        "castle",
        "monastery",
        "shrine",
        "hut",
        "cathedral",
        "garden",
    }


def test_reconstructed_tiles_are_called_so():
    sections = {section.split("\n")[0]: section for section in files()[PAGE].split("\n## ")}
    said = {title for title, section in sections.items() if "are a reconstruction" in section}
    assert said == {"German castles", "German cathedrals"}
