"""What a noisy measurement tells, by quadrature (theory 5): one objective exactly, two together in double precision.

y = f_l + e, e ~ N(0, delta^2), s^2 = sigma^2 + delta^2, kappa = sigma/s, c = delta/s, u = (y - mu)/s. With the levels
v_t of objective l, alpha_t = (v_t - mu)/sigma, and D_t >= 0 the drop of W at v_t (a threshold is the level +inf), the
density of y given F is

    q(y) = phi(u)/s * N(u)/Z,   N = sum_t D_t Phi(beta_t),  beta_t = (alpha_t - kappa u)/c,   Z = sum_t D_t Phi(alpha_t)

Z not small: gain = kappa^2/2 (1 - E[z_l^2 | F]) + integral of phi(u) h(eps) du,
             eps = N/Z - 1,  h = (1 + eps) log(1 + eps) - eps.
             The integral of phi eps is 0; subtracting it leaves h >= 0, so that the sum is accurate relative to itself.
Z small:     gain = integral of q log(q s sqrt(2 pi e)) dy as it stands; where the mass of q lies, no term is large.

The one-dimensional integrals are good to 15 digits or more, their derivatives taken under the integral sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mpmath import mp
from scipy.special import log_ndtr

from oracles.grid import dominated_cells, errors, exact, levels, region
from oracles.precision import integral


@dataclass(frozen=True)
class Slice:
    """Objective l of a region as a measurement sees it; rates[i] are derivatives by parameter i (means, then stds)."""

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

    @property
    def reach(self):
        """How many deviations away the farthest level is, at least 1."""
        return max([mp.one, *(abs(a) for a in self.alpha if not mp.isinf(a))])


def slice_of(mean, std, frontier, delta, l: int) -> Slice:
    """Drops by grouping the dominated cells: a cell of the other objectives ends at its highest dominated level."""
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
    alpha = [(v - r.mean[l]) / r.std[l] for v in values]
    weight = [d * mp.ncdf(a) / r.mass for d, a in zip(drop, alpha, strict=True)]
    keep = [t for t, w in enumerate(weight) if w > mp.mpf(10) ** -400]  # the others can hold no mass of y given F
    total = sum(drop[t] for t in keep)
    return Slice(
        mu=r.mean[l],
        sigma=r.std[l],
        delta=errors(delta, L)[l],
        values=[values[t] for t in keep],
        alpha=[alpha[t] for t in keep],
        drop=[drop[t] / total for t in keep],
        rates=[[row[t] / total if len(keep) > 1 else mp.zero for t in keep] for row in rates],  # one level: weight 1
        l=l,
    )


def decoupled_noisy_all(mean, std, frontier, delta, l: int) -> list:
    """The gain of a noisy measurement of objective l and its derivatives by the L means and the L stds: (1 + 2 L,)."""
    L = len(mean)
    with mp.workdps(400):  # drops of 1e-200 keep their digits
        view = slice_of(mean, std, frontier, delta, l)
        mass = sum(d * mp.ncdf(a) for d, a in zip(view.drop, view.alpha, strict=True))
    with mp.workdps(50 + int(4 * mp.log10(view.reach) + 4 * mp.log10(view.s / view.sigma))):
        if mass > 1e-3:
            return noisy_relative(view, L)
        out = noisy_direct(view, L)
        hidden = abs(out[0]) < 1e-10 * (view.sigma / view.s) ** 2  # a level inside, under much likelier ones above
        return noisy_relative(view, L) if hidden else out


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
    d_alpha = {view.l: dict.fromkeys(finite, -1 / sigma), L + view.l: {t: -alpha[t] / sigma for t in finite}}

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
        log_r = mp.log1p(eps) if eps > -0.5 else mp.log(sum(d * v.cdf for d, v in zip(D, at, strict=True)) / Z)
        weight = mp.npdf(u)
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
    smallest = kappa**2 * sum(d * (abs(h.tail) + h.survival) for d, h in zip(D, head, strict=True)) + mp.mpf(10) ** -400
    reach = max(15 - min(0, *alpha), mp.sqrt(2 * (90 - mp.log(min(smallest, 1)))))
    cuts = [2 * k for k in range(-int(reach / 2) - 1, int(reach / 2) + 2)]
    for t in finite:
        cuts += around(alpha[t] / kappa, c / kappa, 2, both=True)
    cuts = spaced([x for x in cuts if abs(x) <= reach], min(1, c / kappa) / 2)
    second = integral(integrand, cuts, mp.mpf(10) ** -11)
    gain, *slopes = [a + b for a, b in zip(first, second, strict=True)]
    for i, row in enumerate(view.rates):  # no digits are left of a slope that is smaller than the rounding of its terms
        if i not in d_alpha and abs(slopes[i]) < mp.mpf(10) ** (5 - mp.dps) * sum(abs(d) for d in row) * abs(gain):
            slopes[i] = mp.zero
    return [gain, *slopes]


def noisy_direct(view: Slice, L: int) -> list:
    """Z small: everything in y."""
    s, alpha, D = view.s, view.alpha, view.drop
    kappa, c, sigma = view.sigma / s, view.delta / s, view.sigma
    head = [standard(a) for a in alpha]
    Z = sum(d * h.cdf for d, h in zip(D, head, strict=True))
    finite = [mp.zero if mp.isinf(a) else a for a in alpha]  # phi = 0 at a threshold, so any number will do
    own = {view.l: [-1 / sigma] * len(D), L + view.l: [-a / sigma for a in finite]}
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
                twist = u * (kappa**2 - c**2) / s
                bend = [(-a / sigma + twist) / c + (a - kappa * u) / c * kappa / s for a in finite]
                slope += u**2 * kappa / s - kappa / s
                slope += sum(d * v.pdf * g for d, v, g in zip(D, at, bend, strict=True)) / N
            else:
                slope += sum(d * v.cdf for d, v in zip(view.rates[i], at, strict=True)) / N
            out.append(q * slope * (log_q + entropy))
        return out

    far = 2 * (70 - 4 * mp.log(kappa) + 4 * mp.log(view.reach))  # densities of e^(-far/2) are not looked at
    cuts = []
    for v, a in zip(view.values, alpha, strict=True):
        if mp.isinf(a):
            cuts += [view.mu + s * k for k in range(-14, 15)]
            continue
        deep = sigma * (a + mp.sqrt(a**2 + far) if a < 0 else a + mp.sqrt(far))  # how far below v f given F ends
        noise = mp.sqrt(far) * view.delta
        cuts += [v - deep - noise, v + noise, *(v + view.delta * k for k in (-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9))]
        cuts += [v - deep * mp.mpf(k) / 16 for k in range(1, 16)]
    tolerance = (
        mp.mpf(10) ** -11 * kappa / view.reach
    )  # the gain is of order kappa^2, its slopes fall with the distance
    out = integral(integrand, spaced(cuts, view.delta / 2), tolerance, n=int(-20 * mp.log10(tolerance) / 11))
    rounding = mp.mpf(10) ** (-mp.dps * 3 // 5)
    slopes = [v + d_logs.get(i, 0) for i, v in enumerate(out[1:])]
    scale = max(abs(v) for v in slopes)
    return [out[0], *(mp.zero if abs(v) < rounding * scale else v for v in slopes)]


def spaced(cuts, narrowest) -> list:
    """Ascending cuts without those that lie closer to the last one than the narrowest panel; the two ends stay."""
    cuts = sorted(cuts)
    kept = cuts[:1]
    for x in cuts[1:]:
        if x - kept[-1] > narrowest:
            kept.append(x)
    return [*kept[:-1], cuts[-1]]


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


# ----------------------------------------------------------------------------------------------------
# two noisy objectives, in double precision


def coupled_noisy(mean, std, frontier, delta, n: int = 12) -> float:
    """H[y] - H[y | F] for L = 2, y = f + N(0, diag(delta^2)), delta > 0, on products of Gauss panels with n nodes each.

    About twelve digits, of itself deep inside, of 1 when the mean lies above; compare two n to see how many.
    """
    mu, sigma, noise = (np.array([float(v) for v in row]) for row in (mean, std, errors(delta, 2)))
    bounds = [np.array([-np.inf, *values, np.inf]) for values in levels(frontier)]
    inside = np.zeros([len(b) - 1 for b in bounds], dtype=bool)
    for cell in dominated_cells(frontier):
        inside[cell] = True
    with mp.workdps(400):
        r = region(mean, std, frontier)
        mass, outside = float(r.mass), float(1 - r.mass)
        log_mass = float(mp.log(r.mass))
        shrink = sigma**2 / (sigma**2 + noise**2)
        heads = [float(-r.total(l, "x") / r.mass) * shrink[l] / 2 for l in range(2)]
    if mass <= 1e-3:
        return direct_sum([Axis.of_y(*row, n) for row in zip(bounds, mu, sigma, noise, strict=True)], inside, log_mass)
    reach = np.sqrt(2 * (50 - np.log(min(1.0, max(1e-20 * outside, sum(abs(v) for v in heads))))))
    axes = [Axis.of_u(*row, n, reach) for row in zip(bounds, mu, sigma, noise, strict=True)]
    return sum(heads) + relative_sum(axes, inside, mass, outside)


@dataclass(frozen=True)
class Axis:
    """Nodes of one objective: weight (n,), log N(y; mu, s^2) (n,), log P(f in interval | y) (K, n), deviation of y."""

    weight: np.ndarray
    log_prior: np.ndarray
    logs: np.ndarray
    s: float

    @staticmethod
    def of_u(bounds, mu, sigma, delta, n: int, reach: float) -> Axis:
        """Panels over the prior of y, fine where a level is crossed."""
        s = np.hypot(sigma, delta)
        steps = np.array([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 13])
        offsets = np.concatenate([-steps, [0.0], steps]) * delta * s / sigma
        cuts = [mu + s * np.arange(-np.ceil(reach), np.ceil(reach) + 0.5, 0.5)]
        cuts += [v + (v - mu) * (delta / sigma) ** 2 + offsets for v in bounds[1:-1]]  # E[f | y] = v
        cuts = np.concatenate(cuts)
        cuts = cuts[np.abs(cuts - mu) <= s * (reach + 1)]
        return Axis.at(*panels(cuts, min(0.25 * s, 0.25 * delta * s / sigma), n), bounds, (mu, sigma, delta))

    @staticmethod
    def of_y(bounds, mu, sigma, delta, n: int) -> Axis:
        """Panels where y given F can be when the mean lies above: the prior, noise at each level, the tail below it."""
        cuts = [mu + np.hypot(sigma, delta) * np.arange(-10, 10.5, 0.5)]  # for a threshold, or a level above the mean
        for v in bounds[1:-1]:
            a = (v - mu) / sigma
            deep = sigma * (np.sqrt(a**2 + 90) - abs(a) if a < 0 else a + np.sqrt(90))
            noise = delta * np.array([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9.5])
            cuts += [v + noise, v - noise, v - deep - noise, v - deep * np.linspace(0, 1, 24)]
        cuts = np.concatenate(cuts)
        return Axis.at(*panels(cuts, 0.2 * delta, n), bounds, (mu, sigma, delta))

    @staticmethod
    def at(y, weight, bounds, law) -> Axis:
        """The axis with these nodes."""
        mu, sigma, delta = law
        s = np.hypot(sigma, delta)
        u = (y - mu) / s
        beta = ((bounds[:, None] - mu) / sigma - sigma / s * u) * s / delta
        log_prior = -(u**2) / 2 - np.log(2 * np.pi) / 2 - np.log(s)
        return Axis(weight, log_prior, interval_logs(beta), s)


def panels(cuts, narrowest: float, n: int):
    """Gauss-Legendre nodes and weights between the cuts."""
    kept = np.array(spaced(cuts, narrowest))
    left, right = kept[:-1], kept[1:]
    x, w = np.polynomial.legendre.leggauss(n)
    y = (left + right)[:, None] / 2 + (right - left)[:, None] / 2 * x
    return y.ravel(), ((right - left)[:, None] / 2 * w).ravel()


def interval_logs(x: np.ndarray) -> np.ndarray:
    """log(Phi(x[k+1]) - Phi(x[k])) along the first axis, from the smaller tail."""
    flip = x[:-1] > 0
    far, near = np.where(flip, -x[1:], x[:-1]), np.where(flip, -x[:-1], x[1:])
    with np.errstate(divide="ignore"):
        top = log_ndtr(near)
        return top + np.log1p(-np.exp(log_ndtr(far) - top))


def relative_sum(axes, inside, mass: float, outside: float) -> float:
    """Integral of the prior of y times h(eps)."""
    first, second = (np.exp(a.logs) for a in axes)
    weights = [a.weight * np.exp(a.log_prior) for a in axes]
    total = 0.0
    for rows in np.array_split(np.arange(first.shape[1]), max(1, first.shape[1] // 200)):
        not_in = first[:, rows].T @ (~inside).astype(float) @ second
        ratio = first[:, rows].T @ inside.astype(float) @ second / mass
        eps = np.where(not_in > 0.5, ratio - 1, (outside - not_in) / mass)
        tiny = np.abs(eps) < 1e-4
        series = eps**2 * (1 / 2 - eps * (1 / 6 - eps * (1 / 12 - eps * (1 / 20 - eps / 30))))
        log_ratio = np.where(not_in > 0.5, np.log(np.maximum(ratio, 1e-300)), np.log1p(np.maximum(eps, -0.9)))
        h = np.where(tiny, series, (1 + eps) * log_ratio - eps)
        total += weights[0][rows] @ h @ weights[1]
    return float(total)


def direct_sum(axes, inside, log_mass: float) -> float:
    """Integral of q log(q / scale)."""
    entropy = sum(np.log(a.s) + (np.log(2 * np.pi) + 1) / 2 for a in axes)
    log_p = [(a.log_prior + a.logs) for a in axes]  # (K, n): log of N(y) P(f in interval | y)
    rows_used = np.flatnonzero(inside.any(1))
    beside = [np.logaddexp.reduce(log_p[1][inside[k]], axis=0) for k in rows_used]  # objective 2 next to interval k
    total = mass = 0.0
    for rows in np.array_split(np.arange(log_p[0].shape[1]), max(1, log_p[0].shape[1] // 200)):
        log_q = np.full((len(rows), log_p[1].shape[1]), -np.inf)
        for k, other in zip(rows_used, beside, strict=True):
            log_q = np.logaddexp(log_q, log_p[0][k, rows, None] + other)
        log_q = np.maximum(log_q - log_mass, -1e4)  # 0 log 0 = 0
        q = np.exp(log_q)
        total += axes[0].weight[rows] @ (q * (log_q + entropy)) @ axes[1].weight
        mass += axes[0].weight[rows] @ q @ axes[1].weight
    if abs(mass - 1) > 1e-9:
        raise ArithmeticError(f"the panels miss part of y given F: mass {mass}")
    return float(total)
