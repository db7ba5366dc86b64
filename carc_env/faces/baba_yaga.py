"""Baba Yaga's hut: `meeple hut`."""

from carc_env.faces.face import Face


class BabaYaga(Face):
    """Baba Yaga's hut."""

    box = "baba_yaga"
