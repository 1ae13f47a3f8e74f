"""Agreement with GPyTorch's multitask models, to 1e-8: values written by oracles/make_multitask_fixture.py."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfes.gp.multitask import JointHyper, JointModel, joint_log_likelihood
from pfes.observations import Data

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "gpytorch_multitask.json").read_text(encoding="utf-8"))
CASES = [{k: v if isinstance(v, str) else np.array(v) for k, v in case.items()} for case in CASES]


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-10)


def named(case):
    return f"{case['kernel']}-{'-'.join(map(str, case['part']))}"


def parts_of(case):
    """Data, groups and hyper-parameters."""
    own = [case["task"] == l for l in range(len(case["mean"]))]
    data = [Data(case["x"][o], case["y"][o], np.ones(o.sum()), case["noise"][o]) for o in own]
    parts, count = len(case["scales"]), len(own)
    hyper = JointHyper(
        case["kernel"],
        case["scales"],
        np.zeros(parts),
        case["mixing"],
        case["part"],
        np.ones(count),
        case["mean"],
    )
    return data, np.arange(case["x"].shape[1]), hyper


@pytest.mark.parametrize("case", CASES, ids=named)
def test_likelihood_and_its_gradient(case):
    data, groups, hyper = parts_of(case)
    found = joint_log_likelihood(data, groups, hyper)
    close(found.value, case["likelihood"])
    if "d_scales" in case:
        close(found.scales, case["d_scales"])
        close(found.mean, case["d_mean"])
        # d/dA = 2 (d/dB) A, kernel by kernel
        mixing = [2 * found.tasks[q] @ hyper.mixing[:, j] for j, q in enumerate(hyper.part)]
        close(np.stack(mixing, axis=1), case["d_mixing"])


@pytest.mark.parametrize("case", CASES, ids=named)
def test_means_and_covariances(case):
    model = JointModel.of(*parts_of(case))
    x = case["candidates"]
    found = model.predict_joint_gradient(x)
    close(found.mean, case["predicted"])
    close(found.covariance, np.stack([case["covariance"][i, :, i] for i in range(len(x))]))
    close(model.covariance(x, x), case["covariance"])
    if "d_predicted" in case:
        close(found.d_mean, case["d_predicted"])
