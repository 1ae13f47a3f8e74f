"""Write fixtures/gpytorch_gp.json: what GPyTorch says of Gaussian processes with given hyper-parameters.

    python -m oracles.make_gp_fixture        (from the folder tests; needs gpytorch)

A list of objects. Inputs: kernel, groups (D,), x (n, D), y (n,), noise (n,) variances, scales (G,), amplitude, mean,
candidates (N, D). Outputs: likelihood in nats; its derivatives d_scales, d_amplitude with respect to logarithms and
d_mean; d_noise with respect to the logarithm of a factor on all variances; predicted (N,), covariance (N, N) of the
function; d_predicted (N, D), d_variance (N, D) with respect to the candidates; values `more_y` at `more_x`, noise
`more_noise`, and the prediction after them, `more_predicted` and `more_variance`.
"""

import json
from pathlib import Path

import gpytorch
import numpy as np
import torch

TARGET = Path(__file__).parents[1] / "fixtures" / "gpytorch_gp.json"
KERNELS = {"rbf": gpytorch.kernels.RBFKernel, "matern52": gpytorch.kernels.MaternKernel}
CASES = [  # kernel, group of each column, points, candidates
    ("rbf", [0], 1, 2),
    ("matern52", [0], 5, 3),
    ("rbf", [0, 1, 2], 12, 4),
    ("matern52", [0, 1, 2], 12, 4),
    ("matern52", [0, 0, 0, 1, 2, 2], 20, 3),
    ("rbf", [0, 1, 1, 2, 3, 3, 3, 4], 25, 3),
]


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, case, parameters):
        super().__init__(x, y, likelihood)
        self.case, self.parameters_of_case = case, parameters
        self.base = KERNELS[case["kernel"]]()
        self.base.lengthscale = 1.0

    def forward(self, x):
        scales, amplitude, mean = self.parameters_of_case
        columns = scales[torch.tensor(self.case["groups"])]
        covariance = amplitude * self.base(x / columns).to_dense()
        return gpytorch.distributions.MultivariateNormal(mean.expand(len(x)), covariance)


def inputs(rng, kernel, groups, n, candidates):
    """A case without its answers."""
    width, count = len(groups), max(groups) + 1
    return {
        "kernel": kernel,
        "groups": groups,
        "x": rng.random((n, width)).tolist(),
        "y": rng.normal(size=n).tolist(),
        "noise": np.exp(rng.uniform(-6.0, -1.0, n)).tolist(),
        "scales": np.exp(rng.normal(-0.3, 0.5, count)).tolist(),
        "amplitude": float(np.exp(rng.normal(0.0, 0.5))),
        "mean": float(rng.normal()),
        "candidates": rng.random((candidates, width)).tolist(),
        "more_x": rng.random((2, width)).tolist(),
        "more_y": rng.normal(size=2).tolist(),
        "more_noise": [0.01, 0.2],
    }


def process(case, parameters, factor, x, y, noise):
    likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(torch.tensor(noise) * factor)
    return Process(torch.tensor(x), torch.tensor(y), likelihood, case, parameters), likelihood


def answers(case):
    """What GPyTorch says, with torch's derivatives."""
    log_scales = torch.tensor(np.log(case["scales"]), requires_grad=True)
    log_amplitude = torch.tensor(np.log(case["amplitude"]), requires_grad=True)
    mean = torch.tensor(case["mean"], requires_grad=True)
    log_factor = torch.zeros((), requires_grad=True)
    parameters = (log_scales.exp(), log_amplitude.exp(), mean)
    model, likelihood = process(case, parameters, log_factor.exp(), case["x"], case["y"], case["noise"])
    likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    model.train()
    value = likelihood_of(model(*model.train_inputs), model.train_targets) * len(case["y"])
    slopes = torch.autograd.grad(value, [log_scales, log_amplitude, mean, log_factor])
    names = ("d_scales", "d_amplitude", "d_mean", "d_noise")
    found = {"likelihood": float(value.detach())} | {k: v.tolist() for k, v in zip(names, slopes, strict=True)}
    return found | predictions(case, [p.detach() for p in parameters]) | after_more(case, parameters)


def predictions(case, parameters):
    model, _ = process(case, parameters, torch.ones(()), case["x"], case["y"], case["noise"])
    model.eval()
    x = torch.tensor(case["candidates"], requires_grad=True)
    predicted = model(x)
    d_predicted = torch.autograd.grad(predicted.mean.sum(), x, retain_graph=True)[0]
    d_variance = torch.autograd.grad(predicted.variance.sum(), x)[0]
    return {
        "predicted": predicted.mean.tolist(),
        "covariance": predicted.covariance_matrix.tolist(),
        "d_predicted": d_predicted.tolist(),
        "d_variance": d_variance.tolist(),
    }


def after_more(case, parameters):
    joined = [case[name] + case[f"more_{name}"] for name in ("x", "y", "noise")]
    model, _ = process(case, [p.detach() for p in parameters], torch.ones(()), *joined)
    model.eval()
    predicted = model(torch.tensor(case["candidates"]))
    return {"more_predicted": predicted.mean.tolist(), "more_variance": predicted.variance.tolist()}


def main():
    torch.set_default_dtype(torch.float64)
    rng = np.random.default_rng(20240)
    exact = (gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.cholesky_jitter(0.0, 0.0, 0.0))
    with exact[0], exact[1], gpytorch.settings.fast_pred_var(False):
        cases = [case | answers(case) for case in (inputs(rng, *sizes) for sizes in CASES)]
    TARGET.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
