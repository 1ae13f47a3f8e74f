"""The study that a server shows: one of a file, a folder or a database, or one that is still to be begun."""

import pickle
import re
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from pfes.errors import Busy, InvalidInput, PfesError
from pfes.plan import Plan
from pfes.plan.beginning import Begun, begin
from pfes.plots import View, look
from pfes.storage.database import Database
from pfes.storage.rows import REPAIR
from pfes.study import Study, list_studies, open_study

__all__ = ["Found", "NoStudy", "Shelf"]

DATABASE = b"SQLite format 3\x00"
TABLE = "candidates.csv"
PATIENCE = 2.0  # seconds that a page waits for a database that others have locked


class NoStudy(Exception):
    """There is no study yet: one has to be begun or chosen."""


@dataclass(frozen=True)
class Found:
    """A study that can be chosen; trouble: why it cannot, after all."""

    place: str
    name: str
    events: int = 0
    changed: float | None = None
    trouble: str = ""


class Shelf:
    """Where studies are, and the one that is open. All methods may be called from several threads."""

    def __init__(self, place: str, name: str | None = None) -> None:
        self.place, self._name = place, name
        self._study: Study | None = None
        self._patient: Study | None = None
        self._standing: View | None = None
        self._modelled: View | None = None
        self._lock, self._looking, self._opening = threading.RLock(), threading.Lock(), threading.Lock()
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

    @property
    def patient(self) -> Study:
        """The same study for work in the background: it waits long for a lock, and nobody waits for it meanwhile."""
        with self._opening:
            study = self.study
            if self._patient is None or (self._patient.storage, self._patient.name) != (study.storage, study.name):
                self._patient = pickle.loads(pickle.dumps(study))  # opened anew, with the usual patience
            return self._patient

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

    def choosable(self) -> list[Found]:
        """Those of them that can be read."""
        return [found for found in self.found() if not found.trouble]

    def _is_folder(self) -> bool:
        return "://" not in self.place and Path(self.place).is_dir()

    def _open_only_one(self) -> None:
        """Open the study that was named, or the only one there is; errors of a place that was named are raised."""
        if self._name is not None:
            self._study = _opened(self.place, self._name)
        elif "://" in self.place or Path(self.place).is_file():
            if len(list_studies(self.place)) == 1:
                self._study = _opened(self.place)
        elif len(found := self.found()) == 1 and not found[0].trouble:
            self._study = _opened(found[0].place, found[0].name)

    def choose(self, place: str, name: str) -> Study:
        """Open one of the studies found."""
        if (place, name) not in [(it.place, it.name) for it in self.choosable()]:
            raise InvalidInput(f"got {name!r}, wanted one of the studies that are listed; load the page again")
        with self._lock:
            self._study = _opened(place, name)
            return self._study

    def begin(self, plan: Plan, table: bytes | None = None) -> Begun:
        """Begin a study and open it; table: the candidates that the plan's pool is to hold, as CSV."""
        target = self._target(plan.study.name)
        with self._lock, tempfile.TemporaryDirectory() as folder:
            if table is not None:
                (Path(folder) / TABLE).write_bytes(table)
            begun = begin(plan, Path(folder), target)
            self._study = _opened(target, begun.study.name)
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


def _opened(place: str, name: str | None = None) -> Study:
    """A study for pages: whoever looks at one is not kept waiting for long."""
    return open_study(Database(place, patience=PATIENCE), name)


def _studies(place: str) -> list[Found]:
    try:
        if "://" not in place:
            with Path(place).open("rb") as file:
                if file.read(len(DATABASE)) != DATABASE:
                    return []
        return [Found(place, it.name, it.events, it.changed) for it in Database(place, patience=PATIENCE).studies()]
    except Busy as error:
        return [Found(place, Path(place).name, trouble=str(error))]
    except (PfesError, OSError) as error:  # somebody else's database, or a damaged one of ours
        return [Found(place, Path(place).name, trouble=str(error))] if REPAIR in str(error) else []
