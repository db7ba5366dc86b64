"""Tests of frames that are composed of cached pieces. Such a frame is the same picture as a drawing that is rendered as
a whole, whatever lies on the table.
"""

import random

import numpy as np
import pytest

import carc_env
from carc_env.common import palette
from carc_env.render import FRAME, image_of, laid_out, pixels, rgb_array, svg
from carc_env.render.svg import PIXEL, asked_cells, fit
from carc_env.setup.config import presets
from tests.render.helpers import scenery, small_game

# Tolerances, of 255, for the difference of a pixel (the largest of its channels): the mean, the difference that may be
# noticed, and the maximum.
MEAN, NOTICED, ODD = 0.2, 8, 64
SHARE = 1e-3  # the share of the pixels that may differ by more than NOTICED


def whole(game, size=FRAME):
    """Return the frame that resvg renders from the whole SVG."""
    return np.array(image_of(svg(game, laid_out(size)), *size).convert("RGB"))


def assert_same(game, size=FRAME):
    """Assert that a frame differs from the whole drawing only by rounding errors."""
    difference = np.abs(rgb_array(game, size).astype(int) - whole(game, size)).max(2)
    assert difference.mean() < MEAN and (difference > NOTICED).mean() < SHARE and difference.max() < ODD, (
        difference.mean(),
        (difference > NOTICED).mean(),
        difference.max(),
    )


@pytest.mark.parametrize("preset", presets())
def test_frames_of_random_games_are_those_of_the_whole_drawing(preset):
    game, choose = carc_env.Game(preset, seed=5), random.Random(5)
    shown = {choose.randrange(150) for _ in range(3)}
    answers = 0
    while not game.is_over:
        game.play(int(choose.choice(game.legal_actions())))
        answers += 1
        if answers in shown:
            assert_same(game)
    assert_same(game)


@pytest.mark.parametrize("players", [3, 5])
def test_more_players_make_smaller_cards(players):
    game, choose = carc_env.Game("everything", seed=8).config, random.Random(8)
    game = carc_env.Game({**game.to_dict(), "players": players}, seed=8)
    for _ in range(40):
        game.play(int(choose.choice(game.legal_actions())))
    assert_same(game)


def test_all_that_can_lie_on_the_table_is_put_there():
    assert_same(scenery())
    assert_same(scenery(answers=("GC1@5,2/0", "pass"), phase=carc_env.Phase.PLACE_GERMAN_CASTLE))


@pytest.mark.parametrize("size", [(400, 300), (640, 480), (1280, 960)])
def test_frames_of_other_sizes(size):
    assert rgb_array(small_game(), size).shape == (size[1], size[0], 3)
    assert_same(small_game(), size)


def test_a_figure_far_from_the_corner_of_its_tile_is_found():
    """The figure stands on the second square of a double tile, far from the first square."""
    board = [
        carc_env.notation.placed.Placed(
            "GC4", 0, 0, 0, 0, (carc_env.notation.placed.Figure("meeple", 0, "city", "2N"),)
        )
    ]
    without = [board[0]._replace(figures=())]
    with_figure, empty = (
        rgb_array(scenery(placed=board, ferries=[], castles=[])),
        rgb_array(scenery(placed=without, ferries=[], castles=[])),
    )
    assert (with_figure != empty).any(2).sum() > 100
    assert_same(scenery(placed=board, ferries=[], castles=[]))


def test_the_frames_of_a_turn_are_of_one_scale():
    game = small_game("K@1,1/180")
    layout = fit(game, asked_cells(game), laid_out(FRAME))
    game.play("pass")
    assert game.phase == carc_env.Phase.PLACE_TILE and fit(game, asked_cells(game), laid_out(FRAME)) == layout
    assert all(abs(length / PIXEL - round(length / PIXEL)) < 1e-6 for length in (layout.cell, layout.left, layout.top))


def test_nothing_of_a_frame_stays_in_the_next():
    """Changing a returned frame does not change the cached pieces."""
    game, later = small_game(), small_game("K@1,1/180")
    before = rgb_array(game)
    rgb_array(later)
    frame = rgb_array(game)
    frame[:] = 0
    assert (rgb_array(game) == before).all()


def test_pieces_are_rendered_once(monkeypatch):
    game = small_game("K@1,1/180")
    rgb_array(game)
    monkeypatch.setattr(pixels, "raster", lambda *_: pytest.fail("rendered again"))
    rgb_array(game)
    rgb_array(game.clone())


def test_a_part_grows_until_it_is_seen_whole():
    far = '<rect x="-70" y="-3" width="150" height="9" fill="#c43c30"/>'
    found = pixels.rendered(far, "scale(1)", 0, 20, True)
    assert (found.left, found.top, found.colours.size) == (-70, -3, (150, 9))
    assert (np.array(found.colours) == (0xC4, 0x3C, 0x30)).all() and (np.array(found.cover) == 255).all()


def test_an_empty_table_is_the_colour_of_the_table():
    assert "#" + bytes(rgb_array(small_game())[-1, 0]).hex() == palette.TABLE
