"""Defines the action `recall`: instead of placing a figure, a player takes back the abbot."""

from carc_env.rules.answers import RECALL
from carc_env.systems.abbot.signs import SIGNS, WOODEN
from carc_env.systems.system import Makings, System
from carc_env.systems.where import Standing


class Abbot(System):
    """The abbot."""

    box = "abbot"
    signs = SIGNS
    figures = WOODEN
    answers = {"recall": "take the abbot back and score its building"}
    words = {"recall": RECALL}
    in_words = {RECALL: "take the abbot back"}
    places = {RECALL: Standing("abbot")}
    refusals = {RECALL: "player {player} has no abbot on an unfinished building"}

    def most_besides(self, makings: Makings, once: int) -> int:
        """Return an upper limit for the points that a player scores in a game by taking back the abbot. The limit
        assumes that the player takes the abbot back once for each tile of the game and scores 9 points each time.
        """
        return 9 * len(makings.all_tiles)
