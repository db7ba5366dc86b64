"""The abbot: `recall` takes the own abbot back, where a figure could be placed."""

from carc_env.faces.face import Face
from carc_env.rules.answers import RECALL


class Abbot(Face):
    """The abbot."""

    box = "abbot"
    words = {"recall": RECALL}
    refusals = {RECALL: "player {player} has no abbot on an unfinished building"}
