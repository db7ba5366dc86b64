"""Defines the actions for castles. The action `castle 2,3 E` founds a castle. An action with the word `scores` chooses
a completed feature, and the castle scores the points of this feature. Examples are `castle 2,3 E scores road 4,5 N`,
`castle 2,3 E scores monastery 4,5` and `castle 2,3 E scores castle 2,5 S`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carc_env.boxes.tiles import BUILDINGS, SIDES, SPOTS, WORDS, tile_table
from carc_env.common.errors import NotationError
from carc_env.rules.answers import castle_answer, castle_of
from carc_env.rules.double_tiles import own_spot, own_square
from carc_env.rules.expansions.castles import EAST, SOUTH, answer_for, feature_of
from carc_env.rules.features import is_built
from carc_env.rules.scoring import first_of
from carc_env.rules.state import MAX_CASTLES, NONE, Phase
from carc_env.systems.castles.signs import PIECES, SIGNS, castle
from carc_env.systems.system import CELL, Form, Item, Letters, Makings, Question, Scene, System
from carc_env.systems.where import COMPASS, EDGE_MIDDLES, OnFeature, OnPoint, spot_in_words

CASTLE = rf"castle {CELL} ([{SIDES[EAST]}{SIDES[SOUTH]}])"
# the kinds of features that a castle can score
SCORED = tuple(word for word in dict.fromkeys(WORDS) if word != "field")


def tokens(config: Any) -> int:
    """The number of castle tokens that each player receives at the start."""
    return min(3, MAX_CASTLES // config.players) if Castles.box in config.boxes else 0


class FoundCastle(Question):
    """The decision whether to convert a small city into a castle. If a tile completed several small cities, the player
    may choose which one.
    """

    asked = "may found a castle"
    why = (
        "A small city was completed. Instead of scoring it, you may convert it into a castle. The castle's lord then "
        "scores the first feature that is completed around the castle, even if the feature belongs to another player."
    )
    passing = "do not found a castle"

    def __init__(self) -> None:
        self.forms = (Form(CASTLE, self._read, "no castle is to be founded now"),)

    def example(self, scene: Scene) -> str:
        return "a castle such as 'castle 2,3 E', or 'pass'"

    def write(self, scene: Scene, action: int) -> str:
        cell, side = castle_of(scene.size, action)
        return f"castle {scene.where(cell)} {SIDES[side]}"

    def place(self, scene: Scene, action: int) -> OnPoint:
        cell, side = castle_of(scene.size, action)
        return OnPoint(EDGE_MIDDLES[SIDES[side]], scene.at(cell), sign="castle-token", scale=0.42)

    def in_words(self, scene: Scene, action: int) -> str:
        cell, side = castle_of(scene.size, action)
        return f"castle on {scene.where(cell)} and the tile to the {COMPASS[SIDES[side]]}"

    def _read(self, scene: Scene, x: str, y: str, side: str) -> int:
        return castle_answer(scene.size, scene.cell(x, y), SIDES.index(side))

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return f"player {scene.player} founds a castle in a small city just completed, or none: {legal()}"


class CastleScore(Question):
    """The decision about which feature a castle scores. The player chooses one of the features that were just
    completed.
    """

    asked = "chooses what a castle scores"
    why = (
        "Several features were completed around a castle. The castle's lord scores one of them, even if it belongs to "
        "another player."
    )

    def __init__(self) -> None:
        self.forms = (
            Form(rf"{CASTLE} scores ({'|'.join(SCORED)}) {CELL}(?: (\S+))?", self._read, "no castle scores now"),
        )

    def example(self, scene: Scene) -> str:
        return f"what it scores, such as '{self._name(scene, self._asked(scene))} scores road 4,5 N'"

    def spot(self, scene: Scene, action: int) -> int:
        return int(scene.game["systems"]["castles"]["scoring"])

    def write(self, scene: Scene, action: int) -> str:
        kind, cell, spot = self._feature(scene, action)
        return (
            f"{self._name(scene, self._scoring(scene))} scores {kind} {scene.where(cell)}{f' {spot}' if spot else ''}"
        )

    def place(self, scene: Scene, action: int) -> OnPoint | OnFeature:
        kind, cell, spot = self._feature(scene, action)
        if kind == "castle" and spot:
            return OnPoint(EDGE_MIDDLES[spot], scene.at(cell), sign="castle-token", scale=0.42)
        return OnFeature(kind, spot, scene.at(cell), sign="castle-token", scale=0.42)

    def in_words(self, scene: Scene, action: int) -> str:
        kind, cell, spot = self._feature(scene, action)
        castle = scene.where(self._cell(scene, self._scoring(scene)))
        return (
            f"castle on {castle} scores the {kind} on {scene.where(cell)}{f' ({spot_in_words(spot)})' if spot else ''}"
        )

    def _asked(self, scene: Scene) -> np.record:
        return scene.game["systems"]["castles"]["built"][scene.game["systems"]["castles"]["scoring"]]

    def _scoring(self, scene: Scene) -> np.record:
        """Return the castle that scores the feature chosen by an action."""
        return scene.game["systems"]["castles"]["built"][scene.spot]

    def _cell(self, scene: Scene, castle: np.record) -> int:
        return int(scene.game["segments"]["cell"][castle["node"]])

    def _name(self, scene: Scene, castle: np.record) -> str:
        return f"castle {scene.where(self._cell(scene, castle))} {SIDES[castle['side']]}"

    def _feature(self, scene: Scene, action: int) -> tuple[str, int, str | None]:
        """Return three values for the feature that `action` chooses: its kind, and the cell and the spot of its first
        segment. For a building, the spot is None.
        """
        castle, tiles = self._scoring(scene), tile_table()[0]
        node = int(castle["scored"])
        if node == NONE:
            node = int(first_of(scene.game, tiles, feature_of(scene.game, tiles, castle, action)))
        cell = int(own_square(scene.game, tiles, node))
        kind = int(scene.game["features"]["kind"][scene.game["segments"]["feature"][node]])
        tile, rotation = scene.facts(cell)
        spot = SPOTS[own_spot(tile["spot"][rotation, node - scene.game["board"]["first_segment"][cell]])]
        return WORDS[kind], cell, None if is_built(kind) else spot

    def _read(
        self, scene: Scene, x: str, y: str, side: str, kind: str, other_x: str, other_y: str, spot: str | None
    ) -> int:
        castle = self._asked(scene)
        if (asked := self._name(scene, castle)) != f"castle {int(x)},{int(y)} {side}":
            raise NotationError(
                f"castle {int(x)},{int(y)} {side} is not scoring now; the castle that scores is {asked}"
            )
        feature = self._find(scene, scene.cell(other_x, other_y), kind, spot)
        where = f"{kind} {int(other_x)},{int(other_y)}{f' {spot}' if spot else ''}"
        if feature == NONE:
            raise NotationError(f"there is no {where}")
        action = int(answer_for(scene.game, tile_table()[0], castle, feature))
        if action == NONE:
            raise NotationError(f"{where} is on none of the six tiles in the vicinity of {asked}")
        return action

    def _find(self, scene: Scene, cell: int, kind: str, spot: str | None) -> int:
        """Find the feature of the given kind at a spot of the tile on a cell. For a building, such as a monastery,
        `spot` can be None. Returns NONE if there is no feature of this kind at the spot.
        """
        if scene.game["board"]["tile"][cell] == NONE:
            return NONE
        spots = next((names for names in BUILDINGS.values() if kind in names and spot in (None, *names)), (spot,))
        for place in spots:
            number = scene.segment_at(cell, SPOTS.index(place)) if place in SPOTS else NONE
            if number != NONE:
                feature = int(scene.game["segments"]["feature"][scene.game["board"]["first_segment"][cell] + number])
                if WORDS[scene.game["features"]["kind"][feature]] == kind:
                    return feature
        return NONE

    def why_not(self, scene: Scene, action: int, legal: Callable[[], str]) -> str:
        return f"player {scene.player} chooses one of the features just completed: {legal()}"


class Castles(System):
    """Castles."""

    box = "castles"
    signs = SIGNS
    pieces = PIECES
    choices = 2
    layer = "castles"
    lying_key = "@ castle of a player"
    line = "pieces"
    questions = {Phase.FOUND_CASTLE: FoundCastle(), Phase.CASTLE_SCORE: CastleScore()}
    answers = {
        "choose_cell": "Castles: found a castle on a tile and its eastern (choice 0) or southern (choice 1) neighbour",
        "castle_score": "choose the completed feature whose points the lord of a castle scores. The action names one "
        "of the six tiles in the castle's vicinity, and a spot of the feature on this tile. The tiles in the vicinity "
        "are numbered row by row. The plane `choice` marks the castle",
    }

    def set_up(self, game: np.record, config: Any) -> None:
        """Give the players their castle tokens, and record that no castle is about to score."""
        game["systems"]["castles"]["tokens"][: config.players] = tokens(config)
        game["systems"]["castles"]["scoring"] = NONE

    def hand(self, game: Any, player: int) -> str:
        return f"  {int(game.castle_tokens[player])} castles"

    def on_card(self, game: Any, player: int) -> Sequence[Item]:
        tokens = int(game.castle_tokens[player])
        return [Item("castle-token", "castle-tokens", tokens, half=11, scale=0.42, name="castles")]

    def lying(self, game: Any, board: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        """Return the castle tokens on the table."""
        return list(game.castles)

    def draw(self, x: int, y: int, *what: Any) -> str:
        """Draw the castle token in the colour of its player. If the lord has left, the gate is closed."""
        return castle(x, y, *what)

    def letters(self, *what: Any) -> Letters:
        """Return the symbol of a castle for the board in text form. The symbol stands on the edge between the castle's
        two squares.
        """
        side, player, _ = what
        return Letters(EDGE_MIDDLES[side], "@", player=player)

    def call_compiled(self, game: Any, tiles: np.record, cell: int) -> None:
        if self.is_in_play(game.config):
            castle = game.state["systems"]["castles"]["built"][0]
            feature_of(game.state, tiles, castle, answer_for(game.state, tiles, castle, 0))

    def most_answers(self, makings: Makings) -> int:
        """Return an upper limit for the number of decisions about castles. For each small city, there is at most one
        decision about whether to convert it into a castle. For each castle, there is at most one decision about which
        feature it scores.
        """
        semicircles = sum(
            segment.kind == "city" and len(segment.spots) == 1 and "not a semicircle" not in segment.marks
            for kind in makings.tiles
            for segment in kind.segments
        )
        return semicircles // 2 + min(semicircles // 2, MAX_CASTLES)

    def most_completed(self, makings: Makings) -> int:
        """Return an upper limit for the number of castles that score in one turn. The limit is the number of all castle
        tokens, because each castle scores at most once.
        """
        return tokens(makings.config) * makings.config.players

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points that one player scores with castles. The limit assumes that each of the
        player's castles scores the total points of all features in the game.
        """
        return tokens(makings.config) * once
