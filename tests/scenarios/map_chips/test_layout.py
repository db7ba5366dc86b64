"""Tests of the initial layout of the chips on the France sheet, with many seeds and both readings of the rule about
large cities.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import carc_env
from carc_env.common import toml
from carc_env.setup.config import ConfigError

SMALL = Path(__file__).parents[2] / "data" / "sheets" / "small.toml"
SEEDS = range(150)
RULES = ("any_edge", "open_edges_only")
SIDES = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
Square = tuple[int, int]


def france() -> dict:
    """Return the contents of the file of the France sheet."""
    path = Path(carc_env.__file__).parent / "data" / "sheets" / "france.toml"
    return toml.loads(path.read_text(encoding="utf-8"))


SHEET = france()
SQUARES = {(x, y) for y, row in enumerate(SHEET["rows"]) for x, letter in enumerate(row) if letter == "o"}
TOWNS = {tuple(town["square"]) for town in SHEET["town"]}
STARTS = {tuple(town["square"]) for town in SHEET["town"] if town.get("start")}
LARGE = {tuple(s["square"]): s["edges"] for city in SHEET["large_city"] for s in city["squares"]}


def around(square: Square) -> set[Square]:
    """Return the four squares that share an edge with a square."""
    return {(square[0] + dx, square[1] + dy) for dx, dy in SIDES.values()}


def beside_large_cities(rule: str) -> set[Square]:
    """Return the squares that must have no chip because of a large city, for one reading of the rule."""
    return {
        (x + dx, y + dy)
        for (x, y), edges in LARGE.items()
        for (dx, dy), letter in zip(SIDES.values(), edges, strict=True)
        if rule == "any_edge" or letter == "C"
    }


def laid_out(rule: str, seed: int) -> dict:
    """Return the record of a game that has just begun."""
    return carc_env.Game(replace(carc_env.preset("france"), chip_large_city_rule=rule), seed=seed).record()


@pytest.fixture(scope="module", params=RULES)
def layouts(request: pytest.FixtureRequest) -> tuple[str, list[dict]]:
    """Return a reading of the rule, and the records of the games that begin under it."""
    return request.param, [laid_out(request.param, seed) for seed in SEEDS]


def test_thirty_chips_in_the_right_numbers(layouts: tuple[str, list[dict]]) -> None:
    colours = ("purple", "light_blue", "orange")
    all_chips = {(colour, value): 6 if value == 1 else 4 for colour in colours for value in (1, 2)}
    for record in layouts[1]:
        chips = Counter((colour, value) for _, _, colour, value in record["chips"])
        assert chips == all_chips, record["seed"]


def test_two_start_squares_are_used_and_the_start_tile_lies_on_one(layouts: tuple[str, list[dict]]) -> None:
    pairs = set()
    for record in layouts[1]:
        used = [(x, y) for _, x, y, _ in record["starts"]]
        assert len(used) == 2 and set(used) < STARTS, record["seed"]
        assert "D" in [tile for tile, *_ in record["starts"]], record["seed"]
        pairs.add(frozenset(used))
    assert len(pairs) == 3, "every pair of the three start squares comes up"


def test_no_chip_lies_where_it_may_not(layouts: tuple[str, list[dict]]) -> None:
    rule, records = layouts
    for record in records:
        squares = {(x, y) for x, y, *_ in record["chips"]}
        assert len(squares) == 30, f"seed {record['seed']}: one chip a square"
        assert squares <= SQUARES - TOWNS, f"seed {record['seed']}: not on towns, large cities, off the map"
        starts = {(x, y) for _, x, y, _ in record["starts"]}
        for square in squares:
            assert not around(square) & squares, f"seed {record['seed']}: {square} is beside another chip"
            assert not around(square) & starts, f"seed {record['seed']}: {square} is beside a start tile"
        assert not squares & beside_large_cities(rule), f"seed {record['seed']}: beside a large city"


def test_closed_edges_of_large_cities_bar_chips_in_one_reading_only() -> None:
    closed = beside_large_cities("any_edge") - beside_large_cities("open_edges_only")
    records = [laid_out("open_edges_only", seed) for seed in range(20)]
    assert any((x, y) in closed for record in records for x, y, *_ in record["chips"])


def test_chips_are_spread_over_the_map(layouts: tuple[str, list[dict]]) -> None:
    for record in layouts[1]:
        quarters = Counter((x > 6, y > 6) for x, y, *_ in record["chips"])
        assert len(quarters) == 4 and min(quarters.values()) >= 3, f"seed {record['seed']}: {quarters}"


def test_the_seed_decides_the_layout() -> None:
    first, again, other = (laid_out("any_edge", seed) for seed in (1, 1, 2))
    assert first["chips"] == again["chips"] and first["starts"] == again["starts"]
    assert first["chips"] != other["chips"]


@pytest.mark.parametrize("rule", RULES)
def test_a_sheet_without_room_for_thirty_is_refused(rule: str) -> None:
    settings = {"sheet": str(SMALL), "chip_large_city_rule": rule}
    with pytest.raises(ConfigError, match="30"):
        replace(carc_env.preset("france"), **settings)
    config = replace(carc_env.preset("france"), **settings, starts=(("D", 1, 3, 0), ("B", 4, 4, 0)))
    with pytest.raises(ConfigError, match="30"):
        carc_env.Game(config, seed=1)
    assert carc_env.Game(config, deck=["B"], chips=[]).record()["chips"] == []
