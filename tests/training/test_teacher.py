"""Tests of the teacher: its recorded games, the lessons in which the policy imitates it, and training runs with
lessons.
"""

import json

import numpy as np
import pytest
import safetensors.numpy
import torch

import carc_env
from carc_env.arena.match import MatchResult
from carc_env.arena.shards import name_of
from carc_env.common.errors import ConfigError
from carc_env.compiling import jit
from carc_env.networks.candidates import Score
from carc_env.observing.keen import keen_prices
from training import learn_values, teacher
from training.learner import Learner
from training.teacher import POINTS, Teacher, value_agent, value_run

pytest.importorskip("pyarrow")
LESSONS = {
    "lessons": 4, "lesson_steps": 3, "lesson_questions": 8, "lesson_games": 2, "value_rounds": 1, "value_games": 4,
    "value_steps": 5,
}  # fmt: skip


@pytest.fixture(autouse=True)
def short_gate(monkeypatch):
    """Shorten the gate match of the learned value to one pair of games."""
    monkeypatch.setattr(teacher, "GATE_PAIRS", 1)


def test_lessons_teach(tiny, tmp_path):
    config = tiny(**LESSONS | {"lesson_steps": 40, "lesson_rate": 0.01, "lesson_games": 4, "width": 32, "updates": 5})
    learner = Learner(config)
    learner.teacher = Teacher(config, tmp_path)
    questions = learner.teacher.questions
    assert len(questions) > 20

    def error():
        return float(questions.loss(lambda rows: POINTS * learner.policy.score(rows)).detach())

    before = error()
    rows = [learner.learn() for _ in range(4)]
    first, *_, last = [row["lesson_loss"] for row in rows]
    assert all(np.isnan(row["decisions_per_s"]) for row in rows), "lessons play no games"
    assert last < first and error() < 0.8 * before
    row = learner.learn()
    assert (
        np.isnan(row["lesson_loss"])
        and row["decisions_per_s"] > 0
        and learner.model.num_timesteps == config.games * config.steps
    )


@pytest.mark.long
def test_the_teacher_goes_by_the_value_that_it_learned(tiny, tmp_path, monkeypatch):
    """The teacher uses the learned value if it passed the gate match, and otherwise the heuristic weights of `keen`."""
    for wins, passed in ((1.0, 1), (0.0, 0)):
        result = MatchResult("a", "b", "base", 1, wins, (wins, wins), 0, 0, 0, None, 0, 0, 0)
        monkeypatch.setattr(learn_values.Run, "gate", lambda self, number, result=result: result)
        config, folder = tiny(**LESSONS), tmp_path / str(passed)
        Teacher(config, folder)
        run, agent = value_run(config, folder), value_agent(config, folder)
        assert run.state.passed == passed and (agent is not None) == bool(passed)
        told = json.loads((folder / "answers" / "_selfplay.json").read_text())["prices"]
        assert told == name_of(run.prices()) and (told == name_of(keen_prices())) != bool(passed)
    assert value_agent(tiny(), tmp_path / "1") is None


def test_without_rounds_of_the_value_keen_teaches(tiny, tmp_path):
    config = tiny(**LESSONS | {"value_rounds": 0})
    Teacher(config, tmp_path)
    assert value_agent(config, tmp_path) is None and list((tmp_path / "answers").glob("*.parquet"))


@pytest.mark.long
def test_a_teacher_plays_what_is_missing(tiny, tmp_path):
    config = tiny(**LESSONS)
    Teacher(config, tmp_path)
    shard = next((tmp_path / "answers").glob("*.parquet"))
    before = shard.read_bytes()
    shard.unlink()
    Teacher(config, tmp_path)
    assert shard.read_bytes() == before


@pytest.mark.skipif(not jit.is_compiled(), reason="the engine is slow then")
def test_going_on_in_the_middle_of_the_lessons_gives_the_same_bits(tiny, tmp_path):
    config = tiny(**LESSONS | {"updates": 6, "critic_updates": 1})

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
    config = tiny(**LESSONS | {"lessons": 1, "critic_updates": 1, "updates": 3})
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
        (
            {"lessons": 1, "game": {"boxes": ["goldmines"], "players": 3}, "check_pairs": 0, "eval_pairs": 0},
            "two players",
        ),
        ({"greedy_start": 1.0}, "should be 0 unless price = true"),
    ],
)
def test_lessons_that_make_no_sense(tiny, changes, words):
    with pytest.raises(ConfigError, match=words):
        tiny(**changes)


def test_a_network_of_rows_is_a_bot():
    """By default, the network that scores candidates does not use `greedy`'s heuristic value."""
    score = Score(8, 1)
    assert score.greedy is None and set(score.numbers()) == {
        "scale.mean", "scale.spread", "logit.0.weight", "logit.0.bias", "logit.2.weight", "logit.2.bias",
    }  # fmt: skip
    assert score.scale.mean.numel() == carc_env.boxes.layout.N_SHOWN
