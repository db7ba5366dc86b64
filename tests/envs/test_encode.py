"""Tests of observations: a decoded observation contains exactly what a player may know."""

import dataclasses

import numpy as np
import pytest

import carc_env
from carc_env.boxes.layout import COLUMNS, GLOBALS, N_SHOWN, PLANES
from carc_env.boxes.prospect_parts import N_PARTS
from carc_env.boxes.sheets import GRAPES, read_sheet
from carc_env.boxes.tiles import FIGURES, GOODS, KINDS, SPOTS, tile_kinds, tile_table
from carc_env.common.errors import ArrayError
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from carc_env.observing.spaces import layout_of
from carc_env.rules.state import MAX_PLAYERS, Phase
from tests.systems.playing import play

CONFIGS = {
    "goldmines": carc_env.preset("goldmines"),
    "abbot": dataclasses.replace(carc_env.preset("goldmines"), boxes=("base", "goldmines", "abbot"), players=4),
    "carcassonne": carc_env.preset("carcassonne"),
    "everything": carc_env.GameConfig(
        boxes=("base", "goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles"), players=6
    ),
}
PLANE = list(PLANES).index
GLOBAL = list(GLOBALS).index


def played(config, seed, moves):
    """Return a game after `moves` random actions, or a finished game if it ends earlier."""
    game, chance = carc_env.Game(config, seed=seed), np.random.default_rng(seed)
    for _ in range(moves):
        if not game.is_over:
            game.play(int(chance.choice(game.legal_actions())))
    return game


def centre_of(game):
    """Return the row of the cell (0, 0), which is also its column."""
    return game.config.table_size // 2 if game.config.sheet is None else 0


def face_down(game):
    """Return the chips that are not covered by a tile."""
    covered = {(place.x, place.y) for place in game.board()}
    return [chip for chip in game._chips() if chip[:2] not in covered]


def decoded_tiles(planes, game, observer):
    """Return the set of tiles (tile, x, y, rotation, ingots, figures), read from the planes alone. A figure is a tuple
    (kind, player, spot).
    """
    found, size = set(), game.config.table_size
    centre = centre_of(game)
    for row, column in zip(*np.nonzero(planes[PLANE("tile")])):
        at = planes[:, row, column]
        if at[PLANE("large")]:
            continue
        figures = [
            (kind, int(at[PLANE("figure_player")] - 1 + observer) % game.players, SPOTS[at[PLANE("figure_spot")] - 1])
            for kind in FIGURES
            for _ in range(at[PLANE(f"figure_{kind}")])
        ]
        found.add(
            (
                tile_kinds()[at[PLANE("tile")] - 1].id,
                (column - centre) % size,
                (row - centre) % size,
                90 * int(at[PLANE("rotation")]),
                int(at[PLANE("ingots")]),
                tuple(figures),
            )
        )
    return found


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("moves", [0, 25, 70, 1000])
def test_observation_decodes_to_what_a_player_may_know(name, moves):
    game = played(CONFIGS[name], 5, moves)
    size = game.config.table_size
    for observer in range(game.players):
        seen = game.observe(observer)
        board = {
            (
                p.tile,
                p.x % size,
                p.y % size,
                p.rotation,
                p.ingots,
                tuple((f.figure, f.player, f.spot) for f in p.figures),
            )
            for p in game.board()
        }
        assert decoded_tiles(seen["planes"], game, observer) == board
        numbers = dict(zip(GLOBALS, seen["globals"]))
        for seat in range(game.players):
            player = (observer + seat) % game.players
            assert numbers[f"plays_{seat}"] == 1
            assert numbers[f"asked_{seat}"] == (game.player == player)
            assert numbers[f"active_{seat}"] == (game.active_player == player)
            assert numbers[f"score_{seat}"] == game.scores[player]
            assert numbers[f"ingots_{seat}"] == game.ingots[player]
            hand = [numbers[f"chips_{grape}_{value}_{seat}"] for grape in GRAPES for value in (1, 2)]
            assert hand == game.chips[player].ravel().tolist()
            assert [numbers[f"goods_{good}_{seat}"] for good in GOODS] == game.goods[player].tolist()
            for figure in FIGURES:
                assert numbers[f"supply_{figure}_{seat}"] == game.meeples[figure][player]
        assert all(numbers[f"plays_{seat}"] == 0 for seat in range(game.players, MAX_PLAYERS))
        assert [kind.id for kind in tile_kinds() if numbers[f"hand_{kind.id}"]] == ([game.tile] if game.tile else [])
        for grape in GRAPES:
            for value in (1, 2):
                down = [chip for chip in face_down(game) if chip[2:] == (grape, value)]
                assert numbers[f"face_down_{grape}_{value}"] == len(down)
        left = game.deck[len(game.deck) - game.tiles_left :]
        assert {kind.id: numbers[f"left_{kind.id}"] for kind in tile_kinds() if numbers[f"left_{kind.id}"]} == {
            tile: left.count(tile) for tile in left
        }
        assert [phase for phase in Phase if numbers[f"phase_{phase.name.lower()}"]] == [game.phase]
        legal = game.legal_actions() if game.player == observer else []
        assert np.flatnonzero(seen["action_mask"]).tolist() == list(legal) and seen["action_mask"].max() <= 1


@pytest.mark.parametrize("name", CONFIGS)
def test_planes_of_features_agree_with_the_features_of_the_game(name):
    game = played(CONFIGS[name], 8, 60)
    observer = 1
    planes, size = game.observe(observer)["planes"], game.config.table_size
    for feature in game.features():
        own = feature.strength[observer]
        best = max(s for player, s in enumerate(feature.strength) if player != observer)
        control = 1 if own > best else 3 if best > own else 2 if own else 0
        for x, y, spot in feature.segments:
            at = planes[:, (y + centre_of(game)) % size, (x + centre_of(game)) % size]
            if feature.kind in ("road", "city"):
                assert at[PLANE(f"{feature.kind}_{spot}")] == feature.tiles + feature.pennants
                assert at[PLANE(f"open_{spot}")] == feature.open
                assert at[PLANE(f"control_{spot}")] == control
            elif feature.kind == "field" and spot not in ("mid", "mid2"):
                assert at[PLANE(f"field_{spot}")] == control
            elif feature.kind in ("monastery", "garden"):
                assert at[PLANE("building")] == KINDS.index(feature.kind) - KINDS.index("monastery") + 1
                assert at[PLANE("building_control")] == control
                row, column = (y + centre_of(game)) % size, (x + centre_of(game)) % size
                around = planes[PLANE("square")][np.ix_(*[[(v + d) % size for d in (-1, 0, 1)] for v in (row, column)])]
                assert around.sum() - 1 - at[PLANE("neighbours")] == feature.open


def test_planes_show_the_sheet_and_where_chips_lie_but_not_their_faces():
    game = played(CONFIGS["carcassonne"], 3, 40)
    sheet = read_sheet("france")
    planes = game.observe(0)["planes"]
    assert {(x, y) for y, x in zip(*np.nonzero(planes[PLANE("square")]))} == sheet.squares | {
        part.square for part in sheet.large
    }
    assert {(x, y) for y, x in zip(*np.nonzero(planes[PLANE("large")]))} == {part.square for part in sheet.large}
    for town in sheet.towns:
        assert planes[PLANE("town"), town.square[1], town.square[0]] == GRAPES.index(town.grape) + 1
    for border in sheet.borders:
        x, y = border.square
        assert planes[PLANE(f"border_{border.edge}"), y, x] == ("road", "city").index(border.kind) + 1
        assert planes[PLANE("coats"), y, x] == border.coats
    chips = face_down(game)
    assert {(x, y) for y, x in zip(*np.nonzero(planes[PLANE("chip")]))} == {chip[:2] for chip in chips}
    record = carc_env.Game(CONFIGS["carcassonne"], seed=3).record()
    first = carc_env.Game(CONFIGS["carcassonne"], deck=record["deck"], seed=3, chips=list(map(tuple, record["chips"])))
    faces = record["chips"][1:] + record["chips"][:1]
    other = carc_env.Game(
        CONFIGS["carcassonne"],
        deck=record["deck"],
        seed=3,
        chips=[(*chip[:2], *face[2:]) for chip, face in zip(record["chips"], faces)],
    )
    for observer in (0, 1):
        seen = [g.observe(observer, "both") for g in (first, other)]
        assert all((seen[0][name] == seen[1][name]).all() for name in seen[0])


def test_batch_and_single_observations_are_the_same():
    games = carc_env.Games("goldmines", 3, [4, 5, 6])
    for _ in range(30):
        games.step([int(np.flatnonzero(mask)[-1]) for mask in games.legal_mask()])
    seen = games.observe(observation="both")
    again = games.observe(observation="both", out={name: np.full_like(array, 7) for name, array in seen.items()})
    for i, seed in enumerate([4, 5, 6]):
        game = carc_env.Game("goldmines", seed=seed)
        for _ in range(30):
            game.play(int(game.legal_actions()[-1]))
        single = game.observe(observation="both")
        for name, array in single.items():
            assert (seen[name][i] == array).all(), name
            assert (again[name][i] == array).all(), name


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda out: out["planes"], "should be a dict with the keys globals, action_mask, planes"),
        (lambda out: {"planes": out["planes"]}, "not the keys planes$"),
        (lambda out: out | {"planes": out["planes"][1:]}, r"out\['planes'\] should be a writeable array uint8\[3, "),
        (lambda out: out | {"globals": out["globals"].astype(np.float64)}, r"float32\[3, \d+\], not float64"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_and_not_written_to(change, reason):
    games = carc_env.Games("base", 3, [4, 5, 6])
    out = {name: np.full_like(array, 7) for name, array in games.observe().items()}
    with pytest.raises(ArrayError, match=reason):
        games.observe(out=change(out))
    assert all((array == 7).all() for array in out.values())


def priced(game, rows=192):
    """Return the specification of observations with candidates that have the columns `price` and `rank`, in the common
    layout.
    """
    return encode.ObservationSpec(layout_of(game.config, "common"), "candidates", rows, price=True)


def test_what_greedy_thinks_is_shown_only_where_it_is_asked_for():
    game = played(CONFIGS["abbot"], 11, 33)
    plain, seen = game.observe(observation="candidates"), game.observe(observation=priced(game))
    assert plain["candidates"].shape == (192, N_SHOWN) and list(COLUMNS)[N_SHOWN:] == ["price", "rank"]
    assert (
        np.array_equal(plain["candidates"], seen["candidates"][:, :N_SHOWN]) and seen["candidates"][:, N_SHOWN:].any()
    )
    for settings, n in (({}, N_SHOWN), ({"price": True}, N_SHOWN + 2)):
        envs = CarcassonneVectorEnv(2, "base", "random", observation="both", **settings)
        assert envs.reset(seed=1)[0]["candidates"].shape == (2, 192, n)
        assert envs.single_observation_space["candidates"].shape == (192, n)
        envs.close()


@pytest.mark.parametrize("moves", [0, 33, 80])
def test_candidates_are_one_row_for_each_legal_answer_and_leave_the_game_as_it_was(moves):
    game = played(CONFIGS["abbot"], 11, moves)
    before = game.to_bytes(), game.state.tobytes()
    seen = game.observe(observation=priced(game))
    assert (game.to_bytes(), game.state.tobytes()) == before
    legal = game.legal_actions()
    assert seen["candidate_actions"][: len(legal)].tolist() == legal.tolist()
    assert (seen["candidate_actions"][len(legal) :] == -1).all()
    assert (seen["candidates"][len(legal) :] == 0).all()
    rows = dict(zip(COLUMNS, seen["candidates"][: len(legal)].T))
    assert rows["price"].max() == 0
    assert (rows["rank"][rows["price"] == 0] == 0).all()
    asked = {
        Phase.PLACE_TILE: "asked_tile",
        Phase.SELL_WINE: "asked_sale",
        Phase.PLACE_INGOT: "asked_ingot",
        Phase.PLACE_FIGURE: "asked_figure",
        Phase.TAKE_INGOT: "asked_take",
    }[game.phase]
    assert (rows[asked] == 1).all()


def test_with_few_rows_the_candidates_are_the_actions_of_the_highest_values():
    """With few rows, the candidates are the actions of the highest values. Among actions of equal value, those with the
    lowest ids are kept.
    """
    ties = 0
    for moves in range(0, 60, 6):
        game = played(CONFIGS["abbot"], 11, moves)
        whole, n = game.observe(observation=priced(game)), len(game.legal_actions())
        ranks = whole["candidates"][:n, list(COLUMNS).index("rank")]
        for rows in (2, 3, 5, 9):
            few, best = game.observe(observation=priced(game, rows)), np.sort(np.argsort(ranks, kind="stable")[:rows])
            m = len(best)
            assert few["candidate_actions"][:m].tolist() == whole["candidate_actions"][best].tolist()
            assert np.array_equal(few["candidates"][:m], whole["candidates"][best])
            assert (few["candidate_actions"][m:] == -1).all() and not few["candidates"][m:].any()
            ties += n > rows and (ranks <= ranks[best].max()).sum() > rows
    assert ties > 3


GOLD = (
    "goldmines",
    ["GM8", "X", "B", "B", "B", "U", "GM8", "X", "U", "V", "V"],
    [
        "GM8@1,0/0",
        "meeple road E",
        "X@2,0/0",
        "pass",
        "pass",
        "B@-1,1/0",
        "pass",
        "B@-2,1/0",
        "pass",
        "U@-2,0/0",
        "meeple road E",
        "GM8@-3,0/0",
        "ingot -2,0",
        "pass",
        "X@-4,0/0",
        "pass",
        "U@-1,0/0",
        "pass",
    ],
)  # two players share the ingots of a road
CIRCLE = (
    carc_env.GameConfig(players=3, boxes=("base", "crop_circles")),
    ["V", "V", "V", "CR4", "U"],
    ["V@1,0/0", "meeple road S", "V@0,1/0", "meeple road S", "V@1,-1/90", "meeple road N", "CR4@1,-2/0", "pass"],
)
ASKED = {  # configuration, deck, actions, how many of the actions are played, and the column of the next decision
    "PLACE_TILE": (*GOLD, 2, "asked_tile"),
    "PLACE_FIGURE": (*GOLD, 1, "asked_figure"),
    "PLACE_INGOT": (*GOLD, 12, "asked_ingot"),
    "TAKE_INGOT": (*GOLD, 18, "asked_take"),
    "CROP_CHOICE": (*CIRCLE, 8, "asked_circle"),
    "CROP_ADD": (*CIRCLE[:2], [*CIRCLE[2], "circle add"], 9, "asked_add"),
    "CROP_REMOVE": (
        dataclasses.replace(CIRCLE[0], players=2),
        CIRCLE[1],
        [*CIRCLE[2], "circle remove"],
        9,
        "asked_remove",
    ),
}


@pytest.mark.parametrize("phase", ASKED)
def test_candidates_at_each_question(phase):
    config, deck, texts, given, column = ASKED[phase]
    game = carc_env.Game(config, deck=deck)
    for text in texts[:given]:
        game.play(text)
    assert game.phase.name == phase
    before, legal = game.state.tobytes(), game.legal_actions().tolist()
    seen = game.observe(observation=priced(game))
    assert game.state.tobytes() == before
    assert seen["candidate_actions"][: len(legal)].tolist() == legal and len(legal) > 1
    rows = dict(zip(COLUMNS, seen["candidates"][: len(legal)].T))
    assert all(np.isfinite(numbers).all() for numbers in rows.values()) and rows["price"].max() == 0
    assert [name for name in COLUMNS if name.startswith("asked_") and rows[name].any()] == [column] and rows[
        column
    ].all()


def test_column_now_is_what_the_answer_scores():
    """Checks that a figure action scores, in this turn, the points for completed features that its row of `candidates`
    shows.
    """
    game, chance, seen_points = carc_env.Game("base", seed=2), np.random.default_rng(2), 0
    while not game.is_over:
        if game.phase == Phase.PLACE_FIGURE and game.tiles_left:
            player, seen = game.player, game.observe(observation="candidates")
            for action, row in zip(seen["candidate_actions"], seen["candidates"]):
                if action >= 0:
                    after = game.clone()
                    after.play(int(action))
                    gained = after.scores - game.scores
                    change = row[[list(COLUMNS).index("own_now"), list(COLUMNS).index("others_now")]]
                    before = _now(game, player)
                    assert gained[player] == pytest.approx(change[0] + before[0])
                    assert gained[1 - player] == pytest.approx(change[1] + before[1])
                    seen_points += gained.sum()
        game.play(int(chance.choice(game.legal_actions())))
    assert seen_points > 0


SHARED = (  # three players share a city with two ingots on each of two tiles
    "U@1,0/0; meeple road E; GM1@-1,0/0; ingot 0,0; pass; E@1,-1/270; meeple city W; E@-1,-1/90; meeple city E; "
    "V@1,-2/180; pass; GM8@2,0/0; ingot 1,-1; pass; GM2@0,1/180; ingot 0,0; pass; E@0,-2/180; meeple city S; "
    "GM4@2,-2/0; ingot 1,-1; pass; B@-2,0/0; pass; C@0,-1/0"
)


DECK = [text.split("@")[0] for text in SHARED.split("; ") if "@" in text]
RIVALS = dataclasses.replace(carc_env.preset("goldmines"), players=3)


@pytest.mark.parametrize(("rule", "told"), [("hig", [[2, 2], [2, 2]]), ("rgg_single_pass", [[2, 2], [1, 1]])])
def test_rivals_are_those_who_may_still_take_an_ingot(rule, told):
    """In a single pass, a player who has taken an ingot is no longer a rival."""
    game, found = play(carc_env.Game(dataclasses.replace(RIVALS, gold_rule=rule), deck=[*DECK, "B"]), SHARED), []
    while game.phase == Phase.TAKE_INGOT:
        rivals = game.observe(observation="planes")["planes"][list(PLANES).index("rivals")]
        found.append(rivals[rivals > 0].tolist())
        game.play(int(game.legal_actions()[0]))
    assert found == told


def test_what_an_ingot_changes_that_is_taken():
    """A player who takes an ingot has one more. If it lies on the start tile, the owner of the road there may expect
    fewer. Making the observation does not change the game.
    """
    game = play(carc_env.Game(RIVALS, deck=[*DECK, "B", *"AWAWAW"]), SHARED)
    before, rows = game.to_bytes(), game.observe(observation="candidates")
    own, others = (list(COLUMNS).index(name) for name in ("own_ingots_now", "others_ingot_gain"))
    told = {
        game.text(int(action)): (np.flatnonzero(row[: 2 * N_PARTS]).tolist(), row[others] < 0)
        for action, row in zip(rows["candidate_actions"], rows["candidates"])
        if action >= 0
    }
    assert told == {"take 0,0": (sorted([own, others]), True), "take 1,-1": ([own], False)}
    assert game.to_bytes() == before


def _now(game, player):
    """Return the points of features that were complete before the action, for the player and for the other player."""
    points = np.zeros(2)
    for feature in game.features():
        if feature.is_complete and any(feature.strength):
            worth = {"road": feature.tiles, "city": 2 * (feature.tiles + feature.pennants), "monastery": 9}[
                feature.kind
            ]
            for p in range(2):
                points[p] += worth * (feature.strength[p] == max(feature.strength))
    return points[[player, 1 - player]]


def test_wrong_arguments_are_clear_errors():
    game = carc_env.Game("base", seed=0)
    with pytest.raises(ValueError, match="player 2 should be an int from 0 to 1"):
        game.observe(2)
    with pytest.raises(ValueError, match="'planes', 'candidates' or 'both'"):
        game.observe(observation="pixels")


def test_shapes_are_those_of_the_size_for_every_configuration():
    shapes = {
        name: {
            key: (array.shape, array.dtype)
            for key, array in carc_env.Game(config, seed=1).observe(observation="both").items()
        }
        for name, config in CONFIGS.items()
    }
    for name, config in CONFIGS.items():
        assert shapes[name] == {
            key: (shape, np.dtype(dtype))
            for key, (shape, dtype, *_) in encode.spaces("both", config.table_size).items()
        }
    assert len(tile_table()[0]["kinds"]) >= len(tile_kinds())
