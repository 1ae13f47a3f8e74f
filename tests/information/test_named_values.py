"""Numbers that can be looked up: in the paper's companion, in tables, in closed form."""

import numpy as np
import pytest
from scipy.stats import norm

from oracles import exact as oracle
from pfes.information import coupled, coupled_gradient, decoupled, exact, matched, noisy, power

CORNER = [np.array([[0.0, 1.0], [1.0, 0.0]])]


def one(values):
    return np.array([values], dtype=float)


def test_ten_deviations_above_the_frontier():
    assert coupled(one([10, 10]), one([1, 1]), CORNER)[0] == pytest.approx(4.6878214861765806, rel=1e-14)


def test_twenty_deviations_inside():
    # 1 - Z and B/2 both count: Phi-bar(21) + 21 phi(21) / 2. The second alone is 7.2471308911335810e-96, which is what
    # -log Z + B / (2 Z) gives where Z is rounded to 1.
    gain = coupled(one([-20, -25]), one([1, 1]), CORNER)[0]
    assert gain == pytest.approx(7.279923671323371e-96, rel=1e-13)
    assert gain == pytest.approx(float(oracle.coupled([-20.0, -25.0], [1.0, 1.0], CORNER[0].tolist())), rel=1e-13)
    assert gain - norm.sf(21.0) == pytest.approx(7.2471308911335810e-96, rel=1e-12)


def test_gradient_twenty_deviations_inside():
    slopes = coupled_gradient(one([-20, -25]), one([1, 1]), CORNER)
    phi = norm.pdf(21.0)  # of Phi-bar(21) + 21 phi(21) / 2, the rest being 1e-50 of it
    assert slopes.d_mean[0, 0] == pytest.approx(0.5 * (1 + 21.0**2) * phi, rel=1e-12)
    assert slopes.d_spread[0, 0] == pytest.approx(0.5 * (1 + 21.0**2) * 21.0 * phi, rel=1e-12)


def test_the_decoupled_gain_can_be_negative():
    frontier = [np.array([[-2.563, -0.875], [-1.543, -2.202], [3.794, -2.656]])]
    gain = decoupled(one([0, 0]), one([1, 1]), frontier)[0, 0]
    assert gain == pytest.approx(-0.234827925570630, rel=1e-13)


def test_one_point_at_the_mean():
    origin = [np.zeros((1, 2))]
    assert exact.coupled(one([0, 0]), one([1, 1]), origin)[0] == pytest.approx(2 * np.log(2), rel=1e-14)
    assert matched.coupled(one([0, 0]), one([1, 1]), origin, 1e-9)[0] == pytest.approx(
        -np.log(1 - 2 / np.pi), rel=1e-12
    )


def test_the_matched_bound_is_negative_where_two_humps_remain():
    frontier = [np.array([[-2.0, 5.0], [5.0, -2.0]])]
    bound = matched.coupled(one([0, 0]), one([1, 1]), frontier, 0.1)[0]
    assert bound == pytest.approx(-0.296, abs=5e-4)
    assert oracle.coupled_noisy([0.0, 0.0], [1.0, 1.0], frontier[0].tolist(), 0.1) == pytest.approx(0.555, abs=5e-4)


def test_the_matched_bound_thirty_deviations_inside():
    gain = matched.coupled(one([-30, -30]), one([1, 1]), [np.zeros((1, 2))], 0.1)[0]
    assert 0 < gain < 1e-190
    assert gain == pytest.approx(float(oracle.coupled_matched([-30.0, -30.0], [1.0, 1.0], [[0.0, 0.0]], 0.1)), rel=1e-8)


def test_noise_aware_gains_ten_deviations_inside():
    mean, std, delta = [-10.0, -12.0], [1.0, 0.9], [0.1, 0.3]
    for name, ours in (("coupled_matched", matched.coupled), ("decoupled_matched", matched.decoupled)):
        got = np.ravel(ours(one(mean), one(std), CORNER, delta))
        each = [()] if name == "coupled_matched" else [(0,), (1,)]
        want = [float(getattr(oracle, name)(mean, std, CORNER[0].tolist(), delta, *l)) for l in each]
        np.testing.assert_allclose(got, want, rtol=1e-8)
    want = [float(oracle.decoupled_noisy(mean, std, CORNER[0].tolist(), delta, l)) for l in (0, 1)]
    np.testing.assert_allclose(noisy.decoupled(one(mean), one(std), CORNER, delta)[0], want, rtol=1e-8)


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e8, 1e12])
def test_far_above_one_point_the_gain_grows_as_the_logarithm(distance):
    # truncated to z < -t a normal becomes exponential with rate t: log sqrt(2 pi) + 1/2 + log t - 1 for each objective
    gain = coupled(one([distance, distance]), one([1, 1]), [np.zeros((1, 2))])[0]
    assert gain == pytest.approx(2 * (0.5 * np.log(2 * np.pi) - 0.5 + np.log(distance)), rel=3 / distance**2 + 1e-14)


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9, 1e12])
def test_far_above_two_points_half_of_each_cell_remains(distance):
    # two cells of equal share, exponential in each objective: log 2 is left unknown
    alone = 0.5 * np.log(2 * np.pi) - 0.5 + np.log(distance)
    mean, std = one([distance, distance]), one([1, 1])
    assert coupled(mean, std, CORNER)[0] == pytest.approx(2 * alone - np.log(2), abs=3 / distance + 1e-12)
    assert decoupled(mean, std, CORNER)[0] == pytest.approx(alone - np.log(2), abs=3 / distance + 1e-12)


@pytest.mark.parametrize(("mean", "std"), [(1e300, 1e-12), (1.0, 1e-300), (-1e300, 1e-12), (1e300, 1e300)])
def test_absurd_scales_stay_finite(mean, std):
    arguments = one([mean, mean]), one([std, std]), CORNER
    for gain in (
        exact.coupled(*arguments),
        exact.decoupled(*arguments),
        matched.coupled(*arguments, 0.1),
        matched.decoupled(*arguments, 0.1),
        power.coupled(*arguments, 0.1),
        power.decoupled(*arguments, 0.1),
        noisy.decoupled(*arguments, 0.1),
    ):
        assert np.isfinite(gain).all()
