"""Contains the bots of the package.

The function `make` makes a bot from a spec, which is a short string such as `greedy`.

| spec | player |
|---|---|
| `random` | plays a random legal action |
| `greedy` | looks ahead to the end of its own turn, and plays the action with the best heuristic value (an estimate in points) |
| `keen` | plays like `greedy`, but with tuned heuristic weights |
| `learned` | plays like `keen`, but adds the output of a value network to the heuristic value |
| `learned:<name>` | plays like `learned`, but with the value network of the checkpoint `<name>`. The name refers to a checkpoint of the package, or to a file |
| `expectimax:N` | looks ahead to the end of its own turn and of the next N turns (default: 1). Plays the action with the best mean value over all tile types that may be drawn |
| `rollout:playouts=N`, `rollout:ms=N` | tries promising actions in rollouts on reshuffled stacks and plays the best one. The budget per decision is N rollouts or N milliseconds (default: 50 ms) |
| `mcts:playouts=N`, `mcts:ms=N` | Monte Carlo tree search on reshuffled stacks. The budget per decision is N playouts or N milliseconds (default: 1,000 playouts) |
| `level:1` to `level:6` | opponents for people, from a beginner to the strongest bot that takes at most one second per action |
| `ppo` | the package's trained agent for the preset of the game |
| `ppo:<name>` | the trained agent of the checkpoint `<name>`. The name refers to a checkpoint of the package, or to a file |
| `cmd:<program with arguments>` | a program that speaks the [bot protocol](docs/protocol.md) |
| `<module>:<Class>` | your own bot: a class, a function or an object in a Python module |
"""

import importlib
from typing import Any

from carc_env.bots.bot import ActionValue, Bot
from carc_env.common.arguments import as_seed, brief
from carc_env.common.errors import BotError
from carc_env.common.renamed import old_names

SPECS = (
    "random",
    "greedy",
    "keen",
    "learned",
    "learned:<checkpoint>",
    "expectimax:N",
    "rollout:playouts=N",
    "rollout:ms=N",
    "mcts:playouts=N",
    "mcts:ms=N",
    "level:N",
    "ppo",
    "ppo:<checkpoint>",
    "cmd:<program>",
    "<module>:<Class>",
)

# Each dict maps the name of a bot to the name of the bot's class. The module that defines the class has the same name
# as the bot. Of these bots, only those in WITH_OPTIONS can have options in their specs.
PLAIN = {"random": "RandomBot", "greedy": "GreedyBot", "keen": "KeenBot"}
WITH_OPTIONS = {"expectimax": "ExpectimaxBot", "rollout": "RolloutBot", "mcts": "MctsBot"}


def make(spec: object, seed: int | None = None) -> Bot:
    """Return the bot that `spec` describes.

    Args:
        spec: a string from the table above, a function `game -> action`, an object with a method `choose(game)`, a
            class with this method, or a Bot. If `spec` is a Bot, it is returned unchanged.
        seed: integer from 0 to 2**64 - 1, for bots that use random numbers. If `spec` is a class whose constructor has
            an argument `seed`, the constructor receives the seed. Otherwise, the method `reseed` of the new object
            receives the seed, if the class has this method. A program (`cmd:...`), a function and an object receive no
            seed.

    Raises:
        BotError: if no bot can be made from `spec`.
        CheckpointError: if `spec` refers to a checkpoint that cannot be used.
        SeedError: for an invalid seed.

    >>> make("random", seed=1), make(lambda game: game.legal_actions()[0])
    (<bot random>, <bot <lambda>>)
    """
    seed = None if seed is None else as_seed(seed)
    if isinstance(spec, Bot):
        return spec
    if isinstance(spec, str):
        return _named(spec, seed)
    from carc_env.bots.own import wrap

    return wrap(spec, seed, brief(spec))


def _class_of(module: str, name: str) -> Any:
    """Import a module of this folder and return one of its classes. Each bot's module is imported only when the bot is
    needed.
    """
    return getattr(importlib.import_module(f"carc_env.bots.{module}"), name)


def _named(spec: str, seed: int | None) -> Bot:
    """Return the bot for a spec that is a string."""
    name, _, rest = spec.partition(":")
    if spec in PLAIN:
        bot: Bot = _class_of(spec, PLAIN[spec])(seed)
        return bot
    if name in WITH_OPTIONS:
        bot = _class_of(name, WITH_OPTIONS[name]).named(spec, seed)
        return bot
    if name == "level":
        from carc_env.bots import level

        return level.named(spec, seed)
    if spec == "ppo" or name == "ppo" and rest:
        from carc_env.bots.policy import PolicyBot

        return PolicyBot(rest or None, seed)
    if spec == "learned" or name == "learned" and rest:
        from carc_env.bots.learned import LearnedBot

        return LearnedBot(rest or None, seed)
    if name == "cmd":
        from carc_env.bots.command import CommandBot

        return CommandBot(rest)
    from carc_env.bots.own import is_named, load

    if name in SPECS or not is_named(spec):
        raise BotError(f"unknown bot {brief(spec)}; the known bots are {', '.join(SPECS)}")
    return load(spec, seed)


__all__ = ["SPECS", "ActionValue", "Bot", "BotError", "make"]

__getattr__ = old_names(__name__, {"Worth": "ActionValue"})
