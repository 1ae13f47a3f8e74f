"""The study that a server shows: one of a file, a folder or a database, or one that is still to be begun."""

import re
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from pfes.errors import InvalidInput, PfesError
from pfes.plan import Plan
from pfes.plan.beginning import Begun, begin
from pfes.plots import View, look
from pfes.study import Study, list_studies, open_study

__all__ = ["Found", "NoStudy", "Shelf"]

DATABASE = b"SQLite format 3\x00"
TABLE = "candidates.csv"


class NoStudy(Exception):
    """There is no study yet: one has to be begun or chosen."""


@dataclass(frozen=True)
class Found:
    """A study that can be chosen."""

    place: str
    name: str
    events: int
    changed: float | None


class Shelf:
    """Where studies are, and the one that is open. All methods may be called from several threads."""

    def __init__(self, place: str, name: str | None = None) -> None:
        self.place, self._name = place, name
        self._study: Study | None = None
        self._standing: View | None = None
        self._modelled: View | None = None
        self._lock, self._looking = threading.RLock(), threading.Lock()
        self._open_only_one()

    @property
    def folder(self) -> Path | None:
        """Where new studies are begun; None if the place is a database server."""
        if "://" in self.place:
            return None
        path = Path(self.place)
        return path if path.is_dir() else path.parent

    @property
    def study(self) -> Study:
        """The study that is open; NoStudy if none is."""
        with self._lock:
            if self._study is None:
                raise NoStudy
            return self._study

    def standing(self) -> View:
        """How the study stands now; looked at again only if something happened."""
        study = self.study
        with self._looking:
            number = len(study.events)
            if self._standing is None or self._standing.study is not study or self._standing.events != number:
                self._standing = View(study, model=False)
            return self._standing

    def warm(self) -> None:
        """Work out what the first page shows."""
        now = self.standing()
        for part in ("front", "steps", "spent_on", "best", "counts"):
            getattr(now, part)

    def modelled(self, now: View) -> View:
        """The same with a model, which is fitted: this takes long."""
        if self._modelled is None or self._modelled.study is not now.study or self._modelled.events != now.events:
            self._modelled = look(now.study)
        return self._modelled

    def found(self) -> list[Found]:
        """All studies that can be chosen here."""
        files = [self.place] if not self._is_folder() else [str(path) for path in sorted(Path(self.place).glob("*.db"))]
        return [found for place in files for found in _studies(place)]

    def _is_folder(self) -> bool:
        return "://" not in self.place and Path(self.place).is_dir()

    def _open_only_one(self) -> None:
        """Open the study that was named, or the only one there is; errors of a place that was named are raised."""
        if self._name is not None:
            self._study = open_study(self.place, self._name)
        elif "://" in self.place or Path(self.place).is_file():
            if len(list_studies(self.place)) == 1:
                self._study = open_study(self.place)
        elif len(found := self.found()) == 1:
            self._study = open_study(found[0].place, found[0].name)

    def choose(self, place: str, name: str) -> Study:
        """Open one of the studies found."""
        if (place, name) not in [(it.place, it.name) for it in self.found()]:
            raise InvalidInput(f"got {name!r}, wanted one of the studies that are listed; load the page again")
        with self._lock:
            self._study = open_study(place, name)
            return self._study

    def begin(self, plan: Plan, table: bytes | None = None) -> Begun:
        """Begin a study and open it; table: the candidates that the plan's pool is to hold, as CSV."""
        target = self._target(plan.study.name)
        with self._lock, tempfile.TemporaryDirectory() as folder:
            if table is not None:
                (Path(folder) / TABLE).write_bytes(table)
            begun = begin(plan, Path(folder), target)
            self._study = begun.study
        return begun

    def _target(self, name: str) -> str:
        """The file of a new study: the one that was named, or one called like the study."""
        if not self._is_folder():
            return self.place
        plain = re.sub(r"[^\w-]+", "-", name).strip("-").lower()[:60] or "study"
        path = Path(self.place) / f"{plain}.db"
        if path.exists():
            raise InvalidInput(f"there is a file {path.name} already; give the study another name")
        return str(path)


def _studies(place: str) -> list[Found]:
    try:
        if "://" not in place:
            with Path(place).open("rb") as file:
                if file.read(len(DATABASE)) != DATABASE:
                    return []
        return [Found(place, it.name, it.events, it.changed) for it in list_studies(place)]
    except (PfesError, OSError):  # somebody else's database
        return []
