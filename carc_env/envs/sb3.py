"""Many games at once as a Stable-Baselines3 VecEnv: `make_vec_env`, and CandidateVecEnv, whose actions are candidates.

The rest of this page is about the latter. An observation lists the legal answers as rows of features (see candidates.py);
action k is the answer of row k. The learner has one seat in every game; opponents, which see the same rows, play the other
seats inside the batch. The learner may be asked several times in a row, and so may they: nothing here supposes that players
alternate.

| observation | shape | meaning |
|---|---|---|
| `rows` | (K, N_COLUMNS) | the candidates; zeros below the last |
| `count` | (1,) | how many there are |
| `table` | (N_TABLE,) | how the game stands, for the value of a position; see TABLE in layout.py |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from carc_env.boxes import tile_table
from carc_env.candidates import MAX_CANDIDATES, PRICE, candidates, room_for
from carc_env.config import ConfigSource, as_config
from carc_env.envs.common import Threads
from carc_env.envs.survey import play, survey
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.errors import ArgumentError
from carc_env.game import WHOLE
from carc_env.games import Games
from carc_env.gate import as_actions, as_count, as_seed
from carc_env.layout import N_COLUMNS, N_TABLE
from carc_env.prospects import default_prices
from carc_env.rules.answers import N_ACTIONS
from carc_env.rules.state import GAME, NONE

try:
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
except ImportError:
    raise ImportError('carc_env.envs.sb3 needs Stable-Baselines3: pip install ".[train]"') from None

# Chooses one of the candidates of each question: rows[m, K, N_COLUMNS], count[m], a generator -> int[m]. It may change
# between two steps; games go on with whoever stands at their place of the list.
Opponent = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


def greedy(rows: np.ndarray, count: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The answer with the best price, as the bot `greedy`."""
    return np.where(is_candidate(count, rows.shape[1]), rows[:, :, PRICE], -np.inf).argmax(1)


def uniform(rows: np.ndarray, count: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Any of the candidates."""
    return rng.integers(count)


def is_candidate(count: np.ndarray, most: int) -> np.ndarray:
    """Which of `most` rows are candidates, bool[n, most]."""
    return np.arange(most) < count.reshape(-1, 1)


# --- the environment ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Finished:
    """A game that the learner has played to its end."""

    game: int  # its number in the batch
    opponent: int  # place in the list of opponents
    margin: int  # points, own less best other
    result: float  # 1 won, 0.5 drawn, 0 lost
    reward: float  # sum of all rewards
    decisions: int  # the learner's


class BatchVecEnv(VecEnv):
    """What the VecEnvs over a batch share: there are no single environments behind them that could be asked."""

    render_mode = None

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the batch, once for each game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the batch that returns one thing for each game."""
        found = getattr(self, method_name)(*method_args, **method_kwargs)
        return [found[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


class CarcassonneVecEnv(BatchVecEnv):
    """n games as a Stable-Baselines3 VecEnv, over the batch engine of `CarcassonneVectorEnv`.

    Observations, actions and rewards are those of `CarcassonneEnv`. An info has what its infos have, and at the end of a
    game "terminal_observation".

    Args:
        games: the batch; its autoreset mode must be "SameStep" and it must give copies.

    Attributes:
        illegal: actions so far that were not legal.
    """

    def __init__(self, games: CarcassonneVectorEnv):
        if games.autoreset_mode != AutoresetMode.SAME_STEP or not games.copy:
            raise ArgumentError("a VecEnv needs a batch with autoreset_mode='SameStep' and copy=True")
        self.batch, self.illegal = games, 0
        self.render_mode = games.render_mode
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)

    def reset(self) -> dict[str, np.ndarray]:
        """Begin all games anew; after `seed(s)` game i with the seed s + i."""
        observations, infos = self.batch.reset(seed=self._seeds, options=self._options[0])
        self.reset_infos = self._each(infos)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take an action id for each game. Raises IllegalAction for what are none."""
        self._actions = as_actions(actions, self.num_envs)

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Answer with them; games that end begin anew."""
        observations, rewards, dones, _, infos = self.batch.step(self._actions)
        each = self._each(infos)
        if dones.any():
            finals = self._each(infos["final_info"])
            for i in np.flatnonzero(dones):
                each[i] = finals[i] | {"terminal_observation": infos["final_obs"][i]}
        self.illegal += sum("illegal_action" in info for info in each)
        return observations, rewards.astype(np.float32), dones, each

    def action_masks(self) -> np.ndarray:
        """Which actions are legal in each game, bool[n, N_ACTIONS]."""
        return self.batch.action_masks()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """One picture of each game."""
        return self.batch.render() or [None] * self.num_envs

    def close(self) -> None:
        """Let the threads go."""
        self.batch.close()

    def _each(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """The infos of a batch, one dict for each game."""
        names = [name for name in infos if f"_{name}" in infos and not name.startswith("final")]
        return [{name: infos[name][i] for name in names if infos[f"_{name}"][i]} for i in range(self.num_envs)]


def make_vec_env(id: str, n_envs: int = 1, seed: int | None = None, env_kwargs: Mapping[str, Any] | None = None,
                 **settings: Any) -> VecMonitor:
    """A Stable-Baselines3 VecEnv of so many games, with `action_masks()` and a VecMonitor around it.

    The names are those of Stable-Baselines3's `make_vec_env`.

    Args:
        id: such as "carc_env/Goldmines-v0".
        n_envs: how many games.
        seed: of the first game, the next has seed + 1, and so on; drawn from the operating system if None.
        env_kwargs: arguments of `CarcassonneVectorEnv`, such as opponent, reward, observation and threads,
        settings: and more of them.

    >>> env = make_vec_env("carc_env/Goldmines-v0", 4, seed=7, opponent="random")
    >>> observations = env.reset()
    >>> observations, rewards, dones, infos = env.step(env.action_masks().argmax(1))
    """
    seed = None if seed is None else as_seed(seed)
    settings = {**(env_kwargs or {}), **settings, "autoreset_mode": AutoresetMode.SAME_STEP, "copy": True}
    env = CarcassonneVecEnv(gymnasium.make_vec(id, n_envs, "vector_entry_point", **settings))
    env.seed(seed)
    return VecMonitor(env)


class CandidateVecEnv(BatchVecEnv):
    """n games of one configuration, each with one seat for the learner.

    The reward of a decision is what happens until the learner's next one: the change of his margin over the best
    other player, as if the game were scored now, divided by `points`, and `outcome` (won +, lost -) at the end. What
    others gain or lose in between counts too, so the rewards of a game add up to `margin / points +- outcome`.

    Args:
        config: a GameConfig, a dict of its fields, the path of a TOML file, or the name of a preset.
        n: how many games.
        opponents: who may play the other seats, see Opponent.
        shares: how often each is drawn at the beginning of a game; all alike by default.
        most: K, the rows of an observation; of more legal answers those with the best prices are kept.
        points: margin that makes a reward of 1.
        outcome: reward for winning.
        seed: of decks, seats, draws of opponents and their choices.
        threads: threads that share the games.

    Attributes:
        illegal: answers so far that were not legal; it must stay 0.
        answered: answers so far, those of opponents included.
    """

    def __init__(self, config: ConfigSource, n: int, opponents: Sequence[Opponent] = (greedy,),
                 shares: Sequence[float] | None = None, most: int = MAX_CANDIDATES, points: float = 10.0,
                 outcome: float = 1.0, seed: int = 0, threads: int = 1):
        self.config = as_config(config)
        self.opponents = list(opponents)
        self.shares = [1.0] * len(self.opponents) if shares is None else list(shares)
        self.rng, n = np.random.default_rng(as_seed(seed)), as_count(n, "n", 1)
        self.illegal = self.answered = 0
        self.most, self._points, self._outcome = most, points, outcome
        self._prices = default_prices()
        self._threads = Threads(threads)
        self.games = Games(self.config, n, range(n))
        self.seats, self.opponent = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._margins, self._returns = np.zeros(n), np.zeros(n)  # margin at the last decision; rewards so far
        self._decisions = np.zeros(n, np.int64)
        self._finished: list[Finished] = []
        # Two sets of rows by turns: the caller may still use the rows of the last step.
        self._rows, self._spare = (np.zeros((n, most, N_COLUMNS), np.float32) for _ in range(2))
        self._ids = np.full((n, most), NONE, np.int32)
        self._table = np.zeros((n, N_TABLE), np.float32)
        self._chosen = np.zeros(n, np.int64)
        super().__init__(n, spaces.Dict({
            "rows": spaces.Box(-np.inf, np.inf, (most, N_COLUMNS), np.float32),
            "count": spaces.Box(0, most, (1,), np.int32),
            "table": spaces.Box(-np.inf, np.inf, (N_TABLE,), np.float32)}), spaces.Discrete(most))

    # --- VecEnv -------------------------------------------------------------------------------------------------
    def reset(self) -> dict[str, np.ndarray]:
        """Begin all games anew; after `seed(s)` with that seed."""
        if self._seeds[0] is not None:
            self.rng = np.random.default_rng(self._seeds[0])
        self._reset_seeds()
        every = np.arange(self.num_envs)
        self._begin(every)
        self._go_on(every, np.full(self.num_envs, NONE), np.zeros(self.num_envs), np.ones(self.num_envs, bool))
        return self._observation()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's choices, a row number for each game. Raises IllegalAction for what are none."""
        self._chosen = as_actions(actions, self.num_envs)

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Answer with them, and let the opponents answer until the learner is asked again in every game."""
        every = np.arange(self.num_envs)
        is_row = (self._chosen >= 0) & (self._chosen < self.most)
        answers = np.where(is_row, self._ids[every, np.where(is_row, self._chosen, 0)], NONE)
        # A row that is no candidate has no id: an answer that no game allows, so that it is counted as illegal.
        answers = np.where(answers == NONE, N_ACTIONS, answers)
        self._rows, self._spare = self._spare, self._rows
        self._decisions += 1
        rewards, dones = np.zeros(self.num_envs), np.zeros(self.num_envs, bool)
        self._go_on(every, answers, rewards, dones)
        return self._observation(), rewards.astype(np.float32), dones, [{} for _ in every]

    def action_masks(self) -> np.ndarray:
        """Which rows are candidates, bool[n, K]."""
        return self._ids != NONE

    def close(self) -> None:
        """Let the threads go."""
        self._threads.close()

    # --- for the trainer ------------------------------------------------------------------------------------------
    def take_finished(self) -> list[Finished]:
        """The games finished since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """All that is needed to go on later: arrays, and what JSON knows. Opponents are not part of it."""
        n = self.num_envs
        arrays = {"records": self.games.records.view(np.uint8).reshape(n, -1), "seats": self.seats,
                  "opponent": self.opponent, "margins": self._margins, "returns": self._returns,
                  "decisions": self._decisions}
        return arrays, {"rng": self.rng.bit_generator.state, "illegal": self.illegal, "answered": self.answered}

    def set_state(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> dict[str, np.ndarray]:
        """Go on from what `state` gave. Returns the observation."""
        self.games.records.view(np.uint8).reshape(self.num_envs, -1)[:] = arrays["records"]
        for name in ("seats", "opponent"):
            getattr(self, name)[:] = arrays[name]
        for name in ("margins", "returns", "decisions"):
            getattr(self, f"_{name}")[:] = arrays[name]
        self.rng.bit_generator.state = rest["rng"]
        every = np.arange(self.num_envs)
        self._advance(every, np.full(self.num_envs, NONE))
        self._threads.share_out(self._survey, every)
        self.illegal, self.answered, self._finished = rest["illegal"], rest["answered"], []
        return self._observation()

    # --- what a step is made of -------------------------------------------------------------------------------------
    def _observation(self) -> dict[str, np.ndarray]:
        count = self.action_masks().sum(1, dtype=np.int32).reshape(-1, 1)
        return {"rows": self._rows, "count": count, "table": self._table.copy()}

    def _begin(self, which: np.ndarray) -> None:
        """Begin the games numbered `which` anew: decks, seats, opponents."""
        n = len(which)
        self.games.reset(which, self.rng.integers(2**63, size=n))
        self.seats[which] = self.rng.integers(self.config.players, size=n)
        shares = np.array(self.shares) / sum(self.shares)
        self.opponent[which] = self.rng.choice(len(shares), size=n, p=shares)
        self._margins[which] = self._returns[which] = self._decisions[which] = 0

    def _go_on(self, which: np.ndarray, answers: np.ndarray, rewards: np.ndarray, dones: np.ndarray) -> None:
        """Answer, then let opponents answer and new games begin until the learner is asked in every game."""
        while len(which):
            self._advance(which, answers)
            over = which[self.games.players[which] == NONE]
            if len(over):
                self._end(over, rewards, dones)
            asked = which[~np.isin(which, over)]
            asked = asked[self.games.players[asked] != self.seats[asked]]
            which = np.concatenate([over, asked])
            answers = np.concatenate([np.full(len(over), NONE), self._opponents_choose(asked)])
        self._threads.share_out(self._survey, np.arange(self.num_envs))
        rewards += np.where(dones, 0.0, (self._table[:, 0] - self._margins) / self._points)
        going = ~dones
        self._returns[going] += rewards[going]
        self._margins[going] = self._table[going, 0]

    def _end(self, over: np.ndarray, rewards: np.ndarray, dones: np.ndarray) -> None:
        """Reward and note the games that are over, and begin new ones in their places."""
        scores = self.games.scores[over].astype(np.int64)
        own = np.take_along_axis(scores, self.seats[over, None], 1)[:, 0]
        np.put_along_axis(scores, self.seats[over, None], -30000, 1)
        margins = own - scores.max(1)
        gains = (margins - self._margins[over]) / self._points + self._outcome * np.sign(margins)
        for i, margin, gain in zip(over, margins, gains):
            if self._decisions[i]:  # else the opponents had the whole game to themselves
                rewards[i], dones[i] = gain, True
                self._finished.append(Finished(int(i), int(self.opponent[i]), int(margin), float(np.sign(margin) + 1) / 2,
                                               float(self._returns[i] + gain), int(self._decisions[i])))
        self._begin(over)

    def _opponents_choose(self, which: np.ndarray) -> np.ndarray:
        """The answers of the opponents in the games numbered `which`."""
        answers = np.empty(len(which), np.int64)
        for number, opponent in enumerate(self.opponents):
            mine = np.flatnonzero(self.opponent[which] == number)
            if len(mine):
                asked = which[mine]
                rows, count = self._rows[asked], (self._ids[asked] != NONE).sum(1)
                answers[mine] = self._ids[asked, opponent(rows, count, self.rng)]
        return answers

    def _advance(self, which: np.ndarray, answers: np.ndarray) -> None:
        """Play the answers (none where NONE) and list the candidates that follow."""
        self.answered += int((answers != NONE).sum())
        self.illegal += sum(self._threads.share_out(self._play_and_list, which, answers))

    def _play_and_list(self, which: np.ndarray, answers: np.ndarray) -> int:
        """Play the answers and list the candidates. Returns how many answers were not legal."""
        illegal = play(self.games.records, tile_table(), which, answers)
        records = self._copies(which)
        rows, ids = room_for(len(which), self.most)
        candidates(records, tile_table(), self._prices, rows, ids)
        self._rows[which], self._ids[which] = rows, ids
        return illegal

    def _survey(self, which: np.ndarray) -> None:
        """Note how the games numbered `which` stand."""
        table = np.empty((len(which), N_TABLE), np.float32)
        survey(self._copies(which), tile_table(), self._prices, self.seats[which], table)
        self._table[which] = table

    def _copies(self, which: np.ndarray) -> np.ndarray:
        """Copies of some records, side by side."""
        return self.games.records.view(WHOLE)[which].view(GAME)
