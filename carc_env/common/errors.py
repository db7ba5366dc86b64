"""Errors that callers of the library may want to catch.

Each of these errors is a subclass of CarcError, and CarcError is a subclass of ValueError.
"""

import re

LONGEST = 480  # the greatest number of characters in an error message


class CarcError(ValueError):
    """The base class of all errors of carc_env.

    The error message is one line without control characters. Control characters in the given text become spaces.
    """

    def __init__(self, message: object = ""):
        text = re.sub(r"\s*[\x00-\x1f\x7f-\x9f\u2028\u2029]+\s*", " ", str(message))
        text = text.encode("utf-8", "backslashreplace").decode()
        super().__init__(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


class IllegalAction(CarcError):
    """Raised for an action that is not legal in the current position. The error message gives the reason. The game
    stays unchanged.
    """


class NotationError(IllegalAction):
    """Raised for a string that is not an action in the package's notation. The error message describes the valid
    strings.
    """


class ConfigError(CarcError):
    """Raised for an invalid configuration. The error message names the field and describes its valid values."""


class DeckError(CarcError):
    """Raised for an invalid deck. The error message names the position in the deck and the reason."""


class ChipError(CarcError):
    """Raised for invalid chips. The error message names the position of the chip and the reason."""


class RecordError(CarcError):
    """Raised for an invalid game record or byte string. The error message names the invalid part and the reason."""


class SeedError(CarcError):
    """Raised for a seed that is not an integer from 0 to 2**64 - 1."""


class PlayerError(CarcError):
    """Raised for an invalid index of a player. The error message gives the valid range."""


class CountError(CarcError):
    """Raised for a number that is too small, too large or not an integer. The error message gives the valid range."""


class ArgumentError(CarcError):
    """Raised for an argument with an unknown value. The error message names the argument and its valid values."""


class ArrayError(CarcError):
    """Raised if a function cannot write to a given array: the array is read-only, or it has the wrong shape, dtype or
    memory layout. The error message describes the array that is needed.
    """


class BotError(CarcError):
    """Raised for an unknown bot, or an object that is not a bot. The error message names the known bots, or describes
    what a bot is.
    """


class BotFault(BotError):
    """Raised if a bot fails to return a legal action.

    For example, the bot's program hangs, has ended, or writes invalid output. In a match, the bot forfeits the game.
    """


class FileError(CarcError):
    """Raised for a file that is invalid or cannot be written. The error message names the file, the position of the
    error and the reason.
    """


class PictureError(CarcError):
    """Raised for a picture that cannot be drawn.

    For example, the suffix of the picture's file name is wrong, or there is nothing to draw. The error message
    describes what can be drawn.
    """
