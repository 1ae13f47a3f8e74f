"""The trap of theory 4: does a search ask again for what it knows? Distances to known points, and what was held.

    python benchmarks/trap.py                                  seeds 0..9 of three problems, 5 + 45 evaluations
    python benchmarks/trap.py --paper 3                        and the paper's literal recipe for 3 seeds
    python benchmarks/trap.py --markdown docs/benchmarks.md    and into its section of that page

Finished runs are kept in benchmarks/results/trap.jsonl and not repeated; --fresh begins anew.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from behind import behind
from machine import describe
from pfes import create_study
from pfes.gp import Hyper
from pfes.ledger import hypers_from_data
from pfes.observations import Observations
from pfes.problems import Problem, get
from pfes.study import Study
from pfes.task import Settings, Task
from tables import table, write_section
from workers import append, in_processes, read

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "trap.jsonl"
PROBLEMS: dict[str, dict[str, int]] = {"branin_currin": {}, "zdt4": {"d": 4}, "dtlz2": {"d": 6, "L": 2}}
RECIPES = {"default": Settings, "paper": Settings.paper}
INITIAL, CHOSEN = 5, 45
NEAR = 1e-3  # of the unit cube
LOOKED_AT = 1e-2  # closer than this, the resolution is worked out
Job = tuple[str, str, int]  # problem, recipe, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", type=Path, help="page whose section 'trap' is rewritten")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--paper", type=int, default=3, help="seeds of the paper's recipe")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--problem", action="append", choices=list(PROBLEMS))
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs")
    options = parser.parse_args()
    machine = describe(["pfes", "numpy", "numba"])
    if options.fresh:
        RESULTS.unlink(missing_ok=True)
    wanted = [
        (name, recipe, seed)
        for recipe, seeds in (("default", options.seeds), ("paper", options.paper))
        for seed in range(seeds)
        for name in options.problem or PROBLEMS
    ]
    results = finished(wanted, options.processes)
    text = report(results, machine)
    print(text)
    if options.markdown:
        write_section(options.markdown, "trap", text + "\n")


def finished(wanted: list[Job], processes: int) -> list[dict[str, Any]]:
    """The results of all jobs, those of earlier runs included."""
    found = {_job(result): result for result in read(RESULTS)}
    missing = [job for job in wanted if job not in found]
    for job, result in in_processes(run, missing, processes):
        if isinstance(result, BaseException):
            raise result
        append(RESULTS, result)
        found[job] = result
        print(f"{len(found)}/{len(wanted)} {summary(result)}", file=sys.stderr, flush=True)
    return [found[job] for job in wanted]


def _job(result: dict[str, Any]) -> Job:
    return result["problem"], result["recipe"], result["seed"]


def summary(result: dict[str, Any]) -> str:
    """One line of progress."""
    return (
        f"{' '.join(map(str, _job(result)))}: smallest distance {min(result['distances']):.1e}, "
        f"held {result['held']:.3f}, recommended {result['recommended']:.3f}, {result['seconds']:.0f} s"
    )


def run(job: Job) -> dict[str, Any]:
    """One study: 5 points of a design, 45 chosen ones, and what can be said of each."""
    name, recipe, seed = job
    problem, begun = get(name, **PROBLEMS[name]), time.perf_counter()
    study = create_study(space=problem.space, objectives=problem.objectives, seed=seed, settings=RECIPES[recipe]())
    steps = []
    for number in range(INITIAL + CHOSEN):
        before = Before(study)
        trial = study.ask()
        if number >= INITIAL:
            steps.append(before.step(study, np.array(trial.point.x)))
        study.tell(trial.id, problem.evaluate(trial))
    return {
        "problem": name,
        "recipe": recipe,
        "seed": seed,
        "distances": [step["distance"] for step in steps],
        "near": [step for step in steps if "deviations" in step],
        "held": held(problem, study),
        "recommended": problem.share(problem.values([best.params for best in study.recommend()])),
        "seconds": time.perf_counter() - begun,
    }


def held(problem: Problem, study: Study) -> float:
    """Share of the optimal hypervolume of what was measured."""
    return problem.share([[trial.values[name] for name in problem.names] for trial in study.trials()])


class Before:
    """What a study knew before it was asked."""

    def __init__(self, study: Study) -> None:
        self.known: Observations = study.observations()
        asked = [event for event in study.events if event.kind == "asked"]
        self.number = asked[-1].payload["ask"] + 1 if asked else 0
        fits = [event.payload["hypers"] for event in asked if event.payload["hypers"]]
        self.hypers = hypers_from_data(fits[-1]) if fits else None

    def step(self, study: Study, x: np.ndarray) -> dict[str, Any]:
        """Distance of x (D,) to the nearest known point; if near, the deviations there and the resolution."""
        distance = float(np.linalg.norm(self.known.x - x, axis=1).min())
        found: dict[str, Any] = {"distance": distance, "after": len(np.unique(self.known.x, axis=0))}
        if distance < LOOKED_AT:
            task = Task(study.space, study.objectives, study.settings, study.seed)
            # the same random numbers as the suggestion had, hence the same model and frontiers
            belief, acquisition = behind(task, self.known, task.generator(self.number), self.hypers)
            check_hypers(belief.hypers, study)
            std = belief.model.predict(x[None]).std[0]
            found["deviations"], found["noise"] = std.tolist(), belief.noise.tolist()
            found["delta"] = acquisition.delta.tolist()
        return found


def check_hypers(found: tuple[Hyper, ...], study: Study) -> None:
    """Was this the model that the last suggestion came from?"""
    used = hypers_from_data(study.events[-1].payload["hypers"])
    if used is None or not all(np.array_equal(a.scales, b.scales) for a, b in zip(found, used, strict=True)):
        raise SystemExit("a suggestion cannot be repeated: the model fitted again differs")


def without_doubt(step: dict[str, Any]) -> bool:
    """Asked for though no deviation there exceeds the resolution."""
    delta, noise = np.array(step["delta"]), np.array(step["noise"])
    resolution = np.sqrt(np.maximum(delta**2 - noise**2, 0.0))
    return bool((np.array(step["deviations"]) <= resolution).all())


def report(results: list[dict[str, Any]], machine: list[str]) -> str:
    """The section, in Markdown."""
    command = " ".join(["python benchmarks/trap.py", *sys.argv[1:]])
    header = ["", "seeds", "smallest distances", "closer than 0.001", "closer than 0.01", "held", "recommended"]
    rows = []
    for recipe in RECIPES:
        for name in PROBLEMS:
            runs = [result for result in results if result["problem"] == name and result["recipe"] == recipe]
            if runs:
                rows.append([f"{name}, {recipe}", *row(runs)])
    return "\n\n".join(
        [
            "## The trap",
            f"`{command}`: " + "; ".join(machine) + ".",
            f"{INITIAL} + {CHOSEN} evaluations of Branin-Currin, ZDT4 (d = 4) and DTLZ2 (d = 6, L = 2). Distance of "
            "every chosen point to the nearest known one, in the unit cube: the three smallest over all seeds, and how "
            "many are closer than 0.001 and 0.01; in brackets, how many of those lie where no objective's posterior "
            "deviation exceeds its resolution. Held, recommended: share of the optimal hypervolume of the measured "
            "points and of the points that the model would recommend, scored on the true functions; median (least) of "
            "the seeds. The recipe 'paper' is `Settings.paper()`: random features, frontiers of 50 points, DIRECT, "
            "resolution 0.",
            table(header, rows),
        ]
    )


def row(runs: list[dict[str, Any]]) -> list[str]:
    """One line of the table."""
    distances = sorted(distance for result in runs for distance in result["distances"])
    shares = [[result[what] for result in runs] for what in ("held", "recommended")]
    return [
        str(len(runs)),
        ", ".join(f"{distance:.1e}" for distance in distances[:3]),
        *(closer(runs, radius) for radius in (NEAR, LOOKED_AT)),
        *(f"{statistics.median(share):.3f} ({min(share):.3f})" for share in shares),
    ]


def closer(runs: list[dict[str, Any]], radius: float) -> str:
    """How many suggestions lie closer to a known point, and (without doubt)."""
    number = sum(len(result["distances"]) for result in runs)
    near = [step for result in runs for step in result["near"] if step["distance"] < radius]
    return f"{len(near)} of {number} ({sum(map(without_doubt, near))})"


if __name__ == "__main__":
    main()
