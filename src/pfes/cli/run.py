"""`pfes run`: evaluate a function or a command until something says stop."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import click

from pfes.cli.arguments import duration, json_option, number, opened, study_argument
from pfes.cli.cluster import dask_client
from pfes.cli.evaluators import Command, evaluator
from pfes.cli.output import Output, complain
from pfes.study import Outcome, Study
from pfes.study.loop import TOO_MANY_FAILURES
from pfes.trials import TrialState

__all__ = ["run_verb"]


@click.command()
@study_argument
@click.argument("what", metavar="MODULE:FUNCTION | [--] COMMAND...", nargs=-1, required=True)
@click.option("--budget", metavar="NUMBER", type=number, help="What the trials of this run may cost.")
@click.option("--trials", type=click.IntRange(min=0), help="How many trials to evaluate.")
@click.option("--timeout", metavar="TIME", type=duration, help="Begin no trial after this time: 12h, 7d.")
@click.option("--time-limit", metavar="TIME", type=duration, help="End an evaluation that takes longer.")
@click.option("--workers", type=click.IntRange(min=1), help="Evaluate so many trials at a time.")
@click.option("--dask", "address", metavar="ADDRESS", help="Evaluate on a dask cluster: tcp://host:8786, or local.")
@click.option("--decoupled", is_flag=True, help="A trial may name single objectives, where that tells more per cost.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@json_option
def run_verb(
    study: str,
    name: str | None,
    what: tuple[str, ...],
    budget: float | None,
    trials: int | None,
    timeout: float | None,
    time_limit: float | None,
    workers: int | None,
    address: str | None,
    decoupled: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Evaluate trials by a Python function or any command until the budget is spent.

    pfes run battery.db simulation:evaluate --budget 200 --workers 4

    pfes run battery.db --budget 200 -- ./simulate --fast

    A command finds its trial as JSON on standard input and in $PFES_TRIAL, parameters also in $PFES_PARAM_name, and
    prints {"energy": -3.1} as its last line. Ctrl-C gives back what is under way.
    """
    it, evaluate = opened(study, name), evaluator(what, time_limit)
    with _crew(evaluate, workers, address, time_limit) as who:
        outcome = it.optimize(
            evaluate, budget, trials=trials, timeout=timeout, decoupled=decoupled, progress=not quiet, **who
        )
    out = Output(as_json)
    failed = f" ({outcome.failed} failed)" if outcome.failed else ""
    counted = f"{outcome.trials} trial{'s' * (outcome.trials != 1)}{failed}"
    out.line(f"{counted}, cost {outcome.spent:g}, {outcome.seconds:.1f} s; ended: {outcome.reason}.")
    out.line(f"Next: pfes status {study}", "dim")
    out.data(
        {
            "trials": outcome.trials,
            "failed": outcome.failed,
            "spent": outcome.spent,
            "seconds": outcome.seconds,
            "reason": outcome.reason,
            "pending": len(it.pending()),
        }
    )
    if why := _why_in_vain(it, outcome):
        complain(why)
    return int(bool(why))


def _why_in_vain(study: Study, outcome: Outcome) -> str:
    """What is wrong with a run that brought nothing; empty if it is not known to be."""
    if f"{TOO_MANY_FAILURES} trials in a row gave no values" in outcome.reason:
        return outcome.reason
    if not outcome.trials or outcome.failed < outcome.trials:
        return ""
    last = next(trial.message for trial in reversed(study.trials()) if trial.state is TrialState.FAILED)
    return f"every trial failed, the last one because: {last}"


@contextmanager
def _crew(evaluate: Any, workers: int | None, address: str | None, limit: float | None) -> Iterator[dict[str, Any]]:
    """Who evaluates, as arguments of `Study.optimize`; a command keeps its own time and needs threads only."""
    command = evaluate if isinstance(evaluate, Command) else None
    try:
        if address is not None:
            with dask_client(address, workers) as client:
                yield {"executor": client, "workers": workers, "time_limit": None if command else limit}
        elif command is None:
            yield {"workers": 1 if workers is None and limit is not None else workers, "time_limit": limit}
        elif workers is None:
            yield {}
        else:
            pool = ThreadPoolExecutor(workers)
            try:
                yield {"executor": pool}
            finally:
                command.end()
                pool.shutdown()
    finally:
        if command is not None:
            command.end()
