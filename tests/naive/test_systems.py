"""The worked examples of ferries, castles, abbeys, shrines, special monasteries, churches, huts and the German tiles.

Each example is played by the naive model alone. A game is given by its actions, separated by semicolons, with `-` for a
pass. All actions are listed, also forced ones. The deck consists of the tiles that are laid.
"""

from collections import Counter
from types import SimpleNamespace

import pytest

from tests import modes
from tests.modes import nightly

from .alone import play_alone
from .naive import NaiveGame
from .table import Table
from .tables import HAND_MADE, SYSTEM_KINDS, printed_deck

R, B = 0, 1  # Red moves first
MIXED_KINDS = ["everything", "strange systems"]
ONE_MORE = ("B",)  # one more tile in the deck after those of the example, so that the game is not over


def play(moves, box, more=ONE_MORE, **settings):
    """Return a game with this box, or these boxes, after these actions. `more` are further tiles in the deck."""
    drawn = [text.split("@")[0] for text in answers_in(moves) if "/" in text and not text.startswith("GC")]
    return go_on(NaiveGame([*drawn, *more], boxes=("base", *box.split()), **settings), moves, listed=0)


def go_on(game, moves, listed=None):
    """Play more actions, skipping the forced ones, and check that `moves` lists exactly these actions."""
    texts = answers_in(moves)
    listed = len(game.moves) if listed is None else listed
    for number, text in enumerate(texts, start=listed):
        if number == len(game.moves):
            game.answer(text)
        assert game.moves[number] == text
    assert game.moves[listed:] == texts
    return game


def answers_in(moves):
    """Return the actions in a line of them."""
    texts = [text.strip() for text in moves.split(";")]
    return ["pass" if text == "-" else text for text in texts if text]


def asked(game):
    """Return the player, the phase and the legal actions in alphabetical order."""
    return game.question.player, game.question.phase, sorted(game.question.answers)


def scored(game, source):
    """Return what this source has scored so far, and check that no other source has scored."""
    assert {name for name, points in game.points.items() if any(points)} <= {source}
    return game.points[source]


# ----------------------------------------------------------------------------------------- ferries

FY1 = "B@0,1/0; -; W@-1,0/0; meeple road E; FE2@1,0/0; -; "
FY2 = FY1 + "ferry S-W; A@1,1/180; -; "
FY3 = FY1.replace("FE2@1,0/0; -", "FE2@1,0/0; meeple road S") + "ferry S-W; A@1,1/180; -; "
FY4 = FY1 + "ferry S-W; U@2,0/0; -; U@1,1/90; -; "


def test_fy1():
    game = play(FY1, "ferries")
    assert asked(game) == (R, "PLACE_FERRY", ["ferry E-S", "ferry E-W", "ferry S-W"])
    assert scored(go_on(game, "ferry E-S"), "roads") == [0, 3]
    assert game.table.ferries == {(1, 0): ("E", "S")}
    for pair in ("S-W", "E-W"):
        assert play(FY1 + f"ferry {pair}", "ferries").scores == [0, 0]


def test_fy2():
    game = play(FY2, "ferries")
    assert asked(game) == (B, "MOVE_FERRY", ["ferry 1,0 E-S", "ferry 1,0 E-W", "pass"])
    assert scored(go_on(game, "pass"), "roads") == [0, 4]


def test_fy3():
    assert scored(play(FY3 + "pass", "ferries"), "roads") == [4, 4]


def test_fy4():
    game = play(FY4, "ferries")
    assert asked(game) == (R, "MOVE_FERRY", ["ferry 1,0 E-S", "ferry 1,0 E-W", "pass"])
    assert scored(go_on(game, "ferry 1,0 E-S"), "roads") == [0, 3]


def test_fy5():
    moves = "FE2@1,0/0; -; ferry E-W; FE2@2,0/0; -; ferry E-W; pass; U@3,0/0; -; "
    game = play(moves, "ferries")
    assert asked(game) == (R, "MOVE_FERRY", ["ferry 2,0 E-S", "ferry 2,0 S-W", "pass"])


def test_fy6():
    moves = "U@-1,0/0; meeple road E; B@0,1/0; -; FE2@1,0/0; -; ferry E-W; B@-1,1/0; -; "
    game = play(moves + "U@2,0/0; builder road E; pass; U@3,0/0; -; ", "ferries traders_and_builders", more=("U", "B"))
    assert game.supply["builder"] == [0, 1]
    go_on(game, "ferry 1,0 S-W")
    assert (game.supply["builder"], game.supply["meeple"]) == ([1, 1], [6, 7])
    assert ("returned", R, "builder", (2, 0)) in game.news
    go_on(game, "U@-2,0/0")
    assert "builder road E" in game.question.answers


def test_fy7():
    game = play(FY1, "ferries", ferry_requires_highwayman=True)
    assert (scored(game, "roads"), game.table.ferries) == ([0, 3], {})
    moves = FY1.replace("FE2@1,0/0; -", "FE2@1,0/0; meeple road S")
    game = play(moves, "ferries", ferry_requires_highwayman=True)
    assert asked(game) == (R, "PLACE_FERRY", ["ferry E-S", "ferry E-W", "ferry S-W"])


def test_fy8():
    moves = "FE2@1,0/0; -; ferry E-W; U@1,1/90; -; B@2,1/0; -; U@3,1/90; -; FE2@3,0/0; -; ferry E-W; U@2,0/0; -; "
    game = play(moves, "ferries")
    assert asked(game) == (
        B,
        "MOVE_FERRY",
        ["ferry 1,0 E-S", "ferry 1,0 S-W", "ferry 3,0 E-S", "ferry 3,0 S-W", "pass"],
    )
    assert asked(go_on(game, "ferry 1,0 E-S")) == (B, "MOVE_FERRY", ["ferry 3,0 E-S", "ferry 3,0 S-W", "pass"])


def test_fy9():
    assert play(FY2 + "ferry 1,0 E-W", "ferries").scores == [0, 0]
    assert scored(play(FY3 + "ferry 1,0 E-S", "ferries"), "roads") == [0, 3]


# ----------------------------------------------------------------------------------------- castles

SMALL_CITY = "E@0,-1/180; meeple city S; "
FOUNDED = SMALL_CITY + "castle 0,-1 S; "
CT9 = "U@1,0/0; -; B@1,-1/0; -; B@1,-2/0; -; E@0,-2/180; meeple city S; H@0,-1/0; meeple city S; "


def castles_of(game):
    """Return the castles on the table: their cells, their players, and whether they have a lord."""
    return [(castle["cells"], castle["player"], bool(castle["lord"])) for castle in game.table.castles]


def test_ct1():
    game = play(SMALL_CITY, "castles")
    assert asked(game) == (R, "FOUND_CASTLE", ["castle 0,-1 S", "pass"])
    go_on(game, "castle 0,-1 S")
    assert (game.scores, castles_of(game)) == ([0, 0], [([(0, -1), (0, 0)], R, True)])
    assert (game.castle_tokens, game.supply["meeple"]) == ([2, 3], [6, 7])
    assert scored(play(SMALL_CITY + "pass", "castles"), "cities") == [4, 0]


def test_ct2():
    closed = FOUNDED + "W@-1,0/0; -; W@1,0/180; -; castle 0,-1 S scores road -1,0 E; "
    game = play(closed, "castles")
    assert (scored(game, "castles"), castles_of(game)) == ([3, 0], [([(0, -1), (0, 0)], R, False)])
    assert (game.castle_tokens, game.supply["meeple"]) == ([2, 3], [7, 7])
    second = play(closed + "A@1,-1/0; -; ", "castles")
    assert (second.points["roads"], scored(second, "castles")) == ([0, 0], [3, 0])


def test_ct3():
    moves = "IC14@-1,0/0; meeple road E; U@1,0/0; -; W@2,0/180; -; castle 0,-1 S scores road -1,0 E"
    game = play(FOUNDED + moves, "castles inns_and_cathedrals")
    assert (game.points["roads"], game.points["castles"], game.scores) == ([0, 8], [8, 0], [8, 8])


def test_ct4():
    around = "U@-1,0/0; -; U@1,0/0; -; E@-1,1/270; -; E@1,1/90; -; E@-1,2/180; -; E@0,2/180; -; E@1,2/180; -"
    game = play(FOUNDED + "B@0,1/0; meeple monastery; " + around, "castles")
    assert scored(game, "monasteries") == [0, 9]
    assert castles_of(game) == [([(0, -1), (0, 0)], R, True)]


def test_ct5():
    moves = FOUNDED + "W@-1,0/0; -; E@1,-1/180; -; L@1,0/0; -; "
    game = play(moves, "castles")
    choices = ["castle 0,-1 S scores city 1,-1 S", "castle 0,-1 S scores road -1,0 E"]
    assert asked(game) == (R, "CASTLE_SCORE", choices)
    assert scored(go_on(game, choices[0]), "castles") == [4, 0]
    assert scored(play(moves + choices[1], "castles"), "castles") == [3, 0]


def test_ct6():
    one = "E@0,-2/0; meeple field En; E@0,-3/180; -"
    assert play(FOUNDED + one, "castles", more=()).points["fields"] == [0, 7]
    two = "E@0,-2/0; meeple city N; E@0,-3/180; -; castle 0,-3 S; E@1,-2/90; meeple field Nw; E@2,-2/270; -; "
    two += "castle 0,-3 S scores city 1,-2 E"
    assert play(FOUNDED + two, "castles", more=()).points["fields"] == [0, 11]


def test_ct7():
    closed = "castle 0,-1 S; castle 0,-2 S; W@-1,0/0; -; W@2,0/180; -; "
    scores = "castle 0,-1 S scores road -1,0 E; castle 0,-2 S scores castle 0,-1 S"
    assert scored(play(CT9 + closed + scores, "castles"), "castles") == [4, 4]


def test_ct8():
    moves = "W@-1,0/0; -; E@0,-1/180; -; E@1,-1/180; meeple city S; B@0,1/0; -; L@1,0/0; -; castle 1,-1 S; "
    assert play(moves, "castles").scores == [0, 0]
    moves += "W@2,0/180; -; castle 1,-1 S scores road 1,0 E"
    assert scored(play(moves, "castles"), "castles") == [2, 0]


def test_ct9():
    game = play(CT9, "castles")
    assert asked(game) == (R, "FOUND_CASTLE", ["castle 0,-1 S", "pass"])
    assert asked(go_on(game, "castle 0,-1 S")) == (B, "FOUND_CASTLE", ["castle 0,-2 S", "pass"])
    assert scored(go_on(game, "pass"), "cities") == [0, 4]


def test_ct10():
    moves = "U@1,0/0; -; U@2,0/0; -; E@2,1/270; meeple city W; B@2,2/0; -; E@1,2/0; meeple city N; B@0,1/0; -; "
    game = play(moves + "I@1,1/180; -; ", "castles")
    assert asked(game) == (R, "FOUND_CASTLE", ["castle 1,1 E", "castle 1,1 S", "pass"])
    assert asked(go_on(game, "castle 1,1 E")) == (R, "FOUND_CASTLE", ["castle 1,1 S", "pass"])
    assert scored(go_on(game, "pass"), "cities") == [4, 0]


def test_ct11():
    assert scored(play("IC7@0,-1/180; meeple city S", "castles inns_and_cathedrals"), "cities") == [4, 0]


def test_ct12():
    moves = "GM8@1,0/0; ingot 0,0; -; E@0,-1/180; meeple city S; "
    game = play(moves + "castle 0,-1 S", "castles goldmines")
    assert (game.scores, game.ingots, game.table.board[0, 0]["ingots"]) == ([0, 0], [0, 0], 1)
    game = play(moves + "pass; take 0,0", "castles goldmines")
    assert (game.scores, game.ingots) == ([0, 4], [0, 1])


def test_ct13():
    moves = "U@1,0/0; meeple road E; B@1,-1/0; -; U@-1,0/0; builder road E; W@-2,0/0; -; E@2,-1/180; meeple city S; "
    moves += "B@0,1/0; -; D@2,0/0; -; castle 2,-1 S; W@3,0/180; -; castle 2,-1 S scores road -2,0 E"
    game = play(moves, "castles traders_and_builders")
    assert (game.points["roads"], game.points["castles"], game.scores) == ([6, 0], [6, 0], [12, 0])


def test_ct14():
    moves = FOUNDED + "CR1@0,1/180; -; circle remove; "
    game = play(moves, "castles crop_circles")
    assert (castles_of(game), game.supply["meeple"]) == ([([(0, -1), (0, 0)], R, True)], [6, 7])
    moves += "W@-1,0/0; -; W@1,0/180; -; castle 0,-1 S scores road -1,0 E"
    assert scored(play(moves, "castles crop_circles"), "castles") == [3, 0]


# ----------------------------------------------------------------------------------------- abbeys

FRAME = "U@1,0/0; -; U@1,-1/0; -; B@1,-2/0; -; E@0,-2/180; meeple city S; U@-1,0/0; -; U@-1,-1/0; -; "


def test_ab1():
    game = play(FRAME, "abbeys")
    assert (asked(game), game.tile) == ((R, "PLACE_ABBEY", ["abbey@0,-1", "pass"]), None)


def test_ab2():
    game = play(FRAME + "abbey@0,-1; ", "abbeys")
    assert asked(game) == (R, "PLACE_FIGURE", ["meeple monastery", "pass"])
    assert scored(go_on(game, "pass"), "cities") == [0, 2]
    assert (game.abbeys, game.supply["meeple"]) == ([0, 1], [7, 7])


def test_ab3():
    game = play(FRAME + "abbey@0,-1; meeple monastery", "abbeys", more=())
    assert game.points["monasteries"] == [8, 0]
    game = play(FRAME + "pass; B@-1,-2/0; -; pass; U@2,-1/0; -; abbey@0,-1; meeple monastery", "abbeys")
    assert (game.points["monasteries"], game.supply["meeple"]) == ([9, 0], [7, 7])


def test_ab4():
    game = play(FRAME + "pass; W@-2,-1/0; meeple road E; abbey@0,-1; -", "abbeys")
    assert (game.points["roads"], game.points["cities"], game.scores) == ([2, 0], [0, 2], [2, 2])


def test_ab5():
    game = play(FRAME, "abbeys", more=())
    assert asked(game) == (R, "PLACE_ABBEY", ["abbey@0,-1", "pass"])
    assert asked(go_on(game, "pass")) == (B, "PLACE_ABBEY", ["abbey@0,-1", "pass"])
    assert go_on(game, "abbey@0,-1; meeple monastery").question is None
    assert play(FRAME + "abbey@0,-1; -", "abbeys", more=()).question is None
    assert play(FRAME, "abbeys", more=(), abbey_end="end_with_stack").question is None


@pytest.mark.parametrize("abbey_end", ["offer_once", "end_with_stack"])
def test_ab7(abbey_end):
    moves = FRAME.replace("U@1,0/0; -", "U@1,0/0; meeple road E").replace("U@-1,0/0; -", "U@-1,0/0; builder road E")
    moves += "pass; U@2,0/0; -; "
    game = play(moves, "abbeys traders_and_builders", more=(), abbey_end=abbey_end)
    assert asked(game) == (R, "PLACE_ABBEY", ["abbey@0,-1", "pass"])
    go_on(game, "pass")
    if abbey_end == "end_with_stack":
        assert game.question is None
    else:  # the offer begins to the left of Red
        assert asked(game) == (B, "PLACE_ABBEY", ["abbey@0,-1", "pass"])


# ----------------------------------------------------------------------------------------- shrines

OCCUPIED = "B@0,1/0; meeple monastery; SH1@1,1/0; meeple shrine; "
AROUND_BOTH = "U@1,0/0; -; U@2,0/0; -; U@-1,0/0; -; E@-1,1/270; -; E@2,1/90; -; E@0,2/180; -; "
SR1 = OCCUPIED + AROUND_BOTH + "E@1,2/180; -; E@2,2/180; -; "


def test_sr1():
    game = play(SR1, "shrines")
    assert (scored(game, "shrines"), game.supply["meeple"], game.table.figures) == ([0, 9], [7, 7], [])
    assert ("returned", R, "meeple", (0, 1)) in game.news
    assert scored(play(SR1 + "E@-1,2/180; -", "shrines"), "shrines") == [0, 9]


def test_sr2():
    game = play(OCCUPIED + AROUND_BOTH + "E@-1,2/180; -; E@2,2/180; -; E@1,2/180; -", "shrines")
    assert (game.points["monasteries"], game.points["shrines"]) == ([9, 0], [0, 9])


def test_sr3():
    game = play("B@0,1/0; -; U@1,0/0; -; U@2,0/0; -; B@2,1/0; -; ", "shrines", more=("SH1", "B"))
    assert not {"SH1@1,1/0", "SH1@1,2/0"} & set(game.question.answers)
    assert "SH1@-1,1/0" in game.question.answers


def test_sr4():
    game = play(SR1.replace("meeple monastery", "-"), "shrines")
    assert (scored(game, "shrines"), game.supply["meeple"]) == ([0, 9], [7, 7])


def test_sr5():
    game = play(SR1.removesuffix("E@2,2/180; -; "), "shrines", more=())
    assert (game.points["monasteries"], game.points["shrines"]) == ([8, 0], [0, 8])


def test_sr6():
    """Blue lays a tile in between, so that both the monastery and the shrine are Red's."""
    moves = OCCUPIED.replace("; SH1", "; U@-1,0/0; -; SH1") + AROUND_BOTH.replace("U@-1,0/0; -; ", "")
    game = play(moves + "E@1,2/180; -; E@2,2/180; -; ", "shrines")
    assert (scored(game, "shrines"), game.supply["meeple"]) == ([9, 0], [7, 7])


def test_sr8():
    moves = SR1.replace("B@0,1/0; meeple monastery", "MO1@0,1/0; meeple monastery lying")
    game = play(moves, "shrines special_monasteries")
    assert (scored(game, "shrines"), game.supply["meeple"]) == ([0, 9], [6, 7])
    assert play(moves, "shrines special_monasteries", more=()).points["monasteries"] == [6, 0]


def test_sr9():
    moves = "B@0,1/0; abbot monastery; SH1@1,1/0; meeple shrine; U@1,0/0; recall"
    game = play(moves, "shrines abbot")
    assert (scored(game, "monasteries"), game.supply["abbot"], game.supply["meeple"]) == ([4, 0], [1, 1], [7, 6])


# ----------------------------------------------------------------------------- special monasteries

LYING = "MO1@0,1/0; meeple monastery lying; "
AROUND_IT = "U@1,0/0; -; U@-1,0/0; -; E@-1,1/270; -; E@1,1/90; -; E@0,2/180; -; E@1,2/180; -; E@-1,2/180; -; "


def test_sm1():
    """There are two squares north of the monastery, none east, two south, and one west."""
    moves = LYING + "E@0,-1/180; -; B@-1,1/0; -; B@0,2/0; -; B@0,3/0; -"
    assert play(moves, "special_monasteries", more=()).points["monasteries"] == [6, 0]


def test_sm2():
    """The lines have 4, 2, 1 and 2 squares."""
    north = "G@0,-1/90; -; G@0,-2/90; -; G@0,-3/90; -; "
    others = "B@1,1/0; -; B@2,1/0; -; B@0,2/0; -; B@-1,1/0; -; B@-2,1/0; -"
    assert play(LYING + north + others, "special_monasteries", more=()).points["monasteries"] == [10, 0]


def test_sm3():
    game = play(LYING.replace(" lying", "") + AROUND_IT, "special_monasteries")
    assert (scored(game, "monasteries"), game.supply["meeple"]) == ([9, 0], [7, 7])


def test_sm4():
    game = play(LYING + AROUND_IT, "special_monasteries")
    assert (game.scores, game.supply["meeple"]) == ([0, 0], [6, 7])
    assert play(LYING + AROUND_IT, "special_monasteries", more=()).points["monasteries"] == [5, 0]


def test_sm5():
    game = play("MO1@0,1/0; ", "special_monasteries abbot")
    figures = {"meeple monastery", "meeple monastery lying", "abbot monastery", "abbot monastery lying"}
    assert {text for text in game.question.answers if "monastery" in text} == figures


def test_lying_abbot_is_taken_back():
    """A lying abbot may be taken back at any time, also from a surrounded building. He scores the lines."""
    moves = "MO1@0,1/0; abbot monastery lying; " + AROUND_IT + "B@2,2/0; recall"
    game = play(moves, "special_monasteries abbot")
    assert (scored(game, "monasteries"), game.supply["abbot"]) == ([5, 0], [1, 1])


# ------------------------------------------------------------------------------ Darmstadt churches

CHURCH = "DA3@0,1/0; {}; U@1,0/0; {}; U@-1,0/0; {}; E@-1,1/270; -; U@1,1/0; -; U@0,2/90; -; E@1,2/180; -; E@-1,2/180; -"


def test_dt1():
    game = play(CHURCH.format("meeple monastery", "meeple field Nw", "meeple field Es"), "darmstadt")
    assert scored(game, "churches") == [12, 0]


def test_dt2():
    game = play(CHURCH.format("meeple monastery", "meeple field Nw", "-"), "darmstadt")
    assert scored(game, "churches") == [12, 3]


def test_dt3():
    assert scored(play(CHURCH.format("-", "meeple field Nw", "-"), "darmstadt"), "churches") == [0, 3]


def test_dt4():
    moves = "DA1@0,-1/0; meeple city N; E@-1,-1/90; -; E@1,-1/270; -"
    assert scored(play(moves + "; E@0,-2/180; -", "darmstadt"), "cities") == [13, 0]
    assert scored(play(moves, "darmstadt", more=()), "cities") == [4, 0]


def test_dt5():
    moves = "DA3@0,1/0; meeple monastery; W@-1,0/180; meeple road E; E@-1,1/270; -; U@1,1/0; -; U@0,2/90; -; "
    game = play(moves + "E@1,2/180; -; E@-1,2/180; -; W@1,0/180; -", "darmstadt")
    assert (game.points["churches"], game.points["roads"]) == ([12, 3], [0, 3])


def test_dt6():
    game = play(CHURCH.format("big monastery", "meeple field Nw", "-"), "darmstadt inns_and_cathedrals")
    assert scored(game, "churches") == [12, 3]


def test_dt7():
    moves = "DA3@1,0/90; -; U@1,1/90; -; B@1,-1/0; -; B@2,-1/0; -; B@2,0/0; -; B@0,1/0; -; B@2,1/0; -; "
    game = play(FOUNDED + moves + "castle 0,-1 S scores monastery 1,0", "castles darmstadt")
    assert (game.points["castles"], game.points["churches"], game.scores) == ([9, 0], [3, 0], [12, 0])


# --------------------------------------------------------------------------------- Baba Yaga's hut

HUT = "RU1@0,1/0; meeple hut; "


def test_by1():
    assert play(HUT + "U@1,0/0; -", "baba_yaga", more=()).points["huts"] == [7, 0]


def test_by2():
    game = play(HUT + AROUND_IT, "baba_yaga")
    assert (scored(game, "huts"), game.supply["meeple"]) == ([1, 0], [7, 7])


def test_by3():
    game = play("RU1@0,1/0; ", "baba_yaga abbot")
    assert {text for text in game.question.answers if "hut" in text} == {"meeple hut"}


def test_by4():
    game = play(SR1.replace("B@0,1/0; meeple monastery", "RU1@0,1/0; meeple hut"), "baba_yaga shrines")
    assert (scored(game, "shrines"), game.supply["meeple"]) == ([0, 9], [6, 7])


def test_by5():
    moves = "RU1@1,-1/0; -; U@1,0/0; -; U@2,0/0; -; B@2,-1/0; -; B@2,-2/0; -; B@1,-2/0; -; B@0,-2/0; -; "
    game = play(FOUNDED + moves + "castle 0,-1 S scores hut 1,-1", "baba_yaga castles")
    assert scored(game, "castles") == [1, 0]


# --------------------------------------------------------------------------------- German castles

HANDS = {"german_castles": (("GC1", "GC6"), ("GC2", "GC3"))}
RED_GC1 = {"german_castles": (("GC1",), ())}


def test_gb1():
    game = play("", "german_castles", **HANDS)
    player, phase, answers = asked(game)
    assert (player, phase) == (R, "PLACE_GERMAN_CASTLE")
    of_gc1 = {text for text in answers if text.startswith("GC1")}
    assert of_gc1 == {"GC1@1,0/0", "GC1@-2,0/0", "GC1@0,1/0", "GC1@-1,1/0"}
    assert (len(answers), sum(text.startswith("GC6") for text in answers), "pass" in answers) == (14, 9, True)
    go_on(game, "GC1@1,0/0")
    figures = ["meeple castle", "meeple field Nw", "meeple field Se", "meeple road 2E", "meeple road W", "pass"]
    assert asked(game) == (R, "PLACE_FIGURE", figures)
    game = go_on(play("", "german_castles", **HANDS), "GC6@1,0/270")
    figures = [
        "meeple castle",
        "meeple field Es",
        "meeple field Nw",
        "meeple field Ws",
        "meeple road E",
        "meeple road W",
    ]
    assert asked(game) == (R, "PLACE_FIGURE", [*figures, "pass"])


def test_gb2():
    moves = "pass; W@-1,0/0; meeple road E; pass; B@0,1/0; -; GC1@1,0/0; -"
    game = play(moves, "german_castles", **HANDS)
    assert (scored(game, "roads"), game.german_castles) == ([6, 0], [["GC6"], ["GC2", "GC3"]])


AROUND_GC1 = "GC1@1,0/0; meeple castle; B@0,1/0; -; B@1,1/0; -; B@2,1/0; -; B@3,1/0; -; B@1,-1/0; -"


def test_gb3():
    game = play(AROUND_GC1, "german_castles", more=(), **RED_GC1)
    assert game.points["german_castles"] == [8, 0]


def test_gb4():
    moves = AROUND_GC1 + "; B@2,-1/0; -; B@3,-1/0; -; E@0,-1/180; -; U@3,0/0; -"
    game = play(moves, "german_castles", **RED_GC1)
    assert (scored(game, "german_castles"), game.supply["meeple"]) == ([12, 0], [7, 7])


def test_gb5():
    game = play("GC1@1,0/0; -; ", "german_castles", **HANDS)
    assert asked(game) == (B, "PLACE_GERMAN_CASTLE", ["GC2@-1,0/270", "GC3@-2,0/0", "pass"])


def test_gb6():
    held = {"german_castles": (("GC1",), ("GC3",))}
    game = play("pass; U@1,0/0; -; ", "german_castles", more=(), **held)
    player, phase, answers = asked(game)
    assert (player, phase, "pass" in answers) == (B, "PLACE_GERMAN_CASTLE", False)
    go_on(game, "GC3@-2,0/0; -")
    player, phase, answers = asked(game)
    assert (player, phase, "pass" in answers) == (R, "PLACE_GERMAN_CASTLE", False)
    assert play("pass; U@1,0/0; -", "german_castles", more=(), **RED_GC1).question is None


def test_gb7():
    moves = "pass; U@1,0/0; -; GC2@-1,-1/180; meeple city 2S"
    game = play(moves, "german_castles castles", **HANDS)
    assert scored(game, "cities") == [0, 7]


def test_gb8():
    moves = "GC1@1,0/0; -; B@1,1/0; meeple monastery"
    assert play(moves, "german_castles", more=(), **RED_GC1).points["monasteries"] == [0, 4]


def test_gb9():
    moves = "pass; U@-1,0/0; meeple road E; B@0,1/0; -; pass; U@-2,0/0; builder road E; B@1,1/0; -; GC1@1,0/0; -; "
    game = play(moves, "german_castles traders_and_builders", **RED_GC1)
    assert asked(game)[:2] == (R, "PLACE_TILE")


def test_gb10():
    moves = "GC1@1,0/0; -; pass; U@-1,0/0; meeple road E; B@0,1/0; -; GC3@-3,0/0; -"
    game = play(moves, "german_castles", german_castles=(("GC1",), ("GC2", "GC3")))
    assert scored(game, "roads") == [0, 10]


def test_gb11():
    moves = "pass; MO1@0,1/0; meeple monastery lying; U@1,0/0; -; GC5@0,2/90; -"
    game = play(moves, "german_castles special_monasteries", more=(), german_castles=(("GC5",), ()))
    assert game.points["monasteries"] == [4, 0]


def test_gb12():
    moves = "U@1,0/0; -; GC6@1,1/0; meeple field 2Ne; CR3@-1,0/0; -; circle add; "
    game = play(moves, "german_castles crop_circles", german_castles=((), ("GC6",)))
    assert asked(game) == (B, "CROP_ADD", ["add meeple field 2,1 Ne", "pass"])


def test_gb13():
    game = play("E@0,-1/180; -; ", "german_castles", more=("C",), german_castles=((), ("GC3",)))
    assert "pass" in game.question.answers
    go_on(game, "pass")
    assert (game.news, len(game.deck)) == ([("discarded", "C")], 0)
    assert (asked(game)[:2], "pass" in game.question.answers) == ((B, "PLACE_GERMAN_CASTLE"), False)


# ------------------------------------------------------------------------------- German cathedrals

GD3 = "GK4@1,0/0; meeple cathedral; W@-1,0/0; -; W@2,0/0; -; {}; U@1,2/90; -; {}"


def test_gd1():
    assert scored(play("W@-1,0/0; -; GK4@1,0/0; meeple road W", "german_cathedrals"), "roads") == [0, 6]


def test_gd2():
    there_and_back = "V@2,0/0; -; V@2,1/90; -; V@1,1/180; -"
    game = play("GK1@1,0/0; meeple road E; " + there_and_back, "german_cathedrals")
    assert scored(game, "roads") == [10, 0]
    game = play("GK4@1,0/0; meeple cathedral; " + there_and_back + "; W@-1,0/0; -", "german_cathedrals")
    assert (scored(game, "german_cathedrals"), game.supply["meeple"]) == ([8, 0], [7, 7])


def test_gd3():
    game = play(GD3.format("U@1,1/90; -", "W@1,3/180; -"), "german_cathedrals")
    assert (scored(game, "german_cathedrals"), game.supply["meeple"]) == ([9, 0], [7, 7])


def test_gd4():
    game = play(GD3.format("U@1,1/90; meeple road N", "U@1,3/90; -"), "german_cathedrals", more=())
    assert (game.points["german_cathedrals"], game.points["roads"]) == ([9, 0], [0, 4])


def test_gd5():
    moves = "GK4@1,0/0; meeple road W; IC15@-1,0/0; -; W@-2,0/0; -"
    assert scored(play(moves, "german_cathedrals inns_and_cathedrals"), "roads") == [12, 0]


# ------------------------------------------------------------------- gold with the systems together


def test_mx1():
    moves = FY1 + "ferry S-W; GM8@2,0/0; ingot 1,0; -; U@1,1/90; -; ferry 1,0 E-S; take 1,0"
    game = play(moves, "ferries goldmines")
    assert (game.points["roads"], game.ingots, game.table.board[2, 0]["ingots"]) == ([0, 3], [0, 1], 1)


MX2 = "B@0,1/0; -; E@0,-1/180; meeple city S; castle 0,-1 S; GM8@1,0/0; ingot 0,-1; meeple road E; A@1,1/180; -; "
MX2 += "GM8@2,0/0; ingot 1,1; -; W@3,0/180; -; W@-1,0/0; -; castle 0,-1 S scores road -1,0 E; "


@pytest.mark.parametrize(
    "takes, ingots",
    [
        ("take 1,0; take 0,-1; take 2,0", [2, 1]),
        ("take 2,0; take 1,0; take 0,-1", [1, 2]),
        ("take 2,0; take 0,-1; take 1,0", [2, 1]),
    ],
)
def test_mx2(takes, ingots):
    """One ingot lies only on the road, one only in the vicinity, and one in both. A fourth lies elsewhere."""
    game = play(MX2, "castles goldmines")
    assert (game.points["roads"], game.points["castles"]) == ([5, 0], [0, 5])
    assert asked(game) == (R, "TAKE_INGOT", ["take 1,0", "take 2,0"])
    assert (go_on(game, takes).ingots, game.table.board[1, 1]["ingots"]) == (ingots, 1)


def test_mx3():
    moves = "B@0,1/0; -; E@0,-1/180; meeple city S; castle 0,-1 S; U@1,0/0; meeple road E; B@0,2/0; -; U@2,0/0; -; "
    moves += "B@1,1/0; -; GM8@3,0/0; ingot 2,0; -; W@4,0/180; -; W@-1,0/0; -; "
    game = play(moves + "castle 0,-1 S scores road -1,0 E; take 2,0; take 3,0", "castles goldmines")
    assert (game.points["roads"], game.points["castles"], game.ingots) == ([6, 0], [0, 6], [2, 0])


def test_mx4():
    around = AROUND_IT.replace("E@-1,2/180; -; ", "GM2@-1,2/270; ingot 0,1; -; ")
    monk = play(LYING.replace(" lying", "") + around + "take 0,1; take -1,2", "special_monasteries goldmines")
    assert (monk.points["monasteries"], monk.ingots) == ([9, 0], [2, 0])
    lying = play(LYING + around, "special_monasteries goldmines")
    assert (lying.scores, lying.ingots, lying.table.board[0, 1]["ingots"]) == ([0, 0], [0, 0], 1)


def test_mx5():
    moves = SR1.replace("U@2,0/0; -", "GM8@2,0/0; ingot 1,0; -").replace("E@2,1/90", "BB9@2,1/180")
    game = play(moves + "take 1,0; take 2,0", "shrines goldmines")
    assert (scored(game, "shrines"), game.ingots) == ([0, 9], [0, 2])


def test_mx6():
    moves = CHURCH.format("meeple monastery", "meeple field Nw", "-").replace(
        "E@-1,2/180; -", "GM2@-1,2/270; ingot 0,1; -"
    )
    game = play(moves + "; take 0,1; take -1,2", "darmstadt goldmines")
    assert (scored(game, "churches"), game.ingots) == ([12, 3], [2, 0])


def test_mx7():
    moves = "GC1@1,0/0; meeple road W; GM8@3,0/0; ingot 1,0; -; W@-1,0/0; -; take 1,0"
    game = play(moves, "german_castles goldmines", **RED_GC1)
    assert (scored(game, "roads"), game.ingots) == ([6, 0], [1, 0])


def test_mx8():
    moves = "GK4@1,0/0; meeple cathedral; W@-1,0/0; -; W@2,0/0; -; GM8@1,1/0; ingot 1,0; meeple road N; W@1,2/180; -; "
    game = play(moves, "german_cathedrals goldmines")
    assert (game.points["german_cathedrals"], game.points["roads"]) == ([8, 0], [0, 6])
    assert asked(game) == (R, "TAKE_INGOT", ["take 1,0", "take 1,1"])
    assert go_on(game, "take 1,0; take 1,1").ingots == [1, 1]


# ------------------------------------------------------------------------- further rules


def deck_of(*boxes, **settings):
    """Return the tiles in the stack, including the start tile."""
    table = {"tiles_only": (), "edition": "C2", "special_monasteries": "replace", "crop_circle_tiles": None, **settings}
    return printed_deck(SimpleNamespace(boxes=("base", *boxes), **table))


def test_number_of_tiles():
    sizes = {"ferries": 8, "castles": 12, "abbeys": 12, "shrines": 6, "baba_yaga": 2, "german_cathedrals": 6}
    assert {box: deck_of(box).total() - 72 for box in sizes} == sizes
    assert deck_of("shrines", edition="C1").total() == 72 + 5
    assert deck_of("german_castles") == deck_of()  # they are in the players' hands


def test_special_monasteries_replace_others():
    assert deck_of() - deck_of("special_monasteries") == Counter(A=2, B=4)
    assert deck_of("special_monasteries", special_monasteries="keep").total() == 72 + 6


def test_churches_alone_with_the_base_game_replace_two_monasteries():
    assert deck_of("darmstadt")["B"] == deck_of("darmstadt", "abbot")["B"] == 2
    assert deck_of("darmstadt", "goldmines")["B"] == deck_of("darmstadt", "german_castles")["B"] == 4
    assert deck_of("darmstadt", tiles_only=("ferries",))["B"] == 4


def test_abbey_comes_before_german_castle():
    """Both are offered before a tile is drawn."""
    frame = "pass; U@1,0/0; -; U@1,-1/0; -; pass; B@1,-2/0; -; E@0,-2/180; -; pass; U@-1,0/0; -; U@-1,-1/0; -"
    game = play(frame, "abbeys german_castles", **RED_GC1)
    assert (asked(game)[1], game.tile) == ("PLACE_ABBEY", None)
    assert asked(go_on(game, "pass"))[1] == "PLACE_GERMAN_CASTLE"
    assert asked(go_on(game, "pass"))[1] == "PLACE_TILE"


def test_abbey_gives_no_second_part():
    """An abbey extends nothing, so there is no second part."""
    frame = FRAME.replace("U@1,0/0; -", "U@1,0/0; meeple road E").replace("U@-1,0/0; -", "U@-1,0/0; builder road E")
    game = play(frame + "abbey@0,-1; -", "abbeys traders_and_builders")
    assert game.question.player == B


def test_symbols_of_other_boxes_mean_nothing():
    """Without its box, a shrine, church, hut, special monastery or cathedral is no building. A lake has no ferry."""
    tiles = ["SH1", "DA3", "RU1", "MO1", "GK1", "FE2"]
    for tile in tiles:
        table = Table([(tile, 0, 0, 0)], boxes=("base",))
        assert {segment["kind"] for segment in table.segments_on((0, 0))} <= {"road", "field"}
    assert play("FE2@1,0/0; -", "goldmines").table.ferries == {}


def test_shrine_and_its_only_rival():
    """A monastery beside a shrine takes no second shrine, and a shrine beside a monastery takes no second monastery."""
    moves = "B@0,1/0; -; SH1@-1,1/0; -; U@1,0/0; -; "
    game = play(moves, "shrines", more=("SH1", "B"))
    assert not {"SH1@1,1/0", "SH1@0,2/0"} & set(game.question.answers)
    game = play(moves, "shrines", more=("B", "B"))
    assert not {"B@-2,1/0", "B@-1,2/0", "B@0,2/0"} & set(game.question.answers)
    assert "B@1,1/0" in game.question.answers


def test_ferry_on_a_branching_road():
    """At a crossing where three roads are one, the ferries on two of them are both nearest ones."""
    moves = "FE2@1,0/0; -; ferry E-W; AM11@2,0/0; -; pass; FE2@3,0/0; -; ferry E-W; pass; U@2,-1/90; -; "
    game = play(moves, "ferries")
    lakes = {text.split()[1] for text in game.question.answers if text != "pass"}
    assert (asked(game)[1], lakes) == ("MOVE_FERRY", {"1,0", "3,0"})


def test_pig_beside_a_castle():
    """A castle scores five points for the owner of a pig, four for others."""
    moves = FOUNDED + "E@0,-2/0; meeple field En; B@0,1/0; -; B@1,-2/0; pig field Nw"
    game = play(moves, "castles traders_and_builders", more=())
    assert game.points["fields"] == [0, 5]


def test_castle_waits_for_a_later_turn():
    """A lord scores neither what is completed together with his castle nor a castle that is founded with it."""
    game = play(CT9 + "castle 0,-1 S; castle 0,-2 S", "castles")
    assert game.scores == [0, 0]


STRIP = {"sheet": str(HAND_MADE / "strip.toml")}  # seven squares in a row


@pytest.mark.parametrize("reading, points", [("count_tiles", 4), ("nine", 12)])
def test_german_castle_on_a_sheet(reading, points):
    """Of the ten squares around it, two exist. It scores 2 and their number, or 12."""
    moves = "GC1@4,0/0; meeple castle; A@6,0/90; -"
    starts = (("D", 3, 0, 0),)
    game = play(moves, "german_castles", starts=starts, border_monastery=reading, **STRIP, **RED_GC1)
    assert scored(game, "german_castles") == [points, 0]


def test_german_castle_covers_two_squares_with_chips():
    """The player takes the chips of both squares. The second square is Nancy, and there is still only one sale."""
    chips = [(2, 3, "orange", 2), (3, 3, "purple", 2)]
    settings = {"sheet": str(HAND_MADE / "small.toml"), "starts": (("D", 1, 3, 0), ("B", 4, 4, 0)), "chips": chips}
    game = play("GC1@2,3/0; ", "german_castles map_chips", **settings, **RED_GC1)
    assert (scored(game, "chips"), asked(game)[2]) == ([4, 0], ["pass", "sell orange 2 town"])
    assert asked(go_on(game, "sell orange 2 town"))[1] == "PLACE_FIGURE"


@pytest.mark.parametrize("reading", ["count_tiles", "nine"])
def test_hut_on_a_sheet(reading):
    """Only squares that exist count. A surrounded hut is worth 1 with both settings."""
    starts = (("B", 3, 0, 0),)
    game = play("RU1@4,0/0; meeple hut; B@5,0/0; -", "baba_yaga", starts=starts, border_monastery=reading, **STRIP)
    assert scored(game, "huts") == [1, 0]
    game = play("RU1@4,0/0; meeple hut", "baba_yaga", more=(), starts=starts, **STRIP)
    assert game.points["huts"] == [2, 0]


@pytest.mark.parametrize("reading, points", [("count_tiles", 3), ("nine", 9)])
def test_abbey_on_a_sheet(reading, points):
    """The neighbours that exist must be occupied: two of the first square, one of the other."""
    starts = (("B", 3, 0, 0), ("B", 5, 0, 0))
    game = play("", "abbeys", starts=starts, border_monastery=reading, **STRIP)
    assert asked(game) == (R, "PLACE_ABBEY", ["abbey@4,0", "abbey@6,0", "pass"])
    assert scored(go_on(game, "abbey@4,0; meeple monastery"), "monasteries") == [points, 0]


# What must come up in games with composed decks.
MET = [
    "CASTLE_SCORE asked",
    "CASTLE_SCORE forced",
    "German castle laid as no tile fits",
    "German castle laid in part two",
    "German castle laid with an empty stack",
    "MOVE_FERRY asked",
    "abbey laid in the offer",
    "builder left alone",
    "castle founded out of turn",
    "castle may score with castle",
    "castles scored together",
    "challenge lost by a monastery",
    "challenge lost by a shrine",
    "church bonus for several",
    "church bonus, nobody in the church",
    "completed city with Darmstadtium",
    "completed german_castle",
    "completed german_cathedral",
    "completed hut",
    "completed road to a German cathedral, with inn",
    "completed road with 2 tiles of German castles",
    "lying abbot taken back",
    "no place for a tile because of shrines",
    "no place for an abbey because of shrines",
    "road completed by a ferry moved",
    "road completed by an abbey",
    "unfinished field beside a castle",
    "unfinished special_monastery with lying follower",
]


@pytest.mark.parametrize("games", [modes.sized(4, 1, 1), nightly(40)])
def test_much_happens_in_composed_games(games):
    """Nothing gets lost in games with composed decks. In 40 games of each kind, all situations of MET come up."""
    met = sum((play_alone(kind, n, composed=True) for n in range(games) for kind in MIXED_KINDS), Counter())
    assert met["games"] == games * len(MIXED_KINDS)
    assert games < 40 or not [name for name in MET if not met[name]]


@pytest.mark.skipif(modes.NAME == "uncompiled", reason="the model is the same in each mode")
@pytest.mark.parametrize("kind", sorted(set(SYSTEM_KINDS)))
def test_model_alone(kind):
    """In random games with the nine systems, nothing gets lost, and the features remembered equal those seen."""
    met = sum((play_alone(kind, number) for number in range(modes.sized(3, 1, 1))), Counter())
    assert met["answers"] > 50 * met["games"]
