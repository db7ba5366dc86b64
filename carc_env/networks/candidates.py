"""Defines networks whose inputs are candidates. A candidate is a legal action, described by a row of numbers. A small
network scores every candidate, and another network computes the value of the position.

`CandidatesPolicy` is a policy class for MaskablePPO, PPO and A2C of Stable-Baselines3. The agents of this package are
trained with `CandidatesPolicy`. To save time, the networks process the candidates of a whole batch without padding. The
array `rows` of shape [candidates, columns] contains the candidates of all observations one after the other. The array
`count` of shape [batch] tells how many candidates each observation has. If the environment has `price=True`, the row of
a candidate also contains the price of the action. The bot `greedy` computes a heuristic value for each legal action.
The price of an action is its heuristic value minus the highest heuristic value of all legal actions.
"""

import functools
from typing import Any, cast

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.errors import ArgumentError
from carc_env.envs.inputs import box_spaces, layout_in
from carc_env.envs.sb3 import make_vec_env
from carc_env.networks.layers import Scale, mlp, pad
from carc_env.observing.candidates import PRICE
from carc_env.observing.spaces import Layout


class Greedy(nn.Module):
    """Computes the term that is added to the logit of each candidate: the price of the candidate, multiplied by a
    trainable weight.
    """

    def __init__(self, weight: float):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([weight]))

    def forward(self, rows: Tensor) -> Tensor:
        """Return the product of the weight and the price for each row, [rows]."""
        return self.weight * rows[:, PRICE]


class Score(nn.Module):
    """A network that scores candidates. Checkpoints store the network; see carc_env/bots/policy.py."""

    def __init__(self, width: int, layers: int, columns: int = N_SHOWN, greedy_start: float = 0.0):
        super().__init__()
        self.scale = Scale(columns)
        self.greedy = Greedy(greedy_start) if columns == N_COLUMNS else None
        self.logit = mlp(columns, width, layers)

    def forward(self, rows: Tensor) -> Tensor:
        """Return a logit for each row."""
        logits: Tensor = self.logit(self.scale(rows))[:, 0]
        return logits if self.greedy is None else logits + self.greedy(rows)

    def numbers(self) -> dict[str, np.ndarray]:
        """Return a dict of all parameters and scales. The keys are their names. Checkpoints store this dict."""
        return {key: tensor.detach().cpu().numpy().copy() for key, tensor in self.state_dict().items()}


def check_space(space: spaces.Dict) -> Layout:
    """Check that an observation space suits networks that score candidates, and return the layout of the space. The
    space must contain the array `table`, and one candidate for each entry of the action mask. Raises ArgumentError for
    any other space.
    """
    given = box_spaces(space)
    if "table" not in given or "candidates" not in given or given["action_mask"].shape != given["candidates"].shape[:1]:
        raise ArgumentError(
            "this network scores candidates: the environment needs observation='candidates', actions='candidates', "
            "table=True"
        )
    return layout_in(space)


def examples(preset: str, rows: int, layout: Layout, columns: int) -> dict[str, np.ndarray]:
    """Return example observations, from which the scales of the inputs are measured. The observations come from games
    of the bot `greedy` against itself. For each candidate, only the first `columns` columns are returned. The returned
    array `table` has only the entries that the layout contains.

    The number of players is the one in the configuration of the layout. If the layout has no configuration, the games
    have two players.
    """
    found = all_examples(preset, rows, 2 if layout.config is None else layout.config.players)
    shown = {"candidates": found["candidates"][..., :columns], "table": found["table"][:, layout.table_numbers]}
    return found | shown


@functools.cache
def all_examples(preset: str, rows: int, players: int) -> dict[str, np.ndarray]:
    """Return observations from games of the bot `greedy` against itself. The candidates have all columns, including the
    heuristic value, and the array `table` has all entries.
    """
    env = make_vec_env(
        "carc_env/Base-v0",
        16,
        0,
        config=preset,
        players=players,
        observation="candidates",
        actions="candidates",
        rows=rows,
        table=True,
        spaces="common",
        price=True,
    )
    found: list[Any] = [env.reset()]
    for _ in range(24):
        prices = np.where(found[-1]["action_mask"] == 1, found[-1]["candidates"][:, :, PRICE], -np.inf)
        found.append(env.step(prices.argmax(1))[0])
    env.close()
    return {name: np.concatenate([obs[name] for obs in found]) for name in ("candidates", "action_mask", "table")}


class CandidatesPolicy(MaskableActorCriticPolicy):
    """A policy that chooses one of the candidates.

    Args:
        width: the width of the hidden layers.
        layers: the number of hidden layers of the network that scores a candidate.
        greedy_start: the initial value of a trainable weight. The price of a candidate, multiplied by this weight, is
            added to the candidate's logit. `greedy_start` must be 0 unless the environment has `price=True`.
        measured_on: the preset whose games are used to measure the scales of the inputs. If `measured_on` is None,
            `measure` must be called later.
        use_sde: ignored; this argument exists because PPO and A2C pass it.
        more: further arguments of the policies of Stable-Baselines3.

    Raises:
        ArgumentError: if the environment lacks `actions="candidates"` or `table=True`. A value of `greedy_start` other
            than 0 also requires `price=True`.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        width: int = 64,
        layers: int = 2,
        greedy_start: float = 0.0,
        measured_on: str | None = "goldmines",
        use_sde: bool = False,
        **more: Any,
    ):
        layout, self.columns = check_space(observation_space), box_spaces(observation_space)["candidates"].shape[1]
        if greedy_start and self.columns != N_COLUMNS:
            raise ArgumentError(
                f"greedy_start = {greedy_start}: should be 0, because the candidates have no column price; to have it, "
                "make the environment with price=True"
            )
        self._shape = width, layers, greedy_start
        super().__init__(observation_space, action_space, lr_schedule, **more)
        if measured_on is not None:
            self.measure(examples(measured_on, int(action_space.n), layout, self.columns))

    def _build(self, lr_schedule: Any) -> None:
        width, layers, greedy_start = self._shape
        # number of inputs of the value network
        summary = box_spaces(cast(spaces.Dict, self.observation_space))["table"].shape[0] + 2 * self.columns
        self.score = Score(width, layers, self.columns, greedy_start)
        self.summary_scale, self.value = Scale(summary), mlp(summary, width, 2)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        """Return the arguments with which a saved policy is constructed again. The scales need not be measured again,
        because they are saved together with the policy's parameters.
        """
        width, layers, greedy_start = self._shape
        return super()._get_constructor_parameters() | {
            "width": width,
            "layers": layers,
            "greedy_start": greedy_start,
            "measured_on": None,
        }

    def measure(self, obs: dict[str, np.ndarray]) -> None:
        """Measure the scales of the inputs from example observations."""
        device = self.score.scale.mean.device
        rows, count, table = self.flat({key: torch.as_tensor(array, device=device) for key, array in obs.items()})
        self.score.scale.measure(rows.cpu().numpy())
        self.summary_scale.measure(self.summary(rows, count, table).cpu().numpy())

    # --- the two networks -------------------------------------------------------------------------------------------
    def flat(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the arrays `rows`, `count` and `table` of a batch. `obs` comes from the environment or from the
        rollout buffer. The array `rows` contains no padding.
        """
        if "rows" in obs:
            return obs["rows"], obs["count"].long(), obs["table"]
        is_candidate = obs["action_mask"] == 1
        return obs["candidates"][is_candidate], is_candidate.sum(1), obs["table"]

    def valid(self, count: Tensor) -> Tensor:
        """Return a mask for a padded array, bool[batch, K]. The mask is True for candidates and False for padding."""
        return torch.arange(self.action_space.n, device=count.device) < count[:, None]

    def summary(self, rows: Tensor, count: Tensor, table: Tensor, scores: Tensor | None = None) -> Tensor:
        """Return the inputs of the value network: the array `table`, the mean of the candidates' rows, and the row of
        the best candidate.

        If the rows contain prices, the best candidate is the one with the highest price. If the rows contain no prices,
        the best candidate is the one with the highest output of the network `score`. The argument `scores` contains the
        outputs of `score`, or is None if this method has to compute them.
        """
        with torch.no_grad():
            if self.columns == N_COLUMNS:
                scores = rows[:, PRICE]
            elif scores is None:
                scores = self.score(rows)
            best = rows[count.cumsum(0) - count + pad(scores, self.valid(count)).argmax(1)]
            mean = torch.segment_reduce(rows, "mean", lengths=count, unsafe=True)
            return torch.cat([table, mean, best], 1)

    def values(self, rows: Tensor, count: Tensor, table: Tensor, scores: Tensor | None = None) -> Tensor:
        """Return the estimated value of each observation, [batch, 1]."""
        return self.value(self.summary_scale(self.summary(rows, count, table, scores)))

    # --- what MaskablePPO calls ------------------------------------------------------------------------------------
    def forward(
        self, obs: dict[str, Tensor], deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the indices of the chosen candidates, the values, and the log probabilities of the chosen
        candidates.
        """
        rows, count, table = self.flat(obs)
        scores = self.score(rows)
        distribution = self._distribution(scores, count, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.values(rows, count, table, scores), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: dict[str, Tensor], actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the values, the log probabilities of the actions, and the entropies of the policy."""
        rows, count, table = self.flat(obs)
        scores = self.score(rows)
        distribution = self._distribution(scores, count, action_masks)
        return self.values(rows, count, table, scores), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: dict[str, Tensor], action_masks: np.ndarray | None = None) -> MaskableDistribution:
        """Return the distribution over the candidates."""
        rows, count, _ = self.flat(obs)
        return self._distribution(self.score(rows), count, action_masks)

    def predict_values(self, obs: dict[str, Tensor]) -> Tensor:
        """Return the values of the observations."""
        return self.values(*self.flat(obs))

    def _distribution(self, scores: Tensor, count: Tensor, masks: Any) -> MaskableDistribution:
        valid = self.valid(count)
        distribution = self.action_dist.proba_distribution(action_logits=pad(scores, valid))
        distribution.apply_masking(valid if masks is None else masks)
        return distribution


class CandidatesScorer(nn.Module):
    """Contains a network for scores and a network for values, like `CandidatesPolicy`. Algorithms that learn action
    values use this class; see `carc_env.networks.policies`.

    Args:
        observation_space: the observation space of the environment.
        outputs: the number of outputs for each action.
        width, layers, measured_on: have the same meaning as in `CandidatesPolicy`.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        outputs: int = 1,
        width: int = 64,
        layers: int = 2,
        measured_on: str = "goldmines",
    ):
        super().__init__()
        layout = check_space(observation_space)
        rows, columns = box_spaces(observation_space)["candidates"].shape
        self.row_scale, self.table_scale = Scale(columns), Scale(len(layout.table))
        found = examples(measured_on, rows, layout, columns)
        self.row_scale.measure(found["candidates"][found["action_mask"] == 1])
        self.table_scale.measure(found["table"])
        self.logit, self.value = mlp(columns, width, layers, outputs), mlp(len(layout.table), width, 2)

    def forward(self, obs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return two arrays:

        - the scores of the candidates, ordered by observation, [candidates, outputs]
        - the values of the observations, [n, 1]
        """
        rows = obs["candidates"][obs["action_mask"] == 1]
        return self.logit(self.row_scale(rows.float())), self.value(self.table_scale(obs["table"].float()))
