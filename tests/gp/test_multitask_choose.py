"""The choice of a model: densities of values left out against leaving them out, and what is chosen for which data."""

import numpy as np
import pytest

from gp.cases import data_of, normal_log_density
from gp.joint_cases import GROUPS, joint_data, joint_hyper
from pfes.errors import InvalidInput
from pfes.gp import Recipe
from pfes.gp.multitask import JointModel, choose, left_out
from pfes.gp.multitask.choose import SMALLEST, _chosen


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("structure", ["coregional", "latent"])
def test_densities_are_those_of_leaving_values_out(rng, structure):
    data, hyper = joint_data(rng, [5, 7, 3], shared=True), joint_hyper(rng, 3, structure)
    found = iter(left_out(JointModel.of(data, GROUPS, hyper)))
    for l, own in enumerate(data):
        for i in range(len(own.y)):
            rest = [d.part(np.flatnonzero(np.arange(len(d.y)) != i)) if d is own else d for d in data]
            mean, covariance = JointModel.of(rest, GROUPS, hyper).predict_joint(own.x[i : i + 1])
            variance = covariance[0, l, l] + hyper.noise[l] + SMALLEST**2
            wanted = normal_log_density(own.y[i : i + 1], mean[0, l : l + 1], np.array([[variance]]))
            assert next(found) == pytest.approx(wanted, rel=1e-8, abs=1e-8)
    assert next(found, None) is None


def wavy(rng, n, turns):
    x = rng.random((n, 3))
    return x, np.sin(turns * x[:, 0]) + x[:, 1] ** 2 - np.cos(3 * x[:, 2])


def test_copies_of_one_objective_are_modelled_together(rng):
    (x, y), (x2, y2) = wavy(rng, 12, 7.0), wavy(rng, 40, 7.0)
    data = [data_of(x, y), data_of(np.concatenate((x, x2)), -np.append(y, y2))]
    found = choose(data, GROUPS, Recipe(), "auto", rng)
    assert found.kind in ("coregional", "latent")
    assert found.hyper.correlation[0, 1] < -0.5
    assert "better by the" in found.reason
    assert set(found.densities) == {"independent", "coregional", "latent"}


@pytest.mark.parametrize("model", ["independent", "coregional", "latent"])
def test_what_is_asked_for_is_done(rng, model):
    found = choose(joint_data(rng, [5, 4]), GROUPS, Recipe(), model, rng)
    assert (found.kind, found.densities) == (model, {})
    assert len(found.singles) == 2
    if model == "independent":
        np.testing.assert_array_equal(found.hyper.correlation, np.eye(2))


def test_one_objective_is_independent(rng):
    assert choose(joint_data(rng, [5]), GROUPS, Recipe(), "auto", rng).reason == "there is one objective"


@pytest.mark.parametrize("sizes", [[0, 0], [1, 0], [1, 1], [3, 0]])
def test_hardly_any_data_show_nothing(rng, sizes):
    found = choose(joint_data(rng, sizes, shared=True), GROUPS, Recipe(), "auto", rng)
    assert np.isfinite(list(found.densities.values())).all()
    assert found.kind == "independent" or sum(sizes) > 1


def test_what_predicts_best_is_chosen(rng):
    base = rng.normal(size=10)
    kind, reason, means = _chosen({"independent": base, "coregional": base + 0.5, "latent": base + 0.2})
    assert (kind, "0.5 nats better by the coregional" in reason) == ("coregional", True)
    assert means["coregional"] - means["independent"] == pytest.approx(0.5)
    assert _chosen({"independent": base[:1], "coregional": base[:1] + 1.0, "latent": base[:1]})[0] == "independent"
    kind, reason, _ = _chosen({"independent": base, "coregional": base - 2.0, "latent": base - 1.0})
    assert (kind, "worse by the latent" in reason) == ("independent", True)


def test_unknown_models_are_refused(rng):
    with pytest.raises(InvalidInput, match="model: got 'joint', wanted one of 'independent'"):
        choose(joint_data(rng, [2, 2]), GROUPS, Recipe(), "joint", rng)
