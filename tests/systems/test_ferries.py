"""Tests of ferries: how they join and cut roads, which ferries can be moved, and what follows."""

import random

import numpy as np
import pytest

import carc_env
from carc_env import ConfigError, DeckError, Game, GameConfig, IllegalAction
from carc_env.bots import make
from carc_env.boxes.layout import COLUMNS, PLANES
from carc_env.boxes.tiles import tile_table
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from carc_env.rules.answers import N_PAIRS, ids_of
from carc_env.rules.geometry import cell_of
from carc_env.rules.state import MAX_COMPLETED, MAX_TOUCHED, Phase
from tests.modes import sized
from tests.systems.playing import PAIRS, begin, check_copies, legal, moves_of_ferries, play, roads, scored, square

FERRY = ids_of(GameConfig(boxes=("base", "ferries")).table_size).ferry

MANY = GameConfig(
    boxes=("ferries", "goldmines", "german_cathedrals", "traders_and_builders"),
    tiles_only=("baba_yaga", "abbeys"),
    starts=(("D", 0, 0, 0),),
)  # AM11 and RU2 are among these tiles; their roads branch


def two_lakes():
    """Return a game with two lakes in a row, in which Blue has placed a tile between them (RULES FY8)."""
    game = begin("ferries", "FE2 U B U FE2 U B B")
    return play(
        game,
        "FE2@1,0/0; pass; ferry E-W; U@1,1/90; pass; B@2,1/0; pass; U@3,1/90; pass; FE2@3,0/0; pass; ferry E-W; U@2,0/0; pass",
    )


# --- legal actions ----------------------------------------------------------------------------------------------------
def test_a_new_lake_gets_a_ferry_on_any_two_of_its_roads():
    game = play(begin("ferries", "FE3 FE2 B"), "FE3@1,0/0; pass")
    assert (game.phase, game.player) == (Phase.PLACE_FERRY, 0)
    assert legal(game) == [f"ferry {pair}" for pair in PAIRS]
    assert game.legal_actions().tolist() == [FERRY + pair for pair in range(N_PAIRS)]
    assert game.ferries == []
    play(game, "ferry N-S; FE2@2,0/90; pass")
    assert legal(game) == ["ferry N-S", "ferry N-W", "ferry S-W"], "its roads are those of the tile as it lies"
    check_copies(game)
    play(game, "ferry N-S")
    assert game.ferries == [(1, 0, "N-S"), (2, 0, "N-S")]


def test_edges_are_read_in_either_order():
    game = two_lakes()
    assert game.action("ferry 1,0 S-E") == game.action("ferry 1,0 E-S") == FERRY + PAIRS.index("E-S")
    assert game.action(" ferry  3,0 W-S") == game.action("ferry 3,0 S-W") == FERRY + N_PAIRS + PAIRS.index("S-W")


def test_each_nearest_ferry_is_moved_once_and_numbers_are_those_of_the_ferries_left():
    game = two_lakes()
    assert legal(game) == ["ferry 1,0 E-S", "ferry 1,0 S-W", "ferry 3,0 E-S", "ferry 3,0 S-W", "pass"]
    play(game, "ferry 1,0 S-W")
    assert legal(game) == ["ferry 3,0 E-S", "ferry 3,0 S-W", "pass"]
    assert game.legal_actions()[0] == FERRY + PAIRS.index("E-S")
    assert game.player == 1 and game.moves[-1] == "ferry 1,0 S-W"
    check_copies(game)
    play(game, "ferry 3,0 E-S")
    assert game.phase == Phase.PLACE_TILE and game.moves[-2:] == ["ferry 1,0 S-W", "ferry 3,0 E-S"]
    assert game.ferries == [(1, 0, "S-W"), (3, 0, "E-S")]
    check_copies(game)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ferry 1,0 N-E", "the lake on 1,0 has no road on edge N"),
        ("ferry 1,0 W-E", "the ferry on 1,0 already joins these edges"),
        ("ferry 2,0 S-W", "no ferry lies on 2,0"),
        ("ferry 1,1 S-W", "no ferry lies on 1,1"),
        ("ferry 1,0 E-E", "'E-E': a ferry joins two different edges"),
        ("ferry E-S", "no lake waits for its ferry now; write a ferry and the two edges that it will join"),
        ("ferry 1,0", "is not an action"),
        ("meeple road E", "no figure is to be placed now"),
        (FERRY + 2 * N_PAIRS, "player 1 can move a ferry: ferry 1,0 E-S, ferry 1,0 S-W"),
        (0, "player 1 can move a ferry"),
    ],
)
def test_moves_that_are_refused(text, words):
    game = two_lakes()
    before = game.to_bytes()
    with pytest.raises(IllegalAction) as error:
        game.play(text)
    assert words in str(error.value) and "\n" not in str(error.value)
    assert game.to_bytes() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ferry N-E", "the lake has no road on edge N"),
        ("ferry 1,0 E-S", "no ferry can be moved now; write the edges of the two roads"),
        ("ferry S-S", "two different edges"),
        ("pass", "player 0 puts the ferry on the lake just placed: ferry E-S, ferry E-W, ferry S-W"),
        (FERRY + N_PAIRS, "player 0 puts the ferry on the lake just placed"),
    ],
)
def test_ferries_that_are_refused(text, words):
    game = play(begin("ferries", "FE2 B"), "FE2@1,0/0; pass")
    with pytest.raises(IllegalAction) as error:
        game.play(text)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_ferry_that_was_moved_or_lies_too_far_away_cannot_be_moved():
    game = play(two_lakes(), "ferry 1,0 S-W")
    with pytest.raises(
        IllegalAction, match="the ferry on 1,0 cannot be moved now; a player may move only the ferries nearest"
    ):
        game.play("ferry 1,0 E-S")
    game = play(begin("ferries", "FE2 FE2 U"), "FE2@1,0/0; pass; ferry E-W; FE2@2,0/0; pass; ferry E-W")
    assert legal(game) == ["ferry 1,0 E-S", "ferry 1,0 S-W", "pass"], (
        "the ferry just placed is not moved, the search goes through it"
    )
    play(game, "pass; U@3,0/0; pass")
    assert legal(game) == ["ferry 2,0 E-S", "ferry 2,0 S-W", "pass"]


def test_the_search_goes_through_the_lake_just_placed_and_past_its_ferry():
    """The search begins at every road of the new lake, even at roads that its ferry does not join."""
    game = begin("ferries", "FE2 U FE2 B")
    play(game, "FE2@1,0/0; pass; ferry E-W; U@2,0/0; pass; pass; FE2@3,0/90; pass")
    assert legal(game) == ["ferry N-S", "ferry N-W", "ferry S-W"]
    play(game, "ferry N-S")
    assert legal(game) == ["ferry 1,0 E-S", "ferry 1,0 S-W", "pass"]


def test_roads_that_branch_lead_to_several_ferries():
    """AM11 lies between two lakes and joins the roads on its edges N, E and W. Tile A is placed to the north of AM11,
    and its only road leads to AM11.
    """
    game = begin("ferries", "FE2 U B U FE2 AM11 A B", tiles_only=("abbeys",))
    play(
        game,
        "FE2@1,0/0; pass; ferry E-W; U@1,1/90; pass; B@2,1/0; pass; U@3,1/90; pass; FE2@3,0/0; pass; ferry E-W; AM11@2,0/0; pass; pass",
        "A@2,-1/0; pass",
    )
    assert legal(game) == ["ferry 1,0 E-S", "ferry 1,0 S-W", "ferry 3,0 E-S", "ferry 3,0 S-W", "pass"]


def test_a_ferry_closes_a_loop_and_when_it_leaves_nothing_falls_apart():
    game = begin("ferries", "FE2 V V V U B")
    play(game, "FE2@1,0/0; pass; ferry E-S; V@2,0/0; pass; pass; V@1,1/180; pass; pass; V@2,1/90; meeple road N; pass")
    loop = next(feature for feature in game.features() if feature.kind == "road" and feature.tiles == 4)
    assert loop.is_complete and len(loop.segments) == 5
    assert game.scores.tolist() == [0, 4]


# --- what a ferry joins and cuts --------------------------------------------------------------------------------------
def test_the_lake_counts_once_and_roads_get_several_owners():
    game = begin("ferries", "B W FE2 A B")
    play(game, "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; meeple road S; ferry S-W; A@1,1/180; pass; pass")
    assert scored(game) == [(0, "roads", 4, 1, 1), (1, "roads", 4, 1, 1)]
    assert game.final_scores()["roads"].tolist() == [4, 4]


def test_roads_that_are_cut_off_are_scored_where_they_lie_row_by_row():
    """Red's tile between two lakes joins Red's road in the west with Blue's road in the east. Then both ferries are
    turned away from these roads.
    """
    game = begin("ferries", "W FE2 U B U FE2 V A U B")
    play(
        game,
        "W@-1,0/0; meeple road E; FE2@1,0/0; pass; ferry E-W; U@1,1/90; pass; B@2,1/0; pass; U@3,1/90; pass",
        "FE2@3,0/0; meeple road E; ferry E-W; V@4,0/90; pass; pass; A@4,-1/0; pass; pass; U@2,0/0; pass; ferry 1,0 E-S; ferry 3,0 S-W",
    )
    assert scored(game) == [(1, "roads", 3, 4, -1), (0, "roads", 3, -1, 0)]
    assert [str(event) for event in game.last_events[2:]] == [
        "player 1 got the meeple on 3,0 back",
        "player 0 got the meeple on -1,0 back",
    ]


def test_a_road_that_was_completed_is_opened_again_before_it_is_scored():
    game = begin("ferries", "B W FE2 A B")
    play(game, "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; pass; ferry S-W; A@1,1/180; pass; ferry 1,0 E-W")
    assert game.scores.tolist() == [0, 0]
    assert {feature.open for feature in game.features() if feature.kind == "road" and sum(feature.strength)} == {1}


def test_a_road_that_was_scored_is_opened_again_and_pays_who_came_later():
    """Blue's completed road of 3 ends at the lake. Then the ferry joins the road with the road from the south, which
    Red claims and completes.
    """
    game = begin("ferries", "B W FE2 U A B")
    play(game, "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; pass; ferry E-S")
    assert game.scores.tolist() == [0, 3] and game.meeples["meeple"].tolist() == [7, 7]
    play(game, "U@1,1/90; pass; ferry 1,0 S-W")
    assert any(feature.kind == "road" and feature.tiles == 4 and feature.open == 1 for feature in game.features())
    play(game, "A@1,2/180; meeple road N; pass")
    assert game.scores.tolist() == [5, 3]


def test_a_builder_left_without_a_follower_goes_home_from_either_side():
    for ferry, home in (("ferry 1,0 S-W", True), ("ferry 1,0 E-S", True), ("pass", False)):
        game = begin("ferries traders_and_builders", "U B FE2 B U U B B")
        play(
            game,
            "U@-1,0/0; meeple road E; B@0,1/0; pass; FE2@1,0/0; pass; ferry E-W; B@-1,1/0; pass; U@2,0/0; builder road E; pass",
        )
        assert game.meeples["builder"].tolist() == [0, 1]
        play(game, f"U@3,0/0; pass; {ferry}")
        assert game.meeples["builder"].tolist() == [int(home), 1]
        returned = [str(event) for event in game.last_events if isinstance(event, carc_env.FigureReturned)]
        assert returned == ["player 0 got the builder on 2,0 back"] * home
        check_copies(game)


def test_a_builder_that_finds_a_follower_behind_the_lake_stays():
    game = begin("ferries traders_and_builders", "U B FE2 B U U B B")
    play(
        game,
        "U@-1,0/0; meeple road E; B@0,1/0; pass; FE2@1,0/0; meeple road S; ferry E-W; B@-1,1/0; pass; U@2,0/0; builder road E; pass",
        "U@3,0/0; pass; ferry 1,0 E-S",
    )
    assert game.meeples["builder"].tolist() == [0, 1]


def test_a_ferry_gives_no_double_turn_and_each_part_has_its_own_moves():
    game = begin("ferries traders_and_builders", "U B FE2 B U B U U B B")
    play(
        game,
        "U@-1,0/0; meeple road E; B@0,1/0; pass; FE2@1,0/0; pass; ferry E-W; B@-1,1/0; pass; U@2,0/0; builder road E; pass",
        "B@2,1/0; pass; U@3,0/0; pass; pass",
    )
    assert (game.player, game.tile) == (0, "U"), "the tile has extended the builder's road"
    play(game, "U@4,0/0; pass")
    assert legal(game) == ["ferry 1,0 E-S", "ferry 1,0 S-W", "pass"], "the second part may move it again"
    play(game, "ferry 1,0 S-W")
    assert game.player == 1 and game.meeples["builder"].tolist() == [1, 1]


def test_gold_goes_to_the_road_that_is_cut_off():
    game = begin("ferries goldmines", "B W FE2 GM8 U B")
    play(
        game,
        "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; pass; ferry S-W; GM8@2,0/0; ingot 1,0; pass; U@1,1/90; pass; ferry 1,0 E-S; take 1,0",
    )
    assert game.ingots.tolist() == [0, 1] and game.scores.tolist() == [0, 3]
    assert {(tile.x, tile.y): tile.ingots for tile in game.board() if tile.ingots} == {(2, 0): 1}


def test_an_inn_is_left_on_its_side_of_the_cut():
    """The planes also show that the road has lost its inn. Without ferries, a road never loses an inn."""
    game = begin("ferries inns_and_cathedrals", "IC15 FE2 B U U", edition="C1")
    extras = {edge: list(PLANES).index(f"extras_{edge}") for edge in "NESW"}
    play(game, "IC15@-1,0/0; pass; FE2@1,0/0; pass; ferry E-W; B@0,1/0; pass; U@2,0/0; pass")
    assert game.observe()["planes"][extras["W"]][square(game, 2, 0)] == 1
    play(game, "ferry 1,0 E-S")
    assert game.observe()["planes"][extras["W"]][square(game, 2, 0)] == 0
    assert [int(game.observe()["planes"][extras[edge]][square(game, 1, 0)]) for edge in "ESW"] == [0, 0, 1]


# --- settings and limits ----------------------------------------------------------------------------------------------
def test_only_a_highwayman_gets_a_ferry_in_an_early_text():
    game = begin("ferries", "B W FE2 U B", ferry_requires_highwayman=True)
    play(game, "B@0,1/0; pass; W@-1,0/0; meeple road E; FE2@1,0/0; meeple field Nw")
    assert game.ferries == [] and game.scores.tolist() == [0, 3]
    play(game, "U@2,0/0; pass")
    assert game.phase == Phase.PLACE_TILE, "such a lake never gets a ferry"
    game = begin("ferries", "B FE2 U", ferry_requires_highwayman=True)
    play(game, "B@0,1/0; pass; FE2@1,0/0; meeple road S")
    assert game.phase == Phase.PLACE_FERRY


def test_the_setting_is_about_the_box():
    with pytest.raises(ConfigError, match="ferry_requires_highwayman = True applies to the box ferries"):
        GameConfig(ferry_requires_highwayman=True)


def test_of_tiles_only_nothing_is_asked():
    game = carc_env.Game(GameConfig(boxes=("base",), tiles_only=("ferries",)), deck=["FE2", "U", "B"])
    play(game, "FE2@1,0/0; pass; U@2,0/0; pass")
    assert game.phase == Phase.PLACE_TILE and game.ferries == []


def test_a_lake_laid_as_a_start_tile_never_gets_a_ferry():
    game = begin("ferries", "U FE2 U B", starts=(("FE2", 0, 0, 0),))
    play(game, "U@1,0/0; pass; FE2@2,0/0; pass; ferry E-W")
    assert game.ferries == [(2, 0, "E-W")] and game.phase == Phase.PLACE_TILE


def test_there_are_eight_ferries():
    game = begin("ferries", " ".join(["FE3"] * 10))
    rng = random.Random(1)
    while not game.is_over:
        game.play(int(rng.choice(game.legal_actions())))
    assert len(game.ferries) == 8
    assert Game.from_bytes(game.to_bytes()) == game


def test_a_deck_that_could_complete_more_than_can_be_handled_is_refused():
    with pytest.raises(
        DeckError,
        match=r"can complete 65 features \(base 17, ferries 24, german_cathedrals 24\); at most 64 are supported, so use fewer tiles$",
    ):
        begin("ferries german_cathedrals", " ".join(["GK1"] * 24 + ["FE3"] * 9))
    assert MAX_COMPLETED >= 6 + 11 + 3 * 8 + 23
    begin("ferries german_cathedrals", " ".join(["GK1"] * 23 + ["FE3"] * 9))


def test_most_answers_and_points_of_a_ferry_game_are_allowed():
    config = GameConfig(boxes=tuple(box for box in carc_env.boxes.tiles.BOX_NAMES if box != "map_chips"), players=6)
    assert Game(config, seed=1).tiles_left > 150


# --- random games -----------------------------------------------------------------------------------------------------
def answer_at_random(game, rng):
    """Return a random action. Figures on roads and cathedrals, tiles with many neighbours, and moves of ferries are
    preferred.
    """
    texts = legal(game)
    if game.phase == Phase.MOVE_FERRY and rng.random() < 0.7:
        texts = texts[:-1]
    if game.phase == Phase.PLACE_FIGURE and rng.random() < 0.7:
        texts = [text for text in texts if "road" in text or "cathedral" in text] or texts
    if game.phase == Phase.PLACE_TILE and rng.random() < 0.6:
        cells = game.legal_actions() % (25 * 25)
        crowded = game.state["board"]["neighbours"][cells]
        texts = [text for text, n in zip(texts, crowded) if n == crowded.max()]
    return rng.choice(texts)


@pytest.mark.parametrize("seed", range(sized(40, 20, 2)))
def test_roads_and_moves_are_what_the_table_makes_them(seed):
    """Checks roads, open ends, strengths and the ferries that can be moved, in games with many lakes, cathedrals and
    branching roads.
    """
    game, rng = Game(MANY, seed=seed), random.Random(seed)
    moves, deck = 0, game.tiles_left
    while not game.is_over and game.tiles_left > deck - 36:
        if game.phase == Phase.MOVE_FERRY:
            assert legal(game) == moves_of_ferries(game)
        text = answer_at_random(game, rng)
        before = game.clone()
        game.play(text)
        if text.startswith("ferry"):
            moves += 1
            known = {frozenset(feature.segments): feature.open for feature in game.features() if feature.kind == "road"}
            assert known == roads(game)
            check_strengths(game)
            back = game.clone()
            back.undo()
            assert back == before
    assert moves
    assert Game.from_bytes(game.to_bytes()) == game
    assert (sum(game.final_scores().values()) == game.scores).all()


def check_strengths(game):
    """Check that the strength of every road is the strength of the followers on it."""
    worth = {"meeple": 1, "big": 2}
    standing = [
        ((tile.x, tile.y, figure.spot), figure)
        for tile in game.board()
        for figure in tile.figures
        if figure.feature == "road"
    ]
    for feature in game.features():
        if feature.kind == "road":
            assert list(feature.strength) == [
                sum(
                    worth.get(figure.figure, 0)
                    for place, figure in standing
                    if place in feature.segments and figure.player == player
                )
                for player in range(game.players)
            ]


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_what_is_kept_up_to_date_is_what_is_written_anew(opponent):
    """The ferries may have been moved several times since the agent last had to act."""
    envs = CarcassonneVectorEnv(4, MANY, opponent, players=5)
    (observations, infos), rng = envs.reset(seed=3), np.random.default_rng(3)
    ferry, choice = (list(envs.layout.planes).index(name) for name in ("ferry", "choice"))
    shown, chosen = 0, 0
    for _ in range(sized(600, 300, 20)):
        actions = []
        for mask, game in zip(observations["action_mask"], envs.games.records):
            legal_ones = np.flatnonzero(mask)
            if game["phase"] == Phase.MOVE_FERRY:
                legal_ones = legal_ones[:-1]
            actions.append(int(rng.choice(legal_ones)))
        observations, _, _, _, infos = envs.step(np.array(actions))
        expected = encode.observe(envs.games.records, infos["player"], envs._observation_spec)
        expected["action_mask"][envs.games.is_over, envs.layout.pass_action] = 1
        for name, array in expected.items():
            np.testing.assert_array_equal(observations[name], array, name)
        shown, chosen = shown + observations["planes"][:, ferry].any(), chosen + observations["planes"][:, choice].any()
    assert shown > 10 and chosen


def test_a_long_road_that_is_cut_is_noted_at_the_cut_alone():
    """The changes since the agent last had to act therefore fit in the list, however long the road is."""
    deck = " ".join(["FE2"] + ["U"] * 8 + ["B"])
    game = play(begin("ferries", deck), "FE2@1,0/0; pass; ferry E-W")
    for x in range(2, 9):
        play(game, f"U@{x},0/0; pass; pass")
    play(game, "U@9,0/0; pass")
    ferry, before = game.state["systems"]["ferries"]["lying"][0], int(game.state["n_touched"])
    left = set(ferry["ends"].tolist())
    play(game, "ferry 1,0 S-W")
    noted = [int(game.state["touched"][k % MAX_TOUCHED]) for k in range(before, int(game.state["n_touched"]))]
    assert len(noted) == 4 and {int(game.state["segments"]["cell"][node]) for node in noted} == {
        cell_of(1, 0, False, game.config.table_size)
    }
    joined = set(game.state["systems"]["ferries"]["lying"][0]["ends"].tolist())
    assert len(left) == len(joined) == 2 and left != joined
    assert set(noted[:2]) == left and set(noted[2:]) == joined


def test_what_is_seen_of_ferries():
    game = two_lakes()
    ferry, choice = (game.observe()["planes"][list(PLANES).index(name)] for name in ("ferry", "choice"))
    cells = [square(game, x, 0) for x in (1, 3)]
    assert [int(ferry[cell]) for cell in cells] == [5, 5] and np.count_nonzero(ferry) == 2  # the pair E-W
    assert [int(choice[cell]) for cell in cells] == [1, 2] and np.count_nonzero(choice) == 2
    rows = game.observe(observation="candidates")["candidates"]
    asked, moved = (rows[:5, list(COLUMNS).index(name)].tolist() for name in ("asked_move", "ferry"))
    assert asked == [1] * 5 and moved == [1, 1, 1, 1, 0]
    play(game, "pass")
    assert not game.observe()["planes"][list(PLANES).index("choice")].any()


def test_greedy_plays_with_ferries():
    game, bot = Game(MANY, seed=5, deck=["FE2", "FE3", "U", "FE1", "GK1", "V", "FE2"]), make("greedy")
    while not game.is_over:
        game.play(bot.choose(game))
    assert len(game.ferries) == 4


def test_tiles_of_the_box_are_lakes():
    kinds = tile_table()[0]["kinds"]
    assert {kind.id for number, kind in enumerate(carc_env.boxes.tiles.tile_kinds()) if kinds["lake"][number]} == {
        "FE1",
        "FE2",
        "FE3",
    }
