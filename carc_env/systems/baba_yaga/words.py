"""Baba Yaga's hut: `meeple hut`."""

from carc_env.systems.face import Face


class BabaYaga(Face):
    """Baba Yaga's hut."""

    box = "baba_yaga"
