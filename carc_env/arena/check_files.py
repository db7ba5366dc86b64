"""Checks files. A checked file contains one of these: game records, a configuration, a description of a box, a
description of a map sheet, or a bot's heuristic weights. The type of a file is detected from its content.

`save_picture` draws the game or the map sheet of a checked file.
"""

import itertools
import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carc_env.boxes.sheets import RECONSTRUCTION, Sheet, read_sheet, room_for_chips
from carc_env.boxes.tiles import read_box
from carc_env.common import toml
from carc_env.common.errors import FileError, PictureError
from carc_env.games.game import Game
from carc_env.games.real_table import is_real_table
from carc_env.games.replay import replay, retrace
from carc_env.observing.keen import prices_in
from carc_env.render import picture_kind, save, sheet_letters
from carc_env.rules.expansions.maps import STARTS_USED
from carc_env.setup.config import GameConfig

SHEET_KEYS = {"rows", "town", "large_city", "border"}  # a TOML file with one of these keys describes a map sheet
BOX_KEYS = {"title", "tiles", "figures", "tile", "start", "ingots"}  # other files with one of these keys describe a box

PRICE_KEYS = {"parts", "early", "hands"}  # files with one of these keys hold the heuristic weights of a bot


@dataclass(frozen=True)
class Checked:
    """Describes a checked file that has no errors."""

    path: str
    kind: str  # the type of the file: records, box, sheet, prices or configuration
    summary: str
    letters: str = ""  # for a map sheet: its drawing in letters
    subject: Game | Sheet | None = None  # the game or the empty map sheet to draw; None if the file cannot be drawn


def check_file(path: Path | str) -> Checked:
    """Check a file of any type, and return a description of its content. Raises FileError if the file has an error."""
    text = read_text(path)
    if text.lstrip().startswith("{"):
        ((games, last),) = deque(enumerate(replay_text(path, text), 1), maxlen=1)
        return Checked(str(path), "records", f"game records: {games}, every move and score is correct", subject=last)
    try:
        data = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise FileError(
            f"{path}: the file contains neither game records (one JSON object per line) nor TOML; as TOML: {error}"
        ) from None
    if not data:
        raise FileError(f"{path}: the file is empty; it should contain TOML, or one game record per line")
    if SHEET_KEYS & set(data):
        return check_sheet(path)
    if PRICE_KEYS & set(data):
        return check_prices(path)
    return check_box(path) if BOX_KEYS & set(data) else check_config(path)


def check_prices(path: Path | str) -> Checked:
    """Check a file that contains the heuristic weights of a bot. Raises FileError."""
    try:
        prices = prices_in(Path(path))
    except ValueError as error:
        raise FileError(str(error)) from None
    return Checked(
        str(path),
        "prices",
        f"heuristic weights of a bot: a follower in supply is worth {prices[0]['follower']:g} points",
    )


def check_box(path: Path | str) -> Checked:
    """Check a file that describes the tiles and pieces of a box. Raises FileError."""
    try:
        box = read_box(path)
    except ValueError as error:
        raise FileError(f"{path}{str(error).removeprefix(Path(path).name)}") from None
    tiles = " or ".join(str(n) for n in dict.fromkeys(box.tiles.values()))
    return Checked(str(path), "box", f"box {box.name}: {tiles} tiles of {len(box.kinds)} kinds")


def check_sheet(path: Path | str) -> Checked:
    """Check a file that describes a map sheet. Raises FileError."""
    try:
        sheet = read_sheet(str(path))
    except ValueError as error:
        raise FileError(f"{path}{str(error).removeprefix(str(path)).removeprefix(Path(path).name)}") from None
    what = f", {RECONSTRUCTION}" if sheet.reconstruction else ""
    summary = (
        f"sheet {sheet.name}{what}: {sheet.columns} x {sheet.rows}, {len(sheet.squares)} squares for tiles, "
        f"{len(sheet.towns)} towns; {chip_room(sheet)}"
    )
    return Checked(str(path), "sheet", summary, sheet_letters(sheet), sheet)


def chip_room(sheet: Sheet) -> str:
    """Return a text that says how many chips fit on the map sheet. The rule for chips has two interpretations, and the
    text gives the number of chips for each of them. If the number of chips depends on the choice of start squares, the
    text gives the smallest and the largest number.
    """
    found = []
    for rule in ("any_edge", "open_edges_only"):
        room = {
            room_for_chips(sheet, used, rule == "open_edges_only")
            for used in itertools.combinations(sheet.starts, STARTS_USED)
        }
        found.append(" to ".join(str(n) for n in sorted({min(room), max(room)})) + f" ({rule})")
    return "room for chips: " + ", ".join(found)


def save_picture(checked: Checked, path: Path | str) -> None:
    """Save a drawing of the checked file as SVG or PNG. Raises PictureError if files of this type cannot be drawn, or
    if the suffix of the picture is unknown. Raises FileError if the picture cannot be written.
    """
    picture_kind(path)
    if checked.subject is None:
        raise PictureError(
            f"{checked.path}: a {checked.kind} file cannot be drawn; only map sheets, "
            "configurations and game records can be drawn"
        )
    save(checked.subject, path)


def check_config(path: Path | str) -> Checked:
    """Check a configuration file by setting up a game with its configuration. Raises FileError."""
    try:
        config = GameConfig.from_toml(path)
    except ValueError as error:
        raise FileError(str(error)) from None
    try:
        game = Game(config, seed=0)
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None
    return Checked(
        str(path),
        "configuration",
        f"configuration: {config.players} players, boxes "
        f"{', '.join(config.all_boxes)}, {on_sheet(config)}{len(game.deck)} tiles in the stack",
        subject=game,
    )


def on_sheet(config: GameConfig) -> str:
    """Return the name and size of a configuration's map sheet as text, or an empty text if there is no map sheet."""
    if config.sheet is None:
        return ""
    sheet = read_sheet(config.sheet)
    return f"map sheet {sheet.name} with {len(sheet.squares)} squares, "


def replay_file(path: Path | str) -> Iterator[Game]:
    """Yield the game of every record in a file. Every move and every score is checked. Raises FileError."""
    return replay_text(path, read_text(path))


def replay_text(path: Path | str, text: str) -> Iterator[Game]:
    """Yield the games of a text with one game record per line. Error messages name `path`. Raises FileError."""
    return (replay_line(*entry) for entry in record_lines(path, text))


def record_lines(path: Path | str, text: str) -> list[tuple[str, str]]:
    """Return `(place, line)` for every non-empty line of a text. For error messages, `place` contains the path and the
    line number. Raises FileError if all lines are empty.
    """
    found = [(f"{path}, line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not found:
        raise FileError(f"{path}: the file is empty; it should contain one game record per line")
    return found


def position_after(game: Game, moves: int) -> Game:
    """Return the position after the first `moves` actions of a game. If forced actions follow, they are also played."""
    return next(earlier for number, earlier in retrace(game.record()) if number >= moves)


def replay_line(place: str, line: str) -> Game:
    """Replay one game record. Raises a FileError with a message that begins with `place`."""
    try:
        record: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise FileError(f"{place}: the line is not JSON: {error}") from None
    except (ValueError, RecursionError) as error:  # a number with too many digits, or brackets nested too deeply
        raise FileError(f"{place}: the JSON cannot be read: {error}") from None
    if is_real_table(record):
        raise FileError(
            f"{place}: this is an unfinished game with cardboard tiles; `carc play --real-table --load` continues it"
        )
    try:
        return replay(record)
    except ValueError as error:
        raise FileError(f"{place}: {error}") from None


def read_text(path: Path | str) -> str:
    """Return the text of a file. Raises FileError."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: the file is not a text file: {error}") from None
