"""The abbot: `recall` takes the own abbot back, where a figure could be placed."""

from carc_env.rules.answers import RECALL
from carc_env.systems.system import Makings, System


class Abbot(System):
    """The abbot."""

    box = "abbot"
    answers = {"recall": "take the own abbot back and score it"}
    words = {"recall": RECALL}
    refusals = {RECALL: "player {player} has no abbot on an unfinished building"}

    def most_besides(self, makings: Makings, once: int) -> int:
        """The abbot is taken back after each tile."""
        return 9 * len(makings.all_tiles)
