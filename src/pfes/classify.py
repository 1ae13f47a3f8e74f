"""Which rows of a pool are Pareto-optimal, which are not, and which are undecided: PAL's classes for anyone to see."""

import numpy as np

from pfes.acquisition.boxes import boxes
from pfes.acquisition.epal import epal_slack
from pfes.acquisition.pal import Classes, classified, pal_slack, rows_of
from pfes.belief import Belief
from pfes.errors import InvalidInput
from pfes.space import Pool

__all__ = ["classify"]


def classify(belief: Belief) -> Classes:
    """The classes of all rows (P,) of the pool, by the rule of "pal" if that is the method, else of "epal".

    A row that cannot be measured is not Pareto-optimal.
    """
    pool = belief.task.domain
    if not isinstance(pool, Pool):
        raise InvalidInput("classify: got a space, wanted a pool, whose rows can be told apart; try recommend()")
    slack = (
        pal_slack(belief.resolution)
        if belief.task.settings.method == "pal"
        else epal_slack(belief.resolution, belief.measured, belief.model.amplitude)
    )
    rows = rows_of(pool, belief.allowed)
    found = classified(boxes(belief.model, rows.x, len(rows.x)), slack, belief.thresholds)
    unable = rows.which < 0
    if not len(rows.x):
        nothing = np.zeros(len(pool), dtype=bool)
        return Classes(nothing, ~nothing, nothing)
    pareto, other, undecided = (mask[rows.which] & ~unable for mask in found)
    return Classes(pareto, other | unable, undecided)
