"""The ways to choose what to measure; they bring models along, which load slowly, so they are fetched when needed."""

from typing import TYPE_CHECKING

from pfes.errors import InvalidInput

if TYPE_CHECKING:
    from pfes.acquisition import Method

__all__ = ["checked_method", "methods", "warm_up"]


def methods() -> "dict[str, Method]":
    """All ways by their names."""
    from pfes.acquisition import METHODS  # noqa: PLC0415 - slow to import

    return dict(METHODS)


def checked_method(name: str) -> str:
    """The name of a way that there is."""
    if name not in methods():
        raise InvalidInput(f"method: got {name!r}, wanted one of {', '.join(methods())}")
    return name


def warm_up() -> None:
    """Load what suggestions need, so that the first one does not wait for it."""
    from pfes.study import models  # noqa: PLC0415, F401 - slow to import
