"""Tests of expert iteration: what a search finds, what is kept of it, and what is learned. Also tests of parts of
REINFORCE and of cloning.
"""

import dataclasses

import numpy as np
import pytest
import torch

from carc_env.compiling import jit
from carc_env.games.games import Games
from carc_env.networks.layers import Choices
from carc_env.rules.state import NONE
from training import expert_iteration, tasks
from training.algorithms import Budget
from training.clone_greedy import Clone, answers_of
from training.expert_iteration import ExpertIteration, Kept, margins
from training.reinforce import returns_to_go

TASK = tasks.task("Base-debug-20k")
SMALL = ExpertIteration.settings | {"games": 4, "steps": 4, "searched": 4, "stacks": 2, "tiles": 1, "width": 8}
compiled = pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")


@pytest.fixture
def learner(monkeypatch):
    """Return a small learner, some games of its task, and their first observations."""
    monkeypatch.setattr(ExpertIteration, "settings", SMALL)
    found = ExpertIteration(TASK, 1)
    envs = TASK.environment(4)
    return found, envs, envs.reset(seed=1)[0]


def test_choices_list_the_legal_ids_with_their_probabilities():
    legal = torch.tensor([[True, False, True, True], [False, False, True, False]])
    ids, likely = Choices(torch.tensor([0.0, 1.0, 2.0, 5.0]), legal).each()
    assert ids.tolist() == [[0, 2, 3], [2, -1, -1]]
    assert torch.allclose(likely[0], torch.log_softmax(torch.tensor([0.0, 1.0, 2.0]), 0)) and likely[1, 0] == 0


@compiled
def test_a_search_tries_the_answers_that_the_network_likes_and_shares_probability_among_them(learner):
    one, envs, seen = learner
    found = one._search(envs, seen, np.arange(4))
    assert found["tried"].shape == found["target"].shape == (4, SMALL["answers"])
    count = np.minimum(seen["action_mask"].sum(1), SMALL["answers"])
    assert ((found["tried"] != NONE).sum(1) == count).all() and count.max() == SMALL["answers"]
    assert found["target"].sum(1) == pytest.approx(1) and ((found["target"] > 0) == (found["tried"] != NONE)).all()
    scores = np.stack([one._choices(seen).log_prob(torch.full((4,), k)).detach() for k in range(96)], 1)
    for question in range(4):
        best = np.argsort(-scores[question], kind="stable")[: count[question]]
        assert found["tried"][question, : count[question]].tolist() == best.tolist()


@compiled
def test_a_search_leaves_the_games_as_they_are(learner):
    one, envs, seen = learner
    before = envs.games.records.tobytes()
    one._search(envs, seen, np.arange(4))
    assert envs.games.records.tobytes() == before


@compiled
def test_all_answers_to_a_question_are_played_on_to_the_same_tile(learner, monkeypatch):
    """This also holds for actions after which no figure can be placed, so that the engine passes by itself and draws
    the next tile at once.
    """
    one, envs, seen = learner
    rng, drawn = np.random.default_rng(0), []
    for _ in range(20):  # some features are occupied then
        legal = seen["action_mask"] == 1
        seen = envs.step(np.where(legal, rng.random(legal.shape), -1).argmax(1))[0]
    monkeypatch.setattr(
        expert_iteration, "margins", lambda games, _: drawn.append(games.records["n_drawn"]) or np.zeros(len(games))
    )
    found = one._search(envs, seen, np.arange(4))
    ends = drawn[0].reshape(4, SMALL["answers"], SMALL["stacks"])[found["tried"] != NONE]
    starts = np.repeat(envs.games.records["n_drawn"], (found["tried"] != NONE).sum(1))
    assert (ends == starts[:, None] + SMALL["tiles"] + 1).all()


@compiled
def test_where_fewer_answers_are_legal_the_others_get_nothing(learner):
    one, envs, seen = learner
    few = seen | {"action_mask": seen["action_mask"] * (np.arange(96) < 2).astype(np.int8)}
    found = one._search(envs, few, np.arange(4))
    assert (found["tried"][:, 2:] == NONE).all() and (found["target"][:, 2:] == 0).all()


@compiled
def test_what_was_found_becomes_more_likely(learner):
    one, envs, seen = learner
    found = one._search(envs, seen, np.arange(4))
    found["target"] = np.eye(SMALL["answers"], dtype=np.float32)[[1] * 4]
    tried = torch.as_tensor(found["tried"][:, 1])
    before = one._choices(seen).log_prob(tried).detach()
    for _ in range(20):
        one._learn(found)
    assert (one._choices(seen).log_prob(tried).detach() > before).all()


@compiled
def test_it_spends_what_it_answers_and_the_same_seed_learns_the_same(learner, monkeypatch):
    found = []
    for _ in range(2):
        one, budget = ExpertIteration(TASK, 1), Budget(30)
        one.fit(budget)
        found.append(one.state())
        assert budget.made == 32
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])


def test_the_oldest_questions_give_way():
    kept, rng = Kept(3), np.random.default_rng(0)
    for number in range(5):
        kept.add({"tried": np.array([[number]]), "seen": np.array([10 * number])})
    drawn = kept.some(200, rng)
    assert set(drawn["tried"][:, 0].tolist()) == {2, 3, 4} and (drawn["seen"] == 10 * drawn["tried"][:, 0]).all()


@compiled
def test_margins_are_those_of_the_provisional_scores():
    games = Games(dataclasses.replace(TASK.config, players=3), 4, range(4))
    rng = np.random.default_rng(0)
    for _ in range(60):
        games.step(np.array([rng.choice(games.game(i).legal_actions()) for i in range(4)]))
    players = np.array([0, 1, 2, 0])
    for i, margin in enumerate(margins(games, players)):
        scores = games.game(i).provisional_scores().astype(float)
        assert margin == scores[players[i]] - np.delete(scores, players[i]).max()


def test_returns_are_the_same_whichever_seat_a_learner_has_against_bots():
    rewards, live = np.array([[1.0], [2.0], [4.0]]), np.ones((3, 1), bool)
    for seat in range(3):
        assert returns_to_go(rewards, np.full((3, 1), seat), live)[:, 0].tolist() == [7.0, 6.0, 4.0]


@compiled
@pytest.mark.parametrize("name", ["Base-debug-20k", "Base-planes-50k"])
def test_a_clone_learns_the_answers_of_greedy(name):
    task = tasks.task(name)
    envs = task.environment(8)
    observations, _ = envs.reset(seed=1)
    one = Clone(task, 1)
    for _ in range(5):
        answers = answers_of(one._teacher, envs, observations)
        assert (observations["action_mask"][np.arange(8), answers] == 1).all()
        ids = observations["candidate_actions"][np.arange(8), answers] if "candidates" in observations else answers
        assert (envs.layout.to_common(ids) == one._teacher.choose_batch(envs.games)).all()
        observations = envs.step(answers)[0]
    seen, answers, _ = one._play(envs, observations)
    before = (one.act(seen) == answers).mean()
    for _ in range(3):
        one._learn(seen, answers)
    assert (one.act(seen) == answers).mean() > max(before + 0.1, 0.3)
