"""Algorithms of the benchmark that play like one of the bots. These algorithms are baselines and learn nothing."""

from carc_env.bots import Bot, make

from .algorithms import Budget
from .tasks import Task


class Fixed:
    """Plays like one of the bots. The bot sees the game itself instead of observations."""

    spec: str

    def __init__(self, task: Task, seed: int):
        self.bot: Bot = make(self.spec, seed)

    def fit(self, budget: Budget) -> None:
        """Do nothing, because this algorithm does not learn."""


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
    """The bot `rollout`, with the same number of playouts as the evaluation opponent `rollout`. This algorithm is the
    baseline for search. In games of two players, its rollouts use the package's value network.
    """

    spec = "rollout:playouts=64"
