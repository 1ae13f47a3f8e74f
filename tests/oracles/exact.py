"""Information gains in high precision, straight from their definitions (theory 1 to 5).

Everything is maximised. One candidate, independent objectives, one sampled frontier:

    mean, std      (L,)    posterior of f at the candidate
    frontier       (S, L)  points; a coordinate +inf is a threshold (theory 4)
    delta          (L,)    deviation of a measurement's error, or one number for all objectives

The dominated region F is cut into the product grid of the frontier's distinct values: (S + 1)^L cells, each tested for
dominance against every point. That is wasteful and cannot be wrong in the way a partition can. For a cell's standardised
bounds a, b in one objective:

    z = Phi(b) - Phi(a)      p = phi(a) - phi(b)      x = a phi(a) - b phi(b)      Z = P(f in F)

Floats are taken as the exact binary numbers they are. Precision is raised until two results agree to 20 digits, so that no
tail needs a form of its own; a result below 1e-330 counts as 0. What is returned are mpmath numbers (float() them).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp

Vector = Sequence[float]
AGREEMENT = 20  # digits that two precisions must share
VANISHED = -330  # powers of ten; smaller is 0


@dataclass(frozen=True)
class Interval:
    """One interval of one objective under the standard normal: mass z, first moment p, second moment minus mass x."""

    z: mp.mpf
    p: mp.mpf
    x: mp.mpf


@dataclass(frozen=True)
class Region:
    """The sums over dominated cells from which every gain follows.

    intervals[l][s]   interval s of objective l
    others[l][s]      W_s: sum over dominated cells with interval s in objective l of the other objectives' mass
    cross[l][k]       E[z_l z_k; F], l != k
    """

    mean: list
    std: list
    intervals: list
    others: list
    cross: list

    @property
    def mass(self):
        """Z = P(f in F)."""
        return self.total(0, "z")

    def total(self, l: int, what: str):
        """Sum over the dominated cells of z, p or x of objective l times the other objectives' mass."""
        return sum(w * getattr(i, what) for w, i in zip(self.others[l], self.intervals[l], strict=True))


# ----------------------------------------------------------------------------------------------------
# the grid


def exact(value):
    """A float as the binary number it is; an mpmath number stays itself."""
    return value if isinstance(value, mp.mpf) else mp.mpf(float(value))


def levels(frontier: Sequence[Vector]) -> list[list[float]]:
    """The distinct finite values of every objective, ascending."""
    return [sorted({float(v) for v in column if not math.isinf(v)}) for column in zip(*frontier, strict=True)]


def dominated_cells(frontier: Sequence[Vector]):
    """Index tuples of the grid cells that lie in F; cell index s ends at level s, the last one at +inf."""
    ends = [[*values, math.inf] for values in levels(frontier)]
    for cell in itertools.product(*(range(len(e)) for e in ends)):
        corner = [e[s] for e, s in zip(ends, cell, strict=True)]
        if any(all(c <= q for c, q in zip(corner, point, strict=True)) for point in frontier):
            yield cell


@lru_cache(maxsize=10_000)
def normal(x, digits: int):
    """Phi(x), phi(x), x phi(x) with so many digits; the last is 0 at both infinities."""
    with mp.workdps(digits):
        pdf = mp.npdf(x)
        return mp.ncdf(x), pdf, mp.zero if mp.isinf(x) else x * pdf


def interval(a, b) -> Interval:
    """The standard normal on (a, b]."""
    (cdf_a, pdf_a, tail_a), (cdf_b, pdf_b, tail_b) = normal(a, mp.dps), normal(b, mp.dps)
    return Interval(z=cdf_b - cdf_a, p=pdf_a - pdf_b, x=tail_a - tail_b)


def region(mean: Vector, std: Vector, frontier: Sequence[Vector]) -> Region:
    """All sums, at the precision in force."""
    mu, sigma = [exact(m) for m in mean], [exact(s) for s in std]
    L = len(mu)
    intervals = []
    for l, values in enumerate(levels(frontier)):
        bounds = [-mp.inf, *((exact(v) - mu[l]) / sigma[l] for v in values), mp.inf]
        intervals.append([interval(a, b) for a, b in itertools.pairwise(bounds)])
    others = [[mp.zero] * len(row) for row in intervals]
    cross = [[mp.zero] * L for _ in range(L)]
    for cell in dominated_cells(frontier):
        parts = [intervals[l][s] for l, s in enumerate(cell)]
        for l, s in enumerate(cell):
            others[l][s] += mp.fprod(parts[k].z for k in range(L) if k != l)
        for l, k in itertools.combinations(range(L), 2):
            rest = mp.fprod(parts[j].z for j in range(L) if j not in (l, k))
            cross[l][k] += parts[l].p * parts[k].p * rest
            cross[k][l] = cross[l][k]
    return Region(mu, sigma, intervals, others, cross)


# ----------------------------------------------------------------------------------------------------
# gains from the sums, at the precision in force


def coupled_of(r: Region):
    """H[f] - H[f | F]; -log density given F is log Z + sum_l (log sigma_l + log(2 pi)/2 + z_l^2 / 2). Theorem 1."""
    L, mass = len(r.mean), r.mass
    scale = sum(mp.log(s) for s in r.std) + L * mp.log(2 * mp.pi) / 2
    square = sum(r.total(l, "z") + r.total(l, "x") for l in range(L)) / mass  # E[sum_l z_l^2 | F]
    before = L * mp.mpf(1) / 2 + scale
    after = mp.log(mass) + scale + square / 2
    return before - after


def decoupled_of(r: Region, l: int):
    """H[f_l] - H[f_l | F]; the density of f_l given F is N(f_l; mu_l, sigma_l^2) W_s / Z on interval s. Theorem 2."""
    mass, scale = r.mass, mp.log(r.std[l]) + mp.log(2 * mp.pi) / 2
    before = mp.mpf(1) / 2 + scale
    after = mp.zero
    for w, i in zip(r.others[l], r.intervals[l], strict=True):
        if w > 0:
            after += w / mass * ((mp.log(mass) + scale - mp.log(w)) * i.z + (i.z + i.x) / 2)
    return before - after


def moments_of(r: Region):
    """Mean (list) and covariance (mp.matrix) of z = (f - mu) / sigma given F."""
    L, mass = len(r.mean), r.mass
    first = [r.total(l, "p") / mass for l in range(L)]
    covariance = mp.matrix(L, L)
    for l, k in itertools.product(range(L), repeat=2):
        second = (r.total(l, "z") + r.total(l, "x") if l == k else r.cross[l][k]) / mass
        covariance[l, k] = second - first[l] * first[k]
    return first, covariance


def coupled_matched_of(r: Region, delta):
    """1/2 log det(Sigma + D) - 1/2 log det(Cov[f | F] + D). Theory 4."""
    L, noise = len(r.mean), errors(delta, len(r.mean))
    _, covariance = moments_of(r)
    before, after = mp.matrix(L, L), mp.matrix(L, L)
    for l, k in itertools.product(range(L), repeat=2):
        after[l, k] = covariance[l, k] * r.std[l] * r.std[k]
    for l in range(L):
        before[l, l] = r.std[l] ** 2 + noise[l] ** 2
        after[l, l] += noise[l] ** 2
    return (mp.log(determinant(before)) - mp.log(determinant(after))) / 2


def decoupled_matched_of(r: Region, delta, l: int):
    """1/2 log(sigma_l^2 + delta_l^2) - 1/2 log(Var[f_l | F] + delta_l^2)."""
    noise = errors(delta, len(r.mean))[l] ** 2
    first, mass = r.total(l, "p") / r.mass, r.mass
    variance = (r.total(l, "z") + r.total(l, "x")) / mass - first**2
    return (mp.log(r.std[l] ** 2 + noise) - mp.log(variance * r.std[l] ** 2 + noise)) / 2


def determinant(matrix):
    """By Laplace expansion: L is at most 4, and no pivot can vanish."""
    if matrix.rows == 1:
        return matrix[0, 0]
    total = mp.zero
    for k in range(matrix.rows):
        minor = mp.matrix([[matrix[i, j] for j in range(matrix.rows) if j != k] for i in range(1, matrix.rows)])
        total += (-1) ** k * matrix[0, k] * determinant(minor)
    return total


def errors(delta, L: int) -> list:
    """One deviation of the measurement per objective."""
    return [exact(delta)] * L if isinstance(delta, float | int | mp.mpf) else [exact(d) for d in delta]


# ----------------------------------------------------------------------------------------------------
# precision


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
    """Central differences of a list-valued function of (mean, std): rows [i][k] = d function_i / d mean_k; the same for std.

    The step is 10^(-digits / 3) deviations; its error and the rounding are both 10^(-2 digits / 3), beyond the 20 digits wanted.
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


# ----------------------------------------------------------------------------------------------------
# the oracles


def mass(mean, std, frontier):
    """Z = P(f in F)."""
    return settled(lambda: [region(mean, std, frontier).mass])[0]


def coupled(mean, std, frontier):
    """H[f] - H[f | f in F] (Theorem 1)."""
    return settled(lambda: [coupled_of(region(mean, std, frontier))])[0]


def decoupled(mean, std, frontier, l: int):
    """H[f_l] - H[f_l | f in F] (Theorem 2)."""
    return settled(lambda: [decoupled_of(region(mean, std, frontier), l)])[0]


def moments(mean, std, frontier):
    """Mean (L,) and covariance (L, L), as nested lists, of z = (f - mean) / std given f in F."""
    L = len(mean)

    def evaluate() -> list:
        first, covariance = moments_of(region(mean, std, frontier))
        return [*first, *covariance]

    flat = settled(evaluate)
    return flat[:L], [flat[L + l * L : L + (l + 1) * L] for l in range(L)]


def coupled_matched(mean, std, frontier, delta):
    """The moment-matched lower bound on the information of a measurement of all objectives (theory 4)."""
    return settled(lambda: [coupled_matched_of(region(mean, std, frontier), delta)])[0]


def decoupled_matched(mean, std, frontier, delta, l: int):
    """The moment-matched lower bound on the information of a measurement of objective l."""
    return settled(lambda: [decoupled_matched_of(region(mean, std, frontier), delta, l)])[0]


def capacity(std, delta):
    """1/2 sum_l log(1 + sigma_l^2 / delta_l^2): no measurement can tell more (theory 4)."""
    with mp.workdps(60):
        pairs = zip(std, errors(delta, len(std)), strict=True)
        return sum(mp.log1p((exact(s) / d) ** 2) for s, d in pairs) / 2


def coupled_gradient(mean, std, frontier):
    """d coupled / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [coupled_of(region(m, s, frontier))], mean, std)
    return d_mean[0], d_std[0]


def decoupled_gradient(mean, std, frontier, l: int):
    """d decoupled_l / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [decoupled_of(region(m, s, frontier), l)], mean, std)
    return d_mean[0], d_std[0]


def coupled_matched_gradient(mean, std, frontier, delta):
    """d coupled_matched / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [coupled_matched_of(region(m, s, frontier), delta)], mean, std)
    return d_mean[0], d_std[0]


def decoupled_matched_gradient(mean, std, frontier, delta, l: int):
    """d decoupled_matched_l / d mean (L,) and d std (L,)."""
    d_mean, d_std = gradients(lambda m, s: [decoupled_matched_of(region(m, s, frontier), delta, l)], mean, std)
    return d_mean[0], d_std[0]


# ----------------------------------------------------------------------------------------------------
# one noisy objective, exactly (theory 5)
#
#   y = f_l + e, s^2 = sigma^2 + delta^2, kappa = sigma/s, c = delta/s, u = (y - mu)/s. With the levels v_t of objective l,
#   alpha_t = (v_t - mu)/sigma and D_t >= 0 the drop of W at v_t (a threshold is the level +inf),
#
#       density of y given F:  q(y) = phi(u)/s * N(u)/Z,   N = sum_t D_t Phi(beta_t),   beta_t = (alpha_t - kappa u)/c
#                                                          Z = sum_t D_t Phi(alpha_t)
#
#   Z not small: gain = kappa^2/2 (1 - E[z_l^2 | F]) + integral of phi(u) h(eps) du, eps = N/Z - 1, h = (1 + eps) log(1 + eps) - eps
#                (the integral of phi eps is 0: subtracting it leaves terms of one sign, accurate relative to themselves)
#   Z small:     gain = integral of q log(q s sqrt(2 pi e)) dy as it stands: on the scale of q nothing is large


@dataclass(frozen=True)
class Slice:
    """Objective l of a region as seen by a measurement; rates[i] are the derivatives by parameter i (means, then stds)."""

    mu: mp.mpf
    sigma: mp.mpf
    delta: mp.mpf
    values: list  # (T,) levels
    alpha: list  # (T,)
    drop: list  # (T,) D, scaled to sum to 1
    rates: list  # (2L, T) of D on the same scale; 0 for objective l itself
    l: int

    @property
    def s(self):
        """Deviation of y."""
        return mp.sqrt(self.sigma**2 + self.delta**2)


def slice_of(mean, std, frontier, delta, l: int) -> Slice:
    """Drops by grouping the dominated cells: the other objectives' cell ends, in objective l, at its highest dominated level."""
    L = len(mean)
    r = region(mean, std, frontier)
    top: dict[tuple, int] = {}
    for cell in dominated_cells(frontier):
        rest = cell[:l] + cell[l + 1 :]
        top[rest] = max(top.get(rest, -1), cell[l])
    values = [*(exact(v) for v in levels(frontier)[l]), mp.inf]
    drop = [mp.zero] * len(values)
    rates = [[mp.zero] * len(values) for _ in range(2 * L)]
    for rest, s in top.items():
        parts = {k: r.intervals[k][i] for k, i in zip((k for k in range(L) if k != l), rest, strict=True)}
        drop[s] += mp.fprod(i.z for i in parts.values())
        for k, part in parts.items():
            others = mp.fprod(i.z for j, i in parts.items() if j != k) / r.std[k]
            rates[k][s] += part.p * others
            rates[L + k][s] += part.x * others
    keep = [t for t, d in enumerate(drop) if d > 0]
    total = sum(drop)
    return Slice(
        mu=r.mean[l],
        sigma=r.std[l],
        delta=errors(delta, L)[l],
        values=[values[t] for t in keep],
        alpha=[(values[t] - r.mean[l]) / r.std[l] for t in keep],
        drop=[drop[t] / total for t in keep],
        rates=[[row[t] / total for t in keep] for row in rates],
        l=l,
    )


def decoupled_noisy_all(mean, std, frontier, delta, l: int) -> list:
    """The gain of a noisy measurement of objective l and its derivatives by the L means and the L stds: (1 + 2 L,)."""
    with mp.workdps(400):  # drops of 1e-200 keep their digits
        view = slice_of(mean, std, frontier, delta, l)
        mass = sum(d * mp.ncdf(a) for d, a in zip(view.drop, view.alpha, strict=True))
    reach = max([1, *(abs(a) for a in view.alpha if not mp.isinf(a))])
    with mp.workdps(50 + int(2 * mp.log10(reach) + 2 * mp.log10(1 + view.delta / view.sigma))):
        form = noisy_relative if mass > 1e-3 else noisy_direct
        return form(view, len(mean))


def decoupled_noisy(mean, std, frontier, delta, l: int):
    """H[y_l] - H[y_l | F], y_l = f_l + N(0, delta_l^2), delta_l > 0."""
    return decoupled_noisy_all(mean, std, frontier, delta, l)[0]


def decoupled_noisy_gradient(mean, std, frontier, delta, l: int):
    """d decoupled_noisy_l / d mean (L,) and d std (L,), differentiated under the integral sign."""
    flat = decoupled_noisy_all(mean, std, frontier, delta, l)
    return flat[1 : 1 + len(mean)], flat[1 + len(mean) :]


def noisy_relative(view: Slice, L: int) -> list:
    """Z not small: everything in u, which does not depend on the parameters."""
    s, alpha, D = view.s, view.alpha, view.drop
    kappa, c, sigma = view.sigma / s, view.delta / s, view.sigma
    d_kappa = c**2 / s  # by sigma
    head = [standard(a) for a in alpha]
    Z = sum(d * h.cdf for d, h in zip(D, head, strict=True))
    A = sum(d * h.tail for d, h in zip(D, head, strict=True))  # Z (1 - E[z_l^2 | F])
    finite = [t for t, a in enumerate(alpha) if not mp.isinf(a)]
    d_alpha = {view.l: {t: -1 / sigma for t in finite}, L + view.l: {t: -alpha[t] / sigma for t in finite}}

    dZ, dA = [], []
    for i in range(2 * L):
        if i in d_alpha:
            dZ.append(sum(D[t] * head[t].pdf * d for t, d in d_alpha[i].items()))
            dA.append(sum(D[t] * head[t].pdf * (1 - alpha[t] ** 2) * d for t, d in d_alpha[i].items()))
        else:
            dZ.append(sum(d * h.cdf for d, h in zip(view.rates[i], head, strict=True)))
            dA.append(sum(d * h.tail for d, h in zip(view.rates[i], head, strict=True)))

    def integrand(u) -> list:
        beta = [(a - kappa * u) / c for a in alpha]
        at = [standard(b) for b in beta]
        rise = [difference(b, h) for b, h in zip(at, head, strict=True)]  # Phi(beta) - Phi(alpha)
        eps = sum(d * v for d, v in zip(D, rise, strict=True)) / Z
        log_r, weight = mp.log1p(eps), mp.npdf(u)
        out = [weight * excess(eps)]
        for i in range(2 * L):
            if i in d_alpha:
                bend = d_kappa if i >= L else mp.zero
                d_beta = {t: (d - bend * u) / c + beta[t] * kappa / c**2 * bend for t, d in d_alpha[i].items()}
                dN = sum(D[t] * at[t].pdf * d for t, d in d_beta.items())
                slope = dN - (1 + eps) * dZ[i]
            else:
                slope = sum(d * (v - eps * h.cdf) for d, v, h in zip(view.rates[i], rise, head, strict=True))
            out.append(weight * log_r * slope / Z)
        return out

    first = [kappa**2 / 2 * A / Z]
    for i in range(2 * L):
        bend = d_kappa if i == L + view.l else mp.zero
        first.append(kappa * bend * A / Z + kappa**2 / 2 * (dA[i] / Z - A * dZ[i] / Z**2))
    smallest = kappa**2 * sum(d * abs(h.tail) for d, h in zip(D, head, strict=True)) + mp.mpf(10) ** -400
    reach = mp.sqrt(2 * (90 - mp.log(min(smallest, 1))))
    cuts = [2 * k for k in range(-int(reach / 2) - 1, int(reach / 2) + 2)]
    for t in finite:
        cuts += around(alpha[t] / kappa, c / kappa, 2, both=True)
    second = integral(integrand, [x for x in cuts if abs(x) <= reach], mp.mpf(10) ** -11)
    return [a + b for a, b in zip(first, second, strict=True)]


def noisy_direct(view: Slice, L: int) -> list:
    """Z small: everything in y."""
    s, alpha, D = view.s, view.alpha, view.drop
    kappa, c, sigma = view.sigma / s, view.delta / s, view.sigma
    head = [standard(a) for a in alpha]
    Z = sum(d * h.cdf for d, h in zip(D, head, strict=True))
    own = {view.l: [-1 / sigma] * len(D), L + view.l: [-a / sigma for a in alpha]}
    d_logs = {view.l: mp.zero, L + view.l: kappa / s}

    dZ = []
    for i in range(2 * L):
        if i in own:
            dZ.append(sum(d * h.pdf * rate for d, h, rate in zip(D, head, own[i], strict=True)))
        else:
            dZ.append(sum(d * h.cdf for d, h in zip(view.rates[i], head, strict=True)))
    constant = -mp.log(2 * mp.pi) / 2 - mp.log(s)
    entropy = (mp.log(2 * mp.pi) + 1) / 2 + mp.log(s)

    def integrand(y) -> list:
        u = (y - view.mu) / s
        beta = [(a - kappa * u) / c for a in alpha]
        at = [standard(b) for b in beta]
        N = sum(d * v.cdf for d, v in zip(D, at, strict=True))
        log_q = constant - u**2 / 2 + mp.log(N) - mp.log(Z)
        q = mp.exp(log_q)
        out = [q * (log_q + entropy)]
        for i in range(2 * L):
            slope = -dZ[i] / Z
            if i == view.l:
                slope += u / s + sum(d * v.pdf for d, v in zip(D, at, strict=True)) * (-c / sigma) / N
            elif i == L + view.l:
                bend = [(-a / sigma + u * (kappa**2 - c**2) / s) / c + b * kappa / s for a, b in zip(alpha, beta, strict=True)]
                slope += u**2 * kappa / s - kappa / s
                slope += sum(d * v.pdf * g for d, v, g in zip(D, at, bend, strict=True)) / N
            else:
                slope += sum(d * v.cdf for d, v in zip(view.rates[i], at, strict=True)) / N
            out.append(q * slope * (log_q + entropy))
        return out

    cuts = []
    for v, a in zip(view.values, alpha, strict=True):
        deep = sigma * (-abs(a) + mp.sqrt(a**2 + 160) if a < 0 else a + mp.sqrt(160))  # f | F ends, to e^-80, so far below v
        noise = mp.sqrt(160) * view.delta
        cuts += [v - deep - noise, v + noise, *(v + view.delta * k for k in (-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9))]
        cuts += [v - deep * mp.mpf(k) / 16 for k in range(1, 16)]
    out = integral(integrand, cuts, mp.mpf(10) ** -11 * min(1, kappa))
    return [out[0], *(v + d_logs.get(i, 0) for i, v in enumerate(out[1:]))]


@dataclass(frozen=True)
class Standard:
    """Phi, 1 - Phi, phi and x phi(x), each accurate relative to itself."""

    cdf: mp.mpf
    survival: mp.mpf
    pdf: mp.mpf
    tail: mp.mpf


def standard(x) -> Standard:
    """The standard normal at x; one error function only, for the smaller tail."""
    if mp.isinf(x):
        return Standard(mp.mpf(x > 0), mp.mpf(x < 0), mp.zero, mp.zero)
    small, pdf = mp.erfc(abs(x) / mp.sqrt(2)) / 2, mp.npdf(x)
    return Standard(small if x < 0 else 1 - small, 1 - small if x < 0 else small, pdf, x * pdf)


def difference(b: Standard, a: Standard):
    """Phi(b) - Phi(a), by upper tails where those are the smaller."""
    return a.survival - b.survival if min(a.cdf, b.cdf) > 0.5 else b.cdf - a.cdf


def excess(eps):
    """(1 + eps) log(1 + eps) - eps, by its series where that would cancel."""
    if abs(eps) > 1e-6:
        return (1 + eps) * mp.log1p(eps) - eps if eps > -1 else -eps
    return sum((-1) ** k * eps**k / (k * (k - 1)) for k in range(2, 2 + mp.dps // 6 + 2))


def around(centre, scale, widest, both: bool) -> list:
    """Points at growing distances from a centre, until they are as far apart as the widest panel."""
    steps = [scale * k for k in (0, 1, 2, 3.5, 6, 9, 13, 18, 25, 35, 50) if scale * k < 4 * widest]
    return [centre + d for d in steps] + [centre - d for d in steps if both]


@lru_cache(maxsize=8)
def gauss_legendre(n: int, digits: int):
    """Nodes, weights, and the Legendre values (2k+1)/2 w_i P_k(x_i) that give the two last coefficients of the integrand."""
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

    If the last two of n coefficients are below the tolerance, the n-point rule, exact to degree 2n - 1, errs by about its square.
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
    for _ in range(40):
        sizes = [mp.fsum(column) for column in zip(*(p[3] for p in done + open_panels), strict=True)]
        floor = max(sizes) * mp.mpf(10) ** (12 - mp.dps)
        limits = [tolerance * max(size, floor) for size in sizes]
        wrong = [p for p in open_panels if any(r > limit for r, limit in zip(p[4], limits, strict=True))]
        done += [p for p in open_panels if p not in wrong]
        if not wrong:
            return [mp.fsum(column) for column in zip(*(p[2] for p in done), strict=True)]
        open_panels = [panel(a, b) for p in wrong for a, b in ((p[0], (p[0] + p[1]) / 2), ((p[0] + p[1]) / 2, p[1]))]
    raise ArithmeticError("the panels do not converge")
