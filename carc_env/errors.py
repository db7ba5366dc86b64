"""Errors that callers of the library may want to catch; all are ValueErrors."""


class IllegalAction(ValueError):
    """An answer that the game does not allow now; the message says why. The game is unchanged."""


class NotationError(IllegalAction):
    """A text that is no answer at all; the message says what would be."""


class RecordError(ValueError):
    """A game record or a byte string that does not hold; the message names the place and the reason."""


class SeedError(ValueError):
    """A seed is not an integer from 0 to 2**64 - 1."""


class PlayerError(ValueError):
    """The number of a player is none; the message says from where to where they go."""


class CountError(ValueError):
    """A number of something is none, too small or too large; the message says what would be right."""


class ArgumentError(ValueError):
    """An argument is none of those that there are; the message names it and what would be right."""


class ArrayError(ValueError):
    """An array to write to is not of the shape and dtype it should be; the message says which."""


class BotError(ValueError):
    """There is no such bot, or it is none; the message says which there are and what makes one."""


class FileError(ValueError):
    """A file is not as it should be or cannot be written; the message names the file, the place and the reason."""


class PictureError(ValueError):
    """A picture that cannot be: a wrong suffix, or a file of which there is none. The message says what would be right."""
