"""The bot `greedy`: looks one turn ahead and plays the answer with the best price (see observing/candidates.py)."""

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

# What leaving a box alone means: questions answered by `pass`, features without figures of the bot, spots without them.
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
    """Plays the tile, ingot and figure answers that together have the best price. It has no chance in it."""

    name, threaded = "greedy", True

    def __init__(self, seed: int | None = None, prices: np.ndarray | None = None, without: str | None = None):
        """`without` names a box that the bot leaves alone wherever it may, for comparison (LEFT_ALONE)."""
        self.prices = default_prices() if prices is None else prices.copy()
        for name, number in LEFT_ALONE[without].items() if without else ():
            self.prices[0][name] = 1 << number

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which does not know the type of the record that is used where the compiler is switched off."""
        return self.__dict__ | {"prices": self.prices.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, prices=np.frombuffer(bytearray(state["prices"]), PRICES))

    def prices_for(self, config: GameConfig) -> np.ndarray:
        """The prices of a game, an array of one PRICES record."""
        return self.prices

    def choose_batch(self, games: Games) -> np.ndarray:
        """The answer for every game, int64[n]; -1 where a game is over."""
        return best_answers(games.records, tile_table(), self.prices_for(games.config))

    def _look(self, games: Games, which: np.ndarray, strict: bool) -> np.ndarray:
        return best_answers(games.records, tile_table(), self.prices_for(games.config), which)

    def expect_points(self, games: Games) -> np.ndarray:
        """The points that each player may expect in each game, float64[n, players]: those on the track and all
        prospects, at this bot's prices; what is scored where a game is over. It knows neither the order of the stack
        nor what chips show.
        """
        out = np.empty((len(games), games.config.players))
        rooms, _ = room_to_search(games.records.dtype)
        expect_points(games.records, tile_table(), self.prices_for(games.config), rooms, out)
        return out

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """The legal answers with the margin on the track and what they promise besides, best first."""
        _rows, actions, values = priced(game, self.prices_for(game.config))
        played = self.choose(game)  # the first of those that differ by less than a row can tell
        found = sorted(
            zip(actions.tolist(), values.tolist()), key=lambda answer: (-answer[1], answer[0] != played, answer[0])
        )
        return [(action, round(worth, 3)) for action, worth in found]


def priced(game: Game, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All legal answers: their rows [n, N_COLUMNS], their ids [n], and the margin on the track with what they promise
    besides [n].

    Raises ValueError when the game is over.
    """
    if game.is_over:
        raise ValueError("the game is over: there is nothing to choose")
    rows, actions = room_for(1, MAX_ANSWERS, N_COLUMNS)
    best = candidates(Games.view_of(game).records, np.arange(1), tile_table(), prices, rows, actions)
    scores = game.scores.tolist()
    margin = scores.pop(game.player) - max(scores)
    legal = actions[0] != NONE
    return rows[0][legal], actions[0][legal], best + margin + rows[0][legal][:, PRICE].astype(np.float64)
