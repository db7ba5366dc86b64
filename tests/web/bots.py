"""Bots with special behaviour or with faults, for tests of the server. They can be used by a server in this process, or
by one that is started in the project's folder.
"""

import random
import threading
import time

from carc_env.bots import Bot

GO = threading.Event()  # the event that the bot Slow waits for


class Slow(Bot):
    """Acts as soon as the event GO is set, or after ten minutes."""

    name = "slow"

    def choose(self, game):
        GO.wait(600)
        return game.legal_actions()[0]


class Dicey(Bot):
    """Chooses random actions that are the same in each run: the seed is the number of moves so far."""

    name = "dicey"

    def choose(self, game):
        return random.Random(len(game.moves)).choice(game.legal_actions().tolist())


class Sleepy(Bot):
    """Takes half a second for each action."""

    name = "sleepy"

    def choose(self, game):
        time.sleep(0.5)
        return game.legal_actions()[0]


class Failing(Bot):
    """Raises an error instead of choosing an action."""

    name = "failing"

    def choose(self, game):
        raise KeyError("no\nidea")


class Illegal(Bot):
    """Chooses an illegal action."""

    name = "illegal"

    def choose(self, game):
        return 3 if 3 not in game.legal_actions() else 4


class Nonsense(Bot):
    """Returns a string instead of the number of an action."""

    name = "nonsense"

    def choose(self, game):
        return "pass"


class Spy(Bot):
    """Records the tile stack that it sees at each decision."""

    name, seen = "spy", []

    def choose(self, game):
        self.seen.append(game.deck)
        return game.legal_actions()[0]


class Watched(Bot):
    """Rates the first legal action best. Records the tile stack that it sees in each analysis."""

    name, seen = "watched", []

    def choose(self, game):
        return game.legal_actions()[0]

    def analyse(self, game):
        self.seen.append(game.deck)
        return [(action, -float(rank)) for rank, action in enumerate(game.legal_actions())]


class Pausing(Watched):
    """Analyses the first three decisions at once. For each further decision, it waits until GO is set."""

    name, seen = "pausing", []

    def analyse(self, game):
        if len(self.seen) >= 3:
            GO.wait(600)
        return super().analyse(game)


class Tiring(Watched):
    """Raises an error after it has analysed three decisions."""

    name, seen = "tiring", []

    def analyse(self, game):
        if len(self.seen) >= 3:
            raise KeyError("no\nmore")
        return super().analyse(game)


class Silent(Watched):
    """Returns the value of only one legal action."""

    name, seen = "silent", []

    def analyse(self, game):
        return super().analyse(game)[-1:]
