"""Tests of castles: what the worked examples leave open, how actions are written, and what agents observe."""

from dataclasses import replace

import numpy as np
import pytest

import carc_env
from carc_env import Game, GameConfig, IllegalAction, Phase
from carc_env.bots import make
from carc_env.boxes.layout import COLUMNS, GLOBALS, PLANES
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from tests.systems.playing import legal

CASTLES = GameConfig(boxes=("base", "castles"))
CIRCLES = GameConfig(boxes=("base", "castles", "crop_circles"))
FOUNDED = "E@0,-1/180; meeple city S; castle 0,-1 S"  # player 0 has a castle on D and the tile to its north
# an unowned road of 3 and an unowned city of 2 are completed
TO_CHOOSE = f"{FOUNDED}; W@-1,0/0; pass; E@1,-1/180; pass; L@1,0/0; pass"
# Three castles in a row from south to north, of players 0, 1 and 0, each in the vicinity of the next one.
THREE = (
    "U@1,0/0; pass; B@1,-1/0; pass; B@1,-2/0; pass; B@1,-3/0; pass; E@0,-3/180; meeple city S; H@0,-2/0; meeple city S; castle 0,-3 S; "
    "H@0,-1/0; meeple city S; castle 0,-1 S; castle 0,-2 S"
)
ROAD = "W@-1,0/0; pass; W@2,0/180; pass"  # closes a road of 4 on row 0, beside the southernmost castle only


def play(moves, config=CASTLES, more="B B"):
    """Return a game in which these actions were played. None of them may be forced. The deck contains their tiles and
    then the tiles of `more`.
    """
    texts = [text.strip() for text in moves.split(";")]
    game = Game(config, deck=[text.split("@")[0] for text in texts if "@" in text] + more.split())
    for text in texts:
        game.play(text)
    return game


# --- founding ---------------------------------------------------------------------------------------------------------
def test_a_castle_is_no_city_any_more():
    game = play(FOUNDED)
    assert game.castles == [(0, -1, "S", 0, True)] and game.castle_tokens.tolist() == [2, 3]
    assert game.scores.tolist() == [0, 0] and game.phase == Phase.PLACE_TILE
    assert [figure for tile in game.board() for figure in tile.figures] == [("meeple", 0, "castle", "S")]
    (castle,) = (feature for feature in game.features() if feature.kind == "castle")
    assert castle.segments == ((0, -1, "S"), (0, 0, "N")) and castle.strength == (1, 0) and not castle.is_complete
    assert not any(feature.kind == "city" for feature in game.features())


@pytest.mark.parametrize(
    "moves",
    [
        "G@0,-1/90; meeple city S",  # the city is not completed
        "G@0,-1/90; meeple city N; E@0,-2/180; pass",  # the city has three tiles
        "N@0,-1/180; meeple city E; E@1,-1/270; pass",  # this city has three tiles, too
        "E@0,-1/180; pass",  # the city has no owner
    ],
)
def test_no_castle_elsewhere(moves):
    assert play(moves).phase == Phase.PLACE_TILE


def test_a_square_of_a_large_city_is_no_semicircle(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("""name = "own"\ntitle = "Own"\nrows = ["oC", "oo"]
town = [{ name = "A", square = [0, 1], grape = "purple", start = true }, { name = "B", square = [1, 1], grape = "orange", start = true }]
[[large_city]]\nname = "L"\nsquares = [{ square = [1, 0], edges = "FFFC", pennants = 0 }]""")
    game = Game(replace(CASTLES, sheet=str(path), starts=(("B", 0, 1, 0),)), deck=["E", "B"])
    game.play("E@0,0/90")
    game.play("meeple city E")
    assert game.scores.tolist() == [4, 0]


def test_two_followers_found_no_castle():
    game = play(
        "E@0,1/180; meeple city S; CR1@1,1/180; pass; circle add; add meeple city 0,1 S; E@0,2/0; pass", CIRCLES
    )
    assert game.phase == Phase.PLACE_TILE and game.scores.tolist() == [4, 0]


def test_a_big_follower_is_one_follower():
    config = GameConfig(boxes=("base", "inns_and_cathedrals", "castles"))
    game = play("E@0,-1/180; big city S", config)
    assert legal(game) == ["castle 0,-1 S", "pass"]


@pytest.mark.parametrize(("players", "tokens"), [(2, 3), (3, 3), (4, 3), (5, 2), (6, 2)])
def test_tokens(players, tokens):
    config = GameConfig(players=players, boxes=("base", "inns_and_cathedrals", "castles"))
    game = Game(config, seed=1)
    assert game.castle_tokens.tolist() == [tokens] * players
    assert Game(GameConfig(players=2), seed=1).castle_tokens.tolist() == [0, 0]


def test_without_a_token_there_is_no_question():
    moves = "E@0,1/180; meeple city S; B@1,1/0; pass; E@0,2/0; pass"
    assert play(moves).phase == Phase.FOUND_CASTLE
    game = Game(CASTLES, deck=["E", "B", "E", "B", "B"])
    game._games["systems"]["castles"]["tokens"][0, 0] = 0
    for text in moves.split("; "):
        game.play(text)
    assert game.phase == Phase.PLACE_TILE and game.scores.tolist() == [4, 0]


# --- scoring ----------------------------------------------------------------------------------------------------------
def test_castles_score_in_rounds():
    game = play(f"{THREE}; {ROAD}")
    assert game.moves[-3:] == [
        "castle 0,-1 S scores road -1,0 E",
        "castle 0,-2 S scores castle 0,-1 S",
        "castle 0,-3 S scores castle 0,-2 S",
    ]
    assert game.scores.tolist() == [8, 4] and game.final_scores()["castles"].tolist() == [8, 4]
    assert [castle[-1] for castle in game.castles] == [False] * 3
    assert all(feature.is_complete for feature in game.features() if feature.kind == "castle")
    assert game.meeples["meeple"].tolist() == [7, 7]
    scored = [event for event in game.last_events if isinstance(event, carc_env.PointsScored)]
    assert [(event.player, event.source, event.points, event.x, event.y) for event in scored] == [
        (0, "castles", 4, 0, -1),
        (1, "castles", 4, 0, -2),
        (0, "castles", 4, 0, -3),
    ]


def test_of_castles_the_active_players_score_first():
    """Player 0 or player 1 completes a monastery beside the two northern castles."""
    around = "B@-1,-1/0; pass; B@-1,-2/0; pass; B@-1,-3/0; pass; B@-2,-1/0; pass; B@-2,-2/0; pass; B@-2,-3/0; pass"
    game = play(f"{THREE}; {around}")
    assert game.moves[-3:] == [
        "castle 0,-3 S scores monastery -1,-2",
        "castle 0,-2 S scores monastery -1,-2",
        "castle 0,-1 S scores castle 0,-2 S",
    ]
    assert game.scores.tolist() == [18, 9]
    game = play(f"{THREE}; B@0,1/0; pass; {around}")
    assert game.moves[-3:] == [
        "castle 0,-2 S scores monastery -1,-2",
        "castle 0,-3 S scores monastery -1,-2",
        "castle 0,-1 S scores castle 0,-2 S",
    ]


def test_castles_of_one_player_score_row_by_row():
    """A road runs along all three castles."""
    game = play(f"{THREE}; W@-1,0/270; pass; U@-1,-1/90; pass; U@-1,-2/90; pass; A@-1,-3/0; pass")
    assert game.moves[-3:] == [f"castle 0,{y} S scores road -1,-3 S" for y in (-3, -1, -2)]
    assert game.scores.tolist() == [8, 4]


def test_a_castle_founded_in_this_part_scores_nothing_of_it():
    """The castle scores neither for a feature completed in this part of the turn, nor for a castle beside it that
    scores.
    """
    game = play(
        "W@-1,0/0; pass; E@0,-1/180; meeple city S; castle 0,-1 S; E@1,-1/180; meeple city S; B@0,1/0; pass; L@1,0/0; pass; castle 1,-1 S"
    )
    assert game.moves[-1] == "castle 0,-1 S scores road -1,0 E"
    assert game.scores.tolist() == [0, 3] and [castle[3:] for castle in game.castles] == [(1, False), (0, True)]


def test_lords_score_nothing_at_the_end():
    game = play(f"{FOUNDED}; B@0,1/0; pass", more="B")
    game.play("B@1,1/0")
    game.play("pass")
    assert game.is_over and game.scores.tolist() == [0, 0]
    assert not any(isinstance(event, carc_env.PointsScored) for event in game.last_events)


@pytest.mark.parametrize(("figure", "points"), [("pass", 4), ("pig field Nw", 5)])
def test_a_castle_on_a_field(figure, points):
    config = GameConfig(boxes=("base", "traders_and_builders", "castles"))
    game = play(f"{FOUNDED}; B@1,-1/0; meeple field Nw; B@0,-2/0; pass; B@1,-2/0; {figure}", config)
    assert game.provisional_scores().tolist() == [0, points]


# --- texts ------------------------------------------------------------------------------------------------------------
def test_what_a_castle_can_score_is_named_by_its_first_cell_and_spot():
    game = play(TO_CHOOSE)
    assert (game.phase, game.player) == (Phase.CASTLE_SCORE, 0)
    assert legal(game) == ["castle 0,-1 S scores city 1,-1 S", "castle 0,-1 S scores road -1,0 E"]
    for text in (
        "castle 0,-1 S scores road 0,0 W",
        "castle 0,-1 S scores road 1,0 W",
        "castle 0,-1  S scores road -1,0 E",
    ):
        assert game.text(game.action(text)) == "castle 0,-1 S scores road -1,0 E"
    assert game.text(game.action("castle 0,-1 S scores city 1,0 N")) == "castle 0,-1 S scores city 1,-1 S"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("castle 0,-1 S scores road 1,0 N", "there is no road 1,0 N"),
        ("castle 0,-1 S scores city 0,0 N", "there is no city 0,0 N"),
        ("castle 0,-1 S scores road 9,9 N", "there is no road 9,9 N"),
        ("castle 0,-1 S scores road 0,0", "there is no road 0,0"),
        ("castle 0,-1 S scores monastery 0,0", "there is no monastery 0,0"),
        ("castle 0,-1 S scores road 0,0 X", "there is no road 0,0 X"),
        (
            "castle 0,-1 E scores road 0,0 W",
            "castle 0,-1 E is not scoring now; the castle that scores is castle 0,-1 S",
        ),
        (
            "castle 0,-1 S scores road 1,0 S",
            "chooses one of the features just completed: castle 0,-1 S scores city 1,-1 S, castle",
        ),
        ("castle 0,-1 S scores castle 0,0 N", "chooses one of the features just completed"),
        (
            "castle 0,-1 S scores field 0,0 Nw",
            "is not an action; write what it scores, such as 'castle 0,-1 S scores road 4,5 N'",
        ),
        ("castle 0,-1 S", "no castle is to be founded now"),
        ("pass", "chooses one of the features just completed"),
    ],
)
def test_what_a_castle_cannot_score(text, words):
    game = play(TO_CHOOSE)
    before = game.state.tobytes()
    with pytest.raises(IllegalAction) as refusal:
        game.play(text)
    assert words in str(refusal.value) and "\n" not in str(refusal.value) and game.state.tobytes() == before


def test_a_feature_away_from_the_castle_is_refused():
    game = play(TO_CHOOSE.replace(FOUNDED, f"{FOUNDED}; B@0,1/0; pass; B@0,2/0; pass"))
    with pytest.raises(
        IllegalAction, match="^monastery 0,1 is on none of the six tiles in the vicinity of castle 0,-1 S$"
    ):
        game.play("castle 0,-1 S scores monastery 0,1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("castle 0,-1 E", "player 0 founds a castle in a small city just completed, or none: castle 0,-1 S, pass"),
        ("castle 0,0 S", "player 0 founds a castle in a small city just completed, or none: castle 0,-1 S, pass"),
        ("castle 0,-1 N", "is not an action; write a castle such as 'castle 2,3 E', or 'pass'"),
        ("castle 80,9 E", "80,9 is not beside the tiles on the table"),
        ("castle 0,-1 S scores road 0,0 W", "no castle scores now; write a castle"),
    ],
)
def test_where_no_castle_can_be_founded(text, words):
    game = play("E@0,-1/180; meeple city S")
    with pytest.raises(IllegalAction) as refusal:
        game.play(text)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "moves", [FOUNDED, TO_CHOOSE, f"{TO_CHOOSE}; castle 0,-1 S scores city 1,0 N", THREE, f"{THREE}; {ROAD}"]
)
def test_records_positions_and_undo(moves):
    game = play(moves)
    assert Game.from_bytes(game.to_bytes()) == game and carc_env.replay(game.record()) == game
    assert Game.from_position(game.position(), seed=1).position() == game.position()
    before = play(moves.rpartition(";")[0], more=f"{'B ' if '@' in moves.rpartition(';')[2] else ''}B B")
    game.undo()
    assert game.moves == before.moves and game.phase == before.phase and game.castles == before.castles


# --- what agents see --------------------------------------------------------------------------------------------------
def plane(game, name):
    """Return a plane as a dict {(x, y): number}, without zeros."""
    numbers = game.observe()["planes"][list(PLANES).index(name)]
    middle = len(numbers) // 2
    return {(int(x) - middle, int(y) - middle): int(numbers[y, x]) for y, x in zip(*np.nonzero(numbers))}


def test_planes_of_castles():
    game = play(f"{THREE.rpartition('; ')[0]}")
    assert game.phase == Phase.FOUND_CASTLE and game.player == 1
    assert plane(game, "castle") == {(0, -3): 2, (0, -2): 2, (0, -1): 3, (0, 0): 3}
    assert plane(game, "castle_side") == {(0, -3): 3, (0, -2): 1, (0, -1): 3, (0, 0): 1}
    assert plane(game, "choice") == {}
    game.play("castle 0,-2 S")
    assert plane(game, "castle") == {(0, -3): 2, (0, -2): 2, (0, -1): 2, (0, 0): 2}
    tokens = [list(GLOBALS).index(f"castle_tokens_{seat}") for seat in (0, 1)]
    assert game.observe(0)["globals"][tokens].tolist() == [1, 2]
    game = play(TO_CHOOSE)
    assert plane(game, "choice") == {(0, -1): 1, (0, 0): 1} and plane(game, "castle") == {(0, -1): 2, (0, 0): 2}
    game.play("castle 0,-1 S scores city 1,0 N")
    assert plane(game, "choice") == {} and plane(game, "castle") == {(0, -1): 1, (0, 0): 1}
    assert plane(game, "city_N")[0, 0] == 2 and plane(game, "open_N").get((0, 0), 0) == 0


@pytest.mark.parametrize(
    "moves", [f"{TO_CHOOSE}; castle 0,-1 S scores road 0,0 W; B@0,1/0; pass", f"{THREE}; {ROAD}; B@0,1/0; pass"]
)
def test_what_is_kept_up_to_date_is_what_is_written_anew(moves):
    texts = [text.strip() for text in moves.split(";")]
    envs = CarcassonneVectorEnv(1, CASTLES, "self")
    observations, infos = envs.reset(
        seed=1, options={"deck": [text.split("@")[0] for text in texts if "@" in text] + ["B", "B"]}
    )
    for text in texts:
        observations, _, _, _, infos = envs.step(np.array([envs.layout.from_common(envs.games.game(0).action(text))]))
        expected = encode.observe(envs.games.records, infos["player"], envs._observation_spec)
        expected["action_mask"][envs.games.is_over, envs.layout.pass_action] = 1
        for name, array in expected.items():
            assert (observations[name] == array).all(), (text, name)


@pytest.mark.parametrize(
    ("moves", "column", "founds", "points"),
    [("E@0,-1/180; meeple city S", "asked_castle", [1, 0], [0, 0]), (TO_CHOOSE, "asked_score", [0, 0], [4, 3])],
)
def test_candidates(moves, column, founds, points):
    game = play(moves)
    seen = game.observe(observation="candidates")
    rows = dict(zip(COLUMNS, seen["candidates"][:2].T))
    assert seen["candidate_actions"][:3].tolist() == [*game.legal_actions(), -1]
    assert [name for name in COLUMNS if name.startswith("asked_") and rows[name].any()] == [column] and rows[
        column
    ].all()
    assert rows["founds"].tolist() == founds and rows["lord_points"].tolist() == points


def test_greedy_plays_to_the_end():
    bot, game = (
        make("greedy", seed=0),
        Game(GameConfig(players=3, boxes=("goldmines", "castles"), starts=(("D", 0, 0, 0),)), seed=4),
    )
    while not game.is_over:
        game.play(bot.choose(game))
    assert (sum(game.final_scores().values()) == game.scores).all()


# --- random games -----------------------------------------------------------------------------------------------------
def answer(rng, game):
    """Return a random action. Actions that complete features, put figures in cities or found castles are preferred."""
    actions = rng.permutation(game.legal_actions()).tolist()
    if game.phase == Phase.FOUND_CASTLE:
        return min(actions)
    if game.phase == Phase.PLACE_FIGURE:
        return next((action for action in actions if " city " in game.text(action)), actions[0])
    if game.phase != Phase.PLACE_TILE:
        return actions[0]
    return max(actions[:3], key=lambda action: closed_by(game, action))


def closed_by(game, action):
    """Return how many features are completed after an action."""
    after = game.clone()
    after.play(action)
    return sum(feature.is_complete for feature in after.features())


@pytest.mark.parametrize(
    "boxes",
    [
        ("base", "castles"),
        ("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "crop_circles", "castles"),
    ],
)
def test_nothing_is_made_or_lost(boxes):
    rng = np.random.default_rng(3)
    game = Game(GameConfig(players=3, boxes=boxes), seed=5)
    while not game.is_over:
        game.play(answer(rng, game))
        scored = [
            event.points
            for event in game.last_events
            if isinstance(event, carc_env.PointsScored) and event.source == "castles"
        ]
        assert all(points > 0 for points in scored)
        lords = [figure for tile in game.board() for figure in tile.figures if figure.feature == "castle"]
        assert len(lords) == sum(castle[-1] for castle in game.castles)
        assert len(game.castles) + game.castle_tokens.sum() == 9
        assert sum(feature.kind == "castle" for feature in game.features()) == len(game.castles)
    assert game.castles and (sum(game.final_scores().values()) == game.scores).all()
    assert Game.from_bytes(game.to_bytes()) == game
