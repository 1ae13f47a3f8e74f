"""Errors of a plan that know where in it they are."""

from collections.abc import Callable
from typing import TypeVar

from pfes.errors import InvalidInput

__all__ = ["Fault", "within"]

T = TypeVar("T")


class Fault(InvalidInput):
    """A plan cannot be used; where: the keys that lead to what is wrong."""

    def __init__(self, message: str, *where: str | int) -> None:
        super().__init__(message)
        self.where = where


def within(make: Callable[[], T], *where: str | int) -> T:
    """Make something of a part of a plan; what goes wrong is said to be there."""
    try:
        return make()
    except Fault:
        raise
    except InvalidInput as error:
        raise Fault(str(error), *where) from None
