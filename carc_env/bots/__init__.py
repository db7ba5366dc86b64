"""Bots, made from a short text, the spec.

| spec | player |
|---|---|
| `random` | plays a random legal action |
| `greedy` | plays the action that looks best one turn ahead |
| `keen` | looks one turn ahead like `greedy`, with prices that win more |
| `learned` | looks one turn ahead like `keen`, and adds a value that was learned from games |
| `learned:<name>` | does so with another value: one that comes with the package, or that of a checkpoint file |
| `expectimax:N` | plays the action with the best mean over all kinds of tiles that may be drawn next, N turns ahead; `expectimax` alone looks one turn ahead |
| `rollout:playouts=N`, `rollout:ms=N` | plays the action that does best in rollouts on reshuffled stacks, which use what was learned, with a budget of playouts or milliseconds; `rollout` alone has 50 ms |
| `mcts:playouts=N`, `mcts:ms=N` | Monte Carlo tree search on reshuffled stacks; `mcts` alone has 1,000 playouts |
| `level:1` to `level:6` | opponents for people, from a beginner to the strongest player that needs no more than a second |
| `ppo` | the trained agent that comes with the package for the preset |
| `ppo:<name>` | another trained agent that comes with the package, or that of a checkpoint file |
| `cmd:<program with arguments>` | a program that speaks the [bot protocol](docs/protocol.md) |
| `<module>:<Class>` | your own bot, which may also be a function or an object of a module |
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

# Classes by the name of their module: those that a spec names as they are, and those whose spec may have options.
PLAIN = {"random": "RandomBot", "greedy": "GreedyBot", "keen": "KeenBot"}
WITH_OPTIONS = {"expectimax": "ExpectimaxBot", "rollout": "RolloutBot", "mcts": "MctsBot"}


def make(spec: object, seed: int | None = None) -> Bot:
    """The bot that a spec names.

    Args:
        spec: a text as in the table above; a Bot, which is returned unchanged; a function `game -> action`; an object
            with
            a method `choose(game)`; or a class of such objects.
        seed: integer from 0 to 2**64 - 1, for bots that use chance. A class gets it as its argument `seed`, if it has
            one.

    Raises:
        BotError: for anything else.
        CheckpointError: if the checkpoint of `ppo` or `learned` cannot be used.
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
    """A class of a module in this folder. The module is imported now and not before."""
    return getattr(importlib.import_module(f"carc_env.bots.{module}"), name)


def _named(spec: str, seed: int | None) -> Bot:
    """The bot that a text names."""
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
