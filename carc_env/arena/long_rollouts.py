"""Compares actions by long rollouts. In a long rollout, a bot plays all seats from the action to the end of the game.
All actions are rolled out on the same reshuffled stacks of tiles.

The value of an action is the mean final margin of its rollouts, not an estimate from an unfinished game. Reshuffling
redraws all hidden information: the order of the stack and the faces of face-down chips (see `Games.reshuffle_hidden`).
"""

import math
from dataclasses import dataclass, field

import numpy as np

from carc_env.boxes.tiles import tile_table
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.notation.events import SOURCES
from carc_env.searching.rollouts import play_turns, room_for

AT_A_TIME = 64  # the number of games that are in memory at the same time
TO_THE_END = 1 << 30  # a number of tiles that is larger than any stack


@dataclass
class Played:
    """The results of the rollouts of one action."""

    margins: np.ndarray = field(default_factory=lambda: np.empty(0))  # final margins in points, float64[n]
    own: np.ndarray = field(default_factory=lambda: np.zeros(len(SOURCES)))  # points per source, summed over stacks
    other: np.ndarray = field(default_factory=lambda: np.zeros(len(SOURCES)))  # the same sums for the best opponent


class LongRollouts:
    """Rolls out the legal actions of a position to the end of the game. All actions are rolled out on the same
    reshuffled stacks.

    Args:
        game: a Game whose current position is analysed. The Game is not changed.
        prices: the heuristic weights of the bot that plays the rollouts. The array has one record of the dtype PRICES.
        seed: the seed for shuffling the stacks. Different seeds give independent stacks.
    """

    def __init__(self, game: Game, prices: np.ndarray, seed: int):
        self.game, self.prices, self._seed = game, prices, seed
        self.played: dict[int, Played] = {int(answer): Played() for answer in game.legal_actions()}
        self._room = room_for(game.state.dtype)

    def roll_out(self, answers: list[int], stacks: int) -> None:
        """Roll out each action in `answers` on reshuffled stacks. The number of stacks is `stacks`, and all actions use
        the same stacks. Rollouts of earlier calls count towards `stacks` and are not repeated.
        """
        seeds = np.random.default_rng([self._seed, 1]).integers(2**63, size=stacks)
        for answer in answers:
            done = len(self.played[answer].margins)
            for first in range(done, stacks, AT_A_TIME):
                self._roll_out(answer, seeds[first : min(first + AT_A_TIME, stacks)])

    def _roll_out(self, answer: int, seeds: np.ndarray) -> None:
        games = Games.view_of(self.game)[[0] * len(seeds)]
        games.reshuffle_hidden(seeds)
        games.step([answer] * len(seeds))
        play_turns(games.records, tile_table(), self.prices, *self._room, TO_THE_END)
        played, me = self.played[answer], int(self.game.state["player"])
        scores = games.scores.astype(np.int64)
        others = scores.copy()
        others[:, me] = np.iinfo(np.int64).min
        best, rows = others.argmax(1), np.arange(len(seeds))
        played.margins = np.append(played.margins, scores[:, me] - scores[rows, best])
        points = np.stack([of for of in games.final_scores().values()], 2)  # [game, player, source]
        played.own += points[:, me].sum(0)
        played.other += points[rows, best].sum(0)

    def mean(self, answer: int) -> float:
        """Return the mean final margin over all rollouts of an action."""
        return float(self.played[answer].margins.mean())

    def gain(self, answer: int, over: int) -> tuple[float, float]:
        """Return the gain of one action over another, and the standard error of this gain, in points. The gain is the
        mean difference between the final margins after the two actions. The gain is computed only from stacks on which
        both actions were rolled out.
        """
        mine, other = self.played[answer].margins, self.played[over].margins
        n = min(len(mine), len(other))
        gains = mine[:n] - other[:n]
        return float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(n)) if n > 1 else math.inf

    def sources(self, answer: int) -> tuple[dict[str, float], dict[str, float]]:
        """Return two dicts with the mean final points from each source of points, such as cities. The first dict is for
        the player who has to act. The second dict is for the best opponent. In each rollout, the best opponent is the
        opponent with the highest final score.
        """
        played = self.played[answer]
        n = len(played.margins)
        return dict(zip(SOURCES, (played.own / n).tolist())), dict(zip(SOURCES, (played.other / n).tolist()))
