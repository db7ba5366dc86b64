"""The password that people need to begin games on a server."""

import hashlib
import hmac
import os
from pathlib import Path
from urllib.parse import unquote

from carc_env.common.errors import CarcError
from carc_env.web.seats import Closed

VARIABLE = "CARC_ENV_PASSWORD"  # the environment variable that is used if no file is given
HEADER = "carc-password"


class PasswordError(CarcError):
    """The password of the server cannot be read, or the password is invalid. The message gives the reason."""


class Password:
    """A password. Only the hash of the password is kept in memory."""

    def __init__(self, text: str):
        self._hash = digest(text)

    def check(self, given: str | None) -> None:
        """Check the percent-encoded password of a request. Raises Closed if the password is missing or wrong."""
        if given is None:
            raise Closed("a password is needed to begin a game here: send it in the header Carc-Password", False)
        if not hmac.compare_digest(digest(unquote(given)), self._hash):
            raise Closed("this is not the password of this server", True)


def digest(text: str) -> bytes:
    """Return the hash of a password. All hashes have the same length. Therefore the duration of a comparison reveals
    nothing about the password.
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def read_password(file: Path | None) -> Password | None:
    """Return the password of the server. `file` contains the password in a single line. If `file` is None, the password
    is the value of the environment variable CARC_ENV_PASSWORD. With or without a file, the function removes
    CARC_ENV_PASSWORD from the environment, so that programs started by the server do not see the password. Returns None
    if there is neither a file nor the variable. Raises PasswordError.
    """
    text = os.environ.pop(VARIABLE, None)
    if file is None:
        if text == "":
            raise PasswordError(f"{VARIABLE} is empty; unset it, or set it to a password")
        return None if text is None else Password(text)
    try:
        text = file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeError) as error:
        raise PasswordError(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8 text'}; "
            f"--password-file should name a file that contains the password"
        ) from None
    if not text or "\n" in text:
        raise PasswordError(f"{file} should contain the password on one line")
    return Password(text)
