"""Tests of pixels: PNG files and Gymnasium's rgb_array."""

import io
import itertools
import random
import sys

import numpy as np
import pytest
from PIL import Image

import carc_env
from carc_env.render import png, rgb_array
from tests.render.helpers import small_game


def test_png_has_the_width_asked_for():
    picture = Image.open(io.BytesIO(png(small_game(), width=640)))
    assert picture.format == "PNG" and picture.width == 640 and picture.height > 300
    assert len(picture.convert("RGB").getcolors(1 << 20)) > 50


def test_rgb_array_keeps_its_shape_during_a_game():
    game, choose = carc_env.Game("goldmines", seed=3), random.Random(3)
    frames = [rgb_array(game)]
    for answers in range(24):
        game.play(int(choose.choice(list(game.legal_actions()))))
        if answers % 8 == 7:
            frames.append(rgb_array(game))
    assert {frame.shape for frame in frames} == {(600, 800, 3)}
    assert all(frame.dtype == np.uint8 and frame.std() > 10 for frame in frames)
    assert all((a != b).any() for a, b in itertools.pairwise(frames))


def test_rgb_array_of_another_size():
    assert rgb_array(small_game(), size=(400, 300)).shape == (300, 400, 3)


def test_rgb_array_is_the_same_for_the_same_game():
    assert (rgb_array(small_game()) == rgb_array(small_game())).all()


@pytest.mark.parametrize("module, package", [("resvg_py", "resvg-py"), ("PIL.Image", "pillow")])
def test_missing_package_is_named(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        rgb_array(small_game())
