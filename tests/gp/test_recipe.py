"""Recipes: what they refuse, and priors that are densities."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gp.cases import differences
from pfes.errors import InvalidInput
from pfes.gp import LogNormal, Recipe


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"kernel": "cosine"}, "kernel: got 'cosine'"),
        ({"mean": "linear"}, "mean: got 'linear'"),
        ({"levels": "some"}, "levels: got 'some'"),
        ({"amplitude": -1.0}, "amplitude: got -1.0"),
        ({"noise": 0.0}, "noise: got 0.0"),
        ({"noise": "none"}, "noise: got 'none'"),
        ({"noise": math.nan}, "noise: got nan"),
        ({"additive": -0.1}, "additive: got -0.1"),
        ({"additive": 1.5}, "additive: got 1.5"),
        ({"additive": math.nan}, "additive: got nan"),
        ({"additive": "some"}, "additive: got 'some'"),
        ({"alike": 1.0}, "alike: got 1.0"),
        ({"alike": -0.1}, "alike: got -0.1"),
        ({"alike": math.nan}, "alike: got nan"),
        ({"starts": 0}, "starts: got 0"),
    ],
)
def test_a_recipe_refuses(wrong, match):
    with pytest.raises(InvalidInput, match=match):
        Recipe(**wrong)


def test_log_normal_is_a_density_with_its_mode_and_slope():
    prior = LogNormal(0.3, 0.8)
    p = np.linspace(1e-6, 200.0, 2_000_001)
    density = np.exp(prior.log_density(np.log(p)))
    assert density.sum() * (p[1] - p[0]) == pytest.approx(1.0, abs=1e-6)
    assert p[density.argmax()] == pytest.approx(prior.mode(), abs=2e-4)
    step = 1e-5
    change = prior.log_density(np.array([0.7 + step])) - prior.log_density(np.array([0.7 - step]))
    assert prior.slope(np.array([0.7])) == pytest.approx(change / (2 * step), rel=1e-8)


def test_the_mode_stays_inside_the_bounds():
    assert LogNormal(0.0, 1.0, low=2.0).mode() == 2.0
    assert LogNormal(0.0, 1.0, high=0.1).mode() == 0.1


def test_length_scales_grow_with_the_root_of_the_dimension():
    ratio = Recipe(alike=0.0).mode(36).scales[0] / Recipe(alike=0.0).mode(1).scales[0]
    assert ratio == pytest.approx(6.0)


@pytest.mark.parametrize("groups", [1, 2, 5, 30])
@pytest.mark.parametrize("alike", [0.3, 0.83, 0.999])
def test_length_scales_are_believed_alike(groups, alike):
    recipe = Recipe(alike=alike)
    prior, logs = recipe.prior_of_scales(groups), np.random.default_rng(groups).normal(size=groups)
    covariance = prior.scale**2 * ((1.0 - alike) * np.eye(groups) + alike)
    dense = multivariate_normal(np.full(groups, prior.loc), covariance).logpdf(logs)
    value, slopes = recipe.log_prior_of_scales(logs, groups)
    assert value == pytest.approx(dense - logs.mean(), rel=1e-10)  # a density of their geometric mean
    wanted = differences(lambda v: recipe.log_prior_of_scales(v, groups)[0], logs)
    np.testing.assert_allclose(slopes, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("alike", [0.0, 0.83])
@pytest.mark.parametrize("groups", [1, 2, 30])
def test_the_mode_of_length_scales_is_where_their_density_is_highest(groups, alike):
    recipe = Recipe(alike=alike)
    _, slopes = recipe.log_prior_of_scales(np.log(recipe.mode(groups).scales), groups)
    np.testing.assert_allclose(slopes, 0.0, atol=1e-12)


def test_length_scales_that_are_not_alike_are_believed_one_by_one():
    recipe, logs = Recipe(alike=0.0), np.array([-1.0, 0.2, 0.9])
    value, slopes = recipe.log_prior_of_scales(logs, 3)
    prior = recipe.prior_of_scales(3)
    assert value == pytest.approx(prior.log_density(logs).sum())
    np.testing.assert_allclose(slopes, prior.slope(logs))


def test_no_length_scale_has_no_prior():
    value, slopes = Recipe().log_prior_of_scales(np.zeros(0), 0)
    assert (value, len(slopes)) == (0.0, 0)


def test_the_papers_recipe():
    recipe = Recipe.paper()
    assert recipe.is_isotropic(3)
    mode = recipe.mode(3)
    assert (mode.kernel, mode.amplitude, mode.noise, mode.mean) == ("rbf", 1.0, 1e-4, 0.0)


def test_one_length_scale_when_there_are_too_many_groups():
    assert not Recipe().is_isotropic(50)
    assert Recipe().is_isotropic(51)
    assert not Recipe(isotropic=False).is_isotropic(500)


@pytest.mark.parametrize(("groups", "share"), [(0, 0.0), (1, 0.0), (2, 0.5), (50, 0.5), (51, 0.0)])
def test_main_effects_of_few_groups_beside_their_interactions(groups, share):
    assert Recipe().mode(groups).additive == share
    assert Recipe(isotropic=True).mode(groups).additive == share


def test_a_given_share_holds_for_any_number_of_groups_but_one():
    assert [Recipe(additive=0.3).mode(groups).additive for groups in (1, 2, 51)] == [0.0, 0.3, 0.3]


@pytest.mark.parametrize("recipe", [Recipe.paper(), Recipe.botorch(), Recipe(additive=0.0)])
def test_recipes_of_others_have_no_main_effects(recipe):
    assert recipe.mode(3).additive == 0.0
    assert not recipe.fits_additive(3)
