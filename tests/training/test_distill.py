"""Tests of lessons (policy distillation) on planes: the decisions, a network that learns from them, and runs with
lessons.
"""

import numpy as np
import pytest
import tomli_w
import torch

import carc_env
from carc_env.observing import encode
from training import distill, sb3
from training.distill import Lessons
from training.sb3_config import SB3Config
from training.sb3_model import make_model, read

SHORT = {
    "teacher": "greedy",
    "questions": 24,
    "lesson_games": 8,
    "decisions": 0,
    "games": 2,
    "threads": 1,
    "check_every": 32,
    "check_pairs": 1,
    "eval_pairs": 0,
    "save_every": 16,
    "settings": {"n_steps": 12, "batch_size": 8, "n_epochs": 1},
    "network_settings": {"width": 8},
}


def config(**changes):
    return SB3Config.from_dict(SHORT | changes)


@pytest.fixture
def run(tmp_path):
    def go(*words, **changes):
        path = tmp_path / "tiny.toml"
        path.write_text(tomli_w.dumps(SHORT | changes))
        return sb3.main(["--config", str(path), "--run", str(tmp_path / "run"), *words])

    return go


@pytest.mark.parametrize("preset", ["base", "carcassonne"])
def test_a_question_has_the_prices_of_the_teacher_for_all_legal_actions(preset):
    asked_of = config(preset=preset)
    lessons, teacher = Lessons(asked_of), carc_env.make_bot("greedy")
    for _ in range(5):
        asked, games = lessons.ask(), lessons.games
        legal = asked.seen["action_mask"].numpy() == 1
        for i, first in enumerate(asked.first):
            ids, worth = (array[first : first + asked.count[i]] for array in (asked.ids, asked.worth))
            assert np.array_equal(ids, games.game(i).legal_actions())
            assert np.array_equal(ids, asked_of.layout.to_common(np.flatnonzero(legal[i])))
            prices = dict(teacher.analyse(games.game(i)))
            more = np.array([prices[action] for action in ids]) - worth  # the same for all actions
            assert more == pytest.approx(more[0], abs=1e-3)
        seen = encode.observe(games.records, games.players, encode.ObservationSpec(asked_of.layout))
        assert all(np.array_equal(asked.seen[name].numpy(), seen[name]) for name in seen)
        lessons.act(asked, np.zeros(len(asked.ids)))


def test_the_games_are_the_same_for_any_number_of_threads():
    one, other = Lessons(config()), Lessons(config(threads=3))
    for _ in range(4):
        asked, too = one.ask(), other.ask()
        assert np.array_equal(asked.ids, too.ids) and np.array_equal(asked.worth, too.worth)
        assert all(torch.equal(asked.seen[name], too.seen[name]) for name in asked.seen)
        one.act(asked, asked.worth)
        other.act(too, too.worth)


def points_lost(lessons, scores, monkeypatch):
    """For each game, return the points that the played action loses by the teacher's values. `scores` computes the
    scores of the network from these values.
    """
    asked, step, given = lessons.ask(), lessons.games.step, []
    monkeypatch.setattr(type(lessons.games), "step", lambda games, actions: given.extend(actions) or step(actions))
    lessons.act(asked, scores(asked.worth))
    parts = [slice(first, first + n) for first, n in zip(asked.first, asked.count)]
    return np.array([asked.worth[at].max() - asked.worth[at][asked.ids[at] == one][0] for at, one in zip(parts, given)])


def test_the_network_acts_in_some_games_and_the_teacher_in_the_others(monkeypatch):
    """Whether the network or the teacher acts is drawn for each game. The scores of this network are the opposite of
    the teacher's values.
    """
    lost = points_lost(Lessons(config(lesson_games=200)), np.negative, monkeypatch)
    assert 0.3 < (lost == 0).mean() < 0.7


def test_the_teacher_errs_now_and_then_by_a_few_points(monkeypatch):
    monkeypatch.setattr(distill, "STUDENT", 0.0)
    lost = points_lost(Lessons(config(lesson_games=200)), np.negative, monkeypatch)
    assert 0.01 < (lost > 0).mean() < 0.15 and lost.max() <= distill.NEAR


def test_a_network_learns_from_the_lessons():
    """Checks that the network loses fewer points on positions that it was not taught on."""
    settings = config(lesson_games=32, network_settings={"width": 16})
    model = make_model(settings, None, 1)
    lessons, others = Lessons(settings), Lessons(settings, 10**6)
    asked = others.ask()

    def lost():
        with torch.no_grad():
            scores = model.policy.scorer(asked.seen)[0][:, 0].numpy()
        best = [first + scores[first : first + n].argmax() for first, n in zip(asked.first, asked.count)]
        return (np.maximum.reduceat(asked.worth, asked.first) - asked.worth[best]).mean()

    before = lost()
    for _ in range(25):
        lessons.step(model.policy.scorer, model.policy.optimizer)
    assert lost() < 0.8 * before


def interrupt_at(questions, monkeypatch):
    """Let a run be interrupted after this number of decisions in lessons."""
    taught = sb3.Watch.taught

    def interrupted(watch, more):
        taught(watch, more)
        if watch.questions == questions:
            raise KeyboardInterrupt

    monkeypatch.setattr(sb3.Watch, "taught", interrupted)


def test_a_run_of_lessons_is_checked_saved_and_gone_on_with(run, tmp_path, capsys, monkeypatch):
    """Checks a run that is interrupted in its lessons, resumed, and then learns from its own games."""
    interrupt_at(16, monkeypatch)
    assert run(decisions=24) == 130 and read(tmp_path / "run")[1]["questions"] == 16
    monkeypatch.undo()
    assert run("--resume", decisions=24) == 0
    data = read(tmp_path / "run")[1]
    assert (data["questions"], data["decisions"]) == (24, 24)
    rows = [(int(row["questions"]), int(row["decisions"])) for row in sb3.read_progress(tmp_path / "run")]
    assert rows == [(24, 24)]
    assert "24 decisions in lessons, and from 24 decisions" in capsys.readouterr().out
    assert (tmp_path / "run" / "curve.png").stat().st_size > 10_000


def test_the_curve_forgets_what_was_lost(run, tmp_path, monkeypatch):
    """Checks that resuming a run removes the rows after its saved state, even if no later match is played."""
    interrupt_at(24, monkeypatch)
    assert run(questions=40, check_every=8) == 130 and read(tmp_path / "run")[1]["questions"] == 16
    assert [row["questions"] for row in sb3.read_progress(tmp_path / "run")] == ["8", "16", "24"]
    monkeypatch.undo()
    assert run("--resume", questions=40, check_every=1000) == 0
    assert [row["questions"] for row in sb3.read_progress(tmp_path / "run")] == ["8", "16"]


def test_lessons_alone(run, tmp_path):
    assert run(check_pairs=0) == 0
    data = read(tmp_path / "run")[1]
    assert (data["questions"], data["decisions"], data["games"]) == (24, 0, 0)


@pytest.mark.parametrize(
    "changes, reason",
    [
        (
            {"network": "torus", "network_settings": {}},
            "lessons need the network neighborhood and one of the algorithms MaskablePPO, PPO, A2C",
        ),
        ({"algorithm": "DQN"}, "the configuration has neighborhood with DQN"),
        ({"questions": 0}, "decisions = 0: set questions or decisions"),
    ],
)
def test_a_wrong_configuration_is_said(changes, reason):
    with pytest.raises(carc_env.ConfigError, match=reason):
        config(**changes)


def test_a_teacher_without_prices_is_refused(run, capsys):
    assert run(teacher="random") == 1
    assert (
        "bot 'random' has no heuristic weights; the bots with heuristic weights are greedy" in capsys.readouterr().err
    )
