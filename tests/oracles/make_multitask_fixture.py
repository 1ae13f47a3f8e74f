"""Write fixtures/gpytorch_multitask.json: what GPyTorch says of several objectives together, at given parameters.

    python -m oracles.make_multitask_fixture        (from the folder tests; needs gpytorch)

A list of objects. Inputs: kernel; x (n, D) and task (n,), y (n,), noise (n,) variances of single values; mixing (L, J),
part (J,), scales (Q, D), mean (L,); candidates (N, D). Outputs, with GPyTorch's IndexKernel times its RBF or Matern
kernel, added up over the kernels: likelihood in nats, its derivatives d_scales in log scales, d_mixing and d_mean;
predicted (N, L) and covariance (N, L, N, L) of the functions; d_predicted (N, L, D).
The last case has all objectives at all points, and answers of GPyTorch's MultitaskKernel.
"""

import json
from pathlib import Path

import gpytorch
import numpy as np
import torch
from linear_operator import to_linear_operator

TARGET = Path(__file__).parents[1] / "fixtures" / "gpytorch_multitask.json"
CASES = [  # kernel, kernel of each function, values of each objective, columns
    ("rbf", [0, 0], [5, 3], 1),
    ("matern52", [0, 0, 0], [7, 4, 5], 3),
    ("matern52", [0, 1, 2], [6, 8], 2),
    ("rbf", [0, 1, 1, 0], [5, 0, 6, 4], 3),
]


class Process(gpytorch.models.ExactGP):
    """Independent kernels, each times an IndexKernel; inputs are columns and, last, the objective."""

    def __init__(self, x, y, likelihood, case, parameters):
        super().__init__(x, y, likelihood)
        self.case, (self.scales, self.mixing, self.mean) = case, parameters
        kind = gpytorch.kernels.RBFKernel if case["kernel"] == "rbf" else gpytorch.kernels.MaternKernel
        self.base = kind()
        self.base.lengthscale = 1.0
        self.index = gpytorch.kernels.IndexKernel(num_tasks=len(case["mean"]), rank=1)

    def forward(self, inputs):
        x, task = inputs[:, :-1], inputs[:, -1:].long()
        covariance = 0.0
        for q, scales in enumerate(self.scales):
            a = self.mixing[:, [j for j, part in enumerate(self.case["part"]) if part == q]]
            covariance = covariance + self.between_tasks(a, task) * self.base(x / scales).to_dense()
        return gpytorch.distributions.MultivariateNormal(self.mean[task[:, 0]], to_linear_operator(covariance))

    def between_tasks(self, a, task):
        """IndexKernel with covar_factor a and no variance of its own."""
        del self.index.covar_factor
        self.index.covar_factor = a
        self.index.initialize(raw_var=torch.full_like(self.index.raw_var, -1e3))
        return self.index(task).to_dense()


def inputs(rng, kernel, part, sizes, width):
    """A case without its answers."""
    n, objectives, parts = sum(sizes), len(sizes), max(part) + 1
    return {
        "kernel": kernel,
        "x": rng.random((n, width)).tolist(),
        "task": np.repeat(np.arange(objectives), sizes).tolist(),
        "y": rng.normal(size=n).tolist(),
        "noise": np.exp(rng.uniform(-6.0, -1.0, n)).tolist(),
        "mixing": rng.normal(size=(objectives, len(part))).tolist(),
        "part": part,
        "scales": np.exp(rng.normal(-0.3, 0.5, (parts, width))).tolist(),
        "mean": rng.normal(size=objectives).tolist(),
        "candidates": rng.random((3, width)).tolist(),
    }


def columns(x, task):
    return torch.cat([x, torch.as_tensor(task, dtype=torch.float64)[:, None]], dim=1)


def process(case, parameters):
    likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(torch.tensor(case["noise"]))
    x = columns(torch.tensor(case["x"]), case["task"])
    return Process(x, torch.tensor(case["y"]), likelihood, case, parameters), likelihood


def answers(case):
    """What GPyTorch says, with torch's derivatives."""
    log_scales = torch.tensor(np.log(case["scales"]), requires_grad=True)
    mixing, mean = (torch.tensor(case[name], requires_grad=True) for name in ("mixing", "mean"))
    model, likelihood = process(case, (log_scales.exp(), mixing, mean))
    likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    model.train()
    value = likelihood_of(model(*model.train_inputs), model.train_targets) * len(case["y"])
    slopes = torch.autograd.grad(value, [log_scales, mixing, mean])
    found = dict(zip(("d_scales", "d_mixing", "d_mean"), (slope.tolist() for slope in slopes), strict=True))
    return {"likelihood": float(value.detach())} | found | predictions(case, [log_scales.exp(), mixing, mean])


def predictions(case, parameters):
    model, _ = process(case, [p.detach() for p in parameters])
    model.eval()
    objectives, many = len(case["mean"]), len(case["candidates"])
    x = torch.tensor(case["candidates"], requires_grad=True)
    predicted = model(columns(x.repeat_interleave(objectives, dim=0), torch.arange(objectives).repeat(many)))
    mean = predicted.mean.reshape(many, objectives)
    slopes = [torch.autograd.grad(mean[:, l].sum(), x, retain_graph=True)[0] for l in range(objectives)]
    return {
        "predicted": mean.tolist(),
        "covariance": predicted.covariance_matrix.reshape(many, objectives, many, objectives).tolist(),
        "d_predicted": torch.stack(slopes, dim=1).tolist(),
    }


class Multitask(gpytorch.models.ExactGP):
    """GPyTorch's own multitask model: MultitaskKernel over a Matern kernel."""

    def __init__(self, x, y, likelihood, case):
        super().__init__(x, y, likelihood)
        self.mean = torch.tensor(case["mean"])
        base = gpytorch.kernels.MaternKernel(ard_num_dims=x.shape[1])
        base.lengthscale = torch.tensor(case["scales"])
        self.kernel = gpytorch.kernels.MultitaskKernel(base, num_tasks=len(case["mean"]), rank=len(case["part"]))
        self.kernel.task_covar_module.initialize(covar_factor=torch.tensor(case["mixing"]))
        self.kernel.task_covar_module.initialize(raw_var=torch.full((len(case["mean"]),), -1e3))

    def forward(self, x):
        mean = self.mean.expand(len(x), len(self.mean))
        return gpytorch.distributions.MultitaskMultivariateNormal(mean, self.kernel(x))


def whole(rng, objectives=2, n=6, width=2):
    """A case with all objectives at all points, answered by the multitask model."""
    case = inputs(rng, "matern52", [0, 0], [n] * objectives, width)
    points = rng.random((n, width))
    each = np.exp(rng.uniform(-5.0, -2.0, objectives))
    case |= {"x": np.tile(points, (objectives, 1)).tolist(), "noise": np.repeat(each, n).tolist()}
    y = torch.tensor(case["y"]).reshape(objectives, n).T
    likelihood = gpytorch.likelihoods.MultitaskGaussianLikelihood(
        num_tasks=objectives, has_global_noise=False, noise_constraint=gpytorch.constraints.Positive()
    )
    likelihood.task_noises = torch.tensor(each)
    model = Multitask(torch.tensor(points), y, likelihood, case)
    model.train()
    prior = likelihood(model(torch.tensor(points)))
    value = prior.log_prob(y)
    model.eval()
    predicted = model(torch.tensor(case["candidates"]))
    shape = (len(case["candidates"]), objectives)
    return case | {
        "likelihood": float(value.detach()),
        "predicted": predicted.mean.tolist(),
        "covariance": predicted.covariance_matrix.detach().reshape(*shape, *shape).tolist(),
    }


def main():
    torch.set_default_dtype(torch.float64)
    rng = np.random.default_rng(20250)
    exact = (gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.cholesky_jitter(0.0, 0.0, 0.0))
    with exact[0], exact[1], gpytorch.settings.fast_pred_var(False):
        cases = [case | answers(case) for case in (inputs(rng, *sizes) for sizes in CASES)]
        cases.append(whole(rng))
    TARGET.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
