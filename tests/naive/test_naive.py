"""The engine against the naive model on some thousand random games, compared after every answer.

A night's worth: `python -m tests.naive --games 20000 --workers 2`.
"""

import json
import os
import random
from collections import Counter

import pytest

import carc_env

from . import scoring
from .__main__ import compare_games
from .compare import TABLE_SIZE, Disagreement, compare_game, new_game, play_both
from .players import Readers
from .tables import KINDS, PRESETS, READINGS, SHEETS, TILES_OF, strange_table

ALL_GAMES = 300 * len(KINDS)  # 300 of each preset

# Without the compiler the engine is slow, and fewer games must do; so, too, where it checks array bounds.
if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    GAMES = 5 * len(KINDS)
else:
    GAMES = 25 * len(KINDS) if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else ALL_GAMES

# How often at least each situation must have come up in these games; about half as often as it does.
SITUATIONS = {
    "PLACE_INGOT asked": 500,
    "PLACE_INGOT forced": 130,
    "PLACE_TILE forced": 40,
    "TAKE_INGOT asked": 110,
    "TAKE_INGOT forced": 70,
    "abbot taken back": 160,
    "completed city": 500,
    "completed city of two tiles": 300,
    "completed city twice on a tile": 5,
    "completed city with pennant": 100,
    "completed city, majority": 2,
    "completed city, tied": 20,
    "completed garden with abbot": 50,
    "completed monastery": 200,
    "completed monastery with abbot": 40,
    "completed road": 400,
    "completed road in a loop": 10,
    "completed road twice on a tile": 20,
    "completed road, majority": 2,
    "completed road, tied": 40,
    "draft over several features": 30,
    "draft with unlike rights": 30,
    "draft within one feature": 20,
    "gold claimed by 1": 80,
    "gold claimed by 2": 60,
    "gold claimed by 3": 4,
    "gold in a completed feature of nobody": 50,
    "gold in two scored areas": 40,
    "gold left over by the single pass": 30,
    "gold set aside": 90,
    "gold tile, but no ingots left": 190,
    "gold, not for the active player": 80,
    "several features scored in a turn": 120,
    "tile fits nowhere": 5,
    "two awards to one player": 15,
    "two awards to one player and a rival": 5,
    "unfinished city twice on a tile": 4,
    "unfinished city with pennant": 300,
    "unfinished city, majority": 3,
    "unfinished city, tied": 20,
    "unfinished field twice on a tile": 110,
    "unfinished field with three cities": 60,
    "unfinished field, majority": 10,
    "unfinished field, tied": 40,
    "unfinished garden with abbot": 50,
    "unfinished monastery": 400,
    "unfinished monastery with abbot": 50,
    "unfinished road twice on a tile": 5,
    "unfinished road, tied": 10,
}


@pytest.fixture(scope="module")
def met():
    """What was met in the games, all of which agreed."""
    return sum(compare_games(first=0, games=GAMES, workers=min(2, os.cpu_count())), Counter())


def test_games_agree(met):
    assert met["games"] == GAMES
    assert all(met[f"games of {preset}"] == GAMES // len(KINDS) for preset in PRESETS)
    assert met["answers"] > 50 * GAMES


def test_situations_met(met):
    part = 1.0 if GAMES == ALL_GAMES else 0.25 * GAMES / ALL_GAMES  # in few games chance has more say
    rare = {name: met[name] for name, least in SITUATIONS.items() if met[name] < int(least * part)}
    assert not rare


def test_every_kind_of_table_is_met():
    """All readings of the rules, boxes, sheets, editions and numbers of players come up."""
    tables = [strange_table(random.Random(number)) for number in range(300)]
    for name, values in READINGS.items():
        assert {getattr(table, name) for table in tables} == set(values)
    assert {table.players for table in tables} == {2, 3, 4, 5, 6}
    assert {table.edition for table in tables} == {"C1", "C2"}
    assert {table.sheet for table in tables} == {None, *SHEETS}
    assert {box for table in tables for box in table.boxes} == {*TILES_OF, "abbot", "map_chips"}
    assert {box for table in tables for box in table.tiles_only} == set(TILES_OF) - {"base"}


def test_a_disagreement_is_shown(monkeypatch):
    """Were every completed feature worth ten points, the run would stop and show the game."""
    monkeypatch.setattr(scoring, "points_when_complete", lambda feature, rules: 10)
    with pytest.raises(Disagreement, match="engine .*, naive ") as shown:
        for number in range(10):
            compare_game(number)
    record = json.loads(str(shown.value).splitlines()[-1])
    assert carc_env.replay(record).moves == record["moves"]


@pytest.mark.parametrize("ingots", range(1, 17))
def test_every_number_of_ingots(ingots):
    """One road with all the gold on it, but for an odd ingot that lies on the monastery beside."""
    gold_tiles = (ingots + 1) // 2
    game = new_game({"boxes": ("base", "goldmines")}, deck=["B", *["GM8"] * gold_tiles, "X", "X"])
    answers = ["pass", "GM8@1,0/0", f"ingot 0,{ingots % 2}", "meeple road E"]
    for x in range(2, gold_tiles + 1):
        answers += [f"GM8@{x},0/0", "pass"]
    answers += [f"X@{gold_tiles + 1},0/0", "pass", "X@-1,0/0", "pass"]
    play_both(game, Readers(answers), random.Random(ingots))
    assert game.ingots.tolist() == [0, ingots]


class Explorers:
    """Players who lay every tile as far out in one direction as they can, and place no figures."""

    def __init__(self, east, south):
        self.east, self.south = east, south

    def answer(self, game):
        """The outermost placement; a pass to anything else."""
        return max(game.question.answers, key=self.distance) if game.question.phase == "PLACE_TILE" else "pass"

    def distance(self, text):
        """How far out a tile would lie."""
        x, y = text.split("@")[1].split("/")[0].split(",")
        return self.east * int(x) + self.south * int(y)


@pytest.mark.parametrize("east, south", [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1)])
def test_the_table_has_an_end(east, south):
    """Where the layout is as wide as the table allows, it goes on only inside, though the table is a ring."""
    game = new_game({}, deck=["U", "V"] * (TABLE_SIZE + 3))
    play_both(game, Explorers(east, south), random.Random(0))
    for places in zip(*((place.x, place.y) for place in game.board()), strict=True):
        assert max(places) - min(places) + 1 <= TABLE_SIZE - 1
    assert max(max(abs(place.x), abs(place.y)) for place in game.board()) == TABLE_SIZE - 2


def test_features_are_served_in_the_order_of_their_spots():
    """Of two roads completed by one tile, by RGG's wording, the one on its east side comes before the west."""
    table = {"boxes": ("base", "goldmines"), "gold_rule": "rgg_single_pass"}
    game = new_game(table, deck=["GM8", "X", "B", "B", "B", "U", "GM8", "X", "W"])
    to_the_east = ["GM8@1,0/0", "meeple road E", "X@2,0/0", "pass"]
    around_the_gap = ["pass", "B@-1,1/0", "pass", "B@-2,1/0", "pass", "U@-2,0/0", "pass"]
    to_the_west = ["GM8@-3,0/0", "ingot -2,0", "meeple road E", "X@-4,0/0", "pass"]
    into_the_gap = ["W@-1,0/180", "pass", "take 1,0", "take -2,0"]
    play_both(game, Readers(to_the_east + around_the_gap + to_the_west + into_the_gap), random.Random(0))
    assert game.ingots.tolist() == [2, 0]
