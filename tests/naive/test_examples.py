"""Tests of the naive model alone, on examples that are small enough to work out on paper."""

import pytest

from .naive import NaiveGame
from .points import ingot_rate, points_for_goods
from .table import Table
from .tables import HAND_MADE
from .tiles import looks, turned

R, B, C = 0, 1, 2  # Red moves first, then Blue, then the third player
CELLS = {"m": (0, 0), "s": (1, 0), "u": (2, 0), "v": (3, 0)}


def draft_results(rule, gold, claims, players=2):
    """Return every way a draft can end, as the ingots of each player. All choices are tried.

    `gold` is {tile: ingots}; `claims` are pairs of owners and a string of tiles.
    """
    results, to_try = set(), [[]]
    while to_try:
        choices = to_try.pop()
        game = NaiveGame([], players=players, gold_rule=rule)
        game.table.board = {CELLS[tile]: {"ingots": gold.get(tile, 0)} for tile in CELLS}
        areas = [(owners, {CELLS[tile] for tile in tiles}) for owners, tiles in claims]
        if rule == "hig":
            draft = game.draft_gold(areas)
        elif rule == "rgg_rounds":
            draft = game.take_gold_in_rounds(areas)
        else:
            draft = game.take_gold_in_one_pass(areas)
        try:
            question = next(draft)
            for text in choices:
                question = draft.send(text)
            to_try += [[*choices, answer] for answer in question.answers]
        except StopIteration:
            results.add(tuple(game.ingots))
    return results


DRAFTS = {
    "one owner takes all": ("hig", {"m": 1, "s": 1, "u": 1}, [([R], "msu")], {(3, 0)}),
    "two tied in one feature": ("hig", {"m": 1, "s": 1, "u": 1}, [([R, B], "msu")], {(2, 1)}),
    "a shared tile and one of Red's": ("hig", {"m": 1, "s": 1}, [([R], "ms"), ([B], "s")], {(2, 0), (1, 1)}),
    "two tied, all on one tile": ("hig", {"m": 4}, [([R, B], "m")], {(2, 2)}),
    "city and road with a tile in common": (
        "hig",
        {"m": 1, "s": 1, "u": 1},
        [([B], "ms"), ([R], "su")],
        {(2, 1), (1, 2)},
    ),
    "two shared ingots on one tile": ("hig", {"m": 1, "s": 2}, [([R], "ms"), ([B], "s")], {(2, 1)}),
    "two shared tiles": ("hig", {"m": 1, "s": 1, "u": 1}, [([R], "msu"), ([B], "su")], {(2, 1)}),
    "own areas are united": ("hig", {"m": 1, "s": 1, "u": 1}, [([R], "ms"), ([R], "su")], {(3, 0)}),
    "rounds: one for each own feature": (
        "rgg_rounds",
        {"m": 1, "s": 1},
        [([R], "m"), ([R], "s"), ([B], "ms")],
        {(2, 0)},
    ),
    "draft: one a visit": ("hig", {"m": 1, "s": 1}, [([R], "m"), ([R], "s"), ([B], "ms")], {(1, 1)}),
    "rounds: one owner gets all": ("rgg_rounds", {"m": 1, "s": 1, "u": 1}, [([R], "msu")], {(3, 0)}),
    "one pass: one owner gets one": ("rgg_single_pass", {"m": 1, "s": 1}, [([R], "ms")], {(1, 0)}),
    "one pass: two features, two ingots": ("rgg_single_pass", {"m": 3}, [([R], "m"), ([R], "ms")], {(2, 0)}),
}


@pytest.mark.parametrize("rule, gold, claims, results", DRAFTS.values(), ids=DRAFTS)
def test_draft_of_two(rule, gold, claims, results):
    assert draft_results(rule, gold, claims) == results


def test_draft_of_three():
    chain = [([R], "ms"), ([B], "su"), ([C], "u")]
    assert draft_results("hig", {"m": 1, "s": 1, "u": 1}, chain, players=3) == {(2, 1, 0), (1, 1, 1)}
    assert draft_results("hig", {"m": 2, "s": 2}, [([R, B, C], "ms")], players=3) == {(2, 1, 1)}
    assert draft_results("hig", {"m": 3}, [([B, C], "m")], players=3) == {(0, 2, 1)}


def test_value_of_ingots():
    values = [ingots * ingot_rate(ingots) for ingots in range(17)]
    assert values == [0, 1, 2, 3, 8, 10, 12, 21, 24, 27, 40, 44, 48, 52, 56, 60, 64]


def test_turning_spots():
    assert [turned("N", 90), turned("Nw", 90), turned("Ne", 90)] == ["E", "En", "Es"]
    assert [turned("W", 270), turned("Ws", 180), turned("Sw", 90)] == ["S", "En", "Wn"]
    assert turned("monastery", 90) == "monastery"


@pytest.mark.parametrize(
    "ways, tiles",
    [(1, ["B", "C", "X", "GM8"]), (2, ["U", "U-g", "F", "H", "GM4", "GM5", "GM7"]), (4, ["V", "D", "GM1"])],
)
def test_rotations_that_look_alike(ways, tiles):
    for tile in tiles:
        assert len({looks(tile, rotation) for rotation in (0, 90, 180, 270)}) == ways


def test_placements_beside_the_start_tile():
    start = Table([("D", 0, 0, 0)])
    assert set(start.legal_placements("U")) == {"U@1,0/0", "U@-1,0/0", "U@0,1/0"}
    assert set(start.legal_placements("B")) == {"B@0,1/0"}
    assert set(start.legal_placements("E")) == {"E@0,-1/180", "E@0,1/90", "E@0,1/180", "E@0,1/270"}


def play(deck, moves, **settings):
    """Return a naive game after these actions."""
    game = NaiveGame(deck, **settings)
    for text in moves:
        game.answer(text)
    return game


def test_two_tile_city():
    """A two-tile city scores 4 points, or 2 by the old rule. The farmer beside it gets 3 in any case."""
    moves = ["E@0,-1/180", "meeple city S"]
    assert play(["E"], moves).scores == [4, 0]
    assert play(["E"], moves, small_city_points=2).scores == [2, 0]
    assert play(["E"], ["E@0,-1/180", "meeple field Nw"]).scores == [3, 0]


def test_loop_road_of_four_curves():
    """A road that closes upon itself is complete, and scores each tile once."""
    moves = ["V@1,0/0", "pass", "V@1,1/90", "pass", "V@0,1/180", "meeple road N"]
    game = NaiveGame(["V", "V", "V"], starts=(("V", 0, 0, 270),))
    for text in moves:
        game.answer(text)
    assert game.scores == [4, 0]
    assert game.table.figures == []


def test_open_city_at_the_end():
    """An unfinished city scores one point for each tile and each pennant."""
    assert play(["F"], ["F@0,-1/90", "meeple city N"]).scores == [3, 0]


def test_gold_of_a_road_completed_with_its_ingots():
    """A player who completes the own road with a gold tile gets its ingots at once: both, if both lie on the road."""
    settings = {"boxes": ("base", "goldmines"), "starts": (("X", -2, 0, 0), ("D", 0, 0, 0), ("X", 1, 0, 0))}
    game = play(["GM8"], ["GM8@-1,0/0", "ingot 0,0", "meeple road E"], **settings)
    assert (game.points["roads"], game.ingots) == ([4, 0], [2, 0])
    settings["starts"] += (("X", -1, -1, 0),)
    game = play(["GM8"], ["GM8@-1,0/0", "ingot -1,-1", "meeple road E"], **settings)
    assert (game.points["roads"], game.ingots) == ([4, 0], [1, 0])


def test_gold_set_aside_at_the_end():
    """Before anything is scored, the ingots on tiles are set aside. Nobody gets them, and no tile has any."""
    game = play(["GM8"], ["GM8@1,0/0", "meeple road E"], boxes=("base", "goldmines"))
    assert (game.ingots_set_aside, game.ingots, game.scores) == (2, [0, 0], [2, 0])
    assert not any(place["ingots"] for place in game.table.board.values())
    assert game.news[:2] == [("set aside", 2), ("points", R, "roads", 2)]


def test_abbot_taken_back():
    """The abbot scores his garden and the tiles around it as they are, including the new tile."""
    moves = ["U-g@1,0/0", "abbot garden", "U@-1,0/0", "pass", "U@0,1/0", "recall"]
    game = play(["U-g", "U", "U"], moves, boxes=("base", "abbot"))
    assert game.points["gardens"] == [3, 0]
    assert game.supply["abbot"] == [1, 1]


# ------------------------------------------------------------------------------- Inns & Cathedrals

INNS = {"boxes": ("base", "inns_and_cathedrals")}


def test_road_with_inns():
    """A completed road scores two points a tile, no matter how many inns it has. An unfinished one scores nothing."""
    starts = (("A", 0, 0, 270), ("A", 3, 0, 90))
    deck, moves = ["IC15", "IC19"], ["IC15@1,0/0", "meeple road E", "IC19@2,0/0", "pass"]
    assert play(deck, moves, starts=starts, **INNS).points["roads"] == [8, 0]
    assert play(deck[:1], moves[:2], starts=starts, **INNS).points["roads"] == [0, 0]
    ignored = play(deck[:1], moves[:2], starts=starts, unfinished_inn_cathedral="ignore", **INNS)
    assert ignored.points["roads"] == [2, 0]
    assert play(deck, moves, starts=starts).points["roads"] == [4, 0]  # without their box, the inns mean nothing


def test_inn_on_one_arm_of_a_crossing():
    """The inn of IC14 stands beside its east road."""
    starts = (("A", 0, 0, 270), ("A", 2, 0, 90))
    west = play(["IC14"], ["IC14@1,0/0", "meeple road W"], starts=starts, **INNS)
    east = play(["IC14"], ["IC14@1,0/0", "meeple road E"], starts=starts, **INNS)
    assert (west.points["roads"], east.points["roads"]) == ([2, 0], [4, 0])


def test_city_with_cathedral():
    """A city with a cathedral scores three points for each tile and pennant when completed, otherwise nothing."""
    starts = (("E", 0, -1, 180), ("E", 1, 0, 270), ("E", 0, 1, 0), ("E", -1, 0, 90))
    cathedral = ["meeple city N"]  # there is only one place for the tile
    assert play(["IC1"], cathedral, starts=starts, **INNS).points["cities"] == [15, 0]
    assert play(["IC1"], cathedral, starts=starts).points["cities"] == [10, 0]
    assert play(["IC1"], cathedral, starts=starts[1:], **INNS).points["cities"] == [0, 0]
    pennant = (*starts[1:], ("F", 0, -1, 90), ("E", 0, -2, 180))
    assert play(["IC1"], cathedral, starts=pennant, **INNS).points["cities"] == [21, 0]


def test_large_meeple():
    """One large meeple and two normal ones tie."""
    table = Table([("U", 0, 0, 0)])
    for figure, player in [("big", R), ("meeple", B), ("meeple", B)]:
        table.figures.append({"figure": figure, "player": player, "cell": (0, 0), "kind": "road", "spot": "E"})
    road = table.feature((0, 0), "E")
    assert (table.strengths(road, 2), table.owners(road, 2)) == ([2, 2], [R, B])


# ----------------------------------------------------------------------------- Traders & Builders

TRADERS = {"boxes": ("base", "traders_and_builders")}


def test_goods_go_to_whoever_completes_the_city():
    """Red completes Blue's city and takes the goods; Blue gets the points."""
    moves = ["U@1,0/0", "pass", "TB15@0,-1/90", "meeple city N", "E@0,-2/180", "pass"]
    game = play(["U", "TB15", "E"], moves, **TRADERS)
    assert game.points["cities"] == [0, 6]
    assert [goods["wine"] for goods in game.goods] == [1, 0]
    assert game.points["goods"] == [10, 0]
    starts = (("D", 0, 0, 0), ("E", 0, -2, 180))
    nobody = play(["TB15"], ["TB15@0,-1/90", "pass"], starts=starts, **TRADERS)
    assert (nobody.points["cities"], nobody.points["goods"]) == ([0, 0], [10, 0])


def test_most_of_a_good():
    assert points_for_goods([4, 4, 1]) == [10, 10, 0]
    assert points_for_goods([0, 0]) == [0, 0]


def test_builder_earns_a_second_part():
    """The first part completes the road with the builder. Both figures go home, and a second part follows, but no
    third.
    """
    deck = ["U", "B", "U", "A", "A", "B", "B"]
    moves = ["U@1,0/0", "meeple road E", "B@0,1/0", "pass", "U@2,0/0"]
    game = play(deck, moves, **TRADERS)
    assert "builder road E" in game.question.answers
    assert "builder field Nw" not in game.question.answers
    for text in ["builder road E", "A@-1,0/270", "pass"]:
        game.answer(text)
    assert game.question.player == R
    for text in ["A@3,0/90", "pass"]:
        game.answer(text)
    assert (game.scores, game.supply["builder"]) == ([5, 0], [1, 1])
    assert (game.question.player, game.question.phase) == (R, "PLACE_TILE")
    for text in ["B@0,2/0", "pass"]:
        game.answer(text)
    assert game.question.player == B


def test_part_two_gives_no_third():
    moves = ["U@1,0/0", "meeple road E", "B@0,1/0", "pass", "U@2,0/0", "builder road E", "B@0,2/0", "pass"]
    game = play(["U", "B", "U", "B", "U", "U", "B"], [*moves, "U@3,0/0", "pass", "U@4,0/0", "pass"], **TRADERS)
    assert game.question.player == B


def test_pig():
    """For each completed city, the owner with a pig gets four points, the other owner three."""
    moves = ["E@0,-1/180", "meeple field Nw", "E@0,1/180", "meeple field Nw", "B@1,-1/0", "pig field Nw"]
    game = play(["E", "E", "B", "E", "A"], [*moves, "E@0,2/0", "pass", "A@1,0/90", "pass"], **TRADERS)
    assert game.points["fields"] == [8, 6]


# ------------------------------------------------------------------------------------ crop circles


def test_crop_circle():
    """The player to the left acts first, the active player last. A builder left alone goes home."""
    boxes = {"boxes": ("base", "crop_circles", "traders_and_builders")}
    start = ["G@0,-1/90", "meeple city N", "B@0,1/0", "pass", "F@0,-2/90", "builder city N"]
    deck = ["G", "B", "F", "CR11", "B"]
    game = play(deck, [*start, "CR11@0,2/90", "meeple city E"], **boxes)
    assert game.question == (B, "CROP_CHOICE", ["circle add", "circle remove"])
    game.answer("circle add")
    assert game.question == (R, "CROP_ADD", ["add meeple city 0,-1 N", "pass"])
    game.answer("add meeple city 0,-1 N")
    assert game.question == (B, "CROP_ADD", ["add meeple city 0,2 E", "pass"])
    removing = play(deck, [*start, "CR11@0,2/90", "meeple city E", "circle remove"], **boxes)
    assert removing.moves[-2:] == ["remove meeple city 0,-1 N", "remove meeple city 0,2 E"]
    assert (removing.table.figures, removing.supply["builder"]) == ([], [1, 1])


# ----------------------------------------------------------------------------- maps and map-chips

SMALL = {"sheet": str(HAND_MADE / "small.toml"), "starts": (("D", 1, 3, 0), ("B", 4, 4, 0)), "meeples": 9}
STRIP = {"sheet": str(HAND_MADE / "strip.toml"), "starts": (("D", 3, 0, 0), ("B", 6, 0, 0)), "meeples": 9}
CHIPS = {"boxes": ("base", "map_chips"), **SMALL}


def test_everything_ends_at_the_border():
    """A road of 3 tiles from a crossing to the neutral border is complete, and so is a city of one tile."""
    game = play(["X", "U", "U"], ["X@2,0/0", "meeple road W", "U@1,0/0", "pass", "U@0,0/0", "pass"], **STRIP)
    assert game.points["roads"] == [3, 0]
    assert play(["E"], ["E@5,0/0", "meeple city N"], **STRIP).points["cities"] == [2, 0]


def test_coats_of_arms_at_the_border():
    """Two settings say whether they count: in a city they are pennants, on a completed road they score points."""
    city = ["E@3,4/180", "meeple city S"]
    assert play(["E", "B"], city, **SMALL).points["cities"] == [4, 0]
    assert play(["E", "B"], city, border_city_coat_points=0, **SMALL).points["cities"] == [2, 0]
    road = ["A@2,3/90", "meeple road W", "B@5,4/0", "pass", "U@0,3/0", "pass"]
    assert play(["A", "B", "U"], road, **SMALL).points["roads"] == [3, 0]
    assert play(["A", "B", "U"], road, border_road_coat_points=2, **SMALL).points["roads"] == [5, 0]
    assert play(["A"], road[:2], border_road_coat_points=2, **SMALL).points["roads"] == [2, 0]


def test_large_city():
    """A large city of two squares, with two pennants and four tiles, scores 16. It needs a tile beside it to be in
    play.
    """
    game = play(["U", "E", "E", "E", "E"], ["U@2,3/0", "pass"], **SMALL)
    assert "E@1,1/90" not in game.question.answers
    game.answer("E@2,2/0")
    game.answer("meeple city N")
    assert {"E@1,1/90", "E@3,0/180"} <= set(game.question.answers)
    assert "E@2,0/180" not in game.question.answers  # the wall there is closed
    for text in ["E@3,0/180", "pass", "E@1,1/90", "pass", "E@3,2/0", "pass"]:
        game.answer(text)
    assert game.points["cities"] == [0, 16]


def test_large_city_connected_at_a_closed_edge():
    game = play(["B", "B", "E", "E"], ["B@4,3/0", "pass", "B@4,2/0", "pass", "E@4,1/0", "pass"], **SMALL)
    assert {"E@1,1/90", "E@2,0/0", "E@2,2/0", "E@3,0/180"} <= set(game.question.answers)


@pytest.mark.parametrize("reading, points", [("count_tiles", 4), ("nine", 9)])
def test_monastery_in_a_corner(reading, points):
    moves = ["B@5,4/0", "meeple monastery", "B@4,3/0", "pass", "B@5,3/0", "pass"]
    assert play(["B", "B", "B"], moves, border_monastery=reading, **SMALL).points["monasteries"] == [points, 0]


def test_gold_beside_a_large_city_only():
    """With no tile around the gold tile, the second ingot stays in the supply."""
    moves = ["U@2,3/0", "pass", "E@2,2/0", "pass", "GM7@3,0/90"]
    game = play(["U", "E", "GM7"], moves, **{**SMALL, "boxes": ("base", "goldmines")})
    assert (game.question.phase, game.ingots_left) == ("PLACE_FIGURE", 15)


def held_after(chips, moves, deck):
    """Return a game on the small sheet after these actions, with these chips and with the start tiles in place."""
    return play(deck, moves, chips=chips, **CHIPS)


BEFORE_SALE = ["B@5,4/0", "pass", "A@2,3/90", "pass", "B@4,3/0", "pass", "B@2,4/0", "pass"]


@pytest.mark.parametrize(
    "chips, last, answers",
    [
        (["orange 1", "orange 2"], "B@3,3/0", ["sell orange 2 town", "pass"]),
        (["orange 1", "orange 1"], "B@3,3/0", ["sell orange 1+1 town", "pass"]),
        (["orange 2", "purple 2"], "U@0,3/0", ["sell purple 2 abroad", "sell orange 2 abroad", "pass"]),
        (["purple 1", "purple 2"], "U@0,3/0", ["sell purple 2 abroad", "pass"]),
        (["purple 1", "light_blue 1"], "U@0,3/0", None),
        (["light_blue 2", "purple 1"], "B@3,3/0", None),
        (["purple 2", "purple 1"], "B@5,3/0", None),
    ],
)
def test_what_may_be_sold(chips, last, answers):
    """Nancy (3, 3) buys only its orange grape. At the foreign road of (0, 3) any wine can be sold, elsewhere none."""
    on = [(5, 4, *chips[0].split()), (4, 3, *chips[1].split())]
    deck = ["B", "A", "B", "B", last[0], "B"]
    game = held_after([(x, y, colour, int(value)) for x, y, colour, value in on], [*BEFORE_SALE, last], deck)
    assert game.points["chips"] == [int(on[0][3]) + int(on[1][3]), 0]
    if answers is None:
        assert game.question.phase == "PLACE_FIGURE"
    else:
        assert (game.question.phase, game.question.answers) == ("SELL_WINE", answers)
        game.answer(answers[0])
        assert game.points["wine"] == [9 if answers[0].endswith("town") else 5, 0]
        assert game.question.phase == "PLACE_FIGURE"


def test_sale_with_the_chip_just_taken():
    chips = [(5, 4, "orange", 1), (0, 4, "orange", 1)]
    game = held_after(chips, ["B@5,4/0", "pass", "U@0,3/0", "pass", "V@0,4/0"], ["B", "U", "V"])
    assert game.question.answers == ["sell orange 1+1 abroad", "pass"]


@pytest.mark.parametrize("scope, asked", [("whole_turn", "PLACE_FIGURE"), ("turn_part", "SELL_WINE")])
def test_sales_in_a_double_turn(scope, asked):
    chips = [(2, 3, "purple", 2), (0, 3, "purple", 2)]
    moves = ["U@2,3/0", "meeple road E", "B@5,4/0", "pass", "U@3,3/0", "builder road E", "B@2,4/0", "pass"]
    moves += ["U@0,3/0", "sell purple 2 abroad", "pass", "V@0,4/0"]
    boxes = {**CHIPS, "boxes": ("base", "map_chips", "traders_and_builders")}
    game = play(["U", "B", "U", "B", "U", "V"], moves, chips=chips, wine_sales_per_turn_scope=scope, **boxes)
    assert (game.question.player, game.question.phase) == (R, asked)
