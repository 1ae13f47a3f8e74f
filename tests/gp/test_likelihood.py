"""The likelihood against dense algebra, its gradient against differences, merged replicates against single values."""

from dataclasses import replace

import numpy as np
import pytest

from gp.cases import KINDS, SHARES, data_of, dense_kernel, differences, normal_log_density, random_data, random_hyper
from pfes.gp import Hyper, Recipe, log_likelihood, log_posterior
from pfes.gp.likelihood import Evidence
from pfes.observations import Data, merged

GROUPS = np.array([0, 1, 1, 2])
RECIPES = {
    "default": Recipe(),
    "shared": Recipe(isotropic=True),
    "botorch": Recipe.botorch(),
    "paper": Recipe.paper(),
}


def from_vector(v, kernel):
    share = float(1 / (1 + np.exp(-v[-1]))) if np.isfinite(v[-1]) else float(v[-1] > 0)
    return Hyper(kernel, np.exp(v[:-4]), float(np.exp(v[-4])), float(np.exp(v[-3])), float(v[-2]), share)


def to_vector(hyper):
    with np.errstate(divide="ignore"):
        odds = np.log(hyper.additive) - np.log1p(-hyper.additive)
    return np.array([*np.log(hyper.scales), np.log(hyper.amplitude), np.log(hyper.noise), hyper.mean, odds])


def as_vector(slopes):
    return np.array([*slopes.scales, slopes.amplitude, slopes.noise, slopes.mean, slopes.additive])


def replicated(rng):
    """Single values at 6 points, 1 to 4 times each: x (m, D), y (m,)."""
    points = rng.random((6, len(GROUPS)))
    x = np.repeat(points, [1, 2, 3, 4, 1, 2], axis=0)
    order = rng.permutation(len(x))
    return x[order], np.sin(5 * x[order, 0]) + 0.3 * rng.normal(size=len(x))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_merged_replicates_have_the_likelihood_of_the_single_values(kernel, share):
    rng = np.random.default_rng(1)
    x, y = replicated(rng)
    hyper = random_hyper(rng, 3, kernel, share)
    data = merged(x, y, np.full(len(y), np.nan))
    assert len(data.y) == 6
    single = normal_log_density(y, hyper.mean, dense_kernel(x, x, GROUPS, hyper) + hyper.noise * np.eye(len(y)))
    assert log_likelihood(data, GROUPS, hyper).value == pytest.approx(single, rel=1e-12)


def test_known_noise_enters_row_by_row():
    rng = np.random.default_rng(2)
    data = random_data(rng, 8, 4)
    noise = np.where(np.arange(8) % 2, np.nan, 0.01 * (1 + np.arange(8)))
    hyper = random_hyper(rng, 3)
    found = log_likelihood(Data(data.x, data.y, data.count, noise), GROUPS, hyper).value
    variances = np.where(np.isnan(noise), hyper.noise, noise)
    dense = normal_log_density(data.y, hyper.mean, dense_kernel(data.x, data.x, GROUPS, hyper) + np.diag(variances))
    assert found == pytest.approx(dense, rel=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
def test_gradient_is_that_of_differences(kernel, share):
    rng = np.random.default_rng(3)
    x, y = replicated(rng)
    noise = np.where(x[:, 0] == x[0, 0], 0.05, np.nan)
    data = merged(x, y, noise)
    vector = to_vector(random_hyper(rng, 3, kernel, share))
    wanted = differences(lambda v: log_likelihood(data, GROUPS, from_vector(v, kernel)).value, vector)
    found = as_vector(log_likelihood(data, GROUPS, from_vector(vector, kernel)))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)
    assert (found[-1] != 0.0) == (0.0 < share < 1.0)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_gradient_with_priors_is_that_of_differences(recipe):
    rng = np.random.default_rng(4)
    share = 0.3 if recipe.additive == "fit" else 0.0
    data, hyper = random_data(rng, 9, 4), random_hyper(rng, 3, recipe.kernel, share)
    hyper = from_vector(to_vector(hyper), recipe.kernel)
    wanted = differences(
        lambda v: log_posterior(data, GROUPS, from_vector(v, recipe.kernel), recipe).value, to_vector(hyper)
    )
    np.testing.assert_allclose(as_vector(log_posterior(data, GROUPS, hyper, recipe)), wanted, rtol=1e-7, atol=1e-8)


def test_best_mean_is_the_best():
    rng = np.random.default_rng(5)
    data, hyper = random_data(rng, 9, 4), random_hyper(rng, 3)
    for deviation in (0.5, np.inf):
        recipe = Recipe(mean_deviation=deviation)
        _, best = Evidence(data, GROUPS, hyper.kernel).at_best_mean(hyper, deviation**-2.0)
        assert log_posterior(data, GROUPS, best, recipe).mean == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("share", SHARES)
def test_order_of_the_data_does_not_matter(share):
    rng = np.random.default_rng(6)
    data, hyper, order = random_data(rng, 12, 4), random_hyper(rng, 3, additive=share), rng.permutation(12)
    shuffled = data_of(data.x[order], data.y[order])
    assert log_likelihood(shuffled, GROUPS, hyper).value == pytest.approx(
        log_likelihood(data, GROUPS, hyper).value, rel=1e-12
    )


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("n", [40, 130])  # pairs by the hundred and by the thousand: one block of them, and several
def test_many_points_have_the_likelihood_of_dense_algebra(n, kernel, share):
    rng = np.random.default_rng(7)
    data, hyper = random_data(rng, n, 4), random_hyper(rng, 3, kernel, share)
    hyper = replace(hyper, noise=0.05)
    covariance = dense_kernel(data.x, data.x, GROUPS, hyper) + 0.05 * np.eye(n)
    found = log_likelihood(data, GROUPS, hyper)
    assert found.value == pytest.approx(normal_log_density(data.y, hyper.mean, covariance), rel=1e-11)
    if 0.0 < share < 1.0:
        wanted = differences(
            lambda v: log_likelihood(data, GROUPS, from_vector(v, kernel)).value, to_vector(hyper), 1e-3
        )
        np.testing.assert_allclose(as_vector(found), wanted, rtol=1e-6, atol=1e-6)


def test_scales_that_are_one_have_one_slope():
    rng = np.random.default_rng(11)
    data, hyper = random_data(rng, 12, 4), replace(random_hyper(rng, 3, additive=0.0), scales=np.full(3, 0.7))
    each = Evidence(data, GROUPS, hyper.kernel).at(hyper)
    one = Evidence(data, GROUPS, hyper.kernel, one_scale=True).at(hyper)
    np.testing.assert_allclose(one.scales, [each.scales.sum(), 0.0, 0.0], rtol=1e-10)
    assert one.value == pytest.approx(each.value, rel=1e-13)


def test_order_of_the_groups_does_not_matter():
    rng = np.random.default_rng(9)
    data, hyper = random_data(rng, 12, 4), random_hyper(rng, 3, additive=0.6)
    columns, names = np.array([3, 1, 0, 2]), np.array([2, 0, 1])  # columns in another order, groups renumbered
    renamed = Hyper(
        hyper.kernel, hyper.scales[np.argsort(names)], hyper.amplitude, hyper.noise, hyper.mean, hyper.additive
    )
    one = log_likelihood(data, GROUPS, hyper)
    other = log_likelihood(data_of(data.x[:, columns], data.y), names[GROUPS][columns], renamed)
    assert other.value == pytest.approx(one.value, rel=1e-12)
    np.testing.assert_allclose(other.scales[names], one.scales, rtol=1e-9)
    assert other.additive == pytest.approx(one.additive, rel=1e-9)


def test_one_group_is_its_own_main_effect():
    rng = np.random.default_rng(10)
    data, groups = random_data(rng, 12, 2), np.zeros(2, int)
    plain, mixed = (log_likelihood(data, groups, random_hyper(np.random.default_rng(1), 1, "rbf", w)) for w in (0, 0.7))
    np.testing.assert_allclose(as_vector(mixed), as_vector(plain), rtol=1e-10, atol=1e-12)
    assert mixed.value == pytest.approx(plain.value, rel=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("width", [0, 1])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_points_and_no_columns(n, width, share):
    rng = np.random.default_rng(8)
    hyper, data = random_hyper(rng, width, additive=share if width else 0.0), random_data(rng, n, width)
    groups = np.arange(width)
    covariance = dense_kernel(data.x, data.x, groups, hyper) + hyper.noise * np.eye(n)
    wanted = normal_log_density(data.y, hyper.mean, covariance) if n else 0.0
    assert log_likelihood(data, groups, hyper).value == pytest.approx(wanted, rel=1e-10)
