"""What an observation shows: decoded again, it is exactly what a player may know."""

import dataclasses

import numpy as np
import pytest

import carc_env
from carc_env import encode
from carc_env.boxes import FIGURES, KINDS, SPOTS, tile_kinds, tile_table
from carc_env.candidates import COLUMNS
from carc_env.rules.state import MAX_PLAYERS, SIZE, Phase

CONFIGS = {
    "goldmines": carc_env.preset("goldmines"),
    "abbot": dataclasses.replace(carc_env.preset("goldmines"), boxes=("base", "goldmines", "abbot"), players=4),
}
PLANE = list(encode.PLANES).index
GLOBAL = list(encode.GLOBALS).index


def played(config, seed, moves):
    """A game after some random answers, and the generator that chose them."""
    game, chance = carc_env.Game(config, seed=seed), np.random.default_rng(seed)
    for _ in range(moves):
        if not game.is_over:
            game.play(int(chance.choice(game.legal_actions())))
    return game


def decoded_tiles(planes, game, observer):
    """Tiles as (tile, x, y, rotation, ingots, figures), read from the planes alone; figures as (kind, player, spot)."""
    found = set()
    centre = SIZE // 2
    for row, column in zip(*np.nonzero(planes[PLANE("tile")])):
        at = planes[:, row, column]
        figures = [(kind, int(at[PLANE("figure_player")] - 1 + observer) % game.players,
                    SPOTS[at[PLANE("figure_spot")] - 1])
                   for kind in FIGURES for _ in range(at[PLANE(f"figure_{kind}")])]
        found.add((tile_kinds()[at[PLANE("tile")] - 1].id, (column - centre) % SIZE, (row - centre) % SIZE,
                   90 * int(at[PLANE("rotation")]), int(at[PLANE("ingots")]), tuple(figures)))
    return found


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("moves", [0, 25, 70, 1000])
def test_observation_decodes_to_what_a_player_may_know(name, moves):
    game = played(CONFIGS[name], 5, moves)
    for observer in range(game.players):
        seen = game.observe(observer)
        board = {(p.tile, p.x % SIZE, p.y % SIZE, p.rotation, p.ingots,
                  tuple((f.figure, f.player, f.spot) for f in p.figures)) for p in game.board()}
        assert decoded_tiles(seen["planes"], game, observer) == board
        numbers = dict(zip(encode.GLOBALS, seen["globals"]))
        for seat in range(game.players):
            player = (observer + seat) % game.players
            assert numbers[f"plays_{seat}"] == 1
            assert numbers[f"score_{seat}"] == game.scores[player]
            assert numbers[f"ingots_{seat}"] == game.ingots[player]
            for figure in FIGURES:
                assert numbers[f"supply_{figure}_{seat}"] == game.meeples[figure][player]
        assert all(numbers[f"plays_{seat}"] == 0 for seat in range(game.players, MAX_PLAYERS))
        assert [kind.id for kind in tile_kinds() if numbers[f"hand_{kind.id}"]] == ([game.tile] if game.tile else [])
        left = game.deck[len(game.deck) - game.tiles_left:]
        assert {kind.id: numbers[f"left_{kind.id}"] for kind in tile_kinds() if numbers[f"left_{kind.id}"]} == \
            {tile: left.count(tile) for tile in left}
        assert [phase for phase in Phase if numbers[f"phase_{phase.name.lower()}"]] == [game.phase]
        assert (numbers["asked"], numbers["active"]) == (game.player == observer, game.active_player == observer) or \
            game.is_over
        legal = game.legal_actions() if game.player == observer else []
        assert np.flatnonzero(seen["action_mask"]).tolist() == list(legal)


@pytest.mark.parametrize("name", CONFIGS)
def test_planes_of_features_agree_with_the_features_of_the_game(name):
    game = played(CONFIGS[name], 8, 60)
    observer = 1
    planes = game.observe(observer)["planes"]
    for feature in game.features():
        own = feature.strength[observer]
        best = max(s for player, s in enumerate(feature.strength) if player != observer)
        control = 1 if own > best else 3 if best > own else 2 if own else 0
        for x, y, spot in feature.segments:
            at = planes[:, (y + SIZE // 2) % SIZE, (x + SIZE // 2) % SIZE]
            if feature.kind in ("road", "city"):
                assert at[PLANE(f"{feature.kind}_{spot}")] == feature.tiles + feature.pennants
                assert at[PLANE(f"open_{spot}")] == feature.open
                assert at[PLANE(f"control_{spot}")] == control
            elif feature.kind == "field" and spot not in ("mid", "mid2"):
                assert at[PLANE(f"field_{spot}")] == control
            elif feature.kind in ("monastery", "garden"):
                assert at[PLANE("building")] == KINDS.index(feature.kind) - KINDS.index("monastery") + 1
                assert at[PLANE("building_control")] == control
                assert 8 - at[PLANE("neighbours")] == feature.open


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


@pytest.mark.parametrize("moves", [0, 33, 80])
def test_candidates_are_one_row_for_each_legal_answer_and_leave_the_game_as_it_was(moves):
    game = played(CONFIGS["abbot"], 11, moves)
    before = game.to_bytes(), game.state.tobytes()
    seen = game.observe(observation="candidates")
    assert (game.to_bytes(), game.state.tobytes()) == before
    legal = game.legal_actions()
    assert seen["candidate_actions"][:len(legal)].tolist() == legal.tolist()
    assert (seen["candidate_actions"][len(legal):] == -1).all()
    assert (seen["candidates"][len(legal):] == 0).all()
    rows = dict(zip(COLUMNS, seen["candidates"][:len(legal)].T))
    assert rows["price"].max() == 0
    assert (rows["rank"][rows["price"] == 0] == 0).all()
    asked = {Phase.PLACE_TILE: "asked_tile", Phase.PLACE_INGOT: "asked_ingot", Phase.PLACE_FIGURE: "asked_figure",
             Phase.TAKE_INGOT: "asked_take"}[game.phase]
    assert (rows[asked] == 1).all()


def test_column_now_is_what_the_answer_scores():
    """Playing a figure answer scores, in this turn, what its row says of completed features."""
    game, chance, seen_points = carc_env.Game("base", seed=2), np.random.default_rng(2), 0
    while not game.is_over:
        if game.phase == Phase.PLACE_FIGURE and game.tiles_left:
            player, seen = game.player, game.observe(observation="candidates")
            for action, row in zip(seen["candidate_actions"], seen["candidates"]):
                if action >= 0:
                    after = game.clone()
                    after.play(int(action))
                    gained = (after.scores - game.scores)
                    change = row[[list(COLUMNS).index("own_now"), list(COLUMNS).index("others_now")]]
                    before = _now(game, player)
                    assert gained[player] == pytest.approx(change[0] + before[0])
                    assert gained[1 - player] == pytest.approx(change[1] + before[1])
                    seen_points += gained.sum()
        game.play(int(chance.choice(game.legal_actions())))
    assert seen_points > 0


def _now(game, player):
    """Points of features already complete before the answer, for the player and the other one."""
    points = np.zeros(2)
    for feature in game.features():
        if feature.is_complete and any(feature.strength):
            worth = {"road": feature.tiles, "city": 2 * (feature.tiles + feature.pennants), "monastery": 9}[feature.kind]
            for p in range(2):
                points[p] += worth * (feature.strength[p] == max(feature.strength))
    return points[[player, 1 - player]]


def test_wrong_arguments_are_clear_errors():
    game = carc_env.Game("base", seed=0)
    with pytest.raises(ValueError, match="player 2 is not from 0 to 1"):
        game.observe(2)
    with pytest.raises(ValueError, match="'planes', 'candidates' or 'both'"):
        game.observe(observation="pixels")


def test_table_of_the_sizes_is_the_same_for_every_configuration():
    shapes = {name: {key: (array.shape, array.dtype) for key, array in
                     carc_env.Game(config, seed=1).observe(observation="both").items()}
              for name, config in CONFIGS.items()}
    assert shapes["goldmines"] == shapes["abbot"]
    assert len(tile_table()[0]["tiles"]) >= len(tile_kinds())
