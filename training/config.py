"""TrainConfig holds the settings of a training run. The settings are read from a TOML file."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_origin

import carc_env
from carc_env.common import toml
from carc_env.common.arguments import brief, check_keys
from carc_env.common.errors import ConfigError
from carc_env.observing.candidates import MAX_CANDIDATES

Self = TypeVar("Self", bound="Settings")
CONFIGS = Path(__file__).parents[1] / "configs"  # beside `training`, both in a checkout and in an installed package
OTHERS = ("clone", "sb3_")  # the names of configurations for other commands begin with these prefixes


def shipped_names() -> list[str]:
    """Return the names of the package's configurations for `training.ppo`."""
    return sorted(path.stem for path in CONFIGS.glob("*.toml") if not path.stem.startswith(OTHERS))


def find(text: str) -> Path:
    """Return the path of a configuration file. `text` is a path, or the name of a configuration in the package. Raises
    ConfigError if there is no such configuration.
    """
    path = Path(text)
    if path.suffix == ".toml" or path.exists() and not path.is_dir():
        return path
    if text in shipped_names():
        return CONFIGS / f"{text}.toml"
    raise ConfigError(
        f"no configuration {brief(text)}: there is no such file, and the package contains {', '.join(shipped_names())}"
    )


def at_least(default: Any, low: float, high: float = float("inf")) -> Any:
    return field(default=default, metadata={"range": (low, high)})


def check_setting(config: Any, setting: dataclasses.Field[Any]) -> None:
    """Check the type and the range of a setting. A setting of type float also accepts an integer. Raises ConfigError
    for an invalid value.
    """
    value: Any = getattr(config, setting.name)
    kind: Any = get_origin(setting.type) or setting.type
    if kind is float and type(value) is int:
        value = float(value)
        object.__setattr__(config, setting.name, value)
    if type(value) is not kind:
        raise ConfigError(f"{setting.name} = {value!r}: should be of type {kind.__name__}")
    low, high = setting.metadata.get("range", (None, None))
    if low is not None and not low <= value <= high:
        limits = f"at least {low}" if high == float("inf") else f"from {low} to {high}"
        raise ConfigError(f"{setting.name} = {value}: should be {limits}")


class Settings:
    """The base class of all training configurations. The values in `game` override the values of the preset."""

    preset: str
    game: dict[str, Any]

    @property
    def game_config(self) -> carc_env.GameConfig:
        """The game configuration."""
        # If `table_size` is None, the size of the table follows from the tiles.
        return carc_env.GameConfig.from_dict(
            {**carc_env.preset(self.preset).to_dict(), "table_size": None, **self.game}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a JSON-serialisable dict."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]  # every subclass is a dataclass

    @classmethod
    def from_dict(cls: type[Self], data: Mapping[str, Any]) -> Self:
        """Make a configuration from a dict with its fields. Raises ConfigError for unknown keys."""
        names = [setting.name for setting in dataclasses.fields(cls)]  # type: ignore[arg-type]
        check_keys(data, names, "the configuration of the training", ConfigError)
        return cls(**data)

    @classmethod
    def from_toml(cls: type[Self], path: Path | str) -> Self:
        """Read a TOML file. The keys of the file are the fields of the configuration. The TOML table `[game]` is the
        field `game`. Raises ConfigError if the file cannot be read or is invalid. The error message gives the path.
        """
        try:
            return cls.from_dict(toml.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, toml.TOMLDecodeError, ConfigError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise ConfigError(f"{path}: {reason}") from None


@dataclass(frozen=True)
class TrainConfig(Settings):
    """The settings of a training run. Raises ConfigError for invalid values.

    >>> TrainConfig(updates=3, games=8, steps=16).decisions
    384
    """

    # the game
    preset: str = "goldmines"  # the name of the preset
    game: dict[str, Any] = field(default_factory=dict)  # fields of GameConfig that differ from the preset

    # the size of the training run
    seed: int = at_least(1, 0, 2**32 - 1)  # the seed of all random draws
    updates: int = at_least(100, 1)  # the number of updates of the network
    games: int = at_least(256, 1)  # the number of parallel games
    steps: int = at_least(64, 1)  # the number of decisions in each game between two updates
    max_minutes: float = at_least(12.0, 0)  # the time limit; training ends early when it is reached
    threads: int = at_least(2, 1)  # the number of CPU cores

    # the network
    width: int = at_least(64, 1)  # the width of the hidden layers
    layers: int = at_least(2, 1)  # the number of hidden layers of the network that scores a candidate
    # the maximum number of candidates; if more actions are legal, those with the best heuristic values are used
    rows: int = at_least(96, 1, MAX_CANDIDATES)
    price: bool = False  # if true, the network sees greedy's heuristic value of each candidate
    greedy_start: float = at_least(0.0, 0)  # in the initial logits, the weight of greedy's value in points

    # PPO
    learning_rate: float = at_least(5e-4, 0)  # the learning rate at the beginning
    final_learning_rate: float = at_least(5e-5, 0)  # the learning rate at the end; the rate falls linearly
    epochs: int = at_least(2, 1)  # the number of passes that an update makes over its decisions
    minibatch: int = at_least(4096, 2)  # the number of decisions in a gradient step
    gamma: float = at_least(1.0, 0, 1)  # the discount factor per decision
    lambda_: float = at_least(0.95, 0, 1)  # the parameter of generalised advantage estimation
    clip: float = at_least(0.2, 0)  # the clipping range of the probability ratio
    entropy: float = at_least(0.005, 0)  # the weight of the entropy bonus
    value_weight: float = at_least(0.5, 0)  # the weight of the value loss
    max_gradient: float = at_least(0.5, 0)  # a gradient with a larger norm is clipped to this norm

    # the teacher, from which the first updates learn (training/teacher.py)
    lessons: int = at_least(0, 0)  # the number of updates that learn from the teacher
    lesson_games: int = at_least(1000, 1, 10**5)  # the number of the teacher's games that are imitated
    lesson_steps: int = at_least(500, 1)  # the number of gradient steps in each update that learns from the teacher
    lesson_questions: int = at_least(256, 1)  # the number of the teacher's decisions in a gradient step
    # the learning rate in the first update that learns from the teacher; the rate falls linearly
    lesson_rate: float = at_least(2e-3, 0)
    value_rounds: int = at_least(2, 0)  # the number of rounds that learn the value function; 0: keen is the teacher
    value_games: int = at_least(20_000, 2, 10**7)  # the number of games in each of these rounds
    value_steps: int = at_least(6000, 1)  # the number of gradient steps in each of these rounds
    # the target of a position is the value that is `value_horizon` recorded positions later; 0: the final margin
    value_horizon: int = at_least(4, 0)
    critic_updates: int = at_least(0, 0)  # after the imitation, the number of updates that train only the critic

    # rewards
    points: float = at_least(10.0, 0.001)  # the change in the margin that gives a reward of 1
    outcome: float = at_least(1.0, 0)  # the reward that is added for a win and subtracted for a loss

    # the shares of games against each opponent; the four shares need not add up to 1
    share_self: float = at_least(0.6, 0)  # the current network
    share_past: float = at_least(0.2, 0)  # an earlier network
    share_greedy: float = at_least(0.15, 0)
    share_random: float = at_least(0.05, 0)
    past_every: int = at_least(10, 1)  # the number of updates between two snapshots for `share_past`
    past_kept: int = at_least(4, 1)  # the number of snapshots that are kept

    # saving and checking
    save_every: int = at_least(1, 1)  # the number of updates between two saved states
    check_every: int = at_least(10, 1)  # learning curve: the number of updates between two matches against greedy
    check_pairs: int = at_least(32, 0)  # the number of pairs of games in each of these matches; 0: no matches
    eval_pairs: int = at_least(500, 0)  # pairs of games against random and against greedy at the end; 0: no matches

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            check_setting(self, setting)
        shares = self.share_self + self.share_past + self.share_greedy + self.share_random
        if shares <= 0:
            raise ConfigError(
                "share_self, share_past, share_greedy, share_random: at least one should be greater than 0"
            )
        if self.greedy_start and not self.price:
            raise ConfigError(f"greedy_start = {self.greedy_start}: should be 0 unless price = true")
        if self.lessons and self.value_rounds and self.game_config.players != 2:
            raise ConfigError(
                f"players = {self.game_config.players}: the learned value needs games of two players; set lessons or "
                f"value_rounds to 0"
            )
        if self.minibatch > self.games * self.steps:
            raise ConfigError(
                f"minibatch = {self.minibatch}: should be smaller, because an update has only {self.games} games x "
                f"{self.steps} "
                f"steps = {self.games * self.steps} decisions"
            )
        if self.games * self.steps % self.minibatch == 1:
            raise ConfigError(
                f"minibatch = {self.minibatch}: the last minibatch of {self.games} games x {self.steps} steps would "
                f"have only one decision, which gives no gradient"
            )
        if self.game_config.players != 2 and (self.check_pairs or self.eval_pairs):
            raise ConfigError(
                f"players = {self.game_config.players}: matches need 2 players; set check_pairs and eval_pairs to 0"
            )

    @property
    def decisions(self) -> int:
        """The total number of decisions in all PPO updates. Updates that imitate the teacher are not counted."""
        return max(0, self.updates - self.lessons) * self.games * self.steps
