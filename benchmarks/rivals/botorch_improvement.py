"""BoTorch's analytic expected hypervolume improvement on given predictions.

`ExpectedHypervolumeImprovement` asks a model for its posterior. The model here predicts what it is told,
X = (mean, std), so that no Gaussian process is timed and the gradient with respect to X is that with respect to mean
and deviation. The cells are those of `FastNondominatedPartitioning`, the fewest that BoTorch offers.

torch is imported inside the functions: benchmarks run without it.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["Improvement", "partition"]


def partition(points: np.ndarray, reference: np.ndarray) -> Any:
    """BoTorch's cells of the region above the reference that no point (S, L) dominates."""
    import torch
    from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning

    return FastNondominatedPartitioning(ref_point=torch.as_tensor(reference), Y=torch.as_tensor(points))


class Improvement:
    """The acquisition function on given cells, and the candidates as BoTorch wants them."""

    def __init__(self, mean: np.ndarray, std: np.ndarray, cells: Any) -> None:
        import torch
        from botorch.acquisition.multi_objective.analytic import ExpectedHypervolumeImprovement

        reference = cells.ref_point.tolist()
        self.acquisition = ExpectedHypervolumeImprovement(_given_predictions(mean.shape[1]), reference, cells)
        self.inputs = torch.as_tensor(np.hstack([mean, std])).requires_grad_()  # (N, 2 L)

    @property
    def cells(self) -> int:
        """How many cells BoTorch sums over."""
        return len(self.acquisition.cell_lower_bounds)

    def value(self) -> np.ndarray:
        """(N,)."""
        import torch

        with torch.no_grad():
            return self.acquisition(self.inputs.unsqueeze(-2)).numpy()

    def gradient(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Improvement (N,) and its derivatives with respect to mean and deviation, each (N, L)."""
        import torch

        value = self.acquisition(self.inputs.unsqueeze(-2))
        (slope,) = torch.autograd.grad(value.sum(), self.inputs)
        d_mean, d_std = np.split(slope.numpy(), 2, axis=1)
        return value.detach().numpy(), d_mean, d_std


def _given_predictions(objectives: int) -> Any:
    import torch
    from botorch.models.model import Model

    class Given(Model):
        num_outputs = objectives
        batch_shape = torch.Size()

        def posterior(self, X: Any, **_: Any) -> Any:
            mean, std = X.split(objectives, dim=-1)  # (N, 1, L)
            return SimpleNamespace(mean=mean, variance=std.square())

    return Given()
