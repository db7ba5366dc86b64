"""Errors that callers of the library may want to catch; all are ValueErrors."""


class IllegalAction(ValueError):
    """An answer that the game does not allow now; the message says why. The game is unchanged."""


class NotationError(IllegalAction):
    """A text that is no answer at all; the message says what would be."""


class RecordError(ValueError):
    """A game record or a byte string that does not hold; the message names the place and the reason."""
