"""What every test shares: a kernel cache that cannot be stale, hypothesis profiles, read-only arrays, fresh processes.

Numba's disk cache watches the file a kernel is written in, not the files of the functions compiled into it: change
`normal.py` and a kernel of `information/` would still run the old code. So the tests keep one cache per state of
`src/pfes`, named by the hash of its contents. The environment carries it to xdist workers and subprocesses.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
KEPT_CACHES = 8


def source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "pfes").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def use_numba_cache_of_this_source() -> None:
    if "numba" in sys.modules:
        raise RuntimeError(
            "numba was imported before tests/conftest.py could name its cache; is a plugin importing it?"
        )
    here = ROOT / ".numba_cache" / source_hash()
    here.mkdir(parents=True, exist_ok=True)
    os.utime(here)
    os.environ["NUMBA_CACHE_DIR"] = str(here)


def forget_old_numba_caches() -> None:
    caches = sorted((ROOT / ".numba_cache").iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in caches[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)


# Workers of xdist inherit the environment; only the process that starts them decides.
if "PYTEST_XDIST_WORKER" not in os.environ:
    use_numba_cache_of_this_source()
    forget_old_numba_caches()

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
