"""Setting up a game: from a GameConfig to the record that every game of it starts from."""

import functools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from carc_env.boxes import FIGURES, SIDES, library, tile_kinds, tile_numbers, tile_table
from carc_env.config import ConfigError, GameConfig
from carc_env.rules import batch
from carc_env.rules.geometry import cell_at
from carc_env.rules.state import (
    ABSENT,
    BOXES_IN_PLAY,
    FIRST_SLOT,
    GAME,
    IN_SUPPLY,
    MAX_MOVES,
    MAX_SEGMENTS,
    MAX_TILES,
    NONE,
    SIZE,
    GoldRule,
)


class DeckError(ValueError):
    """A dictated deck is not as it should be; the message names the place and the reason."""


class SeedError(ValueError):
    """A seed is not an integer from 0 to 2**64 - 1."""


def full_deck(config: GameConfig) -> list[str]:
    """The tile ids in the stack, unshuffled: all tiles of the boxes less the start tiles."""
    counts = Counter({kind.id: kind.counts[config.edition]
                      for name in config.all_boxes for kind in library()[name].kinds})
    counts.subtract({tile: 1 for tile, *_ in config.starts if counts[tile] > 0})
    return [tile for tile, count in counts.items() for _ in range(count)]


@functools.lru_cache(maxsize=64)
def template(config: GameConfig, deck: tuple[str, ...] | None = None) -> np.ndarray:
    """An array of one game record before its first question: start tiles lie, the deck is not shuffled.

    `deck` dictates the tiles in the order of drawing. Raises ConfigError or DeckError. Do not write to it.
    """
    tiles = full_deck(config) if deck is None else list(deck)
    check_deck(tiles, config)
    games = np.zeros(1, GAME)
    game = games[0]
    game["n_players"] = config.players
    for name in BOXES_IN_PLAY.names:
        game["boxes"][name] = name in config.boxes
    game["variants"]["small_city_points"] = config.small_city_points
    game["variants"]["ignore_unfinished_inns"] = config.unfinished_inn_cathedral == "ignore"
    game["variants"]["crop_must_add"] = config.crop_add == "must"
    game["variants"]["gold_rule"] = GoldRule[config.gold_rule.upper()]
    game["goldmines"]["supply"] = sum(library()[name].ingots for name in config.boxes)
    game["goldmines"]["visitor"] = NONE
    game["deck"][:len(tiles)] = [tile_numbers()[tile] for tile in tiles]
    game["n_deck"] = len(tiles)
    game["board"]["tile"] = NONE
    _give_figures(game, config)
    _lay_starts(games, config)
    games.flags.writeable = False
    return games


def check_deck(tiles: Sequence[str], config: GameConfig) -> None:
    """A deck has known tiles, at least one, and no more than a game record can hold. Raises DeckError."""
    if not tiles:
        raise DeckError("the deck is empty: at least one tile is needed")
    for place, tile in enumerate(tiles):
        if tile not in tile_numbers():
            raise DeckError(f"deck[{place}] = {tile!r}: unknown tile")
    kinds = [tile_kinds()[tile_numbers()[tile]] for tile in [*tiles, *(start[0] for start in config.starts)]]
    if len(kinds) > MAX_TILES:
        raise DeckError(f"the deck has {len(kinds)} tiles with the start tiles; at most {MAX_TILES} can be handled")
    segments = sum(len(kind.segments) for kind in kinds)
    if segments > MAX_SEGMENTS:
        raise DeckError(f"the tiles of the deck have {segments} roads, cities, fields and buildings together; "
                        f"at most {MAX_SEGMENTS} can be handled")
    ingots = sum(library()[name].ingots for name in config.boxes)
    assert 2 * len(kinds) + 2 * ingots <= MAX_MOVES


def _give_figures(game: np.record, config: GameConfig) -> None:
    """Every player's figures into the supply."""
    game["players"]["figures"] = ABSENT
    amounts = Counter({"meeple": config.meeples})
    for name in config.boxes:
        amounts.update({figure: n for figure, n in library()[name].figures.items() if figure != "meeple"})
    for figure, amount in amounts.items():
        first = FIRST_SLOT[FIGURES.index(figure)]
        game["players"]["figures"][:config.players, first:first + amount] = IN_SUPPLY


def _lay_starts(games: np.ndarray, config: GameConfig) -> None:
    """Lay the start tiles, which must fit beside each other."""
    _check_starts(config)
    kinds, xs, ys, degrees = zip(*config.starts)
    for axis, values in (("x_range", xs), ("y_range", ys)):
        games[0][axis] = min(values), max(values)
    cells = np.array([cell_at(x, y) for x, y in zip(xs, ys)], np.int64)
    numbers = np.array([tile_numbers()[kind] for kind in kinds], np.int64)
    batch.lay_starts(games, tile_table(), numbers, np.array(degrees, np.int64) // 90, cells)


def _check_starts(config: GameConfig) -> None:
    edges = {}
    for tile, x, y, degrees in config.starts:
        if (x, y) in edges:
            raise ConfigError(f"starts: two tiles on {x},{y}")
        turn = degrees // 90
        letters = tile_kinds()[tile_numbers()[tile]].edges
        edges[x, y] = letters[4 - turn:] + letters[:4 - turn]
    for axis in (0, 1):
        values = [cell[axis] for cell in edges]
        if max(values) - min(values) + 1 >= SIZE:
            raise ConfigError(f"starts: the tiles lie more than {SIZE - 1} cells apart")
        if max(map(abs, values)) > 100:
            raise ConfigError("starts: coordinates should be from -100 to 100")
    for (x, y), here in edges.items():
        for side, (dx, dy) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
            there = edges.get((x + dx, y + dy))
            if there and there[(side + 2) % 4] != here[side]:
                raise ConfigError(f"starts: the tile on {x},{y} does not match its neighbour on side {SIDES[side]}")


def seed_words(seeds: Sequence[int]) -> np.ndarray:
    """Seeds as int64[n, 2]: their low and high 32 bits. Raises SeedError."""
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
            raise SeedError(f"seed {seed!r} should be an integer from 0 to 2**64 - 1")
    return np.array([(int(seed) & 0xFFFFFFFF, int(seed) >> 32) for seed in seeds], np.int64).reshape(-1, 2)
