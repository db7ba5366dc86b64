"""Small runs of `python -m training.sb3`: every algorithm learns on planes or candidates and is evaluated, and
interrupted runs are continued. No action is illegal.
"""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import tomli_w
import torch

import carc_env
from carc_env import BotError, ConfigError
from carc_env.games.games import Games
from carc_env.networks import legal
from carc_env.observing import encode
from carc_env.observing.encode import layout_hash
from carc_env.observing.spaces import layout_of
from tests.modes import later, nightly
from training import sb3, sb3_model, state
from training.sb3_config import SB3Config
from training.sb3_model import ModelBot, load, make_model, read

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("sb3_*.toml"))
SHORT = {
    "game": {"boxes": ["goldmines"]},
    "preset": "goldmines",
    "games": 2,
    "rows": 40,
    "threads": 1,
    "decisions": 48,
    "check_every": 24,
    "check_pairs": 1,
    "eval_pairs": 1,
    "save_every": 24,
}
ON_POLICY = {"n_steps": 12}
OFF_POLICY = {"buffer_size": 100, "learning_starts": 16, "batch_size": 4}
SMALL = {
    "neighborhood": {"width": 8},
    "torus": {"channels": 2, "blocks": 1},
    "candidates": {"width": 8, "measured_on": "base"},
}


def settings(algorithm="MaskablePPO", network="neighborhood", **changes):
    found = (
        OFF_POLICY
        if "DQN" in algorithm
        else ON_POLICY | ({} if algorithm == "A2C" else {"batch_size": 8, "n_epochs": 1})
    )
    return (
        SHORT
        | {"algorithm": algorithm, "network": network, "settings": found, "network_settings": SMALL[network]}
        | changes
    )


@pytest.fixture
def file(tmp_path):
    def write(*arguments, **changes):
        path = tmp_path / "tiny.toml"
        path.write_text(tomli_w.dumps(settings(*arguments, **changes)))
        return str(path)

    return write


@pytest.mark.parametrize(
    "algorithm, network, window, spaces",
    [
        *((algorithm, "candidates", 0, "game") for algorithm in ("MaskablePPO", "PPO")),
        *(nightly(algorithm, "candidates", 0, "game") for algorithm in ("A2C", "DQN", "QRDQN")),
        nightly("MaskablePPO", "neighborhood", 0, "game"),
        ("DQN", "neighborhood", 0, "common"),
        ("A2C", "torus", 9, "common"),
        later("QRDQN", "torus", 7, "game"),
    ],
)
def test_it_learns_and_is_measured(algorithm, network, window, spaces, file, tmp_path, capsys):
    assert (
        sb3.main(["--config", file(algorithm, network, window=window, spaces=spaces), "--run", str(tmp_path / "run")])
        == 0
    )
    told = json.loads((tmp_path / "run" / "result.json").read_text())
    assert (
        told["illegal"] == 0
        and told["decisions"] >= 48
        and [result["b"] for result in told["results"]] == ["random", "greedy"]
    )
    assert told["games"] > 0 and all(result["pairs"] == 1 for result in told["results"])
    rows = sb3.read_progress(tmp_path / "run")
    assert [int(row["decisions"]) for row in rows] == [24, 48] and {row["illegal"] for row in rows} == {"0"}
    assert (tmp_path / "run" / "curve.png").stat().st_size > 10_000 and list(
        (tmp_path / "run" / "tensorboard").rglob("events*")
    )
    assert "0 illegal actions (including evaluation)" in capsys.readouterr().out


@pytest.mark.parametrize("algorithm", ["MaskablePPO", nightly("A2C"), later("DQN")])
def test_a_run_goes_on(algorithm, file, tmp_path, capsys):
    run = tmp_path / "run"
    assert sb3.main(["--config", file(algorithm), "--run", str(run)]) == 0
    config = SB3Config.from_dict(settings(algorithm))
    arrays, data = read(run)
    model, _ = load(run, config)
    assert model.num_timesteps == data["decisions"] == 48
    for key, tensor in model.policy.state_dict().items():
        assert np.array_equal(tensor.numpy(), arrays[f"policy.{key}"])
    moments = model.policy.optimizer.state_dict()["state"]
    assert moments
    for k, one in moments.items():
        assert all(np.array_equal(np.asarray(value), arrays[f"optimizer.{k}.{key}"]) for key, value in one.items())
    assert sb3.main(["--config", file(algorithm, decisions=96), "--run", str(run), "--resume"]) == 0
    assert [int(row["decisions"]) for row in sb3.read_progress(run)] == [24, 48, 72, 96]
    later = read(run)[0]
    assert (
        any(not np.array_equal(later[key], arrays[key]) for key in arrays if key.startswith("policy."))
        and later.keys() == arrays.keys()
    )
    assert read(run)[1]["games"] > data["games"] and read(run)[1]["illegal"] == 0


def test_a_state_is_saved_when_all_decisions_were_learned_from(file, tmp_path, monkeypatch):
    """Checks that no state is saved while the decisions for the next update are being made."""
    save, saved = sb3.Watch.save, []

    def save_and_break(watch):
        save(watch)
        saved.append(watch.model.num_timesteps)
        if len(saved) == 2:  # the first state is saved at the beginning of the run
            raise KeyboardInterrupt

    monkeypatch.setattr(sb3.Watch, "save", save_and_break)
    assert sb3.main(["--config", file(save_every=10), "--run", str(tmp_path / "run")]) == 130
    data = read(tmp_path / "run")[1]
    assert saved == [0, 24] and data["decisions"] == 24 and data["updates"] == 1


@pytest.mark.parametrize("algorithm", ["DQN", nightly("QRDQN")])
def test_what_goes_on_with_an_empty_buffer_fills_it_before_it_learns(algorithm, file, tmp_path, monkeypatch):
    run, held = tmp_path / "run", []
    assert sb3.main(["--config", file(algorithm, check_pairs=0, eval_pairs=0), "--run", str(run)]) == 0
    model, _ = load(run, SB3Config.from_dict(settings(algorithm, decisions=96, check_pairs=0, eval_pairs=0)))
    random_ones = []
    monkeypatch.setattr(legal, "random_legal", lambda mask: random_ones.append(mask) or np.argmax(mask, -1))
    monkeypatch.setattr(model, "exploration_schedule", lambda _: 0.0)
    model.exploration_rate = 0.0
    monkeypatch.setattr(model, "train", lambda *_, **__: held.append(model.replay_buffer.size() * model.n_envs))
    model.learn(40, reset_num_timesteps=False)
    assert min(held) >= OFF_POLICY["learning_starts"] and len(held) > 2 and not random_ones


def test_the_state_of_a_benchmark_is_no_run(file, tmp_path, capsys):
    (tmp_path / "run").mkdir()
    state.write(tmp_path / "run" / "state.safetensors", {"policy.x": np.zeros(2)}, {"task": {}})
    assert sb3.main(["--config", file(), "--run", str(tmp_path / "run"), "--resume"]) == 1
    assert "this file is the saved state of another command, because it lacks config" in capsys.readouterr().err


def test_a_curve_is_drawn_of_the_checks_that_were_played(file, tmp_path):
    run = tmp_path / "run"
    assert (
        sb3.main(["--config", file(check_pairs=0, eval_pairs=0), "--run", str(run)]) == 0
        and not (run / "curve.png").exists()
    )
    assert sb3.main(["--config", file(decisions=96, eval_pairs=0), "--run", str(run), "--resume"]) == 0
    assert [row["random_win"] != "" for row in sb3.read_progress(run)] == [False, False, True, True] and (
        run / "curve.png"
    ).stat().st_size > 10_000


def test_the_learning_rate_is_annealed_also_when_a_run_goes_on(file, tmp_path):
    """Checks that the learning rate falls from its setting to 0 over all decisions of the run, and does not start anew
    when the run is continued. An update uses the rate that belongs to the decisions left before its rollout of 24.
    """
    changes = {
        "settings": ON_POLICY | {"batch_size": 8, "learning_rate": 0.002},
        "anneal": True,
        "check_pairs": 0,
        "eval_pairs": 0,
    }
    run, rates = tmp_path / "run", []
    assert sb3.main(["--config", file(**changes), "--run", str(run)]) == 0
    model, _ = load(run, SB3Config.from_dict(settings(**changes, decisions=96)))
    model.learn(
        48, lambda *_: not rates.append(model.policy.optimizer.param_groups[0]["lr"]), reset_num_timesteps=False
    )
    assert rates[-1] == pytest.approx(0.002 * (96 - 48) / 96) and model.num_timesteps == 96
    rates = [model.lr_schedule(left) for left in (1.0, 0.75, 0.5, 0.0, -0.25, -0.5)]
    assert rates == pytest.approx([0.002, 0.002, 0.0015, 0.0005, 0, 0])


def test_a_run_that_was_interrupted_at_once_goes_on(file, tmp_path, monkeypatch, capsys):
    run, words = tmp_path / "run", ["--config", file(check_pairs=0, eval_pairs=0), "--run", str(tmp_path / "run")]

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sb3_model, "make_model", stop)
        assert sb3.main(words) == 130 and "interrupted before anything was saved" in capsys.readouterr().out
    with monkeypatch.context() as patch:
        patch.setattr(sb3_model.MaskablePPO, "learn", stop)
        assert sb3.main(words) == 130 and f"the last saved state is in {run}" in capsys.readouterr().out
    assert sb3.main([*words, "--resume"]) == 0


def test_what_cannot_be_begun_or_gone_on_with_is_said(file, tmp_path, capsys):
    run = str(tmp_path / "run")
    for words, changes, status, told in [
        (["--resume"], {}, 1, "there is no run to continue"),
        ([], {}, 0, ""),
        ([], {}, 1, "this folder already contains a run; continue it with --resume"),
        (["--resume"], {"seed": 5}, 1, "this run began with seed = 1, but the configuration says 5"),
        (["--resume"], {"algorithm": "SAC"}, 2, "algorithm = 'SAC': should be one of MaskablePPO, PPO"),
        (["--run", str(tmp_path / "new")], {"settings": {"speed": 3}}, 2, "unexpected keyword argument 'speed'"),
        (
            ["--run", str(tmp_path / "newer")],
            {"settings": {"n_steps": 13, "batch_size": 5}},
            2,
            "the last minibatch of 2 games x 13 steps would have only one",
        ),
        (["--run", str(tmp_path / "tiny.toml" / "x")], {}, 1, "Not a directory"),
    ]:
        path = Path(file(check_pairs=0, eval_pairs=0))
        path.write_text(tomli_w.dumps(settings(check_pairs=0, eval_pairs=0) | changes))
        assert sb3.main(["--config", str(path), *(words if "--run" in words else ["--run", run, *words])]) == status
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"network": "flat"}, "network = 'flat': should be one of neighborhood, torus, candidates"),
        ({"window": 9}, "only the network torus can have a window"),
        ({"network": "torus", "window": 26}, "window = 26: only the network torus can have a window, of 3 to 25 rows"),
        ({"network": "torus", "window": 14, "preset": "france"}, "of 3 to 13 rows"),
        ({"spaces": "all"}, "spaces = 'all': should be one of game, common"),
        ({"reward": "fame"}, "reward = 'fame'"),
        ({"game": {"players": 3}}, "matches need 2 players"),
        ({"settings": 3}, "settings = 3: should be of type dict"),
        ({"anneal": True}, "anneal = true: .settings. should give the initial learning_rate"),
        ({"decisions": -1}, "decisions = -1: should be at least 0"),
        ({"speed": 1}, "unknown key 'speed'"),
    ],
)
def test_a_wrong_configuration_is_said(changes, reason):
    with pytest.raises(ConfigError, match=reason):
        SB3Config.from_dict(changes)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_configurations_that_come_along_can_be_begun(path):
    config = SB3Config.from_toml(path)
    model = make_model(config, None, 1)
    assert config.game_config == carc_env.preset("base") and str(path.name) in path.read_text()
    bot, games = ModelBot(model, config), Games("base", 2, range(2))
    for _ in range(20):
        games.step(bot.ask(games))  # raises an error if an action is illegal


@pytest.mark.parametrize(
    "network, window, spaces",
    [
        ("neighborhood", 0, "game"),
        ("torus", 0, "common"),
        ("torus", 5, "game"),
        ("candidates", 0, "game"),
        nightly("neighborhood", 0, "common"),
        nightly("torus", 0, "game"),
        nightly("torus", 5, "common"),
        nightly("candidates", 0, "common"),
    ],
)
def test_the_bot_answers_legally_and_alike_for_one_and_many(network, window, spaces):
    config = SB3Config.from_dict(settings(network=network, window=window, spaces=spaces))
    torch.manual_seed(1)
    bot = ModelBot(make_model(config, None, 1), config)
    games = Games(config.game_config, 4, range(4))
    while not games.is_over.all():
        answers = bot.ask(games)
        assert all(bot.choose(games.game(i)) == answers[i] for i in np.flatnonzero(games.players >= 0)[:1])
        assert games[np.flatnonzero(games.players >= 0)].are_legal(answers[games.players >= 0]).all()
        games.step(answers)


@pytest.mark.parametrize("network, window", [("neighborhood", 0), ("torus", 7)])
def test_it_plays_on_a_sheet(network, window):
    config = SB3Config.from_dict(settings(network=network, window=window, preset="carcassonne", game={}))
    bot, games = ModelBot(make_model(config, None, 1), config), Games(config.game_config, 3, range(3))
    while not games.is_over.all():
        games.step(bot.ask(games))


@pytest.mark.parametrize(
    "network, window, spaces, other",
    [
        ("neighborhood", 0, "game", "base"),
        ("torus", 7, "game", "base"),
        ("neighborhood", 0, "common", "everything"),
        ("torus", 7, "common", "everything"),
    ],
)
def test_a_model_for_planes_refuses_games_that_it_is_not_for(network, window, spaces, other):
    config = SB3Config.from_dict(settings(network=network, window=window, spaces=spaces))
    bot = ModelBot(make_model(config, None, 1), config)
    with pytest.raises(
        BotError,
        match="bot MaskablePPO observes planes, so it can only play games with the planes, globals and actions of its "
        f"training: <Layout spaces='{spaces}': .*>; this game has <Layout spaces='{spaces}': .*>",
    ) as told:
        bot.ask(Games(other, 2, [1, 2]))
    assert "\n" not in str(told.value)


def test_a_model_plays_other_rules_with_the_same_planes():
    """With the spaces of all games, a model plays every game whose board has the same size."""
    config = SB3Config.from_dict(settings(preset="base", game={}))
    other = dataclasses.replace(carc_env.preset("base"), small_city_points=2)
    assert layout_hash("planes", layout_of(other)) == layout_hash("planes", config.layout)
    for spaces, played in (("game", other), ("common", "goldmines")):
        model = SB3Config.from_dict(settings(preset="base", game={}, spaces=spaces))
        games, bot = Games(played, 2, range(2)), ModelBot(make_model(model, None, 1), model)
        for _ in range(20):
            games.step(bot.ask(games))


def test_a_model_for_candidates_plays_everything():
    config = SB3Config.from_dict(settings(network="candidates", preset="base", game={}))
    bot = ModelBot(make_model(config, None, 1), config)
    for other in ("base", "carcassonne", "everything"):
        games = Games(other, 2, range(2))
        for _ in range(20):
            games.step(bot.ask(games))


def test_a_state_tells_what_it_is_for_and_is_refused_for_other_planes(file, tmp_path, monkeypatch, capsys):
    run = tmp_path / "run"
    words = ["--config", file(check_pairs=0, eval_pairs=0), "--run", str(run)]
    assert sb3.main(words) == 0
    config = SB3Config.from_dict(settings())
    made_for = read(run)[1]["made_for"]
    assert made_for == {
        "observation": "planes",
        "spaces": "game",
        "config": config.game_config.to_dict(),
        "layout_hash": layout_hash("planes", config.layout),
    }
    assert (
        sb3.main(["--config", file(check_pairs=0, eval_pairs=0, spaces="common"), "--run", str(run), "--resume"]) == 1
    )
    assert "this run began with spaces = 'game', but the configuration says 'common'" in capsys.readouterr().err
    monkeypatch.setattr(encode, "VERSION", encode.VERSION + 1)
    assert sb3.main(["--config", file(check_pairs=0, eval_pairs=0), "--run", str(run), "--resume"]) == 1
    err = capsys.readouterr().err
    assert "the planes of goldmines (spaces = 'game') had layout" in err and err.count("\n") == 1
