"""PPO in one file, in the style of CleanRL, without Stable-Baselines3. The algorithm applies action masks, observes
planes or candidates, and plays against bots or itself.

    python -m training.ppo_single_file --preset base --observation candidates --opponent greedy --decisions 100000

This command trains an agent, reports the progress, and plays matches at the end. In the benchmark, the algorithm is
called `ppo-single-file`. This file has five sections, in this order: settings, network for candidates, advantages,
algorithm, command. The network for planes is `carc_env.networks.neighborhood_scorer.NeighborhoodScorer`.

In self-play, the algorithm acts for both players, and one player may act several times in a row. The value of a
position is the expected return of the player who has to act. The game is zero-sum. If the opponent acts in the next
position, the algorithm therefore reverses the sign of that position's value. If the same player acts again, the value
keeps its sign. Against bots, the agent acts in every observed position, so the next value always keeps its sign.
"""

import dataclasses
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from carc_env.bots import make
from carc_env.boxes.layout import N_SHOWN
from carc_env.commands.cli import Parser, positive
from carc_env.common.errors import CarcError, ConfigError
from carc_env.networks.layers import Choices, Scale, mlp, pad
from carc_env.networks.neighborhood_scorer import NeighborhoodScorer
from carc_env.setup.config import presets

from . import weights
from .algorithms import Budget, seed_for
from .devices import CPU, add_device, check_device
from .tasks import Task

Observations = dict[str, np.ndarray]
# the observations that the network uses
SEEN = {"planes": ("planes", "globals", "action_mask"), "candidates": ("candidates", "table", "action_mask")}


@dataclass(frozen=True)
class Settings:
    """The settings for training on candidates, equal to the settings of `maskable-ppo`."""

    games: int = 16  # in parallel
    steps: int = 128  # decisions in each game between two updates
    epochs: int = 3  # passes over the decisions that an update learns from
    minibatch: int = 512  # decisions per gradient step
    learning_rate: float = 1e-3
    gamma: float = 1.0  # discount factor per decision
    lambda_: float = 0.9  # the parameter lambda of generalised advantage estimation
    clip: float = 0.2  # clipping range of the probability ratio
    entropy: float = 0.005  # weight of the entropy bonus
    value_weight: float = 0.5  # weight of the value loss
    max_gradient: float = 0.5  # larger gradients are clipped to this norm
    points: float = 10.0  # the reward is the change in the margin, divided by `points`
    anneal: bool = False  # if True, the learning rate falls to 0 as the budget is spent
    width: int = 64  # the width of the hidden layers for candidates; for planes, the layers are twice as wide


# The settings for training on planes. A network that observes planes has more to learn. It learns faster if it makes
# four times as many gradient steps per decision as a network that observes candidates. A smaller lambda reduces the
# variance of the advantages.
PLANES = Settings(steps=32, minibatch=128, lambda_=0.75, entropy=0.01, anneal=True)


# --- the network ------------------------------------------------------------------------------------------------------
class CandidatesNet(nn.Module):
    """Scores candidates one by one, and predicts the value of the position.

    The value is predicted from three inputs: the array `table` of the observation, the mean features of all candidates,
    and the features of the candidate with the highest score.
    """

    def __init__(self, width: int, table: int):
        super().__init__()
        self.row_scale, self.summary_scale = Scale(N_SHOWN), Scale(table + 2 * N_SHOWN)
        self.score, self.value = mlp(N_SHOWN, width, 2), mlp(table + 2 * N_SHOWN, width, 2)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return the scores of all candidates, [candidates, 1], and the values of the positions, [positions, 1]."""
        valid = obs["action_mask"] == 1
        rows = obs["candidates"][valid]
        scores = self.score(self.row_scale(rows))
        return scores, self.value(self.summary_scale(summary(obs["table"], rows, scores, valid)))

    def measure(self, obs: dict[str, Tensor]) -> None:
        """Set the scales of the inputs from example observations."""
        valid = obs["action_mask"] == 1
        rows = obs["candidates"][valid]
        self.row_scale.measure(rows.numpy())
        scores = self.score(self.row_scale(rows))
        self.summary_scale.measure(summary(obs["table"], rows, scores, valid).numpy())


@torch.no_grad()
def summary(table: Tensor, rows: Tensor, scores: Tensor, valid: Tensor) -> Tensor:
    """Return the inputs of the value network: the array `table`, the mean features of the candidates, and the features
    of the candidate with the highest score. `rows` and `scores` contain the features and scores of all candidates.
    """
    count = valid.sum(1)
    best = rows[count.cumsum(0) - count + pad(scores[:, 0], valid).argmax(1)]
    return torch.cat([table, torch.segment_reduce(rows, "mean", lengths=count, unsafe=True), best], 1)


# --- advantages -------------------------------------------------------------------------------------------------------
def advantages(
    rewards: np.ndarray, values: np.ndarray, players: np.ndarray, ended: np.ndarray, gamma: float, lambda_: float
) -> np.ndarray:
    """Return generalised advantage estimates for the player who acted, as float32[steps, games].

    Args:
        rewards: the rewards of the player who acted, float[steps, games].
        values: the value of each position for the player who has to act, float[steps + 1, games].
        players: the player who has to act, int[steps + 1, games].
        ended: True if the game ended with the action, bool[steps, games].
        gamma: the discount factor per action.
        lambda_: the parameter lambda of generalised advantage estimation, from 0 to 1.
    """
    found, later = np.zeros_like(rewards, dtype=np.float32), np.zeros(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        side = np.where(players[step] == players[step + 1], 1.0, -1.0) * ~ended[step]
        error = rewards[step] + gamma * side * values[step + 1] - values[step]
        later = error + gamma * lambda_ * side * later
        found[step] = later
    return found


# --- the algorithm ----------------------------------------------------------------------------------------------------
@dataclass
class Rollout:
    """The decisions between two updates, as arrays with the axes [steps, games]."""

    seen: Observations
    actions: np.ndarray
    log_probs: np.ndarray
    advantages: np.ndarray
    returns: np.ndarray

    def minibatches(
        self, size: int, rng: np.random.Generator, device: str
    ) -> Iterator[tuple[dict[str, Tensor], Tensor, Tensor, Tensor, Tensor]]:
        """Yield all decisions in random order, in minibatches on a device. A minibatch consists of observations,
        actions, log probabilities, advantages and returns.
        """
        flat = [array.reshape(-1) for array in (self.actions, self.log_probs, self.advantages, self.returns)]
        seen = {name: array.reshape(-1, *array.shape[2:]) for name, array in self.seen.items()}
        order = rng.permutation(self.actions.size)
        for first in range(0, len(order), size):
            some = order[first : first + size]
            actions, log_probs, advantages, returns = (torch.as_tensor(array[some], device=device) for array in flat)
            yield tensors(seen, device, some), actions, log_probs, advantages, returns


class PPO:
    """PPO on a task.

    Args:
        task: the task.
        seed: the seed of all random numbers.
        given: the settings; None means the settings of the benchmark.
        device: the device of the network.
    """

    def __init__(self, task: Task, seed: int, given: Settings | None = None, device: str = CPU):
        torch.manual_seed(seed)
        given = given or (PLANES if task.observation == "planes" else Settings())
        if given.games * given.steps % given.minibatch == 1:
            raise ConfigError(
                f"minibatch = {given.minibatch}: the last minibatch would have only one decision, which gives "
                f"no gradient"
            )
        self._given, self._task, self._seed, self._rng = given, task, seed, np.random.default_rng(seed)
        self._device = device
        self.settings = dataclasses.asdict(given)
        if task.observation == "planes":
            self._network: nn.Module = NeighborhoodScorer(task.space, width=2 * given.width)
        else:
            self._network = CandidatesNet(given.width, len(task.layout.table))
            self._network.measure(tensors(examples(task)))
        self._network.to(device)
        self._optimizer = torch.optim.Adam(self._network.parameters(), given.learning_rate, eps=1e-5)

    def fit(self, budget: Budget) -> None:
        """Alternate between playing and learning until the budget is spent."""
        self._envs = self._task.environment(self._given.games)
        self._now, infos = self._envs.reset(seed=seed_for(self._seed, budget.made))
        self._players = infos["player"]
        while budget.left > 0:
            for group in self._optimizer.param_groups if self._given.anneal else ():
                group["lr"] = self._given.learning_rate * (1 - budget.share)
            self._learn(self._play())
            budget.spend(self._given.games * self._given.steps)
        self._envs.close()

    def act(self, observations: Observations) -> np.ndarray:
        """Return the best action for each observation, int64[n]: an action id, or the index of a candidate."""
        with torch.no_grad():
            return self._both(tensors(self._seen(observations), self._device))[0].best().cpu().numpy()

    def _both(self, seen: dict[str, Tensor]) -> tuple[Choices, Tensor]:
        """Return the distributions over the legal actions, and the value of each position."""
        scores, values = self._network(seen)
        return Choices(scores[:, 0], seen["action_mask"] == 1), values[:, 0]

    def _seen(self, observations: Observations) -> Observations:
        """Select the inputs of the network from the observations."""
        return {name: observations[name] for name in SEEN[self._task.observation]}

    @torch.no_grad()
    def _play(self) -> Rollout:
        """Play a fixed number of actions in each game (the setting `steps`)."""
        steps, games = self._given.steps, self._given.games
        seen = {name: np.empty((steps, *array.shape), array.dtype) for name, array in self._seen(self._now).items()}
        actions, ended, log_probs = (
            np.empty((steps, games), np.int64),
            np.empty((steps, games), bool),
            np.empty((steps, games), np.float32),
        )
        rewards, values, players = (
            np.empty((steps, games)),
            np.empty((steps + 1, games)),
            np.empty((steps + 1, games), np.int64),
        )
        for step in range(steps):
            for name, array in self._seen(self._now).items():
                seen[name][step] = array
            choices, value = self._both(tensors(self._seen(self._now), self._device))
            chosen = choices.sample()
            players[step] = self._players
            for array, found in ((values, value), (actions, chosen), (log_probs, choices.log_prob(chosen))):
                array[step] = found.cpu()
            self._now, rewards[step], ended[step], _, infos = self._envs.step(actions[step])
            self._players = infos["player"]
        players[steps], values[steps] = self._players, self._both(tensors(self._seen(self._now), self._device))[1].cpu()
        gained = advantages(
            rewards / self._given.points, values, players, ended, self._given.gamma, self._given.lambda_
        )
        return Rollout(seen, actions, log_probs, gained, (gained + values[:-1]).astype(np.float32))

    def _learn(self, rollout: Rollout) -> None:
        """Update the network on a rollout, in several passes."""
        given = self._given
        for _ in range(given.epochs):
            for seen, actions, before, gained, returns in rollout.minibatches(given.minibatch, self._rng, self._device):
                choices, values = self._both(seen)
                ratio = torch.exp(choices.log_prob(actions) - before)
                gained = (gained - gained.mean()) / (gained.std() + 1e-8)
                won = torch.minimum(ratio * gained, ratio.clamp(1 - given.clip, 1 + given.clip) * gained).mean()
                loss = (
                    given.value_weight * functional.mse_loss(values, returns)
                    - won
                    - given.entropy * choices.entropy().mean()
                )
                self._optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._network.parameters(), given.max_gradient)
                self._optimizer.step()

    def state(self) -> Observations:
        """Return the state of the network and the optimiser, as arrays."""
        return weights.numbers(self._network, self._optimizer)

    def set_state(self, arrays: Observations, made: int) -> None:
        """Restore the arrays that `state` returned. The training continues in new games."""
        weights.take(self._network, self._optimizer, arrays)


def tensors(seen: Observations, device: str = CPU, some: Any = slice(None)) -> dict[str, Tensor]:
    """Convert observations to tensors on a device. `some` selects the observations to convert."""
    return {name: torch.as_tensor(array[some], device=device) for name, array in seen.items()}


def examples(task: Task, games: int = 16, steps: int = 24) -> Observations:
    """Return observations from games of `greedy`, for computing the scales of the network's inputs."""
    envs, bot = task.environment(games, "greedy"), make("greedy")
    seen = [envs.reset(seed=0)[0]]
    for _ in range(steps):
        ids = envs.layout.from_common(bot.choose_batch(envs.games))
        seen.append(envs.step((seen[-1]["candidate_actions"] == ids[:, None]).argmax(1))[0])
    envs.close()
    return {name: np.concatenate([one[name] for one in seen]) for name in SEEN["candidates"]}


# --- the command ------------------------------------------------------------------------------------------------------
class Told(Budget):
    """A budget that prints the number of decisions and the speed after each update."""

    def __init__(self, decisions: int):
        super().__init__(decisions)
        self._began = time.perf_counter()

    def spend(self, decisions: int) -> None:
        """Count decisions. Print the number of decisions so far and the decisions per second."""
        super().spend(decisions)
        print(
            f"{self.made:,} of {self.decisions:,} decisions, {self.made / (time.perf_counter() - self._began):,.0f} "
            "per second",
            flush=True,
        )


def parser() -> Parser:
    """Return the argument parser."""
    found = Parser(
        "python -m training.ppo_single_file", description="Train an agent by PPO in one file, and evaluate it."
    )
    found.add_argument("--preset", default="base", choices=presets(), help="the preset (base)")
    found.add_argument("--observation", default="candidates", choices=tuple(SEEN), help="the observation (candidates)")
    found.add_argument("--opponent", default="greedy", metavar="BOT", help="a bot, or self for self-play (greedy)")
    found.add_argument(
        "--decisions", type=positive, default=100_000, metavar="N", help="the decisions to make (100,000)"
    )
    add_device(found)
    found.add_argument("--seed", type=positive, default=1, metavar="S", help="the seed of all random numbers (1)")
    found.add_argument("--pairs", type=positive, default=100, metavar="N", help="pairs of games per opponent (100)")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Train and play matches. Returns the exit status. For --help and invalid arguments, argparse raises SystemExit."""
    from carc_env.arena.match import play_match

    from .actor import ActorBot
    from .ppo import OPPONENTS

    asked = parser().parse_args(argv)
    try:
        task = Task("own", asked.preset, asked.observation, asked.decisions, asked.opponent, spaces="game")
        check_device(asked.device)
        algorithm = PPO(task, asked.seed, device=asked.device)
        algorithm.fit(Told(asked.decisions))
        for opponent in OPPONENTS:
            player = ActorBot("ppo-single-file", algorithm.act, task.observation_spec)
            print(play_match(player, opponent, task.preset, asked.pairs), flush=True)
    except CarcError as error:
        print(f"training.ppo_single_file: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
