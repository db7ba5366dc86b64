"""Reads game records from files, and replays them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from carc_env.boxes.actions import USUAL_SIZE
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import brief
from carc_env.common.errors import FileError, IllegalAction, RecordError
from carc_env.games.game import Game
from carc_env.notation.notes import Notes
from carc_env.notation.records import check_record
from carc_env.notation.texts import action_of
from carc_env.rules import batch
from carc_env.rules.state import game_dtype
from carc_env.setup.config import GameConfig, as_config


def replay(record: Mapping[str, Any]) -> Game:
    """Return the game that a record describes. The function replays the game, and checks every move and the scores.
    Raises RecordError.

    The keys `deck`, `starts`, `chips` and `german_castles` determine all draws of the game. The key `deck` is required.
    Some games also need `starts`, `chips` or `german_castles`. If one of these three keys is needed but missing, the
    record must contain the seed. The missing draws are then made from the seed.

    >>> game = Game("goldmines", seed=7)
    >>> game.play(game.legal_actions()[0])
    >>> replay(game.record()) == game
    True
    """
    check_record(record)
    try:
        return _replayed(record)
    except RecordError as error:
        raise RecordError(f"{error}{_about_table(record)}") from None


def _about_table(record: Mapping[str, Any]) -> str:
    """Return a hint about the table size, to be added to the error for a record that cannot be replayed. The hint is
    empty if the table size cannot be the cause of the error. A record without `table_size` can come from an old version
    of carc_env, in which all tables had 25 rows and columns.
    """
    config = record["config"]
    if not isinstance(config, Mapping) or "table_size" in config:
        return ""
    with suppress(ValueError):
        size = as_config(config).table_size
        if size != USUAL_SIZE:
            return (
                f'; the config of the record has no "table_size", so the table has {size} rows and columns; '
                f"if the game was played on a table of another size, such as {USUAL_SIZE}, add this size to the config"
            )
    return ""


def _check_draws(record: Mapping[str, Any], config: GameConfig) -> None:
    """Check that a record determines all draws of its game. Raises RecordError."""
    drawn = {
        "starts": config.starts is None,
        "chips": "map_chips" in config.boxes,
        "german_castles": "german_castles" in config.boxes,
    }
    missing = [key for key, is_drawn in drawn.items() if is_drawn and record.get(key) is None]
    if missing and record.get("seed") is None:
        raise RecordError(
            f"lacks {' and '.join(missing)}, and has no seed for the missing draws; add {' and '.join(missing)}, or "
            "the seed of the game"
        )


def _replayed(record: Mapping[str, Any]) -> Game:
    """Return the game of a record. The keys of the record have already been checked."""
    try:
        config = as_config(record["config"])
        _check_draws(record, config)
        games = np.zeros(1, game_dtype(config.boxes, config.table_size))
        game = Game._around(config, games, record.get("seed"), Notes.read(record, config.players))
        game._dictate(record["deck"], record.get("chips"), record.get("german_castles"), record.get("starts"))
    except ValueError as error:
        raise RecordError(f"record: {error}") from None
    for number, text in enumerate(record["moves"]):
        if game.state["n_moves"] > number:  # the engine has already given out the last ingots of a draft
            if game.moves[number] != text:
                raise RecordError(
                    f"moves[{number}] should be {game.moves[number]!r}, not {brief(text)}, because the engine gives "
                    "out the last ingots in a fixed order"
                )
            continue
        try:
            action = action_of(game.state, text)
            if not batch.replay(game._games, tile_table(), action):
                raise IllegalAction(game._why_not(action, text))
        except IllegalAction as error:
            raise RecordError(f"moves[{number}]: {error}") from None
    if game.state["n_moves"] > len(record["moves"]):
        raise RecordError(
            "the moves end too early: the engine itself gives out the last ingots, and the record should list these "
            f"moves, too, up to {game.moves[-1]!r}"
        )
    batch.go_on(game._games, tile_table())
    if "scores" in record and record["scores"] != game.scores.tolist():
        raise RecordError(f"scores = {brief(record['scores'])}, but the moves give {game.scores.tolist()}")
    return game


def retrace(record: Mapping[str, Any]) -> Iterator[tuple[int, Game]]:
    """Replay a record step by step. Yields a pair `(number, game)` before each action that a player chose, and one more
    pair after the last action. `number` counts the actions that were played before the yielded position.

    All yielded pairs contain the same Game object, which changes between the pairs. To keep a position, call
    `game.clone()`. Raises RecordError.

    >>> game = Game("base", deck=["U", "V"])
    >>> game.play("U@1,0/0")
    >>> [(number, again.phase.name) for number, again in retrace(game.record())]
    [(0, 'PLACE_TILE'), (1, 'PLACE_FIGURE')]
    """
    whole = replay(record)
    moves = whole.moves
    begun = {key: value for key, value in whole.record().items() if key not in ("scores", "forfeit")} | {"moves": []}
    game = replay(begun)
    while (number := int(game.state["n_moves"])) < len(moves):
        yield number, game
        game.play(moves[number])
    game.notes = whole.notes  # only the notes of the last position say that a player has forfeited the game
    yield number, game


def read_records(path: Path | str) -> Iterator[dict[str, Any]]:
    """Yield the game records of a JSON-lines file. If a line is not UTF-8 or not a JSON object, raises a
    RecordError with the line number. Raises FileError if the file cannot be opened.
    """
    try:
        lines = open(path, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115 - closed below
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    with lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.encode())
            except UnicodeEncodeError:  # the line contains bytes that could not be decoded
                raise RecordError(f"{path}, line {number} is not UTF-8 text") from None
            # `json` also raises these errors for a number with too many digits, and for brackets nested too deeply
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{path}, line {number} is not JSON: {error}") from None
            if not isinstance(record, dict):
                raise RecordError(f"{path}, line {number} should be a game record, not {brief(record)}")
            yield record
