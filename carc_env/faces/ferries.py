"""Ferries."""

from carc_env.faces.face import Face


class Ferries(Face):
    """Ferries."""

    box = "ferries"
