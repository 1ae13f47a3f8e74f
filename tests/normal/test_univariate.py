"""The standard normal against mpmath: tails, intervals, truncated moments, wherever they lie."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import special

from pfes import normal

POINTS = np.concatenate([np.linspace(-37.4, 37.4, 1203), [-1e-9, 0.0, 1e-9, -np.inf, np.inf, -38.0, 38.0]])


def precise(function, points=POINTS):
    with mp.workdps(40):
        return np.array([float(function(mp.mpf(float(x)))) for x in points])


def tolerance(points=POINTS):
    """A relative change of 1e-16 in x changes a tail by x^2 times that."""
    return 1e-15 + 3e-16 * np.minimum(np.where(np.isfinite(points), points, 0.0), 40.0) ** 2


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (normal.cdf, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2),
        (normal.sf, lambda x: mp.erfc(x / mp.sqrt(2)) / 2),
        (normal.pdf, mp.npdf),
        (normal.x_pdf, lambda x: x * mp.npdf(x) if mp.isfinite(x) else mp.zero),
    ],
)
def test_tails_keep_relative_accuracy(ours, theirs):
    want = precise(theirs)
    assert np.all(np.abs(ours(POINTS) - want) <= tolerance() * np.abs(want) + 1e-306)


def test_beyond_the_last_density_everything_is_zero_or_one():
    assert normal.pdf([38.0, -38.0, np.inf, -np.inf]).tolist() == [0.0] * 4
    assert normal.x_pdf([np.inf, -np.inf]).tolist() == [0.0, 0.0]
    assert normal.cdf([-np.inf, np.inf]).tolist() == [0.0, 1.0]
    assert normal.sf([[-np.inf], [np.inf]]).tolist() == [[1.0], [0.0]]


def test_mills_ratio_is_a_chebyshev_series():
    """The polynomial in normal.mills: degree 23 in y = (t - 6) / (t + 6), for (t + 6) m(t)."""
    with mp.workdps(40):

        def target(y):
            t = 6 * (1 + y) / (1 - y)
            return (t + 6) * (
                mills_fraction(t) if t > 25 else mp.erfc(t / mp.sqrt(2)) * mp.exp(t * t / 2) * mp.sqrt(mp.pi / 2)
            )

        nodes = [mp.cos(mp.pi * (j + mp.mpf(1) / 2) / 48) for j in range(48)]
        values = [target(y) for y in nodes]
        series = np.array(
            [
                float(2 * mp.fsum(v * mp.cos(mp.pi * i * (j + mp.mpf(1) / 2) / 48) for j, v in enumerate(values)) / 48)
                for i in range(24)
            ]
        )
    series[0] /= 2
    t = np.concatenate([np.linspace(0, 40, 400), 10.0 ** np.arange(2, 13)])
    want = np.polynomial.chebyshev.chebval((t - 6) / (t + 6), series) / (t + 6)
    np.testing.assert_allclose([normal.mills(x) for x in t], want, rtol=2e-15)


def mills_fraction(t):
    tail = mp.zero
    for k in range(120, 0, -1):
        tail = k / (t + tail)
    return 1 / (t + tail)


def truncated(a, b):
    """(log Z, deficit, mean, variance) of a standard normal on (a, b], in as many digits as it takes."""
    a, b = float(a), float(b)
    if a + b > 0:
        log_z, deficit, mean, variance = truncated(-b, -a)
        return log_z, deficit, -mean, variance
    width = b - a if math.isfinite(a) else 1.0
    lost = 0.22 * b * b if b > 0 else 0.0  # digits of 1 - Z
    with mp.workdps(int(60 + 2 * lost + 4 * max(0.0, -math.log10(width)))):
        low, high = mp.mpf(a), mp.mpf(b)
        tail = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
        phi = lambda x: mp.npdf(x) if mp.isfinite(x) else mp.zero  # noqa: E731
        x_phi = lambda x: x * phi(x) if mp.isfinite(x) else mp.zero  # noqa: E731
        z = tail(high) - tail(low)
        mean, x = (phi(low) - phi(high)) / z, (x_phi(low) - x_phi(high)) / z
        return tuple(float(v) for v in (mp.log(z), -mp.log(z) - x / 2, mean, 1 + x - mean**2))


INTERVALS = [
    (-np.inf, -10.0), (-np.inf, -1e3), (-np.inf, 3.0), (-np.inf, 20.0), (5.0, np.inf), (-20.0, np.inf), (-1e-9, 1e-9),
    (3.0, 3.0 + 1e-9), (-50.0, -49.999), (-2.0, -1.0), (-20.0, 20.0), (0.1, 8.0), (-np.inf, -0.4), (-np.inf, -0.6),
    (-1e4 - 1, -1e4), (-1e4 - 1e-7, -1e4), (1e4, np.inf), (-0.3, 0.9), (-1.2, -0.2),
]  # fmt: skip


def assert_like_mpmath(a, b):
    ours, want = normal.truncate(a, b), truncated(a, b)
    for name, value, rtol in zip(
        ("log_z", "deficit", "mean", "variance"), want, (1e-13, 1e-12, 1e-13, 1e-10), strict=True
    ):
        absolute = 1e-15 if name == "mean" else 1e-300  # a mean near 0 is as good as the bounds around it
        assert float(getattr(ours, name)) == pytest.approx(value, rel=rtol, abs=absolute), (name, a, b)


@pytest.mark.parametrize(("a", "b"), INTERVALS)
def test_truncated_intervals(a, b):
    assert_like_mpmath(a, b)


@given(st.floats(-40, 40), st.floats(-9, 2))
def test_truncated_intervals_anywhere(centre, log_width):
    half = 0.5 * 10.0**log_width
    a, b = centre - half, centre + half
    if a < b and not (a < -9 and b > 9):  # there log Z is 1 minus almost nothing: see the named intervals
        assert_like_mpmath(a, b)


def test_no_truncation_at_all():
    r = normal.truncate(-np.inf, np.inf)
    assert (float(r.log_z), float(r.deficit), float(r.mean), float(r.variance)) == (0.0, 0.0, 0.0, 1.0)


def test_log_interval_is_scipys_where_scipy_is_accurate():
    b = np.linspace(-30, 5, 50)
    np.testing.assert_allclose(normal.log_interval(-np.inf, b), special.log_ndtr(b), rtol=1e-13)


@pytest.mark.parametrize(
    ("a", "b"), [(-np.inf, -7.0), (-1.0, 2.0), (-3.0, -2.5), (-30.0, -29.0), (0.3, 0.31), (4.0, np.inf)]
)
def test_derivatives_with_respect_to_the_bounds(a, b):
    r = normal.truncate(a, b)
    for bound, deficit, log_z in (("a", r.deficit_a, -r.hazard_a), ("b", r.deficit_b, r.hazard_b)):
        if not math.isfinite(a if bound == "a" else b):
            assert float(log_z) == 0.0
            continue
        step = 1e-6 * min(1.0, b - a)
        up, down = ((a + step, b), (a - step, b)) if bound == "a" else ((a, b + step), (a, b - step))
        high, low = normal.truncate(*up), normal.truncate(*down)
        assert float(deficit) == pytest.approx((high.deficit - low.deficit) / (2 * step), rel=1e-5, abs=1e-8)
        assert float(log_z) == pytest.approx((high.log_z - low.log_z) / (2 * step), rel=1e-6, abs=1e-8)


def test_gaps_and_mean_say_the_same():
    a, b = np.array([-3.0, -40.0, 2.0]), np.array([1.0, -39.0, 2.5])
    r = normal.truncate(a, b)
    np.testing.assert_allclose(r.mean - a, r.gap_a, rtol=1e-12)
    np.testing.assert_allclose(b - r.mean, r.gap_b, rtol=1e-12)


def test_arrays_are_broadcast():
    assert normal.truncate(np.full((3, 1), -1.0), np.ones((1, 4))).log_z.shape == (3, 4)
