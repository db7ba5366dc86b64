"""Checks that the bot `greedy` uses the rules of each box where they bring a plain gain, and only there."""

import numpy as np
import pytest

from carc_env import Game, GameConfig, Phase, bots
from carc_env.bots.greedy import LEFT_ALONE, GreedyBot, priced
from carc_env.boxes.prospect_parts import Part
from carc_env.observing.prospects import default_prices
from tests.systems.playing import begin, play

GREEDY = bots.make("greedy")
FOUNDED = "E@0,-1/180; meeple city S"  # completes the city of this tile and the start tile D


def given(boxes: str, deck: str, line: str, **settings) -> Game:
    """Return the game after the actions in `line`. `line` also contains the forced actions, which the engine plays."""
    return play(begin(boxes, deck, **settings), line)


def chosen(game: Game, bot: GreedyBot = GREEDY) -> str:
    return game.text(bot.choose(game))


# --- castles ----------------------------------------------------------------------------------------------------------
def test_no_castle_is_founded_when_nothing_can_complete_any_more():
    game = given("castles", "E", FOUNDED)
    assert game.phase == Phase.FOUND_CASTLE and chosen(game) == "pass"


def test_a_castle_is_founded_beside_a_long_road():
    """A road of eleven tiles passes through the vicinity. Only one end of the road is open."""
    line = "".join(f"U@{x},0/0; pass; " for x in range(1, 10)) + "W@10,0/180; pass; " + FOUNDED
    game = given("castles", "U " * 9 + "W E " + "W L U E " * 8, line)
    assert game.phase == Phase.FOUND_CASTLE and chosen(game) == "castle 0,-1 S"
    assert chosen(game, GreedyBot(without="castles")) == "pass"


def test_what_a_lord_will_score_at_once_is_worth_its_points():
    """The last tile completes a road of 3 points and a city of 4 points, which nobody owns. The action `pass` places no
    figure, and the lord scores 4 points.
    """
    line = "E@0,-1/180; meeple city S; castle 0,-1 S; W@-1,0/0; pass; E@1,-1/180; pass; B@0,1/0; pass; L@1,0/0"
    game, other = given("castles", "E W E B L U U", line), default_prices()
    other["parts"][0][Part.NOW] += 1.0
    worth, more = (priced(game, prices)[2][-1] for prices in (default_prices(), other))
    assert game.phase == Phase.PLACE_FIGURE and more - worth == pytest.approx(4.0)


def test_a_lord_scores_what_is_worth_most():
    game = given("castles", "E W E L U U", f"{FOUNDED}; castle 0,-1 S; W@-1,0/0; pass; E@1,-1/180; pass; L@1,0/0; pass")
    assert game.phase == Phase.CASTLE_SCORE and chosen(game) == "castle 0,-1 S scores city 1,-1 S"


# --- abbeys -----------------------------------------------------------------------------------------------------------
FRAME = "U@1,0/0; pass; U@1,-1/0; pass; B@1,-2/0; pass; E@0,-2/180; meeple city S; U@-1,0/0; pass; U@-1,-1/0; pass"


def test_an_abbey_is_placed_when_it_is_offered_for_the_last_time():
    """The abbey scores 8 points with a monk, and there is no better use for the follower."""
    game = given("abbeys", "U U B E U U", FRAME)
    assert game.phase == Phase.PLACE_ABBEY and chosen(game) == "abbey@0,-1"
    game.play("abbey@0,-1")
    assert chosen(game) == "meeple monastery"


def test_an_abbey_is_kept_as_long_as_it_only_helps_the_other_player():
    game = given("abbeys", "U U B E U U " + "V W U E " * 8, FRAME)
    assert game.phase == Phase.PLACE_ABBEY and chosen(game) == "pass"


# --- shrines ----------------------------------------------------------------------------------------------------------
RING = "B@0,1/0; meeple monastery; U@1,0/0; pass; U@-1,0/0; pass; E@-1,1/270; pass; E@-1,2/180; pass; E@0,2/180; pass; U@2,0/0; pass; "


def test_nobody_goes_to_a_shrine_that_will_lose_its_challenge():
    """One square around the monastery beside the shrine is empty, but three squares around the shrine are empty."""
    more = "U V B E " * 10
    game = given("shrines", f"B U U E E E U SH1 {more}", RING + "SH1@1,1/0")
    assert chosen(game) != "meeple shrine"
    empty = given("shrines", f"B U U E E E U SH1 {more}", RING.replace("meeple monastery", "pass") + "SH1@1,1/0")
    assert chosen(empty) == "meeple shrine"


# --- special monasteries ----------------------------------------------------------------------------------------------
def test_a_follower_lies_down_where_lines_are_long():
    line = "U@1,0/0; pass; U@2,0/0; pass; U@3,0/0; pass; U@-1,0/0; pass; B@0,1/0; pass; B@0,2/0; pass; B@0,3/0; pass; MO1@0,4/0"
    game = given("special_monasteries", "U U U U B B B MO1", line, special_monasteries="keep")
    assert chosen(game) == "meeple monastery lying"
    assert chosen(game, GreedyBot(without="special_monasteries")) == "meeple monastery"


def test_a_follower_stands_where_all_around_is_occupied():
    line = (
        "U@1,0/0; pass; U@-1,0/0; pass; E@-1,1/270; pass; E@1,1/90; pass; E@-1,2/180; pass; E@1,2/180; pass; MO1@0,1/0"
    )
    game = given("special_monasteries", "U U E E E E MO1 U V W", line, special_monasteries="keep")
    assert chosen(game) == "meeple monastery"


# --- Darmstadt, the hut -----------------------------------------------------------------------------------------------
def test_a_follower_beside_a_church_is_worth_its_bonus():
    """The last tile completes a church that has no followers around it."""
    line = "U@1,0/0; pass; U@-1,0/0; pass; DA3@0,1/0; pass; E@-1,1/270; pass; U@1,1/0; pass; U@0,2/90; pass; E@1,2/180; pass; E@-1,2/180"
    game = given("darmstadt goldmines", "U U DA3 E U U E E", line)
    assert chosen(game) != "pass"
    game.play(chosen(game))
    assert game.scores[1] >= 3


def test_a_hut_is_for_the_end_and_left_alone_where_it_is_crowded():
    last = given("baba_yaga", "U RU1", "U@1,0/0; pass; RU1@0,1/0")
    assert chosen(last) == "meeple hut"
    ring = (
        "U@1,0/0; pass; U@-1,0/0; pass; E@-1,1/270; pass; E@1,1/90; pass; E@-1,2/180; pass; E@1,2/180; pass; RU1@0,1/0"
    )
    crowded = given("baba_yaga", "U U E E E E RU1 " + "U V W E " * 6, ring)
    assert chosen(crowded) != "meeple hut"


# --- ferries ----------------------------------------------------------------------------------------------------------
def test_a_ferry_is_moved_so_that_the_other_one_gets_less():
    """The last tile completes player 1's road of four tiles. If the ferry is moved, the road has only three tiles."""
    line = "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; pass; ferry S-W; B@0,2/0; pass; A@1,1/180; pass"
    game = given("ferries", "B W FE2 B A", line)
    assert game.phase == Phase.MOVE_FERRY and game.player == 0 and chosen(game).startswith("ferry 1,0")
    assert chosen(game, GreedyBot(without="ferries")) == "pass"
    game.play(chosen(game))
    assert game.is_over and game.scores.tolist() == [0, 3]


# --- castles and cathedrals in Germany --------------------------------------------------------------------------------
HANDS = (("GC1", "GC6"), ("GC2", "GC3"))


def test_a_castle_tile_completes_the_own_road_at_the_end():
    line = "pass; W@-1,0/0; meeple road E; pass; B@0,1/0; pass"
    game = given("german_castles", "W B", line, german_castles=HANDS)
    assert game.phase == Phase.PLACE_GERMAN_CASTLE and chosen(game).startswith("GC")


def test_a_road_to_a_cathedral_is_worth_twice_as_much():
    game = given("german_cathedrals", "W GK4 U V W E U V W E", "W@-1,0/0; pass; GK4@1,0/0")
    assert chosen(game) == "meeple road W"


def test_an_archbishop_counts_all_roads():
    game = given("german_cathedrals", "U GK1", "U@1,0/0; pass; GK1@2,0/0")
    assert chosen(game) == "meeple cathedral"


# --- leaving a box alone ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("box", LEFT_ALONE)
def test_a_box_can_be_left_alone(box):
    bot, other, chance = GreedyBot(without=box), bots.make("random", seed=1), np.random.default_rng(4)
    game = Game(GameConfig(boxes=("base", box)), seed=2)
    while not game.is_over:
        game.play(bot.choose(game) if chance.random() < 0.1 else other.choose(game))
    assert not default_is_changed()


def default_is_changed() -> bool:
    """True if the prices of the bot GREEDY have changed."""
    return bool(GREEDY.prices["shunned_steps"][0])
