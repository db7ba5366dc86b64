"""Tests of PPO in one file: advantages computed by hand, the network compared with the policy for Stable-Baselines3,
legal actions, and self-play.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from carc_env import ConfigError
from carc_env.boxes.layout import N_SHOWN, N_STANDING
from carc_env.compiling import jit
from carc_env.networks import CandidatesPolicy
from carc_env.networks.candidates import examples as examples_of_policy
from carc_env.networks.layers import Choices
from training import ppo_single_file
from training.actor import ActorBot
from training.algorithms import Budget
from training.ppo_single_file import PPO, CandidatesNet, Settings, advantages, examples, summary, tensors
from training.sb3_algorithms import MaskablePPO
from training.seed_run import match
from training.tasks import Task

ROOT = Path(__file__).parents[2]

# A game: player 0 acts twice, then player 1 twice, then player 0, who ends the game. Only the value of the position
# after it is given.
PLAYERS = np.array([[0], [0], [1], [1], [0], [1]])
REWARDS = np.array([[1.0], [0.0], [2.0], [0.0], [4.0]])  # for the player who acted; the other player loses as much
ENDED = np.array([[False], [False], [False], [False], [True]])
# the points that the acting player gains from each decision on; for the first one, 1 + 0 - 2 + 0 + 4
WORTH = [3.0, 2.0, -2.0, -4.0, 4.0]


def of_game(values: list[float], gamma: float, lambda_: float) -> list[float]:
    return advantages(REWARDS, np.array([*values, 100.0])[:, None], PLAYERS, ENDED, gamma, lambda_)[:, 0].tolist()


def test_a_gain_counts_for_who_made_it_though_a_player_is_asked_several_times_in_a_row():
    assert of_game([0.0] * 5, 1.0, 1.0) == WORTH


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
def test_with_the_true_values_nothing_is_better_than_expected(lambda_):
    assert of_game(WORTH, 1.0, lambda_) == [0.0] * 5


def test_an_estimate_looks_one_answer_ahead_or_further():
    """Checks estimates computed by hand, with all values 1. The errors are 1+1-1, 0-1-1, 2+1-1, 0-1-1 and 4-1. Each
    estimate is the error plus half of the next estimate, with the opposite sign if the player changes.
    """
    values = [1.0] * 5
    assert of_game(values, 1.0, 0.0) == [1.0, -2.0, 2.0, -2.0, 3.0]
    last = 3.0
    fourth = -2.0 - 0.5 * last
    third = 2.0 + 0.5 * fourth
    second = -2.0 - 0.5 * third
    assert (
        of_game(values, 1.0, 0.5)
        == [1.0 + 0.5 * second, second, third, fourth, last]
        == [-0.0625, -2.125, 0.25, -3.5, 3.0]
    )


def test_a_discount_is_one_per_answer():
    assert of_game([0.0] * 5, 0.5, 1.0) == [
        1.0 + 0.5 * 0.0 - 0.25 * (2.0 + 0.5 * 0.0 - 0.25 * 4.0),
        -0.5 * (2.0 - 0.25 * 4.0),
        2.0 - 0.25 * 4.0,
        -2.0,
        4.0,
    ]


def test_games_do_not_mix():
    """Checks that the estimates for a game do not depend on another game in the batch."""
    two = [np.concatenate([array, array[::-1]], 1) for array in (REWARDS, np.ones((6, 1)), PLAYERS, ENDED)]
    assert (
        advantages(*two, 0.9, 0.8)[:, 0].tolist()
        == advantages(REWARDS, np.ones((6, 1)), PLAYERS, ENDED, 0.9, 0.8)[:, 0].tolist()
    )


# --- the network ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spaces, width", [("game", 26), ("common", N_STANDING)])
def test_the_network_is_that_of_the_policy(spaces, width):
    """Checks that the network has the same inputs and scales as the policy, and, with the same weights, the same scores
    and values. This holds for each width of the observed table.
    """
    task = Task("test", "base", "candidates", 64, rows=96, spaces=spaces)
    envs, seen = task.environment(1), tensors(examples(task, 4, 6))
    policy = CandidatesPolicy(envs.single_observation_space, envs.single_action_space, lambda _: 1e-3, measured_on=None)
    network = CandidatesNet(64, width)
    network.score.load_state_dict(policy.score.logit.state_dict())
    network.value.load_state_dict(policy.value.state_dict())
    found = tensors(examples_of_policy("base", 96, task.layout, N_SHOWN))
    for one in (policy, network):
        one.measure({name: array.numpy() if one is policy else array for name, array in found.items()})
    rows, count, table = policy.flat(seen)
    with torch.no_grad():
        scores = network(seen)[0]
        assert torch.equal(summary(table, rows, scores, seen["action_mask"] == 1), policy.summary(rows, count, table))
        scores, values = network(seen)
        choices, distribution = Choices(scores[:, 0], seen["action_mask"] == 1), policy.get_distribution(seen)
        for rows in (choices.best(), choices.sample()):
            assert torch.allclose(choices.log_prob(rows), distribution.log_prob(rows), atol=1e-5)
        assert torch.allclose(values, policy.predict_values(seen), atol=1e-6)
        assert torch.allclose(choices.entropy(), distribution.entropy(), atol=1e-5)


@pytest.mark.parametrize(
    "preset, observation, spaces",
    [
        ("base", "planes", "game"),
        ("base", "planes", "common"),
        ("base", "candidates", "game"),
        ("carcassonne", "planes", "game"),
    ],
)
@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_answers_are_legal_and_the_best_ones(preset, observation, spaces):
    task = Task("test", preset, observation, 64, spaces=spaces)
    algorithm = PPO(task, 1, Settings(width=8))
    envs = task.environment(8)
    observations, _ = envs.reset(seed=3)
    for _ in range(20):
        actions = algorithm.act(observations)
        assert (observations["action_mask"][np.arange(8), actions] == 1).all()
        observations, *_ = envs.step(actions)  # raises if an action is illegal


@pytest.mark.parametrize("observation", ["planes", "candidates"])
def test_it_learns_by_the_settings_of_maskable_ppo(observation):
    """Checks that the settings equal those of MaskablePPO, under their names in Stable-Baselines3."""
    task = Task("test", "base", observation, 5120)
    mine, theirs = PPO(task, 1).settings, MaskablePPO(task, 1)
    names = {
        "steps": "n_steps",
        "minibatch": "batch_size",
        "epochs": "n_epochs",
        "gamma": "gamma",
        "lambda_": "gae_lambda",
        "entropy": "ent_coef",
        "value_weight": "vf_coef",
        "max_gradient": "max_grad_norm",
    }
    assert {name: mine[name] for name in names} == {name: getattr(theirs.model, other) for name, other in names.items()}
    for left in (1.0, 0.25):  # share of the budget left before a rollout, which takes a tenth
        rate = mine["learning_rate"] * (left if mine["anneal"] else 1.0)
        assert theirs.model.lr_schedule(left - 0.1) == pytest.approx(rate)
    assert (
        mine["games"] == theirs.model.n_envs
        and mine["points"] == theirs.config.points
        and mine["clip"] == theirs.model.clip_range(1)
    )


# --- learning ---------------------------------------------------------------------------------------------------------
class Rates(Budget):
    """A budget that records the learning rate of each update."""

    def __init__(self, decisions, algorithm):
        super().__init__(decisions)
        self.algorithm, self.rates = algorithm, []

    def spend(self, decisions):
        super().spend(decisions)
        self.rates.append(self.algorithm._optimizer.param_groups[0]["lr"])


@pytest.mark.parametrize("anneal, rates", [(True, [1.0, 0.75, 0.5, 0.25]), (False, [1.0] * 4)])
def test_the_learning_rate_falls_as_the_budget_is_spent(anneal, rates):
    task = Task("test", "base", "candidates", 64)
    algorithm = PPO(task, 1, Settings(games=4, steps=4, minibatch=8, learning_rate=1.0, width=4, anneal=anneal))
    budget = Rates(task.decisions, algorithm)
    algorithm.fit(budget)
    assert budget.rates == rates


@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_it_learns_against_itself():
    task = Task("test", "base", "candidates", 4096, "self")
    algorithm = PPO(task, 1)
    budget = Budget(task.decisions)
    algorithm.fit(budget)
    assert budget.made == 4096
    margins = match(ActorBot("it", algorithm.act, task.observation_spec), "random", task, 10, 0)["margins"]
    assert np.mean(margins) > 40


@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_against_itself_both_players_are_asked_and_each_is_rewarded_for_its_own_answers():
    """Checks that the rewards of the two players add up to the final margin, if those of player 1 are subtracted."""
    task = Task("test", "base", "candidates", 64, "self")
    envs = task.environment(4)
    observations, infos = envs.reset(seed=1)
    players, rewards, live, margin = [], [], np.ones(4, bool), np.zeros(4)
    total = np.zeros(4)
    while live.any():
        players.append(infos["player"])
        observations, gained, ended, _, infos = envs.step(observations["action_mask"].argmax(1))
        rewards.append(gained)
        total += live * gained * np.where(players[-1] == 0, 1.0, -1.0)
        for game in np.flatnonzero(live & ended):
            scores = infos["final_info"]["scores"][game]
            margin[game] = scores[0] - scores[1]
        live &= ~ended
    assert np.array_equal(total, margin) and {0, 1} <= set(np.concatenate(players).tolist())
    assert (np.stack(players)[1:] == np.stack(players)[:-1]).any(), "a player is asked several times in a row"


@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_the_command(capsys):
    assert ppo_single_file.main(["--decisions", "10", "--pairs", "1", "--opponent", "self"]) == 0
    out = capsys.readouterr().out
    assert "2,048 of 10 decisions" in out and "ppo-single-file wins " in out and "against greedy" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--opponent", "nosuch"], "nosuch"),
        (["--seed", "-1"], "'-1' should be a whole number from 1 up"),
        (["--preset", "chess"], "chess"),
    ],
)
def test_wrong_words_are_one_line(words, told, capsys):
    try:
        status = ppo_single_file.main(words)
    except SystemExit as ended:
        status = ended.code
    err = capsys.readouterr().err
    assert status == 2 and told in err and err.count("\n") == 1


def test_one_decision_alone_is_not_learned_from():
    settings = Settings(games=3, steps=3, minibatch=4)
    with pytest.raises(ConfigError, match="minibatch = 4: the last minibatch would have only one"):
        PPO(Task("own", "base", "candidates", 20, "greedy"), 1, settings)


def test_it_is_one_file_of_350_lines_without_stable_baselines():
    assert len((ROOT / "training" / "ppo_single_file.py").read_text(encoding="utf-8").splitlines()) <= 350
    program = "import sys, training.ppo_single_file; sys.exit(any(name.startswith(('stable_baselines3', 'sb3_contrib')) for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0
