"""How errors of the library are called on the web."""

from pfes.errors import Conflict, Exhausted, PfesError, StorageError, StudyExists, UnknownStudy, UnknownTrial

__all__ = ["form_status", "status_of"]

# the most special first
STATUS: tuple[tuple[type[PfesError], int], ...] = (
    (UnknownTrial, 404),
    (UnknownStudy, 404),
    (Conflict, 409),
    (StudyExists, 409),
    (Exhausted, 409),
    (StorageError, 503),
    (PfesError, 422),
)


def status_of(error: PfesError) -> int:
    """The status of an answer that says what went wrong."""
    return next(code for kind, code in STATUS if isinstance(error, kind))


def form_status(error: PfesError) -> int:
    """The status of a form that is shown again: it is there, whatever it names may not be."""
    return 422 if (found := status_of(error)) == 404 else found
