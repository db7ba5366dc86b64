"""The tasks of the benchmark: the game, the observations, the opponent, the budget of decisions, and the evaluation.

The fields of a task with a given name and version never change. If a field has to change, the task gets a new version.
Earlier results keep the old version.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

import gymnasium

import carc_env
from carc_env import bots
from carc_env.common.arguments import brief
from carc_env.common.errors import ConfigError
from carc_env.envs.opponents import PACKAGE_NAMES, SELF, Given
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.observing import encode
from carc_env.observing.spaces import Layout, layout_of

HELD_OUT = ("keen", "rollout:playouts=64", "ppo")  # never used as opponents in training; `ppo` is the shipped agent
JUDGES = ("random", "greedy", *HELD_OUT)  # the opponents in the evaluation at the end
PARTNERS = ("random", "greedy")  # the bots of the package against which an algorithm may train
CHECKERS = ("greedy", "keen")  # the opponents in the matches of the learning curve
# seeds in a published table: HEADLINE_SEEDS for `Base-rows-200k` and `Base-planes-50k`, SEEDS for the other tasks
SEEDS, HEADLINE_SEEDS = 5, 10


@dataclass(frozen=True)
class Task:
    """A task of the benchmark. Raises ConfigError for an unknown preset or an unknown observation.

    >>> task("Base-rows-200k").id, task("Base-rows-200k").at(5000).id
    ('Base-rows-200k-v2', 'Base-rows-200k-v2-at-5000')
    """

    name: str
    preset: str
    observation: str  # planes (actions are action ids), or candidates (actions are indices of candidates)
    decisions: int  # the budget of decisions in all games together; the last update may exceed it
    opponent: str = "greedy"  # the bot in all seats except the learner's, during training; "self": self-play
    players: int = 2
    version: int = 2
    rows: int = 96  # the maximum number of candidates
    # the reward of the environment, in points; an algorithm may also learn from another reward
    reward: str = "potential"
    checks: int = 10  # the number of points of the learning curve, not counting the point before training
    check_pairs: int = 10  # pairs of games against each bot in CHECKERS, at each point of the learning curve
    eval_pairs: int = 25  # pairs of games against each bot in JUDGES, at the end
    seeds: int = SEEDS  # the number of seeds in the task's published table
    pool: str = ""  # the group of tasks whose results are combined; "" for none
    is_short: bool = False  # True if the budget `decisions` differs from the task's standard budget
    spaces: str = "game"  # the argument `spaces` of the environment

    def __post_init__(self) -> None:
        if self.observation not in ("planes", "candidates"):
            raise ConfigError(f"observation = {self.observation!r}: should be planes or candidates")
        self.config  # noqa: B018 - raises ConfigError

    @property
    def id(self) -> str:
        """The name and the version of the task. If the budget was changed, the id ends with the budget."""
        return f"{self.name}-v{self.version}" + f"-at-{self.decisions}" * self.is_short

    @property
    def config(self) -> carc_env.GameConfig:
        """The game configuration."""
        return dataclasses.replace(carc_env.preset(self.preset), players=self.players)

    @property
    def layout(self) -> Layout:
        """The layout of observations and actions."""
        return layout_of(self.config, self.spaces)

    @property
    def observation_spec(self) -> encode.ObservationSpec:
        """The encoding of the observations and the type of the actions.

        The observations are planes or candidates. The actions are action ids or indices of candidates. The observations
        do not include `greedy`'s heuristic values.
        """
        is_rows = self.observation == "candidates"
        return encode.ObservationSpec(self.layout, self.observation, self.rows, is_rows, is_rows)

    @property
    def space(self) -> gymnasium.spaces.Dict:
        """The observation space of one game."""
        space = self.environment(1).single_observation_space
        assert isinstance(space, gymnasium.spaces.Dict)
        return space

    def at(self, decisions: int) -> "Task":
        """Return the task with a budget of `decisions` decisions."""
        return self if decisions == self.decisions else dataclasses.replace(self, decisions=decisions, is_short=True)

    def environment(self, games: int, opponent: Given | None = None) -> CarcassonneVectorEnv:
        """Make a vector environment with the given number of games. A finished game is reset in the same step. An
        illegal action raises IllegalAction.

        With the opponent "self", the learner acts for every player in turn. `infos["player"]` is the player who has to
        act. A reward belongs to the player who acted. Raises ConfigError if an opponent is a bot of the package that is
        not in PARTNERS.
        """
        for one in opponent if isinstance(opponent, (list, tuple)) else [opponent]:
            if is_refused(one):
                raise ConfigError(
                    f"opponent = {brief(one)}: an algorithm of the benchmark may train only against "
                    f"{', '.join(PARTNERS)}, {SELF}, or a bot of your own"
                )
        seen = self.observation_spec
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
            spaces=self.spaces,
            autoreset_mode="SameStep",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a JSON-serialisable dict."""
        return dataclasses.asdict(self)


def is_refused(opponent: Given) -> bool:
    """True if algorithms are not allowed to train against this opponent. Allowed opponents are the bots in PARTNERS,
    the algorithm itself (self-play), and bots that are not part of the package.
    """
    if isinstance(opponent, str):
        return opponent.partition(":")[0] in PACKAGE_NAMES - {*PARTNERS, "cmd"}
    package, _, module = getattr(opponent, "__module__", "").rpartition(".")
    return package == bots.__name__ and module not in (*PARTNERS, "command", "own")


ROWS, PLANES = "candidates", "planes"
TASKS = (
    Task("Base-rows-200k", "base", ROWS, 200_000, seeds=HEADLINE_SEEDS, pool="rows"),
    Task("Goldmines-rows-200k", "goldmines", ROWS, 200_000, pool="rows"),
    Task("Carcassonne-rows-200k", "carcassonne", ROWS, 200_000, pool="rows"),
    Task("Base-planes-50k", "base", PLANES, 50_000, seeds=HEADLINE_SEEDS),
    Task("Base-selfplay-200k", "base", ROWS, 200_000, SELF),
    Task("Goldmines-three-200k", "goldmines", ROWS, 200_000, players=3),
    Task("Base-debug-20k", "base", ROWS, 20_000, checks=5, check_pairs=5, eval_pairs=10),  # a task for quick trials
)
HEADLINE = TASKS[0]
LONG, LONG_SEEDS = 5, 3  # the main task is also run with a budget LONG times as large, and with LONG_SEEDS seeds


def needed_seeds(one: Task) -> int:
    """Return the number of seeds for which a task needs results. A task with its standard budget needs as many seeds as
    its field `seeds` says. With another budget, one seed is enough. There is one exception: if the main task `HEADLINE`
    has `LONG` times its standard budget, `LONG_SEEDS` seeds are needed.
    """
    if one == HEADLINE.at(LONG * HEADLINE.decisions):
        return LONG_SEEDS
    return 1 if one.is_short else one.seeds


def task(name: str) -> Task:
    """Return the task with this name. Raises ConfigError if there is no such task."""
    for one in TASKS:
        if one.name == name:
            return one
    raise ConfigError(f"no task {brief(name)}; the tasks are {', '.join(one.name for one in TASKS)}")
