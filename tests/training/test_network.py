"""Tests of the network for candidates: torch and NumPy agree, only candidates can be chosen, and the buffer gives back
what it got.
"""

import numpy as np
import pytest
import torch

from carc_env.bots.policy import Network
from carc_env.boxes.layout import N_COLUMNS, N_SHOWN
from carc_env.common.errors import ArgumentError
from carc_env.networks.candidates import CandidatesPolicy, Score
from training.buffer import CandidateBuffer, stretches
from training.env import greedy_rows, make_env
from training.learner import examples


@pytest.fixture
def policy(tiny) -> CandidatesPolicy:
    """Return an untrained policy whose last layers have weights that are not near 0."""
    config = tiny()
    torch.manual_seed(5)
    env = make_env(config.game_config, 4, config.rows, 0)
    policy = CandidatesPolicy(env.observation_space, env.action_space, lambda left: 1e-3, width=16, measured_on=None)
    policy.measure(examples(config, config.games))
    for net in (policy.score.logit, policy.value):
        torch.nn.init.normal_(net[-1].weight)
    return policy


def tensors(obs: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """Return an observation as tensors, as SB3 passes it to a policy."""
    return {key: torch.as_tensor(array) for key, array in obs.items()}


@pytest.mark.parametrize(
    "width, layers, columns, start", [(64, 2, N_SHOWN, 0.0), (7, 1, N_COLUMNS, 0.7), (16, 3, N_COLUMNS, 0.7)]
)
def test_numpy_and_torch_agree(width, layers, columns, start):
    torch.manual_seed(1)
    score = Score(width, layers, columns, start)
    torch.nn.init.normal_(score.logit[-1].weight)
    rng = np.random.default_rng(2)
    score.scale.measure(rng.normal(3, 2, (50, columns)))
    rows = rng.normal(0, 30, (200, columns)).astype(np.float32)  # far from the mean, so that some are clipped
    expected = score(torch.as_tensor(rows)).detach().numpy()
    for dtype in (np.float32, np.float64):
        found = Network(score.numbers(), dtype).logits(rows)
        assert np.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert (found.argmax() == expected.argmax()) and found.dtype == dtype


def test_only_candidates_are_chosen_and_probabilities_add_up(policy, tiny):
    obs = examples(tiny(), 4)
    n = len(obs["table"])
    probabilities = policy.get_distribution(tensors(obs)).distribution.probs
    valid = torch.as_tensor(obs["action_mask"] == 1)
    assert torch.allclose(probabilities.sum(1), torch.ones(n), atol=1e-5)
    assert (probabilities[~valid] == 0).all() and (probabilities[valid] > 0).all()
    for deterministic in (False, True):
        actions, values, log_prob = policy(tensors(obs), deterministic=deterministic)
        assert (actions.numpy() < obs["action_mask"].sum(1)).all() and values.shape == (n, 1)
        again, evaluated, entropy = policy.evaluate_actions(tensors(obs), actions)
        assert torch.equal(again, values) and torch.equal(log_prob, evaluated) and (entropy >= 0).all()
    assert torch.equal(policy.predict_values(tensors(obs)), values)


def test_masks_can_forbid_candidates(policy, tiny):
    obs = examples(tiny(), 4)
    masks = np.zeros((len(obs["table"]), policy.action_space.n), bool)
    masks[:, 1] = True
    assert (policy(tensors(obs), action_masks=masks)[0] == 1).all()


def test_the_buffer_gives_back_what_it_got(tiny, policy):
    config = tiny()
    env = make_env(config.game_config, 4, config.rows, 1, price=True)
    buffer = CandidateBuffer(3, env.observation_space, env.action_space, n_envs=4)
    buffer.reset()
    obs, kept = env.reset(), {}
    for step in range(3):
        for game in range(4):
            count = obs["action_mask"][game].sum()
            kept[10 * step + game] = obs["candidates"][game, :count].copy(), obs["table"][game].copy()
        number = torch.arange(4) + 10 * step
        buffer.add(obs, number.numpy(), number.numpy() * 0.5, np.zeros(4), number[:, None].float(), number.float())
        obs, *_ = env.step(greedy_rows(obs))
    assert buffer.full
    seen = []
    for batch in buffer.get(5):
        rows, count, table = policy.flat(batch.observations)
        for number, value, mine, at in zip(
            batch.actions[:, 0] if batch.actions.dim() > 1 else batch.actions,
            batch.old_values,
            table,
            rows.split(count.tolist()),
        ):
            assert value == number
            assert np.array_equal(at, kept[int(number)][0]) and np.array_equal(mine, kept[int(number)][1])
            seen.append(int(number))
    assert sorted(seen) == sorted(kept)


def test_stretches():
    assert stretches(np.array([7, 2, 0]), np.array([3, 2, 1])).tolist() == [7, 8, 9, 2, 3, 0]


def test_a_start_like_greedy_needs_its_price(tiny):
    config = tiny()
    for price, start in ((False, 0.5), (True, 0.5)):
        env = make_env(config.game_config, 4, config.rows, 0, price=price)
        given = env.observation_space, env.action_space, lambda left: 1e-3
        if price:
            policy = CandidatesPolicy(*given, width=8, greedy_start=start, measured_on="base")
            obs = env.reset()
            assert (policy.predict(obs, deterministic=True)[0] == greedy_rows(obs)).all()
        else:
            with pytest.raises(ArgumentError, match="should be 0, because the candidates have no column price"):
                CandidatesPolicy(*given, width=8, greedy_start=start, measured_on=None)


def test_the_table_is_part_of_the_value_only(policy, tiny):
    obs = examples(tiny(), 4)
    other = obs | {"table": obs["table"] + np.float32(1)}
    assert not torch.equal(policy.predict_values(tensors(obs)), policy.predict_values(tensors(other)))
    assert torch.equal(
        policy.get_distribution(tensors(obs)).distribution.logits,
        policy.get_distribution(tensors(other)).distribution.logits,
    )
