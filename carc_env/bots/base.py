"""What every bot offers: an answer for one game, and answers for a batch of games."""

import numpy as np

from carc_env.game import Game
from carc_env.games import Games


class Bot:
    """A player. The same seed and the same game give the same answer, whatever the bot was asked before.

    A bot looks at what the player asked may know, never at the tiles that are still in the stack. Write
    `choose_batch`; one game is a batch of one.
    """

    name: str  # as `make` knows it
    threaded = False  # True: `choose_for` is compiled, so that several threads may ask for different games at a time

    def choose(self, game: Game) -> int:
        """The id of a legal answer to the question asked. Raises ValueError when the game is over."""
        if game.is_over:
            raise ValueError("the game is over: there is nothing to choose")
        return int(self.choose_batch(Games.of(game))[0])

    def choose_batch(self, games: Games) -> np.ndarray:
        """The id of a legal answer in each game, int64[n]; NONE (-1) where the game is over."""
        raise NotImplementedError(f"{type(self).__name__} has no choose_batch")

    def choose_for(self, games: Games, which: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """The answers in the games numbered `which`, int64[k], each as after `reseed` with the seed of that game."""
        if type(self).reseed is Bot.reseed:  # no chance in it
            return self.choose_batch(games[which])
        answers = np.empty(len(which), np.int64)
        for k, (i, seed) in enumerate(zip(which, seeds)):
            self.reseed(int(seed))
            answers[k] = self.choose_batch(games[[i]])[0]
        return answers

    def reseed(self, seed: int) -> None:
        """Go on with another seed; a bot without chance has nothing to do."""

    def __repr__(self) -> str:
        return f"<bot {self.name}>"
