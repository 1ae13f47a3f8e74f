"""Where to look: spaces of parameters, and pools of given candidates.

Real, Integer, Choice   what can be set, in the user's units
Linear                  a constraint on sums; a function of the parameters is a constraint, too
Space                   parameters and constraints; encodes dicts into the unit cube and back
Pool                    a finite table of candidates, encoded likewise
"""

from pfes.space.constraints import Constraint, Linear
from pfes.space.parameters import Choice, Integer, Parameter, Real
from pfes.space.pool import Pool
from pfes.space.space import Space

__all__ = ["Choice", "Constraint", "Integer", "Linear", "Parameter", "Pool", "Real", "Space"]
