"""The bot `greedy`, which looks ahead to the end of its own turn and plays the action with the best heuristic value. In
the code, the heuristic value of an action is called `price`. The weights of the heuristic are called `prices` (see
observing/pricing.py).
"""

from typing import Any

import numpy as np

from carc_env.bots.bot import Bot
from carc_env.boxes.layout import N_COLUMNS
from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.candidates import PRICE, candidates, room_for
from carc_env.observing.pricing import best_answers
from carc_env.observing.prospects import PRICES, default_prices
from carc_env.rules.answers import MAX_ANSWERS
from carc_env.rules.state import NONE, Kind, Phase, Spot
from carc_env.searching.rollouts import expect_points
from carc_env.searching.rollouts import room_for as room_to_search
from carc_env.setup.config import GameConfig

# For each box that a bot can avoid: the decisions in which the bot passes (`shunned_steps`), and the kinds of features
# and the spots on which the bot places no figure (`shunned_kinds`, `shunned_spots`).
LEFT_ALONE: dict[str, dict[str, int]] = {
    "ferries": {"shunned_steps": Phase.MOVE_FERRY},
    "castles": {"shunned_steps": Phase.FOUND_CASTLE},
    "abbeys": {"shunned_steps": Phase.PLACE_ABBEY},
    "shrines": {"shunned_kinds": Kind.SHRINE},
    "special_monasteries": {"shunned_spots": Spot.LYING},
    "darmstadt": {"shunned_kinds": Kind.CHURCH},
    "baba_yaga": {"shunned_kinds": Kind.HUT},
    "german_castles": {"shunned_steps": Phase.PLACE_GERMAN_CASTLE, "shunned_kinds": Kind.GERMAN_CASTLE},
    "german_cathedrals": {"shunned_kinds": Kind.GERMAN_CATHEDRAL},
}


class GreedyBot(Bot):
    """Chooses where to place the tile, the ingots and the figure of a turn. Of all combinations of these placements,
    the bot plays the one with the best heuristic value. The bot uses no random numbers.
    """

    name, threaded = "greedy", True

    def __init__(self, seed: int | None = None, prices: np.ndarray | None = None, without: str | None = None):
        """The seed has no effect. `prices` is an array with one PRICES record, and the bot uses a copy of this array.
        None means the heuristic weights of `greedy`. `without` is the name of a box in LEFT_ALONE, or None. Where
        possible, the bot avoids the pieces and features of this box. A match between `GreedyBot()` and
        `GreedyBot(without=box)` shows how much `greedy` gains from this box. Raises KeyError for an unknown box.
        """
        self.prices = default_prices() if prices is None else prices.copy()
        for name, number in LEFT_ALONE[without].items() if without else ():
            self.prices[0][name] = 1 << number

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, with the heuristic weights as bytes. Pickle does not support the record type of
        the weights if the compiler is switched off.
        """
        return self.__dict__ | {"prices": self.prices.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, prices=np.frombuffer(bytearray(state["prices"]), PRICES))

    def prices_for(self, config: GameConfig) -> np.ndarray:
        """Return the heuristic weights for a configuration, as an array with one PRICES record."""
        return self.prices

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return the bot's action in every game, as an array int64[n]. For a game that is over, the action is -1."""
        return best_answers(games.records, tile_table(), self.prices_for(games.config))

    def _look(self, games: Games, which: np.ndarray, strict: bool) -> np.ndarray:
        return best_answers(games.records, tile_table(), self.prices_for(games.config), which)

    def expect_points(self, games: Games) -> np.ndarray:
        """Return the expected final points of each player in each game, float64[n, players]. The expected points are
        the points on the scoring track plus this bot's estimate of the points to come. For a game that is over, the
        final scores are returned. The estimate uses neither the order of the stack nor the faces of face-down chips.
        """
        out = np.empty((len(games), games.config.players))
        rooms, _ = room_to_search(games.records.dtype)
        expect_points(games.records, tile_table(), self.prices_for(games.config), rooms, out)
        return out

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the legal actions with their values, best first. The value of an action is the acting player's margin
        on the scoring track plus the heuristic value of the action.
        """
        _rows, actions, values = priced(game, self.prices_for(game.config))
        # several actions can have equal values in float32; the action that the bot plays is listed before the others
        played = self.choose(game)
        found = sorted(
            zip(actions.tolist(), values.tolist()), key=lambda answer: (-answer[1], answer[0] != played, answer[0])
        )
        return [(action, round(worth, 3)) for action, worth in found]


def priced(game: Game, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three arrays with one entry for each of the k legal actions, in ascending order of the ids: the features
    (float32[k, N_COLUMNS]), the ids (int32[k]) and the values (float64[k]). The value of an action is the acting
    player's margin on the scoring track plus the heuristic value of the action.

    Raises ValueError if the game is over.
    """
    if game.is_over:
        raise ValueError("the game is over, so there is no action to choose")
    rows, actions = room_for(1, MAX_ANSWERS, N_COLUMNS)
    best = candidates(Games.view_of(game).records, np.arange(1), tile_table(), prices, rows, actions)
    scores = game.scores.tolist()
    margin = scores.pop(game.player) - max(scores)
    legal = actions[0] != NONE
    return rows[0][legal], actions[0][legal], best + margin + rows[0][legal][:, PRICE].astype(np.float64)
