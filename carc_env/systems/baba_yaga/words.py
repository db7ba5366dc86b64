"""Defines the actions on Baba Yaga's hut, such as `meeple hut`."""

from carc_env.systems.baba_yaga.signs import SIGNS
from carc_env.systems.system import System


class BabaYaga(System):
    """Baba Yaga's hut."""

    box = "baba_yaga"
    signs = SIGNS
