"""Tests of the table size: it belongs to the configuration, the number of tiles determines the default, and a game that
would need a larger table says so.
"""

import dataclasses
import json

import numpy as np
import pytest

import carc_env
from carc_env import ConfigError, CutOff, Game, GameConfig, Games, RecordError, replay
from carc_env.rules import geometry
from carc_env.rules.state import MAX_SIZE, MIN_SIZE, size_of_dtype
from carc_env.setup.config import TABLE_SIZES, usual_table_size
from tests import modes
from tests.modes import nightly, sized

# The size of the small table. Rules are compiled for each size, so a very small table is used only without the
# compiler.
SMALL = sized(25, 25, 5)
ROADS = ["U"] * (SMALL + 7)
SIZES = {
    "base": 25,
    "goldmines": 25,
    "goldmines-c1": 25,
    "france": 25,
    "carcassonne": 25,
    "expansions": 31,
    "everything": 75,
}


other_size = pytest.mark.skipif(modes.NAME == "compiled", reason="rules are compiled for each size of the table")


def on(size, preset="base", **settings):
    """Return the configuration of a preset with this table size."""
    return dataclasses.replace(carc_env.preset(preset), table_size=size, **settings)


@pytest.mark.parametrize(
    "preset", [pytest.param(name, marks=other_size) if SIZES[name] == 31 else name for name in carc_env.presets()]
)
def test_each_preset_has_the_size_that_its_tiles_need(preset):
    config = carc_env.preset(preset)
    assert config.table_size == SIZES[preset] and size_of_dtype(Games(config, 1, [0]).records.dtype) == SIZES[preset]


def test_the_size_grows_with_the_number_of_tiles():
    assert [usual_table_size(n) for n in (1, 100, 101, 150, 151, 192, 1000)] == [25, 25, 31, 31, 75, 75, 75]
    assert [size for size, _ in TABLE_SIZES] == sorted(size for size, _ in TABLE_SIZES)
    # the size is chosen again
    assert dataclasses.replace(carc_env.preset("base"), boxes=carc_env.preset("everything").boxes).table_size == 75


@other_size
def test_a_size_of_ones_own_stands_in_toml_and_records(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('boxes = ["base"]\ntable_size = 31\n')
    config = GameConfig.from_toml(path)
    assert config == GameConfig(table_size=31) and GameConfig.from_toml(path).table_size == 31
    path.write_text(config.to_toml())
    assert GameConfig.from_toml(path) == config
    record = Game(config, deck=ROADS).record()
    assert record["config"]["table_size"] == 31 and replay(record).config == config
    assert Game.from_position(Game(config, deck=ROADS).position()).config.table_size == 31


@pytest.mark.parametrize(
    "settings, words",
    [
        (
            {"table_size": MIN_SIZE - 1},
            f"table_size = {MIN_SIZE - 1}: should be from {MIN_SIZE} to {MAX_SIZE} rows and columns",
        ),
        ({"table_size": MAX_SIZE + 1}, "rows and columns"),
        ({"table_size": 25.0}, "table_size = 25.0: should be of type int"),
        ({"table_size": True}, "should be of type int"),
        (
            {"table_size": 14, "sheet": "france"},
            "the sheet france has 13 x 14 squares, so at least 15 rows and columns are needed",
        ),
    ],
)
def test_sizes_that_cannot_be_are_refused(settings, words):
    with pytest.raises(ConfigError) as error:
        GameConfig(**settings)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_start_tiles_have_to_fit():
    starts = (("D", 0, 0, 0), ("D", 29, 0, 0))
    with pytest.raises(
        ConfigError, match="the tiles span 30 cells, but on a table of 25 rows and columns a layout spans at most 24"
    ):
        Game(GameConfig(starts=starts), deck=["U"])


@other_size
def test_more_start_tiles_fit_on_a_larger_table():
    starts = (("D", 0, 0, 0), ("D", 29, 0, 0))
    assert len(Game(GameConfig(starts=starts, table_size=31), deck=["U"]).board()) == 2


def test_a_layout_that_may_not_grow_says_so_once():
    """Checks that a road cannot grow further when it is one tile shorter than the table is wide, and that this is
    reported once.
    """
    game = Game(GameConfig(table_size=SMALL), deck=ROADS)
    for x in range(1, SMALL - 2):
        game.play(f"U@{x},0/0")
        game.play("pass")
        assert not game.is_cut_off
    game.play(f"U@{SMALL - 2},0/0")
    game.play("pass")
    assert game.is_cut_off and [type(event) for event in game.last_events] == [CutOff]
    assert str(game.last_events[0]).startswith("the layout cannot grow further in one direction")
    refusal = rf"the layout may not span more than {SMALL - 1} cells on this table \(table_size = {SMALL}\)"
    with pytest.raises(carc_env.IllegalAction, match=refusal):
        game.play("U@-1,0/0")
    told = 1
    while not game.is_over:
        game.play(int(game.legal_actions()[0]))
        told += sum(type(event) is CutOff for event in game.last_events)
    assert told == 1 and game.is_cut_off and replay(game.record()).is_cut_off
    game.undo()
    assert Games.view_of(game).is_cut_off.tolist() == [True]


@pytest.mark.long
def test_a_larger_table_plays_the_same_games_where_nothing_is_cut_off():
    """Checks that `greedy` plays the same games on tables of two sizes."""
    n, found = 12, {}
    for size in (25, 31):
        games, bot = Games(on(size), n, range(n)), carc_env.make_bot("greedy")
        while not games.is_over.all():
            games.step(bot.choose_batch(games))
        found[size] = [games.game(i).moves for i in range(n)]
        assert not games.is_cut_off.any()
    assert found[25] == found[31]


@pytest.mark.parametrize("preset", ["base", pytest.param("expansions", marks=other_size), "everything"])
def test_neighbours_are_those_of_the_torus(preset):
    """Checks the neighbours of cells, also across the edges of the table."""
    game = Games(preset, 1, [1]).records[0]
    size, rng = geometry.size_of(game), np.random.default_rng(1)
    assert size == SIZES[preset]
    around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    two_steps = {(down, right) for down in range(-2, 3) for right in range(-2, 3) if abs(down) + abs(right) <= 2}
    for cell in (0, size - 1, size * (size - 1), size * size - 1, *rng.integers(0, size * size, 60).tolist()):
        row, column = divmod(cell, size)

        def at(down, right):
            return (row + down) % size * size + (column + right) % size

        assert [geometry.neighbour(game, cell, side) for side in range(4)] == [at(-1, 0), at(0, 1), at(1, 0), at(0, -1)]
        assert [geometry.nearby(game, cell, k) for k in range(9)] == [at(*step) for step in around]
        assert geometry.two_steps(game, cell, 0) == cell
        assert {int(geometry.two_steps(game, cell, k)) for k in range(geometry.TWO_STEPS)} == {
            at(*step) for step in two_steps
        }
        assert {step for step in two_steps if geometry.is_near(game, cell, at(*step))} == set(around)


@other_size
def test_one_size_is_not_put_among_another():
    games = Games("base", 2, [1, 2])
    with pytest.raises(ConfigError, match="games with table_size = 31 cannot replace games with table_size = 25"):
        games[:1] = Games(on(31), 1, [1])


@other_size
def test_records_without_a_size_are_played_on_the_usual_table():
    """Checks that a record without a table size is replayed on a table of the default size. If this fails, the error
    names the table size as a possible reason.
    """
    game, rng = Game("goldmines", seed=3), np.random.default_rng(3)
    while not game.is_over:
        game.play(int(rng.choice(game.legal_actions())))
    record = game.record()
    del record["config"]["table_size"]
    assert replay(record) == game
    assert Game.from_bytes(game.to_bytes()) == game
    small = Game(
        GameConfig(table_size=SMALL, boxes=("base", "inns_and_cathedrals", "traders_and_builders")),
        deck=["U"] * (SMALL - 2) + ["X", "B"],
    )
    # the crossing X fits only at the ends of the road, where the layout may not grow
    for x in range(1, SMALL - 1):
        small.play(f"U@{x},0/0")
        small.play("pass")
    assert small.is_cut_off and small.tile == "B"
    small.play("B@1,1/0")
    old = small.record()
    del old["config"]["table_size"]
    with pytest.raises(RecordError) as error:
        replay(old)
    assert "if the game was played on a table of another size, such as 25, add this size" in str(
        error.value
    ) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"boxes": ("base", "ferries"), "table_size": 75},
        nightly({"boxes": ("base", "ferries"), "table_size": 25}),
        {"boxes": ("base", "inns_and_cathedrals", "traders_and_builders"), "table_size": 25},
        {"sheet": "france", "meeples": 7},
        {"sheet": "france"},
        pytest.param({"starts": (("D", 0, 0, 0), ("D", 26, 0, 0)), "table_size": 31}, marks=other_size),
    ],
)
def test_a_position_names_what_is_not_as_usual(settings):
    """Checks that a position names only settings that differ from the defaults, and that it gives the same
    configuration back.
    """
    config = carc_env.GameConfig(**settings)
    named = json.loads(carc_env.Game(config, seed=1).position())["config"]
    assert carc_env.GameConfig.from_dict(named) == config
    assert named.keys() <= settings.keys()
