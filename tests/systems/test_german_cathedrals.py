"""Tests of German cathedrals: how their roads are counted, when a cathedral is completed, and what it scores."""

import numpy as np
import pytest

import carc_env
from carc_env import GameConfig, IllegalAction
from carc_env.bots import make
from carc_env.boxes.layout import COLUMNS, PLANES
from carc_env.rules.state import Kind, Phase
from tests.systems.playing import begin, check_copies, legal, play, scored, square

LOOP = "V@2,0/0; pass; V@2,1/90; pass; V@1,1/180; pass"  # from the eastern edge of 1,0 to its southern one


def cathedral(game):
    """Return the feature of the only cathedral on the table."""
    return next(feature for feature in game.features() if feature.kind == "cathedral")


def plane(game, name, x, y):
    return int(game.observe()["planes"][list(PLANES).index(name)][square(game, x, y)])


def test_where_a_follower_may_stand():
    game = play(begin("german_cathedrals abbot", "GK4 B"), "GK4@1,0/0")
    assert legal(game) == [
        "meeple road E",
        "meeple road S",
        "meeple road W",
        "meeple field Nw",
        "meeple field Es",
        "meeple field Sw",
        "meeple cathedral",
        "pass",
    ]
    with pytest.raises(IllegalAction, match="the abbot may not stand on a cathedral"):
        game.play("abbot cathedral")
    play(game, "meeple cathedral")
    assert game.board()[-1].figures == ((("meeple", 0, "cathedral", "cathedral")),)
    assert cathedral(game) == ("cathedral", ((1, 0, "cathedral"),), 1, 3, 0, (1, 0), False)


def test_a_completed_road_to_a_cathedral_pays_twice():
    game = play(begin("german_cathedrals", "W GK4 B"), "W@-1,0/0; pass; GK4@1,0/0; meeple road W")
    assert scored(game) == [(1, "roads", 6, 1, 0)]


def test_a_second_cathedral_adds_nothing():
    game = play(begin("german_cathedrals", "GK4 GK4 B"), "GK4@-1,0/0; pass; GK4@1,0/0; meeple road W")
    assert scored(game) == [(1, "roads", 6, 1, 0)]


def test_without_the_box_a_cathedral_means_nothing():
    game = carc_env.Game(GameConfig(tiles_only=("german_cathedrals",)), deck=["W", "GK4", "B"])
    play(game, "W@-1,0/0; pass; GK4@1,0/0")
    assert "meeple cathedral" not in legal(game)
    play(game, "meeple road W")
    assert scored(game) == [(1, "roads", 3, 1, 0)]


def test_a_road_that_comes_back_has_two_segments_on_the_tile():
    game = play(begin("german_cathedrals", "GK1 V V V B"), "GK1@1,0/0; meeple road E", LOOP)
    assert scored(game) == [(0, "roads", 10, 1, 1)]
    loop = next(feature for feature in game.features() if feature.kind == "road" and len(feature.segments) == 5)
    assert loop.tiles == 4 and loop.is_complete


def test_for_the_cathedral_it_is_one_road():
    game = play(begin("german_cathedrals", "GK4 V V V W B"), "GK4@1,0/0; meeple cathedral", LOOP)
    assert game.scores.tolist() == [0, 0] and cathedral(game).open == 1
    play(game, "W@-1,0/0; pass")
    assert scored(game) == [(0, "german_cathedrals", 8, 1, 0)]
    assert cathedral(game).is_complete and game.meeples["meeple"].tolist() == [7, 7]


def test_the_last_road_completes_it_wherever_its_last_tile_lies():
    game = begin("german_cathedrals", "GK4 W W U U W B")
    play(game, "GK4@1,0/0; meeple cathedral; W@-1,0/0; pass; W@2,0/0; pass; U@1,1/90; meeple road N; U@1,2/90; pass")
    assert cathedral(game).open == 1 and not game.scores.any()
    check_copies(game)
    play(game, "W@1,3/180; pass")
    assert sorted(scored(game)) == [(0, "german_cathedrals", 9, 1, 0), (1, "roads", 8, 1, 3)]
    check_copies(game)


def test_at_the_end_an_unfinished_cathedral_counts_its_roads_as_they_are():
    game = begin("german_cathedrals", "GK4 W W U U U")
    play(
        game,
        "GK4@1,0/0; meeple cathedral; W@-1,0/0; pass; W@2,0/0; pass; U@1,1/90; meeple road N; U@1,2/90; pass; U@1,3/90; pass",
    )
    assert {source: points.tolist() for source, points in game.final_scores().items() if points.any()} == {
        "german_cathedrals": [9, 0],
        "roads": [0, 4],
    }


def test_an_unfinished_road_counts_each_segment_on_the_cathedral():
    game = begin("german_cathedrals", "GK1 V V")
    play(game, "GK1@1,0/0; meeple road E; V@2,0/0; pass; V@2,1/90; pass")
    assert game.final_scores()["roads"].tolist() == [3, 0]
    # RU2 joins the roads on its edges N, S and W in this rotation
    game = begin("german_cathedrals", "GK1 V RU2 V", tiles_only=("baba_yaga",))
    play(game, "GK1@1,0/0; meeple road E; V@2,0/0; pass; RU2@2,1/90; pass; V@1,1/180; pass")
    assert game.final_scores()["roads"].tolist() == [5, 0]


def test_inns():
    def points(deck, moves, **settings):
        return (
            play(begin("german_cathedrals inns_and_cathedrals", deck, edition="C1", **settings), moves)
            .final_scores()["roads"]
            .tolist()
        )

    assert points("GK4 IC15 W B", "GK4@1,0/0; meeple road W; IC15@-1,0/0; pass; W@-2,0/0; pass") == [12, 0]
    assert points("GK4 IC15", "GK4@1,0/0; meeple road W; IC15@-1,0/0; pass") == [0, 0]
    assert points("GK4 IC15", "GK4@1,0/0; meeple road W; IC15@-1,0/0; pass", unfinished_inn_cathedral="ignore") == [
        3,
        0,
    ]


def test_both_in_one_turn_each_for_its_owner():
    game = begin("german_cathedrals", "GK4 W W A B")
    play(game, "GK4@1,0/0; meeple cathedral; W@-1,0/0; pass; W@2,0/0; pass; A@1,1/180; meeple road N")
    assert scored(game) == [(1, "roads", 4, 1, 1), (0, "german_cathedrals", 7, 1, 0)]


def test_a_ferry_completes_a_cathedral_far_from_the_tile():
    """The ferry cuts off the road that leads from the cathedral over the lake. This completes the last road of the
    cathedral.
    """
    game = begin("german_cathedrals ferries", "GK4 W A FE2 B U")
    play(
        game,
        "GK4@-1,0/0; meeple cathedral; W@-2,0/0; pass; A@-1,1/180; pass; FE2@1,0/0; pass; ferry E-W; B@0,1/0; pass; U@2,0/0; pass",
    )
    assert cathedral(game).open == 1
    play(game, "ferry 1,0 E-S")
    assert scored(game) == [(0, "german_cathedrals", 7, -1, 0)]
    check_copies(game)


def test_gold_lies_on_the_cathedral_and_on_its_roads():
    """RULES MX8: each of the two owners has a right to both ingots."""
    game = begin("german_cathedrals goldmines", "GK4 W W GM8 W B")
    play(
        game,
        "GK4@1,0/0; meeple cathedral; W@-1,0/0; pass; W@2,0/0; pass; GM8@1,1/0; ingot 1,0; meeple road N; W@1,2/180; pass",
    )
    assert (game.phase, game.player) == (Phase.TAKE_INGOT, 0) and legal(game) == ["take 1,0", "take 1,1"]
    assert sorted(scored(game)) == [(0, "german_cathedrals", 8, 1, 0), (1, "roads", 6, 1, 2)]
    rivals = game.observe()["planes"][list(PLANES).index("rivals")]
    assert np.count_nonzero(rivals) == 2
    check_copies(game)
    play(game, "take 1,1; take 1,0")
    assert game.ingots.tolist() == [1, 1]


def test_gold_beside_a_cathedral_is_not_in_its_area():
    game = begin("german_cathedrals goldmines", "GK4 W W GM1 A B")
    play(game, "GK4@1,0/0; meeple cathedral; W@-1,0/0; pass; W@2,0/0; pass; GM1@2,1/270; ingot 1,0; pass")
    lying = {(tile.x, tile.y): tile.ingots for tile in game.board() if tile.ingots}
    assert lying == {(2, 1): 1, (1, 0): 1}
    play(game, "A@1,1/180; pass; take 1,0")
    assert game.ingots.tolist() == [1, 0]


def test_what_is_seen():
    game = begin("german_cathedrals inns_and_cathedrals", "GK4 IC15 W B", edition="C1")
    play(game, "GK4@1,0/0; meeple cathedral; IC15@-1,0/0; pass")
    assert plane(game, "building", 1, 0) == 1 + Kind.GERMAN_CATHEDRAL - Kind.MONASTERY == 9
    assert plane(game, "building_control", 1, 0) == 1
    assert [plane(game, f"extras_{edge}", 1, 0) for edge in "NESW"] == [0, 2, 2, 3]
    assert plane(game, "extras_E", 0, 0) == 3 and plane(game, "road_W", 1, 0) == 3
    row = play(begin("german_cathedrals", "GK4 W W W W W A A A"), "GK4@1,0/0").observe(observation="candidates")[
        "candidates"
    ][6]
    told = {name: row[list(COLUMNS).index(name)] for name in ("claims_building", "claim_worth", "claim_open")}
    assert (
        told == {"claims_building": 1, "claim_worth": 4, "claim_open": 3}
        and 0 < row[list(COLUMNS).index("claim_chance")] < 1
    )


def test_greedy_plays_with_cathedrals():
    game, bot = begin("german_cathedrals goldmines", "GK1 GM8 GK4 U V W GK2 A"), make("greedy")
    while not game.is_over:
        game.play(bot.choose(game))
    assert (sum(game.final_scores().values()) == game.scores).all()
