"""The learner: MaskablePPO on many games at once. Each call of `Learner.learn` makes one update. The whole state of the
learner can be saved as arrays.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.nn import functional

from carc_env.bots.policy import Network, PolicyBot
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.errors import ConfigError
from carc_env.networks.candidates import CandidatesPolicy
from carc_env.observing.prospects import default_prices

from . import weights
from .algorithms import seed_for
from .buffer import CandidateBuffer
from .config import TrainConfig
from .env import Finished, LearningRewards, greedy_rows, make_env
from .opponents import Opponents
from .ranks import ALONE, Ranks, threads_of
from .teacher import Teacher
from .weights import part

COLUMNS = (  # of progress.csv
    "update",
    "steps",
    "games",
    "minutes",
    "games_per_s",
    "decisions_per_s",
    "return",
    "margin",
    "win_rate",
    "win_self",
    "win_past",
    "win_greedy",
    "win_random",
    "illegal",
    "entropy",
    "kl",
    "clip_fraction",
    "policy_loss",
    "value_loss",
    "explained_variance",
    "learning_rate",
    "check",
    "check_low",
    "check_high",
    "check_margin",
    "lesson_loss",
)


class Learner:
    """MaskablePPO with its games and its opponents.

    Args:
        config: the settings of the training run.
        ranks: the processes that learn together. Every rank except rank 0 runs the method `follow`, which repeats the
            calls of rank 0.

    Attributes:
        update: the number of updates so far.
        games: the number of finished games so far.
        illegal: the number of illegal actions so far. It must stay 0.
        seconds: the time spent so far on updates and on preparing the teacher.
        best: the weights of the best network so far, as returned by `Score.numbers`. The best network is the one that
            reached the highest margin in a match of the learning curve. Before the first match, `best` is None.
        best_margin: the highest margin so far in a match of the learning curve, in points.
    """

    def __init__(self, config: TrainConfig, ranks: Ranks = ALONE):
        self.config, self.ranks = config, ranks
        if config.lessons and config.lesson_questions < ranks.count:
            raise ConfigError(
                f"lesson_questions = {config.lesson_questions}: should be at least the number of ranks, {ranks.count}"
            )
        threads = threads_of(config.threads, ranks)
        torch.set_num_threads(threads)
        self.update, self.games, self.illegal, self.seconds = 0, 0, 0, 0.0
        self.best: dict[str, np.ndarray] | None = None
        self.best_margin = -np.inf
        self.opponents = Opponents(config)
        games = make_env(
            config.game_config, config.games, config.rows, self._seed, self.opponents.pool, threads, config.price
        )
        self.env = LearningRewards(games, config.points, config.outcome)
        self.model = self._make_model()
        self.model.set_logger(Logger(None, []))
        self.policy = policy_of(self.model)
        self.policy.measure(examples(config, config.games * ranks.count))
        ranks.share_network(self.policy)
        self.opponents.begin(self.policy.score)
        self.teacher: Teacher | None = None  # the teacher in the imitation phase
        _, self._callback = self.model._setup_learn(config.decisions)

    @property
    def _seed(self) -> int:
        """The seed of this rank's first game. No two games have the same seed, even on different ranks or in training
        runs with neighbouring seeds.
        """
        return (seed_for(self.config.seed) + self.ranks.number * self.config.games) % 2**32

    def _make_model(self) -> MaskablePPO:
        config = self.config
        return MaskablePPO(
            CandidatesPolicy,
            self.env,
            learning_rate=self._learning_rate,
            n_steps=config.steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.lambda_,
            clip_range=config.clip,
            ent_coef=config.entropy,
            vf_coef=config.value_weight,
            max_grad_norm=config.max_gradient,
            rollout_buffer_class=CandidateBuffer,
            normalize_advantage=self.ranks.count == 1,
            seed=self._seed,
            device=self.ranks.device,
            policy_kwargs={
                "width": config.width,
                "layers": config.layers,
                "greedy_start": config.greedy_start,
                "measured_on": None,
            },
        )

    def _learning_rate(self, left: float) -> float:
        """Return the learning rate. `left` is the remaining fraction of the training, which falls from 1 to 0."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        return last + (first - last) * left

    def learn(self) -> dict[str, float]:
        """Make one update, by imitation of the teacher or by PPO.

        Returns the metrics for progress.csv. The metrics do not include the matches of the learning curve.
        """
        self._lead(self.learn)
        began, answered = time.perf_counter(), self.env.answered
        lesson = self._learn_from_teacher() if self.update < self.config.lessons else self._learn_from_games()
        self.update += 1
        self.opponents.follow(self.policy.score, self.update)
        seconds = time.perf_counter() - began
        self.seconds += seconds
        parts = self.ranks.gather((self.env.take_finished(), self.env.answered - answered, self.env.illegal))
        finished = [game for part, _, _ in parts for game in part]
        self.games += len(finished)
        self.illegal = sum(illegal for _, _, illegal in parts)
        return {
            "update": self.update,
            "steps": self.steps,
            "games": self.games,
            "minutes": self.seconds / 60,
            **self._speeds(len(finished), sum(answered for _, answered, _ in parts), seconds),
            **self._results(finished),
            "illegal": self.illegal,
            **self._losses(),
            "lesson_loss": lesson,
        }

    def _speeds(self, games: int, decisions: int, seconds: float) -> dict[str, float]:
        """Return the speed of an update. An update that imitates the teacher plays no games, so its speed is nan."""
        once = np.nan if self.update <= self.config.lessons else 1 / seconds
        return {"games_per_s": games * once, "decisions_per_s": decisions * once}

    def _learn_from_teacher(self) -> float:
        """Make one update by imitation of the teacher. Returns the loss. After the last imitation update, the state of
        the optimiser is reset.
        """
        assert self.teacher is not None, "a run that has lessons to come needs its teacher"
        loss = self.teacher.give(self.policy.score, self.policy.optimizer, self.update, self.ranks)
        if self.update == self.config.lessons - 1:
            self.policy.optimizer.state.clear()
        return loss

    def _learn_from_games(self) -> float:
        """Play games, and learn from them with PPO. The imitation phase does not train the critic. Therefore, the first
        `critic_updates` updates after the imitation phase train only the critic.
        """
        model, config = self.model, self.config
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, config.steps)
        if not model.normalize_advantage:
            self.ranks.normalise(model.rollout_buffer.advantages)
        model._update_current_progress_remaining(model.num_timesteps, config.decisions)
        if self.update < config.lessons + config.critic_updates:
            learn_value(model)
        else:
            model.train()
        return float("nan")

    def bot(self) -> PolicyBot:
        """Return a bot that plays the best actions according to the current network."""
        return PolicyBot.of(Network(self.policy.score.numbers(), np.float64), self.config.rows, default_prices())

    def keep_best(self, margin: float) -> None:
        """Keep the current network as `best` if `margin` is the highest margin so far. `margin` is the network's margin
        in a match of the learning curve.
        """
        if margin > self.best_margin:
            self.best, self.best_margin = self.policy.score.numbers(), margin

    def _results(self, finished: Sequence[Finished]) -> dict[str, float]:
        """Return the mean results of the games that finished in this update, or nan if no game finished."""
        found = {
            "return": mean([game.reward for game in finished]),
            "margin": mean([game.margin for game in finished]),
            "win_rate": mean([game.result for game in finished]),
        }
        for name in ("self", "past", "greedy", "random"):
            found[f"win_{name}"] = mean(
                [game.result for game in finished if self.opponents.names[game.opponent] == name]
            )
        return found

    def _losses(self) -> dict[str, float]:
        """Return the metrics that MaskablePPO logged."""
        told = self.model.logger.name_to_value
        found = {
            "entropy": -told.get("train/entropy_loss", np.nan),
            "kl": told.get("train/approx_kl", np.nan),
            "clip_fraction": told.get("train/clip_fraction", np.nan),
            "policy_loss": told.get("train/policy_gradient_loss", np.nan),
            "value_loss": told.get("train/value_loss", np.nan),
            "explained_variance": told.get("train/explained_variance", np.nan),
            "learning_rate": told.get("train/learning_rate", np.nan),
        }
        self.model.logger.dump()
        return {key: float(value) for key, value in found.items()}

    # --- together with other ranks --------------------------------------------------------------------------------
    @property
    def steps(self) -> int:
        """The number of decisions so far, summed over all ranks."""
        return self.model.num_timesteps * self.ranks.count

    def begin_lessons(self, teacher: Teacher | None = None) -> None:
        """Begin the imitation of a teacher on all ranks. Rank 0 calls this method with the teacher. All other ranks
        call this method with None.
        """
        self._lead(self.begin_lessons)
        self.teacher = self.ranks.agree(teacher)

    def follow(self) -> None:
        """Repeat the calls of rank 0 on this rank, until rank 0 finishes."""
        deeds: dict[str, Callable[[], Any]] = {
            deed.__name__: deed for deed in (self.learn, self.begin_lessons, self.state, self.set_state)
        }
        while asked := self.ranks.agree(""):
            deeds[asked]()

    def _lead(self, deed: Callable[..., Any]) -> None:
        """On rank 0, tell all other ranks to call the given method, too. On all other ranks, do nothing."""
        if self.ranks.leads:
            self.ranks.agree(deed.__name__)

    def finish(self) -> None:
        """Tell all other ranks to finish."""
        self.ranks.agree("")

    # --- resuming -------------------------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the whole state of the learner, as arrays and a JSON-serialisable dict."""
        self._lead(self.state)
        model = self.model
        (arrays, rest), *others = self.ranks.gather(self._own_state())
        for number, (theirs, _) in enumerate(others, 1):
            arrays |= {f"rank{number}.{key}": array for key, array in theirs.items()}
        arrays |= weights.numbers(self.policy, self.policy.optimizer)
        for number, snapshot in enumerate(self.opponents.past):
            arrays |= {f"past.{number}.{key}": array for key, array in snapshot.numbers.items()}
        arrays |= {f"best.{key}": array for key, array in (self.best or {}).items()}
        return arrays, rest | {
            "others": [theirs for _, theirs in others],
            "update": self.update,
            "games": self.games,
            "seconds": self.seconds,
            "num_timesteps": model.num_timesteps,
            "n_updates": model._n_updates,
            "best_margin": self.best_margin if self.best else None,
        }

    def _own_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the part of the state that differs between ranks: the games and the random number generators."""
        arrays, env = self.env.state()
        arrays = {f"env.{key}": array for key, array in arrays.items()}
        arrays |= {f"rng.{key}": array for key, array in random_states(self.model.device).items()}
        drawn: Any = np.random.get_state()
        name, arrays["numpy"], *more = drawn
        arrays["episode_starts"] = np.asarray(self.model._last_episode_starts)
        return arrays, {"env": env, "numpy": [name, *map(float, more)]}

    def set_state(self, arrays: dict[str, np.ndarray] | None = None, rest: dict[str, Any] | None = None) -> None:
        """Restore the state on all ranks. On rank 0, the arguments are the two values that `state` returned. On all
        other ranks, no arguments are needed.
        """
        self._lead(self.set_state)
        arrays, rest = self.ranks.agree((arrays, rest))
        assert arrays is not None and rest is not None, "rank 0 has them"
        model, number = self.model, self.ranks.number
        weights.take(self.policy, self.policy.optimizer, arrays)
        for past, snapshot in enumerate(self.opponents.past):
            snapshot.take(part(arrays, f"past.{past}."))
        self.opponents.present.take(self.policy.score.numbers())
        self.update, self.games, self.seconds = rest["update"], rest["games"], rest["seconds"]
        if rest["best_margin"] is not None:
            self.best, self.best_margin = part(arrays, "best."), rest["best_margin"]
        model.num_timesteps, model._n_updates = rest["num_timesteps"], rest["n_updates"]
        everyone = [rest, *rest["others"]]
        self.illegal = sum(one["env"]["illegal"] for one in everyone)
        self._set_own_state(part(arrays, f"rank{number}.") if number else arrays, everyone[number])

    def _set_own_state(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Restore what `_own_state` returned."""
        self.model._last_obs = self.env.set_state(part(arrays, "env."), rest["env"])
        self.model._last_episode_starts = arrays["episode_starts"]
        set_random_states(part(arrays, "rng."), self.model.device)
        name, *more = rest["numpy"]
        np.random.set_state((name, arrays["numpy"], int(more[0]), int(more[1]), more[2]))


def policy_of(model: MaskablePPO) -> CandidatesPolicy:
    """Return the policy of a model. The policy must be a CandidatesPolicy."""
    assert isinstance(model.policy, CandidatesPolicy)
    return model.policy


def mean(values: Sequence[float]) -> float:
    """Return the mean of the values. If there are no values, return nan."""
    return float(np.mean(values)) if len(values) else float("nan")


def examples(config: TrainConfig, games: int) -> dict[str, np.ndarray]:
    """Return observations from games of the bot `greedy` against itself. The observations are used only to set the
    scales of the network's inputs.
    """
    env = make_env(config.game_config, min(32, games), config.rows, config.seed, price=True)
    columns = N_COLUMNS if config.price else N_SHOWN
    obs, found = env.reset(), []
    for step in range(config.steps):
        assert isinstance(obs, dict)
        obs, *_ = env.step(greedy_rows(obs))
        assert isinstance(obs, dict)
        if step % 4 == 3 or step == config.steps - 1:
            shown = {"candidates": obs["candidates"][:, :, :columns]}
            found.append({key: obs[key] for key in ("action_mask", "table")} | shown)
    env.close()
    return {key: np.concatenate([obs[key] for obs in found]) for key in found[0]}


def learn_value(model: MaskablePPO) -> None:
    """Train the critic on the decisions in the buffer, without changing the policy."""
    policy = policy_of(model)
    policy.set_training_mode(True)
    model._update_learning_rate(policy.optimizer)
    for _ in range(model.n_epochs):
        for batch in model.rollout_buffer.get(model.batch_size):
            seen: Any = batch.observations  # a dict, see CandidateBuffer.get
            loss = functional.mse_loss(policy.predict_values(seen).flatten(), batch.returns)
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            policy.optimizer.step()
    model._n_updates += model.n_epochs


def random_states(device: torch.device) -> dict[str, np.ndarray]:
    """Return the states of torch's random number generators."""
    found = {"cpu": torch.get_rng_state().numpy()}
    if device.type == "cuda":
        found["cuda"] = torch.cuda.get_rng_state(device).numpy()
    return found


def set_random_states(states: dict[str, np.ndarray], device: torch.device) -> None:
    """Restore the states of torch's random number generators."""
    torch.set_rng_state(torch.tensor(states["cpu"]))
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(torch.tensor(states["cuda"]), device)
