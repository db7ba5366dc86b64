"""Makes the initial state of the games of a configuration.

Every game of a configuration begins as a copy of the configuration's initial state.
"""

import functools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from carc_env.boxes.sheets import GRAPES, Sheet, beside, read_sheet
from carc_env.boxes.tiles import (
    BOX_OF_KIND,
    FIGURES,
    KINDS,
    SIDES,
    TERRAINS,
    held_tiles,
    library,
    tile_kind,
    tile_numbers,
    tile_table,
)
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError, DeckError
from carc_env.rules import batch
from carc_env.rules.expansions import maps
from carc_env.rules.geometry import cell_of
from carc_env.rules.state import (
    ABSENT,
    BOXES_IN_PLAY,
    FIRST_PRINTED,
    FIRST_SLOT,
    IN_SUPPLY,
    MAX_SIZE,
    NONE,
    TURN,
    Step,
    game_dtype,
    whole_game,
)
from carc_env.setup import limits
from carc_env.setup.config import GameConfig, tiles_of
from carc_env.systems import BOX_OF_QUESTION, SYSTEMS
from carc_env.systems.german_castles.words import Hands, give
from carc_env.systems.map_chips.words import Chip, check_starts_leave_room, lay_chips


def full_deck(config: GameConfig) -> list[str]:
    """Return the ids of the tiles in the unshuffled stack.

    The stack contains all tiles of the boxes except the start tiles.
    """
    counts = tiles_of(config)
    starts = [(start_tile(config),)] if config.starts is None else config.starts
    for tile, *_ in starts:
        counts[tile] -= counts[tile] > 0
    return [tile for tile, count in counts.items() for _ in range(count)]


def start_tile(config: GameConfig) -> str:
    """Return the start tile of the first box that has one. Raises ConfigError if no box has a start tile."""
    for name in config.all_boxes:
        if start := library()[name].start:
            return start
    raise ConfigError("starts: no box in play has a start tile, so the configuration must give the start tiles")


@functools.lru_cache(maxsize=64)
def template(
    config: GameConfig,
    deck: tuple[str, ...] | None = None,
    chips: tuple[Chip, ...] | None = None,
    hands: Hands | None = None,
) -> np.ndarray:
    """Return the initial state of a game, in an array of length one.

    The deck is not shuffled. If `config.starts` is None, the start tiles are drawn at reset. If `config.starts` lists
    start tiles, these tiles are already on the table. Do not write to the returned array.

    Args:
        config: the configuration of the game.
        deck: the tiles of the stack, in the order in which they will be drawn. If `deck` is None, the stack contains
            all tiles of the boxes except the start tiles, unshuffled.
        chips: the Map-Chips of the game. If `chips` is None and the box `map_chips` is in play, the chips are laid out
            at reset.
        hands: the castle tiles that the players hold. If `hands` is None and the box `german_castles` is in play, the
            castle tiles are dealt at reset.

    Raises:
        ConfigError: the configuration is invalid.
        DeckError: the deck is invalid.
        ChipError: the chips are invalid.
    """
    tiles = full_deck(config) if deck is None else list(deck)
    check_deck(tiles, config)
    games = np.zeros(1, game_dtype(config.boxes, config.table_size))
    game = games.view(whole_game(config.table_size))[0]
    game["n_players"] = config.players
    for name in BOXES_IN_PLAY.names or ():
        game["boxes"][name] = name in config.boxes
    game["kinds"] = sum(
        1 << number for number, kind in enumerate(KINDS) if BOX_OF_KIND.get(kind, "base") in ("base", *config.boxes)
    )
    for system in SYSTEMS:
        for name, value in system.variants(config).items():
            game["variants"][name] = value
        system.set_up(game, config)
    game["following"] = _steps(config)
    game["deck"][: len(tiles)] = [tile_numbers()[tile] for tile in tiles]
    game["n_deck"] = len(tiles)
    board = game["board"]
    board["tile"] = board["grape"] = board["chip"] = NONE
    board["is_square"], board["around"] = 1, 8
    _give_figures(game, config)
    if config.sheet is not None:
        _print_sheet(games, read_sheet(config.sheet), config.table_size)
    game["systems"]["maps"]["start_tile"] = NONE
    if config.starts is None:
        game["systems"]["maps"]["start_tile"] = tile_numbers()[start_tile(config)]
    else:
        _lay_starts(games, config)
        maps.forget_start(game)
    if chips is not None:
        lay_chips(game, config, chips)
    elif "map_chips" in config.boxes:
        check_starts_leave_room(config)
        game["systems"]["maps"]["chips_to_lay"] = 1
    if hands is not None:
        give(game, hands)
    games.flags.writeable = False
    return games


def _steps(config: GameConfig) -> list[int]:
    """For each step of a turn, return the step that comes next in games of this configuration.

    The last step of a turn is followed by the first step of the next turn.
    """
    steps = [step for step in TURN if step in tuple(Step) or BOX_OF_QUESTION.get(step) in ("base", *config.boxes)]
    return [next((step for step in steps if step > before), steps[0]) for before in TURN]


# --- sheets -------------------------------------------------------------------------------------------------
def _print_sheet(games: np.ndarray, sheet: Sheet, size: int) -> None:
    """Put the squares, borders, towns and large cities of a map sheet on the table."""
    game, board = games[0], games[0]["board"]
    game["systems"]["maps"]["on_sheet"] = 1
    game["x_range"], game["y_range"] = (0, sheet.columns - 1), (0, sheet.rows - 1)
    board["is_square"] = 0
    for x, y in sheet.squares | {part.square for part in sheet.large}:
        board["is_square"][cell_of(x, y, True, size)] = 1
    squares = board["is_square"].reshape(size, size)
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    board["around"] = sum(np.roll(squares, step, (0, 1)) for step in steps).ravel()
    for town in sheet.towns:
        board["grape"][cell_of(*town.square, True, size)] = GRAPES.index(town.grape)
    for border in sheet.borders:
        cell, side = cell_of(*border.square, True, size), SIDES.index(border.edge)
        board["coats"][cell, side] = border.coats
        board["need"][cell] |= TERRAINS[border.kind[0].upper()] << 2 * side
        board["need_mask"][cell] |= 3 << 2 * side
        board["printed"][cell] = board["need"][cell]
    game["systems"]["maps"]["n_starts"] = len(sheet.starts)
    game["systems"]["maps"]["starts"][: len(sheet.starts)] = [cell_of(*square, True, size) for square in sheet.starts]
    cells = np.array([cell_of(*part.square, True, size) for part in sheet.large], np.int64)
    for cell, part in zip(cells, sheet.large):
        board["large"][cell] = part.number
    kinds = [FIRST_PRINTED + sum(1 << side for side in range(4) if part.edges[side] == "C") for part in sheet.large]
    batch.print_large_cities(
        games,
        tile_table(),
        cells,
        np.array(kinds, np.int64),
        np.array([part.pennants for part in sheet.large], np.int64),
    )


def check_deck(tiles: Sequence[str], config: GameConfig) -> None:
    """Check that a deck has at least one tile and only known tiles, and that the game stays within every limit (see
    `limits`).

    Raises DeckError or ConfigError if a check fails.
    """
    if not tiles:
        raise DeckError("the deck is empty; it should contain at least one tile, so the game needs a box with tiles")
    for place, tile in enumerate(tiles):
        if tile in held_tiles():
            raise DeckError(f"deck[{place}] = {brief(tile)}: such tiles are in the players' hands and cannot be drawn")
        if tile not in tile_numbers():
            raise DeckError(f"deck[{place}] = {brief(tile)}: unknown tile")
    starts = [start_tile(config)] if config.starts is None else [start[0] for start in config.starts]
    limits.check(config, starts, tiles)


def _give_figures(game: np.record, config: GameConfig) -> None:
    """Put every player's figures into the supply."""
    game["players"]["figures"] = ABSENT
    amounts = Counter({"meeple": config.meeples})
    for name in config.boxes:
        amounts.update({figure: n for figure, n in library()[name].figures.items() if figure != "meeple"})
    for figure, amount in amounts.items():
        first = FIRST_SLOT[FIGURES.index(figure)]
        game["players"]["figures"][: config.players, first : first + amount] = IN_SUPPLY


def _lay_starts(games: np.ndarray, config: GameConfig) -> None:
    """Place the start tiles on the table, after checking that they fit together."""
    _check_starts(config)
    kinds, xs, ys, degrees = zip(*(config.starts or ()))
    if config.sheet is None:
        for axis, values in (("x_range", xs), ("y_range", ys)):
            games[0][axis] = min(values), max(values)
    cells = np.array([cell_of(x, y, config.sheet is not None, config.table_size) for x, y in zip(xs, ys)], np.int64)
    numbers = np.array([tile_numbers()[kind] for kind in kinds], np.int64)
    batch.lay_starts(games, tile_table(), numbers, np.array(degrees, np.int64) // 90, cells)


def _check_starts(config: GameConfig) -> None:
    edges, starts = {}, config.starts or ()
    sheet = None if config.sheet is None else read_sheet(config.sheet)
    if any(abs(x) > 100 or abs(y) > 100 for _, x, y, _ in starts):
        raise ConfigError("starts: coordinates should be from -100 to 100")
    for tile, x, y, degrees in starts:
        if sheet is not None and (x, y) not in sheet.squares:
            raise ConfigError(f"starts: {x},{y} is not a square for tiles on the sheet {sheet.name}")
        if (x, y) in edges:
            raise ConfigError(f"starts: there are two tiles on {x},{y}")
        turn = degrees // 90
        letters = tile_kind(tile).edges
        edges[x, y] = letters[4 - turn :] + letters[: 4 - turn]
    for axis in (0, 1):
        values = [cell[axis] for cell in edges]
        span, most = max(values) - min(values) + 1, config.table_size - 1
        if sheet is None and span > most:
            raise ConfigError(
                f"starts: the tiles span {span} cells, but on a table of {config.table_size} rows and columns a "
                f"layout spans at most {most}. Use a larger table_size, up to {MAX_SIZE}, or place the tiles closer "
                "together"
            )
    for (x, y), here in edges.items():
        for side, (dx, dy) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
            there = edges.get((x + dx, y + dy))
            if there and there[(side + 2) % 4] != here[side]:
                raise ConfigError(f"starts: the tile on {x},{y} does not match its neighbour on side {SIDES[side]}")
    if config.sheet is not None:
        _check_printed_edges(edges, read_sheet(config.sheet))


def _check_printed_edges(edges: dict[tuple[int, int], str], sheet: Sheet) -> None:
    """Check that the start tiles match the map sheet.

    The start tiles must match the edges of large cities, and the roads and cities at the border of the map sheet.
    """
    for border in sheet.borders:
        letters = edges.get(border.square)
        if letters and letters[SIDES.index(border.edge)] != border.kind[0].upper():
            raise ConfigError(
                f"starts: the tile on {border.square[0]},{border.square[1]} does not match the {border.kind} "
                f"printed at the border on side {border.edge}"
            )
    for large in sheet.large:
        for side, edge in enumerate(SIDES):
            square = beside(large.square, edge)
            if square in edges and edges[square][(side + 2) % 4] != large.edges[side]:
                raise ConfigError(
                    f"starts: the tile on {square[0]},{square[1]} does not match the large city {large.city} on "
                    f"side {SIDES[(side + 2) % 4]}"
                )
