"""Compares the engine with the naive model on random games, after every action.

A run for a night: `python -m tests.naive --games 20000 --workers 2`.
"""

import json
import os
import random
from collections import Counter

import pytest

import carc_env
from carc_env.boxes.sheets import sheet_text
from tests import modes

from . import __main__ as program
from . import scoring
from .compare import Disagreement, compare_game, new_game, play_both, span_of
from .players import Readers
from .tables import HAND_MADE, KINDS, PRESETS, READINGS, SHEETS, TILES_OF, strange_table

# The compiled mode and the mode with checked bounds play two games of each kind, and each mode plays other games. The
# uncompiled mode plays one game of each preset, strange table and system, and one with several systems together.
EACH = modes.sized(2, 2, 1)
FIRST = modes.sized(0, 6 * len(KINDS), 8 * len(KINDS))
UNCOMPILED = [*range(KINDS.index("goldmines, ferries")), KINDS.index("strange systems")]
NUMBERS = [
    number
    for number in range(FIRST, FIRST + EACH * len(KINDS))
    if modes.NAME != "uncompiled" or number % len(KINDS) in UNCOMPILED
]

# How often at least each situation must come up in 300 games of each kind: about half as often as it really does.
ALL_GAMES = 300 * len(KINDS)
SITUATIONS = {
    "C at a neutral border": 5200,
    "C at a printed border": 1600,
    "CROP_ADD asked": 180,
    "CROP_ADD forced": 100,
    "CROP_ADD may": 130,
    "CROP_ADD must": 150,
    "CROP_CHOICE asked": 380,
    "CROP_REMOVE asked": 85,
    "CROP_REMOVE forced": 150,
    "CROP_REMOVE may": 120,
    "CROP_REMOVE must": 120,
    "F at a neutral border": 5100,
    "PLACE_INGOT asked": 4000,
    "PLACE_INGOT forced": 1100,
    "PLACE_TILE forced": 3100,
    "R at a neutral border": 5200,
    "R at a printed border": 3800,
    "SELL_WINE asked": 6000,
    "TAKE_INGOT asked": 310,
    "TAKE_INGOT forced": 310,
    "abbot taken back": 1400,
    "big placed": 1100,
    "builder extended and completed in part one": 160,
    "builder extended in part two": 240,
    "builder left alone": 5,
    "builder of another extended": 990,
    "builder placed": 640,
    "chip taken": 10600,
    "completed cathedral city with coats of arms": 30,
    "completed city": 4900,
    "completed city of two tiles": 2000,
    "completed city twice on a tile": 250,
    "completed city with builder": 180,
    "completed city with cathedral, ignore": 8,
    "completed city with cathedral, zero": 30,
    "completed city with coats at the border, 0": 130,
    "completed city with coats at the border, 2": 410,
    "completed city with pennant": 1500,
    "completed city, majority": 35,
    "completed city, tied": 170,
    "completed feature whose owners the large meeple decides": 13,
    "completed garden": 150,
    "completed garden at the border, count_tiles": 40,
    "completed garden at the border, nine": 35,
    "completed garden with abbot": 150,
    "completed large city": 630,
    "completed monastery": 1100,
    "completed monastery at the border, count_tiles": 290,
    "completed monastery at the border, nine": 120,
    "completed monastery with abbot": 100,
    "completed road": 6600,
    "completed road in a loop": 170,
    "completed road twice on a tile": 130,
    "completed road with builder": 150,
    "completed road with coats at the border, 0": 760,
    "completed road with coats at the border, 2": 220,
    "completed road with inn, ignore": 110,
    "completed road with inn, zero": 280,
    "completed road, majority": 17,
    "completed road, tied": 150,
    "crop circle, two places or figures": 180,
    "double turn": 990,
    "draft before a second part": 17,
    "draft over several features": 150,
    "draft with unlike rights": 90,
    "draft within one feature": 95,
    "empty squares at the end": 410,
    "gold claimed by 1": 1100,
    "gold claimed by 2": 230,
    "gold claimed by 3": 8,
    "gold in a completed feature of nobody": 1500,
    "gold in two scored areas": 170,
    "gold left over by the single pass": 70,
    "gold set aside": 740,
    "gold tile beside a large city only": 25,
    "gold tile, but no ingots left": 8,
    "gold, not for the active player": 530,
    "goods for the most tokens": 720,
    "goods in a completed city of nobody": 1600,
    "goods tied at the end": 120,
    "large city connected by a closed edge": 210,
    "large city connected by an open edge": 1800,
    "no tile for the second part": 9,
    "pig left alone": 12,
    "pig placed": 410,
    "sale abroad": 3300,
    "sale in a town": 1600,
    "sale of one 2": 3100,
    "sale of two 1s": 1900,
    "sale with the chip just taken": 910,
    "sale, with a choice of compositions": 1500,
    "sale, with a choice of destinations": 40,
    "sales in both parts of a turn": 2,
    "several features scored in a turn": 1200,
    "ten ingots or more": 8,
    "tile fits nowhere": 10700,
    "two awards to one player": 95,
    "two awards to one player and a rival": 29,
    "unfinished cathedral city with coats of arms": 110,
    "unfinished city": 3700,
    "unfinished city twice on a tile": 220,
    "unfinished city with builder": 200,
    "unfinished city with cathedral, ignore": 18,
    "unfinished city with cathedral, zero": 120,
    "unfinished city with coats at the border, 0": 16,
    "unfinished city with coats at the border, 2": 85,
    "unfinished city with pennant": 1900,
    "unfinished city, majority": 45,
    "unfinished city, tied": 130,
    "unfinished feature whose owners the large meeple decides": 29,
    "unfinished field": 5600,
    "unfinished field twice on a tile": 1000,
    "unfinished field where the pig pays four": 270,
    "unfinished field where the pig's player has no majority": 11,
    "unfinished field with a pig of one of its owners": 12,
    "unfinished field with three cities": 840,
    "unfinished field, majority": 85,
    "unfinished field, tied": 230,
    "unfinished garden": 120,
    "unfinished garden at the border, count_tiles": 7,
    "unfinished garden at the border, nine": 7,
    "unfinished garden with abbot": 120,
    "unfinished large city": 360,
    "unfinished monastery": 1200,
    "unfinished monastery at the border, count_tiles": 85,
    "unfinished monastery at the border, nine": 30,
    "unfinished monastery with abbot": 85,
    "unfinished road": 3400,
    "unfinished road twice on a tile": 26,
    "unfinished road with builder": 60,
    "unfinished road with coats at the border, 0": 30,
    "unfinished road with coats at the border, 2": 6,
    "unfinished road with inn, ignore": 10,
    "unfinished road with inn, zero": 85,
    "unfinished road, majority": 6,
    "unfinished road, tied": 60,
    "unsold wine at the end": 370,
    "wine, but sold in part one": 1,
}


def expected(games):
    """Return how often at least each situation must have come up in this many games. For a sample, only situations that
    come up almost certainly are returned.
    """
    part = 1.0 if games == ALL_GAMES else 0.25 * games / ALL_GAMES
    return {name: int(least * part) for name, least in SITUATIONS.items() if least * part >= 1}


def test_games_agree():
    """The engine and the naive model agree in all games, and enough situations have come up in them."""
    games = len(NUMBERS)
    met = sum(program.compare_games(NUMBERS, workers=min(2, os.cpu_count())), Counter())
    assert met["games"] == games
    assert met["games cut off"] == 0
    assert all(met[f"games of {preset}"] == EACH for preset in PRESETS)
    assert met["answers"] > 50 * games
    assert not {name: met[name] for name, least in expected(games).items() if met[name] < least}


def test_every_kind_of_table_is_met():
    """All settings, boxes, sheets, editions and numbers of players come up."""
    tables = [strange_table(random.Random(number)) for number in range(300)]
    for name, values in READINGS.items():
        assert {getattr(table, name) for table in tables} == set(values)
    assert {table.players for table in tables} == {2, 3, 4, 5, 6}
    assert {table.edition for table in tables} == {"C1", "C2"}
    assert {table.sheet for table in tables} == {None, *map(sheet_text, SHEETS)}
    assert {box for table in tables for box in table.boxes} == {*TILES_OF, "abbot", "map_chips"}
    assert {box for table in tables for box in table.tiles_only} == set(TILES_OF) - {"base"}


def test_a_disagreement_is_shown(monkeypatch):
    """If every completed feature were worth ten points, the run would stop and show the record of the game."""
    monkeypatch.setattr(scoring, "points_when_complete", lambda feature, rules: 10)
    with pytest.raises(Disagreement, match="engine .*, naive ") as shown:
        for number in range(10):
            compare_game(number)
    record = json.loads(str(shown.value).splitlines()[-1])
    assert carc_env.replay(record).moves == record["moves"]


@pytest.mark.parametrize("ingots", range(1, 17))
def test_every_number_of_ingots(ingots):
    """All gold on one road goes to one player. If the number is odd, one more ingot lies on the monastery beside."""
    gold_tiles = (ingots + 1) // 2
    game = new_game({"boxes": ("base", "goldmines")}, deck=["B", *["GM8"] * gold_tiles, "X", "X"])
    answers = ["pass", "GM8@1,0/0", f"ingot 0,{ingots % 2}", "meeple road E"]
    for x in range(2, gold_tiles + 1):
        answers += [f"GM8@{x},0/0", "pass"]
    answers += [f"X@{gold_tiles + 1},0/0", "pass", "X@-1,0/0", "pass"]
    play_both(game, Readers(answers), random.Random(ingots))
    assert game.ingots.tolist() == [0, ingots]


class Explorers:
    """Players who lay every tile as far out in one direction as possible, and place no figures."""

    def __init__(self, east, south):
        self.east, self.south = east, south

    def answer(self, game):
        """Return the outermost placement, or a pass at any other decision."""
        return max(game.question.answers, key=self.distance) if game.question.phase == "PLACE_TILE" else "pass"

    def distance(self, text):
        """Return how far out a tile would lie."""
        x, y = text.split("@")[1].split("/")[0].split(",")
        return self.east * int(x) + self.south * int(y)


OUTWARDS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1)]


@pytest.mark.parametrize("east, south", OUTWARDS)
def test_a_layout_too_wide_for_the_table_is_cut_off(east, south):
    """Both agree until the layout spans one cell less than the table. Then the engine reports a refused placement."""
    game = new_game({"table_size": 25}, deck=["U", "V"] * 28)
    naive = play_both(game, Explorers(east, south), random.Random(0))
    assert game.is_cut_off and naive.met["games cut off"] == 1
    assert span_of((place.x, place.y) for place in game.board()) == 24


@pytest.mark.parametrize("east, south", OUTWARDS)
def test_a_larger_table_has_room_for_it(east, south):
    """On a larger table, both agree to the end, although the layout becomes wider than the usual table allows."""
    game = new_game({"table_size": 75, "boxes": ("base", "baba_yaga")}, deck=["U", "V"] * 20)
    naive = play_both(game, Explorers(east, south), random.Random(0))
    assert not game.is_cut_off and naive.met["games cut off"] == 0
    assert span_of((place.x, place.y) for place in game.board()) > 24


@pytest.mark.parametrize("says", [True, False])
def test_a_cut_off_game_must_say_so(says, monkeypatch):
    """The engine may not say without need that a game is cut off, nor refuse a placement without saying so."""
    monkeypatch.setattr(carc_env.Game, "is_cut_off", says)
    deck = ["U"] if says else ["U", "V"] * 28
    with pytest.raises(Disagreement, match="cut off" if says else "answers"):
        play_both(new_game({"table_size": 25}, deck=deck), Explorers(1, 0), random.Random(0))


def test_no_placement_is_refused_in_silence_between_the_ends_of_the_widest_layout():
    """One road ends in the east, one in the west. In the last column, a curve may continue either, but not both at
    once.
    """
    game = new_game({"table_size": 25}, deck=["U"] * 23 + ["V"])
    naive = play_both(game, Explorers(1, 0), random.Random(0))
    assert naive.met["games cut off"] == 1


@pytest.mark.parametrize("allowed, status", [(0, 1), (1, 1), (2, 0)])
def test_cut_off_games_make_a_run_fail(allowed, status, monkeypatch, capsys):
    """Games that were cut off are counted and named. The run fails if there are more of them than allowed."""
    cut = Counter({"games": 1, "games cut off": 1})
    found = [Counter(games=1), cut + Counter({"game 1, cut off": 1}), cut + Counter({"game 2, cut off": 1})]
    monkeypatch.setattr(program, "compare_games", lambda *_: found)
    monkeypatch.setattr("sys.argv", ["tests.naive", f"--cut-off={allowed}"])
    assert program.main() == status
    lines = capsys.readouterr().out.splitlines()
    assert {"        1  game 1, cut off", "        1  game 2, cut off"} <= set(lines)
    assert lines[-2:] == ["2 games cut off, as their tables were too small: they agreed up to there", "1 games agreed"]


def on_small_sheet(boxes, **settings):
    """Return the settings of a table on the small sheet, with a start tile in the west and one in the south-east."""
    sheet, starts = str(HAND_MADE / "small.toml"), (("D", 1, 3, 0), ("B", 4, 4, 0))
    return {"boxes": ("base", *boxes), "sheet": sheet, "starts": starts, **settings}


@pytest.mark.parametrize("scope", READINGS["wine_sales_per_turn_scope"])
def test_wine_in_both_parts_of_a_turn(scope):
    """Two squares in one double turn lead abroad: two sales are possible only if each part of a turn has its own."""
    table = on_small_sheet(["map_chips", "traders_and_builders"], wine_sales_per_turn_scope=scope)
    chips = [(2, 3, "purple", 2), (0, 3, "purple", 2)]
    game = new_game(table, deck=["U", "B", "U", "B", "U", "V", "B"], chips=chips)
    answers = ["U@2,3/0", "meeple road E", "B@5,4/0", "pass", "U@3,3/0", "builder road E", "B@2,4/0", "pass"]
    answers += ["U@0,3/0", "sell purple 2 abroad", "pass", "V@0,4/0"]
    answers += ["sell purple 2 abroad"] if scope == "turn_part" else []
    play_both(game, Readers([*answers, "pass", "B@5,3/0", "pass"]), random.Random(0))
    assert game.final_scores()["wine"].tolist() == [10 if scope == "turn_part" else 5, 0]


def test_gold_is_shared_before_the_second_part():
    """Red's gold tile joins the builder's road to Blue's. The gold is shared first, and Red's second part follows."""
    table = {"boxes": ("base", "goldmines", "traders_and_builders")}
    game = new_game(table, deck=["A", "B", "U", "B", "B", "A", "GM1", "B", "B"])
    answers = ["A@-1,0/270", "meeple road E", "B@0,1/0", "pass", "U@1,0/0", "builder road E", "B@1,1/0", "pass"]
    answers += ["B@-1,1/0", "pass", "A@2,1/180", "meeple road N", "GM1@2,0/90", "ingot 1,0", "pass", "take 1,0"]
    naive = play_both(game, Readers([*answers, "B@0,2/0", "pass", "B@0,3/0", "pass"]), random.Random(0))
    assert game.ingots.tolist() == [1, 1]
    assert naive.met["draft before a second part"] == naive.met["double turn"] == 1


def test_features_are_served_in_the_order_of_their_spots():
    """If one tile completes two roads, by RGG's wording the road in the east comes before the road in the west."""
    table = {"boxes": ("base", "goldmines"), "gold_rule": "rgg_single_pass"}
    game = new_game(table, deck=["GM8", "X", "B", "B", "B", "U", "GM8", "X", "W"])
    to_the_east = ["GM8@1,0/0", "meeple road E", "X@2,0/0", "pass"]
    around_the_gap = ["pass", "B@-1,1/0", "pass", "B@-2,1/0", "pass", "U@-2,0/0", "pass"]
    to_the_west = ["GM8@-3,0/0", "ingot -2,0", "meeple road E", "X@-4,0/0", "pass"]
    into_the_gap = ["W@-1,0/180", "pass", "take 1,0", "take -2,0"]
    play_both(game, Readers(to_the_east + around_the_gap + to_the_west + into_the_gap), random.Random(0))
    assert game.ingots.tolist() == [2, 0]


@pytest.mark.parametrize("rule, ingots", [("hig", [2, 2]), ("rgg_rounds", [2, 2]), ("rgg_single_pass", [1, 1])])
def test_who_may_still_take_an_ingot(rule, ingots):
    """Red and Blue tie on a road with four ingots. With one visit each, Red is no longer a rival after taking one."""
    game = new_game({"boxes": ("base", "goldmines"), "gold_rule": rule}, deck=["A", "B", "GM8", "A", "B", "A", "GM1"])
    answers = ["A@-1,0/270", "meeple road E", "B@0,1/0", "pass", "ingot 0,0", "pass", "A@1,1/180", "pass"]
    answers += [
        "B@-1,1/0",
        "pass",
        "A@2,1/180",
        "meeple road N",
        "GM1@2,0/90",
        "ingot 2,1",
        "pass",
        "take 1,0",
        "take 2,0",
    ]
    naive = play_both(game, Readers([*answers, "take 0,0"]), random.Random(0))
    assert game.ingots.tolist() == ingots
    assert naive.ingots_set_aside == 4 - sum(ingots)
