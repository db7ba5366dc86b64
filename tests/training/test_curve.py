"""Tests of the learning curve of a training run."""

import warnings

import pytest
from PIL import Image

from training.curve import draw

LESSON = {"lesson_loss": 1.3}
UPDATE = {"win_greedy": 0.4, "margin": -3.0, "entropy": 0.9}
CHECK = UPDATE | {"check": 0.5, "check_low": 0.45, "check_high": 0.55}


@pytest.mark.parametrize("rows", [[LESSON], [LESSON] * 3, [LESSON, LESSON, UPDATE, CHECK], [UPDATE] * 2])
def test_a_run_that_ends_at_any_time_has_a_readable_curve(rows, tmp_path):
    path = tmp_path / "curve.png"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw([row | {"minutes": 11.5 + 0.1 * k} for k, row in enumerate(rows)], path)
    assert Image.open(path).size == (1430, 546)
