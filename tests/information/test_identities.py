"""What must hold whatever the numbers: special cases, symmetries, bounds, limits."""

import numpy as np
import pytest
from scipy.stats import norm

from information.fronts import candidates, concave, thresholds
from pfes import compiled
from pfes.information import (
    coupled,
    coupled_gradient,
    decoupled,
    decoupled_gradient,
    evaluate,
    exact,
    matched,
    noisy,
    power,
    prepare,
)

ALL = [
    ("coupled", exact.coupled),
    ("decoupled", exact.decoupled),
    ("coupled matched", lambda *a: matched.coupled(*a, 0.05)),
    ("decoupled matched", lambda *a: matched.decoupled(*a, 0.05)),
    ("coupled power", lambda *a: power.coupled(*a, 0.05)),
    ("decoupled power", lambda *a: power.decoupled(*a, 0.05)),
    ("decoupled noisy", lambda *a: noisy.decoupled(*a, 0.05)),
]
every = pytest.mark.parametrize("gain", [f for _, f in ALL], ids=[name for name, _ in ALL])


def problem(objectives, count=40, points=12, frontiers=3, seed=0):
    rng = np.random.default_rng(seed)
    return *candidates(rng, count, objectives), [concave(rng, points, objectives) for _ in range(frontiers)]


def test_one_objective_reduces_to_max_value_entropy_search():
    mean, std, _ = problem(1)
    best = [0.3, 0.9, 1.4]
    gamma = (np.array(best) - mean) / std  # (N, R)
    mes = (gamma * norm.pdf(gamma) / (2 * norm.cdf(gamma)) - norm.logcdf(gamma)).mean(axis=1)
    frontiers = [np.array([[b], [b - 1]]) for b in best]
    np.testing.assert_allclose(coupled(mean, std, frontiers), mes, rtol=1e-10)
    np.testing.assert_allclose(decoupled(mean, std, frontiers)[:, 0], mes, rtol=1e-10)


@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
def test_with_one_point_objectives_do_not_interact(objectives):
    mean, std, _ = problem(objectives)
    point = np.full((1, objectives), 0.4)
    alone = np.column_stack([coupled(mean[:, [l]], std[:, [l]], [point[:, [l]]]) for l in range(objectives)])
    np.testing.assert_allclose(decoupled(mean, std, [point]), alone, rtol=1e-11)
    np.testing.assert_allclose(coupled(mean, std, [point]), alone.sum(axis=1), rtol=1e-11)


@every
@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_permuted_objectives_change_nothing_else(gain, objectives):
    mean, std, frontiers = problem(objectives)
    order = np.random.default_rng(1).permutation(objectives)
    before = gain(mean, std, frontiers)
    after = gain(mean[:, order], std[:, order], [f[:, order] for f in frontiers])
    np.testing.assert_allclose(after, before if before.ndim == 1 else before[:, order], rtol=1e-10, atol=1e-13)


@every
@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_all_partitions_agree(gain, objectives):
    mean, std, frontiers = problem(objectives, points=8)
    results = [gain(mean, std, prepare(frontiers, partition=p)) for p in ("hbda", "qhv", "grid")]
    np.testing.assert_allclose(results[1], results[0], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(results[2], results[0], rtol=1e-10, atol=1e-13)


@every
def test_a_batch_is_a_loop(gain):
    mean, std, frontiers = problem(3, count=70)
    ready = prepare(frontiers)
    loop = [gain(mean[[n]], std[[n]], ready)[0] for n in range(len(mean))]
    np.testing.assert_array_equal(gain(mean, std, ready), np.array(loop))


@every
def test_frontiers_are_averaged(gain):
    mean, std, frontiers = problem(2)
    apart = np.mean([gain(mean, std, [f]) for f in frontiers], axis=0)
    np.testing.assert_allclose(gain(mean, std, frontiers), apart, rtol=1e-12)


def test_units_do_not_matter():
    mean, std, frontiers = problem(2)
    scale, shift = np.array([4096.0, 0.125]), np.array([-40.0, 7.0])
    moved = (mean * scale + shift, std * scale, [f * scale + shift for f in frontiers])
    for estimator in (matched, power):
        for verb in ("coupled", "decoupled"):
            before = getattr(estimator, verb)(mean, std, frontiers, [0.05, 0.1])
            after = getattr(estimator, verb)(*moved, scale * [0.05, 0.1])
            np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(exact.coupled(*moved), exact.coupled(mean, std, frontiers), rtol=1e-7, atol=1e-9)


def test_one_mean_per_frontier():
    mean, std, frontiers = problem(3)
    rng = np.random.default_rng(5)
    means = mean + 0.1 * rng.normal(size=(3, *mean.shape))
    want = np.mean([coupled(means[r], std, [frontiers[r]]) for r in range(3)], axis=0)
    np.testing.assert_allclose(coupled(means, std, frontiers), want, rtol=1e-12)
    slopes = [coupled_gradient(means[r], std, [frontiers[r]]) for r in range(3)]
    got = coupled_gradient(means, std, frontiers)
    assert got.d_mean.shape == means.shape
    np.testing.assert_allclose(got.d_mean, np.array([s.d_mean for s in slopes]) / 3, rtol=1e-12)
    np.testing.assert_allclose(got.d_spread, np.mean([s.d_spread for s in slopes], axis=0), rtol=1e-12)
    same = decoupled_gradient(np.broadcast_to(mean, (3, *mean.shape)), std, frontiers)
    one = decoupled_gradient(mean, std, frontiers)
    np.testing.assert_allclose(same.d_mean.sum(axis=0), one.d_mean, rtol=1e-11, atol=1e-14)


def test_thresholds_below_everything_change_nothing_and_at_the_top_leave_nothing():
    mean, std, frontiers = problem(3)
    low = [np.vstack([f, thresholds(np.full(3, -1e6))]) for f in frontiers]
    np.testing.assert_allclose(coupled(mean, std, low), coupled(mean, std, frontiers), rtol=1e-9)
    np.testing.assert_allclose(decoupled(mean, std, low), decoupled(mean, std, frontiers), rtol=1e-9, atol=1e-15)
    high = [np.vstack([f, np.full((1, 3), np.inf)]) for f in frontiers]
    assert np.array_equal(coupled(mean, std, high), np.zeros(len(mean)))
    assert np.array_equal(decoupled(mean, std, high), np.zeros(mean.shape))


@pytest.mark.parametrize("objectives", [1, 2])
def test_the_coupled_gain_is_not_negative_for_one_and_two_objectives(objectives):
    for seed in range(20):
        mean, std, frontiers = problem(objectives, count=200, points=6, seed=seed)
        assert coupled(mean, std, frontiers).min() >= 0


def test_gains_of_noisy_measurements_stay_below_the_capacity():
    for objectives in (1, 2, 3, 4):
        mean, std, frontiers = problem(objectives, count=200)
        for delta in (1e-3, 0.05, 1.0, np.linspace(0.01, 1.0, objectives)):
            capacity = 0.5 * np.log1p((std / delta) ** 2)
            for estimator in (matched, power):
                together = estimator.coupled(mean, std, frontiers, delta)
                assert (together <= capacity.sum(axis=1) * (1 + 1e-12)).all()
                assert (estimator.decoupled(mean, std, frontiers, delta) <= capacity * (1 + 1e-12)).all()
            assert (noisy.decoupled(mean[:20], std[:20], frontiers, delta) <= capacity[:20] * (1 + 1e-12)).all()


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_the_truth_lies_between_the_bounds(objectives):
    mean, std, frontiers = problem(objectives)
    for delta in (1e-3, 0.02, 0.3):
        truth = noisy.decoupled(mean, std, frontiers, delta)
        assert (matched.decoupled(mean, std, frontiers, delta) <= truth + 1e-11).all()
        assert (truth <= power.decoupled(mean, std, frontiers, delta) + 1e-11).all()


def test_the_noisy_gain_tends_to_theorem_two():
    mean, std, frontiers = problem(3)
    want = decoupled(mean, std, frontiers)
    gaps = [np.abs(noisy.decoupled(mean, std, frontiers, delta) - want).max() for delta in (1e-2, 1e-4, 1e-6, 1e-8)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 5e-5
    np.testing.assert_allclose(noisy.decoupled(mean, std, frontiers, 0.0), want, rtol=1e-10, atol=1e-14)


def test_resolutions_of_objectives_are_their_own():
    mean, std, frontiers = problem(2)
    mixed = decoupled(mean, std, frontiers, resolution=[0.0, 0.1])
    np.testing.assert_allclose(mixed[:, 0], decoupled(mean, std, frontiers)[:, 0], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(mixed[:, 1], decoupled(mean, std, frontiers, resolution=0.1)[:, 1], rtol=1e-12)


def test_entropy_power_tends_to_the_theorems():
    for objectives in (1, 2, 3):
        mean, std, frontiers = problem(objectives)
        np.testing.assert_allclose(
            power.decoupled(mean, std, frontiers, 1e-9), decoupled(mean, std, frontiers), rtol=1e-7, atol=1e-12
        )
        np.testing.assert_allclose(
            power.coupled(mean, std, frontiers, 1e-9), coupled(mean, std, frontiers), rtol=1e-7, atol=1e-12
        )


def test_a_known_point_tells_nothing_at_a_finite_resolution():
    mean, _, frontiers = problem(2)
    tiny = np.full(mean.shape, 1e-6)
    for estimator in (matched, power):
        assert np.abs(estimator.coupled(mean, tiny, frontiers, 0.01)).max() < 1e-7
        assert np.abs(estimator.decoupled(mean, tiny, frontiers, 0.01)).max() < 1e-7
    assert np.abs(noisy.decoupled(mean, tiny, frontiers, 0.01)).max() < 1e-7
    assert coupled(mean, tiny, frontiers).max() > 1  # while the noise-free gain has no scale


def test_threads_and_blocks_do_not_change_a_bit(monkeypatch):
    mean, std, frontiers = problem(3, count=700)
    results = []
    for count, block in (("1", evaluate.BLOCK_BYTES), ("2", evaluate.BLOCK_BYTES), ("3", 1)):
        monkeypatch.setenv("PFES_THREADS", count)
        monkeypatch.setattr(evaluate, "BLOCK_BYTES", block)
        assert compiled.threads() == int(count)
        results.append((coupled(mean, std, frontiers), *decoupled_gradient(mean, std, frontiers)))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_arguments_are_not_touched(frozen):
    mean, std, frontiers = (frozen(a) for a in problem(2))
    ready = prepare(frontiers)
    assert prepare(ready) is ready
    for _, gain in ALL:
        np.testing.assert_array_equal(gain(mean, std, frontiers), gain(mean, std, ready))


def test_repeated_and_dominated_points_do_not_matter():
    mean, std, frontiers = problem(3)
    messy = [np.vstack([f, f[::2], f - 0.3]) for f in frontiers]
    np.testing.assert_array_equal(coupled(mean, std, messy), coupled(mean, std, frontiers))
    np.testing.assert_array_equal(decoupled(mean, std, messy), decoupled(mean, std, frontiers))
