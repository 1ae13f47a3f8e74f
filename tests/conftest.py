"""What every test shares: hypothesis profiles, read-only arrays, fresh processes, a database server."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import postgres as server

# The first example of a property compiles kernels, so no deadlines anywhere; in CI the same examples every time.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_frozen(item) for item in value)
    copy = np.array(value)
    copy.setflags(write=False)
    return copy


@pytest.fixture(scope="session")
def frozen() -> Callable[[Any], Any]:
    """frozen(array) is a read-only copy; frozen([a, b]) a list of them: arguments that no function can edit."""
    return _frozen


@pytest.fixture
def fresh_python(tmp_path: Path) -> Callable[..., str]:
    """fresh_python(code, "-W", "error", PFES_THREADS="2") runs code in a new process and gives its output."""

    def run(code: str, *options: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, *options, "-c", code],
            env=os.environ | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[server.Server]:
    """A PostgreSQL server; postgres.url("name") is the URL of a new database. No server installed: a failure."""
    with server.running() as running:
        yield running
