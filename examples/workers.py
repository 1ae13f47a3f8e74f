"""A simulator that is slow, sometimes crashes and sometimes hangs, on worker processes; and what came of it.

python examples/workers.py [workers]
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pfes


def simulate(trial: pfes.Trial) -> dict[str, float]:
    """A tenth of a second of work; every seventh run crashes its process, every ninth hangs."""
    time.sleep(0.1)
    if trial.id % 7 == 5:
        os._exit(3)
    if trial.id % 9 == 4:
        time.sleep(60)
    x, y = trial.params["x"], trial.params["y"]
    values = {"strength": x * (2 - y), "weight": x + y * y}
    return {name: values[name] for name in trial.objectives}


def main(workers: int = 2) -> None:
    """Evaluate twelve trials, and show that none is lost."""
    with tempfile.TemporaryDirectory() as folder:
        study = pfes.create_study(
            Path(folder) / "beam.db",
            space=pfes.Space(x=pfes.Real(0, 1), y=pfes.Real(0, 1)),
            objectives=[pfes.Objective("strength"), pfes.Objective("weight", "min")],
            method="sobol",
        )
        outcome = study.optimize(simulate, trials=12, workers=workers, time_limit=1.0, progress=False)
        print(f"{outcome.trials} trials on {workers} workers in {outcome.seconds:.1f} s: {outcome.reason}")
        for trial in study.trials():
            print(f"  {trial.id:>2}  {trial.state:<7} {trial.values or trial.message}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
