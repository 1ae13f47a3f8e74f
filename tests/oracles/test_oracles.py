"""The oracles against each other, against closed forms, and against the numbers of theory.md."""

import json
import math

import numpy as np
import pytest
from mpmath import mp

from oracles import exact, sampling
from oracles.grid import dominated_cells, levels, region
from oracles.make_reference import TARGET, cases, evaluate, plain
from oracles.noisy import noisy_direct, noisy_relative, slice_of

PAIR = [(0.0, 1.0), (1.0, 0.0)]
NEGATIVE = [(-2.563, -0.875), (-1.543, -2.202), (3.794, -2.656)]
BIMODAL = [(-2.0, 5.0), (5.0, -2.0)]
STAIRS = [(0.0, 1.2), (0.4, 0.9), (0.5, 0.3), (1.1, -0.4)]
CUBE = [(0.0, 1.0, 0.3), (1.0, 0.0, 0.5), (0.4, 0.4, 1.0), (0.7, 0.6, -0.2)]
ONES, ZEROS = (1.0, 1.0), (0.0, 0.0)

TWO = [
    (ZEROS, ONES, PAIR),
    (ZEROS, ONES, NEGATIVE),
    ((0.3, 0.8), (0.5, 1.5), STAIRS),
    ((1.0, 0.7), (0.6, 0.9), STAIRS),
    (ZEROS, ONES, [(0.5, math.inf), (1.0, 0.2), (math.inf, -0.5)]),
]
THREE = [((0.2, 0.1, 0.4), (1.0, 0.7, 1.3), CUBE), ((1.2, 0.9, 1.0), (0.8, 0.7, 1.1), CUBE)]


# ----------------------------------------------------------------------------------------------------
# the numbers of theory.md


def test_gain_above_the_frontier_is_the_stated_one():
    assert float(exact.coupled((10.0, 10.0), ONES, PAIR)) == pytest.approx(4.6878214861765806, rel=1e-15)


def test_gain_deep_inside_is_one_minus_z_plus_half_b():
    gain = exact.coupled((-20.0, -25.0), ONES, PAIR)
    with mp.workdps(60):  # only f_1 > 1 has any mass to speak of
        expected = mp.ncdf(-21) + 21 * mp.npdf(21) / 2
    assert float(gain) == pytest.approx(float(expected), rel=1e-15)
    assert float(gain) == pytest.approx(7.2799236713233713e-96, rel=1e-15)


def test_half_b_alone_is_the_matched_bound_without_noise():
    bound = exact.coupled_matched((-20.0, -25.0), ONES, PAIR, 0.0)
    assert float(bound) == pytest.approx(7.2471308911335810e-96, rel=1e-15)


def test_decoupled_gain_can_be_negative():
    assert float(exact.decoupled(ZEROS, ONES, NEGATIVE, 0)) == pytest.approx(-0.234827925570630, abs=1e-15)


def test_bound_is_negative_where_the_truth_is_not():
    assert float(exact.coupled_matched(ZEROS, ONES, BIMODAL, 0.1)) == pytest.approx(-0.296, abs=5e-4)
    assert exact.coupled_noisy(ZEROS, ONES, BIMODAL, 0.1) == pytest.approx(0.555, abs=5e-4)


def test_bound_has_a_limit_of_its_own():
    assert float(exact.coupled_matched(ZEROS, ONES, [ZEROS], 1e-9)) == pytest.approx(1.012, abs=5e-4)
    assert float(exact.coupled(ZEROS, ONES, [ZEROS])) == pytest.approx(2 * math.log(2), rel=1e-15)


def test_true_noisy_gain_of_two_modes_can_be_negative():
    """Two separate places for f given F are log 2 more uncertain than one: noise, not the bound, makes the sign."""
    gain = exact.coupled_noisy((1.5, 1.5), (1e-3, 1e-3), PAIR, 0.02)
    assert gain == pytest.approx(-math.log(2) + float(exact.capacity((1e-3, 1e-3), 0.02)), abs=1e-5)


# ----------------------------------------------------------------------------------------------------
# closed forms and symmetries


@pytest.mark.parametrize("gamma", [-30.0, -1.3, 0.0, 2.0, 25.0])
def test_one_objective_is_max_value_entropy_search(gamma):
    with mp.workdps(400):
        expected = gamma * mp.npdf(gamma) / (2 * mp.ncdf(gamma)) - mp.log(mp.ncdf(gamma))
    assert float(exact.coupled((0.0,), (1.0,), [(gamma,)])) == pytest.approx(float(expected), rel=1e-15)
    assert float(exact.decoupled((0.0,), (1.0,), [(gamma,)], 0)) == pytest.approx(float(expected), rel=1e-15)


def test_one_point_makes_the_objectives_independent():
    mean, std, point = (0.3, -0.7, 1.1), (0.5, 1.0, 2.0), [(0.6, 0.1, -0.4)]
    alone = [exact.coupled(mean[l : l + 1], std[l : l + 1], [point[0][l : l + 1]]) for l in range(3)]
    assert float(exact.coupled(mean, std, point)) == pytest.approx(float(sum(alone)), rel=1e-15)
    assert [float(exact.decoupled(mean, std, point, l)) for l in range(3)] == pytest.approx([float(a) for a in alone])
    _, covariance = exact.moments(mean, std, point)
    assert abs(covariance[0][1]) < 1e-30


@pytest.mark.parametrize(("mean", "std", "frontier"), TWO + THREE)
def test_dominated_points_and_duplicates_change_nothing(mean, std, frontier):
    more = [*frontier, frontier[0], tuple(v - 0.3 for v in frontier[1])]
    assert float(exact.coupled(mean, std, more)) == pytest.approx(float(exact.coupled(mean, std, frontier)), rel=1e-15)


def test_permuting_objectives_permutes_nothing_else():
    mean, std, frontier = THREE[0]
    turned = [(row[2], row[0], row[1]) for row in frontier]
    m, s = (mean[2], mean[0], mean[1]), (std[2], std[0], std[1])
    assert float(exact.coupled(m, s, turned)) == pytest.approx(float(exact.coupled(mean, std, frontier)), rel=1e-15)
    assert float(exact.decoupled(m, s, turned, 0)) == pytest.approx(
        float(exact.decoupled(mean, std, frontier, 2)), rel=1e-15
    )


def test_gains_do_not_depend_on_units():
    mean, std, frontier = (0.3, 0.8), (0.5, 1.5), PAIR
    scaled = [tuple(8 * v + 3 for v in row) for row in frontier]
    m, s = [8 * v + 3 for v in mean], [8 * v for v in std]
    assert float(exact.coupled(m, s, scaled)) == pytest.approx(float(exact.coupled(mean, std, frontier)), rel=1e-14)
    noisy = exact.decoupled_noisy(m, s, scaled, 0.8, 0)
    assert float(noisy) == pytest.approx(float(exact.decoupled_noisy(mean, std, frontier, 0.1, 0)), rel=1e-14)


@pytest.mark.parametrize("mean", [ZEROS, (8.0, 9.0), (7.0, -9.0)])
def test_threshold_is_a_point_very_far_out(mean):
    _, std, frontier = TWO[4]
    far = [tuple(min(v, 60.0) for v in row) for row in frontier]
    for gain in (exact.coupled, lambda *a: exact.decoupled(*a, 0), lambda *a: exact.coupled_matched(*a, 0.3)):
        assert float(gain(mean, std, far)) == pytest.approx(float(gain(mean, std, frontier)), rel=1e-15)
    for noisy in (lambda *a: exact.decoupled_noisy(*a, 0.3, 1), lambda *a: exact.coupled_noisy(*a, 0.3)):
        assert float(noisy(mean, std, far)) == pytest.approx(float(noisy(mean, std, frontier)), rel=1e-12)


@pytest.mark.parametrize("frontier", [PAIR, STAIRS, CUBE, TWO[4][2]])
def test_cells_cover_the_region_and_nothing_else(frontier):
    rng = np.random.default_rng(5)
    f = rng.normal(scale=1.5, size=(2000, len(frontier[0])))
    cells = set(dominated_cells(frontier))
    index = [np.searchsorted(values, f[:, l], side="left") for l, values in enumerate(levels(frontier))]
    found = [tuple(int(i) for i in row) in cells for row in zip(*index, strict=True)]
    assert (np.array(found) == sampling.in_region(f, frontier)).all()


# ----------------------------------------------------------------------------------------------------
# drawing and counting


@pytest.mark.parametrize(("mean", "std", "frontier"), TWO + THREE)
def test_drawing_agrees(mean, std, frontier):
    rng = np.random.default_rng(11)
    gain = sampling.coupled(rng, mean, std, frontier)
    assert float(exact.coupled(mean, std, frontier)) == pytest.approx(gain.value, abs=5 * gain.error)
    for l in range(len(mean)):
        expected = sampling.decoupled(rng, mean, std, frontier, l)
        assert float(exact.decoupled(mean, std, frontier, l)) == pytest.approx(expected, abs=0.04)  # spacings
    _, Z = sampling.truncated(rng, mean, std, frontier, 1_000_000)
    assert float(exact.mass(mean, std, frontier)) == pytest.approx(Z.value, abs=5 * Z.error)
    first, covariance = exact.moments(mean, std, frontier)
    spread = 8 / np.sqrt(1_000_000 * Z.value)
    drawn_first, drawn_covariance = sampling.moments(rng, mean, std, frontier)
    assert [float(v) for v in first] == pytest.approx(drawn_first, abs=spread)
    assert np.array([[float(v) for v in row] for row in covariance]) == pytest.approx(drawn_covariance, abs=spread)


@pytest.mark.parametrize(("mean", "std", "frontier"), TWO)
def test_counting_squares_agrees(mean, std, frontier):
    gain = float(exact.coupled(mean, std, frontier))
    assert gain == pytest.approx(sampling.coupled_by_squares(mean, std, frontier), abs=0.01)
    for l in range(2):
        expected = sampling.decoupled_by_squares(mean, std, frontier, l)
        assert float(exact.decoupled(mean, std, frontier, l)) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("mean", "std", "frontier", "delta"), [(*TWO[0], 1.0), (*TWO[1], 0.3), (*TWO[4], 0.1)])
def test_counting_squares_agrees_with_noise(mean, std, frontier, delta):
    both, alone = sampling.noisy_by_squares(mean, std, frontier, delta, n=1000)
    assert exact.coupled_noisy(mean, std, frontier, delta) == pytest.approx(both, abs=0.01)
    for l in range(2):
        assert float(exact.decoupled_noisy(mean, std, frontier, delta, l)) == pytest.approx(alone[l], abs=0.01)


def test_drawing_agrees_with_noise_for_three_objectives():
    mean, std, frontier = THREE[0]
    expected = sampling.decoupled_noisy(np.random.default_rng(3), mean, std, frontier, 0.3, 2)
    assert float(exact.decoupled_noisy(mean, std, frontier, 0.3, 2)) == pytest.approx(expected, abs=0.02)


# ----------------------------------------------------------------------------------------------------
# noisy measurements


def plain_noisy(mean, std, frontier, delta, l):
    """H[y_l] - H[y_l | F] with mpmath's own quadrature over the density of y_l, written out with no rearrangement."""
    with mp.workdps(30):
        r = region(mean, std, frontier)
        s = mp.sqrt(r.std[l] ** 2 + delta**2)
        bounds = [-mp.inf, *(mp.mpf(v) for v in levels(frontier)[l]), mp.inf]

        def density(y):
            centre = r.mean[l] + r.std[l] ** 2 / s**2 * (y - r.mean[l])
            width = r.std[l] * delta / s
            cuts = [mp.ncdf((b - centre) / width) for b in bounds]
            share = sum(w * (cuts[i + 1] - cuts[i]) for i, w in enumerate(r.others[l]))
            return mp.npdf(y, r.mean[l], s) * share / r.mass

        def minus_q_log_q(y):
            q = density(y)
            return -q * mp.log(q) if q > 0 else mp.zero

        panels = mp.linspace(r.mean[l] - 14 * s, r.mean[l] + 14 * s, 57)
        return mp.log(2 * mp.pi * mp.e * s**2) / 2 - mp.quad(minus_q_log_q, panels, maxdegree=5)


@pytest.mark.parametrize(
    ("mean", "std", "frontier", "delta"),
    [(ZEROS, ONES, NEGATIVE, 0.5), ((4.0, 5.0), ONES, PAIR, 0.5), (*THREE[1], 0.7)],
)
def test_noisy_gain_is_the_plain_integral(mean, std, frontier, delta):
    expected = plain_noisy(mean, std, frontier, delta, 0)
    assert float(exact.decoupled_noisy(mean, std, frontier, delta, 0)) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize(("mean", "std", "frontier"), [(ZEROS, ONES, PAIR), ((2.5, 2.5), ONES, PAIR), TWO[3], THREE[1]])
def test_two_forms_of_the_noisy_gain_agree(mean, std, frontier):
    with mp.workdps(50):
        view = slice_of(mean, std, frontier, 0.2, 1)
        a, b = noisy_relative(view, len(mean)), noisy_direct(view, len(mean))
    assert [float(v) for v in a] == pytest.approx([float(v) for v in b], rel=1e-14, abs=1e-16)


@pytest.mark.parametrize(
    ("mean", "std", "frontier", "delta"),
    [
        ((0.3, 0.8), (0.5, 1.5), PAIR, 0.1),
        ((10.0, 10.0), ONES, PAIR, 0.1),
        ((-10.0, -11.0), ONES, PAIR, 0.5),
        ((1.5, 1.5), (1e-3, 2e-3), PAIR, 0.01),
        (*TWO[4], 1.0),
        ((9.0, 8.0), ONES, TWO[4][2], 0.5),
        ((0.2, 0.1, 0.4), (1.0, 0.7, 1.3), CUBE[:2], 0.3),
    ],
)
def test_noisy_gradient_is_a_difference_quotient(mean, std, frontier, delta):
    """Along one direction that mixes all parameters; steps of 1e-5 deviations, two of them extrapolated."""
    L, l = len(mean), 1
    d_mean, d_std = exact.decoupled_noisy_gradient(mean, std, frontier, delta, l)
    along = [s * c for s, c in zip([*std, *std], (0.6, -1.0, 0.3, 0.8, 0.5, -0.7), strict=False)]

    def gain(h):
        at = [mp.mpf(v) + h * a for v, a in zip([*mean, *std], along, strict=True)]
        return exact.decoupled_noisy(at[:L], at[L:], frontier, delta, l)

    with mp.workdps(50):
        wide, fine = ((gain(h) - gain(-h)) / (2 * h) for h in (mp.mpf("2e-5"), mp.mpf("1e-5")))
        expected = (4 * fine - wide) / 3
        slope = mp.fdot(along, [*d_mean, *d_std])
    assert float(slope) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("mean", [ZEROS, (3.0, 1.0), (-4.0, -5.0), (12.0, 10.0), (-20.0, -22.0)])
def test_fine_measurement_tells_the_noise_free_gain(mean):
    gain = float(exact.decoupled(mean, ONES, PAIR, 0))
    assert float(exact.decoupled_noisy(mean, ONES, PAIR, 1e-6, 0)) == pytest.approx(gain, rel=1e-4)
    matched = float(exact.decoupled_matched(mean, ONES, PAIR, 1e-8, 0))
    _, covariance = exact.moments(mean, ONES, PAIR)
    with mp.workdps(300):
        assert matched == pytest.approx(float(-mp.log(covariance[0][0]) / 2), rel=1e-4)


@pytest.mark.parametrize(("mean", "std", "frontier", "delta"), [(*TWO[0], 0.1), (*TWO[1], 0.3), (*TWO[4], 3.0)])
def test_bounds_hold(mean, std, frontier, delta):
    """Matched below the truth, the truth below the capacity."""
    truth = exact.coupled_noisy(mean, std, frontier, delta)
    assert float(exact.coupled_matched(mean, std, frontier, delta)) <= truth + 1e-12
    assert truth <= float(exact.capacity(std, delta))
    for l in range(2):
        alone = exact.decoupled_noisy(mean, std, frontier, delta, l)
        assert exact.decoupled_matched(mean, std, frontier, delta, l) <= alone <= exact.capacity(std[l : l + 1], delta)


@pytest.mark.parametrize("mean", [ZEROS, (10.0, 9.0), (-10.0, -9.0), (3.0, -30.0)])
def test_one_point_makes_noisy_gains_add(mean):
    alone = sum(exact.decoupled_noisy(mean, ONES, [ZEROS], 0.2, l) for l in range(2))
    assert exact.coupled_noisy(mean, ONES, [ZEROS], 0.2) == pytest.approx(float(alone), rel=1e-12)


@pytest.mark.parametrize("mean", [ZEROS, (10.0, 10.0), (-12.0, -10.0)])
def test_product_panels_have_converged(mean):
    coarse, fine = (exact.coupled_noisy(mean, ONES, STAIRS, 0.05, n) for n in (9, 16))
    assert coarse == pytest.approx(fine, rel=1e-11)


# ----------------------------------------------------------------------------------------------------
# gradients in closed form


@pytest.mark.parametrize("gamma", [-12.0, -1.3, 2.0, 25.0])
def test_gradients_are_those_of_max_value_entropy_search(gamma):
    def gain(g):
        return g * mp.npdf(g) / (2 * mp.ncdf(g)) - mp.log(mp.ncdf(g))

    with mp.workdps(400):
        slope = mp.diff(gain, gamma)
    d_mean, d_std = exact.coupled_gradient((0.0,), (1.0,), [(gamma,)])
    assert float(d_mean[0]) == pytest.approx(-float(slope), rel=1e-14)
    assert float(d_std[0]) == pytest.approx(-gamma * float(slope), rel=1e-14)


def test_gradients_are_those_of_a_scaled_problem():
    """Gains depend on (v - mean) / std alone: moving all of mean, frontier and std together changes nothing."""
    mean, std, frontier = TWO[3]
    d_mean, d_std = exact.coupled_gradient(mean, std, frontier)
    with mp.workdps(60):
        h = mp.mpf("1e-20")
        for l in range(2):
            shifted = [mp.mpf(m) + h * (k == l) for k, m in enumerate(mean)]
            widened = [mp.mpf(s) + h * (k == l) for k, s in enumerate(std)]
            base = exact.coupled(mean, std, frontier)
            assert float((exact.coupled(shifted, std, frontier) - base) / h) == pytest.approx(
                float(d_mean[l]), rel=1e-14
            )
            assert float((exact.coupled(mean, widened, frontier) - base) / h) == pytest.approx(
                float(d_std[l]), rel=1e-14
            )


# ----------------------------------------------------------------------------------------------------
# the file


def rows() -> list[dict]:
    return json.loads(TARGET.read_text())


def test_file_holds_the_cases_of_the_command():
    found = [{k: row[k] for k in ("regime", "mean", "std", "frontier", "delta")} for row in rows()]
    wanted = [plain({k: v for k, v in case.items() if k != "noisy"}) for case in cases()]
    assert found == wanted


@pytest.mark.parametrize("start", [0, 7, 13])
def test_file_is_what_the_command_computes(start):
    stored = rows()
    for row, case in list(zip(stored, cases(), strict=True))[start::40]:
        if len(case["mean"]) < 3 and len(case["frontier"]) < 6:
            assert evaluate(case | {"noisy": False}).items() <= row.items()


def test_file_respects_the_bounds():
    for row in rows():
        if "decoupled_noisy" in row:
            for l, (bound, truth) in enumerate(zip(row["decoupled_matched"], row["decoupled_noisy"], strict=True)):
                most = float(exact.capacity(row["std"][l : l + 1], row["delta"][l]))
                assert bound <= truth + 1e-13 * abs(truth)
                assert truth <= most * (1 + 1e-13)
        if "coupled_noisy" in row:
            assert row["coupled_matched"] <= row["coupled_noisy"] + 1e-8 * abs(row["coupled_noisy"])


def test_file_has_the_bound_for_the_truth_where_noise_drowns_the_prior():
    """f given F leaves y normal up to order (std / delta)^3: the bound is tight, in value and slope."""
    seen = 0
    for row in rows():
        if "decoupled_noisy" in row and max(s / d for s, d in zip(row["std"], row["delta"], strict=True)) < 1e-9:
            seen += 1
            for name in ("", "_d_mean", "_d_std"):
                bound, truth = (np.array(row[f"decoupled_{kind}{name}"]) for kind in ("matched", "noisy"))
                assert truth == pytest.approx(bound, rel=1e-9, abs=0)
    assert seen > 5
