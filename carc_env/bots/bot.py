"""The base class of all bots: it chooses an action in one game, or in each game of a batch."""

import sys
from typing import Any, NamedTuple

import numpy as np

from carc_env.common.arguments import INT64, as_actions, brief, whole_number
from carc_env.common.errors import BotError, BotFault, IllegalAction
from carc_env.common.renamed import OldName, old_names, warn_of
from carc_env.games.game import Game
from carc_env.games.games import Games
from carc_env.rules.state import NONE
from carc_env.setup.config import GameConfig


class ActionValue(NamedTuple):
    """An action and its value according to a bot."""

    action: int  # its id
    value: float  # the margin in points that the bot expects, seen by the player asked
    error: float | None = None  # standard error of the value; None where it is not known

    @property
    def answer(self) -> int:
        """The old name of `action`."""
        warn_of("ActionValue.answer", "ActionValue.action")
        return self.action


class Bot:
    """A bot. With the same seed and the same game it plays the same action, whatever it has played before.

    A bot may use what the player who has to act may know, but never the order of the tiles in the stack. Write one of
    `choose` and `choose_batch`; the class derives the other. Raises TypeError for a class that has neither, or both.

    >>> class Patient(Bot):
    ...     def choose(self, game):
    ...         return game.legal_actions()[-1]
    >>> Patient()
    <bot Patient>
    """

    name: str  # of a player in results and messages; the class's name unless given
    threaded = False  # True: `choose_for` is compiled, so that several threads may ask for different games at a time

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "judge" in vars(cls) and "action_values" not in vars(cls):
            warn_of(f"the method judge of the bot {cls.__name__}", "action_values")
            cls.action_values = cls.judge  # type: ignore[method-assign]
        if "choose_batch" in vars(cls):  # what is inherited and plays without it would pass it over
            for name in {"_look", "choose_for", "threaded"} - set(vars(cls)):
                setattr(cls, name, getattr(Bot, name))

    def __new__(cls, *_: Any, **__: Any) -> "Bot":
        own = [method for method in ("choose", "choose_batch") if getattr(cls, method) is not getattr(Bot, method)]
        if not own:
            raise TypeError(f"the bot {cls.__name__} needs a method choose(game) or choose_batch(games)")
        if len(own) > 1:
            raise TypeError(
                f"the bot {cls.__name__} has both choose and choose_batch, own or inherited: which is it to "
                "play by? Leave one out, or play by another bot that it keeps"
            )
        bot = super().__new__(cls)
        if not hasattr(bot, "name"):
            bot.name = cls.__name__
        return bot

    def choose(self, game: Game) -> int:
        """The id of a legal action. Raises ValueError when the game is over."""
        if game.is_over:
            raise ValueError("the game is over: there is nothing to choose")
        return int(self.ask(Games.view_of(game))[0])

    def choose_batch(self, games: Games) -> np.ndarray:
        """The id of a legal action in each game, int64[n]; NONE (-1) where the game is over."""
        return self.ask(games)

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """The actions in the games numbered `which`, int64[k], each as after `reseed` with the seed of that game.

        The bot is called as in `ask`.
        """
        if type(self).reseed is Bot.reseed:  # no chance in it
            return self.ask(games, which)
        answers = np.empty(len(which), np.int64)
        for k, (i, seed) in enumerate(zip(which, seeds)):
            self.reseed(int(seed))
            answers[k] = self.ask(games, [i])[0]
        return answers

    def ask(self, games: Games, which: np.ndarray | list[int] | None = None, strict: bool = True) -> np.ndarray:
        """The actions in the games numbered `which`, or in all games, int64[k]. They are ids, but may be illegal.

        The bot gets copies of the games, so it may play in them. A result that is not an id, such as 3.0 or "pass",
        raises an IllegalAction that names the bot. If `strict` is False, it becomes NONE, which is never legal. So does
        a BotFault, which is also reported on standard error.
        """
        numbers = np.arange(len(games))
        if which is not None:
            numbers = numbers[which]
        answers = self._look(games, numbers, strict)
        try:
            return as_actions(answers, len(numbers), games.n_actions)
        except IllegalAction as error:
            if strict or isinstance(answers, str) or not hasattr(answers, "__len__") or len(answers) != len(numbers):
                raise IllegalAction(f"bot {self.name}: {error}") from None
        ids = [whole_number(answer) for answer in answers]
        return np.array([NONE if number is None or number not in INT64 else number for number in ids], np.int64)

    def _look(self, games: Games, which: np.ndarray, strict: bool) -> Any:
        """The bot's results for the games numbered `which`. Our own bots that only look at games get no copies."""
        return self._answers(games[which], strict)

    def _answers(self, games: Games, strict: bool) -> Any:
        """The bot's result for each game, whatever it is."""
        if type(self).choose_batch is not Bot.choose_batch:
            return self.choose_batch(games)
        return [NONE if over else self._answer(games.game(i), strict) for i, over in enumerate(games.is_over.tolist())]

    def _answer(self, game: Game, strict: bool) -> Any:
        """The bot's result for one game; NONE if its program fails and `strict` is False."""
        try:
            return self.choose(game)
        except BotFault as fault:
            if strict:
                raise
            print(f"carc_env: {fault}", file=sys.stderr, flush=True)
            return NONE

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """The legal actions with their values, best first. A value is the final margin in points that the bot expects
        for the player who has to act.

        The method uses `action_values`. Raises BotError if the bot cannot value actions, and ValueError when the game is over.
        """
        return [(answer, value) for answer, value, _ in self.action_values(game)]

    def action_values(self, game: Game) -> list[ActionValue]:
        """Like `analyse`, with the standard errors of the values if the bot knows them.

        A bot that can value actions implements `analyse` or `action_values`; the class derives the other.
        """
        if type(self).analyse is Bot.analyse:
            raise BotError(f"{self} cannot value actions")
        found = self.analyse(game)
        try:
            return [ActionValue(answer, value) for answer, value in found]
        except (TypeError, ValueError):
            raise BotError(
                f"{self} should return (action, value) for legal actions, best first, not {brief(found)}"
            ) from None

    judge = OldName("judge", "action_values")

    def reseed(self, seed: int) -> None:
        """Use another seed from now on. A bot that does not use chance ignores it."""

    def agent_for(self, config: GameConfig) -> str | None:
        """The name of the checkpoint that the bot uses for a configuration; None for a bot without one."""

    def __repr__(self) -> str:
        return f"<bot {self.name}>"


__getattr__ = old_names(__name__, {"Worth": "ActionValue"})
