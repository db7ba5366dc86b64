"""Baba Yaga's hut: the fewer squares around it are occupied, the more points it scores."""


def points_for_surrounded_hut():
    """A surrounded hut scores 1 point, also at the border of a sheet."""
    return 1


def points_for_open_hut(hut):
    """At the end of the game, a hut scores 1 point, and 1 point for each empty square around it that exists."""
    return 1 + hut["open"]
