"""Do BoTorch and pfes do the same job? Models, frontiers and choices are compared before any timing."""

import numpy as np
from scipy.stats import spearmanr

from pfes.pareto import hypervolume
from rivals.botorch_suggestion import Suggested
from suggestion_parts.ours import Inside

__all__ = ["agree"]

PREDICTIONS = 0.9  # least rank correlation of predicted means
FRONTIERS = (0.8, 1.25)  # ratio of the mean hypervolumes of sampled frontiers, ours over theirs
CHOICES = 0.95  # share of random points that a choice must beat by its own criterion


def agree(x: np.ndarray, y: np.ndarray, ours: Inside, chosen: np.ndarray, theirs: Suggested) -> list[str]:
    """Lines that say how alike the two are; ends the program where they do different things."""
    probes = np.random.default_rng(0).uniform(size=(1000, x.shape[1]))
    mine, his = ours.belief.predict(probes)[0], theirs.predict(probes)
    alike = min(float(spearmanr(mine[:, l], his[:, l]).statistic) for l in range(y.shape[1]))
    worst = y.min(axis=0)
    volumes = [float(np.mean([hypervolume(front, worst) for front in fronts])) for fronts in _fronts(ours, theirs)]
    ranks = _ranks(probes, ours, theirs, [chosen, theirs.x])
    _demand("rank correlation of predictions", alike, PREDICTIONS, 1.0)
    _demand("ratio of frontiers' hypervolumes", volumes[0] / volumes[1], *FRONTIERS)
    for who, own in (("pfes", ranks[0][0]), ("BoTorch", ranks[1][1])):
        _demand(f"rank of what {who} chose", own, CHOICES, 1.0)
    sizes = [f"{np.mean([len(front) for front in fronts]):.0f}" for fronts in _fronts(ours, theirs)]
    return [
        f"models: rank correlation of predicted means at 1,000 random points at least {alike:.3f} in every objective",
        f"frontiers: mean hypervolume above the worst data {volumes[0]:.4g} (pfes, {sizes[0]} points each) and "
        f"{volumes[1]:.4g} (BoTorch + pymoo, {sizes[1]} points each)",
        f"choices: ours beats {_percent(ranks[0])} of 1,000 random points by our, by BoTorch's criterion; BoTorch's "
        f"{_percent(ranks[1])}",
    ]


def _fronts(ours: Inside, theirs: Suggested) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return ours.frontiers, list(theirs.frontiers)


def _ranks(probes: np.ndarray, ours: Inside, theirs: Suggested, choices: list[np.ndarray]) -> list[list[float]]:
    """For each choice the share of probes it beats by our criterion, and by theirs."""
    criteria = [lambda x: ours.acquisition.scores(x)[:, 0], theirs.gain]
    return [[float(np.mean(gain(choice[None]) > gain(probes))) for gain in criteria] for choice in choices]


def _percent(pair: list[float]) -> str:
    return " and ".join(f"{100 * share:.1f} %" for share in pair)


def _demand(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SystemExit(f"no timing: {what} is {value:.3f}, wanted {low} to {high}: they do different things")
