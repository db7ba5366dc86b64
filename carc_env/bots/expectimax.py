"""The bot `expectimax`, which looks ahead over its own turn and the next turns, and assumes that all players choose the
best actions. The value of an action is an average over all tile types that can be drawn next.

See `searching/expectimax.py`. If chips lie face down, the search is repeated several times. Each repetition draws
random faces for the face-down chips. The random faces depend only on the seed and the position.
"""

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from carc_env.bots.bot import ActionValue, Bot
from carc_env.bots.options import Option, read_options
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import seed_words
from carc_env.common.errors import BotError
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.observing.keen import keen_prices
from carc_env.rules.state import NONE
from carc_env.searching.expectimax import DEEPEST, WIDEST, room_for, search

DRAWS = 4  # the default of `draws` if chips lie face down
OPTIONS = {"depth": Option(int, 1, DEEPEST), "width": Option(int, 1, WIDEST), "draws": Option(int, 1, 1000)}


@dataclass(frozen=True)
class Weighed:
    """The result of a search."""

    answers: np.ndarray  # ids of the actions that were tried, int64[k], sorted by heuristic value, best first
    values: np.ndarray  # the expected final margin in points after each action, float64[k]
    best: int  # index of the best action
    turns: int  # the number of tiles that the search drew, summed over all branches of the tree


class ExpectimaxBot(Bot):
    """Plays the action with the best mean value over all tile types that can be drawn next.

    Args:
        seed: integer from 0 to 2**64 - 1, for the random faces of hidden chips. None means 0.
        depth: the number of turns that the bot looks ahead after its own turn.
        width: the maximum number of actions that are tried at each decision. The actions with the best heuristic values
            are tried.
        draws: the number of searches for each decision. Each search draws new faces for the hidden chips. The default
            is DRAWS if chips lie face down, and 1 otherwise.
        prunes: whether to skip branches that cannot change the result. Set `prunes` to False only to compare searches
            with and without pruning.

    Raises BotError if an argument is invalid.
    """

    def __init__(
        self, seed: int | None = None, depth: int = 1, width: int = 8, draws: int | None = None, prunes: bool = True
    ):
        for name, number in (("depth", depth), ("width", width), ("draws", 1 if draws is None else draws)):
            if OPTIONS[name].read(str(number)) is None:
                raise BotError(f"expectimax: {name} = {number!r} should be {OPTIONS[name]}")
        self.depth, self.width, self.draws, self.prunes = depth, width, draws, prunes
        self.name = "expectimax" if depth == 1 else f"expectimax:{depth}"
        self._prices = keen_prices()
        self._rooms: dict[np.dtype, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._lock = threading.Lock()  # several threads can use the same bot at the same time
        self.reseed(0 if seed is None else seed)

    @classmethod
    def named(cls, spec: str, seed: int | None) -> "ExpectimaxBot":
        """Return the bot for a spec such as `expectimax:2` or `expectimax:depth=2,width=4`. Raises BotError for an
        unknown option.
        """
        name, _, text = spec.partition(":")
        bot = cls(seed, **read_options(f"{name}:depth={text}" if text.isdigit() else spec, OPTIONS))
        bot.name = spec
        return bot

    def reseed(self, seed: int) -> None:
        """Set the seed for all further random choices. The seed is an integer from 0 to 2**64 - 1."""
        self._seed = seed_words([seed])[0]

    def choose(self, game: Game) -> int:
        """Return the action with the best mean value. Raises ValueError if the game is over."""
        found = self.search(game)
        return int(found.answers[found.best])

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the actions that were tried, best first, each with its expected final margin in points."""
        return [(action, value) for action, value, _ in self.action_values_with(game, NONE)]

    def action_values_with(self, game: Game, action: int) -> list[ActionValue]:
        """Like `action_values`, but the bot also tries `action`, even if its heuristic value is low."""
        found = self.search(game, every=True, also=action)
        order = np.argsort(-found.values, kind="stable")
        return [ActionValue(int(found.answers[k]), round(float(found.values[k]), 3)) for k in order]

    def search(self, game: Game, every: bool = False, also: int = NONE) -> Weighed:
        """Search the position, and return the values of the actions that were tried. `also` is NONE, or a legal action
        that is tried even if its heuristic value is low. Raises ValueError if the game is over.

        If `every` is True, all returned values are exact. If `every` is False, a single search with pruning returns an
        exact value only for the best action. The other values are then upper bounds.
        """
        if game.is_over:
            raise ValueError("the game is over, so there is no action to choose")
        with self._lock:
            return self._searched(Games.view_of(game).records, every, also)

    def _searched(self, records: np.ndarray, every: bool, also: int) -> Weighed:
        """Search from the position of the game in records[0]."""
        chips, tiles = records["board"]["chip"], records["board"]["tile"]
        draws = self.draws or (DRAWS if ((chips != NONE) & (tiles == NONE)).any() else 1)
        room, trees, trials = self._room(records.dtype)
        tree = trees[0]
        tree["depth"], tree["width"], tree["turns"], tree["also"] = self.depth, self.width, 0, also
        values: Any = 0.0
        for number in range(draws):
            tree["prunes"], tree["every"] = self.prunes, every or draws > 1
            search(records, tile_table(), self._prices, room, trees, trials, self._seed, number)
            first = tree["levels"][0]
            n = int(first["n_answers"])
            values = values + first["values"][:n] / draws
        answers = first["answers"]["answer"][:n].copy()
        return Weighed(answers, values, int(np.argmax(values)), int(tree["turns"]))

    def _room(self, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the working memory for game states with the dtype `dtype`."""
        if dtype not in self._rooms:
            self._rooms[dtype] = room_for(dtype, self.depth)
        return self._rooms[dtype]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling and copying, without the working memory and the heuristic weights. A copy
        creates its own working memory and its own heuristic weights.
        """
        kept = ("depth", "width", "draws", "prunes", "name", "_seed")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _prices=keen_prices(), _rooms={}, _lock=threading.Lock())
