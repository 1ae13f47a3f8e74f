"""Two synthetic pools in the manner of the paper's materials, whose data were never published: Bi2O3 and LLTO.

Sizes, inputs, objectives and costs are the paper's; the values are made up by smooth laws in this file, so that anybody
can compute them and the truth is known. Conductivity takes long molecular dynamics and is dear, energy is cheap; good
conductors tend to be less stable, so neither can be found by measuring the other alone. No data are stored: what is
random is made from the raw words of PCG64, which numpy promises not to change; so the pools do not change, either.
"""

import itertools

import numpy as np
import numpy.typing as npt

from pfes.objectives import Objective, Objectives
from pfes.pareto import hypervolume, non_dominated
from pfes.problems.problem import Problem, rebuildable
from pfes.space import Pool

__all__ = ["bismuth_oxide", "perovskite"]

Array = npt.NDArray[np.float64]


@rebuildable
def bismuth_oxide(ratio: float = 5.0) -> Problem:
    """335 compositions of doped bismuth oxide, Bi(1-x-y-z) Er(x) Nb(y) W(z) O(1.5+y+1.5z): three numeric inputs.

    Dopants in steps of 2 %: at most 24 % of erbium, 14 % of niobium, 10 % of tungsten, and from 2 to 24 % together.
    Dopants hold the conducting phase together, but more of them trap the vacancies that carry the current.

    Args:
        ratio: what a conductivity costs, in energies; the paper has 5 and 10.
    """
    levels = itertools.product(range(13), range(8), range(6))
    percent = 2.0 * np.array([counts for counts in levels if 1 <= sum(counts) <= 12])
    pool = Pool({"erbium": percent[:, 0], "niobium": percent[:, 1], "tungsten": percent[:, 2]})
    truth = _doped(percent / 100.0)
    return _pooled("bismuth_oxide", pool, truth, ratio, reference=(-3.0, 36.0), noise=(0.05, 1.0))


def _doped(fraction: Array) -> Array:
    """Conductivity at 500 °C [log10 S/cm] and energy above the stable phases [meV/atom]."""
    er, nb, w = fraction.T
    phase = 1.0 / (1.0 + np.exp(-(er + 1.5 * nb + 2.0 * w - 0.085) / 0.018))  # the share of the cubic phase
    pair = np.exp(-(((er - 0.07) / 0.04) ** 2) - ((w - 0.03) / 0.02) ** 2)  # erbium and tungsten help each other
    conductivity = -3.1 + 2.1 * phase - 5.0 * er - 9.0 * nb - 10.0 * w + 0.5 * pair
    energy = 52.0 - 250.0 * er - 330.0 * nb - 160.0 * w + 700.0 * er**2 + 1700.0 * nb**2 + 1900.0 * w**2
    energy += 900.0 * er * nb - 1300.0 * nb * w + 5.0 * np.cos(40.0 * er - 55.0 * nb)
    return np.column_stack([conductivity, energy])


@rebuildable
def perovskite(ratio: float = 10.0) -> Problem:
    """1,119 arrangements of the atoms of a lithium-lanthanum titanate, described by 2,185 distances between atoms.

    Four order parameters move 23 cations and 95 atoms of the framework; the inputs are the distances in ångström of
    each of the first to each of the second. Many numbers tell little: the pool lies near a surface of four dimensions.

    Args:
        ratio: what a conductivity costs, in energies; the paper has 5 and 10.
    """
    order = _uniform(1119 * 4, seed=1).reshape(1119, 4)
    distances = _distances(order)
    names = [f"d{cation:02d}_{atom:02d}" for cation, atom in itertools.product(range(1, 24), range(1, 96))]
    return _pooled(
        "perovskite", Pool(distances, names), _ordered(order), ratio, reference=(-5.0, 20.0), noise=(0.06, 0.4)
    )


def _distances(order: Array) -> Array:
    """Distances (P, 2185) between cations and framework in a box of 12 ångström, shaken by 0.02 ångström."""
    base = 12.0 * _uniform(118 * 3, seed=2).reshape(118, 3)
    modes = _uniform(118 * 3 * 4, seed=3).reshape(4, 118, 3) - 0.5
    shake = 0.04 * np.sqrt(3.0) * (_uniform(len(order) * 118 * 3, seed=4).reshape(-1, 118, 3) - 0.5)
    place = base + np.tensordot(np.sin(np.pi * (order - 0.5)), 1.2 * modes, axes=1) + shake
    # one cation at a time: all at once would be (P, 23, 95, 3)
    return np.concatenate([np.linalg.norm(place[:, 23:] - place[:, i, None], axis=2) for i in range(23)], axis=1)


def _ordered(order: Array) -> Array:
    """Conductivity at 27 °C [log10 S/cm] and energy above the ground state [meV/atom], from the order parameters."""
    layered, tilted, shifted, mixed = order.T
    way = np.exp(-(((layered - 0.2) / 0.3) ** 2) - ((tilted - 0.35) / 0.35) ** 2)  # how open the lithium's way is
    conductivity = -5.4 + 1.8 * way + 0.9 * shifted * (1.0 - mixed) + 0.25 * np.sin(6.0 * mixed + 2.0 * layered)
    energy = 6.0 + 26.0 * (layered - 0.75) ** 2 + 30.0 * (tilted - 0.5) ** 2 + 8.0 * (shifted - 0.35) ** 2
    energy += 14.0 * (mixed - 0.45) ** 2 - 3.0 * np.cos(5.0 * (layered - tilted) + 2.0 * shifted)
    return np.column_stack([conductivity, energy])


def _uniform(count: int, seed: int) -> Array:
    """Numbers (count,) in [0, 1) from the words of PCG64, whose stream is promised not to change."""
    words = np.asarray(np.random.PCG64(seed).random_raw(count), dtype=np.uint64)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _pooled(
    name: str, pool: Pool, table: Array, ratio: float, reference: tuple[float, float], noise: tuple[float, float]
) -> Problem:
    objectives = Objectives(
        [
            Objective("conductivity", "max", cost=ratio, unit="log10 S/cm"),
            Objective("energy", "min", cost=1.0, unit="meV/atom"),
        ]
    )
    inward = objectives.inward(table)
    best = table[non_dominated(inward)]
    return Problem(
        name=name,
        space=pool,
        objectives=objectives,
        truth=lambda rows: table[rows],
        reference=np.array(reference),
        optimum=hypervolume(inward, objectives.inward(reference)),
        sample=lambda count: best[np.argsort(best[:, 0])],
        noise=np.array(noise),
    )
