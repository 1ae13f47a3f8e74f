"""Places in an interval: against scipy and against the mass below them, however far and narrow the interval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.special import ndtri_exp

from pfes.compiled import kernel
from pfes.normal import log_interval
from pfes.normal.quantile import place_in, upper_quantile


@kernel
def _quantiles(log_p, out):
    for i in range(out.size):
        out[i] = upper_quantile(log_p[i])


@kernel
def _place(a, b, w, out):
    out[0], out[1] = place_in(a, b, w)


def test_quantiles_like_scipys():
    log_p = -(10.0 ** np.linspace(math.log10(0.69314719), 2.8, 2000))
    got = np.empty_like(log_p)
    _quantiles(log_p, got)
    np.testing.assert_allclose(got, -ndtri_exp(log_p), rtol=2e-15, atol=2e-15)


def test_far_quantiles_like_mpmath():
    with mp.workdps(30):
        want = np.array([37.0, 100.0, 250.0, 3e4])
        log_p = np.array([float(mp.log(mp.erfc(mp.mpf(t) / mp.sqrt(2)) / 2)) for t in want])
    got = np.empty_like(log_p)
    _quantiles(log_p, got)
    np.testing.assert_allclose(got, want, rtol=1e-15)


bounds = st.one_of(st.floats(-60, 60), st.just(-math.inf))
widths = st.one_of(st.floats(-6, 2).map(lambda e: 10.0**e), st.just(math.inf))


@given(bounds, widths, st.floats(0.01, 0.99))
def test_the_mass_below_a_place_is_its_share(a, width, w):
    b = a + width if a > -math.inf else (width if width < math.inf else 3.0)
    out = np.empty(2)
    _place(a, b, w, out)
    log_mass, z = out
    assert a <= z <= b
    assert log_mass == pytest.approx(float(log_interval(a, b)), rel=1e-12, abs=1e-9)
    below, above = (math.exp(float(log_interval(*v)) - log_mass) for v in ((a, z), (z, b)))
    assert below == pytest.approx(w, abs=1e-6)
    assert above == pytest.approx(1.0 - w, abs=1e-6)


def test_places_rise_with_their_share():
    out, places = np.empty(2), []
    for w in np.linspace(1e-9, 1 - 1e-9, 200):
        _place(-0.4, 0.9, w, out)
        places.append(out[1])
    assert (np.diff(places) > 0).all()
