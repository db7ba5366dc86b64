"""Pages and pictures generated from the code.

`python -m carc_env.commands.docs` writes docs/layout.md and a page for each environment, `python -m
carc_env.commands.docs pictures` (or `make pictures`) those of the README: positions of games that greedy plays against
itself, and docs/gallery.md, which shows every tile.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from carc_env.boxes.actions import USUAL_SIZE
from carc_env.boxes.layout import COLUMNS, VERSION, Entry
from carc_env.boxes.tiles import BOX_NAMES, SPOTS, library, tile_kinds
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
PICTURES = {"board.png": ("goldmines", 7, 12), "france.png": ("carcassonne", 11, 44)}  # preset, seed, tiles left
RECONSTRUCTED = ("german_castles", "german_cathedrals")  # boxes with tiles whose edges were not found
ABOUT = {  # by preset: what it is, and the pages of its rules
    "base": ("the base game, 72 tiles", ("base",)),
    "goldmines": ("the base game with The Goldmines, 80 tiles and 16 ingots", ("base", "goldmines")),
    "france": (
        "Carcassonne Maps France with its Map-Chips: 114 tiles on a printed sheet (a reconstruction), 30 chips of wine",
        ("base", "maps", "map_chips"),
    ),
    "carcassonne": (
        "the board, the ingots and the wine chips together: France with The Goldmines, 122 tiles",
        ("base", "maps", "map_chips", "goldmines"),
    ),
    "expansions": (
        "base game, The Goldmines, Inns & Cathedrals, Traders & Builders and the abbot, 122 tiles",
        ("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot"),
    ),
    "everything": (
        "every box with all its rules on a free table, 177 tiles; an abbey and castle tiles in each hand",
        tuple(name for name in BOX_NAMES if name != "map_chips"),
    ),
}
TOLD_ONCE = {  # globals that there is one of for each tile, as a row tells of all of them
    "hand": "1: the tile is in hand; by tile, {first} to {last}",
    "left": "such tiles not drawn yet; by tile, {first} to {last}",
}


def _rows(entries: Mapping[str, Entry]) -> list[str]:
    """A row for each entry; the counts of tiles, one after the other, share a row."""
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
    """A row for each block of actions, with what it means in games with some boxes."""
    rows = []
    for block in layout.blocks:
        axes = " x ".join(f"{axis} ({n})" for axis, n in zip(block.axes, block.shape) if axis)
        meaning = "; ".join(
            system.answers[block.name]
            for system in SYSTEMS
            if block.name in system.answers and system.box in {"base", *boxes}
        )
        rows.append(f"| {block.start} | {block.size} | `{block.name}` | {axes} | {meaning} |")
    return rows


def _tables(layout: Layout, boxes: Collection[str]) -> list[str]:
    """The tables of a layout: actions, planes, globals, and the numbers of `table`."""
    head, rule = "| index | name | kind | range | meaning |", "|---|---|---|---|---|"
    return [
        f"### Actions: `Discrete({layout.n_actions})`",
        "",
        "| first | how many | block | axes, the last runs fastest | meaning |",
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
        "Player 0 is the observer, 1 the next clockwise, and so on.",
        "",
        head,
        rule,
        *_rows(layout.globals),
        "",
        f"### `table`: float32 ({len(layout.table)},)",
        "",
        "How the game stands for the observer: what a value function over candidates gets besides them (`table=True`).",
        "",
        head,
        rule,
        *_rows(layout.table),
        "",
    ]


def layout() -> str:
    """The page of the common numbering, and of candidates."""
    sizes = sorted({int(preset(name).table_size or 0) for name in presets()})
    common = layout_of(USUAL_SIZE, "common")
    of_size = [
        f"| {size} | {', '.join(f'`{name}`' for name in presets() if preset(name).table_size == size)} | {n} | "
        f"`{encode.layout_hash(layout=layout_of(size, 'common'))}` |"
        for size in sizes
        for n in [layout_of(size, "common").n_actions]
    ]
    half = USUAL_SIZE // 2
    return "\n".join(
        [
            "# Actions and observations",
            "",
            "Generated from the code by `make docs`; do not edit.",
            "",
            'An environment shows what its configuration can ever use (`spaces="game"`, the default). Each environment\'s page has its tables:',
            *(
                f"[{name}](environments/{preset_name}.md){',' if k < len(PRESETS) - 1 else '.'}"
                for k, (name, preset_name) in enumerate(PRESETS.items())
            ),
            "This page has the common numbering. `Game`, game records, bots and agents use it for every preset and number of players, and so do",
            'environments made with `spaces="common"`, for one network that plays several presets. `env.unwrapped.layout` names everything',
            "that an environment shows, and translates its actions to common ids and back (`layout.common`, `layout.own`).",
            "",
            f"Layout version {VERSION}. A checkpoint for planes names the hash of its layout and is refused by another one. Agents over candidates",
            f"depend on the columns of candidates alone (hash `{encode.layout_hash('candidates')}`): they play on a table of any size.",
            "",
            "Names, kinds and ranges are data in `carc_env.boxes.layout` (`PLANES`, `GLOBALS`, `COLUMNS`), and the bounds of the observation",
            "space. A flag is 0 or 1, a category a number that names something, a count 0 or more, a share from 0 to 1, signed any number.",
            "What is about a box is 0 in games without it.",
            "",
            "## The table",
            "",
            "The table has `size` rows and columns: `GameConfig.table_size`, see [the table](table.md). Rows and columns are those of a torus:",
            "the tile at (x, y) lies in row `(y + size // 2) % size`, column `(x + size // 2) % size`; with 25 that is",
            f"`(y + {half}) % {USUAL_SIZE}` and `(x + {half}) % {USUAL_SIZE}`. **On a sheet** it lies in row y, column x: (0, 0) is the sheet's north-west corner.",
            'With `spaces="game"` the planes of a sheet have its rows and columns only. An action that names a cell counts row by row:',
            "`rotation * size * size + row * size + column`, in the game's own spaces `(rotation * rows + row) * columns + column`.",
            f"Spots are numbered {' '.join(SPOTS)}.",
            "",
            "| size | presets | actions | hash of the common layout |",
            "|---|---|---|---|",
            *of_size,
            "",
            f"## The common numbering on a table of {USUAL_SIZE}",
            "",
            "On a larger table the planes have more rows and columns, and the ids that follow those of cells are larger; names and order are the same.",
            "",
            *_tables(common, [system.box for system in SYSTEMS]),
            f"## Candidates: float32 ({MAX_CANDIDATES}, {len(COLUMNS)})",
            "",
            "One row for each legal answer, ascending by action; `candidate_actions` holds the actions, -1 where there",
            f"are fewer. Should there be more than {MAX_CANDIDATES}, those with the best prices are kept. All numbers are in",
            "points, tiles or pieces; how the prospects are estimated stands in `carc_env/observing/prospects.py`. All games have all columns.",
            "",
            "| index | name | kind | range | meaning |",
            "|---|---|---|---|---|",
            *_rows(COLUMNS),
            "",
        ]
    )


def environment(name: str, preset_name: str) -> str:
    """The page of one environment, in Gymnasium's order."""
    what, pages = ABOUT[preset_name]
    rules = ", ".join(f"[{page}](../rules/{page}.md)" for page in pages)
    config = preset(preset_name)
    own, common = layout_of(config, "game"), layout_of(config, "common")
    where = (
        "The planes have the rows and columns of the sheet: the tile at (x, y) lies in row y, column x."
        if config.sheet
        else f"The table is a torus of {own.size} x {own.size} cells: the tile at (x, y) lies in row `(y + {own.size // 2}) % {own.size}`, "
        f"column `(x + {own.size // 2}) % {own.size}`."
    )
    return f"""# `carc_env/{name}-v0`

Generated from the code by `make docs`; do not edit.

| | |
|---|---|
| Action space | `Discrete({own.n_actions})` |
| Observation space | `Dict(planes: uint8 ({len(own.planes)}, {own.rows}, {own.columns}), globals: float32 ({len(own.globals)},), action_mask: int8 ({own.n_actions},))` |
| with `spaces="common"` | `Discrete({common.n_actions})`, {len(common.planes)} planes of {common.rows} x {common.columns}, {len(common.globals)} globals |
| import | `gymnasium.make("carc_env/{name}-v0")` (after `import carc_env`) |
| many games at once | `gymnasium.make_vec("carc_env/{name}-v0", n, "vector_entry_point")`, see [arguments](index.md#many-games-at-once) |
| other libraries | `carc_env.aec_env("{preset_name}")` (PettingZoo), `carc_env.envs.sb3.make_vec_env("carc_env/{name}-v0", n)`, see [libraries](../libraries.md) |

## Description

Carcassonne: {what}. Two players by default, more with `config`. Rules and readings: {rules}.

## Action space

One action for every answer to every question that this game can ask; [the tables](#tables) are below. In every position only some
are legal: use the mask. `env.unwrapped.layout.common(action)` is the id that `Game` and bots use for it.

## Observation space

`planes` show the table cell by cell, `globals` the players, the tile in hand and the tiles left, `action_mask` the legal
answers; `observation="candidates"` gives a row of features for each legal answer instead of planes. Everything a player
may know is there and nothing else: neither the order of the deck nor a hidden chip ever changes an observation.

## Rewards

Points by default: `reward="margin"`. See the [arguments](index.md).

## Starting state

The start tiles lie, the deck is shuffled from the seed, and the agent's seat is drawn from it.

## Episode end

Terminated when the last tile was played and everything is scored, or by an illegal action with `illegal_action="lose"`.
Never truncated.

## Tables

What this environment shows with two players. More players have more globals. {where}
Spots are named {", ".join(SPOTS[spot] for spot in own.labels["place_figure"][1])}, in this order.

{chr(10).join(_tables(own, config.boxes))}
## Version history

- v0: first version. With layout version 4 the spaces have only what the game can use; `spaces="common"` shows all.
"""


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    found = {DOCS / "layout.md": layout()}
    for name, preset_name in PRESETS.items():
        found[DOCS / "environments" / f"{preset_name}.md"] = environment(name, preset_name)
    return found


def gallery() -> dict[Path, str]:
    """The page that shows every tile of every box, and its pictures, by their paths."""
    lines = [
        "# Every tile",
        "",
        "Generated from the code by `make pictures`; do not edit.",
        "",
        "All tiles as the pictures of games show them, box by box, each with its id. The drawings are our own; nothing of the",
        "publisher's artwork is used. What the boxes change stands in their [rules](rules).",
        "",
    ]
    files = {}
    for name, box in library().items():
        tiles = [tile for tile in drawn_tiles() if _box_of(tile) == name]
        if not tiles:
            continue
        files[DOCS / "gallery" / f"{name}.svg"] = tiles_svg(tiles, box.title)
        note = ["The edges of these tiles are a reconstruction: what the published tiles look like was not found.", ""]
        lines += [
            f"## {box.title}",
            "",
            *note * (name in RECONSTRUCTED),
            f"![The tiles of the box {name}: {', '.join(tiles)}](gallery/{name}.svg)",
            "",
        ]
    files[DOCS / "gallery" / "pieces.svg"] = pieces_svg()
    lines += ["## Pieces on tiles", "", "![Figures, ferries, castles and ingots on tiles](gallery/pieces.svg)", ""]
    return {DOCS / "gallery.md": "\n".join(lines)} | files


def _box_of(tile: str) -> str:
    return next(kind.box for kind in tile_kinds() if kind.id in (tile, tile + "a"))


def picture(preset_name: str, seed: int, tiles_left: int) -> bytes:
    """A position of a game of greedy against itself as a PNG file."""
    from carc_env import Game
    from carc_env.bots import make
    from carc_env.render import png

    game, greedy = Game(preset_name, seed=seed), make("greedy", seed=seed)
    while game.tiles_left > tiles_left or game.phase != Phase.PLACE_TILE:
        game.play(greedy.choose(game))
    return png(game, PICTURE_WIDTH)


def main(arguments: list[str]) -> None:
    """Write the pages, or with the word `pictures` the pictures."""
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
