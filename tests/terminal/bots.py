"""Bots that fail, for the tests of the terminal."""

import os
import signal


class Breaks:
    """Plays by the first legal answer, and breaks at its third."""

    def __init__(self):
        self.asked = -1  # once before the game

    def choose(self, game):
        self.asked += 1
        if self.asked == 3:
            raise ZeroDivisionError("no more ideas")
        return game.legal_actions()[0]


def wrong(game):
    """Answers what is never legal, as soon as there is something on the table."""
    return game.legal_actions()[0] if len(game.board()) == 1 else 0


def impatient(game):
    """Somebody presses Ctrl-C while it thinks."""
    if len(game.board()) > 1:
        raise KeyboardInterrupt
    return game.legal_actions()[0]


def ends(game):
    """The process is told to end while it thinks."""
    if len(game.board()) > 1:
        os.kill(os.getpid(), signal.SIGTERM)
    return game.legal_actions()[0]
