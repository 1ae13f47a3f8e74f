"""The joint likelihood against dense algebra and the single ones, its gradient against differences."""

from dataclasses import replace

import numpy as np
import pytest

from gp.cases import KINDS, SHARES, data_of, differences, random_data, random_hyper
from gp.joint_cases import GROUPS, dense_joint_likelihood, joint_data, joint_hyper
from pfes.errors import InvalidInput
from pfes.gp import log_likelihood
from pfes.gp.multitask import JointHyper, joint_log_likelihood
from pfes.gp.multitask.likelihood import JointEvidence
from pfes.observations import merged

STRUCTURES = ["coregional", "latent", "both"]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_value_is_that_of_dense_algebra(rng, structure, kernel, share):
    data, hyper = joint_data(rng, [7, 4, 6]), joint_hyper(rng, 3, structure, kernel, share)
    wanted = dense_joint_likelihood(data, GROUPS, hyper)
    assert joint_log_likelihood(data, GROUPS, hyper).value == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("objectives", range(1, 7))
@pytest.mark.parametrize("shared", [False, True])
def test_any_number_of_objectives(rng, objectives, shared):
    data = joint_data(rng, [5, 0, 1, 3, 2, 4][:objectives], shared=shared)
    hyper = joint_hyper(rng, objectives)
    found = joint_log_likelihood(data, GROUPS, hyper)
    assert found.value == pytest.approx(dense_joint_likelihood(data, GROUPS, hyper), rel=1e-11)
    assert found.tasks.shape == (1, objectives, objectives)


def test_merged_replicates_have_the_likelihood_of_the_single_values(rng):
    hyper, data, single = joint_hyper(rng, 2), [], []
    for _ in range(2):
        x = np.repeat(rng.random((4, 3)), [1, 3, 2, 1], axis=0)
        y = rng.normal(size=len(x))
        data.append(merged(x, y, np.full(len(y), np.nan)))
        single.append(data_of(x, y))
    wanted = dense_joint_likelihood(single, GROUPS, hyper)
    assert joint_log_likelihood(data, GROUPS, hyper).value == pytest.approx(wanted, rel=1e-11)


def test_known_noise_enters_row_by_row(rng):
    hyper, data = joint_hyper(rng, 2), joint_data(rng, [5, 6])
    data[1] = replace(data[1], noise=np.array([0.1, np.nan, 0.02, 0.3, np.nan, 0.05]))
    wanted = dense_joint_likelihood(data, GROUPS, hyper)
    assert joint_log_likelihood(data, GROUPS, hyper).value == pytest.approx(wanted, rel=1e-11)


def from_vector(v, hyper):
    """Hyper-parameters from logarithms, logits, the mixing and the means; shapes and kernel of `hyper`."""
    cuts = np.cumsum([hyper.scales.size, hyper.additive.size, hyper.mixing.size, hyper.noise.size])
    scales, odds, mixing, noise, mean = np.split(v, cuts)
    return replace(
        hyper,
        scales=np.exp(scales).reshape(hyper.scales.shape),
        additive=1 / (1 + np.exp(-odds)),
        mixing=mixing.reshape(hyper.mixing.shape),
        noise=np.exp(noise),
        mean=mean,
    )


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("shared", [False, True])
def test_gradient_is_that_of_differences(rng, structure, kernel, shared):
    data, hyper = joint_data(rng, [6, 4, 5], shared=shared), joint_hyper(rng, 3, structure, kernel)
    replicates = np.repeat(data[0].x, 2, axis=0)
    data[0] = merged(replicates, rng.normal(size=len(replicates)), np.full(len(replicates), np.nan))
    odds = np.log(hyper.additive / (1 - hyper.additive))
    vector = np.concatenate([np.log(hyper.scales).ravel(), odds, hyper.mixing.ravel(), np.log(hyper.noise), hyper.mean])
    wanted = differences(lambda v: joint_log_likelihood(data, GROUPS, from_vector(v, hyper)).value, vector)
    found = joint_log_likelihood(data, GROUPS, hyper)
    # d/dA = 2 (d/dB) A, kernel by kernel
    mixing = np.stack([2 * found.tasks[q] @ hyper.mixing[:, j] for j, q in enumerate(hyper.part)], axis=1)
    flat = np.concatenate([found.scales.ravel(), found.additive, mixing.ravel(), found.noise, found.mean])
    np.testing.assert_allclose(flat, wanted, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.tasks, found.tasks.swapaxes(1, 2), rtol=1e-11, atol=1e-12)


def test_a_diagonal_mixing_gives_the_sum_of_the_single_likelihoods(rng):
    data = [random_data(rng, n, 3) for n in (8, 5, 0)]
    hypers = [random_hyper(rng, 2, additive=share) for share in SHARES]
    single = [log_likelihood(d, GROUPS, h) for d, h in zip(data, hypers, strict=True)]
    found = joint_log_likelihood(data, GROUPS, JointHyper.independent(hypers))
    assert found.value == pytest.approx(sum(s.value for s in single), rel=1e-12)
    np.testing.assert_allclose(found.scales, [s.scales for s in single], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.additive, [s.additive for s in single], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.noise, [s.noise for s in single], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.mean, [s.mean for s in single], rtol=1e-9, atol=1e-12)
    amplitude = [found.tasks[l, l, l] * h.amplitude for l, h in enumerate(hypers)]
    np.testing.assert_allclose(amplitude, [s.amplitude for s in single], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("precision", [0.0, 0.3])
def test_best_means_are_the_best(rng, precision):
    data, hyper = joint_data(rng, [6, 0, 5]), joint_hyper(rng, 3)
    _, best = JointEvidence(data, GROUPS, hyper.kernel, 1).at_best_mean(hyper, precision)
    slope = joint_log_likelihood(data, GROUPS, best).mean - precision * best.mean
    np.testing.assert_allclose(slope, 0.0, atol=1e-9)
    assert best.mean[1] == pytest.approx(0.0, abs=1e-12)


def test_zero_means_stay_zero(rng):
    data, hyper = joint_data(rng, [6, 5]), joint_hyper(rng, 2)
    assert not JointEvidence(data, GROUPS, hyper.kernel, 1).at_best_mean(hyper, np.inf)[1].mean.any()


def test_no_data_say_nothing(rng):
    found = joint_log_likelihood(joint_data(rng, [0, 0]), GROUPS, joint_hyper(rng, 2))
    assert found.value == 0.0
    assert not any(np.any(a) for a in found[1:])


def test_perfectly_correlated_objectives_with_contradicting_exact_values_stay_finite(rng):
    hyper = replace(joint_hyper(rng, 2), mixing=np.ones((2, 3)), noise=np.full(2, 1e-6))
    x = rng.random((3, 3))
    found = joint_log_likelihood([data_of(x, [1.0, 2.0, 3.0], 0.0), data_of(x, [9.0, 0.0, 3.0], 0.0)], GROUPS, hyper)
    assert np.isfinite(found.value)
    assert all(np.isfinite(a).all() for a in found[1:])


def test_one_kind_of_kernel_for_all_objectives(rng):
    with pytest.raises(InvalidInput, match="wanted one kind"):
        JointHyper.independent([random_hyper(rng, 2, "rbf"), random_hyper(rng, 2)])


def test_correlations_of_the_prior(rng):
    hyper = joint_hyper(rng, 3, "latent")
    full = hyper.mixing @ hyper.mixing.T
    np.testing.assert_allclose(hyper.correlation, full / np.sqrt(np.outer(np.diag(full), np.diag(full))), atol=1e-14)
    still = replace(hyper, mixing=np.diag([0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(still.correlation, np.eye(3))
