"""Do BoTorch and pfes do the same job? Models, searches and choices are compared before any timing."""

import numpy as np
from scipy.stats import spearmanr

from pfes.pareto import hypervolume
from rivals.botorch_suggestion import Effort, Suggested
from rivals.pymoo_search import frontier
from suggestion_parts.ours import Inside

__all__ = ["agree"]

PREDICTIONS = 0.9  # least rank correlation of predicted means
FRONTIERS = (
    0.95  # least hypervolume of our frontiers, as a share of what the rival's search finds on the same functions
)
CHOICES = 0.95  # share of random points that a choice must beat by its own criterion


def agree(ours: Inside, chosen: np.ndarray, theirs: Suggested, effort: Effort) -> list[str]:
    """Lines that say how alike the two are; ends the program where ours does less than theirs."""
    d, L = len(chosen), theirs.frontiers.shape[2]
    probes = np.random.default_rng(0).uniform(size=(1000, d))
    mine, his = ours.belief.predict(probes)[0], theirs.predict(probes)
    alike = min(float(spearmanr(mine[:, l], his[:, l]).statistic) for l in range(L))
    share = _searched(ours, theirs.frontiers.shape[1], effort, d)
    ranks = _ranks(probes, ours, theirs, [chosen, theirs.x])
    _demand("rank correlation of predictions", alike, PREDICTIONS)
    _demand("share of the hypervolume that pymoo finds", share, FRONTIERS)
    for who, own in (("pfes", ranks[0][0]), ("BoTorch", ranks[1][1])):
        _demand(f"rank of what {who} chose", own, CHOICES)
    return [
        f"models: rank correlation of predicted means at 1,000 random points at least {alike:.3f} in every objective",
        f"frontiers: searched by both on the same ten paths (ours), with {theirs.frontiers.shape[1]} points each, "
        "ours have "
        f"{share:.3f} times the hypervolume of pymoo's above the worst data",
        f"choices: ours beats {_percent(ranks[0])} of 1,000 random points by our, by BoTorch's criterion; BoTorch's "
        f"{_percent(ranks[1])}",
    ]


def _searched(ours: Inside, points: int, effort: Effort, d: int) -> float:
    """Mean hypervolume of our frontiers over that of those pymoo finds on the same paths."""
    worst = np.array([np.min(posterior.y) for posterior in ours.belief.model.posteriors])
    volumes = []
    for r, front in enumerate(ours.sampled.frontiers):
        rival = frontier(lambda x: ours.sampled.at(x)[r], d, len(worst), points, effort.generations, r)  # noqa: B023
        volumes.append([hypervolume(front, worst), hypervolume(rival, worst)])
    mine, his = np.mean(volumes, axis=0)
    return float(mine / his)


def _ranks(probes: np.ndarray, ours: Inside, theirs: Suggested, choices: list[np.ndarray]) -> list[list[float]]:
    """For each choice the share of probes it beats by our criterion, and by theirs."""
    criteria = [lambda x: ours.acquisition.scores(x)[:, 0], theirs.gain]
    return [[float(np.mean(gain(choice[None]) > gain(probes))) for gain in criteria] for choice in choices]


def _percent(pair: list[float]) -> str:
    return " and ".join(f"{100 * share:.1f} %" for share in pair)


def _demand(what: str, value: float, least: float) -> None:
    if not value >= least:
        raise SystemExit(f"no timing: {what} is {value:.3f}, wanted at least {least}: they do different things")
