"""Pages and pictures generated from the code.

`python -m carc_env.docs` writes docs/layout.md and a page for each environment, `python -m carc_env.docs pictures` (or
`make pictures`) those of the README: positions of games that greedy plays against itself, and docs/gallery.md, which shows
every tile.
"""

import sys
from dataclasses import replace
from pathlib import Path

from carc_env import encode
from carc_env.actions import N_ACTIONS, TABLE
from carc_env.boxes import BOX_NAMES, SPOTS, library, tile_kinds
from carc_env.candidates import MAX_CANDIDATES
from carc_env.envs import PRESETS
from carc_env.faces import FACES
from carc_env.layout import COLUMNS, GLOBALS, LAND_KINDS, N_GLOBALS, N_PLANES, PLANES, TABLE as VALUE_TABLE, VERSION, Entry
from carc_env.render import PICTURE_WIDTH
from carc_env.render.facts import drawn_tiles
from carc_env.render.gallery import pieces_svg, tiles_svg
from carc_env.rules.state import SIZE, Phase

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = {"board.png": ("goldmines", 7, 12), "france.png": ("carcassonne", 11, 44)}  # preset, seed, tiles left
RECONSTRUCTED = ("german_castles", "german_cathedrals")  # boxes with tiles whose edges were not found
ABOUT = {  # by preset: what it is, and the pages of its rules
    "base": ("the base game, 72 tiles", ("base",)),
    "goldmines": ("the base game with The Goldmines, 80 tiles and 16 ingots", ("base", "goldmines")),
    "france": ("Carcassonne Maps France with its Map-Chips: 114 tiles on a printed sheet (a reconstruction), 30 chips of wine",
               ("base", "maps", "map_chips")),
    "carcassonne": ("the board, the ingots and the wine chips together: France with The Goldmines, 122 tiles",
                    ("base", "maps", "map_chips", "goldmines")),
    "expansions": ("base game, The Goldmines, Inns & Cathedrals, Traders & Builders and the abbot, 122 tiles",
                   ("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot")),
    "everything": ("every box with all its rules on a free table, 177 tiles; an abbey and castle tiles in each hand",
                   tuple(name for name in BOX_NAMES if name != "map_chips")),
}


def _rows(entries: dict[str, Entry]) -> list[str]:
    return [_row(number, name, entry) for number, (name, entry) in enumerate(entries.items())]


def _row(where: int | str, name: str, entry: Entry) -> str:
    return f"| {where} | `{name}` | {entry.kind} | {entry.low} to {entry.high} | {entry.meaning} |"


def _globals() -> list[str]:
    """The rows of the globals; those for each tile kind are told once."""
    drawn = [kind.id for kind in tile_kinds() if kind.is_land]
    rows = [row for row in _rows(GLOBALS) if "`hand_" not in row and "`left_" not in row]
    for what in ("hand", "left"):
        first = list(GLOBALS).index(f"{what}_{LAND_KINDS[0]}")
        entry = replace(GLOBALS[f"{what}_{LAND_KINDS[0]}"], meaning=(
            f"{'1: the tile is in hand' if what == 'hand' else 'such tiles not drawn yet'}; in the order of "
            f"`carc_env.layout.LAND_KINDS`, from {LAND_KINDS[0]} to {drawn[-1]}; those after it are 0: tiles that players hold, and free places"))
        rows.append(_row(f"{first} to {first + len(LAND_KINDS) - 1}", f"{what}_<tile>", entry))
    return rows


def layout() -> str:
    """The whole page."""
    actions = [f"| {block.start} | {block.size} | `{block.name}` | {' x '.join(axis for axis in block.axes if axis)} | "
               f"{'; '.join(face.answers[block.name] for face in FACES if block.name in face.answers)} |" for block in TABLE]
    head, rule = "| index | name | kind | range | meaning |", "|---|---|---|---|---|"
    return "\n".join([
        "# Actions and observations",
        "",
        "Generated from the code by `make docs`; do not edit. All numbers are the same for every preset and number of",
        f"players. Layout version {VERSION}, hash `{encode.layout_hash()}`, of candidates and actions alone "
        f"`{encode.layout_hash('candidates')}`; a checkpoint for another one is refused.",
        "",
        "Names, kinds and ranges are data in `carc_env.layout` (`PLANES`, `GLOBALS`, `COLUMNS`), and the bounds of the observation",
        "space. A flag is 0 or 1, a category a number that names something, a count 0 or more, a share from 0 to 1, signed any number.",
        "What is about a box is 0 in games without it.",
        "",
        f"## Actions: `Discrete({N_ACTIONS})`",
        "",
        f"Rows and columns are those of the torus of {SIZE} x {SIZE} cells: the tile at (x, y) lies in row "
        f"`(y + {SIZE // 2}) % {SIZE}`,", f"column `(x + {SIZE // 2}) % {SIZE}`. Spots are numbered "
        f"{' '.join(SPOTS)}.",
        "",
        "| first id | ids | block | axes, the last runs fastest | meaning |", "|---|---|---|---|---|", *actions,
        "",
        f"## Planes: uint8 ({N_PLANES}, {SIZE}, {SIZE})", "", head, rule, *_rows(PLANES),
        "",
        f"## Globals: float32 ({N_GLOBALS},)", "",
        "Player 0 is the observer, 1 the next clockwise, and so on.", "", head, rule, *_globals(),
        "",
        f"## Candidates: float32 ({MAX_CANDIDATES}, {len(COLUMNS)})", "",
        "One row for each legal answer, ascending by action; `candidate_actions` holds the action ids, -1 where there",
        f"are fewer. Should there be more than {MAX_CANDIDATES}, those with the best prices are kept. All numbers are in",
        "points, tiles or pieces; how the prospects are estimated stands in `carc_env/prospects.py`.",
        "", head, rule, *_rows(COLUMNS),
        "",
        f"## The table: float32 ({len(VALUE_TABLE)},)", "",
        "What a value function over candidates gets besides them, see [libraries](libraries.md): how the game stands for a player.",
        "", head, rule, *_rows(VALUE_TABLE), ""])


def environment(name: str, preset: str) -> str:
    """The page of one environment, in Gymnasium's order."""
    what, pages = ABOUT[preset]
    rules = ", ".join(f"[{page}](../rules/{page}.md)" for page in pages)
    return f"""# `carc_env/{name}-v0`

Generated from the code by `make docs`; do not edit.

| | |
|---|---|
| Action space | `Discrete({N_ACTIONS})` |
| Observation space | `Dict(planes: uint8 ({N_PLANES}, {SIZE}, {SIZE}), globals: float32 ({N_GLOBALS},), action_mask: int8 ({N_ACTIONS},))` |
| import | `gymnasium.make("carc_env/{name}-v0")` (after `import carc_env`) |
| many games at once | `gymnasium.make_vec("carc_env/{name}-v0", n, "vector_entry_point")`, see [arguments](index.md#many-games-at-once) |
| other libraries | `carc_env.aec_env("{preset}")` (PettingZoo), `carc_env.envs.sb3.make_vec_env("carc_env/{name}-v0", n)`, see [libraries](../libraries.md) |

## Description

Carcassonne: {what}. Two players by default, more with `config`. Rules and readings: {rules}.

## Action space

One id for every answer to every question, the same in all games; see [actions and observations](../layout.md). In every
position only some are legal: use the mask.

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

## Version history

- v0: first version; since layout version 2 with places for all systems.
"""


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    found = {DOCS / "layout.md": layout()}
    for name, preset in PRESETS.items():
        found[DOCS / "environments" / f"{preset}.md"] = environment(name, preset)
    return found


def gallery() -> dict[Path, str]:
    """The page that shows every tile of every box, and its pictures, by their paths."""
    lines = ["# Every tile", "", "Generated from the code by `make pictures`; do not edit.", "",
             "All tiles as the pictures of games show them, box by box, each with its id. The drawings are our own; nothing of the",
             "publisher's artwork is used. What the boxes change stands in their [rules](rules).", ""]
    files = {}
    for name, box in library().items():
        tiles = [tile for tile in drawn_tiles() if _box_of(tile) == name]
        if not tiles:
            continue
        files[DOCS / "gallery" / f"{name}.svg"] = tiles_svg(tiles, box.title)
        note = ["The edges of these tiles are a reconstruction: what the published tiles look like was not found.", ""]
        lines += [f"## {box.title}", "", *note * (name in RECONSTRUCTED), f"![The tiles of the box {name}: {', '.join(tiles)}](gallery/{name}.svg)", ""]
    files[DOCS / "gallery" / "pieces.svg"] = pieces_svg()
    lines += ["## Pieces on tiles", "", "![Figures, ferries, castles and ingots on tiles](gallery/pieces.svg)", ""]
    return {DOCS / "gallery.md": "\n".join(lines)} | files


def _box_of(tile: str) -> str:
    return next(kind.box for kind in tile_kinds() if kind.id in (tile, tile + "a"))


def picture(preset: str, seed: int, tiles_left: int) -> bytes:
    """A position of a game of greedy against itself as a PNG file."""
    from carc_env import Game
    from carc_env.bots import make
    from carc_env.render import png

    game, greedy = Game(preset, seed=seed), make("greedy", seed=seed)
    while game.tiles_left > tiles_left or game.phase != Phase.PLACE_TILE:
        game.play(greedy.choose(game))
    return png(game, PICTURE_WIDTH)


def main(arguments: list[str]) -> None:
    """Write the pages, or with the word `pictures` the pictures."""
    if arguments == ["pictures"]:
        files = {path: text.encode() for path, text in gallery().items()} | {DOCS / name: picture(*of) for name, of in PICTURES.items()}
    else:
        files = {path: text.encode() for path, text in pages().items()}
    for path, data in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
