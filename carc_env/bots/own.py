"""Convert a user's own bot to a Bot. The user's bot may be a function, an object with a method `choose`, or a class
with this method.

Nothing is hidden from a user's bot: the bot has access to the whole Game and runs like any other code in the process.
"""

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

from carc_env.bots.bot import ActionValue, Bot
from carc_env.common.arguments import brief
from carc_env.common.errors import BotError
from carc_env.common.renamed import warn_of
from carc_env.games.game import Game

WHAT = "a bot is a Bot, a function game -> action, or an object with a method choose(game)"


class FunctionBot(Bot):
    """A bot made from a function that takes a game and returns the id of an action."""

    def __init__(self, function: Callable[[Game], int], name: str):
        self.name, self._function = name, function

    def choose(self, game: Game) -> int:
        """Call the function and return its result. Raises ValueError if the game is over."""
        if game.is_over:
            raise ValueError("the game is over, so there is no action to choose")
        return self._function(game)


class ObjectBot(FunctionBot):
    """A bot made from an object with a method `choose(game)`. The object may also have `reseed(seed)`, `analyse(game)`
    and `action_values(game)`.
    """

    def __init__(self, player: Any, name: str):
        super().__init__(player.choose, name)
        self._player, self._values = player, values_method(player)

    def reseed(self, seed: int) -> None:
        """Pass a new seed to the object if it has a method `reseed`."""
        if callable(getattr(self._player, "reseed", None)):
            self._player.reseed(seed)

    def analyse(self, game: Game) -> list[tuple[int, float]]:
        """Return the legal actions with the values that the object assigns to these actions. Raises BotError if the
        object cannot compute values of actions.
        """
        if not callable(getattr(self._player, "analyse", None)):
            if self._values is None:
                raise BotError(f"{self} cannot compute values of actions")
            return super().analyse(game)
        found: list[tuple[int, float]] = self._player.analyse(game)
        return found

    def action_values(self, game: Game) -> list[ActionValue]:
        """Return the same actions and values as `analyse`, with standard errors if the object has `action_values`."""
        if self._values is None:
            return super().action_values(game)
        return [ActionValue(*value) for value in self._values(game)]


def values_method(player: Any) -> Callable[[Game], list[Any]] | None:
    """Return the method `action_values` of an object. If there is no such method, return the method `judge` (the old
    name of `action_values`). If there is neither, return None.
    """
    for name in ("action_values", "judge"):
        method = getattr(player, name, None)
        if callable(method):
            if name == "judge":
                warn_of(f"the method judge of {brief(player)}", "action_values", stacklevel=4)
            found: Callable[[Game], list[Any]] = method
            return found
    return None


def is_named(spec: str) -> bool:
    """Return True if a string has the form `module:Class`."""
    module, _, name = spec.partition(":")
    return all(word.isidentifier() for word in module.split(".")) and all(
        word.isidentifier() for word in name.split(".")
    )


def load(spec: str, seed: int | None) -> Bot:
    """Return the bot for a spec of the form `module:name`. Here, `name` is a class, a function or an object in the
    module. Raises BotError if the module has no such name.
    """
    module_name, _, name = spec.partition(":")
    found = import_module(module_name, spec)
    for word in name.split("."):
        if not hasattr(found, word):
            raise BotError(f"bot {spec!r}: the module {module_name} has no {name}")
        found = getattr(found, word)
    return wrap(found, seed, spec)


def import_module(name: str, spec: str) -> Any:
    """Import a module. The module can also be in the current folder, as with `python -m`. Raises BotError if the module
    cannot be imported.
    """
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()  # without this call, Python can overlook a new file
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise BotError(
                f"bot {spec!r}: there is no module {error.name!r} in the current folder, and none is installed"
            ) from None
        raise BotError(
            f"bot {spec!r}: the module {name} needs the module {error.name}, which is not installed"
        ) from error
    except Exception as error:
        raise BotError(f"bot {spec!r}: importing the module {name} raised {said(error)}") from error


def wrap(thing: Any, seed: int | None, spec: str) -> Bot:
    """Make a Bot from a class, a function or an object. Raises BotError for an object that cannot be used as a bot.
    The message quotes `spec`.
    """
    name = getattr(thing, "__name__", type(thing).__name__)
    if isinstance(thing, type):
        thing = built(thing, seed, spec)
    if isinstance(thing, Bot):
        return thing
    choose = getattr(thing, "choose", thing)
    if not callable(choose):
        raise BotError(f"bot {spec}: {brief(thing)} is not a bot; {WHAT}")
    try:
        inspect.signature(choose).bind(None)
    except TypeError as error:
        raise BotError(
            f"bot {spec}: {name} cannot be called with a game as its only argument ({error}); {WHAT}"
        ) from None
    except ValueError:  # `choose` is a compiled function without a signature
        pass
    name = getattr(thing, "name", name)
    if not isinstance(name, str):
        raise BotError(f"bot {spec}: the attribute 'name' of the bot should be a string, not {brief(name)}")
    has_more = choose is not thing and any(
        callable(getattr(thing, more, None)) for more in ("reseed", "analyse", "action_values", "judge")
    )
    return ObjectBot(thing, name) if has_more else FunctionBot(choose, name)


def built(cls: type, seed: int | None, spec: str) -> Any:
    """Return an instance of a class. If the constructor has an argument `seed`, the constructor receives the seed.
    Otherwise, if the instance has a method `reseed`, this method receives the seed. Raises BotError if the constructor
    fails.
    """
    try:
        takes_seed = "seed" in inspect.signature(cls.__init__).parameters  # type: ignore[misc]
        made = cls(seed=seed) if takes_seed else cls()
        if seed is not None and not takes_seed and callable(getattr(made, "reseed", None)):
            made.reseed(seed)
    except Exception as error:
        raise BotError(f"bot {spec}: creating a bot from {cls.__name__} raised {said(error)}") from error
    return made


def said(error: Exception) -> str:
    """Return the type and the message of an exception as a string."""
    return f"{type(error).__name__}: {error}"
