"""Bots: players that answer by themselves, made from a short text.

| spec | player |
|---|---|
| `random` | any legal answer |
| `greedy` | the answer that looks best one move ahead |
| `ppo` | the trained agent that comes with the package for the preset played |
| `ppo:<path>` | the trained agent of a checkpoint file |
"""

from carc_env.bots.base import Bot

SPECS = ("random", "greedy", "ppo", "ppo:<path>")


class BotError(ValueError):
    """There is no such bot; the message lists those that there are."""


def make(spec: str | Bot, seed: int | None = None) -> Bot:
    """The bot that a spec names; a Bot is returned as it is. Raises BotError for an unknown spec.

    >>> make("random", seed=1)
    <bot random>
    """
    if isinstance(spec, Bot):
        return spec
    name, _, path = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    if spec == "random":
        from carc_env.bots.random import RandomBot

        return RandomBot(seed)
    if spec == "greedy":
        from carc_env.bots.greedy import GreedyBot

        return GreedyBot(seed)
    if spec == "ppo" or name == "ppo" and path:
        from carc_env.bots.policy import PolicyBot

        return PolicyBot(path or None, seed)
    raise BotError(f"unknown bot {spec!r}; known are {', '.join(SPECS)}")


__all__ = ["SPECS", "Bot", "BotError", "make"]
