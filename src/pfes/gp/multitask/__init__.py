"""Joint Gaussian processes of L objectives: what is measured of one tells about the others.

    hyper = fit_joint(data, groups, recipe, "latent", rng)    how objectives are mixed from independent functions
    model = JointModel.of(data, groups, hyper)                the verbs of `Model`, and .predict_joint with covariances
    paths = draw_joint_paths(model, 10, rng)                  functions drawn from it
    choose(data, groups, recipe, "auto", rng)                 which model, and why

Inputs, values and groups are those of `pfes.gp`.
"""

from pfes.gp.multitask.choose import Choice, checked_model, choose, left_out
from pfes.gp.multitask.fit import Start, fit_joint
from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.likelihood import JointLikelihood, joint_log_likelihood
from pfes.gp.multitask.model import JointModel, JointPrediction, JointSlopes
from pfes.gp.multitask.paths import JointPaths, draw_joint_paths

__all__ = [
    "Choice",
    "JointHyper",
    "JointLikelihood",
    "JointModel",
    "JointPaths",
    "JointPrediction",
    "JointSlopes",
    "Start",
    "checked_model",
    "choose",
    "draw_joint_paths",
    "fit_joint",
    "joint_log_likelihood",
    "left_out",
]
