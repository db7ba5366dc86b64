"""Tests of Darmstadt churches: the bonus for players around a church, and the Darmstadtium. DT1 and the like are worked
examples; see tests/scenarios/darmstadt.
"""

from carc_env import Game, GameConfig
from carc_env.boxes.layout import PLANES
from carc_env.setup.template import full_deck
from tests.systems.dictated import play, played
from tests.systems.playing import square

# The tiles around a church on 0,1, which lies below D. Red places the church, and then Blue and Red place these tiles
# by turns.
RING = ("U@1,0/0", "U@-1,0/0", "E@-1,1/270", "U@1,1/0", "U@0,2/90", "E@1,2/180", "E@-1,2/180")


def ring(church: str = "; meeple monastery", **figures: str) -> list[str]:
    """Return the turns that place the church and the tiles around it. The key `t1` in `figures` gives the figure on the
    first tile after the church.
    """
    turns = [f"DA3@0,1/0{church}", *RING]
    return [
        turn + (f"; {figures[f't{number}']}" if f"t{number}" in figures else "" if ";" in turn else "; pass")
        for number, turn in enumerate(turns)
    ]


def churches(boxes: str, turns: list[str], left: str = "U U") -> tuple[list[int], list[int]]:
    """Play the turns. Return the points from churches, and the scores."""
    game = played(boxes, *turns, left=left)
    return game.final_scores()["churches"].tolist(), game.scores.tolist()


# --- the bonus --------------------------------------------------------------------------------------------------------
def test_most_followers_around_get_the_bonus():
    """DT1: Red has a monk and a farmer, and Blue has one farmer."""
    assert churches("darmstadt", ring(t1="meeple field Nw", t2="meeple field Es")) == ([12, 0], [12, 0])


def test_all_who_tie_get_it():
    """DT2."""
    assert churches("darmstadt", ring(t1="meeple field Nw")) == ([12, 3], [12, 3])


def test_it_is_paid_for_an_empty_church():
    """DT3. If no follower stands around the church, nobody gets the bonus."""
    assert churches("darmstadt", ring("", t1="meeple field Nw")) == ([0, 3], [0, 3])
    assert churches("darmstadt", ring("")) == ([0, 0], [0, 0])


def test_those_who_return_in_the_same_scoring_count():
    """DT5: the last tile also completes Blue's road of 3."""
    turns = [
        "DA3@0,1/0; meeple monastery",
        "W@1,1/0; meeple road W",
        "U@1,0/0",
        "U@-1,0/0",
        "E@-1,1/270",
        "U@1,2/90",
        "U@-1,2/0",
        "W@0,2/90",
    ]
    assert churches("darmstadt", turns) == ([12, 3], [12, 6])


def test_a_big_one_counts_as_one_and_a_builder_or_pig_does_not():
    """DT6."""
    boxes = "darmstadt inns_and_cathedrals traders_and_builders"
    assert churches(boxes, ring("; big monastery", t1="meeple field Nw")) == ([12, 3], [12, 3])
    turns = ring(t1="meeple field Es", t3="pig field Nw")
    assert churches(boxes, turns) == ([12, 3], [12, 3])


def test_who_lies_counts():
    boxes = "darmstadt special_monasteries"
    turns = ["DA3@0,1/0; meeple monastery", "U@1,0/0", "U@-1,0/0", "MO1@-1,1/0; meeple monastery lying", *RING[3:]]
    assert churches(boxes, turns) == ([12, 3], [12, 3])


def test_the_bonus_brings_no_gold():
    """MX6."""
    turns = [*ring(t1="meeple field Nw")[:-1], "GM2@-1,2/270; ingot 0,1; pass"]
    game = played("darmstadt goldmines", *turns, left="U")
    assert game.scores.tolist() == [12, 3] and game.ingots.tolist() == [2, 0]


def test_a_church_that_lost_its_challenge_still_brings_the_bonus():
    turns = [
        "DA3@0,1/0; meeple monastery",
        "SH1@-1,1/0; meeple shrine",
        "U@-1,0/0",
        "U@-2,0/0",
        "E@-2,1/270",
        "E@-1,2/180",
        "E@-2,2/180",
        "U@0,2/90",
    ]
    game = played("darmstadt shrines", *turns, left="U U E U")
    assert game.scores.tolist() == [0, 9]
    play(game, "U@1,0/0", "U@1,1/0; meeple field Nw", "E@1,2/180")
    assert game.scores.tolist() == [0, 12] and game.final_scores()["churches"].tolist() == [0, 3]


def test_without_the_box_a_church_is_a_picture():
    turns = ["DA3@0,1/0", "U@1,0/0; meeple field Nw", *RING[1:]]
    game = played("", *turns, left="U", tiles_only=("darmstadt",))
    assert game.scores.tolist() == [0, 0]


# --- the Darmstadtium -------------------------------------------------------------------------------------------------
def test_the_darmstadtium_pays_three_more():
    """DT4: the completed city has 5 tiles. While the city has 4 tiles and is open, the Darmstadtium adds nothing."""
    turns = ("DA1@0,-1/0; meeple city N", "E@0,-2/180", "E@1,-1/270", "E@-1,-1/90")
    game = played("darmstadt", *turns, left="U")
    assert game.scores.tolist() == [13, 0] and game.final_scores()["cities"].tolist() == [13, 0]
    assert played("darmstadt", *turns[:-1]).scores.tolist() == [4, 0]
    assert played("goldmines", *turns, left="U").scores.tolist() == [10, 0]


def test_agents_see_what_a_city_pays_more():
    game = played("darmstadt", "DA1@0,-1/0; meeple city N", left="U")
    planes, bonus = game.observe(0)["planes"], list(PLANES).index("bonus_N")
    assert planes[bonus][square(game, 0, 0)] == 3
    assert [planes[bonus + edge][square(game, 0, -1)] for edge in range(4)] == [3, 3, 3, 3]
    assert planes[bonus : bonus + 4].sum() == 15


# --- the stack --------------------------------------------------------------------------------------------------------
def test_two_monasteries_leave_the_base_game():
    def monasteries(*boxes: str, **settings) -> int:
        return full_deck(GameConfig(boxes=("base", *boxes), **settings)).count("B")

    assert monasteries() == 4 and monasteries("darmstadt") == 2 and monasteries("darmstadt", "abbot") == 2
    assert monasteries("darmstadt", "goldmines") == 4 and monasteries(tiles_only=("darmstadt",)) == 4
    assert monasteries("darmstadt", tiles_only=("crop_circles",)) == 4
    assert Game(GameConfig(boxes=("base", "darmstadt")), seed=1).tiles_left + 1 == 71 + 3 - 2
