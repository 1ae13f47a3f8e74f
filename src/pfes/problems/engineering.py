"""Seven problems of the RE suite (Tanabe and Ishibuchi, Applied Soft Computing 89, 106078, 2020), all minimised.

Where an original has constraints, the suite makes the sum of their violations one more objective; so do we. Parameters
that the suite rounds are discrete here (`Integer`, ordered `Choice`). Reference points are BoTorch's where it has
one; else they lie about a tenth of the front's range beyond its worst values. Optima come from
benchmarks/optimal_hypervolumes.py, which says how; each docstring says how accurately.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
import numpy.typing as npt

from pfes.objectives import Objective, Objectives
from pfes.problems import laws
from pfes.problems.fronts import best_of, grid_front
from pfes.problems.problem import Problem, rebuildable
from pfes.space import Choice, Integer, Real, Space

__all__ = [
    "car_side_impact",
    "coil_spring",
    "concrete_beam",
    "four_bar_truss",
    "hatch_cover",
    "rocket_injector",
    "vehicle_safety",
]

Array = npt.NDArray[np.float64]

# Areas that bars of reinforcement can be combined to, square inches (Amir and Hasegawa 1989).
BARS = (
    0.2, 0.31, 0.4, 0.44, 0.6, 0.62, 0.79, 0.8, 0.88, 0.93, 1.0, 1.2, 1.24, 1.32, 1.4, 1.55, 1.58, 1.6, 1.76, 1.8,
    1.86, 2.0, 2.17, 2.2, 2.37, 2.4, 2.48, 2.6, 2.64, 2.79, 2.8, 3.0, 3.08, 3.1, 3.16, 3.41, 3.52, 3.6, 3.72, 3.95,
    3.96, 4.0, 4.03, 4.2, 4.34, 4.4, 4.65, 4.74, 4.8, 4.84, 5.0, 5.28, 5.4, 5.53, 5.72, 6.0, 6.16, 6.32, 6.6, 7.11,
    7.2, 7.8, 7.9, 8.0, 8.4, 8.69, 9.0, 9.48, 10.27, 11.0, 11.06, 11.85, 12.0, 13.0, 14.0, 15.0,
)  # fmt: skip

# Diameters that spring wire is sold in, inches: those of the suite's 42 that its bounds 0.09 and 0.5 leave.
WIRES = (
    0.092, 0.105, 0.12, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362,
    0.394, 0.4375, 0.5,
)  # fmt: skip


@rebuildable
def four_bar_truss() -> Problem:
    """RE2-4-1: volume and displacement of the joint of a truss, by the cross-sections of its bars (Cheng and Li 1999).

    The front is known by formula and convex: x3 at its least, the others proportional until they meet a bound. The
    optimum is the integral along it, to 1e-9.
    """
    low = sqrt(2.0)

    def sample(count: int) -> Array:
        t = np.linspace(1.0 / low, 3.0, max(count, 2))  # square root of the price of displacement in volume
        bars = [np.clip(t, 1.0, 3.0), np.clip(low * t, low, 3.0), np.full_like(t, low), np.clip(low * t, 1.0, 3.0)]
        return laws.truss(np.column_stack(bars)).values

    return _problem(
        "four_bar_truss",
        Space({f"x{i}": Real(least, 3.0, unit="cm²") for i, least in enumerate((1.0, low, low, 1.0), start=1)}),
        [Objective("volume", "min", unit="cm³"), Objective("displacement", "min", unit="cm")],
        laws.truss,
        (3050.0, 0.044),
        55.034154954,
        sample,
    )


@rebuildable
def concrete_beam() -> Problem:
    """RE2-3-2: cost of a reinforced concrete beam, and by how much it is too weak or too slender.

    The steel comes in 76 areas. The suite lets the width go down to 0, where the formula divides by it; 0.5 is low
    enough to keep the whole front. Optimum to 1e-5.
    """
    space = Space(
        steel=Choice(BARS, ordered=True, unit="in²"), width=Real(0.5, 20.0, unit="in"), depth=Real(0.0, 40.0, unit="in")
    )

    def sample(count: int) -> Array:
        # where the cost is least for a violation, one of these three holds, to within 0.2 % of the hypervolume
        t = np.linspace(0.0, 1.0, 1500)
        deepest = [0.5 + 19.5 * t, np.full_like(t, 40.0)]
        slenderest = [0.5 + 9.5 * t, 2.0 + 38.0 * t]
        widest = [np.full_like(t, 20.0), 40.0 * t]
        shapes = np.concatenate([np.column_stack(shape) for shape in (deepest, slenderest, widest)])
        beams = np.column_stack([np.repeat(BARS, len(shapes)), np.tile(shapes, (len(BARS), 1))])
        return best_of(laws.beam(beams).values, np.array([-1.0, -1.0]), count)

    objectives = [Objective("cost", "min", unit="$/ft"), Objective("violation", "min")]
    return _problem("concrete_beam", space, objectives, laws.beam, (400.0, 200.0), 50249.73, sample)


@rebuildable
def hatch_cover() -> Problem:
    """RE2-2-4: weight of a hatch cover, and by how much it bends, shears, sags or buckles too easily.

    The violation falls steeply, from 44 to 10 within a hundredth of the front's range of weights. Optimum to 1e-5.
    """
    space = Space(flange=Real(0.5, 4.0, unit="cm"), height=Real(0.5, 50.0, unit="cm"))
    objectives = [Objective("weight", "min"), Objective("violation", "min")]
    levels = [np.linspace(0.5, 4.0, 500), np.geomspace(0.5, 50.0, 1000)]
    return _problem(
        "hatch_cover", space, objectives, laws.hatch, (525.0, 49.0), 22041.18, _searched(laws.hatch, levels)
    )


@rebuildable
def coil_spring() -> Problem:
    """RE2-3-5: volume of steel in a coil spring, and by how much it breaks its limits, mostly that of shear stress.

    Coils are whole, wire is sold in 19 of the diameters in question; only the outer diameter is continuous. Each
    further coil adds volume and takes stiffness, so the front needs one coil only, which a search has to find out.
    Optimum by trying every wire and 200,000 diameters, to 1e-6.
    """
    space = Space(coils=Integer(1, 70), outer=Real(0.6, 3.0, unit="in"), wire=Choice(WIRES, ordered=True, unit="in"))
    objectives = [Objective("volume", "min", unit="in³"), Objective("violation", "min")]
    levels = [np.array([1.0]), np.linspace(0.6, 3.0, 2401), np.array(WIRES)]
    return _problem(
        "coil_spring", space, objectives, laws.spring, (0.44, 2.45e6), 880899.85, _searched(laws.spring, levels)
    )


@rebuildable
def vehicle_safety() -> Problem:
    """RE3-5-4: mass, acceleration and intrusion in a crash, by five thicknesses (Liao et al. 2008).

    BoTorch's VehicleSafety and its reference point. Optimum to 1e-4; BoTorch's 246.816 is that of a published
    approximation of the front.
    """
    space = Space({f"x{i}": Real(1.0, 3.0, unit="mm") for i in range(1, 6)})
    objectives = [
        Objective("mass", "min", unit="kg"),
        Objective("acceleration", "min", unit="m/s²"),
        Objective("intrusion", "min", unit="m"),
    ]
    return _problem("vehicle_safety", space, objectives, laws.vehicle, (1864.72022, 11.81993945, 0.2903999384), 247.34)


@rebuildable
def rocket_injector() -> Problem:
    """RE3-4-7: two temperatures and the combustion length of a rocket injector, scaled (Vaidyanathan et al. 2003).

    Optimum by benchmarks/optimal_hypervolumes.py, with a standard error of 1.4e-4.
    """
    space = Space({name: Real(0.0, 1.0) for name in ("angle", "hydrogen", "oxygen", "tip")})
    objectives = [Objective(name, "min") for name in ("face temperature", "length", "tip temperature")]
    return _problem("rocket_injector", space, objectives, laws.injector, (1.1, 1.2, 1.2), 1.4543)


@rebuildable
def car_side_impact() -> Problem:
    """RE4-7-1: mass, force on the pelvis, velocity of the pillars, and violations of ten limits (Jain and Deb 2014).

    BoTorch's reference point. Optimum to 5e-4; BoTorch's 484.727 is that of a published approximation of the front.
    """
    bounds = ((0.5, 1.5), (0.45, 1.35), (0.5, 1.5), (0.5, 1.5), (0.875, 2.625), (0.4, 1.2), (0.4, 1.2))
    space = Space({f"x{i}": Real(low, high, unit="mm") for i, (low, high) in enumerate(bounds, start=1)})
    objectives = [
        Objective("mass", "min", unit="kg"),
        Objective("force", "min", unit="kN"),
        Objective("velocity", "min", unit="mm/ms"),
        Objective("violation", "min"),
    ]
    return _problem("car_side_impact", space, objectives, laws.car, (45.4872, 4.5114, 13.3394, 10.3942), 500.6)


def _searched(law: Callable[[Array], laws.Parts], levels: list[Array]) -> Callable[[int], Array]:
    """Sampling of a front by trying all combinations of levels; all objectives are minimised."""
    return lambda count: grid_front(lambda natural: law(natural).values, np.array([-1.0, -1.0]), levels, count)


def _problem(
    name: str,
    space: Space,
    objectives: list[Objective],
    law: Callable[[Array], laws.Parts],
    reference: tuple[float, ...],
    optimum: float,
    sample: Callable[[int], Array] | None = None,
) -> Problem:
    def truth(natural: Array) -> Array:
        return law(natural).values

    return Problem(name, space, Objectives(objectives), truth, np.array(reference), optimum, sample)
