"""Laws about points."""

import random

import numpy as np
from hypothesis import given

import carc_env

from .games import configs, games, random_answer, seeds, states


@given(games())
def test_sources_add_up(game):
    """Points by source add up to the points on the track, at the end and before."""
    assert sum(game.final_scores().values()).tolist() == game.scores.tolist()


@given(configs, seeds)
def test_points_are_told(config, seed):
    """Points on the track never fall, and every change of them is told as an event."""
    told, last = np.zeros(config.players, int), 0
    for game in states(config, seed):
        for event in game.last_events:
            if isinstance(event, carc_env.PointsScored):
                told[event.player] += event.points
                assert event.points >= 0 and str(event)
        assert told.tolist() == game.scores.tolist()
        assert (game.scores >= last).all()
        last = game.scores


@given(games())
def test_no_gold_or_fields_before_the_end(game):
    """Fields and ingots pay when the game is over, not before."""
    if not game.is_over:
        assert not game.final_scores()["fields"].any()
        assert not game.final_scores()["ingots"].any()


@given(configs, seeds)
def test_no_points_without_figures(config, seed):
    """Who never places a figure gets no points and no gold."""
    game, rng = carc_env.Game(config, seed=seed), random.Random(seed)
    while not game.is_over:
        figures_of_first = game.phase == carc_env.Phase.PLACE_FIGURE and game.player == 0
        game.play("pass" if figures_of_first else random_answer(rng, game))
    assert game.scores[0] == game.ingots[0] == 0
