"""Castles."""

from carc_env.faces.face import Face


class Castles(Face):
    """Castles."""

    box = "castles"
