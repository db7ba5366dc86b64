"""Writes data sets of games for offline learning, in the format of Minari (https://minari.farama.org). The command
`carc dataset` uses this module.

An episode is a game from the perspective of one player. For each of the player's decisions, the episode holds the
observation, the action and the reward. The reward of a decision is the sum of the rewards until the player's next
decision. A game of two players gives two episodes. The arrays have the same format as in the environment (see
`carc_env.observing.encode`). Observations contain an action mask. By default, the reward is the change in the player's
margin. As in the environment, `spaces` is "game" by default. With `spaces="game"`, the arrays contain only the planes,
global features and actions that the configuration can use. The metadata contain the value of the argument `spaces`.
Each episode also holds the record of its game, so the game can be replayed.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import gymnasium
import numpy as np

try:
    import h5py
    import minari
    from minari.dataset.minari_storage import MinariStorage
    from minari.storage import get_dataset_path
except ImportError as error:
    raise ImportError(f'data sets need {error.name}: pip install ".[data]"') from None

from carc_env.arena.match import own_seed
from carc_env.bots import Bot, make
from carc_env.boxes.tiles import tile_table
from carc_env.common.arguments import as_count, as_seed, brief
from carc_env.common.errors import ArgumentError, FileError, IllegalAction
from carc_env.common.progress import ctrl_c_noted
from carc_env.envs import PRESETS
from carc_env.envs.common import OBSERVATIONS, observation_spec, one_of
from carc_env.envs.rewards import REWARDS, write_values
from carc_env.games.games import Games
from carc_env.notation.positions import short
from carc_env.notation.record_files import Recorder
from carc_env.observing import encode
from carc_env.observing.candidates import MAX_CANDIDATES
from carc_env.observing.spaces import Layout
from carc_env.rules.state import MAX_PLAYERS, NONE
from carc_env.setup.config import ConfigSource, GameConfig, as_config

CHUNK = 8  # games played in parallel; their observations stay in memory until they are written
NAME = re.compile(r"[-\w]+-v\d+", re.ASCII)
RECORD = "infos/record"  # path of the game record inside an episode; the record is one line of JSON
Show = Callable[["Written"], None]


@dataclass(frozen=True)
class Written:
    """The name, the path and the current size of a data set that is being written."""

    name: str
    path: str  # the folder that Minari reads
    games: int = 0
    episodes: int = 0
    steps: int = 0
    megabytes: float = 0.0


@dataclass
class Episode:
    """A game from the perspective of one player."""

    player: str  # the spec of this player's bot
    seat: int
    seed: int  # the seed of the game
    observations: list[dict[str, np.ndarray]]  # one observation before each action, and one at the end of the game
    actions: list[int]
    values: list[float]  # the value of the position at each observation; rewards are differences of successive values
    record: str = ""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return a dict with the arrays of the episode. The keys are the paths of the arrays in Minari's file."""
        steps, seen = len(self.actions), self.observations
        return {
            **{f"observations/{name}": np.stack([shown[name] for shown in seen]) for name in seen[0]},
            "actions": np.array(self.actions, np.int64),
            "rewards": np.diff(self.values),
            "terminations": np.arange(steps) == steps - 1,
            "truncations": np.zeros(steps, bool),
        }


def write(
    players: Sequence[str],
    config: ConfigSource = "goldmines",
    games: int = 100,
    seed: int = 0,
    observation: str = "planes",
    reward: str = "margin",
    name: str | None = None,
    folder: Path | str | None = None,
    progress: Show | None = None,
    record: Path | str | None = None,
    spaces: str = "game",
) -> Written:
    """Play games and write them as a Minari data set.

    Ctrl-C raises KeyboardInterrupt in the caller. The games written so far remain as a complete data set.

    Args:
        players: the specs of the bots, either one for all seats or one for each seat. If there is one bot per seat, the
            bots change seats after each game.
        games: the number of games. Game k has the seed `seed + k`.
        observation: "planes", "candidates" or "both".
        reward: "margin", "outcome" or "potential", as in the environments.
        name: the name of the data set, such as "base-greedy-v0". The name must have the form that Minari requires. The
            default name combines the names of the configuration and the bots.
        folder: the parent folder. The data set is written to a subfolder with the name of the data set. The default is
            Minari's own folder.
        progress: a function that is called after every few games, with the current size of the data set (`Written`).
        record: a file to which the records of the games are appended.
        spaces: "game" or "common". With `spaces="game"`, the arrays contain the planes, global features and actions
            that this configuration can use. With `spaces="common"`, the arrays contain all planes, all global features
            and all actions for this table size.

    Raises ConfigError, BotError, SeedError, CountError or ArgumentError for an invalid argument. Raises FileError if
    the data set already exists. Raises RecordError if the file `record` cannot be written or contains anything other
    than game records. Raises IllegalAction if a bot plays an illegal action.
    """
    plan = Plan.of(players, config, games, seed, observation, reward, spaces)
    name = default_name(players, config) if name is None else name
    with (
        Writer(name, plan, folder) as writer,
        nullcontext() if record is None else Recorder(record) as keep,
        ctrl_c_noted() as heed,
    ):
        for seeds in plan.chunks():
            episodes = play(plan, seeds, heed)
            writer.add(episodes, len(seeds))
            if keep is not None:
                for line in dict.fromkeys(episode.record for episode in episodes):
                    keep(json.loads(line))
            if progress:
                progress(writer.written)
    return writer.written


def load(name: Path | str) -> "minari.MinariDataset":
    """Load a data set. `name` is the path of its folder, or its name in Minari's folder. Raises FileError."""
    for path in (Path(name), Path(name) / "data", get_dataset_path(str(name)) / "data"):
        if (path / "metadata.json").is_file():
            return minari.MinariDataset(path.resolve())
    raise FileError(
        f"{name}: this is not a data set; give the folder of a data set, or the name of one in {get_dataset_path()}"
    )


def record_of(episode: "minari.EpisodeData") -> dict[str, Any]:
    """Return the game record of an episode, in the format that `carc_env.replay` accepts."""
    record: dict[str, Any] = json.loads(episode.infos["record"][0])
    return record


# --- playing ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Plan:
    """The plan of a data set: which games to play, and which observations and rewards to store."""

    players: tuple[str, ...]
    config: GameConfig
    games: int
    seed: int
    observation_spec: encode.ObservationSpec
    reward: str
    bots: tuple[Bot, ...]  # one bot for each spec in `players`

    @classmethod
    def of(
        cls,
        players: Sequence[str],
        config: ConfigSource,
        games: int,
        seed: int,
        observation: str,
        reward: str,
        spaces: str,
    ) -> "Plan":
        """Check the arguments, and return the plan that they define."""
        config, games, seed = as_config(config), as_count(games, "games", 1), as_seed(seed)
        as_seed(seed + games - 1)
        one_of("observation", observation, OBSERVATIONS)
        one_of("reward", reward, REWARDS)
        seen = observation_spec(config, spaces, observation, "ids", MAX_CANDIDATES)
        if isinstance(players, str) or not all(isinstance(player, str) for player in players):
            raise ArgumentError(f"players = {brief(players)}: should be a list of strings, each the spec of a bot")
        if len(players) not in (1, config.players):
            raise ArgumentError(
                f"{len(players)} players for {config.players} seats: give one player for all seats, or one per seat"
            )
        players = tuple(players) * (config.players // len(players))
        bots = tuple(make(player, own_seed(seed, place)) for place, player in enumerate(players))
        return cls(players, config, games, seed, seen, reward, bots)

    @property
    def layout(self) -> Layout:
        """The layout of the planes, global features and actions."""
        return self.observation_spec.layout

    def chunks(self) -> Iterator[range]:
        """Yield the seeds of all games, in ranges of at most CHUNK seeds."""
        end = self.seed + self.games
        return (range(first, min(first + CHUNK, end)) for first in range(self.seed, end, CHUNK))

    def place(self, seed: int, seat: int) -> int:
        """Return an index in `players`: the bot with this index plays in seat `seat` of the game with seed `seed`. In
        the first game, `players[0]` has seat 0. In the second game, `players[1]` has seat 0, and so on.
        """
        return (seat + seed - self.seed) % self.config.players


def play(plan: Plan, seeds: range, heed: Callable[[], None]) -> list[Episode]:
    """Play one game for each seed, with all games in parallel. Returns the episodes of all games, game by game. Before
    every step of the games, `play` calls `heed()`. If Ctrl-C was pressed, `heed()` raises KeyboardInterrupt.
    """
    games = Games(plan.config, len(seeds), seeds)
    episodes = [
        [Episode(plan.players[plan.place(seed, seat)], seat, seed, [], [], []) for seat in range(plan.config.players)]
        for seed in seeds
    ]
    while not games.is_over.all():
        heed()
        asked, players = np.flatnonzero(~games.is_over), games.players.copy()
        add_observations(plan, games, asked, players[asked], episodes)
        actions = answers(plan, games, asked, seeds)
        for i in asked:
            episodes[i][players[i]].actions.append(int(plan.layout.from_common(actions[i])))
        games.step(actions)
    for seat in range(plan.config.players):
        add_observations(plan, games, np.arange(len(seeds)), np.full(len(seeds), seat), episodes)
    return [
        told(episode, games.game(i).record())
        for i, of_game in enumerate(episodes)
        for episode in of_game
        if episode.actions
    ]


def add_observations(
    plan: Plan, games: Games, which: np.ndarray, seats: np.ndarray, episodes: list[list[Episode]]
) -> None:
    """Extend one player's episode in each of the selected games. `which` holds the indices of the games, and `seats`
    holds the seat of the player in each game. The function appends the player's observation and the position's value
    for this player. The reward of an action is the change in the value of the position.
    """
    some = games[which]
    seen, values = some.observe(seats, plan.observation_spec), np.empty((len(which), MAX_PLAYERS))
    # when a game is over, `pass` is marked as legal so that the mask is not empty; the environment does the same
    seen["action_mask"][some.is_over, plan.layout.pass_action] = 1
    write_values(some.records, tile_table(), REWARDS.index(plan.reward), values)
    for k, (i, seat) in enumerate(zip(which, seats)):
        episodes[i][seat].observations.append({name: array[k] for name, array in seen.items()})
        episodes[i][seat].values.append(float(values[k, seat]))


def answers(plan: Plan, games: Games, asked: np.ndarray, seeds: range) -> np.ndarray:
    """Return the actions that the bots choose, one for each game, as int64[n]. The actions are the ids that `Game`
    uses. The entry for a game that is over is NONE. Raises IllegalAction if a bot chooses an illegal action. The
    message contains the name of the bot.
    """
    actions = np.full(len(games), NONE, np.int64)
    places = np.array([plan.place(seeds[i], int(games.players[i])) for i in asked])
    for place, bot in enumerate(plan.bots):
        which = asked[places == place]
        if len(which):
            actions[which] = bot.ask(games, which)
            legal = games.are_legal(actions[which], which)
            if not legal.all():
                raise IllegalAction(f"{bot} played {actions[which][~legal][0]}, which is not legal")
    return actions


def told(episode: Episode, record: dict[str, Any]) -> Episode:
    """Store the record of a game in an episode of the same game, and return the episode."""
    episode.record = json.dumps(record | {"seed": episode.seed})
    return episode


# --- writing ----------------------------------------------------------------------------------------------------------
class Writer:
    """Writes a data set, a few games per call. After each call, the files on disk form a complete data set of the games
    written so far.

    Minari itself would store the arrays uncompressed, which takes several megabytes per game. This class uses Minari
    only to create the storage. The class adds compressed episodes to the file that Minari reads.
    """

    def __init__(self, name: str, plan: Plan, folder: Path | str | None = None):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ArgumentError(
                f"name = {brief(name)}: use letters, digits, - and _, with a version at the end, such as base-greedy-v0"
            )
        # Minari fails with relative paths
        self._home = (get_dataset_path() if folder is None else Path(folder)).resolve() / name
        if self._home.exists():
            raise FileError(f"{self._home} exists already; give the data set another name or version")
        env = environment(plan)
        path = self._home / "data"
        path.mkdir(parents=True)
        self._storage = MinariStorage.new(path, env.observation_space, env.action_space, env.spec)
        self._storage.update_metadata(metadata(name, plan))
        self.written = Written(name, str(path))

    def add(self, episodes: Sequence[Episode], games: int) -> None:
        """Write the episodes of some games."""
        before = self.written
        with h5py.File(Path(before.path) / "main_data.hdf5", "a") as file:
            for number, episode in enumerate(episodes, before.episodes):
                write_episode(file.create_group(f"episode_{number}"), number, episode)
        made, steps = before.episodes + len(episodes), before.steps + sum(len(episode.actions) for episode in episodes)
        self._storage.update_metadata({"total_episodes": made, "total_steps": steps})
        self._storage.update_metadata({"dataset_size": self._storage.get_size()})
        self.written = Written(
            before.name, before.path, before.games + games, made, steps, float(self._storage.get_size())
        )

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.written.games:
            shutil.rmtree(self._home)


def write_episode(group: "h5py.Group", number: int, episode: Episode) -> None:
    """Write an episode into an HDF5 group, in the format of Minari."""
    group.attrs.update(
        {
            "id": number,
            "total_steps": len(episode.actions),
            "player": episode.player,
            "seat": episode.seat,
            "game_seed": np.uint64(episode.seed),
        }
    )
    for place, array in episode.arrays().items():
        group.create_dataset(place, data=array, compression="gzip", compression_opts=1, shuffle=True)
    group.create_dataset(RECORD, data=[episode.record], dtype=h5py.string_dtype())


def environment(plan: Plan) -> gymnasium.Env:
    """Return an environment with the observations of the plan, and with the bots of the plan as opponents.
    `MinariDataset.recover_environment` recreates this environment.
    """
    bots, config = list(dict.fromkeys(plan.players)), short(plan.config)
    ids = {preset: f"carc_env/{name}-v0" for name, preset in PRESETS.items()}
    more: dict[str, Any] = {} if isinstance(config, str) and config in ids else {"config": config}
    return gymnasium.make(
        ids.get(str(config), "carc_env/Goldmines-v0"),
        observation=plan.observation_spec.observation,
        reward=plan.reward,
        spaces=plan.layout.spaces,
        opponent=bots if len(bots) > 1 else bots[0],
        **more,
    )


def metadata(name: str, plan: Plan) -> Mapping[str, Any]:
    """Return the metadata of the data set. The entry `carc_env` holds all settings that produced the data set."""
    made = {
        "players": list(plan.players),
        "config": plan.config.to_dict(),
        "seed": plan.seed,
        "observation": plan.observation_spec.observation,
        "reward": plan.reward,
        "spaces": plan.layout.spaces,
        "layout_hash": encode.layout_hash(plan.observation_spec.observation, plan.layout),
    }
    return {
        "dataset_id": name,
        "minari_version": minari.__version__,
        "algorithm_name": ", ".join(dict.fromkeys(plan.players)),
        "description": f"Games of Carcassonne played by {' and '.join(dict.fromkeys(plan.players))}, "
        "each from the perspective of every player.",
        "carc_env": made,
    }


def default_name(players: Sequence[str], config: ConfigSource) -> str:
    """Return a name for the data set, made from the names of the configuration and the bots."""
    played = Path(config).stem if isinstance(config, str) else "custom"
    return re.sub(r"[^-\w]+", "-", "-".join([played, *dict.fromkeys(players)]), flags=re.ASCII) + "-v0"
