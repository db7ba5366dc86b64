"""The teacher: what is learned from, lessons that help, and a run that has them."""

import json

import numpy as np
import pytest
import safetensors.numpy
import torch

import carc_env
from carc_env.boxes.layout import N_COLUMNS
from carc_env.common.errors import ConfigError
from carc_env.compiling import jit
from carc_env.networks.candidates import Score
from training.learner import Learner
from training.teacher import FAR, LEAST, POINTS, UNSURE, Questions, Teacher

pytest.importorskip("pyarrow")
LESSONS = {"lessons": 4, "lesson_steps": 3, "lesson_questions": 8, "priced": 2, "judged": 1, "stacks": 2}
NAN = np.nan


def columns(price, value, move):
    """The columns of a shard with these answers, all of one game."""
    n = len(price)
    rows = np.random.default_rng(0).normal(size=(n, N_COLUMNS))
    return {
        "row": rows.astype(np.float32),
        "price": np.array(price, np.float32),
        "value": np.array(value, np.float32),
        "answer": np.arange(n, dtype=np.int32),
        "move": np.array(move, np.int16),
        "game": np.zeros(n, np.int64),
    }


def test_what_answers_are_worth():
    """Of a judged question by rollouts, and where there were none by the price, moved by what rollouts found more."""
    found = Questions.of(columns([5, 4, 1, 7, 2, -90], [11, 12, NAN, NAN, NAN, NAN], [0, 0, 0, 3, 3, 3]))
    assert found.count.tolist() == [3, 3] and len(found) == 2
    assert found.worth.tolist() == [11, 12, 1 + 7, 7, 2, -90]
    assert found.weight[:4].tolist() == pytest.approx([1, 1, UNSURE, 1])
    assert found.weight[4:].tolist() == pytest.approx([np.exp(-5 / 8), LEAST]) and FAR > 8


def test_only_differences_within_a_question_count():
    """A network that is off by the same points in all answers of a question has learned all there is."""
    questions = Questions.of(columns([5, 4, 1, 7, 2], [11, 12, NAN, NAN, NAN], [0, 0, 0, 3, 3]))

    def network(rows):
        return torch.as_tensor(questions.worth + offset)[: len(rows)] / POINTS

    for offset, least, most in (
        (np.zeros(5), -1e-6, 1e-6),
        (np.array([9, 9, 9, -4, -4]), -1e-6, 1e-6),
        (np.array([1, 0, 0, 0, 0]), 0.1, 1.0),
    ):
        offset = offset.astype(np.float32)
        assert least <= float(questions.loss(network, np.array([0, 1]))) <= most


def test_lessons_teach(tiny, tmp_path):
    config = tiny(
        **LESSONS | {"lesson_steps": 40, "lesson_rate": 0.01, "judged": 2, "priced": 4, "width": 32, "updates": 6}
    )
    learner = Learner(config)
    learner.teacher = Teacher(config, tmp_path)
    priced, judged = learner.teacher.questions
    assert priced > judged > 5
    every, found = np.arange(judged), []
    for _ in range(2):
        found.append([learner.learn()["lesson_loss"] for _ in range(2)])
        found.append(float(learner.teacher._judged.loss(learner.policy.score, every).detach()))
    (first, second), before, _, after = found
    assert second < first, "priced questions are learned"
    assert after < before, "then judged ones as well"
    assert np.isnan(learner.learn()["lesson_loss"]) and learner.model.num_timesteps == config.games * config.steps


def test_a_teacher_plays_what_is_missing(tiny, tmp_path):
    config = tiny(**LESSONS)
    Teacher(config, tmp_path)
    shard = next((tmp_path / "judged").glob("*.parquet"))
    before = shard.read_bytes()
    shard.unlink()
    Teacher(config, tmp_path)
    assert shard.read_bytes() == before


@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_going_on_in_the_middle_of_the_lessons_gives_the_same_bits(tiny, tmp_path):
    config = tiny(**LESSONS | {"updates": 6, "value_updates": 1})

    def learner():
        found = Learner(config)
        found.teacher = Teacher(config, tmp_path)
        return found

    straight = learner()
    for _ in range(6):
        straight.learn()
    first = learner()
    for _ in range(3):
        first.learn()
    first.keep_best(2.5)
    arrays, rest = first.state()
    second = learner()
    second.set_state(safetensors.numpy.load(safetensors.numpy.save(dict(arrays))), json.loads(json.dumps(rest)))
    assert second.best_margin == 2.5 and np.array_equal(
        second.best["logit.0.weight"], first.policy.score.numbers()["logit.0.weight"]
    )
    for _ in range(3):
        second.learn()
    a, b = straight.state()[0], second.state()[0]
    assert [key for key in a if not np.array_equal(a[key], b[key])] == []


def test_after_the_lessons_only_the_value_learns_for_a_while(tiny, tmp_path):
    config = tiny(**LESSONS | {"lessons": 1, "value_updates": 1, "updates": 3})
    learner = Learner(config)
    learner.teacher = Teacher(config, tmp_path)
    learner.learn()
    before, value = learner.policy.score.numbers(), learner.policy.value[0].weight.detach().clone()
    learner.learn()
    assert all(np.array_equal(before[name], array) for name, array in learner.policy.score.numbers().items())
    assert not torch.equal(value, learner.policy.value[0].weight)
    learner.learn()
    assert not np.array_equal(before["logit.0.weight"], learner.policy.score.numbers()["logit.0.weight"])


def test_the_best_of_the_checks_is_kept(tiny):
    learner = Learner(tiny())
    first = learner.policy.score.numbers()
    learner.keep_best(3.0)
    learner.learn()
    learner.keep_best(1.0)
    assert learner.best_margin == 3.0 and np.array_equal(learner.best["logit.0.weight"], first["logit.0.weight"])
    learner.keep_best(4.0)
    assert not np.array_equal(learner.best["logit.0.weight"], first["logit.0.weight"])


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"lessons": 1, "priced": 0, "judged": 0}, "nothing to learn from"),
        ({"greedy_start": 1.0}, "only with price = true"),
    ],
)
def test_lessons_that_make_no_sense(tiny, changes, words):
    with pytest.raises(ConfigError, match=words):
        tiny(**changes)


def test_a_network_of_rows_is_a_bot():
    """What is learned from shown rows alone plays."""
    score = Score(8, 1)
    assert score.greedy is None and set(score.numbers()) == {
        "scale.mean", "scale.spread", "logit.0.weight", "logit.0.bias", "logit.2.weight", "logit.2.bias",
    }  # fmt: skip
    assert score.scale.mean.numel() == carc_env.boxes.layout.N_SHOWN
