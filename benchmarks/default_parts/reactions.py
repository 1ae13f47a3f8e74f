"""Tables of reactions made at random: what nothing was chosen on, and as many as are wanted.

Every level of a category (ligand, base, solvent) has three hidden properties. The yield grows with a random linear
function of all of them, with random products of the properties of two categories, and with temperature and
concentration up to a best value; it is small for most reactions, and at most 100. The price is that of the levels.
"""

import numpy as np

from pfes.objectives import Objective, Objectives
from pfes.problems import Problem
from pfes.space import Pool

__all__ = ["reactions"]

LEVELS = {"ligand": 12, "base": 4, "solvent": 4}
NUMBERS = {"concentration": [0.05, 0.1, 0.15], "temperature": [90.0, 105.0, 120.0]}
HIDDEN = 3  # properties of a level
GOOD = 0.8  # of the reactions have a yield below 50 %


def reactions(number: int) -> Problem:
    """The table of that number: 1,728 rows, yield (to be raised) and price (to be lowered)."""
    rng = np.random.default_rng([number, 11])
    sizes = [*LEVELS.values(), *map(len, NUMBERS.values())]
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij")], axis=1)
    hidden = [rng.standard_normal((size, HIDDEN))[grid[:, c]] for c, size in enumerate(LEVELS.values())]
    score = sum(level @ rng.standard_normal(HIDDEN) for level in hidden)
    for one in range(len(hidden)):
        for other in range(one):
            score = score + np.einsum(
                "nh,hk,nk->n", hidden[one], rng.standard_normal((HIDDEN, HIDDEN)) / 2, hidden[other]
            )
    for column in (3, 4):
        score = score - rng.uniform(0.2, 1.0) * (grid[:, column] - rng.uniform(0.0, 2.5)) ** 2
    steep = (score - np.quantile(score, GOOD)) / score.std()
    price = sum(np.exp(0.8 * rng.standard_normal(size))[grid[:, c]] for c, size in enumerate(LEVELS.values()))
    truth = np.column_stack([100.0 / (1.0 + np.exp(-2.0 * steep)), price])
    columns = {name: [f"{name} {k}" for k in grid[:, c]] for c, name in enumerate(LEVELS)}
    columns |= {name: np.array(values)[grid[:, 3 + c]] for c, (name, values) in enumerate(NUMBERS.items())}
    goals = Objectives([Objective("yield", goal="max", cost=10.0), Objective("price", goal="min", cost=1.0)])
    return Problem(f"reactions {number}", Pool(columns), goals, lambda rows: truth[rows], truth.mean(axis=0), 1.0)
