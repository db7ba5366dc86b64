"""The base class of all bots. A bot chooses an action in one game, or in each game of a batch."""

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
    """An action and the value that a bot assigns to it."""

    action: int  # the id of the action
    value: float  # the final margin in points that the bot expects for the player who has to act
    error: float | None = None  # standard error of the value; None if it is not known

    @property
    def answer(self) -> int:
        """A deprecated alias of `action`."""
        warn_of("ActionValue.answer", "ActionValue.action")
        return self.action


class Bot:
    """The base class of all bots. Unless a bot has a time budget, it returns the same action for the same seed and the
    same game, regardless of earlier calls.

    A bot may use all information that the acting player has. A bot must not use the order of the tiles in the stack. A
    subclass implements either `choose` or `choose_batch`, and inherits the other method. If a class implements both
    `choose` and `choose_batch`, or neither of them, creating an instance raises TypeError.

    >>> class Patient(Bot):
    ...     def choose(self, game):
    ...         return game.legal_actions()[-1]
    >>> Patient()
    <bot Patient>
    """

    name: str  # shown in results and messages; by default the name of the class
    threaded = False  # True: `choose_for` is compiled, so several threads may call it for different games at once

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "judge" in vars(cls) and "action_values" not in vars(cls):
            warn_of(f"the method judge of the bot {cls.__name__}", "action_values")
            cls.action_values = cls.judge  # type: ignore[method-assign]
        if "choose_batch" in vars(cls):  # inherited methods would bypass the new choose_batch
            for name in {"_look", "choose_for", "threaded"} - set(vars(cls)):
                setattr(cls, name, getattr(Bot, name))

    def __new__(cls, *_: Any, **__: Any) -> "Bot":
        own = [method for method in ("choose", "choose_batch") if getattr(cls, method) is not getattr(Bot, method)]
        if not own:
            raise TypeError(f"the bot {cls.__name__} needs a method choose(game) or choose_batch(games)")
        if len(own) > 1:
            raise TypeError(
                f"the bot {cls.__name__} has both methods choose and choose_batch, defined or inherited. Remove one of "
                "them. To use another bot, store that bot in an attribute; do not inherit from its class"
            )
        bot = super().__new__(cls)
        if not hasattr(bot, "name"):
            bot.name = cls.__name__
        return bot

    def choose(self, game: Game) -> int:
        """Return the id of a legal action. Raises ValueError if the game is over."""
        if game.is_over:
            raise ValueError("the game is over, so there is no action to choose")
        return int(self.ask(Games.view_of(game))[0])

    def choose_batch(self, games: Games) -> np.ndarray:
        """Return the id of a legal action for each game, as an array int64[n]. For a game that is over, the id is NONE
        (-1).
        """
        return self.ask(games)

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return an action for each game whose index is in `which`, as an array int64[k]. `seeds` contains one seed for
        each of these games. Before the bot chooses an action in a game, it is reseeded with the seed for this game.

        The docstring of `ask` describes how the bot is called.
        """
        if type(self).reseed is Bot.reseed:  # the bot uses no random numbers
            return self.ask(games, which)
        answers = np.empty(len(which), np.int64)
        for k, (i, seed) in enumerate(zip(which, seeds)):
            self.reseed(int(seed))
            answers[k] = self.ask(games, [i])[0]
        return answers

    def ask(self, games: Games, which: np.ndarray | list[int] | None = None, strict: bool = True) -> np.ndarray:
        """Return the bot's action in each game whose index is in `which`, as an array int64[k]. If `which` is None,
        return the bot's action in every game. This method does not check whether the actions are legal.

        The bot receives copies of the games, so it may play actions on these copies. If a bot returns a value that is
        not an id, such as 3.0 or "pass", `ask` raises IllegalAction with the bot's name in the message. With
        `strict=False`, a value that is not an id becomes NONE, which is never legal. If `choose` raises BotFault and
        `strict` is False, the action also becomes NONE, and the message of the BotFault is printed on standard error. A
        BotFault that `choose_batch` raises always propagates to the caller.
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
        """Return the bot's unchecked actions in the games whose indices are in `which`. The games are copied first,
        because a bot may play actions on them. Some bots of this package never change a game, so they override this
        method to avoid the copies.
        """
        return self._answers(games[which], strict)

    def _answers(self, games: Games, strict: bool) -> Any:
        """Return the bot's action for each game, without checking it."""
        if type(self).choose_batch is not Bot.choose_batch:
            return self.choose_batch(games)
        return [NONE if over else self._answer(games.game(i), strict) for i, over in enumerate(games.is_over.tolist())]

    def _answer(self, game: Game, strict: bool) -> Any:
        """Return the bot's action in one game. If the bot raises BotFault and `strict` is False, return NONE."""
        try:
            return self.choose(game)
        except BotFault as fault:
            if strict:
                raise
            print(f"carc_env: {fault}", file=sys.stderr, flush=True)
            return NONE

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the legal actions with their values, best first. The value of an action is the final margin, in
        points, that the bot expects for the acting player.

        By default, the values come from the method `action_values`. Raises BotError if the bot cannot assign values to
        actions. Raises ValueError if the game is over.
        """
        return [(answer, value) for answer, value, _ in self.action_values(game)]

    def action_values(self, game: Game) -> list[ActionValue]:
        """Return the same actions and values as `analyse`, and the standard error of each value. A standard error that
        is not known is None.

        A bot that can assign values to actions implements either `analyse` or `action_values`, and inherits the other
        method.
        """
        if type(self).analyse is Bot.analyse:
            raise BotError(f"{self} cannot compute values of actions")
        found = self.analyse(game)
        try:
            return [ActionValue(answer, value) for answer, value in found]
        except (TypeError, ValueError):
            raise BotError(
                f"{self} should return a list of (action, value) for legal actions, not {brief(found)}"
            ) from None

    def action_values_with(self, game: Game, action: int) -> list[ActionValue]:
        """Like `action_values`, but the result should also contain the legal action `action`. By default, `action` is
        ignored. A bot that tries only promising actions can override this method so that the bot also tries `action`.
        """
        return self.action_values(game)

    judge = OldName("judge", "action_values")

    def reseed(self, seed: int) -> None:
        """Set the seed for all further random choices. A bot that uses no random numbers ignores the seed."""

    def agent_for(self, config: GameConfig) -> str | None:
        """Return the name of the bot's checkpoint for a configuration. Return None if the bot uses no checkpoint."""

    def __repr__(self) -> str:
        return f"<bot {self.name}>"


__getattr__ = old_names(__name__, {"Worth": "ActionValue"})
