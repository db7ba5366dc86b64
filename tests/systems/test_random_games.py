"""Random games with abbeys and German castles. The tests compute the features anew from the tiles, compare copies with
the game, and check the observations.
"""

import random

import numpy as np
import pytest

import carc_env
from carc_env.boxes.layout import PLANES
from carc_env.boxes.tiles import HALVES, SIDES, tile_kinds, tile_numbers, tile_table, turned
from carc_env.compiling import jit
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode, prospects
from carc_env.observing.pricing import best_answers
from carc_env.observing.prospects import default_prices
from carc_env.rules.answers import LAYING, ROOM
from carc_env.rules.state import MAX_PLAYERS, whole_game
from tests.modes import later
from tests.same import assert_same
from tests.tried import there_and_back, value_twice

BOTH = ("base", "abbeys", "german_castles")
MORE = ("goldmines", "inns_and_cathedrals", "traders_and_builders", "abbot", "crop_circles")
CONFIGS = [
    carc_env.GameConfig(boxes=("base", "abbeys")),
    carc_env.GameConfig(boxes=("base", "german_castles"), players=3),
    carc_env.GameConfig(boxes=(*BOTH, "goldmines"), gold_rule="rgg_rounds"),
    carc_env.GameConfig(boxes=(*BOTH, *MORE), players=2),
    carc_env.GameConfig(boxes=(*BOTH, *MORE), players=5, abbey_end="end_with_stack", small_city_points=2),
    carc_env.GameConfig(boxes=(*BOTH, *MORE, "map_chips"), players=4, sheet="france"),
    carc_env.GameConfig(
        boxes=(*BOTH, "goldmines", "map_chips"),
        players=2,
        sheet="france",
        border_monastery="nine",
        border_road_coat_points=2,
    ),
]
NAMES = ["abbeys", "castles", "gold", "all", "five", "france", "nine"]
MOST = [later(config) if name == "five" else config for name, config in zip(NAMES, CONFIGS)]
SHARE = 1 if jit.is_compiled() else 8  # uncompiled tests run only one of so many games and checks
ACROSS = {
    "N": (0, -1, "S"),
    "E": (1, 0, "W"),
    "S": (0, 1, "N"),
    "W": (-1, 0, "E"),
    "Nw": (0, -1, "Sw"),
    "Ne": (0, -1, "Se"),
    "En": (1, 0, "Wn"),
    "Es": (1, 0, "Ws"),
    "Se": (0, 1, "Ne"),
    "Sw": (0, 1, "Nw"),
    "Ws": (-1, 0, "Es"),
    "Wn": (-1, 0, "En"),
}
STRENGTH = {"meeple": 1, "big": 2, "abbot": 1, "builder": 0, "pig": 0}


def squares_of(placed):
    """Return (x, y, tile kind, prefix of the names of its spots) for each square of a tile on the table."""
    if not placed.tile.startswith("GC"):
        return [(placed.x, placed.y, placed.tile, "")]
    dx, dy = (1, 0) if placed.rotation in (0, 180) else (0, 1)
    order = "ab" if placed.rotation < 180 else "ba"
    return [
        (placed.x, placed.y, placed.tile + order[0], ""),
        (placed.x + dx, placed.y + dy, placed.tile + order[1], "2"),
    ]


def from_scratch(game):
    """Return the features of a free table, computed from the squares alone, as a set of tuples (kind, number of tiles,
    open ends, strength, completed, named places). For a building, the number of open ends is the number of empty
    squares.
    """
    at, spots, names, tiles = {}, {}, {}, {}
    squares = [(x, y, kind, second, placed) for placed in game.board() for x, y, kind, second in squares_of(placed)]
    occupied = {(x, y) for x, y, *_ in squares}
    for x, y, kind, second, placed in squares:
        for number, segment in enumerate(tile_kinds()[tile_numbers()[kind]].segments):
            node = x, y, number
            own = [turned(spot, placed.rotation // 90) for spot in segment.spots]
            spots[node], tiles[node] = (segment.kind, own), (placed.x, placed.y)
            for spot in own:
                at[x, y, spot] = node
                whole = second + spot if spot in SIDES + HALVES else spot
                names[node, spot] = placed.x, placed.y, whole
    root = {node: node for node in spots}

    def find(node):
        while root[node] != node:
            node = root[node]
        return node

    for (x, y, spot), node in at.items():
        if spot in ACROSS:
            dx, dy, other = ACROSS[spot]
            if (x + dx, y + dy, other) in at:
                root[find(node)] = find(at[x + dx, y + dy, other])
    standing = [(placed.x, placed.y, figure) for placed in game.board() for figure in placed.figures]
    found = set()
    for first in set(map(find, spots)):
        members = [node for node in spots if find(node) == first]
        kind, empty, places, stands = spots[first][0], 0, set(), set()
        for node in members:
            x, y, _ = node
            for spot in spots[node][1]:
                places.add((*(node[:2] if spot in SIDES + HALVES else tiles[node]), spot))
                stands.add(names[node, spot])  # the names by which the board reports figures
                if spot in ACROSS:
                    dx, dy, _ = ACROSS[spot]
                    empty += (x + dx, y + dy) not in occupied
        strength = tuple(
            sum(
                STRENGTH[figure.figure]
                for x, y, figure in standing
                if figure.player == player and (x, y, figure.spot) in stands
            )
            for player in range(game.players)
        )
        if kind not in ("road", "city", "field"):
            area = {
                (x + dx, y + dy)
                for x, y, k, _, placed in squares
                if (placed.x, placed.y) == tiles[first]
                for dx in (-1, 0, 1)
                for dy in (-1, 0, 1)
            }
            empty = len(area - occupied)
        found.add(
            (
                kind,
                len({tiles[node] for node in members}),
                empty,
                strength,
                kind != "field" and empty == 0,
                frozenset(places),
            )
        )
    return found


def as_told(game, scratch):
    """Compare the features that the game reports with those computed from the squares. Two features belong together if
    the computed one contains all places of the other.
    """
    told = game.features()
    assert len(told) == len(scratch)
    for feature in told:
        kinds = {"monastery": ("monastery", "abbey"), "castle": ("german_castle",)}.get(feature.kind, (feature.kind,))
        (mine,) = (s for s in scratch if s[0] in kinds and set(feature.segments) <= s[5])
        assert mine[1:5] == (feature.tiles, feature.open, feature.strength, feature.is_complete), feature


def play_on(game, rng, answers=1):
    """Play random actions. `pass` is less likely in decisions about figures and abbeys."""
    for _ in range(answers):
        if not game.is_over:
            actions = game.legal_actions().tolist()
            if game.phase.name in ("PLACE_FIGURE", "PLACE_ABBEY") and rng.random() < 0.7:
                actions = [action for action in actions if game.text(action) != "pass"]
            game.play(rng.choice(actions))


@pytest.mark.parametrize("config", MOST, ids=NAMES)
def test_features_and_copies(config):
    for seed in range(max(1, 4 // SHARE)):
        game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
        while not game.is_over:
            play_on(game, rng)
            if rng.random() < 0.04 / SHARE or game.is_over:
                if config.sheet is None:
                    as_told(game, from_scratch(game))
                again = carc_env.Game.from_bytes(game.to_bytes())
                assert (
                    again == carc_env.replay(game.record())
                    and again.moves == game.moves
                    and again.scores.tolist() == game.scores.tolist()
                )
                assert carc_env.Game.from_position(game.position(), seed=1).position() == game.position()
                assert sum(points.sum() for points in game.final_scores().values()) == game.scores.sum()
                aside = sum(event.count for event in game.last_events if isinstance(event, carc_env.IngotsSetAside))
                assert game.ingots.sum() + sum(tile.ingots for tile in game.board()) + aside + game.supply in (0, 16)
                assert len(str(game)) > 20
            if rng.random() < 0.04 / SHARE and not game.is_over:
                back = game.clone()
                play_on(back, rng)
                back.undo()
                assert back == game or back.moves == game.moves
        assert not set(sum(game.german_castles, ())) & {tile.tile for tile in game.board()}


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_what_is_kept_up_to_date_is_what_is_written_anew(config):
    envs = CarcassonneVectorEnv(3, config, "self")
    (observations, infos), rng = envs.reset(seed=5), np.random.default_rng(5)
    for _ in range(400 // SHARE):
        actions = [rng.choice(np.flatnonzero(mask)) for mask in observations["action_mask"]]
        observations, _, _, _, infos = envs.step(np.array(actions))
        expected = encode.observe(envs.games.records, infos["player"], envs._observation_spec)
        expected["action_mask"][envs.games.is_over, envs.layout.pass_action] = 1
        for name, array in expected.items():
            assert np.array_equal(array, observations[name]), [PLANES, name]
            low, high = encode.spaces(envs._observation_spec)[name][2:]
            assert np.all(array >= low) and np.all(array <= high), name


@pytest.mark.parametrize("config", MOST, ids=NAMES)
def test_greedy_plays_and_a_tile_is_taken_back(config):
    """The prospects after placing a tile are the same as prospects computed anew. If the tile is taken back, the game
    is the same as before.
    """
    views, trials, rooms, tiles = (
        np.zeros(2, prospects.VIEW),
        np.zeros(2, whole_game(config.table_size)),
        np.zeros(1, ROOM),
        tile_table(),
    )
    views["prices"] = default_prices()[list(prospects.PRICE_TABLE.names)]
    for seed in range(8 // SHARE):
        game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
        while not game.is_over:
            if game.phase in LAYING and rng.random() < 0.2 / SHARE:
                actions = game.legal_actions()[:-1:7].astype(np.int64)
                parts = np.zeros((1 + 2 * len(actions), MAX_PLAYERS, prospects.N_PARTS))
                value_twice(views, game._games, trials, tiles, actions, rooms, parts)
                np.testing.assert_allclose(parts[1::2], parts[2::2], rtol=0, atol=1e-9)
                for action in actions:
                    there_and_back(game._games, trials, tiles, action, rooms)  # overwrites games that were played on
                    assert_same(trials[0], game.state)
                    assert_same(trials[1], game.state)
            if rng.random() < 0.5:
                game.play(int(best_answers(game._games, tiles, default_prices())[0]))
            else:
                play_on(game, rng)
