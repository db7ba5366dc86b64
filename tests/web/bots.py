"""Bots with faults, for the page's server to live with; in a server within this process, or one begun in the project's
folder.
"""

import random
import threading
import time

from carc_env.bots import Bot

GO = threading.Event()  # what Slow waits for


class Slow(Bot):
    """Answers when it is told to go, or after ten minutes."""

    name = "slow"

    def choose(self, game):
        GO.wait(600)
        return game.legal_actions()[0]


class Dicey(Bot):
    """Answers at random, the same in each run: by the number of answers so far."""

    name = "dicey"

    def choose(self, game):
        return random.Random(len(game.moves)).choice(game.legal_actions().tolist())


class Sleepy(Bot):
    """Takes half a second."""

    name = "sleepy"

    def choose(self, game):
        time.sleep(0.5)
        return game.legal_actions()[0]


class Failing(Bot):
    """Breaks down."""

    name = "failing"

    def choose(self, game):
        raise KeyError("no\nidea")


class Illegal(Bot):
    """Answers what is not legal."""

    name = "illegal"

    def choose(self, game):
        return 3 if 3 not in game.legal_actions() else 4


class Nonsense(Bot):
    """Answers what is no answer."""

    name = "nonsense"

    def choose(self, game):
        return "pass"


class Spy(Bot):
    """Writes down the stacks that it sees."""

    name, seen = "spy", []

    def choose(self, game):
        self.seen.append(game.deck)
        return game.legal_actions()[0]


class Watched(Bot):
    """Calls the first answer the best; writes down the stacks that it sees."""

    name, seen = "watched", []

    def choose(self, game):
        return game.legal_actions()[0]

    def analyse(self, game):
        self.seen.append(game.deck)
        return [(action, -float(rank)) for rank, action in enumerate(game.legal_actions())]


class Pausing(Watched):
    """Says what the first three answers are worth at once, of the others when it is told to go."""

    name, seen = "pausing", []

    def analyse(self, game):
        if len(self.seen) >= 3:
            GO.wait(600)
        return super().analyse(game)


class Tiring(Watched):
    """Breaks down after three answers."""

    name, seen = "tiring", []

    def analyse(self, game):
        if len(self.seen) >= 3:
            raise KeyError("no\nmore")
        return super().analyse(game)


class Silent(Watched):
    """Says something of one answer only."""

    name, seen = "silent", []

    def analyse(self, game):
        return super().analyse(game)[-1:]
