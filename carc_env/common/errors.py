"""Errors that callers of the library may want to catch. All are CarcErrors, which are ValueErrors."""

import re

LONGEST = 480  # characters in a message


class CarcError(ValueError):
    """The base class of all errors of carc_env. Its message is one line that every terminal can show, whatever it
    quotes.
    """

    def __init__(self, message: object = ""):
        text = re.sub(r"\s*[\x00-\x1f\x7f-\x9f\u2028\u2029]+\s*", " ", str(message))
        text = text.encode("utf-8", "backslashreplace").decode()
        super().__init__(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


class IllegalAction(CarcError):
    """An action that is not legal now. The message gives the reason. The game is unchanged."""


class NotationError(IllegalAction):
    """A text that is no action. The message says what would be right."""


class ConfigError(CarcError):
    """An invalid configuration. The message names the field and what would be right."""


class DeckError(CarcError):
    """An invalid deck. The message names the place and the reason."""


class ChipError(CarcError):
    """Invalid chips. The message names the place and the reason."""


class RecordError(CarcError):
    """An invalid game record or byte string. The message names the place and the reason."""


class SeedError(CarcError):
    """A seed that is not an integer from 0 to 2**64 - 1."""


class PlayerError(CarcError):
    """An invalid number of a player. The message gives the valid range."""


class CountError(CarcError):
    """A number of things that is invalid, too small or too large. The message says what would be right."""


class ArgumentError(CarcError):
    """An argument with an unknown value. The message names it and what would be right."""


class ArrayError(CarcError):
    """An array for results with the wrong shape or dtype. The message names the right ones."""


class BotError(CarcError):
    """An unknown bot, or an object that is no bot. The message names the known bots and how to make one."""


class BotFault(BotError):
    """A bot that fails to answer: its program hangs, has ended, or sends an invalid answer. In a match it loses that
    game.
    """


class FileError(CarcError):
    """A file that is invalid or cannot be written. The message names the file, the place and the reason."""


class PictureError(CarcError):
    """A picture that cannot be made: the suffix is wrong, or the file has no picture. The message says what would be
    right.
    """
