"""Bots that fail, for the tests of the terminal."""

import os
import signal


class Breaks:
    """A bot that plays the first legal action, and raises an error when it has to act for the third time."""

    def __init__(self):
        self.asked = -1  # `choose` is called once before the game

    def choose(self, game):
        self.asked += 1
        if self.asked == 3:
            raise ZeroDivisionError("no more ideas")
        return game.legal_actions()[0]


def wrong(game):
    """Return an illegal action as soon as a tile has been placed."""
    return game.legal_actions()[0] if len(game.board()) == 1 else 0


def impatient(game):
    """Raise KeyboardInterrupt, as if somebody pressed Ctrl-C while the bot thinks."""
    if len(game.board()) > 1:
        raise KeyboardInterrupt
    return game.legal_actions()[0]


def ends(game):
    """Send SIGTERM to the own process while the bot thinks."""
    if len(game.board()) > 1:
        os.kill(os.getpid(), signal.SIGTERM)
    return game.legal_actions()[0]
