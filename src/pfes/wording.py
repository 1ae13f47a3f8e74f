"""What the library says, in the words of those who read it: errors speak of Python, users have options or boxes."""

import re
from collections.abc import Mapping

__all__ = ["reworded"]


def reworded(message: str, spellings: Mapping[str, str]) -> str:
    """A message on one line, with what stands on the left of `spellings` (patterns) replaced, in their order."""
    for python, ours in spellings.items():
        message = re.sub(python, ours, message)
    return " ".join(message.split())
