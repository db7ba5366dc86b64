"""The tables of docs/layout.md, generated from the code: `python -m carc_env.docs` writes the file anew."""

from pathlib import Path

from carc_env import encode
from carc_env.actions import N_ACTIONS, TABLE
from carc_env.boxes import SPOTS, tile_kinds
from carc_env.candidates import COLUMNS, MAX_CANDIDATES
from carc_env.rules.state import SIZE

LAYOUT = Path(__file__).parent.parent / "docs" / "layout.md"


def _rows(names: dict[str, str]) -> list[str]:
    return [f"| {number} | `{name}` | {meaning} |" for number, (name, meaning) in enumerate(names.items())]


def _globals() -> list[str]:
    """The rows of the globals; those for each tile kind are told once."""
    rows = [row for row in _rows(encode.GLOBALS) if "`hand_" not in row and "`left_" not in row]
    kinds = tile_kinds()
    for first, what in ((encode.HAND, "hand_<tile>"), (encode.LEFT, "left_<tile>")):
        meaning = "1: the tile is in hand" if what.startswith("hand") else "such tiles not drawn yet"
        rows.append(f"| {first} to {first + len(kinds) - 1} | `{what}` | {meaning}; from {kinds[0].id} to {kinds[-1].id} "
                    "in the order of `carc_env.boxes.tile_kinds()` |")
    return rows


def layout() -> str:
    """The whole page."""
    actions = [f"| {block.start} | {block.size} | `{block.name}` | {' x '.join(axis for axis in block.axes if axis)} | "
               f"{block.meaning} |" for block in TABLE]
    head, rule = "| index | name | meaning |", "|---|---|---|"
    return "\n".join([
        "# Actions and observations",
        "",
        "Generated from the code by `make docs`; do not edit. All numbers are the same for every preset and number of",
        f"players. Layout hash: `{encode.layout_hash()}`; a checkpoint with another one is refused.",
        "",
        f"## Actions: `Discrete({N_ACTIONS})`",
        "",
        f"Rows and columns are those of the torus of {SIZE} x {SIZE} cells: the tile at (x, y) lies in row "
        f"`(y + {SIZE // 2}) % {SIZE}`,", f"column `(x + {SIZE // 2}) % {SIZE}`. Spots are numbered "
        f"{' '.join(SPOTS)}.",
        "",
        "| first id | ids | block | axes, the last runs fastest | meaning |", "|---|---|---|---|---|", *actions,
        "",
        f"## Planes: uint8 ({encode.N_PLANES}, {SIZE}, {SIZE})", "", head, rule, *_rows(encode.PLANES),
        "",
        f"## Globals: float32 ({encode.N_GLOBALS},)", "",
        "Player 0 is the observer, 1 the next clockwise, and so on.", "", head, rule, *_globals(),
        "",
        f"## Candidates: float32 ({MAX_CANDIDATES}, {len(COLUMNS)})", "",
        "One row for each legal answer, ascending by action; `candidate_actions` holds the action ids, -1 where there",
        f"are fewer. Should there be more than {MAX_CANDIDATES}, those with the best prices are kept. All numbers are in",
        "points, tiles or pieces; how the prospects are estimated stands in `carc_env/prospects.py`.",
        "", head, rule, *_rows(COLUMNS), ""])


if __name__ == "__main__":
    LAYOUT.write_text(layout(), encoding="utf-8")
    print(f"wrote {LAYOUT}")
