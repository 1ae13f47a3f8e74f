"""BoTorch's noise-free entropy search on given predictions: the rival that computes the paper's Theorem 1.

`qLowerBoundMultiObjectiveMaxValueEntropySearch(estimation_type="0")` asks a model for its posterior. The model here
predicts what it is told, X = (mean, std), so that no Gaussian process is timed and the gradient with respect to X is
that with respect to mean and deviation. Its noise is zero, hence BoTorch's difference of entropies is Theorem 1.

torch is imported inside the functions: benchmarks run without it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["CLAMP", "Search", "own_threads", "partition", "regions", "threads"]

CLAMP = float(np.finfo(float).eps)  # the least mass BoTorch gives a cell in one objective


def partition(frontiers: list[np.ndarray]) -> Any:
    """BoTorch's cells of the dominated regions: (R, 2, J, L), short ones padded with empty cells at 0."""
    import torch
    from botorch.acquisition.multi_objective.utils import compute_sample_box_decomposition

    return compute_sample_box_decomposition(torch.as_tensor(np.stack(frontiers)))


def regions(cells: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same cells without the padding: lower and upper bounds (M, L) for each frontier."""
    found = []
    for lower, upper in cells.numpy():
        real = (lower < upper).all(axis=1)
        found.append((lower[real], upper[real]))
    return found


def own_threads() -> int:
    """How many threads torch uses of its own accord."""
    import torch

    return torch.get_num_threads()


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let torch use `number` threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Search:
    """The acquisition function on given cells, and the candidates as BoTorch wants them."""

    def __init__(self, mean: np.ndarray, std: np.ndarray, cells: Any) -> None:
        import torch
        from botorch.acquisition.multi_objective import max_value_entropy_search as library

        self.acquisition = library.qLowerBoundMultiObjectiveMaxValueEntropySearch(
            _given_predictions(mean.shape[1]), cells, estimation_type="0"
        )
        self.inputs = torch.as_tensor(np.hstack([mean, std])).requires_grad_()  # (N, 2 L)

    def gain(self) -> np.ndarray:
        """(N,) nats."""
        import torch

        with torch.no_grad():
            return self.acquisition(self.inputs.unsqueeze(-2)).numpy()

    def gradient(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gain (N,) and its derivatives with respect to mean and deviation, each (N, L)."""
        import torch

        gain = self.acquisition(self.inputs.unsqueeze(-2))
        (slope,) = torch.autograd.grad(gain.sum(), self.inputs)
        d_mean, d_std = np.split(slope.numpy(), 2, axis=1)
        return gain.detach().numpy(), d_mean, d_std


def _given_predictions(objectives: int) -> Any:
    import torch
    from botorch.models.model import Model

    class Given(Model):
        num_outputs = objectives
        batch_shape = torch.Size()

        def __init__(self) -> None:
            super().__init__()
            self.train_inputs = (torch.zeros(1, 2 * objectives, dtype=torch.double),)

        def posterior(self, X: Any, **_: Any) -> Any:  # noise or no noise: it is zero
            mean, std = X.split(objectives, dim=-1)  # (..., 1, L)
            covariance = torch.diag_embed(std.square().squeeze(-2))
            return SimpleNamespace(mean=mean, variance=std.square(), mvn=SimpleNamespace(covariance_matrix=covariance))

    return Given()
