"""Do BoTorch and pfes do the same job? Models, searches and choices are compared before any timing."""

from functools import partial

import numpy as np
from scipy.stats import spearmanr

from pfes.pareto import hypervolume
from rivals.botorch_suggestion import Effort, Suggested, spread_out
from rivals.pymoo_search import frontier
from suggestion_parts.ours import Inside

__all__ = ["agree"]

PREDICTIONS = 0.9  # least rank correlation of predicted means
FRONTIERS = 0.95  # least hypervolume of our frontiers, as a share of what pymoo finds on the same functions
CHOICES = 0.95  # share of random points that a choice must beat by its own criterion


def agree(ours: Inside, chosen: np.ndarray, theirs: Suggested, efforts: dict[str, Effort]) -> list[str]:
    """Lines that say how alike the two are; ends the program where ours does less than theirs."""
    _, points, L = theirs.frontiers.shape
    probes = np.random.default_rng(0).uniform(size=(1000, len(chosen)))
    mine, his = ours.belief.predict(probes)[0], theirs.predict(probes)
    alike = min(float(spearmanr(mine[:, l], his[:, l]).statistic) for l in range(L))
    shares = {name: _searched(ours, points, effort, len(chosen)) for name, effort in efforts.items()}
    ranks = _ranks(probes, ours, theirs, [chosen, theirs.x])
    _demand("rank correlation of predictions", alike, PREDICTIONS)
    for name, share in shares.items():
        _demand(f"hypervolume of our frontiers over that of pymoo's, {name},", share, FRONTIERS)
    for who, own in (("pfes", ranks[0][0]), ("BoTorch", ranks[1][1])):
        _demand(f"rank of what {who} chose", own, CHOICES)
    told = ", ".join(f"{share:.2f} ({name})" for name, share in shares.items())
    return [
        f"models: rank correlation of predicted means at 1,000 random points at least {alike:.3f} in every objective",
        f"frontiers of {points} points, searched on the same paths: hypervolume above the worst data, ours over "
        f"pymoo's: {told}",
        f"choices: ours beats {_percent(ranks[0])} of 1,000 random points by our, by BoTorch's criterion; BoTorch's "
        f"{_percent(ranks[1])}",
    ]


def _searched(ours: Inside, points: int, effort: Effort, d: int) -> float:
    """Mean hypervolume of our frontiers over that of those pymoo finds on the same paths, four of the ten."""
    worst = np.array([np.min(posterior.y) for posterior in ours.belief.model.posteriors])
    volumes = []
    for r, front in enumerate(ours.sampled.frontiers[:4]):
        values = partial(_path, ours, r)
        rival = frontier(values, d, len(worst), effort.population, effort.generations, r)
        volumes.append([hypervolume(each, worst) for each in (front, rival[spread_out(rival, points)])])
    mine, his = np.mean(volumes, axis=0)
    return float(mine / his)


def _path(ours: Inside, r: int, x: np.ndarray) -> np.ndarray:
    return ours.sampled.at(x)[r]


def _ranks(probes: np.ndarray, ours: Inside, theirs: Suggested, choices: list[np.ndarray]) -> list[list[float]]:
    """For each choice the share of probes it beats by our criterion, and by theirs."""
    criteria = [lambda x: ours.acquisition.scores(x)[:, 0], theirs.gain]
    return [[float(np.mean(gain(choice[None]) > gain(probes))) for gain in criteria] for choice in choices]


def _percent(pair: list[float]) -> str:
    return " and ".join(f"{100 * share:.1f} %" for share in pair)


def _demand(what: str, value: float, least: float) -> None:
    if not value >= least:
        raise SystemExit(f"no timing: {what} is {value:.3f}, wanted at least {least}: they do different things")
