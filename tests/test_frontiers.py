"""Sampled frontiers: what they must contain, what they must not, and brute force where it can be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings, sample_frontiers
from pfes.frontiers.thinning import most_points, thin
from pfes.gp import Hyper, Model
from pfes.information import prepare
from pfes.observations import Data
from pfes.pareto import hypervolume, non_dominated
from pfes.search import SearchSettings
from pfes.space import Choice, Integer, Linear, Pool, Real, Space

QUICK = FrontierSettings(count=3, features=100, scouts=200, search=SearchSettings(40, 8, climbs=3))


def cube(width):
    return Space({f"x{i}": Real(0, 1) for i in range(width)})


def model_of(x, objectives, groups=None, seed=0, noise=1e-4):
    """Independent smooth functions seen at x (n, D)."""
    rng = np.random.default_rng(seed)
    groups = np.arange(x.shape[1]) if groups is None else groups
    y = np.sin(3 * x @ rng.normal(size=(x.shape[1], objectives)) + rng.normal(size=objectives))
    hypers = [Hyper("matern52", rng.uniform(0.3, 0.8, groups.max() + 1), 1.0, noise, 0.0) for _ in range(objectives)]
    data = [Data(x, y[:, l], np.ones(len(x)), np.full(len(x), np.nan)) for l in range(objectives)]
    return Model.of(data, groups, hypers)


def sampled(objectives=2, width=3, n=8, settings=QUICK, thresholds=None, seed=1, domain=None):
    domain = domain or cube(width)
    x = domain.random(n, np.random.default_rng(0))
    limit = np.full(objectives, -np.inf) if thresholds is None else np.asarray(thresholds)
    model = model_of(x, objectives, domain.groups)
    return sample_frontiers(model, domain, x, limit, settings, np.random.default_rng(seed)), x


def table(rows, width=2, seed=0):
    return np.round(np.random.default_rng(seed).random((rows, width)), 2)


def pool_of(rows):
    return Pool(rows, inputs=[f"x{i}" for i in range(rows.shape[1])])


def covered(points, frontier):
    """Whether each point is equal to or dominated by a point of the frontier."""
    return (frontier[None] >= points[:, None]).all(axis=2).any(axis=1)


# Spaces


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 6])
def test_frontiers_are_non_dominated_values_of_their_paths(objectives):
    found, _ = sampled(objectives)
    assert len(found.frontiers) == len(found.sets) == 3
    for r, (y, x) in enumerate(zip(found.frontiers, found.sets, strict=True)):
        assert y.shape == (len(x), objectives)
        assert 1 <= len(y) <= 1.25 * most_points(objectives)
        assert non_dominated(y).all()
        assert ((x >= 0) & (x <= 1)).all()
        np.testing.assert_allclose(found.at(x)[r], y, atol=1e-9)
    assert len(prepare(found.frontiers)) == 3


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_no_observed_point_lies_beyond_the_frontier(objectives):
    found, x = sampled(objectives)
    for y, values in zip(found.frontiers, found.at(x), strict=True):
        assert covered(values, y).all()


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_no_observed_point_lies_beyond_a_thinned_frontier(objectives):
    few = FrontierSettings(count=3, features=100, scouts=200, points=20, search=QUICK.search)
    found, x = sampled(objectives, settings=few)
    for y, values in zip(found.frontiers, found.at(x), strict=True):
        assert len(y) <= 25
        assert covered(values, y).all()
        assert non_dominated(y).all()


def test_the_search_goes_beyond_what_was_observed():
    found, x = sampled(2)
    for y, values in zip(found.frontiers, found.at(x), strict=True):
        ref = values.min(axis=0) - 1
        assert hypervolume(y, ref) > 1.1 * hypervolume(values, ref)


def test_data_outside_the_space_are_candidates_too():
    space, x = cube(2), np.array([[0.5, 0.5], [1.4, -0.3]])
    model = Model.of(
        [Data(x, np.array([0.0, 9.0]), np.ones(2), np.full(2, 1e-6))] * 2,
        np.arange(2),
        [Hyper("rbf", np.full(2, 0.2), 1.0, 1e-4, 0.0)] * 2,
    )
    found = sample_frontiers(model, space, x, [-np.inf] * 2, QUICK, np.random.default_rng(0))
    for s in found.sets:
        np.testing.assert_allclose(s, x[1:])


def test_nothing_observed_is_enough():
    prior = model_of(np.zeros((0, 3)), 2)
    found = sample_frontiers(prior, cube(3), np.zeros((0, 3)), [-np.inf] * 2, QUICK, np.random.default_rng(0))
    assert all(len(y) >= 1 for y in found.frontiers)


def test_earlier_sets_are_a_good_beginning():
    idle = FrontierSettings(count=3, features=100, scouts=0, climb=False, search=SearchSettings(8, 0))
    before, x = sampled(2)
    model = model_of(x, 2)
    plain, seeded = (
        sample_frontiers(
            model, cube(3), x, [-np.inf] * 2, idle, np.random.default_rng(1), seeds=np.concatenate(before.sets)[:k]
        )
        for k in (0, None)
    )
    grown = [
        hypervolume(b, [-3, -3]) - hypervolume(a, [-3, -3])
        for a, b in zip(plain.frontiers, seeded.frontiers, strict=True)
    ]
    assert min(grown) >= 0 < max(grown)


def test_mixed_spaces_give_decodable_sets():
    space = Space(
        x=Real(0, 1), k=Integer(1, 9), c=Choice(["a", "b", "c"]), constraints=Linear({"x": 8, "k": 1}, upper=9)
    )
    found, _ = sampled(2, domain=space)
    for x in found.sets:
        np.testing.assert_allclose(space.encode(space.decode(x)), x, atol=1e-12)
        assert space.admissible(x).all()


def test_a_finite_space_is_looked_through_completely():
    space = Space(k=Integer(1, 9), s=Real(0, 1, step=0.25), c=Choice(["a", "b", "c"]))
    found, _ = sampled(2, domain=space)
    for y, values in zip(found.frontiers, found.at(space.grid()), strict=True):
        truth = values[non_dominated(values)]
        np.testing.assert_allclose(np.sort(y, axis=0), np.sort(truth, axis=0), atol=1e-9)


def test_a_fixed_parameter_is_fixed_in_every_set():
    found, _ = sampled(2, domain=cube(3).fix(x1=0.25))
    assert all((x[:, 1] == 0.25).all() for x in found.sets)


# Thresholds


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_thresholds_are_virtual_points_and_hide_what_lies_below(objectives):
    limit = np.full(objectives, -np.inf)
    limit[0] = 0.3
    found, _ = sampled(objectives, thresholds=limit)
    for y, x in zip(found.frontiers, found.sets, strict=True):
        assert len(y) == len(x) + 1
        np.testing.assert_array_equal(y[-1], [0.3, *[np.inf] * (objectives - 1)])
        assert (y[:-1, 0] > 0.3).all()
        assert non_dominated(y).all()
    prepare(found.frontiers)


def test_where_nothing_is_good_enough_only_thresholds_remain():
    found, _ = sampled(2, thresholds=[50.0, 60.0])
    for y, x in zip(found.frontiers, found.sets, strict=True):
        assert x.shape == (0, 3)
        np.testing.assert_array_equal(y, [[50.0, np.inf], [np.inf, 60.0]])


def test_one_objective_has_one_value():
    assert all(len(y) == 1 and y[0, 0] > -5 for y in sampled(1, thresholds=[-5.0])[0].frontiers)
    assert [y.tolist() for y in sampled(1, thresholds=[50.0])[0].frontiers] == [[[50.0]]] * 3


@pytest.mark.parametrize("wrong", [[0.0], [0.0, np.nan], [np.inf, 0.0]])
def test_wrong_thresholds_are_refused(wrong):
    with pytest.raises(InvalidInput, match="for 2 objectives; wanted one for each"):
        sampled(2, thresholds=wrong)


# Pools


@pytest.mark.parametrize("exact_rows", [1500, 0])
@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_frontiers_of_a_pool_are_those_of_brute_force(objectives, exact_rows):
    pool = pool_of(table(150))
    model = model_of(pool.x[:6], objectives)
    how = FrontierSettings(count=4, exact_rows=exact_rows)
    limit = [-np.inf] * objectives
    found = sample_frontiers(model, pool, pool.x[:6], limit, how, np.random.default_rng(0))
    for y, values in zip(found.frontiers, found.at(pool.x), strict=True):
        truth = values[non_dominated(values)]
        np.testing.assert_allclose(np.sort(y, axis=0), np.sort(truth, axis=0), atol=1e-9)
    np.testing.assert_allclose(found.at(pool.x[:6])[:, :, 0], np.tile(model.posteriors[0].y, (4, 1)), atol=0.1)


@pytest.mark.parametrize("exact_rows", [1500, 0])
def test_only_allowed_rows_count_and_observed_ones_always(exact_rows):
    pool = pool_of(table(100))
    allowed = np.arange(100) % 2 == 1
    how = FrontierSettings(count=4, exact_rows=exact_rows)
    seen = pool.x[:5]
    found = sample_frontiers(
        model_of(seen, 2), pool, seen, [-np.inf] * 2, how, np.random.default_rng(0), allowed=allowed
    )
    counted = allowed | (np.arange(100) < 5)
    for y, values in zip(found.frontiers, found.at(pool.x), strict=True):
        truth = values[counted][non_dominated(values[counted])]
        np.testing.assert_allclose(np.sort(y, axis=0), np.sort(truth, axis=0), atol=1e-9)


@pytest.mark.parametrize("exact_rows", [1500, 0])
def test_identical_rows_share_one_draw(exact_rows):
    pool = pool_of(np.repeat(table(20), 3, axis=0))
    how = FrontierSettings(count=4, exact_rows=exact_rows)
    found = sample_frontiers(model_of(pool.x[:3], 2), pool, pool.x[:3], [-np.inf] * 2, how, np.random.default_rng(0))
    values = found.at(pool.x)
    np.testing.assert_array_equal(values[:, 0::3], values[:, 2::3])
    assert all(len(np.unique(y, axis=0)) == len(y) for y in found.frontiers)


def test_exact_draws_of_a_pool_have_the_posteriors_moments():
    pool = pool_of(table(4))
    model = model_of(pool.x[:2], 1, noise=0.1)
    how = FrontierSettings(count=4000)
    found = sample_frontiers(model, pool, pool.x[:2], [-np.inf], how, np.random.default_rng(0))
    values = found.at(pool.x)[:, :, 0]
    np.testing.assert_allclose(values.mean(axis=0), model.predict(pool.x).mean[:, 0], atol=0.05)
    np.testing.assert_allclose(np.cov(values.T), model.posteriors[0].covariance(pool.x, pool.x), atol=0.05)


@pytest.mark.parametrize("exact_rows", [1500, 0])
def test_models_of_many_means_give_a_frontier_for_each(exact_rows):
    pool = pool_of(table(30))
    model = model_of(pool.x[:4], 2)
    y = np.array([[[9.0, np.nan]], [[-9.0, np.nan]], [[0.0, np.nan]]])
    how = FrontierSettings(count=3, exact_rows=exact_rows)
    given = model.given(pool.x[9:10], y, 1e-6)
    found = sample_frontiers(given, pool, pool.x[:4], [-np.inf] * 2, how, np.random.default_rng(0))
    values = found.at(pool.x)
    np.testing.assert_allclose(values[:, 9, 0], [9.0, -9.0, 0.0], atol=0.05)
    assert values[0, 20, 1] != values[1, 20, 1]  # the other objective is drawn for each as well


def test_values_of_a_small_pool_are_known_at_its_rows_only():
    pool = pool_of(table(10))
    found = sample_frontiers(
        model_of(pool.x[:3], 2), pool, pool.x[:3], [-np.inf] * 2, FrontierSettings(count=2), np.random.default_rng(0)
    )
    with pytest.raises(InvalidInput, match="got point 1, which is no row of the pool"):
        found.at(np.array([pool.x[0], [0.123, 0.456]]))


def test_a_pool_without_candidates_is_refused():
    pool = pool_of(table(10))
    nothing = np.zeros((0, pool.width))
    with pytest.raises(InvalidInput, match="no candidate and no observations"):
        sample_frontiers(
            model_of(pool.x[:3], 2),
            pool,
            nothing,
            [-np.inf] * 2,
            FrontierSettings(),
            np.random.default_rng(0),
            allowed=np.zeros(10, bool),
        )


# The paper, chance, settings


def test_the_papers_recipe_is_a_population_of_fifty_and_nothing_else():
    how = FrontierSettings.paper(2)
    found, x = sampled(2, settings=how)
    for y, s in zip(found.frontiers, found.sets, strict=True):
        assert len(y) <= 50
        assert not (s[:, None] == x[None]).all(axis=2).any()
    assert how.kind == "features"
    assert how.features == 500
    assert how.search.archive == 0


def test_samples_are_a_function_of_the_generator(frozen):
    space, x = cube(3), frozen(np.random.default_rng(0).random((6, 3)))
    model, limit = model_of(x, 2), frozen(np.array([-1.0, -np.inf]))
    runs = [sample_frontiers(model, space, x, limit, QUICK, np.random.default_rng(seed)) for seed in (3, 3, 4)]
    for a, b, c in zip(*(run.frontiers for run in runs), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.shape != c.shape or not np.allclose(a, c)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"points": 1}, {"exact_rows": -1}, {"scouts": -1}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(InvalidInput, match="wanted count of 1 or more"):
        FrontierSettings(**wrong)


# Thinning


@given(st.integers(1, 60), st.integers(1, 5), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_thinning_keeps_the_ends_and_what_is_wanted(size, objectives, most, seed):
    rng = np.random.default_rng(seed)
    y, wanted = rng.normal(size=(size, objectives)), rng.random(size) < 0.2
    kept = thin(y, wanted, most)
    assert len(kept) == min(size, most)
    assert (np.diff(kept) > 0).all()
    if most >= objectives:
        assert set(y.argmax(axis=0)) <= set(kept)
    if wanted.sum() <= most // 2 and most // 2 + objectives <= most:
        assert set(np.flatnonzero(wanted)) <= set(kept)


def test_thinning_leaves_no_wide_gap():
    x = np.sort(np.random.default_rng(0).random(2000) ** 4)  # most points at one end
    y = np.stack((np.sin(x), np.cos(x)), axis=1)
    kept = x[thin(y, np.zeros(2000, bool), 100)]
    assert np.diff(kept).max() < 3 / 100


def test_wanted_points_take_half_at_most():
    x = np.linspace(0, 1, 500)
    wanted = x < 0.4
    kept = thin(np.stack((x, -x), axis=1), wanted, 40)
    assert 20 <= wanted[kept].sum() <= 24
