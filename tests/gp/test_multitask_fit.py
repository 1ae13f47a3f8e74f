"""Joint fits: the searched density's gradient, the single fit as a special case, what is found and what is not."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gp.cases import data_of, differences
from gp.joint_cases import GROUPS, joint_data
from pfes.errors import InvalidInput
from pfes.gp import Hyper, Recipe, fit, log_posterior
from pfes.gp.multitask import JointHyper, JointModel, Start, fit_joint
from pfes.gp.multitask.fit import Coordinates, _Search
from pfes.gp.multitask.loadings import JOINT, Structure
from pfes.observations import Data

RECIPES = {"default": Recipe(), "shared": Recipe(isotropic=True), "paper": Recipe.paper()}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def coordinates_of(kind, objectives, recipe=RECIPES["default"], noise=True):
    return Coordinates(
        recipe,
        Structure.of(kind, objectives),
        2,
        recipe.is_isotropic(2),
        recipe.amplitude == "fit",
        np.full(objectives, noise and recipe.noise == "fit"),
        recipe.fits_additive(2),
    )


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
@pytest.mark.parametrize("kind", JOINT)
@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_gradient_of_what_is_searched_is_that_of_differences(rng, kind, objectives, recipe):
    search = _Search(joint_data(rng, [6, 4, 5][:objectives]), GROUPS, coordinates_of(kind, objectives, recipe))
    size = len(search.coordinates.bounds())
    vector = rng.normal(-0.5, 0.4, size)
    wanted = differences(lambda v: search.cost(v)[0], vector)
    np.testing.assert_allclose(search.cost(vector)[1], wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", JOINT)
def test_vectors_and_parameters_are_the_same_thing(rng, kind):
    coordinates = coordinates_of(kind, 4)
    vector = rng.normal(-0.5, 0.4, len(coordinates.bounds()))
    np.testing.assert_allclose(coordinates.pack(coordinates.unpack(vector)), vector, atol=1e-12)


@pytest.mark.parametrize("kind", JOINT)
@pytest.mark.parametrize("objectives", range(1, 7))
def test_deviations_stay_what_they_are_whatever_is_shared(rng, kind, objectives):
    structure = Structure.of(kind, objectives)
    loadings, deviation = 2 * rng.normal(size=(objectives, structure.shared)), rng.uniform(0.5, 2, objectives)
    mixing = structure.mixing(loadings, deviation)
    np.testing.assert_allclose((mixing**2).sum(axis=1), deviation**2, rtol=1e-12)
    np.testing.assert_allclose(structure.loadings(mixing), loadings, atol=1e-9)


@pytest.mark.parametrize("kind", JOINT)
def test_loadings_that_explain_correlations(kind):
    signs = np.array([1.0, -1.0, 1.0])
    wanted = 0.8 * np.outer(signs, signs) + 0.2 * np.eye(3)
    structure = Structure.of(kind, 3)
    mixing = structure.mixing(structure.explaining(wanted), np.ones(3))
    np.testing.assert_allclose((mixing @ mixing.T), wanted, atol=0.15)


def test_an_objective_is_its_own_without_correlations():
    structure = Structure.of("latent", 2)
    assert np.abs(structure.explaining(np.eye(2))[:, 0]).min() == 0.0


def test_the_coregional_prior_is_the_latent_one_with_equal_kernels(rng):
    one, many = coordinates_of("coregional", 3), coordinates_of("latent", 3)
    vectors = rng.normal(-0.5, 0.4, (2, len(one.bounds())))
    values = [
        [one.log_prior(v)[0], many.log_prior(np.concatenate([np.tile(v[:2], 5), np.repeat(v[2:3], 5), v[3:]]))[0]]
        for v in vectors
    ]
    np.testing.assert_allclose(*np.diff(values, axis=0).T, rtol=1e-12)  # but for constants


@pytest.mark.parametrize("kind", JOINT)
def test_one_objective_has_the_single_fit(rng, kind):
    data, recipe = joint_data(rng, [12]), Recipe()
    single = fit(data[0], GROUPS, recipe, np.random.default_rng(1))
    found = fit_joint(data, GROUPS, recipe, kind, np.random.default_rng(1))
    joint = Hyper(
        found.kernel, found.scales[0], found.amplitude[0], found.noise[0], found.mean[0], float(found.additive[0])
    )
    reached = log_posterior(data[0], GROUPS, joint, recipe).value
    assert reached == pytest.approx(log_posterior(data[0], GROUPS, single, recipe).value, abs=1e-2)


def drawn(rng, hyper, sizes, noise=1e-4):
    """Data drawn from a joint model."""
    x = [rng.random((n, 3)) for n in sizes]
    none = [data_of(np.zeros((0, 3)), []) for _ in sizes]
    values = JointModel.of(none, GROUPS, hyper).draw(np.concatenate(x), 1, rng)[0]
    ends = np.cumsum([0, *sizes])
    return [
        data_of(x[l], values[a:b, l] + noise**0.5 * rng.normal(size=b - a)) for l, (a, b) in enumerate(pairwise(ends))
    ]


@pytest.mark.parametrize("kind", JOINT)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_correlations_are_learned_from_different_points(rng, kind, sign):
    mixing = np.array([[1.0, 0.2, 0.0], [sign, 0.0, 0.2]])
    one = JointHyper("matern52", np.full((1, 2), 0.6), np.zeros(1), mixing, np.zeros(3, int), np.ones(2), np.zeros(2))
    found = fit_joint(drawn(rng, one, [40, 40]), GROUPS, Recipe(), kind, rng)
    assert sign * found.correlation[0, 1] > 0.7


@pytest.mark.parametrize("kind", JOINT)
def test_ten_values_of_unrelated_objectives_show_little_correlation(kind):
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        hyper = JointHyper(
            "matern52", np.full((2, 2), 0.5), np.zeros(2), np.eye(2), np.arange(2), np.ones(2), np.zeros(2)
        )
        found.append(abs(fit_joint(drawn(rng, hyper, [10, 10]), GROUPS, Recipe(), kind, rng).correlation[0, 1]))
    assert np.mean(found) < 0.25


@pytest.mark.parametrize("kind", JOINT)
def test_a_fit_is_a_function_of_its_arguments_and_leaves_them_alone(rng, kind, frozen):
    data = [Data(*(frozen(a) for a in (d.x, d.y, d.count, d.noise))) for d in joint_data(rng, [8, 6])]
    a, b = (fit_joint(data, frozen(GROUPS), Recipe(), kind, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(a.mixing, b.mixing)
    np.testing.assert_array_equal(a.scales, b.scales)


@pytest.mark.parametrize("kind", JOINT)
def test_a_fit_goes_on_from_one_of_similar_data(rng, kind):
    data = joint_data(rng, [12, 9])
    first = fit_joint(data, GROUPS, Recipe(), kind, rng)
    again = fit_joint(data, GROUPS, Recipe(), kind, rng, Start([], first))
    search = _Search(data, GROUPS, coordinates_of(kind, 2))
    before, after = (search.cost(search.coordinates.pack(hyper))[0] for hyper in (first, again))
    assert after <= before + 1e-2


def test_starts_of_other_shapes_are_refused(rng):
    data = joint_data(rng, [4, 3])
    latent = fit_joint(data, GROUPS, Recipe(), "latent", rng)
    with pytest.raises(InvalidInput, match=r"start: got length scales \(3, 2\)"):
        fit_joint(data, GROUPS, Recipe(), "coregional", rng, Start([], latent))
    with pytest.raises(InvalidInput, match="kind: got 'joint'"):
        fit_joint(data, GROUPS, Recipe(), "joint", rng)


def test_many_data_are_searched_in_part_first(rng, monkeypatch):
    monkeypatch.setattr("pfes.gp.multitask.fit.FEWEST", 5)
    monkeypatch.setattr("pfes.gp.multitask.fit.PART", 10)
    found = fit_joint(joint_data(rng, [30, 3]), GROUPS, Recipe(), "latent", rng)
    assert np.isfinite(found.mixing).all()


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(0, 5), min_size=1, max_size=6),
    st.sampled_from(JOINT),
    st.sampled_from(["usual", "constants", "copies", "duplicates", "huge", "exact"]),
)
def test_no_data_are_too_strange_for_a_fit(seed, sizes, kind, case):
    rng = np.random.default_rng(seed)
    data = joint_data(rng, sizes, shared=True)
    value = {"constants": lambda d: 0 * d.y + 3, "copies": lambda d: d.x.sum(axis=1), "huge": lambda d: 1e6 * d.y}
    data = [data_of(d.x, value.get(case, lambda d: d.y)(d), 0.0 if case == "exact" else np.nan) for d in data]
    if case == "duplicates":
        data = [data_of(np.repeat(d.x[:1], len(d.y), axis=0), d.y) for d in data]
    singles = [Recipe().mode(2)] * len(sizes)
    found = fit_joint(data, GROUPS, Recipe(), kind, rng, Start(singles))
    fields = (found.scales, found.additive, found.mixing, found.noise, found.mean)
    assert all(np.isfinite(a).all() for a in fields)
    predicted = JointModel.of(data, GROUPS, found).predict_gradient(rng.random((2, 3)))
    assert all(np.isfinite(a).all() for a in predicted)
