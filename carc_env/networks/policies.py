"""Policies of Stable-Baselines3 made from the networks that score actions.

A scorer is a module that is made from the observation space. It returns the scores of the legal actions, question by
question, [answers, outputs], and values [n, 1]. Each scorer has a policy for MaskablePPO, PPO and A2C (`...Policy`),
for DQN (`...QPolicy`) and for QR-DQN (`...QuantilePolicy`). The arguments of the scorer are passed in `policy_kwargs`.
All policies use the mask in the observation, so even an algorithm without masks plays only legal actions.
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
    """The common part of the three kinds of policies: the arguments of the scorer, in `_more`."""

    scorer_class: Callable[..., nn.Module]

    def make_scorer(self) -> nn.Module:
        """A new scorer."""
        return self.scorer_class(self.observation_space, **self._more)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        """The arguments that a saved policy is made from."""
        return {
            "observation_space": self.observation_space,
            "action_space": self.action_space,
            "lr_schedule": self._dummy_schedule,
            "optimizer_class": self.optimizer_class,
            "optimizer_kwargs": self.optimizer_kwargs,
            **self._more,
        }


class ScorerPolicy(_Scoring, MaskableActorCriticPolicy):
    """An actor and a critic that share a scorer.

    Args:
        use_sde: has no effect; PPO and A2C pass it.
        optimizer_class, optimizer_kwargs: as in Stable-Baselines3's policies.
        more: arguments of the scorer.
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
        """The chosen actions, the values, and the log probabilities of the choices."""
        choices, values = self._both(obs, action_masks)
        actions = choices.best() if deterministic else choices.sample()
        return actions, values, choices.log_prob(actions)

    def evaluate_actions(
        self, obs: Observation, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The values, the log probabilities of the choices, and the entropies."""
        choices, values = self._both(obs, action_masks)
        return values, choices.log_prob(actions), choices.entropy()

    def get_distribution(self, obs: Observation, action_masks: np.ndarray | None = None) -> MaskableDistribution:
        """The distribution over all ids. Nothing in this package needs it."""
        legal = obs["action_mask"] == 1
        distribution = self.action_dist.proba_distribution(action_logits=pad(self.scorer(obs)[0][:, 0], legal))
        distribution.apply_masking(legal if action_masks is None else action_masks)
        return distribution

    def predict_values(self, obs: Observation) -> Tensor:
        """The values."""
        return self.scorer(obs)[1]

    def _predict(
        self, observation: Observation, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> Tensor:
        choices = self._both(observation, action_masks)[0]
        return choices.best() if deterministic else choices.sample()

    def _both(self, obs: Observation, masks: Any) -> tuple[Choices, Tensor]:
        """The choices and the values. `masks` may allow less than the observation does."""
        legal, (scores, values) = obs["action_mask"] == 1, self.scorer(obs)
        if masks is None:
            return Choices(scores[:, 0], legal), values
        allowed = torch.as_tensor(masks, device=legal.device).reshape(legal.shape) == 1
        return Choices(scores[allowed[legal], 0], legal & allowed), values


class AnswerValues(BasePolicy):
    """The value of each action, or its quantiles: the value of the position plus the advantage of the action."""

    def __init__(self, observation_space: Any, action_space: Any, scorer: nn.Module, is_quantile: bool):
        super().__init__(observation_space, action_space)
        self.scorer, self._is_quantile = scorer, is_quantile

    def forward(self, obs: Observation) -> Tensor:
        """Values [n, actions], or quantiles [n, quantiles, actions]; very low for illegal actions."""
        scores, values = self.scorer(obs)
        scores = pad(scores, obs["action_mask"] == 1) + values[:, :, None]
        return scores.transpose(1, 2) if self._is_quantile else scores[:, :, 0]

    def _predict(self, obs: Observation, deterministic: bool = True) -> Tensor:
        values = self(obs)
        return (values.mean(1) if self._is_quantile else values).argmax(1)


class ScorerQPolicy(_Scoring, DQNPolicy):
    """A scorer as the network of DQN. Its arguments are those of `ScorerPolicy`."""

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
        """The network, or its target network."""
        return AnswerValues(self.observation_space, self.action_space, self.make_scorer(), False).to(self.device)


class ScorerQuantilePolicy(_Scoring, QRDQNPolicy):
    """A scorer as the network of QR-DQN. Its arguments are those of `ScorerPolicy`, and `n_quantiles`."""

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
        """A new scorer with so many outputs for each action."""
        return self.scorer_class(self.observation_space, self.n_quantiles, **self._more)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"n_quantiles": self.n_quantiles}

    def make_quantile_net(self) -> AnswerValues:
        """The network, or its target network."""
        return AnswerValues(self.observation_space, self.action_space, self.make_scorer(), True).to(self.device)


class NeighborhoodPolicy(ScorerPolicy):
    """Scores each legal action by the planes around its cell."""

    scorer_class = NeighborhoodScorer


class NeighborhoodQPolicy(ScorerQPolicy):
    """Like `NeighborhoodPolicy`, for DQN."""

    scorer_class = NeighborhoodScorer


class NeighborhoodQuantilePolicy(ScorerQuantilePolicy):
    """Like `NeighborhoodPolicy`, for QR-DQN."""

    scorer_class = NeighborhoodScorer


class TorusPolicy(ScorerPolicy):
    """Convolutions over the whole table, which are circular on a torus."""

    scorer_class = TorusScorer


class TorusQPolicy(ScorerQPolicy):
    """Like `TorusPolicy`, for DQN."""

    scorer_class = TorusScorer


class TorusQuantilePolicy(ScorerQuantilePolicy):
    """Like `TorusPolicy`, for QR-DQN."""

    scorer_class = TorusScorer


class CandidatesQPolicy(ScorerQPolicy):
    """Scores each candidate, for DQN."""

    scorer_class = CandidatesScorer


class CandidatesQuantilePolicy(ScorerQuantilePolicy):
    """Scores each candidate, for QR-DQN."""

    scorer_class = CandidatesScorer
