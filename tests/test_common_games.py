"""Checks that games without rare boxes, which are compiled without the rules of these boxes, are played as with these
rules.
"""

import dataclasses

import numpy as np
import pytest

import carc_env
from carc_env.boxes.tiles import tile_table
from carc_env.games.game import copied
from carc_env.observing import encode
from carc_env.observing.spaces import layout_of
from carc_env.rules import batch
from carc_env.rules.answers import ROOM, ids_of
from carc_env.rules.double_tiles import castle_on, other_square
from carc_env.rules.expansions import abbeys, castles, ferries
from carc_env.rules.state import NONE, RARE, SYSTEMS, common_game, game_dtype, whole_game
from tests import modes

COMPILED = pytest.mark.skipif(modes.NAME == "uncompiled", reason="uncompiled games have one dtype")
STRANGE = carc_env.GameConfig(
    boxes=("goldmines", "abbot", "inns_and_cathedrals", "traders_and_builders", "crop_circles"),
    tiles_only=("ferries", "shrines", "special_monasteries", "darmstadt", "baba_yaga", "german_cathedrals"),
)
CONFIGS = {name: carc_env.preset(name) for name in ("base", "goldmines", "france", "carcassonne")} | {
    # the rules are compiled for each table size
    "expansions": dataclasses.replace(carc_env.preset("expansions"), table_size=25),
    "strange": STRANGE,
}


@pytest.mark.parametrize("size", [15, 25, 40])
def test_a_common_record_lacks_the_names_of_rare_boxes_and_nothing_else(size):
    """Both records have all other fields at the same places."""
    every, some = whole_game(size), common_game(size)
    assert some.itemsize == every.itemsize and set(RARE) & set(SYSTEMS.names) == set(SYSTEMS.names) - set(
        some["systems"].names
    )
    for whole, common in ((every, some), (every["systems"], some["systems"])):
        assert {name: common.fields[name][1] for name in common.names}.items() <= {
            name: whole.fields[name][1] for name in whole.names
        }.items()
    assert every.names == some.names


@COMPILED
@pytest.mark.parametrize("box", [*carc_env.preset("everything").boxes, "map_chips"])
def test_one_rare_box_makes_a_game_that_knows_them_all(box):
    """Games without a rare box are common games."""
    assert game_dtype((box,), 25) == (whole_game(25) if box in RARE else common_game(25))


@COMPILED
@pytest.mark.long  # compiles the rules of rare boxes once more, for smaller tables
@pytest.mark.parametrize("name", CONFIGS)
def test_common_games_play_as_all_games_do(name):
    """The states of the games are the same, bit for bit, until the end, and so are the observations on the way."""
    size = CONFIGS[name].table_size
    common = carc_env.Games(CONFIGS[name], 6, range(6)).records
    assert common.dtype == common_game(size)
    whole, rng = copied(common).view(whole_game(size)), np.random.default_rng(7)
    while (common["player"] != NONE).any():
        actions = []
        for records in (common, whole):
            masks = np.zeros((len(records), ids_of(size).n), np.int8)
            batch.legal_masks(records, tile_table(), masks)
            actions.append(masks)
        assert np.array_equal(*actions)
        answers = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else NONE for mask in actions[0]], np.int64)
        for records in (common, whole):
            batch.step(records, tile_table(), answers)
        if rng.random() < 0.2:
            observers = np.zeros(len(common), np.int64)
            seen, other = (
                encode.observe(
                    records, observers, encode.ObservationSpec(layout_of(size, "common"), "both", table=True)
                )
                for records in (common, whole)
            )
            assert all(np.array_equal(seen[key], other[key]) for key in seen)
        assert common.tobytes() == whole.tobytes()


@COMPILED
def test_functions_of_a_rare_box_say_what_holds_without_it():
    """Calls the functions from Python, whether or not compiled code has called them before."""
    games, tiles, rooms = carc_env.Games("base", 1, [0]), tile_table(), np.empty(1, ROOM)
    record, room = games.records[0], rooms[0]
    assert other_square(record, 0) == castle_on(record, 0) == NONE
    assert not abbeys.is_offered(record) and abbeys.held(record, 0) == castles.tokens(record, 0) == 0
    assert ferries.options(record, tiles[0], room) == 0 and ferries.apply(record, tiles[0], 0, room)
    castles.on_part_begun(record)
    assert abbeys.is_offered(carc_env.Games("everything", 1, [0]).records[0]) is False
