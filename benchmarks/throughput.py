"""How many evaluations a cluster makes in a given time: dask with several workers against dask with one.

    python benchmarks/throughput.py --seconds 10 --workers 4

The objective takes so many seconds and no processor: what is measured is how little the workers wait for suggestions.
With --record the summary is appended to benchmarks/results/throughput.jsonl.
"""

import argparse
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from machine import describe
from pfes import Objective, Real, Space, Trial, create_study
from workers import append

ROOT = Path(__file__).resolve().parents[1]


def simulated(trial: Trial, seconds: float) -> dict[str, float]:
    """A slow trade-off."""
    time.sleep(seconds)
    x, y = trial.params["x"], trial.params["y"]
    return {"a": x - y * y, "b": (x - 1.0) ** 2 + y}


def rate(workers: int, trials: int, given: argparse.Namespace) -> dict[str, Any]:
    """Evaluations per minute on a cluster of so many processes; the cluster is up when the time begins."""
    from distributed import Client, LocalCluster

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        study = create_study(
            Path(folder) / "study.db",
            space=Space(x=Real(0, 1), y=Real(0, 1)),
            objectives=[Objective("a"), Objective("b", "min")],
            method=given.method,
        )
        study.optimize(partial(simulated, seconds=0.0), trials=8, executor=client, progress=False)  # compiled, imported
        outcome = study.optimize(
            partial(simulated, seconds=given.seconds), trials=trials, executor=client, progress=False
        )
    return {
        "workers": workers,
        "trials": trials,
        "seconds": outcome.seconds,
        "per minute": 60 * trials / outcome.seconds,
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--method", default="pfes")
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    one, many = (rate(workers, workers * given.rounds, given) for workers in (1, given.workers))
    summary = {
        "command": f"python benchmarks/throughput.py {' '.join(sys.argv[1:])}",
        "machine": describe(["distributed", "numpy"]),
        "one": one,
        "many": many,
        "ratio": round(many["per minute"] / one["per minute"], 2),
    }
    print(json.dumps(summary, indent=2))
    if given.record:
        append(ROOT / "benchmarks" / "results" / "throughput.jsonl", summary)
