"""Abbeys."""

from carc_env.faces.face import Face


class Abbeys(Face):
    """Abbeys."""

    box = "abbeys"
