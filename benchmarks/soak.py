"""`ask` never fails: random studies, each of which must get a valid new suggestion or come to a normal end.

    python benchmarks/soak.py --studies 10000 --seed 0     all of them; a run that was stopped goes on where it was
    python benchmarks/soak.py --only 1234                  one study, with all that happens in it
    python benchmarks/soak.py --seed 500 --studies 100     a part

Warnings are errors. The summary is written to benchmarks/results/soak.json; failures name the seed to repeat them with.
"""

import argparse
import json
import logging
import math
import signal
import statistics
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from machine import describe
from pfes import Exhausted, create_study
from pfes.study import Study
from pfes.trials import Trial
from soak_parts.check import faults, left_over
from soak_parts.draw import Plan, drawn
from workers import append, in_processes, read

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
BLOCK = 25  # studies between two lines of progress
LIMIT = 60  # s of processor time, then a study counts as failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first study; the others have those that follow")
    parser.add_argument("--only", type=int, help="the seed of one study")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    options = parser.parse_args()
    if options.only is not None:
        alone(options.only)
        return
    progress = RESULTS / f"soak-{options.seed}.progress.jsonl"
    if options.fresh:
        progress.unlink(missing_ok=True)
    machine = describe(["pfes", "numpy", "scipy", "numba"])
    summary = summed(all_blocks(progress, options.seed, options.studies, options.processes), machine)
    (RESULTS / "soak.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(summary, indent=1))
    raise SystemExit(1 if summary["failures"] else 0)


def all_blocks(progress: Path, first: int, studies: int, processes: int) -> list[dict[str, Any]]:
    """The results of all blocks of studies, those of an earlier run included."""
    done = {block["first"]: block for block in read(progress)}
    starts = range(first, first + studies, BLOCK)
    jobs = [(start, min(BLOCK, first + studies - start)) for start in starts if start not in done]
    for (start, _), block in in_processes(block_of, jobs, processes):
        if isinstance(block, BaseException):
            raise block
        append(progress, block)
        done[start] = block
        failed = sum(len(each["failures"]) for each in done.values())
        print(f"{len(done) * BLOCK}/{studies} studies, {failed} failures", file=sys.stderr, flush=True)
        for failure in block["failures"]:
            print(f"  --only {failure['seed']}: {failure['what'][-300:]}", file=sys.stderr, flush=True)
    return [done[start] for start in starts]


def block_of(job: tuple[int, int]) -> dict[str, Any]:
    """Some studies one after the other."""
    logging.disable()
    first, count = job
    ends: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    failures, times = [], []
    for seed in range(first, first + count):
        begun = time.process_time()
        plan, what = guarded(seed, ends)
        times.append(time.process_time() - begun)
        kinds[plan.kind if plan else "none"] += 1
        if what:
            failures.append({"seed": seed, "what": what})
    return {"first": first, "ends": ends, "kinds": kinds, "failures": failures, "seconds": times}


def guarded(seed: int, ends: Counter[str]) -> tuple[Plan | None, str]:
    """One study, and what went wrong in it: faults, or the last lines of a traceback.

    A study that runs out of time gets a second chance: the first one may have been spent on compiling.
    """
    plan = None
    before = signal.signal(signal.SIGPROF, _too_long)
    try:
        for chance in (1, 2):
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    plan, met = drawn(seed), Counter[str]()
                    faults = "; ".join(run(plan, met))
                    ends.update(met)
                    return plan, faults
            except TimeoutError:
                if chance == 2:
                    raise
    except Exception:  # whatever it is, it is what we are looking for
        return plan, "\n".join(traceback.format_exc().strip().splitlines()[-7:])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    raise AssertionError("a study ends, fails, or is out of time")


def _too_long(*_: object) -> None:
    raise TimeoutError(f"a study took more than {LIMIT} s of the processor")


def run(plan: Plan, ends: Counter[str], tell: bool = False) -> list[str]:
    """Live one study; gives the faults of what it suggested."""
    study = create_study(
        space=plan.domain, objectives=plan.objectives, bundles=plan.bundles, settings=plan.settings,
        budget=plan.budget, seed=plan.seed,
    )  # fmt: skip
    rng = np.random.default_rng([plan.seed, 8])
    study.add(plan.rows, noise=plan.noise)
    found: list[str] = []
    for asked, outcome in zip(plan.asks, [*plan.outcomes, "looked at"], strict=True):
        before, left = study.trials(), _left(study)
        trials = _asked(study, asked, ends)
        found += faults(study, before, trials, asked, left)
        found += _short(study, trials, asked, ends)
        if tell:
            print(f"ask({asked}) -> {trials or study.ended}\n  {outcome}; {found}")
        for trial in trials:
            _settle(study, plan, trial, outcome, rng)
    if plan.seed % 10 == 0:  # it takes as long as an ask
        _look(study)
    return list(dict.fromkeys(found))


def _left(study: Study) -> float:
    return math.inf if study.budget is None else study.budget - study.spent - study.reserved


def _asked(study: Study, asked: dict[str, Any], ends: Counter[str]) -> list[Trial]:
    try:
        trials = study.ask(**asked)
    except Exhausted:
        trials = []
    trials = [trials] if isinstance(trials, Trial) else list(trials)
    ends["asks"] += 1
    ends["suggested"] += len(trials)
    return trials


def _short(study: Study, trials: list[Trial], asked: dict[str, Any], ends: Counter[str]) -> list[str]:
    """Fewer than asked for: is that a normal end?"""
    if len(trials) == asked.get("n", 1):
        return []
    ends["ended"] += 1
    if not study.ended:
        return ["an end without a reason"]
    if "budget" in study.ended:
        ends["ended by the budget"] += 1
        return []
    rest = left_over(study, asked)
    return [f"ended ({study.ended}), but there is {rest}"] if rest else []


def _settle(study: Study, plan: Plan, trial: Trial, outcome: str, rng: np.random.Generator) -> None:
    """What becomes of a trial."""
    values = {name: v for name, v in plan.values(trial.params, rng).items() if name in trial.objectives}
    if outcome == "told":
        study.tell(trial.id, values)
    elif outcome == "partly":
        study.tell(trial.id, dict(list(values.items())[:1]))
    elif outcome in ("failed", "infeasible", "abandoned"):
        study.tell(trial.id, **{outcome: "as drawn"})
    elif outcome == "released":
        study.release(trial.id)
    elif outcome == "rejected":
        study.reject(trial.id, "as drawn")


def _look(study: Study) -> None:
    """What else a study can be asked must not fail either."""
    study.front(), study.hypervolume(), study.spent_on, repr(study)
    if study.observations().counts(len(study.objectives)).min() > 0:
        found = study.recommend()
        study.predict([best.params if best.row is None else {"row": best.row} for best in found])


def alone(seed: int) -> None:
    """One study, told in full."""
    plan = drawn(seed)
    print(plan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run(plan, Counter(), tell=True)
    print("faults:", found or "none")


def summed(blocks: list[dict[str, Any]], machine: list[str]) -> dict[str, Any]:
    """The summary of all blocks."""
    times = [spent for block in blocks for spent in block["seconds"]]
    ends: Counter[str] = sum((Counter(block["ends"]) for block in blocks), Counter())
    kinds: Counter[str] = sum((Counter(block["kinds"]) for block in blocks), Counter())
    return {
        "machine": machine,
        "studies": len(times),
        "domains": dict(kinds),
        **ends,
        "processor seconds per study": {"median": statistics.median(times), "longest": max(times), "all": sum(times)},
        "failures": [failure for block in blocks for failure in block["failures"]],
    }


if __name__ == "__main__":
    main()
