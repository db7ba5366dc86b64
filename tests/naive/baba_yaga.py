"""Baba Yaga's hut: the lonelier it stands, the more it pays."""


def points_for_surrounded_hut():
    """A surrounded hut is worth 1, also at the border of a sheet."""
    return 1


def points_for_open_hut(hut):
    """At the end of the game it pays 1, and 1 for each empty square around that exists."""
    return 1 + hut["open"]
