"""How long the first suggestion of a process takes: compiling everything, and with a cache that another one filled."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["first_suggestions"]

CALL = """
import time
begin = time.perf_counter()
from known import of_problem
from suggestion_parts.ours import Settings, suggestion
x, y = of_problem("dtlz2", 50, 0, d=6, L=4)
ready = time.perf_counter()
for _ in range(2):
    begun = time.perf_counter()
    suggestion(x, y, 0, Settings())
    print(time.perf_counter() - begun)
print(ready - begin)
"""


def first_suggestions() -> dict[str, float]:
    """Seconds of the first suggestion without and with a cache, and of importing all that it needs."""
    with tempfile.TemporaryDirectory() as cache:
        cold, _, _ = _run(cache)
        cached, _, imports = _run(cache)
    return {"empty cache": cold, "cached": cached, "imports": imports}


def _run(cache: str) -> list[float]:
    here = str(Path(__file__).resolve().parent.parent)
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": here}
    done = subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]
