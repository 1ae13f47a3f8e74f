"""A whole suggestion by Optuna: the next trial of a `GPSampler`, its settings the default ones.

optuna is imported inside the functions: benchmarks run without it.
"""

import warnings

import numpy as np

__all__ = ["Asked"]


class Asked:
    """A study that has been told values y (n, L), maximised, at points x (n, d) of the unit cube."""

    def __init__(self, x: np.ndarray, y: np.ndarray, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the sampler is experimental
            sampler = optuna.samplers.GPSampler(seed=seed)
        self._study = optuna.create_study(directions=["maximize"] * y.shape[1], sampler=sampler)
        self._names = [f"x{i}" for i in range(x.shape[1])]
        sides = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in self._names}
        self._study.add_trials(
            optuna.trial.create_trial(params=dict(zip(sides, at, strict=True)), distributions=sides, values=values)
            for at, values in zip(x.tolist(), y.tolist(), strict=True)
        )

    def next(self) -> np.ndarray:
        """The point (d,) to try next."""
        trial = self._study.ask()
        return np.array([trial.suggest_float(name, 0.0, 1.0) for name in self._names])
