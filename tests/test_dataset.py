"""Tests of data sets of games: Minari reads them, their games can be replayed, observations and rewards equal those of
the environment, and Ctrl-C leaves a complete data set.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import gymnasium
import pytest

import carc_env
from carc_env.bots import Bot, make
from carc_env.commands.cli import main
from carc_env.common.exit_status import INTERRUPTED
from carc_env.observing.encode import ObservationSpec, layout_hash
from carc_env.observing.spaces import layout_of
from carc_env.setup.config import as_config

minari = pytest.importorskip("minari", reason="Minari is not installed")
dataset = pytest.importorskip("carc_env.arena.dataset", reason="h5py is not installed")

SMALL = {"boxes": ["goldmines"]}


class Cheat(Bot):
    """A bot that plays an illegal action."""

    def choose(self, game):
        return 0


def written(folder, *players, config=SMALL, games=3, **more):
    dataset.write(players or ("random",), config, games, seed=5, name="small-v0", folder=folder, **more)
    return minari.MinariDataset(folder / "small-v0" / "data")


@pytest.mark.parametrize(
    "observation, config, spaces",
    [("planes", SMALL, "game"), ("both", SMALL, "game"), ("both", SMALL, "common"), ("both", "carcassonne", "game")],
    ids=["planes", "both", "common", "sheet"],
)
def test_every_answer_of_a_replayed_game_stands_in_it_with_what_was_seen(tmp_path, observation, config, spaces):
    data = written(tmp_path, "random", "greedy", observation=observation, config=config, spaces=spaces)
    layout = layout_of(as_config(config), spaces)
    assert (data.action_space.n, data.observation_space["globals"].shape) == (layout.n_actions, (len(layout.globals),))
    told = data.storage.metadata["carc_env"]
    assert (told["spaces"], told["layout_hash"]) == (spaces, layout_hash(observation, layout))
    episodes, seats = (
        list(data.iterate_episodes()),
        [about["seat"] for about in data.storage.get_episode_metadata(range(6))],
    )
    assert (data.spec.total_episodes, data.total_steps) == (6, sum(map(len, episodes))) and seats == [0, 1] * 3
    for episode, seat in zip(episodes, seats):
        record, k = dataset.record_of(episode), 0
        for _, game in carc_env.games.replay.retrace(record):
            if game.player == seat or game.is_over:
                shown = game.observe(seat, ObservationSpec(layout, observation))
                shown["action_mask"][layout.pass_action] |= game.is_over
                for name, array in shown.items():
                    assert (episode.observations[name][k] == array).all(), name
                if not game.is_over:
                    assert (
                        game.text(layout.to_common(int(episode.actions[k])))
                        == record["moves"][int(game.state["n_moves"])]
                    )
                    assert episode.observations["action_mask"][k][episode.actions[k]] == 1
                k += 1
        assert k == len(episode) + 1 == len(episode.observations["globals"])
        assert episode.terminations.tolist() == [False] * (k - 2) + [True] and not episode.truncations.any()
        scores = carc_env.replay(record).scores
        assert episode.rewards.sum() == pytest.approx(scores[seat] - scores[1 - seat])


@pytest.mark.parametrize("reward", ["margin", "outcome", "potential"])
def test_rewards_are_those_of_the_environment(tmp_path, reward):
    data = written(tmp_path, "greedy", reward=reward, games=2)
    for episode, about in zip(data.iterate_episodes(), data.storage.get_episode_metadata(range(4))):
        env = gymnasium.make(
            "carc_env/Goldmines-v0", config=SMALL, opponent="greedy", seat=int(about["seat"]), reward=reward
        )
        observation, _ = env.reset(seed=0, options={"deck": dataset.record_of(episode)["deck"]})
        for action, gained, seen in zip(episode.actions, episode.rewards, episode.observations["planes"]):
            assert (observation["planes"] == seen).all()
            observation, given, terminated, *_ = env.step(int(action))
            assert given == pytest.approx(gained)
        assert terminated


def test_who_answered_is_told_and_another_one_begins_each_game(tmp_path):
    data = written(tmp_path, "random", "greedy", games=2)
    told = [(int(about["game_seed"]), about["player"]) for about in data.storage.get_episode_metadata(range(4))]
    assert told == [(5, "random"), (5, "greedy"), (6, "greedy"), (6, "random")]
    for episode, (_, player) in zip(data.iterate_episodes(), told):
        if player == "greedy":
            for _, game in carc_env.games.replay.retrace(dataset.record_of(episode)):
                if not game.is_over and game.player == told.index((dataset.record_of(episode)["seed"], "greedy")) % 2:
                    assert (
                        game.text(make("greedy").choose(game))
                        == dataset.record_of(episode)["moves"][int(game.state["n_moves"])]
                    )


@pytest.mark.parametrize("spaces", ["game", "common"])
def test_it_makes_its_environment_again_and_is_found_by_name(tmp_path, monkeypatch, spaces):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset.write(["greedy"], "base", 1, observation="candidates", spaces=spaces)
    data = minari.load_dataset("base-greedy-v0")
    assert dataset.load("base-greedy-v0").spec == data.spec and "base-greedy-v0" in minari.list_local_datasets()
    env = data.recover_environment()
    assert env.spec.id == "carc_env/Base-v0" and (env.spec.kwargs["opponent"], env.spec.kwargs["spaces"]) == (
        "greedy",
        spaces,
    )
    observation, _ = env.reset(seed=1)
    assert data.observation_space.contains(observation) and data.action_space == env.action_space
    assert all(
        data.observation_space.contains({name: array[0] for name, array in episode.observations.items()})
        for episode in data
    )


def test_it_does_not_depend_on_how_many_games_are_played_side_by_side(tmp_path, monkeypatch):
    at_once = written(tmp_path / "a", "random", games=4)
    monkeypatch.setattr(dataset, "CHUNK", 1)
    one_by_one = written(tmp_path / "b", "random", games=4)
    for some, other in zip(at_once.iterate_episodes(), one_by_one.iterate_episodes()):
        assert dataset.record_of(some) == dataset.record_of(other) and (some.actions == other.actions).all()


def test_combined_with_another_it_keeps_its_records(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    for number, name in enumerate(("a-v0", "b-v0")):
        dataset.write(["random"], SMALL, 1, seed=number, name=name)
    both = minari.combine_datasets([minari.load_dataset("a-v0"), minari.load_dataset("b-v0")], "both-v0")
    assert [dataset.record_of(episode)["seed"] for episode in both] == [0, 0, 1, 1]


def test_what_cannot_be(tmp_path):
    write = dataset.write
    for arguments, wrong in (
        ({"name": "small"}, "with a version at the end"),
        ({"spaces": "all"}, "spaces = 'all': should be one of 'game', 'common'"),
        ({"observation": "pixels"}, "'planes', 'candidates', 'both'"),
        ({"reward": "win"}, "reward = 'win'"),
        ({"games": 0}, "games"),
        ({"name": "../x-v0"}, "letters"),
    ):
        with pytest.raises(ValueError, match=wrong):
            write(["random"], SMALL, folder=tmp_path, **{"games": 1, "name": "small-v0", **arguments})
    with pytest.raises(carc_env.BotError, match="unknown bot 'tetris'"):
        write(["tetris"], SMALL, 1, folder=tmp_path)
    with pytest.raises(ValueError, match="3 players for 2 seats"):
        write(["random"] * 3, SMALL, 1, folder=tmp_path)
    with pytest.raises(carc_env.IllegalAction, match="<bot Cheat> played 0, which is not legal"):
        write([f"{__name__}:Cheat"], SMALL, 1, name="small-v0", folder=tmp_path)
    assert not any(tmp_path.iterdir()), "nothing is left of a data set without games"
    written(tmp_path, games=1)
    with pytest.raises(ValueError, match="exists already"):
        written(tmp_path, games=1)
    with pytest.raises(ValueError, match="not a data set"):
        dataset.load(tmp_path / "another")


def test_the_command(tmp_path, capsys):
    words = [
        "dataset",
        "greedy",
        "random",
        "--preset",
        "base",
        "--games",
        "2",
        "--seed",
        "3",
        "--observation",
        "candidates",
        "--out",
        str(tmp_path),
    ]
    assert main([*words, "--json", "--record", str(tmp_path / "games.jsonl")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["games"], told["episodes"]) == ("base-greedy-random-v0", 2, 4)
    data = dataset.load(told["path"])
    assert told["steps"] == data.total_steps and 0 < told["megabytes"] < 3
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [line["seed"] for line in lines] == [3, 4] and lines == [
        dataset.record_of(data[0]),
        dataset.record_of(data[2]),
    ]
    assert data.storage.metadata["carc_env"]["spaces"] == "game"
    assert main(words) == 1 and "exists already" in capsys.readouterr().err
    assert main([*words, "--name", "common-v0", "--spaces", "common"]) == 0
    assert dataset.load(tmp_path / "common-v0").storage.metadata["carc_env"]["spaces"] == "common"
    assert main([*words, "--name", "no version"]) == 2 and "version" in capsys.readouterr().err


def test_ctrl_c_leaves_a_whole_data_set_of_the_games_so_far(tmp_path):
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "carc_env",
            "dataset",
            "random",
            "--games",
            "100000",
            "--name",
            "long-v0",
            "--out",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    file = tmp_path / "long-v0" / "data" / "main_data.hdf5"
    until = time.monotonic() + 600
    while not (file.exists() and file.stat().st_size > 10**6):
        assert time.monotonic() < until and running.poll() is None, "it has not begun"
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    told, said = running.communicate(timeout=300)
    assert running.returncode == INTERRUPTED and "Traceback" not in said, said
    data = dataset.load(tmp_path / "long-v0")
    assert (
        data.total_episodes > 0
        and f"{data.total_episodes} episodes" in told
        and f"interrupted after {data.total_episodes // 2} of 100000" in said
    )
    assert carc_env.replay(dataset.record_of(data[data.total_episodes - 1])).is_over
