"""How a suggestion is asked for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Request"]


@dataclass(frozen=True)
class Request:
    """How a suggestion is asked for.

    decoupled   single objectives and bundles may be named
    fixed       parameters held at given values for this request (pools: only such rows)
    replicates  points already measured may be suggested again
    timeout     seconds after which the best so far is returned
    limit       what all that is suggested may cost together
    confirm     measure, or complete, what adds most to what is held, without a thought for learning
    """

    decoupled: bool = False
    fixed: Mapping[str, Any] | None = None
    replicates: bool = False
    timeout: float | None = None
    limit: float = math.inf
    confirm: bool = False
