"""Makes positions for the tests of bots."""

import carc_env


def middle(config, seed=1, answers=40):
    """Return the position after some actions of the bot `greedy`, which plays for all players."""
    game, greedy = carc_env.Game(config, seed=seed), carc_env.make_bot("greedy")
    for _ in range(answers):
        game.play(greedy.choose(game))
    return game
