"""Shrines."""

from carc_env.faces.face import Face


class Shrines(Face):
    """Shrines."""

    box = "shrines"
