"""Optuna's samplers for several objectives, their settings the default ones; parameters are told in their own units."""

import warnings
from typing import Any

from pfes.bench.methods.protocol import Choose, Record, Start
from pfes.errors import InvalidInput
from pfes.space import Choice, Integer, Space

__all__ = ["gp_sampler", "tpe_sampler"]


def gp_sampler(start: Start, **arguments: Any) -> Choose:
    """GPSampler: Gaussian processes and the logarithm of the expected hypervolume improvement."""
    return _search(start, "GPSampler", arguments)


def tpe_sampler(start: Start, **arguments: Any) -> Choose:
    """TPESampler: two densities, of the better and of the worse points."""
    return _search(start, "TPESampler", arguments)


def _search(start: Start, sampler: str, arguments: dict[str, Any]) -> Choose:
    import optuna  # noqa: PLC0415 - optional

    space = start.space
    if not isinstance(space, Space) or space.constraints:
        raise InvalidInput("Optuna's samplers search spaces without constraints only")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some samplers are experimental
        made = getattr(optuna.samplers, sampler)(seed=start.seed, **arguments)
    up, down = optuna.study.StudyDirection.MAXIMIZE, optuna.study.StudyDirection.MINIMIZE
    goals = [up if item.goal == "max" else down for item in start.problem.objectives]
    study = optuna.create_study(directions=goals, sampler=made)
    sides = {name: _distribution(parameter) for name, parameter in space.parameters.items()}
    asked: list[Any] = []
    told = 0

    def choose(record: Record) -> dict[str, Any]:
        nonlocal told
        for number in range(told, len(record)):
            values = record.values[number].tolist()
            if asked:
                study.tell(asked.pop(0), values)
            else:
                params = space.decode(record.x[number][None])[0]
                study.add_trial(optuna.trial.create_trial(params=params, distributions=sides, values=values))
        told = len(record)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            asked.append(study.ask(sides))
        return dict(asked[-1].params)

    return choose


def _distribution(parameter: Any) -> Any:
    from optuna import distributions  # noqa: PLC0415 - optional

    if isinstance(parameter, Choice):
        return distributions.CategoricalDistribution(tuple(parameter.values))
    if isinstance(parameter, Integer):
        return distributions.IntDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
    return distributions.FloatDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
