"""Raising the precision until digits settle, differences in that precision, quadrature that knows when it is done."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache

from mpmath import mp

from oracles.grid import exact

Vector = Sequence[float]
AGREEMENT = 20  # digits that two precisions must share
VANISHED = -330  # powers of ten; smaller is 0


def settled(evaluate: Callable[[], list], start: int = 60) -> list:
    """Raise the precision until every entry of the list agrees with the last one to 20 digits, or has vanished."""
    digits, last = start, None
    while True:
        with mp.workdps(digits):
            new = evaluate()
            if last is not None and all(agree(a, b, digits) for a, b in zip(last, new, strict=True)):
                return [mp.zero if abs(v) < mp.mpf(10) ** VANISHED else v for v in new]
        last, digits = new, digits * 7 // 5
        if digits > 4000:
            raise ArithmeticError(f"no agreement up to {digits} digits: {[mp.nstr(v, 10) for v in new]}")


def agree(a, b, digits: int) -> bool:
    """Equal to 20 digits; two values count as zero only once the precision could have shown them."""
    if abs(a) < mp.mpf(10) ** VANISHED and abs(b) < mp.mpf(10) ** VANISHED:
        return digits > -1.4 * VANISHED
    return abs(a - b) <= mp.mpf(10) ** (-AGREEMENT) * abs(b)


def gradients(function: Callable[[list, list], list], mean: Vector, std: Vector) -> tuple[list, list]:
    """Central differences of a list-valued function of (mean, std): [i][k] = d function_i / d mean_k; the same for std.

    The step is 10^(-digits / 3) deviations; its error and the rounding are both 10^(-2 digits / 3).
    """
    L, shape = len(mean), []

    def slopes() -> list:
        step = mp.mpf(10) ** (-mp.dps // 3)
        out = []
        for which, k in itertools.product((0, 1), range(L)):
            sides = []
            for sign in (1, -1):
                at = [[exact(m) for m in mean], [exact(s) for s in std]]
                at[which][k] += sign * step * exact(std[k])
                sides.append(function(*at))
            out += [(up - down) / (2 * step * exact(std[k])) for up, down in zip(*sides, strict=True)]
            shape.append(len(sides[0]))
        return out

    flat = settled(slopes, start=90)
    n = shape[0]
    columns = [flat[i * n : (i + 1) * n] for i in range(2 * L)]
    return [list(row) for row in zip(*columns[:L], strict=True)], [list(row) for row in zip(*columns[L:], strict=True)]


@lru_cache(maxsize=8)
def gauss_legendre(n: int, digits: int):
    """Nodes, weights, and (2k+1)/2 w_i P_k(x_i), which give the two last Legendre coefficients of the integrand."""
    with mp.workdps(digits + 10):
        nodes, weights, tests = [], [], []
        for i in range(n):
            x = mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (n + mp.mpf(1) / 2))
            for _ in range(12):
                before, here = legendre(n, x)
                x -= here * (x**2 - 1) / (n * (x * here - before))
            before, here = legendre(n, x)
            slope = n * (x * here - before) / (x**2 - 1)
            w = 2 / ((1 - x**2) * slope**2)
            older, old = legendre(n - 1, x)
            nodes.append(x)
            weights.append(w)
            tests.append(((2 * n - 1) * w * old / 2, (2 * n - 3) * w * older / 2))
        return nodes, weights, tests


def legendre(n: int, x):
    """P_{n-1}(x) and P_n(x)."""
    before, here = mp.mpf(1), x
    for k in range(2, n + 1):
        before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
    return before, here


def integral(integrand: Callable, cuts: list, tolerance, n: int = 20) -> list:
    """Integrate a vector over the panels between the cuts, halving those whose Legendre coefficients have not died out.

    Where the last two of n coefficients are below the tolerance, the n-point rule, exact to degree 2n - 1, errs by
    about its square.
    """
    nodes, weights, tests = gauss_legendre(n, mp.dps)

    def panel(a, b):
        half, middle = (b - a) / 2, (a + b) / 2
        table = list(zip(*(integrand(middle + half * x) for x in nodes), strict=True))
        value = [half * mp.fdot(weights, row) for row in table]
        size = [half * mp.fdot(weights, [abs(v) for v in row]) for row in table]
        rest = [half * sum(abs(mp.fdot(row, t)) for t in zip(*tests, strict=True)) for row in table]
        return a, b, value, size, rest

    cuts = sorted(set(cuts))
    done, open_panels = [], [panel(a, b) for a, b in itertools.pairwise(cuts)]
    for _ in range(25):
        sizes = [mp.fsum(column) for column in zip(*(p[3] for p in done + open_panels), strict=True)]
        floor = max(sizes) * mp.mpf(10) ** (-mp.dps * 3 // 4)  # what is smaller is rounding
        limits = [max(tolerance * size, floor) for size in sizes]
        wrong = [p for p in open_panels if any(r > limit for r, limit in zip(p[4], limits, strict=True))]
        done += [p for p in open_panels if p not in wrong]
        if not wrong:
            return [mp.fsum(column) for column in zip(*(p[2] for p in done), strict=True)]
        open_panels = [panel(a, b) for p in wrong for a, b in ((p[0], (p[0] + p[1]) / 2), ((p[0] + p[1]) / 2, p[1]))]
    raise ArithmeticError("the panels do not converge")
