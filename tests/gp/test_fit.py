"""Fits: a maximum, the same every time, and never an exception or a warning whatever the data are."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gp.cases import data_of, dense_kernel, differences, random_data
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Model, Posterior, Recipe, fit, log_posterior
from pfes.observations import Data, merged

GROUPS = np.arange(3)


def seeded(seed=0):
    return np.random.default_rng(seed)


def values(hyper):
    return [*hyper.scales, hyper.amplitude, hyper.noise, hyper.mean, hyper.additive]


def usual(n=30, width=3, seed=0):
    data = random_data(seeded(seed), n, width)
    return data_of(data.x, (data.y - data.y.mean()) / data.y.std())


@pytest.mark.parametrize(
    "recipe",
    [Recipe(), Recipe(additive=0.0), Recipe.botorch(), Recipe(isotropic=True), Recipe(mean="zero", noise=0.01)],
)
def test_a_fit_is_a_maximum(recipe):
    data = usual()
    found = fit(data, GROUPS, recipe, seeded())
    best = log_posterior(data, GROUPS, found, recipe)
    slopes = [float(best.scales.sum())] if recipe.isotropic else best.scales
    assert np.abs(slopes).max() < 0.02
    rng = seeded(1)
    for _ in range(20):
        shift = 0.1 * rng.normal(size=3)
        moved = replace(
            found,
            scales=found.scales * np.exp(shift.mean() if recipe.isotropic else shift),
            amplitude=found.amplitude * np.exp(0.1 * rng.normal()) if recipe.amplitude == "fit" else found.amplitude,
            noise=found.noise * np.exp(0.1 * rng.normal()) if recipe.noise == "fit" else found.noise,
            additive=_moved(found.additive, 0.1 * rng.normal()) if recipe.additive == "fit" else found.additive,
        )
        assert log_posterior(data, GROUPS, moved, recipe).value < best.value


def _moved(share, by):
    """A share with something added to its log odds."""
    return 1 / (1 + (1 - share) / share * np.exp(-by))


def test_no_data_give_the_priors_modes():
    recipe = Recipe()
    assert values(fit(random_data(seeded(), 0, 3), GROUPS, recipe, seeded())) == values(recipe.mode(3))


def test_same_arguments_same_fit(frozen):
    data = usual()
    data = Data(frozen(data.x), frozen(data.y), frozen(data.count), frozen(data.noise))
    assert values(fit(data, frozen(GROUPS), Recipe(), seeded(5))) == values(fit(data, GROUPS, Recipe(), seeded(5)))


def test_a_fit_started_where_it_ended_stays_there():
    data, recipe = usual(), Recipe(starts=1)
    first = fit(data, GROUPS, Recipe(), seeded())
    again = fit(data, GROUPS, recipe, seeded(1), start=first)
    before, after = (log_posterior(data, GROUPS, h, recipe).value for h in (first, again))
    assert after >= before - 1e-9


def test_a_start_of_another_space_is_refused():
    start = Hyper("matern52", np.ones(2), 1.0, 0.1, 0.0)
    with pytest.raises(InvalidInput, match="start: got 2 length scales, wanted 3"):
        fit(usual(), GROUPS, Recipe(), seeded(), start)


def test_a_start_outside_the_bounds_is_used_all_the_same():
    start = Hyper("matern52", np.array([1e-9, 1.0, 1e9]), 1e9, 1e-30, 0.0)
    data = usual()
    found = fit(data, GROUPS, Recipe(), seeded(), start)
    plain = fit(data, GROUPS, Recipe(), seeded())
    gap = log_posterior(data, GROUPS, found, Recipe()).value - log_posterior(data, GROUPS, plain, Recipe()).value
    assert abs(gap) < 0.01


def test_what_is_fixed_stays():
    found = fit(usual(), GROUPS, Recipe(mean="zero", amplitude=2.0, noise=0.3), seeded())
    assert (found.mean, found.amplitude, found.noise) == (0.0, 2.0, 0.3)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_fixed_share_of_main_effects_stays(share):
    found = fit(usual(), GROUPS, Recipe(additive=share), seeded(), start=Recipe().mode(3))
    assert found.additive == share


@pytest.mark.parametrize(("width", "recipe"), [(1, Recipe()), (1, Recipe(additive=0.5)), (51, Recipe(starts=1))])
def test_one_group_and_very_many_have_no_main_effects(width, recipe):
    assert fit(usual(12, width), np.arange(width), recipe, seeded()).additive == 0.0


@pytest.mark.parametrize(("low", "high", "kind"), [(0.85, 1.0, "sum"), (0.0, 0.3, "product")])
def test_the_data_tell_main_effects_from_interactions(low, high, kind):
    x = seeded(2).random((60, 3))
    y = np.sin(9 * x + np.arange(3)).sum(axis=1) if kind == "sum" else np.sin(2 * np.pi * x[:, :2]).prod(axis=1)
    found = fit(data_of(x, (y - y.mean()) / y.std()), GROUPS, Recipe(), seeded())
    assert low <= found.additive <= high


def test_a_start_without_main_effects_does_not_keep_them_out():
    x = seeded(2).random((60, 3))
    y = np.sin(9 * x + np.arange(3)).sum(axis=1)
    data = data_of(x, (y - y.mean()) / y.std())
    plain = fit(data, GROUPS, Recipe(additive=0.0), seeded())
    assert plain.additive == 0.0
    assert fit(data, GROUPS, Recipe(starts=1), seeded(), plain).additive > 0.85


def test_one_scale_for_all_when_isotropic():
    found = fit(usual(), GROUPS, Recipe.paper(), seeded())
    assert len(set(found.scales.tolist())) == 1
    assert len(found.scales) == 3


def test_known_noise_leaves_nothing_to_infer():
    data = usual()
    known = Data(data.x, data.y, data.count, np.full(30, 0.01))
    assert fit(known, GROUPS, Recipe(), seeded()).noise == Recipe().mode(3).noise


def test_replicates_reveal_the_noise():
    rng = seeded(3)
    x = np.repeat(rng.random((8, 3)), 25, axis=0)
    y = np.sin(3 * x).sum(axis=1) + 0.3 * rng.normal(size=len(x))
    y = (y - y.mean()) / y.std()
    within = merged(x, y, np.full(len(y), np.nan))
    found = fit(within, GROUPS, Recipe(), seeded())
    assert found.noise == pytest.approx(within.within / (200 - 8), rel=0.1)


def test_an_idle_parameter_gets_a_long_scale():
    rng = seeded(4)
    x = rng.random((40, 3))
    y = np.sin(6 * x[:, 0])
    found = fit(data_of(x, (y - y.mean()) / y.std()), GROUPS, Recipe(), seeded())
    assert found.scales[0] < 1.0
    assert found.scales[1:].min() > 3.0 * found.scales[0]


def test_many_data_are_fitted_by_a_part_and_then_by_all():
    rng = seeded(6)
    x = rng.random((560, 2))
    y = np.sin(5 * x[:, 0]) + x[:, 1] + 0.2 * rng.normal(size=560)
    data, recipe, groups = data_of(x, (y - y.mean()) / y.std()), Recipe(starts=2), np.arange(2)
    found = fit(data, groups, recipe, seeded())
    slopes = log_posterior(data, groups, found, recipe)
    assert np.abs([*slopes.scales, slopes.amplitude, slopes.noise, slopes.additive]).max() < 3.0
    assert found.noise == pytest.approx(0.04 / y.var(), rel=0.15)


@pytest.mark.parametrize("width", [1, 10, 50])
def test_priors_hold_in_any_dimension(width):
    data, groups = usual(20, width, 7), np.arange(width)
    found = fit(data, groups, Recipe(), seeded())
    mean, std = Posterior.of(data, groups, found).predict(seeded(8).random((50, width)))
    assert np.abs(mean).max() < 5.0
    assert std.max() < 3.0


def test_no_columns_at_all():
    found = fit(data_of(np.zeros((4, 0)), [1.0, -1.0, 0.5, -0.5]), np.zeros(0, int), Recipe(), seeded())
    assert found.scales.shape == (0,)
    assert found.noise > 0.1


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 14),
    width=st.integers(1, 4),
    kind=st.sampled_from(["constant", "normal", "outlier", "two", "huge", "line", "step"]),
    repeated=st.booleans(),
    noise=st.sampled_from([np.nan, 0.0, 0.01, 1e6]),
    recipe=st.sampled_from([Recipe(starts=2), Recipe(starts=2, additive=1.0), Recipe.paper(), Recipe.botorch()]),
)
@example(seed=0, n=2, width=1, kind="constant", repeated=True, noise=np.nan, recipe=Recipe())
@example(seed=0, n=14, width=1, kind="huge", repeated=True, noise=0.0, recipe=Recipe())
def test_whatever_the_data_the_fit_is_finite(seed, n, width, kind, repeated, noise, recipe):
    rng = seeded(seed)
    x = rng.random((n, width))
    if repeated and n:
        x = x[rng.integers(0, max(1, n // 3), n)] + rng.choice([0.0, 1e-8], (n, 1))
    y = {
        "constant": np.zeros(n),
        "normal": rng.normal(size=n),
        "outlier": np.where(np.arange(n) == 0, 1e3, 0.01 * rng.normal(size=n)),
        "two": np.sign(rng.normal(size=n)),
        "huge": 1e12 * rng.normal(size=n),
        "line": x[:, 0] * 100.0,
        "step": np.where(x[:, 0] > 0.5, 1.0, -1.0),
    }[kind]
    groups = np.arange(width)
    data = data_of(x, y, noise)
    found = fit(data, groups, recipe, rng)
    assert np.isfinite(values(found)).all()
    assert min(*found.scales, found.amplitude, found.noise) > 0.0
    mean, std = Posterior.of(data, groups, found).predict(np.vstack([x, rng.random((4, width))]))
    assert np.isfinite(mean).all()
    assert (std > 0.0).all()


@pytest.mark.parametrize("recipe", [Recipe(), Recipe(isotropic=True), Recipe.botorch(), Recipe.paper()])
def test_what_is_climbed_is_the_posterior_density(recipe):
    rng = np.random.default_rng(3)
    data, groups = random_data(rng, 12, 3), np.array([0, 1, 1])
    fitting = importlib.import_module("pfes.gp.fit")
    fixed_noise = recipe.noise != "fit"
    coordinates = fitting.Coordinates(
        recipe, 2, recipe.is_isotropic(2), recipe.amplitude == "fit", not fixed_noise, recipe.fits_additive(2)
    )
    search = fitting._Search(data, groups, coordinates)
    one = coordinates.pack(recipe.mode(2))
    other = one + 0.3 * rng.normal(size=len(one))

    def density(vector):
        return log_posterior(data, groups, search.hyper(vector), recipe).value

    assert search._cost(one)[0] - search._cost(other)[0] == pytest.approx(density(other) - density(one), rel=1e-9)
    np.testing.assert_allclose(search._cost(other)[1], -differences(density, other), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("n", [6, 30, 260])
def test_the_kernel_is_the_one_of_the_higher_density(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.uniform(size=(n, 3))
    smooth = np.sin(3.0 * x[:, 0]) + x[:, 1] * x[:, 2]
    rough = np.abs(x[:, 0] - 0.4) + 0.5 * np.abs(x[:, 1] - 0.6)
    kinds = set()
    for y in (smooth, rough):
        data = Data(x, (y - y.mean()) / y.std(), np.ones(n), np.full(n, np.nan))
        either = fit(data, GROUPS, Recipe(kernel="auto"), seeded())
        heights = {}
        for kernel in ("matern52", "rbf"):
            recipe = Recipe(kernel=kernel)
            heights[kernel] = log_posterior(data, GROUPS, fit(data, GROUPS, recipe, seeded()), recipe).value
        found = log_posterior(data, GROUPS, either, Recipe(kernel=either.kernel)).value
        assert found >= max(heights.values()) - 0.5  # a start may lead elsewhere
        kinds.add(either.kernel)
    if n >= 30:
        assert kinds == {"rbf", "matern52"}


def test_a_kernel_that_is_not_given_is_chosen_in_pools_of_numbers_only() -> None:
    assert Recipe().settled(numbers=False).kernel == "matern52"
    assert Recipe().settled(numbers=True).kernel == "auto"
    assert Recipe(kernel="rbf").settled(numbers=True).kernel == "rbf"
    assert Recipe(kernel="auto").kernels == ("matern52", "rbf")
    assert Recipe().kernels == ("matern52",)


LEVELS = np.array([0, 0, 0, 0, 0, 0, 1])  # six levels of a category, and a number


def priced(rng, prices, n):
    """What things cost whose level has a price and whose number matters little; each level is there."""
    level = np.concatenate([np.arange(len(prices)), rng.integers(len(prices), size=n - len(prices))])
    number = rng.random(n)
    y = np.asarray(prices)[level] + 0.3 * number
    return data_of(np.column_stack([np.eye(len(prices))[level], number]), (y - y.mean()) / y.std())


@pytest.mark.parametrize(
    ("prices", "count"), [([0.0, 0.1, 0.2, 9.0, 0.1, 0.0], 7), ([-1.0, 0.5, 1.3, 0.1, -0.4, 0.9], 2)]
)
def test_the_data_tell_whether_levels_are_unlike_in_different_degrees(prices, count):
    data = priced(np.random.default_rng(1), prices, 30)
    auto = fit(data, LEVELS, Recipe(levels="auto"), np.random.default_rng(0))
    same = fit(data, LEVELS, Recipe(levels="each" if count == 7 else "one"), np.random.default_rng(0))
    assert len(auto.scales) == len(same.scales) == count
    if count == 7:  # the dear level is far from the others, which are near one another
        assert auto.scales[3] < 0.7 * np.delete(auto.scales[:6], 3).min()


def test_a_scale_for_each_level_is_a_fit_of_columns_by_themselves():
    data = priced(np.random.default_rng(2), [0.0, 0.1, 0.2, 9.0, 0.1, 0.0], 12)
    each = fit(data, LEVELS, Recipe(levels="each"), np.random.default_rng(0))
    alone = fit(data, np.arange(7), Recipe(), np.random.default_rng(0))
    assert np.array_equal(each.scales, alone.scales)
    assert each.groups(LEVELS).tolist() == [*range(7)]
    there = np.eye(7)[[0, 3]]
    believed = Model.of([data], LEVELS, (each,)).predict(there)
    assert np.array_equal(believed.mean[:, 0], Posterior.of(data, np.arange(7), alone).predict(there).mean)


def test_a_start_with_scales_for_other_groups_is_left_out():
    data = priced(np.random.default_rng(3), [0.0, 0.1, 0.2, 9.0, 0.1, 0.0], 12)
    each = fit(data, LEVELS, Recipe(levels="each"), np.random.default_rng(0))
    again = fit(data, LEVELS, Recipe(), np.random.default_rng(0), each)
    assert np.array_equal(again.scales, fit(data, LEVELS, Recipe(), np.random.default_rng(0)).scales)


def test_without_categories_there_are_no_levels_to_tell_apart():
    data = random_data(np.random.default_rng(0), 12, 3)
    fits = [
        fit(data, np.arange(3), Recipe(levels=levels), np.random.default_rng(0)) for levels in ("one", "each", "auto")
    ]
    assert all(np.array_equal(other.scales, fits[0].scales) for other in fits[1:])


@pytest.mark.parametrize(("levels", "number", "rows"), [(12, 8, 30), (12, 8, 100), (20, 20, 40)])
def test_levels_that_are_alike_get_no_scales_of_their_own(levels, number, rows):
    """Functions drawn from a kernel with one scale for a category, the more rows and levels the easier to overfit."""
    groups, picked = np.repeat([0, 1, 2], [levels, number, 1]), 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        parts = [np.eye(count)[rng.integers(count, size=rows)] for count in (levels, number)]
        x = np.column_stack([*parts, rng.random(rows)])
        covariance = dense_kernel(x, x, groups, Hyper("matern52", np.full(3, 0.8), 1.0, 0.01, 0.0, 0.5))
        y = np.linalg.cholesky(covariance + 0.01 * np.eye(rows)) @ rng.normal(size=rows)
        found = fit(data_of(x, (y - y.mean()) / y.std()), groups, Recipe(levels="auto"), np.random.default_rng(0))
        picked += len(found.scales) > 3
    assert picked <= 1


def test_many_columns_and_one_scale_for_all_leave_no_scale_to_each_level():
    x = np.column_stack([np.eye(51)[np.arange(12)], np.linspace(0.0, 1.0, 12)])
    data, groups = data_of(x, np.sin(np.arange(12.0))), np.repeat([0, 1], [51, 1])
    assert len(fit(data, groups, Recipe(levels="each"), np.random.default_rng(0)).scales) == 2
    few = priced(np.random.default_rng(0), [0.0, 0.1, 0.2, 9.0, 0.1, 0.0], 12)
    assert len(fit(few, LEVELS, replace(Recipe.paper(), levels="each"), np.random.default_rng(0)).scales) == 2
