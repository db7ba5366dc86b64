"""Tests of German castles: where castle tiles may be placed, what they join, count and score, and how the game ends
with them. GB1 and the like are worked examples; see tests/scenarios/german_castles.
"""

import dataclasses
import json

import numpy as np
import pytest

import carc_env
from carc_env import ConfigError, DeckError, Game, GameConfig, IllegalAction, Phase, RecordError
from carc_env.boxes.tiles import tile_kinds, tile_numbers, tile_table
from carc_env.rules.answers import ids_of
from carc_env.rules.state import NONE
from tests.systems.playing import legal, play

CONFIG = GameConfig(boxes=("base", "german_castles"))
HANDS = (("GC1", "GC6"), ("GC2", "GC3"))
CELLS = CONFIG.table_size**2


def begin(*deck: str, boxes=(), hands=HANDS, **changes) -> Game:
    config = dataclasses.replace(CONFIG, boxes=(*CONFIG.boxes, *boxes), **changes)
    return Game(config, deck=deck, german_castles=hands)


def test_the_first_question():
    """GB1."""
    game = begin("U", "U")
    assert game.phase == Phase.PLACE_GERMAN_CASTLE and game.player == 0 and game.tile is None
    assert {text for text in legal(game) if text.startswith("GC1")} == {
        "GC1@1,0/0",
        "GC1@-2,0/0",
        "GC1@0,1/0",
        "GC1@-1,1/0",
    }
    assert sum(text.startswith("GC6") for text in legal(game)) == 9 and legal(game)[-1] == "pass"
    castle = play(game.clone(), "GC1@1,0/0")
    assert set(legal(castle)) == {
        "meeple castle",
        "meeple road W",
        "meeple road 2E",
        "meeple field Nw",
        "meeple field Se",
        "pass",
    }
    assert castle.german_castles == (("GC6",), ("GC2", "GC3")) and game.german_castles == HANDS
    play(game, "GC6@1,0/270")
    assert set(legal(game)) == {
        "meeple castle",
        "meeple road E",
        "meeple road W",
        "meeple field Nw",
        "meeple field Es",
        "meeple field Ws",
        "pass",
    }
    assert game.action("meeple field 2Sw") == game.action("meeple field Ws")


def test_a_completed_road_pays_three_more():
    """GB2."""
    game = play(begin("W", "B", "V"), "pass; W@-1,0/0; meeple road E; pass; B@0,1/0; pass; GC1@1,0/0; pass")
    assert game.scores.tolist() == [6, 0]


SURROUNDINGS = [(x, y) for y in (-1, 0, 1) for x in range(4) if not (y == 0 and 0 < x < 3)]  # around GC1; D is on 0,0


def test_the_castle():
    """GB3 and GB4: a castle scores 2 points and 1 for each occupied square around it at the end, or 12 points as soon
    as all ten squares are occupied.
    """
    squares = {
        (0, 1): "B",
        (1, 1): "B",
        (2, 1): "B",
        (3, 1): "B",
        (3, 0): "U",
        (3, -1): "B",
        (2, -1): "B",
        (1, -1): "B",
        (0, -1): "E",
    }
    order = [(1, 1), (0, 1), (2, 1), (3, 1), (3, 0), (3, -1), (2, -1), (1, -1), (0, -1)]
    assert set(order) | {(0, 0)} == set(SURROUNDINGS)
    game = begin(*(squares[at] for at in order), "U", hands=(("GC1",), ()))
    play(game, "GC1@1,0/0; meeple castle")
    for number, (x, y) in enumerate(order, 2):
        (tile,) = (t for t in game.board() if t.tile == "GC1")
        assert tile.figures == (("meeple", 0, "castle", "castle"),)
        (left,) = (f for f in game.features() if f.kind == "castle")
        assert left.segments == ((1, 0, "castle"),) and left.open == 11 - number and not left.is_complete
        assert game.provisional_scores()[0] == 2 + number - 1
        game.play(f"{squares[x, y]}@{x},{y}/" + ("180" if squares[x, y] == "E" else "0"))
        if game.phase == Phase.PLACE_FIGURE:
            game.play("pass")
    assert game.scores.tolist() == [12, 0] and game.meeples["meeple"].tolist() == [7, 7]
    assert game.final_scores()["german_castles"].tolist() == [12, 0]


def test_castle_tiles_do_not_touch():
    """GB5: castle tiles may not even touch at a corner."""
    game = play(begin("U", "U"), "GC1@1,0/0; pass")
    assert game.player == 1 and legal(game) == ["GC2@-1,0/270", "GC3@-2,0/0", "pass"]
    with pytest.raises(IllegalAction, match="GC3@3,0/180 would touch another castle tile"):
        game.play("GC3@3,0/180")


def test_the_end_with_castle_tiles_left():
    """GB6: when the stack is empty, the game continues if the next player can place a castle tile. This player must
    place it.
    """
    game = play(begin("W", hands=(("GC1",), ("GC3",))), "pass; W@-1,0/0; pass")
    assert (game.player, game.phase, game.tiles_left) == (1, Phase.PLACE_GERMAN_CASTLE, 0) and "pass" not in legal(game)
    with pytest.raises(IllegalAction, match="as no tile is left to draw"):
        game.play("pass")
    play(game, "GC3@1,0/180; pass")
    assert game.player == 0 and all(text.startswith("GC1") for text in legal(game))
    game.play(legal(game)[0])
    assert game.phase == Phase.PLACE_FIGURE
    game.play("pass")
    assert game.is_over
    assert play(begin("W", hands=(("GC1",), ())), "pass; W@-1,0/0; pass").is_over, "whatever Red holds"


def test_the_offer_of_abbeys_comes_after_castle_tiles():
    game = begin("U", "U", "B", "E", "U", "U", boxes=("abbeys",), hands=((), ("GC1",)))
    for text in (
        "U@1,0/0",
        "pass",
        "pass",
        "U@1,-1/0",
        "pass",
        "B@1,-2/0",
        "pass",
        "pass",
        "E@0,-2/180",
        "pass",
        "U@-1,0/0",
        "pass",
        "pass",
        "U@-1,-1/0",
        "pass",
    ):
        game.play(text)
    assert game.tiles_left == 0 and game.player == 0 and game.phase == Phase.PLACE_ABBEY, (
        "Red holds none: the offer begins"
    )
    play(game, "pass; pass")
    assert game.is_over and game.german_castles == ((), ("GC1",))


def test_a_city_pays_three_more():
    """GB7. With small_city_points = 2, the city scores 2 points and 3 more."""
    game = play(begin("U", "V"), "pass; U@1,0/0; pass; GC2@-1,-1/180; meeple city 2S")
    assert game.scores.tolist() == [0, 7]
    two = dataclasses.replace(CONFIG, small_city_points=2)
    game = play(Game(two, deck=["U", "V"], german_castles=HANDS), "pass; U@1,0/0; pass; GC2@-1,-1/180; meeple city 2S")
    assert game.scores.tolist() == [0, 5]


def test_both_squares_count_around_a_monastery():
    """GB8."""
    game = play(begin("B", hands=(("GC1",), ())), "GC1@1,0/0; pass; B@1,1/0; meeple monastery")
    assert game.is_over and game.final_scores()["monasteries"].tolist() == [0, 4]


def test_a_castle_tile_extends_the_road_of_a_builder():
    """GB9. A castle tile may be placed in the second part of the double turn."""
    game = begin("U", "B", "U", "B", "V", boxes=("traders_and_builders",))
    play(
        game, "pass; U@-1,0/0; meeple road E; pass; B@0,1/0; pass; pass; U@-2,0/0; builder road E; pass; B@-1,1/0; pass"
    )
    play(game, "GC1@1,0/0; pass")
    assert (
        game.player == 0
        and game.phase == Phase.PLACE_GERMAN_CASTLE
        and all(text[:3] == "GC6" for text in legal(game)[:-1])
    )


def test_a_double_tile_is_one_tile():
    """GB10: a road leads from one castle tile to another. A road over both squares of a castle tile counts the tile
    once.
    """
    game = play(
        begin("U", "B", "V"), "GC1@1,0/0; pass; pass; U@-1,0/0; meeple road E; pass; B@0,1/0; pass; GC3@-3,0/0; pass"
    )
    assert game.scores.tolist() == [0, 10]
    game = play(begin("V"), "GC6@1,0/270; meeple road E")
    (road,) = (f for f in game.features() if f.kind == "road" and sum(f.strength))
    assert road.tiles == 1 and road.segments == ((1, 0, "E"),) and road.open == 2
    assert game.state["n_tiles"] == 2 and [tile.tile for tile in game.board()] == ["D", "GC6"]


def test_crop_circles_name_the_own_square():
    """GB12."""
    game = begin("U", "CR3", "V", boxes=("crop_circles",), hands=(("GC1",), ("GC6",)))
    play(game, "pass; U@1,0/0; pass; GC6@1,1/0; meeple field 2Ne; pass; CR3@-1,0/0; pass; circle add")
    assert game.player == 1 and legal(game) == ["add meeple field 2,1 Ne", "pass"]
    assert game.action("add meeple field 2,1 Se") == game.action("add meeple field 2,1 Ne")
    play(game, "add meeple field 2,1 Ne")
    (tile,) = (tile for tile in game.board() if tile.tile == "GC6")
    assert [(figure.feature, figure.spot) for figure in tile.figures] == [("field", "2Ne")] * 2
    assert carc_env.replay(game.record()) == game


def test_the_question_comes_again_when_nothing_fits():
    """GB13."""
    game = begin("E", "C")
    play(game, "pass; E@0,-1/180; pass")
    assert game.player == 1 and legal(game)[-1] == "pass"
    game.play("pass")
    assert (
        game.player == 1 and game.phase == Phase.PLACE_GERMAN_CASTLE and "pass" not in legal(game) and game.tile is None
    )
    assert [type(event).__name__ for event in game.last_events] == ["TileDiscarded"]


def test_gold():
    """MX7: for ingots, a castle tile is one tile. Its ingots lie on its first square."""
    game = begin("GM8", "W", "V", boxes=("goldmines",), hands=(("GC1",), ()))
    play(game, "GC1@1,0/0; meeple road W; GM8@3,0/0; ingot 1,0")
    game.play("pass")
    lying = {(tile.tile, tile.x, tile.y): tile.ingots for tile in game.board() if tile.ingots}
    assert lying == {("GM8", 3, 0): 1, ("GC1", 1, 0): 1}
    play(game, "W@-1,0/0")
    game.play("pass")
    assert game.scores.tolist() == [6, 0] and game.ingots.tolist() == [1, 0]


def test_gold_of_the_castle_and_of_a_monastery_beside_its_second_square():
    game = begin("GM8", "A", "V", boxes=("goldmines",), hands=(("GC1",), ()))
    play(game, "GC1@1,0/0; meeple castle; GM8@3,0/0; ingot 1,0")
    game.play("pass")
    game.play("A@3,1/180")
    game.play("meeple monastery")
    board, count = game.state, carc_env.rules.expansions.goldmines.count_around
    at = carc_env.rules.geometry.cell_of
    assert [
        int(count(board, at(x, y, False, game.config.table_size))) for x, y in ((1, 0), (3, 1), (0, 0), (3, 0), (-1, 0))
    ] == [2, 2, 1, 2, 0]


def test_chips_of_both_squares(tmp_path):
    """The player takes the chips of both squares. Both squares count for towns and border connections, but there is
    only one sale.
    """
    sheet = tmp_path / "own.toml"
    sheet.write_text("""name = "own"\ntitle = "Own"\nrows = ["ooooo", "ooooo", "ooooo"]
town = [{ name = "A", square = [0, 0], grape = "purple", start = true }, { name = "B", square = [4, 2], grape = "orange", start = true },
        { name = "C", square = [3, 1], grape = "light_blue" }]
""")
    config = GameConfig(
        boxes=("base", "map_chips", "german_castles"), sheet=str(sheet), starts=(("D", 1, 1, 0), ("B", 4, 2, 0))
    )
    game = Game(
        config, deck=["U", "U"], chips=[(2, 1, "light_blue", 2), (3, 1, "orange", 2)], german_castles=[("GC1",), ()]
    )
    game.play("GC1@2,1/0")
    assert game.scores.tolist() == [4, 0] and game.phase == Phase.SELL_WINE
    assert legal(game) == ["sell light_blue 2 town", "pass"]
    play(game, "sell light_blue 2 town")
    assert game.scores.tolist() == [13, 0] and game.phase == Phase.PLACE_FIGURE


@pytest.mark.parametrize(("monastery", "points"), [("count_tiles", 6), ("nine", 12)])
def test_a_castle_at_the_border(tmp_path, monastery, points):
    """With "count_tiles", the castle scores 2 points and 1 for each square around it that exists. With "nine", it
    scores 12 points.
    """
    sheet = tmp_path / "own.toml"
    sheet.write_text("""name = "own"\ntitle = "Own"\nrows = ["oooo", "oooo"]
town = [{ name = "A", square = [3, 0], grape = "purple", start = true }, { name = "B", square = [3, 1], grape = "orange", start = true }]
""")
    config = GameConfig(
        boxes=("base", "german_castles"),
        sheet=str(sheet),
        border_monastery=monastery,
        starts=(("B", 2, 0, 0), ("B", 2, 1, 0)),
    )
    game = Game(config, deck=["E", "B"], german_castles=[("GC5",), ()])
    play(game, "GC5@0,0/0; meeple castle; E@1,1/0; pass")
    (castle,) = (feature for feature in game.features() if feature.kind == "castle")
    assert castle.open == 1 and game.provisional_scores().tolist() == [2 + 3, 0]
    play(game, "B@0,1/0; pass")
    assert game.scores.tolist() == [points, 0]


@pytest.mark.parametrize(
    ("hands", "reason"),
    [
        ([("GC1", "GC6")], "1 hands are given for 2 players"),
        ([("GC1",), ("GC2",), ("GC3",)], "3 hands are given for 2 players"),
        ([("GC1", "GC7"), ()], "'GC7' should be one of GC1, GC2"),
        ([("GC1", 3), ()], "3 should be one of"),
        ([("GC1a",), ()], "'GC1a' should be one of"),
        ([("GC1", "GC2"), ("GC2",)], "GC2 is given twice"),
        ([("GC1", "GC2", "GC3"), ()], "player 0 has 3 castle tiles; a player can hold at most 2"),
        ("GC1", "should be a list with one tuple of castle tiles for each player"),
        (["GC1", "GC2"], "should be a list with one tuple of castle tiles for each player"),
        (7, "should be a list with one tuple of castle tiles for each player"),
    ],
)
def test_wrong_hands(hands, reason):
    with pytest.raises(DeckError, match="^german_castles: ") as refused:
        Game(CONFIG, deck=["U"], german_castles=hands)
    assert reason in str(refused.value)
    if isinstance(hands, list):
        record = begin("U").record() | {
            "german_castles": [list(hand) if isinstance(hand, tuple) else hand for hand in hands],
            "moves": [],
        }
        del record["scores"]
        with pytest.raises(RecordError, match="german_castles"):
            carc_env.replay(record)


def test_hands_without_the_box():
    with pytest.raises(DeckError, match="the box 'german_castles' is not in play"):
        Game("base", deck=["U"], german_castles=HANDS)
    assert (
        Game("base", deck=["U"]).german_castles == ((), ())
        and "german_castles" not in Game("base", deck=["U"]).record()
    )
    with pytest.raises(ConfigError, match="cannot be in tiles_only"):
        GameConfig(tiles_only=("german_castles",))
    with pytest.raises(DeckError, match="such tiles are in the players' hands"):
        Game(CONFIG, deck=["GC1a"])


def test_castle_tiles_count_for_the_limits():
    """Their squares and segments count, because these tiles may be placed, too."""
    plain, config = GameConfig(boxes=("base",)), CONFIG
    deck = ["X"] * 118
    assert Game(plain, deck=deck).tiles_left == 117
    with pytest.raises(DeckError, match="at most 960 are supported"):
        Game(config, deck=deck)
    starts = tuple(("B", x, y, 0) for x in range(24) for y in range(24) if (x + 2 * y) % 5 == 0)[:98]
    assert Game(dataclasses.replace(plain, starts=starts), deck=["U"]).tiles_left == 0
    with pytest.raises(ConfigError, match="empty squares beside it, but at most 400"):
        Game(dataclasses.replace(config, starts=starts), deck=["U"])


@pytest.mark.parametrize(("players", "each"), [(2, 2), (3, 2), (4, 1), (5, 1), (6, 1)])
def test_hands_are_dealt_from_the_seed(players, each):
    boxes = ("base", "german_castles", *(["inns_and_cathedrals"] if players == 6 else []))
    config = GameConfig(boxes=boxes, players=players)
    games = [Game(config, seed=seed) for seed in range(12)]
    for game in games:
        hands = game.record()["german_castles"]
        assert [len(hand) for hand in hands] == [each] * players and len(
            {tile for hand in hands for tile in hand}
        ) == each * players
        assert Game(config, seed=game.seed).record() == game.record()
        shuffled = game.clone()
        shuffled.reshuffle_hidden(5)
        assert shuffled.german_castles == game.german_castles and shuffled.deck != game.deck
        again = Game(
            dataclasses.replace(config, starts=(("D", 0, 0, 0),)),
            deck=game.deck,
            german_castles=[tuple(hand) for hand in hands],
        )
        assert again.record()["moves"] == game.moves and again.german_castles == game.german_castles
    assert len({str(game.german_castles) for game in games}) > 6
    assert Game(config, deck=["U", "U"], seed=3).german_castles == Game(config, deck=["V", "U"], seed=3).german_castles


def test_records_and_positions():
    game = play(begin("U", "E", "W", "V"), "pass; U@1,0/0; pass; GC2@-1,-1/180; meeple field Nw; GC1@2,0/0; pass")
    castle = next(text for text in legal(game) if text.startswith("GC3"))
    for phase in (game, play(game.clone(), "pass"), play(game.clone(), castle)):
        again = Game.from_bytes(phase.to_bytes())
        assert again == phase and again.moves == phase.moves
        position = phase.position()
        assert json.loads(position)["german_castles"] == [["GC1", "GC6"], ["GC2", "GC3"]] and "\n" not in position
        assert Game.from_position(position, seed=1).position() == position
    back = play(game.clone(), castle)
    back.undo()
    assert back == game
    lacking = {key: value for key, value in json.loads(game.position()).items() if key != "german_castles"}
    with pytest.raises(RecordError, match="german_castles"):
        Game.from_position(json.dumps(lacking))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("GC2@1,0/0", "player 0 does not hold GC2; the castle tiles in hand are GC1 and GC6"),
        ("GC1@5,5/0", "GC1@5,5/0"),
        ("GC1@-1,0/0", "GC1@-1,0/0 needs two empty squares"),
        ("GC1@1,0/90", "GC1@1,0/90 does not match its neighbours"),
        ("GC1@-1,-1/0", "GC1@-1,-1/0 does not match its neighbours"),
        ("U@1,0/0", "no tile is to be placed now; write a castle tile such as 'GC1@1,0/90', or 'pass' to draw"),
        ("abbey@1,0", "no abbey is to be placed now"),
        (4 * CELLS + 3, "GC6@"),
        (2 * CELLS + 3, "rotation 180 looks the same as a smaller rotation"),
        (ids_of(CONFIG.table_size).place_figure + 100, "a castle tile is to be placed, or 'pass' to draw"),
    ],
)
def test_a_refused_castle_tile_says_why(answer, said):
    with pytest.raises(IllegalAction) as refused:
        begin("U", "U").play(answer)
    assert said in str(refused.value)


def test_reading_is_lenient():
    """Rotations that give the same placement are the same action."""
    game = begin("U", "U", hands=(("GC1", "GC5"), ()))
    assert game.action("GC1@1,0/180") == game.action("GC1@1,0/0")
    assert {text[-2:] for text in legal(game)[:-1]} == {"/0", "90"}


# --- the table of tiles -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tile", "rotations", "segments"),
    [("GC1", 2, 5), ("GC2", 4, 4), ("GC3", 4, 4), ("GC4", 4, 5), ("GC5", 2, 4), ("GC6", 4, 6)],
)
def test_both_squares_have_the_segments_of_the_tile(tile, rotations, segments):
    west, east = (tile_table()[0]["kinds"][tile_numbers()[tile + square]] for square in "ab")
    assert west["rotations"] == east["rotations"] == rotations and west["n_segments"] == segments
    for name in ("n_segments", "kind", "open", "pennants", "adjoins", "spot", "by_spot"):
        assert np.array_equal(west[name], east[name])
    for rotation in range(4):
        ends = sum(
            np.bincount(square[name][rotation][square[name][rotation] != NONE], minlength=10)
            for square in (west, east)
            for name in ("side_segment", "half_segment")
        )
        assert [ends[number] or 1 for number in range(segments)] == west["open"][:segments].tolist()  # 1: the building
        assert min(west["edges"][rotation] >> 2 * side & 3 for side in range(4)) == 0


def test_the_kinds_of_the_castle_tiles_follow_each_other():
    first = tile_numbers()["GC1a"]
    assert [kind.id for kind in tile_kinds()[first : first + 12]] == [
        f"GC{n}{square}" for n in range(1, 7) for square in "ab"
    ]
    assert tile_table()[0]["german_castle"] == first and tile_table()[0]["abbey"] == tile_numbers()["abbey"]


# --- a table that is too small ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("east", ["U@1,0/0", "K@1,0/90"])
def test_a_castle_tile_that_the_table_has_no_room_for_cuts_the_game_off(east):
    """The layout spans all cells of a row but one. A road leads on in the west. With U, a road also leads on in the
    east.
    """
    west = CONFIG.table_size - 4
    road = [("D", 0, 0, 0), *(("U", -x, 0, 0) for x in range(1, west))]
    game = begin("U", east.split("@")[0], "B", "B", hands=(("GC1",), ("GC2",)), starts=tuple(road))
    play(game, f"pass; U@-{west},0/0; pass")
    assert not game.is_cut_off
    play(game, f"pass; {east}; pass")
    assert game.is_cut_off and game.phase == Phase.PLACE_GERMAN_CASTLE
    laid = {tuple(map(int, text.split("@")[1].split("/")[0].split(","))) for text in legal(game) if "@" in text}
    assert laid and (2, 0) not in laid and (-west - 2, 0) not in laid
