"""The exceptions pfes raises on purpose.

    PfesError
    └── InvalidInput (also a ValueError)     an argument cannot be used as it is
        └── InvalidFrontier                  a frontier is empty, ragged, nan or -inf

Every message says what was got, what was wanted and what to try. Numerical trouble is never reported through them:
the routines are written so that finite input gives a finite answer.
"""

__all__ = ["InvalidFrontier", "InvalidInput", "PfesError"]


class PfesError(Exception):
    """Base of all exceptions raised by pfes on purpose."""


class InvalidInput(PfesError, ValueError):
    """An argument has a wrong shape, type or value."""


class InvalidFrontier(InvalidInput):
    """A set of points cannot serve as a Pareto frontier."""
