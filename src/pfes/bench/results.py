"""Runs in a file, one JSON line each, written at once and whole: what is there is finished, what is not is run again.

A line is one `write` of all its bytes, followed by a sync. A process that is killed in the middle of it leaves a last
line without an end, which the next run cuts off. Two runs into one file would repeat each other's work: the second is
refused, by a lock that ends with the process that holds it.
"""

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pfes.errors import InvalidInput

__all__ = ["Results", "read_results"]

Line = dict[str, Any]


def read_results(paths: Sequence[str | Path]) -> list[Line]:
    """All runs of some files, .jsonl or .jsonl.gz, the newest of each; a last line without an end is left out."""
    newest: dict[str, Line] = {}
    for path in paths:
        for line in _lines(Path(path)):
            newest.pop(line["id"], None)
            newest[line["id"]] = line
    return list(newest.values())


def _lines(path: Path) -> Iterator[Line]:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise InvalidInput(f"cannot read {path}: {getattr(error, 'strerror', None) or error}; check the path") from None
    for number, text in enumerate(data.split(b"\n")[:-1], 1):  # what stands after the last end of a line is cut off
        if not text.strip():
            continue
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "id" not in found:
            raise InvalidInput(f"{path.name}, line {number}: this is no run of `pfes bench`; delete the line")
        yield found


class Results:
    """A file that runs are added to."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.suffix == ".gz":
            raise InvalidInput(f"got {self.path.name}, wanted a name that ends in .jsonl; compress it when all is done")

    @contextmanager
    def opened(self) -> Iterator[list[Line]]:
        """For as long as the context lasts nobody else writes; the runs that are there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            _lock(file.fileno(), self.path)
            _heal(self.path)
            yield read_results([self.path])

    def add(self, line: Line) -> None:
        """Write one run; it is on the disk when this returns."""
        data = (json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n").encode()
        where = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            if os.write(where, data) != len(data):
                _heal(self.path)
                raise OSError("the disk is full", None, str(self.path))
            os.fsync(where)
        finally:
            os.close(where)


def _heal(path: Path) -> None:
    """Cut off a last line that was not written to its end."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)


def _lock(file: int, path: Path) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not on Windows, where nothing is locked
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InvalidInput(
            f"another run is writing to {path}; wait for it, or name another file by -o and report on both"
        ) from None
