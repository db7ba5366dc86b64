"""Lists the roads, cities, fields and buildings on the table. Each entry gives the owners of a feature, and the points
that each player would score for the feature now.
"""

from typing import Any

from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.notation.placed import Feature
from carc_env.rules.expansions.traders_and_builders import has_pig, pig_points
from carc_env.rules.features import is_complete
from carc_env.rules.scoring import owners, points
from carc_env.rules.state import Kind
from carc_env.web.answer_places import Board


def features_view(game: Game) -> list[dict[str, Any]]:
    """Return all features as dicts for JSON.

    The dict of a feature has these keys:

    - `kind`: the kind of feature;
    - `owners`: the players with the majority;
    - `places`: [x, y, spot] of each segment;
    - `points`: the coordinates of each segment on the board;
    - `strength`: for each player, the total strength of the player's followers;
    - `worth`: the points for the feature if it were scored now;
    - `each`: for each player, the points that the player would score for the feature now;
    - `complete`: True if the feature is complete;
    - `tiles`: the number of tiles of the feature;
    - `open`: how many open ends the feature has, or how many empty squares are around it, as in
      carc_env.notation.placed.Feature.
    """
    table = Board(game.board())
    return [_view(game, number, feature, table) for number, feature in zip(numbers(game), game.features(), strict=True)]


def numbers(game: Game) -> list[int]:
    """Return the indices of the features in the game state, in the order of `Game.features`."""
    state = game.state
    found = dict.fromkeys(state["segments"]["feature"][: int(state["n_segments"])].tolist())
    shown = int(state["kinds"]) | 1 << Kind.GARDEN
    return [number for number in found if shown >> int(state["features"]["kind"][number]) & 1]


def _view(game: Game, number: int, feature: Feature, table: Board) -> dict[str, Any]:
    state, tiles = game.state, tile_table()[0]
    worth = int(points(state, tiles, number, bool(is_complete(state, number))))
    having = [player for player in range(game.players) if int(owners(state, number)) >> player & 1]
    each = [
        worth + _pig(game, player, number, feature.kind) if player in having else 0 for player in range(game.players)
    ]
    # segments that are printed on a map sheet belong to no tile, and are left out
    shown = [(x, y, spot) for x, y, spot in feature.segments if (x, y) in table.on]
    anchors = [[round(value, 1) for value in table.point(x, y, feature.kind, spot)] for x, y, spot in shown]
    return {
        "kind": feature.kind,
        "places": [list(place) for place in shown],
        "points": anchors,
        "owners": having,
        "strength": list(feature.strength),
        "worth": worth,
        "each": each,
        "complete": feature.is_complete,
        "tiles": feature.tiles,
        "open": feature.open,
    }


def _pig(game: Game, player: int, number: int, kind: str) -> int:
    """Return how many points a player's pig adds to a field."""
    if kind != "field" or not has_pig(game.state, player, number):
        return 0
    return int(pig_points(game.state, tile_table()[0], number))
