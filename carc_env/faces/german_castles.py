"""German castles."""

from carc_env.faces.face import Face


class GermanCastles(Face):
    """German castles."""

    box = "german_castles"
