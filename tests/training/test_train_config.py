"""Tests of TrainConfig: a mistake in a configuration is reported in one sentence."""

import pytest

import carc_env
from carc_env import ConfigError
from training.config import TrainConfig, find, shipped_names

CONFIGS = [find(name) for name in shipped_names()]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_the_configurations_that_come_along_hold(path):
    config = TrainConfig.from_toml(path)
    assert config.preset == {"quick": "goldmines", "smoke": "goldmines"}.get(path.stem, path.stem)
    assert config.game_config == carc_env.preset(config.preset)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("speed = 3", "unknown key 'speed'"),
        ("updates = 0", "updates = 0: should be at least 1"),
        ("updates = 2.5", "updates = 2.5: should be of type int"),
        ("updates = true", "updates = True: should be of type int"),
        ("learning_rate = 'high'", "learning_rate = 'high': should be of type float"),
        ("gamma = 1.5", "gamma = 1.5: should be from 0 to 1"),
        ("entropy = nan", "entropy = nan: should be at least 0"),
        ("preset = 'mars'", "unknown preset 'mars'"),
        ("game = 3", "game = 3: should be of type dict"),
        ("[game]\nplayers = 9", "players = 9"),
        ("[game]\nwind = 1", "unknown key 'wind'"),
        ("[game]\nplayers = 3", "matches need 2 players"),
        ("games = 4\nsteps = 4", "minibatch = 4096"),
        (
            "games = 3\nsteps = 3\nminibatch = 4",
            "minibatch = 4: the last minibatch of 3 games x 3 steps would have only one",
        ),
        ("share_self = 0\nshare_past = 0\nshare_greedy = 0\nshare_random = 0", "at least one should be greater than 0"),
        ("updates = ", "Invalid value"),
    ],
)
def test_errors(tmp_path, text, reason):
    path = tmp_path / "faulty.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        TrainConfig.from_toml(path)
    assert str(error.value).startswith(f"{path}: ") and reason in str(error.value)


def test_no_file(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: No such file"):
        TrainConfig.from_toml(tmp_path / "none.toml")


def test_an_integer_will_do_for_a_float_and_the_game_may_differ_from_its_preset(tmp_path):
    path = tmp_path / "good.toml"
    path.write_text("points = 20\ncheck_pairs = 0\neval_pairs = 0\n[game]\nplayers = 3\nmeeples = 5\n")
    config = TrainConfig.from_toml(path)
    assert config.points == 20.0 and isinstance(config.points, float)
    assert (config.game_config.players, config.game_config.meeples) == (3, 5)
    assert config.game_config.boxes == ("base", "goldmines")
    assert TrainConfig.from_dict(config.to_dict()) == config
