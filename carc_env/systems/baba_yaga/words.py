"""Defines the `System` of Baba Yaga's hut. The notation of an action for the hut is, for example, `meeple hut`."""

from carc_env.systems.baba_yaga.signs import SIGNS
from carc_env.systems.system import System


class BabaYaga(System):
    """Baba Yaga's hut."""

    box = "baba_yaga"
    signs = SIGNS
