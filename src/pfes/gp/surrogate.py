"""What suggestions are made from: objectives believed apart or together, and what differs between the two.

A `Model` and a `JointModel` have the same verbs. Whoever wants covariances between objectives has to know which it is;
so does whoever draws paths. A fit is the objectives' own hyper-parameters or, where a joint model was allowed, the
`Choice` that was made.
"""

import numpy as np

from pfes.errors import InvalidInput
from pfes.gp.model import Model
from pfes.gp.multitask import Choice, JointModel, JointPaths, draw_joint_paths
from pfes.gp.paths import Kind, Paths, draw_paths
from pfes.gp.recipe import Hyper

__all__ = ["AnyPaths", "Fitted", "Surrogate", "paths_of"]

Surrogate = Model | JointModel
AnyPaths = Paths | JointPaths
Fitted = tuple[Hyper, ...] | Choice


def paths_of(model: Surrogate, count: int, rng: np.random.Generator, *, features: int, kind: Kind) -> AnyPaths:
    """Functions drawn from either; see `draw_paths` and `draw_joint_paths`."""
    if isinstance(model, Model):
        return draw_paths(model, count, rng, features=features, kind=kind)
    if kind != "pathwise":
        raise InvalidInput(f"kind: got {kind!r}, wanted 'pathwise', the one there is for objectives together")
    return draw_joint_paths(model, count, rng, features=features)
