"""Gaussian processes: one per objective, float64, gradients everywhere, and no numerical exceptions.

    recipe = Recipe()                                    how it is set up
    hyper = fit(data, groups, recipe, rng)               the most probable hyper-parameters
    posterior = Posterior.of(data, groups, hyper)        .predict, .predict_gradient, .covariance, .draw, .given
    model = Model((posterior, ...))                      the same for L objectives
    choose(data, groups, recipe, "auto", rng)            objectives together: `multitask`
    Surrogate                                            a Model or a JointModel
    Feasibility.of(x, ok, groups).probability(x)         where experiments can be done at all

Inputs are encoded points of the unit cube, x (n, D); values are standardised and maximised. Columns belong to groups,
one group and one length scale per parameter.
"""

from pfes.gp.feasibility import Feasibility
from pfes.gp.fit import fit
from pfes.gp.likelihood import Likelihood, log_likelihood, log_posterior
from pfes.gp.model import Model
from pfes.gp.multitask import Choice, JointHyper, JointModel, JointSlopes, checked_model, choose
from pfes.gp.posterior import Posterior, Prediction, Slopes
from pfes.gp.recipe import Hyper, LogNormal, Recipe
from pfes.gp.surrogate import AnyPaths, Fitted, Surrogate, paths_of
from pfes.gp.ties import Ties, covariances

__all__ = [
    "AnyPaths",
    "Choice",
    "Feasibility",
    "Fitted",
    "Hyper",
    "JointHyper",
    "JointModel",
    "JointSlopes",
    "Likelihood",
    "LogNormal",
    "Model",
    "Posterior",
    "Prediction",
    "Recipe",
    "Slopes",
    "Surrogate",
    "Ties",
    "checked_model",
    "choose",
    "covariances",
    "fit",
    "log_likelihood",
    "log_posterior",
    "paths_of",
]
