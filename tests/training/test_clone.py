"""Tests of behaviour cloning from a tiny data set: the network learns, the agent that it writes plays, and unsuitable
data sets are refused.
"""

import json

import numpy as np
import pytest

from carc_env.bots import checkpoint, make
from training import files
from training.config import TrainConfig
from training.ppo import FAILED, GOOD, WRONG_USAGE

pytest.importorskip("minari", reason="Minari is not installed")
dataset = pytest.importorskip("carc_env.arena.dataset", reason="h5py is not installed")
clone = pytest.importorskip("training.clone")

SMALL = {"boxes": ["goldmines"]}
LEARNING = {"epochs": 12, "minibatch": 32, "learning_rate": 5e-3, "width": 16}


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Write a data set with sixty short games of `greedy`, and return its path."""
    folder = tmp_path_factory.mktemp("data")
    return dataset.write(["greedy"], SMALL, 60, observation="candidates", name="tiny-v0", folder=folder).path


@pytest.mark.long
def test_it_learns_to_answer_as_the_players_did(games, tiny_file, tmp_path, capsys):
    assert clone.main([games, "--config", str(tiny_file(**LEARNING)), "--run", str(tmp_path / "run")]) == GOOD
    told = json.loads((tmp_path / "run" / files.RESULT).read_text())
    first, last = told["epochs"][0], told["epochs"][-1]
    decisions, _ = clone.read(games, TrainConfig.from_dict({"game": SMALL} | LEARNING | {"games": 4}))
    by_chance = (1 / clone.held_out(decisions)[1].count).mean()
    assert last["loss"] < first["loss"] / 3 and last["held_out_loss"] < first["held_out_loss"] / 3
    assert last["accuracy"] > 0.8 > 2 * by_chance, f"{by_chance:.2f} by chance"
    assert [epoch["epoch"] for epoch in told["epochs"]] == list(range(13))
    card = checkpoint.read(tmp_path / "run" / files.CHECKPOINT).card
    assert (
        card.games == 54
        and [match["b"] for match in card.strength] == ["random", "greedy"]
        and card.strength[0]["margin"] > 0
    )
    assert "of the held-out actions predicted" in capsys.readouterr().out
    make(f"ppo:{tmp_path / 'run' / files.CHECKPOINT}")


def test_its_decisions_are_those_of_the_data_set(games):
    decisions, rows = clone.read(games, TrainConfig.from_dict({"game": SMALL}))
    data = dataset.load(games)
    assert len(decisions) == data.total_steps and rows == 192
    episode, first = data[0], np.cumsum(decisions.count) - decisions.count
    for k in range(len(episode)):
        chosen = episode.observations["candidate_actions"][k][decisions.choice[k]]
        assert chosen == episode.actions[k] and decisions.count[k] == episode.observations["action_mask"][k].sum()
        assert (
            decisions.rows[first[k] + decisions.choice[k]] == episode.observations["candidates"][k][decisions.choice[k]]
        ).all()
    known, unknown = clone.held_out(decisions)
    assert len(known) + len(unknown) == len(decisions) and not set(known.game) & set(unknown.game)
    assert len(set(unknown.game)) == 6 and len(known.rows) + len(unknown.rows) == len(decisions.rows)


def test_what_it_cannot_learn_from(games, tiny_file, tmp_path, capsys):
    planes = dataset.write(["greedy"], SMALL, 2, name="planes-v0", folder=tmp_path).path
    single = dataset.write(["greedy"], SMALL, 1, observation="candidates", name="single-v0", folder=tmp_path).path
    other = tiny_file("other", game={"boxes": ["base"]})
    for data, config, status, wrong in (
        (planes, tiny_file(), WRONG_USAGE, "cloning needs candidates"),
        (single, tiny_file(), WRONG_USAGE, "only one game"),
        (games, other, WRONG_USAGE, "differ from those of the configuration"),
        (
            games,
            tiny_file("price", price=True),
            WRONG_USAGE,
            "does not have the columns price and rank, so price should be false",
        ),
        ("nothing-v0", tiny_file(), FAILED, "not a data set"),
    ):
        assert clone.main([str(data), "--config", str(config), "--run", str(tmp_path / f"run {wrong}")]) == status
        assert wrong in capsys.readouterr().err
    assert (
        clone.main([str(games), "--config", str(tiny_file()), "--run", str(tmp_path / "other.toml" / "run")]) == FAILED
    )
    assert "Not a directory" in capsys.readouterr().err
