"""Generate pages and pictures of the documentation from the code.

`python -m carc_env.commands.docs` writes docs/layout.md, docs/ladders/ratings.md and a page for each environment.
`python -m carc_env.commands.docs pictures` writes docs/gallery.md with its pictures, and the pictures of the README.
`make pictures` runs this command. The pictures of the README show games of `greedy` against itself. The page
docs/gallery.md shows every tile.
"""

import json
import sys
import textwrap
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from carc_env.arena.ladder_tables import markdown_table
from carc_env.boxes.actions import USUAL_SIZE
from carc_env.boxes.layout import COLUMNS, N_SHOWN, VERSION, Entry
from carc_env.boxes.tiles import BOX_NAMES, SPOTS, library, tile_kinds
from carc_env.commands import page_texts
from carc_env.envs import PRESETS
from carc_env.observing import encode
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import Layout, layout_of
from carc_env.render import PICTURE_WIDTH
from carc_env.render.facts import drawn_tiles
from carc_env.render.gallery import pieces_svg, tiles_svg
from carc_env.rules.state import Phase
from carc_env.setup.config import preset, presets
from carc_env.systems import SYSTEMS

DOCS = Path(__file__).parents[2] / "docs"
# for each picture: preset, seed, number of tiles left
PICTURES = {"board.png": ("goldmines", 7, 12), "france.png": ("carcassonne", 11, 44)}
WIDTH = 100  # the maximum number of characters in a line of prose
RECONSTRUCTED = ("german_castles", "german_cathedrals")  # boxes whose tiles have reconstructed edges
ABOUT = {  # for each preset: a description of the game, and the pages with its rules
    "base": ("the base game of Carcassonne, with 72 tiles", ("base",)),
    "goldmines": ("the base game with The Goldmines: 80 tiles and 16 ingots", ("base", "goldmines")),
    "france": (
        "Maps France with its Map-Chips: 114 tiles, a printed map sheet (a reconstruction) and 30 wine chips",
        ("base", "maps", "map_chips"),
    ),
    "carcassonne": (
        "Maps France together with The Goldmines: 122 tiles, 30 wine chips and 16 ingots",
        ("base", "maps", "map_chips", "goldmines"),
    ),
    "expansions": (
        "the base game with The Goldmines, Inns & Cathedrals, Traders & Builders and the abbot: 122 tiles",
        ("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot"),
    ),
    "everything": (
        "the base game with the tiles and rules of every box that needs no map sheet. The game has 177 tiles, and each "
        "player also holds an abbey and castle tiles",
        tuple(name for name in BOX_NAMES if name != "map_chips"),
    ),
}
# Groups of global features with one feature for each kind of tile. A single table row describes a whole group. The
# values of this dict are the texts of these rows.
TOLD_ONCE = {
    "hand": "1 if the tile in hand is of the kind `<tile>`; one flag for each kind of tile, from `{first}` to `{last}`",
    "left": "number of tiles of the kind `<tile>` that have not been drawn yet; "
    "one count for each kind of tile, from `{first}` to `{last}`",
}


def _rows(entries: Mapping[str, Entry]) -> list[str]:
    """Return the rows of a Markdown table that describes the planes, global features or columns in `entries`. Each
    entry has its own row, but each group of global features in TOLD_ONCE shares a single row.
    """
    rows, tiles = (
        [],
        {what: [number for number, name in enumerate(entries) if name.startswith(f"{what}_")] for what in TOLD_ONCE},
    )
    for number, (name, entry) in enumerate(entries.items()):
        what, _, tile = name.partition("_")
        if number not in tiles.get(what, ()):
            rows.append(_row(number, name, entry))
        elif number == tiles[what][0]:
            last = list(entries)[tiles[what][-1]].partition("_")[2]
            rows.append(
                _row(
                    f"{number} to {tiles[what][-1]}",
                    f"{what}_<tile>",
                    replace(entry, meaning=TOLD_ONCE[what].format(first=tile, last=last)),
                )
            )
    return rows


def _row(where: int | str, name: str, entry: Entry) -> str:
    return f"| {where} | `{name}` | {entry.kind} | {entry.low} to {entry.high} | {entry.meaning} |"


def _actions(layout: Layout, boxes: Collection[str]) -> list[str]:
    """Return a table row for each block of actions. The last column explains what the actions of the block mean in
    games with `boxes`.
    """
    rows = []
    for block in layout.blocks:
        axes = " x ".join(f"{axis} ({n})" for axis, n in zip(block.axes, block.shape) if axis)
        meaning = ". ".join(
            system.answers[block.name]
            for system in SYSTEMS
            if block.name in system.answers and system.box in {"base", *boxes}
        )
        rows.append(f"| {block.start} | {block.size} | `{block.name}` | {axes} | {meaning} |")
    return rows


def _tables(layout: Layout, boxes: Collection[str]) -> list[str]:
    """Return the Markdown tables that describe a layout: its actions, planes and global features, and the entries of
    the array `table`.
    """
    head, rule = "| index | name | kind | range | meaning |", "|---|---|---|---|---|"
    return [
        f"### Actions: `Discrete({layout.n_actions})`",
        "",
        "| first | how many | block | axes (the last varies fastest) | meaning |",
        "|---|---|---|---|---|",
        *_actions(layout, boxes),
        "",
        f"### Planes: uint8 ({len(layout.planes)}, {layout.rows}, {layout.columns})",
        "",
        head,
        rule,
        *_rows(layout.planes),
        "",
        f"### Globals: float32 ({len(layout.globals)},)",
        "",
        "Player 0 is the observer, player 1 is the next player clockwise, and so on.",
        "",
        head,
        rule,
        *_rows(layout.globals),
        "",
        f"### `table`: float32 ({len(layout.table)},)",
        "",
        "The array `table` is a summary of the position from the observer's view. An observation contains",
        "the array `table` only with `table=True`. An agent that chooses among candidates can use this array",
        "as the input of its value function.",
        "",
        head,
        rule,
        *_rows(layout.table),
        "",
    ]


def layout() -> str:
    """Return the text of docs/layout.md. The page describes the candidates. It also gives the numbers of actions,
    planes and global features with `spaces="common"`.
    """
    sizes = sorted({int(preset(name).table_size or 0) for name in presets()})
    linked = [f"[{name}](environments/{preset_name}.md)" for name, preset_name in PRESETS.items()]
    return page_texts.LAYOUT.format(
        environments=",\n".join(linked) + ".",
        version=VERSION,
        candidates_hash=encode.layout_hash("candidates"),
        size=USUAL_SIZE,
        half=USUAL_SIZE // 2,
        spots=textwrap.fill(" ".join(SPOTS), WIDTH),
        sizes="\n".join(map(_size, sizes)),
        tables="\n".join(_tables(layout_of(USUAL_SIZE, "common"), [system.box for system in SYSTEMS])),
        n_candidates=MAX_CANDIDATES,
        n_shown=N_SHOWN,
        columns="\n".join(_rows(COLUMNS)),
    )


def _size(size: int) -> str:
    """Return a row of a Markdown table in docs/layout.md. The row describes one size of the playing table."""
    names = ", ".join(f"`{name}`" for name in presets() if preset(name).table_size == size)
    common = layout_of(size, "common")
    return f"| {size} | {names} | {common.n_actions} | `{encode.layout_hash(layout=common)}` |"


def environment(name: str, preset_name: str) -> str:
    """Return the documentation page of one environment. Its sections have the same order as on Gymnasium's pages."""
    what, pages = ABOUT[preset_name]
    config = preset(preset_name)
    own, common = layout_of(config, "game"), layout_of(config, "common")
    on_torus = page_texts.ON_TORUS.format(size=own.size, half=own.size // 2)
    page = page_texts.ENVIRONMENT.format(
        name=name,
        preset=preset_name,
        what=what,
        rules=", ".join(f"[{page}](../rules/{page}.md)" for page in pages),
        n_actions=own.n_actions,
        shape=f"{len(own.planes)}, {own.rows}, {own.columns}",
        n_globals=len(own.globals),
        common_n_actions=common.n_actions,
        common_n_planes=len(common.planes),
        common_cells=f"{common.rows} x {common.columns}",
        common_n_globals=len(common.globals),
        where=page_texts.ON_SHEET if config.sheet else on_torus,
        spots=", ".join(SPOTS[spot] for spot in own.labels["place_figure"][1]),
        tables="\n".join(_tables(own, config.boxes)),
    )
    return _wrapped(page)


def _wrapped(page: str) -> str:
    """Break the paragraphs of a page into lines of at most WIDTH characters. Titles, lists and tables do not change."""
    return "\n\n".join(
        textwrap.fill(part, WIDTH, break_long_words=False, break_on_hyphens=False) if part[0].isalnum() else part
        for part in page.split("\n\n")
    )


def ratings() -> str:
    """Return the text of docs/ladders/ratings.md, with the ratings of the bots on all ladders. The bots are sorted by
    their mean rating.
    """
    ladders = {path.parent.name: json.loads(path.read_text()) for path in sorted(DOCS.glob("ladders/*/ladder.json"))}
    found: dict[str, dict[str, float]] = {}
    for name, ladder in ladders.items():
        for standing in ladder["standings"]:
            found.setdefault(standing["bot"], {})[name] = standing["rating"]
    bots = sorted(found, key=lambda bot: -sum(found[bot].values()) / len(found[bot]))
    table = markdown_table(
        ["bot", *(f"[{name}]({name}/ladder.md)" for name in ladders)],
        ([f"`{bot}`", *(f"{found[bot][name]:.0f}" if name in found[bot] else "" for name in ladders)] for bot in bots),
    )
    return page_texts.RATINGS.format(table="\n".join(table))


def pages() -> dict[Path, str]:
    """Return the generated pages, as a dict that maps the path of each page to its text."""
    found = {DOCS / "layout.md": layout(), DOCS / "ladders" / "ratings.md": ratings()}
    for name, preset_name in PRESETS.items():
        found[DOCS / "environments" / f"{preset_name}.md"] = environment(name, preset_name)
    return found


def gallery() -> dict[Path, str]:
    """Return the page docs/gallery.md and its picture files, as a dict that maps the path of each file to its text. The
    page shows every tile of every box.
    """
    lines = page_texts.GALLERY.splitlines()
    files = {}
    for name, box in library().items():
        tiles = [tile for tile in drawn_tiles() if _box_of(tile) == name]
        if not tiles:
            continue
        files[DOCS / "gallery" / f"{name}.svg"] = tiles_svg(tiles, box.title)
        note = [
            "The edges of these tiles are a reconstruction, because we found no description of the published",
            "tiles.",
            "",
        ]
        lines += [
            f"## {box.title}",
            "",
            *note * (name in RECONSTRUCTED),
            f'![The tiles of the box "{name}": {", ".join(tiles)}](gallery/{name}.svg)',
            "",
        ]
    files[DOCS / "gallery" / "pieces.svg"] = pieces_svg()
    lines += ["## Pieces on tiles", "", "![Figures, ferries, castles and ingots on tiles](gallery/pieces.svg)", ""]
    return {DOCS / "gallery.md": "\n".join(lines)} | files


def _box_of(tile: str) -> str:
    return next(kind.box for kind in tile_kinds() if kind.id in (tile, tile + "a"))


def picture(preset_name: str, seed: int, tiles_left: int) -> bytes:
    """Return a picture from a game of `greedy` against itself, as the bytes of a PNG file. The picture shows the first
    position in which a tile has to be placed and the stack has at most `tiles_left` tiles.
    """
    from carc_env import Game
    from carc_env.bots import make
    from carc_env.render import png

    game, greedy = Game(preset_name, seed=seed), make("greedy", seed=seed)
    while game.tiles_left > tiles_left or game.phase != Phase.PLACE_TILE:
        game.play(greedy.choose(game))
    return png(game, PICTURE_WIDTH)


def main(arguments: list[str]) -> None:
    """Write the generated pages. If the argument is `pictures`, write the pictures instead."""
    if arguments == ["pictures"]:
        files = {path: text.encode() for path, text in gallery().items()} | {
            DOCS / name: picture(*of) for name, of in PICTURES.items()
        }
    else:
        files = {path: text.encode() for path, text in pages().items()}
    for path, data in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
