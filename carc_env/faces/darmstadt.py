"""Darmstadt churches."""

from carc_env.faces.face import Face


class Darmstadt(Face):
    """Darmstadt churches."""

    box = "darmstadt"
