"""Tests of how a game shows itself: as one line of text, as a picture in notebooks, and in files."""

import dataclasses
import io

import pytest
from PIL import Image

import carc_env
from carc_env.render import line, one_line, svg
from carc_env.systems import QUESTIONS
from tests.render.helpers import small_game


def test_a_game_prints_as_one_line():
    game = carc_env.Game("goldmines", deck=["V", "GM2", "K"])
    assert str(game) == "goldmines, 2 players, tile 2 of 4: player 0 places V, scores 0 : 0"
    assert repr(game) == f"<Game {game}>"
    game.play("V@1,0/0")
    assert str(game) == "goldmines, 2 players, tile 2 of 4: player 0 may place a figure on V, scores 0 : 0"
    game.play("meeple road S")
    game.play("GM2@0,-1/180")
    assert str(game) == "goldmines, 2 players, tile 3 of 4: player 1 places the second ingot of GM2, scores 0 : 0"


def test_a_whole_preset_counts_all_its_tiles():
    assert str(carc_env.Game("goldmines", seed=7)).startswith("goldmines, 2 players, tile 2 of 80: player 0 places ")
    assert str(carc_env.Game("france", seed=7)).startswith("france, 2 players, tile 3 of 114: player 0 places ")


def test_the_line_of_a_game_that_is_over():
    game = carc_env.Game("base", deck=["V", "V"])
    for answer in ("V@1,0/0", "meeple road S", "V@1,1/90", "pass"):
        game.play(answer)
    assert str(game) == "base, 2 players, over after 3 tiles: player 0 wins, scores 3 : 0"
    game = carc_env.Game("base", deck=["V"])
    game.play("V@1,0/0")
    game.play("pass")
    assert str(game) == "base, 2 players, over after 2 tiles: players 0, 1 draw, scores 0 : 0"


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (carc_env.preset("goldmines"), "goldmines"),
        (dataclasses.replace(carc_env.preset("france"), players=4), "france"),
        (carc_env.GameConfig(boxes=("base", "goldmines"), gold_rule="rgg_rounds"), "base+goldmines"),
        (carc_env.GameConfig(boxes=("base",), tiles_only=("abbot",), sheet="france"), "base+abbot on france"),
    ],
)
def test_what_is_played_is_named_by_its_preset_or_its_boxes(config, name):
    assert one_line.name(config) == name


def test_every_question_has_words():
    assert all(question.asked for question in QUESTIONS.values())
    game = carc_env.Game("goldmines-c1", seed=3)
    while not game.is_over:
        assert "\n" not in line(game) and len(line(game)) < 120
        game.play(int(game.legal_actions()[-1]))
    assert "over after 81 tiles" in line(game)


def test_notebooks_show_the_picture():
    assert small_game()._repr_svg_() == svg(small_game())


def test_save_draws_into_a_file(tmp_path):
    game = small_game()
    game.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text() == svg(game)
    game.save(str(tmp_path / "x.PNG"))
    with Image.open(io.BytesIO((tmp_path / "x.PNG").read_bytes())) as picture:
        assert picture.format == "PNG" and picture.width == 1400


@pytest.mark.parametrize("name", ["x.gif", "x", ".svg", "", 5, None])
def test_a_picture_of_another_kind_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(carc_env.PictureError, match=r"the name should end in \.svg or \.png"):
        small_game().save(name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "reason"),
    [("no/x.svg", "No such file or directory"), ("folder.svg", "Is a directory"), ("x\0.svg", "null")],
)
def test_a_picture_that_cannot_be_written(tmp_path, name, reason):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(carc_env.FileError, match=reason):
        small_game().save(tmp_path / name)
