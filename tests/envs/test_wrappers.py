"""Tests of wrappers: RecordGames, which writes games to a file, and Gymnasium's video of an episode."""

import json

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

import carc_env
from carc_env.envs.wrappers import RecordGames
from tests.envs.test_vector import SHORT


def finish(env, info):
    """Play to the end of the episode, and return the final scores."""
    over = False
    while not over:
        _, _, over, truncated, info = env.step(int(info["action_mask"].argmax()))
        over |= truncated
    return info["scores"].tolist()


def test_finished_lost_and_abandoned_games_are_written_and_read(tmp_path):
    path = tmp_path / "games.jsonl"
    env = RecordGames(gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random"), path)
    env.reset(seed=np.int64(1))
    scores = finish(env, env.reset(seed=1)[1])  # nothing was played after the first reset
    assert len(path.read_text().splitlines()) == 1
    _, info = env.reset()
    *_, info = env.step(int(info["action_mask"].argmax()))
    lost = env.unwrapped.game.clone()
    env.step(0)  # illegal, so the game is lost
    assert len(path.read_text().splitlines()) == 2
    _, info = env.reset()
    env.step(int(info["action_mask"].argmax()))
    abandoned = env.unwrapped.game.clone()
    env.reset()
    assert len(path.read_text().splitlines()) == 3
    env.step(int(env.unwrapped.action_masks().argmax()))
    open_at_the_end = env.unwrapped.game.clone()
    env.close()
    env.close()
    records = list(carc_env.read_records(path))
    games = [carc_env.replay(record) for record in records]
    assert games[0].is_over and games[0].scores.tolist() == scores == records[0]["scores"]
    assert [game.record() for game in games[1:]] == [game.record() for game in (lost, abandoned, open_at_the_end)]
    assert all(json.dumps(record) for record in records) and len(records) == 4


def test_a_reset_that_is_refused_writes_nothing(tmp_path):
    path = tmp_path / "games.jsonl"
    env = RecordGames(gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random"), path)
    _, info = env.reset(seed=1)
    *_, info = env.step(int(info["action_mask"].argmax()))
    for arguments in ({"seed": -1}, {"options": {"deck": ["nope"]}}, {"options": {"decks": []}}):
        with pytest.raises((carc_env.CarcError, gymnasium.error.Error)):
            env.reset(**arguments)
    assert not path.read_text()
    scores = finish(env, info)
    env.close()
    assert [record["scores"] for record in carc_env.read_records(path)] == [scores]


def test_a_reset_in_which_an_opponent_fails_writes_the_game_before(tmp_path):
    def player(game):
        if fails:
            raise RuntimeError("the bot has failed")
        return game.legal_actions()[0]

    fails, path = False, tmp_path / "games.jsonl"
    env = RecordGames(gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent=player, seat=1), path)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    moves, fails = env.unwrapped.game.moves, True
    with pytest.raises(RuntimeError):
        env.reset()
    env.close()
    assert [record["moves"] for record in carc_env.read_records(path)] == [moves]


def test_a_file_is_continued_and_truncated_episodes_are_written(tmp_path):
    path = str(tmp_path / "games.jsonl")
    for _ in range(2):
        env = RecordGames(
            gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random", max_episode_steps=2), path
        )
        finish(env, env.reset(seed=1)[1])
        env.close()
    first, second = carc_env.read_records(path)
    assert first == second and not carc_env.replay(first).is_over


def test_the_wrapper_stands_in_the_spec(tmp_path):
    path = tmp_path / "games.jsonl"
    env = RecordGames(gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random"), path)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    finish(again, again.reset(seed=1)[1])
    assert len(list(carc_env.read_records(path))) == 1


def test_a_state_restored_is_written_again(tmp_path):
    env = RecordGames(
        gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random"), tmp_path / "games.jsonl"
    )
    _, info = env.reset(seed=1)
    state = env.unwrapped.save()
    finish(env, info)
    env.unwrapped.restore(state)
    env.step(int(env.unwrapped.action_masks().argmax()))
    env.close()
    whole, part = carc_env.read_records(tmp_path / "games.jsonl")
    assert whole["deck"] == part["deck"] and whole["moves"][: len(part["moves"])] == part["moves"]


def test_other_games_are_not_recorded(tmp_path):
    class Other(gymnasium.Env):
        pass

    with pytest.raises(carc_env.ArgumentError, match="only games of carc_env"):
        RecordGames(Other(), tmp_path / "games.jsonl")
    env = gymnasium.make("carc_env/Base-v0", opponent="random")
    for path in (tmp_path, tmp_path / "nowhere" / "games.jsonl", 7, None):
        with pytest.raises(carc_env.RecordError):
            RecordGames(env, path)


def test_gymnasiums_video_of_an_episode(tmp_path):
    pytest.importorskip(
        "moviepy", reason="the extra `video` is not installed: its ffmpeg is too large for every run of make"
    )
    from gymnasium.wrappers import RecordVideo

    env = gymnasium.make("carc_env/Goldmines-v0", config=SHORT, opponent="random", render_mode="rgb_array")
    env = RecordVideo(env, str(tmp_path))
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    env.step(0)  # illegal, so the game is lost; the last picture still shows the game
    env.close()
    assert (tmp_path / "rl-video-episode-0.mp4").stat().st_size > 1000
