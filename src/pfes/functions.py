"""A Python function by its name, `module:function`: how command lines and TOML files point at users' code."""

import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from pfes.errors import InvalidInput

__all__ = ["NAMED", "function_named"]

NAMED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def function_named(name: str, folder: str | os.PathLike[str] | None = None) -> Callable[..., Any]:
    """The function `module:function`; modules of the working directory, and of `folder`, are found."""
    module, _, function = name.partition(":")
    for place in (None if folder is None else os.path.abspath(folder), os.getcwd()):
        if place is not None and place not in sys.path and not (place == os.getcwd() and "" in sys.path):
            sys.path.insert(0, place)
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever a user's module does when it is loaded
        raise InvalidInput(
            f"{name}: {module!r} cannot be loaded ({type(error).__name__}: {error}); wanted a module of this folder, "
            "or an installed one"
        ) from None
    thing = getattr(found, function, None)
    if not callable(thing):
        raise InvalidInput(f"{name}: {module!r} has no function {function!r}; check the spelling")
    called: Callable[..., Any] = thing
    return called
