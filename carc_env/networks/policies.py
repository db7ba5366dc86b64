"""Defines policies for Stable-Baselines3. Each policy is based on a scorer, which is a network that scores actions.

A scorer is a torch module whose constructor takes the observation space. The scorer returns two arrays:

- the scores of the legal actions, [actions, outputs]: first all actions of the first observation, then all actions of
  the second observation, and so on
- the values of the observations, [n, 1]

Each scorer has three policies, which are named after the scorer:

- `...Policy` for MaskablePPO, PPO and A2C
- `...QPolicy` for DQN
- `...QuantilePolicy` for QR-DQN

The arguments of the scorer are passed in `policy_kwargs`. All policies use the action mask in the observation.
Therefore even algorithms without support for masks play only legal actions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.qrdqn.policies import QRDQNPolicy
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor, nn

from carc_env.networks.candidates import CandidatesScorer
from carc_env.networks.layers import Choices, pad
from carc_env.networks.neighborhood_scorer import NeighborhoodScorer
from carc_env.networks.torus import TorusScorer

Observation = dict[str, Tensor]


class _Scoring:
    """The base class of all policies in this module. The attribute `_more` stores the arguments of the scorer."""

    scorer_class: Callable[..., nn.Module]

    def make_scorer(self) -> nn.Module:
        """Create the scorer: the network that scores the actions."""
        return self.scorer_class(self.observation_space, **self._more)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        """Return the constructor arguments that are saved with a policy. They are used when the policy is loaded."""
        return {
            "observation_space": self.observation_space,
            "action_space": self.action_space,
            "lr_schedule": self._dummy_schedule,
            "optimizer_class": self.optimizer_class,
            "optimizer_kwargs": self.optimizer_kwargs,
            **self._more,
        }


class ScorerPolicy(_Scoring, MaskableActorCriticPolicy):
    """A policy for MaskablePPO, PPO and A2C. The scorer computes the logits of the actions and the value of the
    observation.

    Args:
        use_sde: ignored; this argument exists because PPO and A2C pass it.
        optimizer_class, optimizer_kwargs: have the same meaning as in the policies of Stable-Baselines3.
        more: further keyword arguments, which are passed to the scorer.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        use_sde: bool = False,
        optimizer_class: type = torch.optim.Adam,
        optimizer_kwargs: dict[str, Any] | None = None,
        **more: Any,
    ):
        self._more = more
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            optimizer_class=optimizer_class,
            optimizer_kwargs=optimizer_kwargs,
        )

    def _build(self, lr_schedule: Any) -> None:
        self.scorer = self.make_scorer()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def forward(
        self, obs: Observation, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the chosen actions, the values, and the log probabilities of the chosen actions."""
        choices, values = self._both(obs, action_masks)
        actions = choices.best() if deterministic else choices.sample()
        return actions, values, choices.log_prob(actions)

    def evaluate_actions(
        self, obs: Observation, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the values, the log probabilities of the actions, and the entropies of the policy."""
        choices, values = self._both(obs, action_masks)
        return values, choices.log_prob(actions), choices.entropy()

    def get_distribution(self, obs: Observation, action_masks: np.ndarray | None = None) -> MaskableDistribution:
        """Return the distribution over all action ids. The method belongs to the policy interface of sb3-contrib. This
        package does not call the method.
        """
        legal = obs["action_mask"] == 1
        distribution = self.action_dist.proba_distribution(action_logits=pad(self.scorer(obs)[0][:, 0], legal))
        distribution.apply_masking(legal if action_masks is None else action_masks)
        return distribution

    def predict_values(self, obs: Observation) -> Tensor:
        """Return the values of the observations."""
        return self.scorer(obs)[1]

    def _predict(
        self, observation: Observation, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> Tensor:
        choices = self._both(observation, action_masks)[0]
        return choices.best() if deterministic else choices.sample()

    def _both(self, obs: Observation, masks: Any) -> tuple[Choices, Tensor]:
        """Return the distributions over the legal actions, and the values of the observations. `masks` can exclude some
        of the legal actions.
        """
        legal, (scores, values) = obs["action_mask"] == 1, self.scorer(obs)
        if masks is None:
            return Choices(scores[:, 0], legal), values
        allowed = torch.as_tensor(masks, device=legal.device).reshape(legal.shape) == 1
        return Choices(scores[allowed[legal], 0], legal & allowed), values


class AnswerValues(BasePolicy):
    """Computes the value of each action: the value of the position plus the score of the action. For QR-DQN, an action
    has one score for each quantile. A quantile of the action's value is the value of the position plus the score for
    this quantile.
    """

    def __init__(self, observation_space: Any, action_space: Any, scorer: nn.Module, is_quantile: bool):
        super().__init__(observation_space, action_space)
        self.scorer, self._is_quantile = scorer, is_quantile

    def forward(self, obs: Observation) -> Tensor:
        """Return the values of the actions, [n, actions]. For QR-DQN, return the quantiles of the action values, with
        the shape [n, quantiles, actions]. The values and quantiles of illegal actions are very low.
        """
        scores, values = self.scorer(obs)
        scores = pad(scores, obs["action_mask"] == 1) + values[:, :, None]
        return scores.transpose(1, 2) if self._is_quantile else scores[:, :, 0]

    def _predict(self, obs: Observation, deterministic: bool = True) -> Tensor:
        values = self(obs)
        return (values.mean(1) if self._is_quantile else values).argmax(1)


class ScorerQPolicy(_Scoring, DQNPolicy):
    """A policy for DQN that uses a scorer as its network. The arguments are those of `ScorerPolicy`."""

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        optimizer_class: type = torch.optim.Adam,
        optimizer_kwargs: dict[str, Any] | None = None,
        **more: Any,
    ):
        self._more = more
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            optimizer_class=optimizer_class,
            optimizer_kwargs=optimizer_kwargs,
        )

    def make_q_net(self) -> AnswerValues:
        """Return a new network that computes action values: the Q-network or the target network."""
        return AnswerValues(self.observation_space, self.action_space, self.make_scorer(), False).to(self.device)


class ScorerQuantilePolicy(_Scoring, QRDQNPolicy):
    """A policy for QR-DQN that uses a scorer as its network. The arguments are those of `ScorerPolicy`, plus
    `n_quantiles`.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        n_quantiles: int = 25,
        optimizer_class: type = torch.optim.Adam,
        optimizer_kwargs: dict[str, Any] | None = None,
        **more: Any,
    ):
        self._more = more
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            n_quantiles,
            optimizer_class=optimizer_class,
            optimizer_kwargs=optimizer_kwargs,
        )

    def make_scorer(self) -> nn.Module:
        """Return a new scorer with an output for each quantile of each action."""
        return self.scorer_class(self.observation_space, self.n_quantiles, **self._more)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"n_quantiles": self.n_quantiles}

    def make_quantile_net(self) -> AnswerValues:
        """Return a new network that computes quantiles of action values: the quantile network or the target network."""
        return AnswerValues(self.observation_space, self.action_space, self.make_scorer(), True).to(self.device)


class NeighborhoodPolicy(ScorerPolicy):
    """Scores each legal action from the planes around the action's cell."""

    scorer_class = NeighborhoodScorer


class NeighborhoodQPolicy(ScorerQPolicy):
    """Like `NeighborhoodPolicy`, for DQN."""

    scorer_class = NeighborhoodScorer


class NeighborhoodQuantilePolicy(ScorerQuantilePolicy):
    """Like `NeighborhoodPolicy`, for QR-DQN."""

    scorer_class = NeighborhoodScorer


class TorusPolicy(ScorerPolicy):
    """Scores each legal action with convolutions over the whole table. If the table is a torus, the convolutions are
    circular.
    """

    scorer_class = TorusScorer


class TorusQPolicy(ScorerQPolicy):
    """Like `TorusPolicy`, for DQN."""

    scorer_class = TorusScorer


class TorusQuantilePolicy(ScorerQuantilePolicy):
    """Like `TorusPolicy`, for QR-DQN."""

    scorer_class = TorusScorer


class CandidatesQPolicy(ScorerQPolicy):
    """A policy for DQN that scores each candidate."""

    scorer_class = CandidatesScorer


class CandidatesQuantilePolicy(ScorerQuantilePolicy):
    """A policy for QR-DQN that scores each candidate."""

    scorer_class = CandidatesScorer
