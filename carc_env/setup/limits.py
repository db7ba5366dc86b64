"""Limits: a check that a game stays within the sizes of rules/state.py, whatever is played. It runs once for each new
game.

The rules write to arrays of fixed sizes and to narrow numbers without checking for overflow. So for every size that a
deck, start tiles, chips or a sheet could exceed, a function here computes the worst case and refuses what is too much.
The other sizes are safe in any game, as tests/test_limits.py shows from the tiles of the boxes:

- MAX_KINDS, MAX_TILE_SEGMENTS, MAX_LARGE, MAX_STARTS: boxes/tiles.py and boxes/sheets.py refuse more;
- FEATURE.extras, FEATURE.goods, PLAYER.goods: a tile has at most one inn, cathedral or goods symbol, so there are at
  most 192;
- FEATURE.cathedral_ends: the number of German cathedrals that MAX_COMPLETED allows has at most 192 roads;
- MAX_EVENTS: further events are not listed, see rules/history.py.
"""

from collections.abc import Callable, Iterable, Sequence

from carc_env.boxes.sheets import Square, beside, read_sheet
from carc_env.boxes.tiles import SIDES, TileKind, tile_kind
from carc_env.common.errors import ConfigError, DeckError
from carc_env.rules.expansions.maps import STARTS_USED
from carc_env.rules.state import MAX_COMPLETED, MAX_FRONTIER, MAX_MOVES, MAX_SEGMENTS, MAX_TILES, NONE
from carc_env.setup.config import GameConfig
from carc_env.systems import SYSTEMS, Makings, System

MOST_POINTS = 2**15 - 1  # what PLAYER.score can hold
MOST_COATS = 2**8 - 1  # what FEATURE.coats can hold, for one road


def check(config: GameConfig, starts: Sequence[str], deck: Sequence[str]) -> None:
    """Check that a game with these start tiles and this stack stays within every limit. Raises ConfigError or
    DeckError, which names the first limit that it could exceed.
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
    """The kinds of some tiles."""
    return tuple(tile_kind(tile) for tile in tiles)


def check_tiles(makings: Makings) -> None:
    """Check MAX_TILES: the number of tiles in the stack and of start tiles."""
    if len(makings.tiles) > MAX_TILES:
        raise DeckError(
            f"the deck has {len(makings.tiles)} tiles with the start tiles; at most {MAX_TILES} can be handled"
        )


def check_segments(makings: Makings) -> None:
    """Check MAX_SEGMENTS. Every tile, including those in hand, adds its segments, and every printed square of a large
    city adds one.
    """
    printed = len(makings.sheet.large) if makings.sheet else 0
    segments = sum(len(kind.segments) for kind in makings.all_tiles) + printed
    if segments > MAX_SEGMENTS:
        what = f", with the {printed} squares of the large cities" if printed else ""
        raise DeckError(
            f"the tiles of the deck have {segments} roads, cities, fields and buildings together{what}; "
            f"at most {MAX_SEGMENTS} can be handled"
        )


def check_frontier(makings: Makings) -> None:
    """Check MAX_FRONTIER: n connected squares have at most 2 n + 2 empty neighbours, as in a straight row.

    An abbey fills a hole, so it only reduces their number.
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
            f"starts: {occupied} tiles and squares of large cities in {groups} places can have {empty} empty squares "
            f"beside them; at most {MAX_FRONTIER} can be handled, so let the start tiles hang together, or take a "
            "smaller deck"
        )


def count_groups(squares: set[Square]) -> int:
    """The number of connected groups of squares."""
    groups, left = 0, set(squares)
    while left:
        groups, todo = groups + 1, [left.pop()]
        while todo:
            around = {beside(todo[-1], edge) for edge in SIDES} & left
            left -= around
            todo[-1:] = around
    return groups


def each_box(makings: Makings, worst: Callable[[System], int]) -> tuple[int, str]:
    """The worst case for all boxes in play together, and a description of each box's part."""
    found = {system.box: worst(system) for system in SYSTEMS if system.is_in_play(makings.config)}
    return sum(found.values()), ", ".join(f"{box} {number}" for box, number in found.items() if number)


def check_moves(makings: Makings) -> None:
    """Check MAX_MOVES: the number of actions that the boxes in play can cause."""
    most, each = each_box(makings, lambda system: system.most_answers(makings))
    if most > MAX_MOVES:
        raise DeckError(
            f"a game of this deck can have {most} actions ({each}); at most {MAX_MOVES} can be handled, "
            "so take fewer tiles"
        )


def check_completed(makings: Makings) -> None:
    """Check MAX_COMPLETED: the number of features that can be completed in one turn."""
    most, each = each_box(makings, lambda system: system.most_completed(makings))
    if most > MAX_COMPLETED:
        raise DeckError(
            f"a turn with this deck can complete {most} features ({each}); at most {MAX_COMPLETED} can be handled, "
            "so take fewer tiles"
        )


def check_coats(makings: Makings) -> None:
    """Check FEATURE.coats: one road may end at every road that is printed at the border."""
    borders = makings.sheet.borders if makings.sheet else ()
    coats = sum(border.coats for border in borders if border.kind == "road")
    if coats > MOST_COATS:
        raise ConfigError(
            f"sheet {makings.sheet.name}: the roads printed at the border have {coats} coats of arms together; at most "
            f"{MOST_COATS} can be handled"
        )


def check_points(makings: Makings) -> None:
    """Check PLAYER.score and PLAYER.points. In the worst case one player owns everything, and everything scores its
    maximum.
    """
    once, _ = each_box(makings, lambda system: system.most_of_features(makings))
    besides, _ = each_box(makings, lambda system: system.most_besides(makings, once))
    if once + besides > MOST_POINTS:
        raise ConfigError(
            f"a player could get {once + besides} points from these tiles and this sheet; "
            f"at most {MOST_POINTS} can be handled, so take a smaller deck, or fewer pennants and coats of arms"
        )
