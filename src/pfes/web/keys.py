"""The keys to a server: one random token, and what follows from it.

The token opens the door once by the address that was printed, and every time in a header of the API. What a browser
keeps, and what proves that a form is ours, are made from it and do not give it away.
"""

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pfes.errors import InvalidInput

__all__ = ["Keys", "is_open_to_others", "kept_token", "new_token"]

SHORTEST = 16  # characters of a token that somebody chose


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(32)


def kept_token(path: Path) -> str:
    """The token in a file; a new file, which only its owner can read, if there is none."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        token = path.read_text(encoding="utf-8").strip()
        if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidInput(
                f"{path}: got a token of {len(token)} characters, wanted {SHORTEST} or more plain ones; delete the "
                "file to have one made"
            ) from None
        return token
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(token := new_token())
    return token


def is_open_to_others(path: Path) -> bool:
    """Whether a file can be read by others than its owner, where files have owners."""
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


@dataclass(frozen=True)
class Keys:
    """The token, and the port: browsers give cookies to every port of a host, so each has a name of its own."""

    token: str
    port: int = 0

    @property
    def cookie_name(self) -> str:
        """What the browser calls its key."""
        return f"pfes_{self.port}"

    @cached_property
    def cookie(self) -> str:
        """What the browser keeps."""
        return self._made("cookie")

    @cached_property
    def form(self) -> str:
        """What a form of ours carries, and no other site can know."""
        return self._made("form")

    def _made(self, what: str) -> str:
        return hmac.new(self.token.encode(), what.encode(), hashlib.sha256).hexdigest()

    def is_token(self, given: str) -> bool:
        """Whether it is the token; how long that takes tells nothing."""
        return _same(given, self.token)

    def is_cookie(self, given: str) -> bool:
        """Whether it is what we gave to a browser."""
        return _same(given, self.cookie)

    def is_form(self, given: str) -> bool:
        """Whether it is what our forms carry."""
        return _same(given, self.form)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
