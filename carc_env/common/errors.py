"""Errors that callers of the library may want to catch; all are CarcErrors, which are ValueErrors."""

import re

LONGEST = 480  # letters of a message


class CarcError(ValueError):
    """Something that carc_env refuses. The message is one line that any terminal can show, whatever it quotes."""

    def __init__(self, message: object = ""):
        text = re.sub(r"\s*[\x00-\x1f\x7f-\x9f\u2028\u2029]+\s*", " ", str(message))
        text = text.encode("utf-8", "backslashreplace").decode()
        super().__init__(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


class IllegalAction(CarcError):
    """An answer that the game does not allow now; the message says why. The game is unchanged."""


class NotationError(IllegalAction):
    """A text that is no answer at all; the message says what would be."""


class ConfigError(CarcError):
    """A configuration is not as it should be; the message names the field and what would be right."""


class DeckError(CarcError):
    """A dictated deck is not as it should be; the message names the place and the reason."""


class ChipError(CarcError):
    """Dictated chips are not as they should be; the message names the place and the reason."""


class RecordError(CarcError):
    """A game record or a byte string that does not hold; the message names the place and the reason."""


class SeedError(CarcError):
    """A seed is not an integer from 0 to 2**64 - 1."""


class PlayerError(CarcError):
    """The number of a player is none; the message says from where to where they go."""


class CountError(CarcError):
    """A number of something is none, too small or too large; the message says what would be right."""


class ArgumentError(CarcError):
    """An argument is none of those that there are; the message names it and what would be right."""


class ArrayError(CarcError):
    """An array to write to is not of the shape and dtype it should be; the message says which."""


class BotError(CarcError):
    """There is no such bot, or it is none; the message says which there are and what makes one."""


class BotFault(BotError):
    """A bot that should answer has not: its program hangs, has ended or says what is no answer. In a match it loses
    that game.
    """


class FileError(CarcError):
    """A file is not as it should be or cannot be written; the message names the file, the place and the reason."""


class PictureError(CarcError):
    """A picture that cannot be: a wrong suffix, or a file of which there is none. The message says what would be
    right.
    """
