"""The naive model itself, on examples small enough to work out on paper."""

import pytest

from .naive import NaiveGame, ingot_rate
from .table import legal_placements, looks, turned

R, B, C = 0, 1, 2  # Red moves first, then Blue, then the third player
CELLS = {"m": (0, 0), "s": (1, 0), "u": (2, 0), "v": (3, 0)}


def draft_results(rule, gold, claims, players=2):
    """Every way a draft can end, as ingots of each player, trying all choices.

    `gold` is {tile: ingots}; `claims` are pairs of owners and a string of tiles.
    """
    results, to_try = set(), [[]]
    while to_try:
        choices = to_try.pop()
        game = NaiveGame([], players=players, gold_rule=rule)
        game.board = {CELLS[tile]: {"ingots": gold.get(tile, 0)} for tile in CELLS}
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
    start = {(0, 0): {"tile": "D", "rotation": 0, "ingots": 0}}
    assert set(legal_placements(start, "U", 30)) == {"U@1,0/0", "U@-1,0/0", "U@0,1/0"}
    assert set(legal_placements(start, "B", 30)) == {"B@0,1/0"}
    assert set(legal_placements(start, "E", 30)) == {"E@0,-1/180", "E@0,1/90", "E@0,1/180", "E@0,1/270"}


def play(deck, moves, **settings):
    """A naive game after these answers."""
    game = NaiveGame(deck, **settings)
    for text in moves:
        game.answer(text)
    return game


def test_two_tile_city():
    """4 points, or 2 by the old rule; and 3 for the farmer beside it in any case."""
    moves = ["E@0,-1/180", "meeple city S"]
    assert play(["E"], moves).scores == [4, 0]
    assert play(["E"], moves, small_city_points=2).scores == [2, 0]
    assert play(["E"], ["E@0,-1/180", "meeple field Nw"]).scores == [3, 0]


def test_loop_road_of_four_curves():
    """A road that closes upon itself is complete and pays each tile once."""
    moves = ["V@1,0/0", "pass", "V@1,1/90", "pass", "V@0,1/180", "meeple road N"]
    game = NaiveGame(["V", "V", "V"], starts=(("V", 0, 0, 270),))
    for text in moves:
        game.answer(text)
    assert game.scores == [4, 0]
    assert game.figures == []


def test_open_city_at_the_end():
    """Unfinished, a city pays one point for each tile and each pennant."""
    assert play(["F"], ["F@0,-1/90", "meeple city N"]).scores == [3, 0]


def test_gold_of_a_road_completed_with_its_ingots():
    """Who completes the own road with a gold tile gets its ingots at once, both if both lie on it."""
    settings = {"boxes": ("base", "goldmines"), "starts": (("X", -2, 0, 0), ("D", 0, 0, 0), ("X", 1, 0, 0))}
    game = play(["GM8"], ["GM8@-1,0/0", "ingot 0,0", "meeple road E"], **settings)
    assert (game.points["roads"], game.ingots) == ([4, 0], [2, 0])
    settings["starts"] += (("X", -1, -1, 0),)
    game = play(["GM8"], ["GM8@-1,0/0", "ingot -1,-1", "meeple road E"], **settings)
    assert (game.points["roads"], game.ingots) == ([4, 0], [1, 0])


def test_abbot_taken_back():
    """The abbot scores his garden with its neighbours as they are, the new tile among them."""
    moves = ["U-g@1,0/0", "abbot garden", "U@-1,0/0", "pass", "U@0,1/0", "recall"]
    game = play(["U-g", "U", "U"], moves, boxes=("base", "abbot"))
    assert game.points["gardens"] == [3, 0]
    assert game.supply["abbot"] == [1, 1]
