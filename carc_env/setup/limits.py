"""Checks that a new game stays within the sizes in rules/state.py, whatever actions the players choose. See `check`.

The rules write to arrays of fixed sizes and to small integer types without checking for overflow. Unusual decks, start
tiles, chips or map sheets could exceed some sizes in rules/state.py. For each size that could be exceeded, one function
computes the largest value that any sequence of actions could reach. If the largest value exceeds the size, the function
raises an error. All other sizes in rules/state.py are large enough for any game, for these reasons:

- MAX_KINDS, MAX_TILE_SEGMENTS, MAX_LARGE, MAX_STARTS: boxes/tiles.py and boxes/sheets.py reject larger numbers.
- FEATURE.extras, FEATURE.goods, PLAYER.goods: a tile has at most one inn, cathedral or goods symbol, so a game has at
  most 192 of each symbol. A test in tests/test_limits.py checks that no tile has more than one inn, cathedral or goods
  symbol.
- FEATURE.cathedral_ends: MAX_COMPLETED limits the German cathedrals of a game to 47. At most four roads end at each
  German cathedral, so the largest value is 188.
- MAX_EVENTS: events beyond this number are not recorded, see rules/history.py.
"""

from collections.abc import Callable, Iterable, Sequence

from carc_env.boxes.sheets import Square, beside, read_sheet
from carc_env.boxes.tiles import SIDES, TileKind, tile_kind
from carc_env.common.errors import ConfigError, DeckError
from carc_env.rules.expansions.maps import STARTS_USED
from carc_env.rules.state import MAX_COMPLETED, MAX_FRONTIER, MAX_MOVES, MAX_SEGMENTS, MAX_TILES, NONE
from carc_env.setup.config import GameConfig
from carc_env.systems import SYSTEMS, Makings, System

MOST_POINTS = 2**15 - 1  # the largest number that PLAYER.score can hold
MOST_COATS = 2**8 - 1  # the largest number of coats of arms that FEATURE.coats can hold for one road


def check(config: GameConfig, starts: Sequence[str], deck: Sequence[str]) -> None:
    """Check that a game with these start tiles and this stack stays within every limit. Raises ConfigError or DeckError
    for the first limit that the game could exceed.
    """
    held = tuple(kind for system in SYSTEMS if system.is_in_play(config) for kind in system.held(config))
    makings = Makings(
        config, kinds_of(starts), kinds_of(deck), None if config.sheet is None else read_sheet(config.sheet), held
    )
    for check_limit in (
        check_tiles,
        check_segments,
        check_frontier,
        check_moves,
        check_completed,
        check_coats,
        check_points,
    ):
        check_limit(makings)


def kinds_of(tiles: Iterable[str]) -> tuple[TileKind, ...]:
    """Return the `TileKind` of each given tile."""
    return tuple(tile_kind(tile) for tile in tiles)


def check_tiles(makings: Makings) -> None:
    """Check that the stack and the start tiles have at most MAX_TILES tiles in total."""
    if len(makings.tiles) > MAX_TILES:
        raise DeckError(
            f"the deck and the start tiles have {len(makings.tiles)} tiles together; at most {MAX_TILES} are supported"
        )


def check_segments(makings: Makings) -> None:
    """Check that the number of segments cannot exceed MAX_SEGMENTS. The number includes the segments of all tiles, even
    of the tiles in the players' hands. Every printed square of a large city counts as one segment.
    """
    printed = len(makings.sheet.large) if makings.sheet else 0
    segments = sum(len(kind.segments) for kind in makings.all_tiles) + printed
    if segments > MAX_SEGMENTS:
        what = f", with the {printed} squares of the large cities" if printed else ""
        raise DeckError(
            f"the tiles of the deck have {segments} roads, cities, fields and buildings together{what}; "
            f"at most {MAX_SEGMENTS} are supported"
        )


def check_frontier(makings: Makings) -> None:
    """Check that the number of empty squares beside the layout cannot exceed MAX_FRONTIER.

    A group of n connected squares has at most 2 n + 2 empty neighbours. A straight row of n squares has exactly 2 n + 2
    empty neighbours.

    An abbey is placed on an empty square that is surrounded by tiles. An abbey adds no empty square beside the layout,
    so abbeys are not counted here.
    """
    sheet, starts = makings.sheet, makings.config.starts
    groups = STARTS_USED if starts is None else count_groups({(x, y) for _, x, y, _ in starts})
    occupied, room = len(makings.tiles) + sum(kind.inner != NONE for kind in makings.held), makings.config.table_size**2
    if sheet:
        groups += len({square.number for square in sheet.large})
        occupied += len(sheet.large)
        room = len(sheet.squares)
    empty = min(2 * occupied + 2 * groups, room)
    if empty > MAX_FRONTIER:
        raise ConfigError(
            f"starts: the layout can have up to {empty} empty squares beside it, but at most {MAX_FRONTIER} are "
            f"supported. The tiles and large cities of the layout can cover {occupied} squares, in {groups} groups. "
            "Connect the start tiles, or use a smaller deck"
        )


def count_groups(squares: set[Square]) -> int:
    """Return the number of connected groups of squares."""
    groups, left = 0, set(squares)
    while left:
        groups, todo = groups + 1, [left.pop()]
        while todo:
            around = {beside(todo[-1], edge) for edge in SIDES} & left
            left -= around
            todo[-1:] = around
    return groups


def each_box(makings: Makings, worst: Callable[[System], int]) -> tuple[int, str]:
    """Call `worst` for the system of each box in play, and add up the results. For a box, `worst` returns an upper
    limit, such as the largest number of features that the box can complete in a turn.

    Returns:
        the sum of the numbers that `worst` returns, and a string. The string lists each number other than 0 after the
        name of its box.
    """
    found = {system.box: worst(system) for system in SYSTEMS if system.is_in_play(makings.config)}
    return sum(found.values()), ", ".join(f"{box} {number}" for box, number in found.items() if number)


def check_moves(makings: Makings) -> None:
    """Check that the number of actions in a game cannot exceed MAX_MOVES."""
    most, each = each_box(makings, lambda system: system.most_answers(makings))
    if most > MAX_MOVES:
        raise DeckError(
            f"a game with this deck can have {most} actions ({each}); at most {MAX_MOVES} are supported, "
            "so use fewer tiles"
        )


def check_completed(makings: Makings) -> None:
    """Check that the number of features completed in one turn cannot exceed MAX_COMPLETED."""
    most, each = each_box(makings, lambda system: system.most_completed(makings))
    if most > MAX_COMPLETED:
        raise DeckError(
            f"a turn with this deck can complete {most} features ({each}); at most {MAX_COMPLETED} are supported, "
            "so use fewer tiles"
        )


def check_coats(makings: Makings) -> None:
    """Check that FEATURE.coats is large enough for the coats of arms at the border of the map sheet.

    In the worst case, one road is connected to all roads printed at the border.
    """
    borders = makings.sheet.borders if makings.sheet else ()
    coats = sum(border.coats for border in borders if border.kind == "road")
    if coats > MOST_COATS:
        raise ConfigError(
            f"sheet {makings.sheet.name}: the roads printed at the border have {coats} coats of arms together; at most "
            f"{MOST_COATS} are supported"
        )


def check_points(makings: Makings) -> None:
    """Check that no player can score more points than PLAYER.score and PLAYER.points can hold.

    In the worst case, one player scores all points, and every feature is worth its maximum.
    """
    once, _ = each_box(makings, lambda system: system.most_of_features(makings))
    besides, _ = each_box(makings, lambda system: system.most_besides(makings, once))
    if once + besides > MOST_POINTS:
        raise ConfigError(
            f"a player could score {once + besides} points from these tiles and this sheet; "
            f"at most {MOST_POINTS} are supported, so use a smaller deck, or fewer pennants and coats of arms"
        )
