"""The bots `level:1` to `level:6` are opponents for people. Level 1 plays like a beginner, and level 6 is the strongest
bot that takes at most one second per action.

Levels 1 to 3 look ahead to the end of their own turn, and make mistakes. They choose their actions at random, but
prefer actions with better heuristic values. Level 4 is `greedy`, which always plays the action with the best heuristic
value. Level 5 is `rollout` with a fixed number of playouts, so it is equally strong on every machine. Level 6 is
`rollout` with at most one second for each action.
"""

from collections.abc import Callable
from typing import NamedTuple

from carc_env.bots.bot import Bot
from carc_env.bots.erring import ErringBot
from carc_env.bots.greedy import GreedyBot
from carc_env.bots.rollout import RolloutBot
from carc_env.common.arguments import brief
from carc_env.common.errors import BotError

# Ratings on `base` with two players, on the Elo scale. The ratings are shifted so that `greedy`, which is level 4, has
# the rating 1000. Levels 1 to 5 are measured by
# `carc ladder level:1 level:2 level:3 level:4 level:5 --preset base --neighbours 2 --pairs 100`. The 95 % intervals of
# these ratings are about ±50 Elo points. Level 6 is measured by
# `carc match rollout:ms=1000 greedy --preset base --pairs 50`. Level 6 won 91 % of these games. The error of its
# rating can be 100 points or more.
RATINGS = {1: 450, 2: 650, 3: 830, 4: 1000, 5: 1200, 6: 1400}


class Level(NamedTuple):
    """A description of an opponent's strength, and a function that makes the opponent."""

    word: str  # describes a player of about the same strength, such as "beginner"
    make: Callable[[int | None], Bot]  # makes the bot from a seed


LEVELS = {
    1: Level("beginner", lambda seed: ErringBot(seed, 0.95)),
    2: Level("casual player", lambda seed: ErringBot(seed, 0.65)),
    3: Level("regular player", lambda seed: ErringBot(seed, 0.38)),
    4: Level("club player", GreedyBot),
    5: Level("expert", lambda seed: RolloutBot(seed, playouts=8, policy="keen", most=8)),
    6: Level("master", lambda seed: RolloutBot(seed, ms=1000.0)),
}
SPECS = tuple(f"level:{number}" for number in LEVELS)


def named(spec: str, seed: int | None) -> Bot:
    """Return the bot for a spec such as `level:3`. Raises BotError for a level that does not exist."""
    if spec not in SPECS:
        raise BotError(f"there is no bot {brief(spec)}; the levels are {SPECS[0]} to {SPECS[-1]}")
    bot = LEVELS[number_of(spec)].make(seed)
    bot.name = spec
    return bot


def number_of(spec: str) -> int:
    """Return the number in a spec such as `level:3`."""
    return int(spec.partition(":")[2])


def in_words(spec: str) -> str:
    """Return the display name of a bot. For `level:3`, the name is `level 3`. If the bot is not a level, its display
    name is its spec.
    """
    return f"level {number_of(spec)}" if spec in SPECS else spec


def all_in_words() -> str:
    """Return one line that lists the levels, each with its rating and a description of its strength."""
    return ", ".join(f"{spec} {LEVELS[n].word} ({RATINGS[n]})" for n, spec in zip(LEVELS, SPECS))
