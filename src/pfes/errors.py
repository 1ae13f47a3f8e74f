"""The exceptions pfes raises on purpose.

    PfesError
    ├── Exhausted                            nothing is left to be asked for: a normal end
    ├── Infeasible                           raised by users' functions: the point can never be measured
    ├── StorageError                         a database cannot be used: foreign, newer, damaged
    │   └── Busy                             it stayed locked or out of reach: try again later
    └── InvalidInput (also a ValueError)     an argument cannot be used as it is
        ├── Conflict                         what is told contradicts what was told before
        ├── InvalidFrontier                  a frontier is empty, ragged, nan or -inf
        ├── StudyExists                      a database has a study of that name already
        ├── UnknownStudy                     a database has no study of that name
        └── UnknownTrial                     a study has no trial of that number

Every message says what was got, what was wanted and what to try. Numerical trouble is never reported through them:
the routines are written so that finite input gives a finite answer.
"""

__all__ = [
    "Busy",
    "Conflict",
    "Exhausted",
    "Infeasible",
    "InvalidFrontier",
    "InvalidInput",
    "PfesError",
    "StorageError",
    "StudyExists",
    "UnknownStudy",
    "UnknownTrial",
]


class PfesError(Exception):
    """Base of all exceptions raised by pfes on purpose."""


class Exhausted(PfesError):
    """Nothing is left to be asked for: every candidate is measured, or the budget is spent. A normal end."""


class Infeasible(PfesError):
    """Raised by a function that evaluates trials: this point can never be measured, and the message says why."""


class StorageError(PfesError):
    """A database cannot be used: it is no database, is of a newer version, is damaged, stays locked or out of reach."""


class Busy(StorageError):
    """A database stayed locked by others, or out of reach, for as long as was waited: the same may work later."""


class InvalidInput(PfesError, ValueError):
    """An argument has a wrong shape, type or value."""


class Conflict(InvalidInput):
    """What is told contradicts what was told before."""


class InvalidFrontier(InvalidInput):
    """A set of points cannot serve as a Pareto frontier."""


class StudyExists(InvalidInput):
    """A database has a study of that name already."""


class UnknownStudy(InvalidInput):
    """A database has no study of that name."""


class UnknownTrial(InvalidInput):
    """A study has no trial of that number."""
