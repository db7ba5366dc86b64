"""German cathedrals."""

from carc_env.faces.face import Face


class GermanCathedrals(Face):
    """German cathedrals."""

    box = "german_cathedrals"
