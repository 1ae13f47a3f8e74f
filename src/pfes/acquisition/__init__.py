"""Methods of choosing what to measure, one file each, behind one small protocol."""

from pfes.acquisition.capacity import Capacity
from pfes.acquisition.ehvi import Ehvi
from pfes.acquisition.method import Method
from pfes.acquisition.methods import METHODS, method_named
from pfes.acquisition.pfes import ESTIMATORS, Pfes, weighable
from pfes.acquisition.protocol import FLOOR, Acquisition, Ending, Slopes, gain_of, score_of, slope_of
from pfes.acquisition.situation import Situation
from pfes.acquisition.worth import Worth

__all__ = [
    "ESTIMATORS",
    "FLOOR",
    "METHODS",
    "Acquisition",
    "Capacity",
    "Ehvi",
    "Ending",
    "Method",
    "Pfes",
    "Situation",
    "Slopes",
    "Worth",
    "gain_of",
    "method_named",
    "score_of",
    "slope_of",
    "weighable",
]
