"""The password of a server: who has it may begin games there."""

import hashlib
import hmac
import os
from pathlib import Path
from urllib.parse import unquote

from carc_env.common.errors import CarcError
from carc_env.web.seats import Closed

VARIABLE = "CARC_ENV_PASSWORD"  # of the environment, where no file is named
HEADER = "carc-password"


class PasswordError(CarcError):
    """There is no password where one should be; the message says where."""


class Password:
    """A password, of which only a hash is kept."""

    def __init__(self, text: str):
        self._hash = digest(text)

    def check(self, given: str | None) -> None:
        """What a request gives is the password, percent-encoded. Raises Closed."""
        if given is None:
            raise Closed("a password is needed to begin a game here, in the header Carc-Password", False)
        if not hmac.compare_digest(digest(unquote(given)), self._hash):
            raise Closed("this is not the password of this server", True)


def digest(text: str) -> bytes:
    """Of one length for all passwords, so that comparing tells nothing by its time."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def read_password(file: Path | None) -> Password | None:
    """The password in a file, without the end of its line; without a file that of the environment, which programs begun
    by this one do not see. None: there is neither. Raises PasswordError.
    """
    if file is None:
        text = os.environ.pop(VARIABLE, None)
        if text == "":
            raise PasswordError(f"{VARIABLE} is empty; leave it out, or put a password there")
        return None if text is None else Password(text)
    try:
        text = file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeError) as error:
        raise PasswordError(
            f"{file}: the password cannot be read: {getattr(error, 'strerror', None) or 'no text in UTF-8'}; "
            f"--password-file names a file with the password in it"
        ) from None
    if not text or "\n" in text:
        raise PasswordError(f"{file}: should hold the password, on one line")
    return Password(text)
