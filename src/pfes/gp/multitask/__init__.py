"""Joint Gaussian processes of L objectives: what is measured of one tells about the others.

    hyper = JointHyper(...)                              how objectives are mixed from independent functions
    model = JointModel.of(data, groups, hyper)           the verbs of `Model`, and .predict_joint with covariances

Inputs, values and groups are those of `pfes.gp`.
"""

from pfes.gp.multitask.hyper import JointHyper
from pfes.gp.multitask.likelihood import JointLikelihood, joint_log_likelihood
from pfes.gp.multitask.model import JointModel, JointPrediction, JointSlopes

__all__ = [
    "JointHyper",
    "JointLikelihood",
    "JointModel",
    "JointPrediction",
    "JointSlopes",
    "joint_log_likelihood",
]
