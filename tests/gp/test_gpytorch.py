"""Agreement with GPyTorch at equal hyper-parameters, to 1e-8: values written by oracles/make_gp_fixture.py."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfes.gp import Hyper, Posterior, log_likelihood
from pfes.observations import Data

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "gpytorch_gp.json").read_text(encoding="utf-8"))
CASES = [{k: v if isinstance(v, str) else np.array(v) for k, v in case.items()} for case in CASES]


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-10)


def named(case):
    return f"{case['kernel']}-{len(case['x'])}x{len(case['groups'])}"


def known_noise(case):
    return Data(case["x"], case["y"], np.ones(len(case["y"])), case["noise"])


def hyper_of(case, noise=1.0):
    return Hyper(case["kernel"], case["scales"], float(case["amplitude"]), noise, float(case["mean"]))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_likelihood_and_its_gradient(case):
    found = log_likelihood(known_noise(case), case["groups"], hyper_of(case))
    close(found.value, case["likelihood"])
    close(found.scales, case["d_scales"])
    close(found.amplitude, case["d_amplitude"])
    close(found.mean, case["d_mean"])
    assert found.noise == 0.0


@pytest.mark.parametrize("case", CASES, ids=named)
def test_gradient_with_respect_to_inferred_noise(case):
    # a noise of 1 behind 1 / noise replicates; what the replicates inside add is known in closed form
    count = 1.0 / case["noise"]
    data = Data(case["x"], case["y"], count, np.full(len(count), np.nan))
    found = log_likelihood(data, case["groups"], hyper_of(case))
    inside = -0.5 * np.sum((count - 1) * np.log(2 * np.pi) + np.log(count))
    close(found.value, case["likelihood"] + inside)
    close(found.noise, case["d_noise"] - 0.5 * np.sum(count - 1))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_prediction_and_its_gradient(case):
    posterior = Posterior.of(known_noise(case), case["groups"], hyper_of(case))
    found = posterior.predict_gradient(case["candidates"])
    variance = np.diag(case["covariance"])
    close(found.mean, case["predicted"])
    close(found.std, np.sqrt(variance))
    close(found.d_mean, case["d_predicted"])
    close(2 * found.std[:, None] * found.d_std, case["d_variance"])
    close(posterior.covariance(case["candidates"], case["candidates"]), case["covariance"])


@pytest.mark.parametrize("case", CASES, ids=named)
def test_prediction_after_more_values(case):
    posterior = Posterior.of(known_noise(case), case["groups"], hyper_of(case))
    found = posterior.given(case["more_x"], case["more_y"], case["more_noise"]).predict(case["candidates"])
    close(found.mean, case["more_predicted"])
    close(found.std**2, case["more_variance"])
