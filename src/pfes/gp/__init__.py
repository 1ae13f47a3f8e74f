"""Gaussian processes: one per objective, float64, gradients everywhere, and no numerical exceptions.

    recipe = Recipe()                                    how it is set up
    hyper = fit(data, groups, recipe, rng)               the most probable hyper-parameters
    posterior = Posterior.of(data, groups, hyper)        .predict, .predict_gradient, .covariance, .draw, .given
    model = Model((posterior, ...))                      the same for L objectives
    Feasibility.of(x, ok, groups).probability(x)         where experiments can be done at all

Inputs are encoded points of the unit cube, x (n, D); values are standardised and maximised. Columns belong to groups,
one group and one length scale per parameter.
"""

from pfes.gp.feasibility import Feasibility
from pfes.gp.fit import fit
from pfes.gp.likelihood import Likelihood, log_likelihood, log_posterior
from pfes.gp.model import Model
from pfes.gp.posterior import Posterior, Prediction, Slopes
from pfes.gp.recipe import Hyper, LogNormal, Recipe

__all__ = [
    "Feasibility",
    "Hyper",
    "Likelihood",
    "LogNormal",
    "Model",
    "Posterior",
    "Prediction",
    "Recipe",
    "Slopes",
    "fit",
    "log_likelihood",
    "log_posterior",
]
