"""Tests of decisions with the values of their actions: only differences within a decision count."""

import numpy as np
import pytest
import torch

from carc_env.boxes.layout import N_SHOWN
from carc_env.observing.value_network import N_INPUTS
from training.questions import LEAST, NEAR, Questions


def answers(price, move):
    return {
        "row": np.zeros((len(price), N_SHOWN), np.float32),
        "price": np.array(price, np.float32),
        "move": np.array(move, np.int16),
        "game": np.zeros(len(price), np.int64),
    }


def comparisons(value, promised, move, game):
    return {
        "inputs": np.zeros((len(value), N_INPUTS), np.float32),
        "value": np.array(value, np.float32),
        "promised": np.array(promised, np.float32),
        "move": np.array(move, np.int16),
        "game": np.array(game, np.int64),
    }


def test_what_answers_are_worth():
    """Checks that the value of an action is its price, and that bad actions have small weights."""
    found = Questions.of_answers(answers([5, 4, 1, 7, 2, -90], [0, 0, 0, 3, 3, 3]))
    assert found.count.tolist() == [3, 3] and len(found) == 2 and found.rows.shape == (6, N_SHOWN)
    assert found.worth.tolist() == [5, 4, 1, 7, 2, -90]
    assert found.weight.tolist() == pytest.approx(
        [1, np.exp(-1 / NEAR), np.exp(-4 / NEAR), 1, np.exp(-5 / NEAR), LEAST]
    )


def test_what_comparisons_are_worth():
    """Checks that the value of an action is its value in rollouts minus the heuristic estimate. Two games may have a
    decision after the same number of actions.
    """
    found = Questions.of_comparisons(comparisons([5, 4, 1, 7, 2], [1, 1, 0, 9, 2], [0, 0, 0, 0, 0], [1, 1, 2, 2, 2]))
    assert found.count.tolist() == [2, 3] and found.worth.tolist() == [4, 3, 1, -2, 0] and set(found.weight) == {1}
    last = found.some(np.array([1, 0]))
    assert last.count.tolist() == [3, 2] and last.worth.tolist() == [1, -2, 0, 4, 3]


def test_only_differences_within_a_question_count():
    """Checks that the loss is 0 if a network is wrong by the same points for all actions of a decision."""
    questions = Questions.of_answers(answers([5, 4, 1, 7, 2], [0, 0, 0, 3, 3]))

    def network(rows):
        return torch.as_tensor(questions.worth + offset)[: len(rows)]

    for offset, least, most in (
        (np.zeros(5), -1e-6, 1e-6),
        (np.array([9, 9, 9, -4, -4]), -1e-6, 1e-6),
        (np.array([1, 0, 0, 0, 0]), 0.1, 1.0),
    ):
        offset = offset.astype(np.float32)
        assert least <= float(questions.loss(network)) <= most


def test_what_a_choice_loses():
    questions = Questions.of_answers(answers([5, 4, 1, 7, 2], [0, 0, 0, 3, 3]))
    assert questions.regret(np.array([1, 0, 0, 1, 0])) == 0
    assert questions.regret(np.array([0, 1, 0, 0, 1])) == pytest.approx((1 + 5) / 2)
    assert questions.regret(np.array([0, 1, 1, 1, 0])) == pytest.approx(1 / 2)  # of equal scores, the better action
