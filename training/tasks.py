"""The tasks of the benchmark: what is played and seen, against whom, from how many decisions an algorithm learns, how
it is measured.

A task never changes under its name and version: who changes a field raises the version, and results of before keep
theirs.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

import gymnasium

import carc_env
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError
from carc_env.envs.opponents import SELF, Given
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from carc_env.observing.spaces import Layout, layout_of

from .ppo import OPPONENTS

JUDGES = (*OPPONENTS, "ppo")  # of those at the end; `ppo` plays the agent that comes with the package for the preset


@dataclass(frozen=True)
class Task:
    """A task of the benchmark. Raises ConfigError for a preset that there is not.

    >>> task("Base-candidates-1M").id, task("Base-candidates-1M").at(5000).id
    ('Base-candidates-1M-v1', 'Base-candidates-1M-v1-at-5000')
    """

    name: str
    preset: str  # the game, of two players
    observation: str  # planes, answered with ids of actions; candidates (and the table), answered with their rows
    decisions: int  # answers that are learned from, in all games together; an update that was begun may be ended
    opponent: str = "greedy"  # a bot in the other seat while learning; "self": the learner alone is there
    # of planes 4: those of 1 did not show what fields are worth, 2 was learned against `random`, 3 with spaces="common"
    version: int = 1
    rows: int = 96  # candidates that are shown; of more those with the best prices
    # of the environment, in points; an algorithm may learn from another, as games alone are counted
    reward: str = "potential"
    checks: int = 20  # points of the curve after the first, which is before learning
    check_pairs: int = 25  # pairs of games against each of OPPONENTS for such a point
    eval_pairs: int = 250  # pairs of games against each of JUDGES at the end
    is_short: bool = False  # whether `decisions` is not the budget that the task came with
    spaces: str = "common"  # of the environment; results that do not tell it were learned with these

    def __post_init__(self) -> None:
        if self.config.players != 2:
            raise ConfigError(f"preset = {self.preset!r}: a task is for 2 players, not {self.config.players}")

    @property
    def id(self) -> str:
        """Name and version, and the budget where it is not that of the task."""
        return f"{self.name}-v{self.version}" + f"-at-{self.decisions}" * self.is_short

    @property
    def config(self) -> carc_env.GameConfig:
        """What is played."""
        return carc_env.preset(self.preset)

    @property
    def layout(self) -> Layout:
        """What the planes, globals, numbers of `table` and actions are."""
        return layout_of(self.config, self.spaces)

    @property
    def sight(self) -> encode.Sight:
        """What a player sees, and how it answers."""
        is_rows = self.observation == "candidates"
        return encode.Sight(self.layout, self.observation, self.rows, is_rows, is_rows, price=is_rows)

    @property
    def space(self) -> gymnasium.spaces.Dict:
        """The space of the observations of one game."""
        space = self.environment(1).single_observation_space
        assert isinstance(space, gymnasium.spaces.Dict)
        return space

    def at(self, decisions: int) -> "Task":
        """The task with another budget."""
        return self if decisions == self.decisions else dataclasses.replace(self, decisions=decisions, is_short=True)

    def environment(self, games: int, opponent: Given | None = None) -> CarcassonneVectorEnv:
        """So many games to learn in, which begin anew in the step that ends them. An answer that is not legal raises
        IllegalAction.

        With the opponent "self" it asks for every player in turn: `infos["player"]` says whom, and a reward is that of
        the player who answered.
        """
        seen = self.sight
        return CarcassonneVectorEnv(
            games,
            self.config,
            self.opponent if opponent is None else opponent,
            reward=self.reward,
            illegal_action="raise",
            observation=seen.observation,
            actions="candidates" if seen.by_row else "ids",
            rows=seen.rows,
            table=seen.table,
            price=seen.price,
            spaces=self.spaces,
            autoreset_mode="SameStep",
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON knows them."""
        return dataclasses.asdict(self)


TASKS = (
    *(
        Task(f"{preset.capitalize()}-{observation}-1M", preset, observation, 1_000_000, version=version, spaces=spaces)
        for observation, version, spaces in (("planes", 4, "game"), ("candidates", 1, "common"))
        for preset in ("base", "goldmines", "carcassonne")
    ),
    Task("Base-selfplay-1M", "base", "candidates", 1_000_000, SELF),
    Task("Base-debug-20k", "base", "candidates", 20_000, checks=5, check_pairs=10, eval_pairs=50),  # five minutes
)


def task(name: str) -> Task:
    """The task of a name. Raises ConfigError."""
    for one in TASKS:
        if one.name == name:
            return one
    raise ConfigError(f"no task {brief(name)}; there are {', '.join(one.name for one in TASKS)}")
