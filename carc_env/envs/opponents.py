"""Defines the opponents of an agent: bots that play the other seats."""

import math
from numbers import Real
from typing import Any

import numpy as np

from carc_env import bots
from carc_env.common.arguments import as_action, brief
from carc_env.common.errors import ArgumentError, IllegalAction
from carc_env.envs.common import Threads
from carc_env.games.game import Game
from carc_env.games.games import Games

SELF = "self"
PACKAGE_NAMES = {spec.partition(":")[0] for spec in bots.SPECS}  # the names of the package's bots, without options
Given = Any  # the argument `opponent`: a bot as in `bots.make`, a list of bots, or "self"


class Opponents:
    """The bots that play all seats except the agent's. One bot can play all these seats, each seat can have its own
    bot, or the bots can be drawn at random at every reset.

    A bot acts as if it were reseeded before each action. The bot's action therefore depends only on the game and on the
    seed of the game's bots. As a result, single and vector environments play the same games.

    Args:
        opponent: a bot (any argument that `bots.make` accepts) or a list of bots. If the list has one bot for each of
            the other seats, the bots take these seats in turn order after the agent. If the list has fewer or more
            bots, every reset draws a bot at random for each of the other seats. If the list contains pairs (bot,
            weight), every reset draws the bots with probabilities proportional to their weights. With "self", there are
            no opponents, because the agent plays all seats.
        players: the number of players.

    Raises:
        ArgumentError, BotError: for an invalid `opponent`.

    Attributes:
        bots: a tuple of the bots; with "self", the tuple is empty. Methods refer to a bot by its index in this tuple.
    """

    def __init__(self, opponent: Given, players: int):
        entries = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent]
        if not entries:
            raise ArgumentError("opponent: the list is empty; it should contain at least one bot")
        self._players = players
        if isinstance(opponent, str) and opponent == SELF:
            entries = []
        found = [_weighed(entry) for entry in entries]
        weighed = any(weight is not None for _, weight in found)
        self._is_pool = len(found) > 1 and (weighed or len(found) != players - 1)
        weights = np.array([1.0 if weight is None else weight for _, weight in found])
        self._shares = weights / weights.max() if found else weights
        self._shares /= self._shares.sum()
        self.bots = tuple(bots.make(bot) for bot, _ in found)
        self._is_own = [_is_own(bot) for bot, _ in found]  # if False, other code might share the bot and reseed it
        self._last_seed: list[int | None] = [None] * len(found)

    def draw(self, rng: np.random.Generator, seat: int) -> np.ndarray:
        """Return the index of the bot in each seat of a new game, int64[players]. The random generator is used only if
        the bots are chosen at random from a list.
        """
        numbers = np.zeros(self._players, np.int64)
        if len(self.bots) > 1:
            others = (seat + np.arange(1, self._players)) % self._players
            numbers[others] = (
                rng.choice(len(self.bots), len(others), p=self._shares) if self._is_pool else np.arange(len(others))
            )
        return numbers

    def answer(self, number: int, game: Game, seed: int) -> None:
        """Let a bot act in a game. Raises IllegalAction if the bot's action is not legal."""
        bot = self.bots[number]
        if self._last_seed[number] != seed:
            bot.reseed(seed)
            self._last_seed[number] = seed if self._is_own[number] else None
        if bot.threaded:
            game.play(bot.choose(game))
            return
        answer = bot.choose(game.clone())  # a copy, because a user's bot might change the game
        try:
            game.play(as_action(answer, game.n_actions))
        except IllegalAction as error:
            raise IllegalAction(f"{bot} returned {brief(answer)}: {error}") from None

    def answers(self, number: int, games: Games, which: np.ndarray, seeds: np.ndarray, threads: Threads) -> np.ndarray:
        """Return the actions of a bot in the games whose indices are in `which`. `seeds` holds the seeds of these
        games. Raises IllegalAction.
        """
        bot = self.bots[number]
        if bot.threaded:
            return np.concatenate(threads.share_out(lambda part, some: bot.choose_for(games, part, some), which, seeds))
        answers = bot.choose_for(games, which, seeds)
        legal = games.are_legal(answers, which)
        if not legal.all():
            wrong = legal.argmin()
            raise IllegalAction(f"game {which[wrong]}: {bot} played {answers[wrong]}, which is not legal")
        return answers


def _is_own(bot: object) -> bool:
    """True if `bot` is the spec of one of the package's own bots. For such a spec, `bots.make` makes a new bot in each
    environment. In contrast, a spec `module:object` can name a bot that several environments share.
    """
    return isinstance(bot, str) and bot.partition(":")[0] in PACKAGE_NAMES


def _weighed(entry: object) -> tuple[object, float | None]:
    """Split an entry of a list of opponents into a bot and its weight. If the entry is a bot without a weight, the
    weight is None. Raises ArgumentError.
    """
    if isinstance(entry, str) and entry == SELF:
        raise ArgumentError("opponent: 'self' cannot be in a list")
    if not isinstance(entry, (list, tuple)):
        return entry, None
    if len(entry) != 2 or not isinstance(entry[1], Real) or isinstance(entry[1], (bool, np.bool_)):
        raise ArgumentError(f"opponent: {brief(entry)} should be a bot or a pair (bot, weight)")
    if not 0 < float(entry[1]) < math.inf or isinstance(entry[0], str) and entry[0] == SELF:
        raise ArgumentError(
            f"opponent: in {brief(entry)}, the weight should be a finite number larger than 0, and the bot cannot be "
            "'self'"
        )
    return entry[0], float(entry[1])
