"""noisy_marginal against mpmath: theory 5 by its definition, differentiated under the integral, in every regime."""

import itertools
import math
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from pfes.compiled import kernel
from pfes.information.kernels.mixture import noisy_marginal
from pfes.normal import cdf, truncate


@kernel
def measure(weight, alpha, rho2, noise2, d_weight, d_alpha):
    return noisy_marginal(weight, alpha, rho2, noise2, d_weight, d_alpha)


def fixed(values):
    array = np.array(values, float)
    array.setflags(write=False)
    return array


def evaluate(weight, alpha, noise2, rho2=None):
    """Gain, d/drho2, d/dweight (made to average 0, as the weights sum to 1) and d/dalpha."""
    weight, alpha = fixed(weight), fixed(alpha)
    d_weight, d_alpha = np.full((2, weight.size), np.nan)
    gain, d_rho2 = measure(weight, alpha, 1.0 - noise2 if rho2 is None else rho2, noise2, d_weight, d_alpha)
    return gain, d_rho2, d_weight - weight @ d_weight, d_alpha


# ----------------------------------------------------------------------------------------------------
# the oracle

PANEL = 20


@lru_cache
def legendre(digits):
    """Gauss-Legendre nodes and weights on (-1, 1), so many digits."""
    rule = []
    for start in np.polynomial.legendre.leggauss(PANEL)[0]:
        x = mp.mpf(float(start))
        for _ in range(6):
            p = mp.legendre(PANEL, x)
            slope = PANEL * (x * p - mp.legendre(PANEL - 1, x)) / (x * x - 1)
            x -= p / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


def cut(low, high, wide, fine, zones):
    """Ends of panels from low to high: fine within the zones, wide elsewhere."""
    ends = [low]
    while ends[-1] < high:
        at = ends[-1]
        inside = any(a <= at < b for a, b in zones)
        ends.append(min(at + fine if inside else min([at + wide, *(a for a, _ in zones if a > at)]), high))
    return list(itertools.pairwise(ends))


def panels(alpha, rho, s):
    """Panels over the w where phi or some q_t counts."""
    finite = [a for a in alpha if not mp.isinf(a)]
    zones = [(min(rho * a, a / rho) - 12 * s / rho, max(rho * a, a / rho) + 12 * s / rho) for a in finite]
    if min(alpha) > -4:
        top = max([mp.zero, *finite])
        return cut(mp.mpf(-10), mp.sqrt(top * top + 90), mp.one, s, zones)
    spans = []
    for a in sorted(finite):
        tail = 150 / (mp.sqrt(a * a + 150) - a)  # e^-75: what a shift moves is 1 / alpha^2 of what it cancels
        span = (rho * (a - tail) - 12 * s, rho * a + 12 * s) if a < 0 else (mp.mpf(-12), mp.mpf(12))
        if spans and span[0] <= spans[-1][1]:
            span = (min(spans[-1][0], span[0]), max(spans.pop()[1], span[1]))
        spans.append(span)
    return [panel for low, high in spans for panel in cut(low, high, min(mp.one, 5 / (1 - low)), s, zones)]


def reference(weight, alpha, noise2, rho2=None):
    """What evaluate gives, from H[w] - H[w | F]; against phi if that loses nothing, by plain entropies far above."""
    worst = max(40.0, -min(alpha))
    with mp.workdps(30 + int(3 * math.log10(worst / 40.0))):
        pi = [mp.mpf(float(w)) / mp.fsum(map(float, weight)) for w in weight]
        alpha = [mp.mpf(float(a)) for a in alpha]
        noise2 = mp.mpf(noise2) if rho2 is None else 1 - mp.mpf(rho2)
        near = min(alpha) > -4
        rho, s, slots = mp.sqrt(1 - noise2), mp.sqrt(noise2), range(len(pi))
        mass = [mp.ncdf(a) for a in alpha]
        upper = [mp.ncdf(-a) for a in alpha]
        hazard = [mp.npdf(a) / p for a, p in zip(alpha, mass, strict=True)]
        gain, d_rho = mp.zero, mp.zero
        d_weight, d_alpha = [mp.zero for _ in slots], [mp.zero for _ in slots]
        for low, high in panels(alpha, rho, s):
            for x, share in legendre(mp.dps):
                w = (low + high) / 2 + (high - low) / 2 * x
                weighed = share * (high - low) / 2 * mp.npdf(w)
                u = [(a - rho * w) / s for a in alpha]
                tails = [mp.ncdf(-v) for v in u]
                ratio = [(1 - v if v < 0.9 else mp.ncdf(y)) / p for v, y, p in zip(tails, u, mass, strict=True)]
                total = mp.fdot(pi, ratio)
                if total == 0:
                    gain += weighed if near else 0
                    continue
                eps = mp.fsum(c * (q - v) / p for c, q, v, p in zip(pi, upper, tails, mass, strict=True))
                if near:
                    told = mp.log1p(eps) if eps > -0.5 else mp.log(total)
                    psi = eps**2 / 2 - eps**3 / 6 + eps**4 / 12 if abs(eps) < 1e-8 else total * told - eps
                    gain += weighed * psi
                else:
                    told = mp.log(total * mp.npdf(w))
                    gain += weighed * total * told
                for t in slots:
                    d_weight[t] += weighed * told * ratio[t]
                    if not mp.isinf(alpha[t]):
                        bound = mp.npdf(u[t]) / mass[t]
                        d_alpha[t] += weighed * told * pi[t] * (bound / s - hazard[t] * ratio[t])
                        d_rho += weighed * told * pi[t] * bound * (alpha[t] * rho - w) / s**3
        for t in slots if near else ():
            a, h = (alpha[t], hazard[t]) if not mp.isinf(alpha[t]) else (mp.zero, mp.zero)
            gain += rho**2 * pi[t] * a * h / 2
            d_weight[t] += rho**2 * a * h / 2
            d_alpha[t] += rho**2 * pi[t] * h * (1 - a * a - a * h) / 2
            d_rho += rho * pi[t] * a * h
        gain += 0 if near else mp.log(2 * mp.pi * mp.e) / 2
        mean = mp.fdot(pi, d_weight)
        return gain, d_rho / (2 * rho), [d - mean for d in d_weight], d_alpha


def check(weight, alpha, noise2, rho2=None, tolerance=1e-9):
    """Relative to the value; of a gradient relative to its largest entry, by weight where weights are asked for."""
    weight = np.array(weight) / np.sum(weight)
    gain, d_rho2, d_weight, d_alpha = evaluate(weight, alpha, noise2, rho2)
    want, want_rho2, want_weight, want_alpha = reference(weight, alpha, noise2, rho2)
    assert abs(gain - want) <= tolerance * abs(want)
    assert abs(d_rho2 - want_rho2) <= tolerance * abs(want_rho2)
    most = max(abs(d) for d in want_alpha)
    assert all(abs(d - e) <= tolerance * most for d, e in zip(d_alpha, want_alpha, strict=True))
    used = [w * abs(d) for w, d in zip(weight, want_weight, strict=True)]
    # the weights' derivatives differ from their mean by less than 1e-6 of it where components are nearly tied
    slack = tolerance * max(*used, 1e-6 * abs(want))
    assert all(w * abs(d - e) <= slack for w, d, e in zip(weight, d_weight, want_weight, strict=True))


# ----------------------------------------------------------------------------------------------------
# values and gradients

ORDINARY = {
    "one bound": ([1.0], [0.0], 0.5),
    "three": ([0.2, 0.3, 0.5], [-1.5, 0.2, 1.1], 0.1),
    "open top, negative gain": ([0.2, 0.3, 0.5], [-1.5, 0.2, math.inf], 0.3),
    "sharp": ([0.2, 0.8], [-1.5, 0.2], 1e-4),
    "very sharp": ([0.2, 0.8], [-1.5, 0.2], 1e-12),
    "light components": ([1e-8, 1.0, 1e-3, 1e-30], [-0.5, 0.2, 1.0, 1.5], 0.01),
    "tied": ([0.3, 0.3, 0.4], [0.1, 0.1 + 1e-9, 0.5], 0.01),
    "mostly noise": ([0.5, 0.5], [-1.0, 0.5], 0.999),
}


@pytest.mark.parametrize("case", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_mixtures_agree_with_the_definition(case):
    check(*case)


INSIDE = {
    "10": ([0.5, 0.5], [10.0, 11.0], 0.1),
    "10, sharp": ([0.5, 0.5], [10.0, 10.5], 1e-4),
    "10, mostly noise": ([0.5, 0.5], [10.0, 10.5], 0.99),
    "20 and a light 10": ([1e-30, 1.0], [10.0, 20.0], 0.1),
    "30": ([1.0], [30.0], 0.01),
    "30, sharp": ([1.0], [30.0], 1e-6),
}


@pytest.mark.parametrize("case", INSIDE.values(), ids=INSIDE.keys())
def test_gains_deep_inside_keep_relative_accuracy(case):
    assert 0.0 < evaluate(*case)[0] < 1e-21
    check(*case, tolerance=1e-8)


ABOVE = {
    "5": ([1.0], [-5.0], 0.1),
    "7": ([0.3, 0.7], [-7.0, -6.5], 0.1),
    "10": ([1.0], [-10.0], 0.5),
    "10, sharp": ([0.3, 0.7], [-10.0, -9.95], 1e-3),
    "40": ([0.3, 0.7], [-40.0, -39.99], 1e-4),
    "1000": ([0.3, 0.7], [-1000.0, -999.999], 1e-6),
    "1000, noise wins": ([0.3, 0.7], [-1000.0, -999.999], 0.1),
    "1000, clusters": ([0.3, 0.7], [-1000.0, -950.0], 0.1),
    "1e12": ([0.3, 0.7], [-1e12, -1e12 + 2**-12], 1e-8),
    "across": ([0.3, 0.7], [-20.0, 2.0], 0.01),
    "across, light": ([1e-9, 1.0], [-20.0, 2.0], 0.1),
    "valley": ([0.95, 0.05], [-12.83, -6.68], 0.5),
    "valley, nearer": ([0.95, 0.05], [-5.9, 0.2], 0.5),
}


@pytest.mark.parametrize("case", ABOVE.values(), ids=ABOVE.keys())
def test_gains_far_above_do_not_cancel(case):
    check(*case)


@pytest.mark.parametrize("rho2", [1e-24, 1e-12, 1e-7, 1e-5, 1e-4])
@pytest.mark.parametrize("alpha", [[-1.0, 0.5], [-30.0, -29.9], [4.0, 6.0]], ids=str)
def test_faint_signals_are_worth_half_the_variance_they_remove(alpha, rho2):
    gain, d_rho2, _, _ = evaluate([0.5, 0.5], alpha, 1.0 - rho2, rho2)
    cut = truncate(-np.inf, alpha)
    less = np.mean(cut.hazard_b * cut.gap_b - (cut.mean - cut.mean.mean()) ** 2)
    assert gain == pytest.approx(-0.5 * math.log1p(-rho2 * less), rel=1e-9 + rho2**2)
    assert d_rho2 == pytest.approx(0.5 * less / (1.0 - rho2 * less), rel=1e-9 + rho2**2)


# ----------------------------------------------------------------------------------------------------
# limits, bounds, identities


def theorem_2(weight, alpha):
    """H[z] - H[z | F] from the density of z given F, constant times phi between the bounds (theory 5), 60 digits."""
    with mp.workdps(60 + int(2.5 * math.log10(1.0 + abs(min(alpha))))):
        alpha = [mp.mpf(float(a)) for a in alpha]
        level = [mp.mpf(float(w)) / mp.ncdf(a) for w, a in zip(weight, alpha, strict=True)]
        told, below = mp.log(2 * mp.pi * mp.e) / 2, -mp.inf
        for s, a in enumerate(alpha):
            height, mass = mp.fsum(level[s:]), mp.ncdf(a) - mp.ncdf(below)
            edge = a * mp.npdf(a) - (below * mp.npdf(below) if s else 0)
            told += height * (mass * mp.log(height) - (mass * (1 + mp.log(2 * mp.pi)) - edge) / 2)
            below = a
        return told


@pytest.mark.parametrize(
    ("weight", "alpha"),
    [
        ([0.2, 0.3, 0.5], [-1.5, 0.2, 1.1]),
        ([0.5, 0.5], [-1.0, -1.0 + 1e-9]),
        ([0.5, 0.5], [6.0, 7.0]),
        ([0.3, 0.7], [-10.0, -9.95]),
        ([0.3, 0.7], [-1e6, -1e6 + 1e-6]),
        ([1.0], [-1e12]),
    ],
    ids=str,
)
def test_without_noise_the_gain_is_theorem_2(weight, alpha):
    want = float(theorem_2(weight, alpha))
    gain, d_rho2, d_weight, d_alpha = evaluate(weight, alpha, 0.0)
    assert gain == pytest.approx(want, rel=1e-10)
    assert np.isfinite([d_rho2, *d_weight, *d_alpha]).all()
    assert evaluate(weight, alpha, 1e-26 / min(alpha) ** 2)[0] == pytest.approx(want, rel=1e-10)
    assert evaluate(weight, alpha, 1e-6)[0] < want


def test_without_noise_one_bound_has_the_slope_of_its_deficit():
    for alpha in (-1e9, -30.0, -2.0, 0.5, 4.0, 20.0):
        cut = truncate(-np.inf, alpha)
        gain, _, _, d_alpha = evaluate([1.0], [alpha], 0.0)
        assert gain == pytest.approx(float(cut.deficit), rel=1e-10)
        assert d_alpha[0] == pytest.approx(float(cut.deficit_b), rel=1e-9)


@st.composite
def mixtures(draw, lowest=-12.0, highest=12.0, lightest=-30.0, most=30):
    """Weights spanning powers of ten, bounds ascending, possibly tied, possibly ending in +inf."""
    size = draw(st.integers(1, most))
    alpha = np.sort(draw(st.lists(st.floats(lowest, highest), min_size=size, max_size=size)))
    if draw(st.booleans()):
        alpha[size // 2 :] = alpha[size // 2] + 1e-9 * np.arange(size - size // 2)
    if draw(st.booleans()):
        alpha[-1] = math.inf
    weight = 10.0 ** np.array(draw(st.lists(st.floats(lightest, 0.0), min_size=size, max_size=size)))
    return weight / weight.sum(), alpha


def matched_bound(weight, alpha, rho2, noise2):
    cut = truncate(-np.inf, alpha)
    variance = weight @ (cut.variance + (cut.mean - weight @ cut.mean) ** 2)
    return -0.5 * math.log(noise2 + rho2 * variance)


@settings(max_examples=200)
@given(mixtures(), st.floats(-12.0, -1e-3))
def test_gain_lies_between_the_matched_bound_and_capacity(mixture, log_noise):
    noise2 = 10.0**log_noise
    gain = evaluate(*mixture, noise2)[0]
    slack = 1e-12 * (1.0 - log_noise)
    assert matched_bound(*mixture, 1.0 - noise2, noise2) - slack <= gain <= -0.5 * math.log(noise2) + slack


@settings(max_examples=300)
@given(mixtures(lowest=-1e12, highest=1e12, most=12) | mixtures(lowest=-60.0, highest=60.0), st.floats(-24.0, 24.0))
def test_everything_is_finite_everywhere(mixture, odds):
    std2, delta2 = (1.0, 10.0**-odds) if odds > 0 else (10.0**odds, 1.0)
    gain, d_rho2, d_weight, d_alpha = evaluate(*mixture, delta2 / (std2 + delta2), std2 / (std2 + delta2))
    assert np.isfinite([gain, d_rho2, *d_weight, *d_alpha]).all()
    assert gain <= 0.5 * math.log1p(std2 / delta2) * (1.0 + 1e-9)


@settings(max_examples=50)
@given(mixtures(lightest=-3.0, most=6), st.floats(-6.0, -0.1))
def test_a_bound_cut_in_two_is_the_same_bound(mixture, log_noise):
    weight, alpha = mixture
    once = evaluate(weight, alpha, 10.0**log_noise)
    twice = evaluate(np.repeat(weight / 2.0, 2), np.repeat(alpha, 2), 10.0**log_noise)
    np.testing.assert_allclose(twice[:2], once[:2], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(twice[2][::2], once[2], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(twice[3][::2] + twice[3][1::2], once[3], rtol=1e-7, atol=1e-9)


def test_value_alone_is_the_same_value():
    for weight, alpha, noise2 in [*ORDINARY.values(), *INSIDE.values(), *ABOVE.values()]:
        arrays = fixed(weight / np.sum(weight)), fixed(alpha)
        alone = measure(*arrays, 1.0 - noise2, noise2, np.empty(0), np.empty(0))
        assert alone == evaluate(*arrays, noise2)[:2]


def test_derivatives_in_the_weights_average_to_the_gain():
    for weight, alpha, noise2 in [*ORDINARY.values(), *INSIDE.values(), *ABOVE.values()]:
        shares, d_weight, d_alpha = fixed(weight / np.sum(weight)), np.empty(len(weight)), np.empty(len(weight))
        gain, _ = measure(shares, fixed(alpha), 1.0 - noise2, noise2, d_weight, d_alpha)
        assert shares @ d_weight == pytest.approx(gain, rel=1e-8, abs=0.0)


@pytest.mark.parametrize("noise2", [1e-4, 0.01, 0.5])
def test_the_two_references_and_the_normal_limit_meet(noise2):
    for weight, alpha in (([1.0], -6.0), ([0.4, 0.6], -6.0)):
        bounds = [np.array([alpha - 0.3, alpha][-len(weight) :]) + step for step in (-1e-9, 1e-9)]
        below, above = (evaluate(weight, b, noise2) for b in bounds)
        assert above[0] == pytest.approx(below[0] + 2e-9 * below[3].sum(), rel=1e-12)
        np.testing.assert_allclose(above[3], below[3], rtol=1e-7)


def test_a_thousand_bounds_agree_with_brute_force():
    rng = np.random.default_rng(0)
    alpha, weight = np.sort(rng.normal(size=1000)), rng.dirichlet(np.ones(1000))
    for noise2 in (0.3, 1e-3):
        w = np.linspace(-10.0, 10.0, 8001)
        density = np.zeros_like(w)
        for a, p in zip(alpha, weight, strict=True):
            density += p * cdf((a - math.sqrt(1.0 - noise2) * w) / math.sqrt(noise2)) / cdf(a)
        density *= np.exp(-0.5 * w * w) / math.sqrt(2.0 * math.pi)
        entropy = -np.sum(density * np.log(np.maximum(density, 1e-300))) * (w[1] - w[0])
        gain = evaluate(weight, alpha, noise2)[0]
        assert gain == pytest.approx(0.5 * math.log(2.0 * math.pi * math.e) - entropy, rel=1e-9)
