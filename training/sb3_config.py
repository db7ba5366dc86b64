"""SB3Config holds the settings of a training run with Stable-Baselines3. The settings are read from a TOML file."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from carc_env.common.errors import ConfigError
from carc_env.common.renamed import warn_of
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import SPACES, Layout, layout_of
from carc_env.rules.state import MAX_SIZE

from .config import Settings, at_least, check_setting

ALGORITHMS = ("MaskablePPO", "PPO", "A2C", "DQN", "QRDQN")
NETWORKS = ("neighborhood", "torus", "candidates")
TAUGHT = ("MaskablePPO", "PPO", "A2C")  # algorithms that can first imitate a teacher
# Settings that users can change when they resume a run.
FREE = ("decisions", "save_every", "check_every", "check_pairs", "eval_pairs", "threads")


@dataclass(frozen=True)
class SB3Config(Settings):
    """The settings of a training run with Stable-Baselines3. Raises ConfigError for invalid values.

    >>> SB3Config(algorithm="A2C", network="candidates").observation
    'candidates'
    """

    # the game
    preset: str = "base"  # the name of the preset
    game: dict[str, Any] = field(default_factory=dict)  # fields of GameConfig that differ from the preset
    # "game": the layout of this game configuration; "common": one layout for all configurations with the same table
    # size
    spaces: str = "game"
    opponent: str = "random"  # the bot in the other seats; "self": the current network
    games: int = at_least(16, 1)  # the number of parallel games
    threads: int = at_least(2, 1)  # the number of CPU cores

    # the algorithm and its network
    algorithm: str = "MaskablePPO"  # MaskablePPO, PPO, A2C, DQN or QRDQN
    network: str = "neighborhood"  # "neighborhood" and "torus" observe planes; "candidates" observes candidates
    window: int = at_least(0, 0, MAX_SIZE)  # size of the window that the network "torus" sees; 0: the whole table
    rows: int = at_least(96, 1, MAX_CANDIDATES)  # the maximum number of candidates that the network sees
    price: bool = False  # if true, the network sees greedy's heuristic value of each candidate
    settings: dict[str, Any] = field(default_factory=dict)  # arguments of the algorithm
    anneal: bool = False  # if true, the learning_rate of `settings` falls to 0 during training
    network_settings: dict[str, Any] = field(default_factory=dict)  # arguments of the network
    seed: int = at_least(1, 0, 2**32 - 1)  # the seed of all random draws
    decisions: int = at_least(100_000, 0)  # the number of decisions in the network's own games; 0: only imitation

    # imitation of a teacher, before the network learns from its own games
    teacher: str = "learned"  # the network imitates the action values of this bot
    questions: int = at_least(0, 0)  # the number of decisions to imitate; 0: no imitation
    lesson_games: int = at_least(128, 1)  # the number of parallel games; a gradient step uses one decision of each game
    lesson_rate: float = at_least(1e-3, 0)  # the initial learning rate of the imitation; the rate falls linearly

    # rewards
    reward: str = "potential"  # the type of reward: margin, outcome or potential
    points: float = at_least(10.0, 0.001)  # the change in the margin that gives a reward of 1
    outcome: float = at_least(0.0, 0)  # the reward that is added for a win and subtracted for a loss

    # saving and checking
    save_every: int = at_least(20_000, 1)  # the number of decisions between two saved states
    check_every: int = at_least(20_000, 1)  # the number of decisions between two matches for the learning curve
    check_pairs: int = at_least(25, 0)  # the number of pairs of games against each opponent in such a match; 0: none
    # the number of pairs of games against random, and against greedy, at the end; 0: no matches
    eval_pairs: int = at_least(250, 0)

    def __post_init__(self) -> None:
        if self.network == "answers":
            warn_of('network = "answers"', '"neighborhood"', stacklevel=4)
            object.__setattr__(self, "network", "neighborhood")
        for setting in dataclasses.fields(self):
            check_setting(self, setting)
        for name, allowed in (
            ("algorithm", ALGORITHMS),
            ("network", NETWORKS),
            ("spaces", SPACES),
            ("reward", ("margin", "outcome", "potential")),
        ):
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: should be one of {', '.join(allowed)}")
        largest = min(self.layout.rows, self.layout.columns)
        if self.window and (self.network != "torus" or not 3 <= self.window <= largest):
            raise ConfigError(
                f"window = {self.window}: only the network torus can have a window, of 3 to {largest} rows; 0 means "
                f"the whole table"
            )
        if self.anneal and not isinstance(self.settings.get("learning_rate"), float):
            raise ConfigError("anneal = true: [settings] should give the initial learning_rate, such as 1e-3")
        if self.questions and (self.network != "neighborhood" or self.algorithm not in TAUGHT):
            raise ConfigError(
                f"questions = {self.questions}: lessons need the network neighborhood and one of the algorithms "
                f"{', '.join(TAUGHT)}; the configuration has {self.network} with {self.algorithm}"
            )
        if not self.questions and not self.decisions:
            raise ConfigError("decisions = 0: set questions or decisions, or nothing will be learned")
        if self.game_config.players != 2 and (self.check_pairs or self.eval_pairs):
            raise ConfigError(
                f"players = {self.game_config.players}: matches need 2 players; set check_pairs and eval_pairs to 0"
            )

    @property
    def observation(self) -> str:
        """The observation of the network: planes or candidates."""
        return "candidates" if self.network == "candidates" else "planes"

    @property
    def layout(self) -> Layout:
        """The layout of observations and actions for the whole table, without a window."""
        return layout_of(self.game_config, self.spaces)
