"""Optimal hypervolumes of the test problems whose fronts have no formula, and the constants of those that have one.

    python benchmarks/optimal_hypervolumes.py                      all of them, about half an hour on two cores
    python benchmarks/optimal_hypervolumes.py branin_currin        one of them
    python benchmarks/optimal_hypervolumes.py constants            ends of the fronts of ZDT3 and DTLZ7 by mpmath
    python benchmarks/optimal_hypervolumes.py coil_spring          every wire, 200,000 diameters, up to three coils

The numbers printed are those in src/pfes/problems. Method: hypervolume in polar coordinates around the reference point,

    volume = c E_w[rho(w)^L],    rho(w) = max over x of min over l of (reference_l - f_l(x)) / (scale_l w_l)

w uniform on the positive part of the unit sphere (Zhang and Golovin 2020), c the volume of that part of the ball. Each
rho is a small smooth program (SLSQP; sums of violations through slack variables; discrete parameters held at the
start's) from the best of many sampled points, then from the points that other rays found. What is found is attained,
so every rho is a lower bound. Two objectives: the midpoint rule over 2,000 angles, which is right to 1e-7 on the truss,
whose front is known. More: Sobol points, scrambled eight times; the points that the other scrambles found dominate a
volume known exactly, only what is missing from it is averaged, and the scatter gives the standard error:

    volume = hypervolume(others) + c E_w[rho(w)^L - rho_others(w)^L]
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from math import gamma, pi
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from pfes import problems
from pfes.pareto import hypervolume, non_dominated
from pfes.problems import laws
from pfes.problems.engineering import WIRES
from pfes.space import Choice, Integer

COMPUTED = {
    "branin_currin": None,
    "ackley_sphere": None,
    "four_bar_truss": laws.truss,
    "concrete_beam": laws.beam,
    "hatch_cover": laws.hatch,
    "vehicle_safety": laws.vehicle,
    "rocket_injector": laws.injector,
    "car_side_impact": laws.car,
}
RAYS = {2: 500, 3: 512, 4: 512}  # of each scramble, by number of objectives
SCRAMBLES = {2: 4, 3: 8, 4: 8}
SAMPLE = 2**17
STARTS = 3
COMBINATIONS = 12  # starts where parameters are discrete


def main() -> None:
    special = {"constants": constants, "coil_spring": tried}
    for name in sys.argv[1:] or [*special, *COMPUTED]:
        print("\n".join(special[name]() if name in special else computed(name)), flush=True)


def constants() -> Iterator[str]:
    import mpmath as mp

    mp.mp.dps = 30

    def wave(f):
        return 1 - mp.sqrt(f) - f * mp.sin(10 * mp.pi * f)

    ends = [mp.findroot(lambda f: mp.diff(wave, f), guess) for guess in (0.083, 0.2578, 0.4539, 0.6525, 0.8518)]
    starts = [mp.mpf(0)]
    for end, guess in zip(ends, (0.1822, 0.4093, 0.6184, 0.8233), strict=False):
        level = wave(end)
        starts.append(mp.findroot(lambda f, level=level: wave(f) - level, guess))
    area = sum(mp.quad(lambda f: 11 - wave(f), [a, b]) for a, b in zip(starts, ends, strict=True))
    area += sum((11 - wave(a)) * (b - a) for a, b in zip(ends, [*starts[1:], 11], strict=True))
    yield "zdt3: " + ", ".join(f"({mp.nstr(a, 17)}, {mp.nstr(b, 17)})" for a, b in zip(starts, ends, strict=True))
    yield f"zdt3: optimum {mp.nstr(area, 17)}"

    def rise(f):
        return f * (1 + mp.sin(3 * mp.pi * f))

    peaks = [mp.findroot(lambda f: mp.diff(rise, f), guess) for guess in (0.2514, 0.8594)]
    again = mp.findroot(lambda f: rise(f) - rise(peaks[0]), (0.631, 0.632), maxsteps=60)
    yield "dtlz7: " + ", ".join(mp.nstr(value, 17) for value in (peaks[0], again, peaks[1]))


def tried() -> Iterator[str]:
    """The coil spring: its only continuous parameter on a grid; more coils are dominated (docstring of the problem)."""
    outer = np.linspace(0.6, 3.0, 200_001)
    best = []
    for coils, wire in itertools.product((1.0, 2.0, 3.0), WIRES):
        values = laws.spring(np.column_stack([np.full_like(outer, coils), outer, np.full_like(outer, wire)])).values
        best.append(values[non_dominated(-values)])
    values = np.concatenate(best)
    yield f"coil_spring: optimum {problems.coil_spring().hypervolume(values):.10g}"


class Task(NamedTuple):
    """A problem made dimensionless: goals and margins of points (N, d), what is continuous, and the reference point."""

    law: Callable[[np.ndarray], laws.Parts]
    low: np.ndarray
    high: np.ndarray
    levels: list[np.ndarray | None]  # of the discrete parameters
    reference: np.ndarray
    scale: np.ndarray

    def heights(self, x: np.ndarray) -> np.ndarray:
        """How far above the reference point, in units of the scale, (N, L)."""
        return (self.reference - self.law(x).values) / self.scale


def computed(name: str) -> Iterator[str]:
    problem = problems.get(name)
    L = len(problem.objectives)
    scrambles = list(range(SCRAMBLES[L]))
    with ProcessPoolExecutor(2) as workers:
        alone = list(workers.map(solved, [name] * len(scrambles), scrambles))
        again = list(workers.map(solved, [name] * len(scrambles), scrambles, [np.concatenate(alone)] * len(scrambles)))
    task = prepared(name)
    # the others' points must not depend on a scramble's own, or they would know too much where its rays end
    volumes = [estimate(task, k, again[k], np.concatenate(alone[:k] + alone[k + 1 :])) for k in scrambles]
    error = f", standard error {np.std(volumes, ddof=1) / len(volumes) ** 0.5:.2g}" if L > 2 else ""
    values = task.law(np.concatenate(again)).values
    yield f"{name}: optimum {np.mean(volumes):.10g}{error}"
    yield f"{name}: {len(values)} points found dominate {problem.hypervolume(values):.10g}"
    yield f"{name}: ideal {values.min(axis=0).tolist()}, worst {values.max(axis=0).tolist()}"


def estimate(task: "Task", scramble: int, own: np.ndarray, others: np.ndarray) -> float:
    L = len(task.reference)
    rays = directions(RAYS[L], L, scramble)
    heights = task.heights(others)
    reached = (task.heights(own) / rays).min(axis=1)
    known = np.array([(heights / ray).min(axis=1).max() for ray in rays])
    reached = np.maximum(reached, known)
    if L == 2:  # interleaved angles lie in the middle of one another's gaps: no fair sample of what is missing there
        return float(ball(L) * np.mean(reached**L) * np.prod(task.scale))
    missing = ball(L) * np.mean(reached**L - known**L)
    return float((hypervolume(heights, np.zeros(L)) + missing) * np.prod(task.scale))


def prepared(name: str) -> Task:
    problem = problems.get(name)
    law = COMPUTED[name] or (lambda x, truth=problem.truth: laws.Parts(truth(x), np.zeros((len(x), 0))))
    parameters = list(problem.space.parameters.values())
    levels = [levels_of(parameter) for parameter in parameters]
    low = np.array([p.low if l is None else l.min() for p, l in zip(parameters, levels, strict=True)])
    high = np.array([p.high if l is None else l.max() for p, l in zip(parameters, levels, strict=True)])
    values = law(sampled(low, high, levels)).values
    return Task(law, low, high, levels, problem.reference, problem.reference - values.min(axis=0))


def sampled(low: np.ndarray, high: np.ndarray, levels: list[np.ndarray | None]) -> np.ndarray:
    """Points all over the space, and its corners."""
    u = qmc.Sobol(len(low), rng=np.random.default_rng(0)).random(SAMPLE)
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * len(low), indexing="ij"), axis=-1).reshape(-1, len(low))
    x = low + np.concatenate([corners, u]) * (high - low)
    for column, level in enumerate(levels):
        if level is not None:
            x[:, column] = level[np.abs(x[:, column, None] - level).argmin(axis=1)]
    return x


def levels_of(parameter: object) -> np.ndarray | None:
    if isinstance(parameter, Choice):
        return np.array(parameter.values, dtype=float)
    return np.arange(parameter.low, parameter.high + 1.0) if isinstance(parameter, Integer) else None


def ball(L: int) -> float:
    return pi ** (L / 2) / gamma(L / 2 + 1) / 2**L


def directions(count: int, L: int, scramble: int) -> np.ndarray:
    """Unit vectors (count, L) without negative coordinates, uniform; area-preserving maps of L - 1 numbers."""
    if L == 2:
        angle = (np.arange(count) + (scramble + 0.5) / SCRAMBLES[2]) / count * pi / 2
        return np.column_stack([np.cos(angle), np.sin(angle)])
    u = qmc.Sobol(L - 1, rng=np.random.default_rng(scramble)).random(count)
    phi = u[:, 1:] * pi / 2
    if L == 3:
        ring = np.sqrt(1 - u[:, 0] ** 2)
        return np.column_stack([ring * np.cos(phi[:, 0]), ring * np.sin(phi[:, 0]), u[:, 0]])
    a, b = np.sqrt(1 - u[:, 0]), np.sqrt(u[:, 0])
    return np.column_stack([a * np.cos(phi[:, 0]), a * np.sin(phi[:, 0]), b * np.cos(phi[:, 1]), b * np.sin(phi[:, 1])])


def solved(name: str, scramble: int, found: np.ndarray | None = None) -> np.ndarray:
    """Where the rays of a scramble end, (rays, d); from a sample of the space, or from points found before."""
    task = prepared(name)
    L = len(task.reference)
    pool = promising(task) if found is None else found
    heights = task.heights(pool)
    return np.array([best(task, pool, heights, ray) for ray in directions(RAYS[L], L, scramble)])


def promising(task: Task, least: int = 20_000) -> np.ndarray:
    """Of the sample, the best layers of non-dominated points, so many that there are `least`: no other is a start."""
    pool = sampled(task.low, task.high, task.levels)
    pool = pool[(task.heights(pool) > 0).all(axis=1)]
    kept: list[np.ndarray] = []
    while len(pool) and sum(map(len, kept)) < least:
        top = non_dominated(task.heights(pool))
        kept.append(pool[top])
        pool = pool[~top]
    return np.concatenate(kept)


def best(task: Task, pool: np.ndarray, heights: np.ndarray, ray: np.ndarray) -> np.ndarray:
    """The farthest point along a ray that climbing from the most promising points of the pool finds."""
    reach = (heights / ray).min(axis=1)
    tried = list(starts(task, pool, reach))
    tried += [climbed(task, start, ray) for start in tried]
    return settled(task, tried[int((task.heights(np.array(tried)) / ray).min(axis=1).argmax())], ray)


def starts(task: Task, pool: np.ndarray, reach: np.ndarray) -> Iterator[np.ndarray]:
    """The best few points of the pool that differ in a discrete parameter; without any, in different parts of space."""
    seen = set()
    wanted = STARTS if all(level is None for level in task.levels) else COMBINATIONS
    for row in np.argsort(-reach)[: 1000 * STARTS]:
        cell = np.round((pool[row] - task.low) / (task.high - task.low) * 12)
        exact = [value for value, level in zip(pool[row], task.levels, strict=True) if level is not None]
        key = tuple(exact or cell)
        if key not in seen:
            seen.add(key)
            yield pool[row]
        if len(seen) == wanted:
            return


def settled(task: Task, start: np.ndarray, ray: np.ndarray) -> np.ndarray:
    """A climb by trial around `start`, closer and closer: for the cusps and kinks where slopes mislead."""
    rng = np.random.default_rng(0)
    free = np.array([level is None for level in task.levels])
    at, size = start, 1e-3
    top = float((task.heights(at[None])[0] / ray).min())
    for _ in range(60):
        steps = size * rng.standard_normal((32, len(at))) * (task.high - task.low) * free
        near = np.clip(at + steps, task.low, task.high)
        reach = (task.heights(near) / ray).min(axis=1)
        if reach.max() > top:
            at, top = near[reach.argmax()], float(reach.max())
        else:
            size /= 3
    return at


def climbed(task: Task, start: np.ndarray, ray: np.ndarray) -> np.ndarray:
    """A local maximum of the smallest (reference - f) / (scale ray), from `start`; discrete parameters stay."""
    free = np.flatnonzero([level is None for level in task.levels])
    low, wide = task.low[free], (task.high - task.low)[free]
    m = task.law(start[None]).goals.shape[1]

    def at(u: np.ndarray) -> laws.Parts:
        x = np.repeat(start[None], len(u), axis=0)
        x[:, free] = low + np.clip(u, 0.0, 1.0) * wide
        return task.law(x)

    def pieces(u: np.ndarray) -> np.ndarray:
        goals, margins = at(u)
        heights = (task.reference[:m] - goals) / task.scale[:m]
        return np.column_stack([heights, margins / (task.scale[m] if margins.shape[1] else 1.0)])

    def slopes(u: np.ndarray) -> np.ndarray:
        step = np.where(u > 0.5, -1e-7, 1e-7)
        moved = pieces(np.concatenate([u[None], u + np.diag(step)]))
        return ((moved[1:] - moved[0]) / step[:, None]).T

    u0 = (start[free] - low) / wide
    begin = pieces(u0[None])[0]
    c = len(begin) - m
    slack0 = np.maximum(0.0, -begin[m:])
    reach0 = float((task.heights(start[None])[0] / ray).min())
    z0 = np.concatenate([u0, slack0, [reach0]])
    d = len(free)

    # z = (u, slacks, t): heights - t ray >= 0; margins + slacks >= 0; reference - sum of slacks - t ray >= 0
    def constraints(z: np.ndarray) -> np.ndarray:
        p = pieces(z[None, :d])[0]
        rows = [p[:m] - z[-1] * ray[:m], p[m:] + z[d:-1]]
        if c:
            rows.append(np.array([task.reference[m] / task.scale[m] - z[d:-1].sum() - z[-1] * ray[m]]))
        return np.concatenate(rows)

    def jacobian(z: np.ndarray) -> np.ndarray:
        matrix = np.zeros((m + c + (c > 0), len(z)))
        matrix[: m + c, :d] = slopes(z[:d])
        matrix[:m, -1] = -ray[:m]
        matrix[m : m + c, d:-1] = np.eye(c)
        if c:
            matrix[-1, d:-1] = -1.0
            matrix[-1, -1] = -ray[m]
        return matrix

    up = np.zeros(len(z0))
    up[-1] = -1.0
    answer = minimize(
        lambda z: -z[-1],
        z0,
        jac=lambda z: up,
        bounds=[(0.0, 1.0)] * d + [(0.0, None)] * (c + 1),
        constraints={"type": "ineq", "fun": constraints, "jac": jacobian},
        method="SLSQP",
        options={"maxiter": 50, "ftol": 1e-10},
    )
    x = start.copy()
    x[free] = low + np.clip(answer.x[:d], 0.0, 1.0) * wide
    return x if np.isfinite(x).all() else start


if __name__ == "__main__":
    main()
