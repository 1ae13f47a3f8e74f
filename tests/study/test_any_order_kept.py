"""Asks and tells in any order in a file, and processes killed in the middle of a write, against plain dicts."""

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from sqlalchemy import event

from pfes import open_study
from pfes.storage.database import Database
from pfes.study import Study
from processes import forked
from study.examples import pool_study
from study.test_any_order import NAMES, ROW, VALUES, AnyOrder

# where writing to a disk takes no time, if there is such a place: only processes die here, not the machine
QUICK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class AnyOrderKept(AnyOrder):
    """The same, in a file: opened again, leases run out, and whoever writes is killed before or after the commit."""

    trials = AnyOrder.trials

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pfes-", dir=QUICK))
        self.study: Study = pool_study(60, storage=self.folder / "study.db")
        self.model: dict[int, dict[str, Any]] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    @rule()
    def open_again(self) -> None:
        self.study = open_study(self.folder / "study.db")

    @rule(number=AnyOrder.trials)
    def run_out(self, number: int) -> None:
        """The lease of a pending trial ends, and somebody asks."""
        if self.study.trial(number).state != "pending":
            return
        self.study.extend(number, 0.0)
        time.sleep(0.001)
        self.study.enqueue(ROW)
        asked = self.study.ask().id
        self.remember(asked, {"power", "waste"})
        self.model[number]["verdict"] = "released"

    @rule(number=AnyOrder.trials, name=NAMES, value=VALUES, committed=st.booleans())
    def die_telling(self, number: int, name: str, value: float, committed: bool) -> None:
        """What was committed is there, what was not is not."""
        self.killed(lambda study: study.tell(number, {name: value}, correct=True), committed)
        if committed:
            mine = self.model[number]
            mine["values"][name] = value
            if mine["asked"] <= set(mine["values"]) and not mine["aside"]:
                mine["verdict"] = None

    @rule(committed=st.booleans())
    def die_asking(self, committed: bool) -> None:
        """A trial that was committed is there, though nobody knows of it."""
        self.killed(lambda study: study.ask(), committed)
        if committed:
            self.remember(len(self.model), {"power", "waste"})

    def killed(self, act: Any, committed: bool) -> None:
        """Act in another process that is killed at its first commit of a write: just before or just after."""

        def attempt() -> None:
            study = open_study(self.folder / "study.db")
            die_at_commit(study._journal.storage, committed)
            act(study)

        status = forked(attempt)
        assert status in (0, signal.SIGKILL)  # 0: there was nothing new to write

    @invariant()
    def whoever_opens_it_sees_the_same(self) -> None:
        assert open_study(self.folder / "study.db").trials() == self.study.trials()

    @invariant()
    def only_what_is_pending_is_reserved(self) -> None:
        reserved = set(self.study._journal.leases())
        assert reserved == {trial.id for trial in self.study.pending()}


def die_at_commit(storage: Any, committed: bool) -> None:
    """SIGKILL at the next commit of a transaction that wrote an event."""
    assert isinstance(storage, Database)
    engine, commit, wrote = storage._engine, storage._engine.dialect.do_commit, []

    def look(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO pfes_events"):
            wrote.append(statement)

    def do_commit(connection: Any) -> None:
        if wrote and not committed:
            os.kill(os.getpid(), signal.SIGKILL)
        commit(connection)
        if wrote:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", look)
    engine.dialect.do_commit = do_commit  # type: ignore[method-assign]


AnyOrderKept.TestCase.settings = settings(max_examples=15, stateful_step_count=25)
TestAnyOrderKept = AnyOrderKept.TestCase
