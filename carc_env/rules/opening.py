"""Prepares a game for its first decision."""

from numpy import int64

from carc_env.compiling.jit import jit
from carc_env.rules.chance import shuffle
from carc_env.rules.expansions import german_castles, map_chips, maps
from carc_env.rules.placement import place_tile
from carc_env.rules.state import NONE
from carc_env.rules.turn import begin_game, proceed


@jit
def set_up(game, tiles, chance, room):
    """Shuffle the deck of a new game, lay out the table, and continue to the first decision."""
    shuffle(game.deck, int(game.n_deck), chance)
    lay_out(game, tiles, chance, room)
    begin_game(game, tiles, room)
    proceed(game, tiles, room)


@jit
def lay_out(game, tiles, chance, room):
    """Deal the castle tiles. On a map sheet, also choose the start squares and their tiles at random, and lay out the
    chips.
    """
    if game.systems.maps.start_tile != NONE:
        draw_starts(game, tiles, chance)
    if game.systems.maps.chips_to_lay:
        map_chips.lay_chips(game, tiles, chance, room)
    german_castles.deal(game, chance, room)
    maps.forget_start(game)


@jit
def draw_starts(game, tiles, chance):
    """Lay the start tile on one of the start squares, and lay a random tile on another start square."""
    shuffle(game.systems.maps.starts, int64(game.systems.maps.n_starts), chance)
    maps.put_start_first(game, tiles.kinds[game.systems.maps.start_tile])
    laid, k = 0, 0
    while laid < maps.STARTS_USED and k < game.systems.maps.n_starts:
        cell, kind = int64(game.systems.maps.starts[k]), int64(game.systems.maps.start_tile)
        rotation = maps.random_rotation(game, tiles.kinds[kind], cell, chance) if k == 0 else NONE
        if rotation == NONE:
            kind, rotation = maps.tile_for_start(game, tiles, cell, chance)
        if rotation != NONE:
            place_tile(game, tiles, kind, int64(rotation), cell)
            laid += 1
        k += 1
