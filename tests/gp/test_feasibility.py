"""The classifier learns where experiments fail; one class, few points and contradictions are no trouble."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gp.cases import differences
from pfes.gp import Feasibility, feasibility

GROUPS = np.array([0, 1])


def half_plane(n, seed=0):
    x = np.random.default_rng(seed).random((n, 2))
    return x, x[:, 0] + x[:, 1] < 1.1


def test_a_boundary_is_learned():
    x, ok = half_plane(60)
    new, truth = half_plane(500, seed=1)
    probability = Feasibility.of(x, ok, GROUPS).probability(new)
    assert ((probability > 0.5) == truth).mean() > 0.92
    assert np.mean((probability - truth) ** 2) < 0.06


def test_known_points_are_believed():
    x, ok = half_plane(40)
    probability = Feasibility.of(x, ok, GROUPS).probability(x)
    assert probability[ok].mean() > 0.85
    assert probability[~ok].mean() < 0.25


def test_gradient_is_that_of_differences():
    x, ok = half_plane(25)
    found = Feasibility.of(x, ok, GROUPS)
    at = np.random.default_rng(2).random((6, 2))
    value, slope = found.probability_gradient(at)
    np.testing.assert_allclose(value, found.probability(at), rtol=1e-12)
    for i, row in enumerate(at):
        wanted = differences(lambda v: found.probability(v[None])[0], row, 1e-3)
        np.testing.assert_allclose(slope[i], wanted, rtol=1e-6, atol=1e-9)


def test_the_mode_is_stationary():
    # at the most probable f, K^-1 (f - m) is the slope of log P(t | f)
    x, ok = half_plane(30)
    latent = Feasibility.of(x, ok, GROUPS).latent
    f, sign = latent.predict(x).mean, np.where(ok, 1.0, -1.0)
    hazard = sign * np.exp(-0.5 * f**2) / np.sqrt(2 * np.pi) / feasibility.normal.cdf(sign * f)
    np.testing.assert_allclose(latent.weights, hazard, atol=1e-5)


def test_one_point_has_the_posterior_of_quadrature():
    # one observation, unit amplitude: compare P(feasible) there with a sum over f; Laplace is close, not exact
    found = Feasibility.of(np.array([[0.5, 0.5]]), np.array([True]), GROUPS)
    hyper = found.latent.hyper
    f = np.linspace(-12, 12, 4001) * np.sqrt(hyper.amplitude) + hyper.mean
    density = np.exp(-0.5 * (f - hyper.mean) ** 2 / hyper.amplitude) * feasibility.normal.cdf(f)
    exact = (density * feasibility.normal.cdf(f)).sum() / density.sum()
    assert found.probability(np.array([[0.5, 0.5]]))[0] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("ok", [True, False])
def test_a_single_class_is_believed_everywhere(ok):
    x, _ = half_plane(20)
    probability = Feasibility.of(x, np.full(20, ok), GROUPS).probability(half_plane(50, 3)[0])
    assert ((probability > 0.8) == ok).all()


def test_no_data_know_nothing():
    found = Feasibility.of(np.zeros((0, 2)), np.zeros(0, bool), GROUPS)
    assert found.probability(np.array([[0.2, 0.3]])) == pytest.approx(0.5)


def test_classes_can_be_exchanged():
    x, ok = half_plane(20)
    new = half_plane(10, 5)[0]
    one, other = Feasibility.of(x, ok, GROUPS), Feasibility.of(x, ~ok, GROUPS)
    np.testing.assert_allclose(one.probability(new), 1.0 - other.probability(new), rtol=1e-6)


def test_many_points_choose_the_grid_by_a_part(monkeypatch):
    x, ok = half_plane(80)
    monkeypatch.setattr(feasibility, "PART", 30)
    new, truth = half_plane(300, seed=1)
    assert ((Feasibility.of(x, ok, GROUPS).probability(new) > 0.5) == truth).mean() > 0.92


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), spread=st.sampled_from([0.0, 1e-9, 1e-3, 1.0, 100.0]))
def test_probabilities_are_probabilities(seed, n, spread):
    rng = np.random.default_rng(seed)
    x, ok = 0.5 + spread * rng.normal(size=(n, 2)), rng.random(n) < 0.5
    value, slope = Feasibility.of(x, ok, GROUPS).probability_gradient(np.vstack([x, rng.random((3, 2))]))
    assert ((value > 0) & (value < 1)).all()
    assert np.isfinite(slope).all()


def test_the_classifier_has_no_main_effects():
    x, ok = half_plane(12)
    assert Feasibility.of(x, ok, GROUPS).latent.hyper.additive == 0.0
