"""Baselines: bots that learn nothing, as algorithms of the benchmark."""

from carc_env.bots import Bot, make

from .algorithms import Budget
from .tasks import Task


class Fixed:
    """Plays as a bot does. The bot looks at the game and ignores observations."""

    spec: str

    def __init__(self, task: Task, seed: int):
        self.bot: Bot = make(self.spec, seed)

    def fit(self, budget: Budget) -> None:
        """Learn nothing, and spend no decision."""


class Random(Fixed):
    """The bot `random`."""

    spec = "random"


class Greedy(Fixed):
    """The bot `greedy`."""

    spec = "greedy"


class Keen(Fixed):
    """The bot `keen`."""

    spec = "keen"


class Rollout(Fixed):
    """The bot `rollout` with the budget of the judge. It shows how far search alone gets."""

    spec = "rollout:playouts=64"
