"""Positions that tests of bots ask about."""

import carc_env


def middle(config, seed=1, answers=40):
    """A position of a greedy game."""
    game, greedy = carc_env.Game(config, seed=seed), carc_env.make_bot("greedy")
    for _ in range(answers):
        game.play(greedy.choose(game))
    return game
