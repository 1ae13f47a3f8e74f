"""How long the first call of each function takes: compiling, with a cache that another process has filled, and again.

python benchmarks/first_calls.py                                  to the terminal
python benchmarks/first_calls.py --markdown docs/benchmarks.md    and into its section of that page
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import describe
from tables import seconds, table, write_section

FUNCTIONS = [
    "exact.coupled",
    "exact.coupled_gradient",
    "exact.decoupled",
    "matched.coupled",
    "matched.decoupled",
    "power.coupled",
    "noisy.decoupled",
]
CALL = """
import sys, time
import numpy as np
from pfes import information
module, verb = sys.argv[1].split(".")
function = getattr(getattr(information, module), verb)
ready = information.prepare([np.array([[0.0, 1.0], [1.0, 0.0]])])
for place in (0.0, 0.0, 50.0):  # near the frontier, again, and far above it
    begin = time.perf_counter()
    function(np.full((1, 2), place), np.ones((1, 2)), ready, 0.0 if module == "exact" else 0.1)
    print(time.perf_counter() - begin)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'first calls' is rewritten")
    options = parser.parse_args()
    rows = [[name, *map(seconds, measured(name))] for name in FUNCTIONS]
    header = ["", "first call", "first far above", "first call, cached", "second call"]
    command = " ".join(["python benchmarks/first_calls.py", *sys.argv[1:]])
    about = "Wall-clock time in a new process with an empty cache, then in another one with the cache it left."
    machine = f"`{command}`: " + "; ".join(describe(["pfes", "numba"])) + "."
    text = "\n\n".join(["## First calls", machine, about, table(header, rows)])
    print(text)
    if options.markdown:
        write_section(options.markdown, "first calls", text + "\n")


def measured(name: str) -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory() as cache:
        cold, _, far = run(name, cache)
        warm, again, _ = run(name, cache)
    return cold, far, warm, again


def run(name: str, cache: str) -> list[float]:
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", CALL, name], env=environment, capture_output=True, text=True, check=True
    )
    return [float(line) for line in done.stdout.split()]


if __name__ == "__main__":
    main()
