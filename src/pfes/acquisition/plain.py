"""Points chosen without a model."""

from pfes.acquisition.method import Method

__all__ = ["RANDOM", "SOBOL"]

SOBOL = Method("sobol", "points spread evenly, without a model (pools: far from one another)", None)
RANDOM = Method("random", "points drawn at random, without a model", None)
