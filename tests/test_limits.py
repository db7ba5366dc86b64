"""Tests of limits: a game that could exceed a size in rules/state.py is refused when it is made. A game that is not
refused is played correctly.
"""

import json
import zlib
from collections import Counter
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

import carc_env
from carc_env import ChipError, ConfigError, DeckError, Game, GameConfig, RecordError
from carc_env.arena.check_files import FileError, check_file
from carc_env.boxes.sheets import Border, LargeSquare, read_sheet, room_for_chips
from carc_env.boxes.tiles import BUILDINGS, GOODS, tile_kinds, tile_table
from carc_env.common.errors import LONGEST, CarcError
from carc_env.compiling import jit
from carc_env.notation.records import MAGIC, MOST_BYTES
from carc_env.rules import batch, features, history
from carc_env.rules.answers import ROOM
from carc_env.rules.batch import generators
from carc_env.rules.chance import random_below
from carc_env.rules.expansions import map_chips
from carc_env.rules.geometry import cell_of
from carc_env.rules.state import (
    FEATURE,
    MAX_CASTLES,
    MAX_COMPLETED,
    MAX_EVENTS,
    MAX_MOVES,
    MAX_TILES,
    N_CHIPS,
    NONE,
    PLAYER,
    EventKind,
    whole_game,
)
from carc_env.setup import limits
from carc_env.setup.limits import count_groups
from carc_env.setup.template import template
from carc_env.systems import Makings

SCATTERED = [(x, y) for x in range(24) for y in range(24) if (x + 2 * y) % 5 == 0]  # no two are neighbours


def scattered(n):
    """Return `n` start tiles, no two of them on neighbouring squares."""
    return tuple(("B", x, y, 0) for x, y in SCATTERED[:n])


def test_all_boxes_on_the_sheet_of_france_for_six():
    config = carc_env.GameConfig(
        boxes=tuple(dict.fromkeys(("base", *carc_env.preset("everything").boxes, "map_chips"))),
        players=6,
        sheet="france",
    )
    assert len(config.boxes) == 16 and not carc_env.Game(config, seed=1).is_over


def sheet_of(tmp_path, rows, extra="", start=(0, 0), other=None):
    """Write a map sheet with these rows and two start squares to a file, and return the path."""
    other = other or (len(rows[0]) - 1, len(rows) - 1)
    path = tmp_path / "own.toml"
    path.write_text(f"""name = "own"\ntitle = "Own"\nrows = {json.dumps(rows)}
town = [{{ name = "A", square = {list(start)}, grape = "purple", start = true }},
        {{ name = "B", square = {list(other)}, grape = "orange", start = true }}]
{extra}""")
    return str(path)


def large_city(squares, pennants):
    """Return the TOML text of one large city with these squares. All edges between two of its squares are open."""
    entries = []
    for x, y in squares:
        edges = "".join("C" if (x + dx, y + dy) in squares else "F" for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)))
        entries.append(f'{{ square = [{x}, {y}], edges = "{edges}", pennants = {pennants} }}')
    return f'[[large_city]]\nname = "L"\nsquares = [{", ".join(entries)}]\n'


def play_out(game, answers, tiles_left=-1):
    """Play until the game is over or only `tiles_left` tiles are left. Each time, play the first text of `answers` that
    is legal, or else the first legal action.
    """
    while not game.is_over and game.tiles_left > tiles_left:
        for answer in (*answers, game.legal_actions()[0]):
            try:
                game.play(answer)
                break
            except carc_env.IllegalAction:
                pass
    return game


def play_at_random(game, seed):
    """Play to the end with random actions."""
    batch.play_random(game._games, tile_table(), np.array([(seed, 1)], np.int64))
    return game


# --- arrays: refused when a game is made -----------------------------------------------------------------------------
def test_start_tiles_with_more_empty_squares_beside_them_than_can_be_handled():
    config = GameConfig(starts=scattered(115))
    with pytest.raises(
        ConfigError,
        match="^starts: the layout can have up to 596 empty squares beside it, but at most 400 .* 183 squares",
    ):
        Game(config, seed=0)
    record = Game("base", deck=["U"]).record() | {"starts": [list(start) for start in config.starts], "moves": []}
    with pytest.raises(RecordError, match="at most 400 are supported"):
        carc_env.replay(record)


def test_as_many_scattered_start_tiles_as_can_be_handled_are_played():
    deck = ["U", "V", "E"]
    game = Game(GameConfig(starts=scattered(98)), deck=deck)  # 2 * (98 + 3) + 2 * 98 = 398
    assert game.state["n_frontier"] <= 400
    with pytest.raises(ConfigError):
        Game(GameConfig(starts=scattered(99)), deck=[*deck, "U"])
    play_out(game, ["pass"])
    assert carc_env.replay(game.record()) == game


def test_squares_of_large_cities_count_as_tiles_beside_which_squares_are_empty(tmp_path):
    rows = ["o" * 24] * 20 + ["C" * 24] * 2 + ["o" * 24] * 2
    path = sheet_of(tmp_path, rows, large_city([(x, y) for y in (20, 21) for x in range(24)], 0))
    with pytest.raises(ConfigError, match=r"^starts: .* up to 422 empty squares beside it.* 209 squares, in 2 groups"):
        Game(GameConfig(sheet=path, starts=(("B", 0, 0, 0),)), deck=["B"] * 160)


def test_groups_of_squares():
    assert count_groups(set()) == 0
    assert count_groups({(0, 0), (1, 0), (1, 1), (3, 3), (2, 2)}) == 3
    assert count_groups(set(SCATTERED)) == len(SCATTERED) == 115


def test_squares_of_large_cities_count_as_segments(tmp_path):
    path = sheet_of(tmp_path, ["C" * 24, "o" * 24, "o" * 24], large_city([(x, 0) for x in range(24)], 0), (0, 1))
    config = GameConfig(sheet=path, starts=(("X", 0, 1, 0),))
    with pytest.raises(
        DeckError, match="984 roads, .* with the 24 squares of the large cities; at most 960 are supported"
    ):
        Game(config, deck=["X"] * 119)


def test_a_start_tile_that_is_drawn_counts(tmp_path):
    """Checks that the start tile D, which has 5 segments, is counted on a map sheet, though it is not in the deck."""
    config = GameConfig(sheet=sheet_of(tmp_path, ["o" * 24] * 8))
    with pytest.raises(DeckError, match="193 tiles together; at most 192"):
        template(config, ("B",) * 192)
    with pytest.raises(DeckError, match="the tiles of the deck have 96[1-9] roads"):
        template(config, ("X",) * 119 + ("B", "B", "B"))
    assert len(template(config, ("X",) * 119)) == 1


def test_a_game_that_could_have_more_answers_than_can_be_handled():
    config = GameConfig(players=6, boxes=("base", "inns_and_cathedrals", "crop_circles"))
    with pytest.raises(
        DeckError,
        match=r"can have 1710 actions \(base 380, crop_circles 1330\); at most 1424 are supported, so "
        "use fewer tiles",
    ):
        Game(config, deck=["CR9"] * 190)
    game = Game(config, deck=["CR2"] * 156)  # 156 * 9 = 1404
    if jit.is_compiled():
        play_out(game, ["circle add", *(f"meeple city {side}" for side in "NESW")], tiles_left=149)
        play_out(game, ["circle add", "pass"])
        assert 600 < len(game.moves) <= MAX_MOVES and carc_env.replay(game.record()) == game


def test_sales_count_as_answers():
    config = carc_env.preset("carcassonne")
    with pytest.raises(DeckError, match="at most 1424 are supported"):
        Game(
            GameConfig(boxes=(*config.boxes, "crop_circles", "inns_and_cathedrals"), sheet="france", players=6),
            seed=1,
            deck=["CR9"] * 145,
        )


def test_events_that_find_no_room_are_not_told_and_do_no_harm():
    games = np.zeros(1, whole_game(25))
    for amount in range(MAX_EVENTS + 100):
        history.note(games[0], EventKind.TILE_DISCARDED, 0, 0, amount, NONE)
    assert games["n_events"][0] == MAX_EVENTS
    assert games["events"]["amount"][0].tolist() == list(range(MAX_EVENTS))
    games["n_events"], games["events"] = 0, np.zeros(1, whole_game(25))["events"]
    assert not games.tobytes().strip(b"\0")  # no other field was written


def test_a_row_of_tiles_that_fit_nowhere():
    game = Game(GameConfig(starts=(("C", 0, 0, 0),)), deck=["C"] + ["B"] * 190)
    game.play(game.legal_actions()[0])
    game.play("meeple city N")
    assert game.is_over and [type(event).__name__ for event in game.last_events[:190]] == ["TileDiscarded"] * 190
    assert game.last_events[190:] == (carc_env.PointsScored(0, "cities", 4, 0, -1),)


# --- arrays: large enough for the tiles of the boxes ------------------------------------------------------------------
def test_a_tile_brings_one_inn_cathedral_or_good_at_most_and_there_is_room_for_one_of_each_tile():
    for kind in tile_kinds():
        marks = [mark for segment in kind.segments for mark in segment.marks if mark in ("inn", "cathedral", *GOODS)]
        assert len(marks) <= 1, kind.id
    for dtype in (FEATURE["extras"], FEATURE["goods"].base, PLAYER["goods"].base):
        assert np.iinfo(dtype).max >= MAX_TILES


def test_a_tile_completes_no_more_features_than_can_be_handled():
    """A tile completes at most four roads and cities, because it has four edges, and the buildings of nine tiles. Then
    every castle can score.
    """
    for kind in tile_kinds():
        assert all(segment.spots for segment in kind.segments)  # every road and city reaches an edge
    buildings = max(sum(segment.kind in BUILDINGS for segment in kind.segments) for kind in tile_kinds())
    assert 4 + 9 * buildings + MAX_CASTLES <= MAX_COMPLETED


# --- narrow numbers ---------------------------------------------------------------------------------------------------
def test_a_city_of_very_many_pennants():
    game = play_out(Game(GameConfig(starts=(("AM1", 0, 0, 0),)), deck=["AM1"] * 70), ["meeple city N"])
    assert game.scores.tolist() == [213, 0]  # 71 tiles with two pennants each, not completed
    assert max(feature.pennants for feature in game.features()) == 142
    assert np.array_equal(game.observe(0)["planes"], game.clone().observe(0)["planes"])


def test_a_large_city_of_very_many_pennants(tmp_path):
    """Checks a city of 15 squares with 9 pennants each and one tile: 2 * (16 + 135) points."""
    squares = [(x, 0) for x in range(1, 16)]
    edges = {(x, 0): "".join(("F", "C" if x < 15 else "F", "F", "C")) for x, _ in squares}
    entries = ", ".join(f'{{ square = [{x}, 0], edges = "{edges[x, 0]}", pennants = 9 }}' for x, _ in squares)
    extra = f'[[large_city]]\nname = "L"\nsquares = [{entries}]\n'
    path = sheet_of(tmp_path, ["o" + "C" * 15, "o" * 16], extra, (0, 1), (15, 1))
    game = Game(GameConfig(sheet=path, starts=(("B", 0, 1, 0),)), deck=["E", "B"])
    game.play("E@0,0/90")
    game.play("meeple city E")
    assert game.scores.tolist() == [302, 0]


def test_a_city_with_very_many_goods():
    """Checks 192 tokens, one from each tile, which is the largest possible number."""
    tile, grain = "TB5", GOODS.index("grain")
    game = Game(GameConfig(boxes=("base", "traders_and_builders"), starts=((tile, 0, 0, 0),)), deck=[tile] * 3)
    game._games["features"]["goods"][0, :2, grain] = 190  # the features of the start tile
    while game.state["features"]["goods"][:, grain].max() == 190:
        game.play(game.legal_actions()[-1])
    assert game.state["features"]["goods"][:, grain].max() == 191
    assert game.observe()["planes"].max() == 191
    game._games["players"]["goods"][0, 0, grain] = 192
    assert game.goods.tolist() == [[0, 192, 0], [0, 0, 0]] and 192 in game.observe()["globals"]


def test_roads_with_more_coats_of_arms_than_can_be_handled(tmp_path):
    borders = "".join(f'[[border]]\nsquare = [{x}, 0]\nedge = "N"\nkind = "road"\ncoats = 9\n' for x in range(24))
    borders += "".join(f'[[border]]\nsquare = [{x}, 7]\nedge = "S"\nkind = "road"\ncoats = 9\n' for x in range(5))
    config = GameConfig(sheet=sheet_of(tmp_path, ["o" * 24] * 8, borders))
    with pytest.raises(
        ConfigError, match="^sheet own: the roads printed at the border have 261 coats of arms together; at most 255"
    ):
        Game(config, seed=0)


@pytest.mark.parametrize(
    ("what", "part"),
    [("large", LargeSquare("L", 1, (3, 3), "CFFF", 11000)), ("borders", Border((3, 3), "N", "city", 11000, ""))],
)
def test_more_points_than_can_be_handled(what, part):
    """No map sheet of 24 x 24 squares with 9 pennants each is known that can have so many points, so this test changes
    the data of a sheet.
    """
    config, deck = carc_env.preset("france"), limits.kinds_of(["D"] * 50)
    france = read_sheet("france")
    limits.check_points(Makings(config, (), deck, france))
    with pytest.raises(
        ConfigError, match=r"a player could score 3\d+ points from these tiles and this sheet; at most 32767"
    ):
        limits.check_points(Makings(config, (), deck, replace(france, **{what: (part,)})))


@pytest.mark.parametrize(
    ("box", "tile", "more"),
    [
        ("abbot", "B", 9 * 10),
        ("goldmines", "B", 4 * 16),
        ("traders_and_builders", "B", 3 * 10),
        ("castles", "D", 3 * 10 * (3 + 3 + 5)),  # three lords; a tile has a city, a road, and a field beside the city
        ("ferries", "FE1", 8 * 10 * 3 * 3),  # eight ferries, three roads on each tile
        ("german_cathedrals", "GK1", 10 * 10 * 4),
    ],
)
def test_each_box_says_how_many_points_it_can_bring(box, tile, more):
    def most(*boxes):
        config = GameConfig(boxes=("base", *boxes))
        makings = Makings(config, (), limits.kinds_of([tile] * 10), None)
        once, _ = limits.each_box(makings, lambda system: system.most_of_features(makings))
        return once + limits.each_box(makings, lambda system: system.most_besides(makings, once))[0]

    assert most(box) - most() == more


def test_more_chips_alike_than_can_be_handled():
    chips = [(x, y, "orange", 1) for y in range(3, 11) for x in range(4, 11)]
    config = GameConfig(boxes=("base", "map_chips"), sheet="france", starts=(("B", 11, 3, 0),))
    assert len(chips) == 56 and Game(config, deck=["B"], chips=chips[2:3])
    with pytest.raises(
        ChipError, match="^chips: 168 chips have the colour orange and the value 1; at most 127 are allowed$"
    ):
        Game(config, deck=["B"], chips=chips * 3)


def test_counts_begin_anew_before_their_number_wraps():
    games = np.zeros(1, whole_game(25))
    games["n_segments"], games["counts"] = 960, 32766
    games["features"]["mark"] = 1
    features.begin_count(games[0])
    assert games["counts"][0] == 32767 and (games["features"]["mark"] == 1).all()
    features.begin_count(games[0])
    assert games["counts"][0] == 1 and not games["features"]["mark"].any()


def test_fields_are_counted_right_when_the_counts_begin_anew():
    def fields(counts, mark):
        game = Game("base", seed=5)
        game._games["counts"], game._games["features"]["mark"] = counts, mark
        play_at_random(game, 3)
        return game.final_scores()["fields"].tolist()

    assert fields(0, 0) == fields(32767, 1) != [0, 0]


@pytest.mark.parametrize("seed", range(12))
def test_room_for_chips_is_found_to_the_last_square(seed):
    """Checks on random sets of squares that the engine lays as many chips as possible, no two of them on neighbouring
    squares.
    """
    (chance,) = generators(np.array([[seed + 1, 7]]))
    wide, high, share = 2 + 2 * seed, 24 - seed, (0.4, 0.7, 1.0)[seed % 3]
    squares = {(x, y) for x in range(wide) for y in range(high) if random_below(chance, 1000) < 1000 * share}
    assert len(laid_by(map_chips.choose_most, squares, chance)) == most_chips(squares)


def laid_by(choose, squares, chance):
    """Return the squares on which one of the three ways lays chips if these squares are free. Checks that their number
    is correct, and that no two of them are neighbours.
    """
    room = np.zeros(1, ROOM)[0]
    room["squares"][[cell_of(x, y, True, 25) for x, y in squares]] = map_chips.FREE
    chosen = choose(np.zeros(1, whole_game(25))[0], room, chance)
    state = {(x, y): room["squares"][cell_of(x, y, True, 25)] for x in range(24) for y in range(24)}
    laid = {square for square, value in state.items() if value == map_chips.CHOSEN}
    assert len(laid) == chosen and laid <= squares and map_chips.FREE not in state.values()
    assert not any((x + 1, y) in laid or (x, y + 1) in laid for x, y in laid)
    return laid


def most_chips(squares):
    """Return the largest number of chips that can lie on these squares."""
    return room_for_chips(replace(read_sheet("france"), squares=frozenset(squares), large=(), towns=()), (), False)


SHAPES = {
    "row": {(x, 5) for x in range(20)},
    "comb": {(x, y) for x in range(20) for y in range(1 if x % 2 else 8)},
    "ring": {(x, y) for x in range(9) for y in range(9) if {x, y} & {0, 8}},
    "scattered": set(SCATTERED),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_squares_with_few_free_neighbours_go_first(shape, seed):
    """Checks that this way lays as many chips as possible on these shapes."""
    (chance,) = generators(np.array([[seed + 1, 7]]))
    laid = laid_by(map_chips.choose_thriftily, SHAPES[shape], chance)
    assert len(laid) == most_chips(SHAPES[shape])


def test_by_chance_alone_no_square_stays_free():
    """Checks on a row of squares that each square without a chip is beside a chip. The number of chips varies, so this
    way does not always lay as many chips as possible.
    """
    squares, numbers = SHAPES["row"], set()
    for seed in range(12):
        (chance,) = generators(np.array([[seed + 1, 7]]))
        laid = laid_by(map_chips.choose_squares, squares, chance)
        assert all((x, y) in laid or {(x - 1, y), (x + 1, y)} & laid for x, y in squares)
        numbers.add(len(laid))
    assert len(numbers) > 1 and max(numbers) <= 10


@pytest.mark.parametrize("seed", range(3))
def test_chips_too_many_are_taken_from_the_fullest_blocks(seed):
    """Checks the numbers of chips in blocks of 3 x 3 squares. A block that lost a chip has at most one chip fewer than
    any other block.
    """
    (chance,) = generators(np.array([[seed + 1, 7]]))
    room, squares = np.zeros(1, ROOM)[0], [(x, y) for x in range(24) for y in range(24)]
    laid = {square for square in squares if random_below(chance, 1000) < 50 + 15 * square[0]}
    room["squares"][[cell_of(x, y, True, 25) for x, y in laid]] = map_chips.CHOSEN
    map_chips.spread(np.zeros(1, whole_game(25))[0], room, len(laid), chance)
    left = {(x, y) for x, y in laid if room["squares"][cell_of(x, y, True, 25)] == map_chips.CHOSEN}
    assert len(left) == N_CHIPS < len(laid)
    before, after = (Counter((x // 3, y // 3) for x, y in some) for some in (laid, left))
    assert all(after[block] >= max(after.values()) - 1 for block in before if after[block] < before[block])


# --- hostile input ----------------------------------------------------------------------------------------------------
def assert_one_line(error):
    """Check that the error is an error of carc_env, and that its message is one line that is not too long."""
    message = str(error.value)
    assert isinstance(error.value, CarcError) and "\n" not in message and 0 < len(message) <= LONGEST, message


@pytest.fixture(scope="module")
def record():
    """Return the record of a game on a map sheet after some actions."""
    game = Game("carcassonne", seed=3)
    for _ in range(9):
        game.play(game.legal_actions()[0])
    return game.record()


DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chips": [1]}, "chips[0] = 1: chips are lists [x, y, colour, value]"),
        ({"chips": [[1]]}, "chips[0] should be (x, y, colour, value)"),
        ({"chips": [[1, 2, ["orange"], 1]]}, "the value 1 or 2, not [1, 2, ['orange'], 1]"),
        ({"chips": [[10**400, 2, "orange", 1]]}, "chips[0]"),
        ({"chips": DEEP}, "chips[0]"),
        ({"starts": [3]}, "starts[0] = 3: start tiles are lists"),
        ({"starts": [[3]]}, "start (3,)"),
        ({"starts": [["D", 1, 2, 0.5]]}, "start ('D', 1, 2, 0.5)"),
        ({"starts": [["D", 10**4000, 2, 0]]}, "starts"),
        ({"starts": [["D", {}, [], DEEP]]}, "start"),
        ({"moves": [["pass"]]}, "moves[0] = ['pass']: moves are strings"),
        ({"moves": ["pass"] * 100000}, "moves[0]: 'pass'"),
        ({"moves": ["\n" * 5000]}, "moves[0]"),
        ({"moves": ["D@" + "9" * 5000 + ",0/0"]}, "moves[0]"),
        ({"deck": [["D"]]}, "deck[0] = ['D']: a deck is a list of tile ids"),
        ({"deck": ["\ud800"]}, "deck[0]"),
        ({"seed": float("nan")}, "seed = nan: should be of type int or None"),
        ({"seed": 2**64}, "seed 18446744073709551616 should be"),
        ({"seed": -1}, "seed -1 should be"),
        ({"scores": [True, False]}, "scores[0] = True: scores are whole numbers"),
        ({"scores": ["0", "0"]}, "scores[0] = '0': scores are whole numbers"),
        ({"scores": [float("inf"), 0]}, "scores[0] = inf"),
        ({"config": {"players": 10**4400}}, "players"),
        ({"config": {"players": True}}, "players = True"),
        ({"config": {"boxes": [["base"]]}}, "boxes"),
        ({"config": {"boxes": DEEP}}, "box"),
        ({"config": {"boxes": [{}]}}, "unknown box"),
        ({"config": {"sheet": "a\0.toml"}}, "sheet"),
        ({"config": {"sheet": "x" * 10000 + ".toml"}}, "sheet"),
        ({"config": {"sheet": "\udcff.toml"}}, "sheet"),
        ({"config": {"x" * 10000: 1}}, "unknown key"),
        (
            {
                "config": {"players": 6, "boxes": ["base", "inns_and_cathedrals", "crop_circles"]},
                "chips": [],
                "deck": ["CR9"] * 190,
                "starts": [["D", 0, 0, 0]],
            },
            "1710 actions",
        ),
        ({"config": "\n" * 600}, "unknown preset"),
        ({"x\ny": 1}, "unknown key"),
    ],
)
def test_records_of_wrong_inner_types(record, changes, words):
    with pytest.raises(RecordError) as error:
        carc_env.replay(record | changes)
    assert_one_line(error)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "chips",
    [
        [1],
        1,
        "x",
        [[]],
        [(0, 0, "orange")],
        [(0, 0, "orange", True)],
        [(0, 0, "orange", 2.0)],
        [(4, 5, "orange", 2), None],
        [(10**4400, 0, "orange", 1)],
        [(0, 0, [], 1)],
        {},
        DEEP,
    ],
)
def test_dictated_chips_that_are_none(chips):
    config = GameConfig(boxes=("base", "map_chips"), sheet="france", starts=(("B", 11, 3, 0),))
    with pytest.raises(ChipError, match="^chips") as error:
        Game(config, deck=["B"], chips=chips)
    assert_one_line(error)


def test_too_few_squares_for_the_chips_are_refused_with_the_configuration(tmp_path):
    with pytest.raises(ConfigError, match="of 30 chips fit"):
        GameConfig(boxes=("base", "map_chips"), sheet=sheet_of(tmp_path, ["oooooo"] * 6))


def sealed(payload):
    """Return bytes that begin like those of a saved game, with the correct checksum of `payload`."""
    return MAGIC + sha256(payload).digest() + payload


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (5, "a game should be given as bytes, not as 5"),
        (None, "not as None"),
        ("carc_env game 1\n", "not as 'carc_env"),
        ([1, 2], "not as [1, 2]"),
        (b"", "not a game of carc_env"),
        (MAGIC, "truncated or changed"),
        (memoryview(MAGIC), "truncated or changed"),
        (bytearray(MAGIC), "truncated or changed"),
        (sealed(b""), "the compressed data are cut off, or extra bytes follow"),
        (sealed(b"oops"), "cannot be unpacked"),
        (sealed(zlib.compress(b"{}")[:-3]), "are cut off"),
        (sealed(zlib.compress(b"{}") + b"more"), "or extra bytes follow"),
        (sealed(zlib.compress(b"")), "they do not contain JSON"),
        (sealed(zlib.compress(b"\xff\xfe")), "they do not contain text"),
        (sealed(zlib.compress(b"[" * 10**6)), "they do not contain JSON"),
        (sealed(zlib.compress(b'{"seed": ' + b"9" * 10**5 + b"}")), "they do not contain JSON"),
        (sealed(zlib.compress(b"NaN")), "the record should be a table of fields, not nan"),
        (sealed(zlib.compress(bytes(MOST_BYTES + 1))), "unpack to more than 4194304"),
        (sealed(zlib.compress(bytes(300 * 10**6))), "unpack to more than 4194304"),
        (MAGIC + bytes(MOST_BYTES), "4194320 bytes are too many for a game"),
    ],
    ids=lambda value: "",
)
def test_bytes_that_are_no_game(data, words):
    with pytest.raises(RecordError) as error:
        Game.from_bytes(data)
    assert_one_line(error)
    assert words in str(error.value)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_read(kind):
    game = Game("base", seed=1)
    assert Game.from_bytes(kind(game.to_bytes())) == game


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x=" + "[" * 10**5, "the brackets are nested too deeply"),
        ("x=" + "{a=" * 10**5, "the brackets are nested too deeply"),
        ("x=" + "9" * 10**5, "TOML"),
        ("x=2026-02-31", "TOML"),
        ("", "the file is empty"),
        ("# only this\n\n", "the file is empty"),
        ("players = 0x" + "f" * 10**5, "players"),
        ("players = nan", "players"),
        ("boxes = [{a=1}]", "unknown box"),
        ("boxes = [[[[1]]]]", "unknown box"),
        ("starts = [1979-05-27]", "start"),
        ("boxes = ['base']\nstarts = [[['D'], 0, 0, 0]]", "start"),
        ("'a\\nb' = 3", "unknown key"),
        ('"a\\nb" = 3', "unknown key"),
        ("{" * 10**6, "JSON"),
        ('{"carc_env":' * 10**5, "JSON"),
        ('{"seed": ' + "9" * 10**5 + "}", "JSON"),
        ("{}", "lacks the key"),
        ("rows = [[[]]]", "sheet"),
        (
            "name = 'x'\ntitle = 'x'\nrows = ['oo']\nborder = [{square = [0x"
            + "f" * 10**4
            + ", 0], edge = 'N', kind = 'road'}]",
            "border",
        ),
        ("name = 'x'\ntitle = 'x'\nrows = ['o\\no']", "rows"),
        ("tile = [[[[]]]]", ""),
        ("title = 0x" + "f" * 10**4, "title"),
    ],
)
def test_files_that_check_refuses_in_one_line(tmp_path, text, words):
    path = tmp_path / "file.toml"
    path.write_text(text)
    with pytest.raises(FileError) as error:
        check_file(path)
    assert_one_line(error)
    assert words in str(error.value)


# --- events -----------------------------------------------------------------------------------------------------------
def test_points_for_ingots_and_goods_at_the_end_lie_nowhere():
    found = set()
    for seed in range(40):
        deck = [f"TB{seed % 20 + 1}", "GM8", "GM7", f"TB{seed % 20 + 2}", "E", "E", "U", "V"]
        game = play_at_random(Game("expansions", deck=deck), seed)
        for event in game.last_events:
            if isinstance(event, carc_env.PointsScored):
                assert (event.x is None) == (event.y is None) == (event.source in ("ingots", "goods")), event
                found.add(event.source)
        if {"ingots", "goods"} <= found:
            return
    pytest.fail("no game ended with ingots and goods")
