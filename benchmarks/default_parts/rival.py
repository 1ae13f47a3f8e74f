"""What BoTorch's qLogNEHVI does on the same problems from the same starts: traces, computed once and kept."""

from typing import Any

import numpy as np

from default_parts.cases import problem, start
from pfes.space import Pool
from rivals.botorch_information import threads
from rivals.botorch_search import next_point, next_row

__all__ = ["trace"]


def trace(name: str, seed: int, evaluations: int, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """A search of so many evaluations, start included; `before`: a shorter trace of it, to be continued."""
    found, domain = problem(name), problem(name).space
    pooled = isinstance(domain, Pool)
    at = list((before or {}).get("at", start(name, seed).tolist()))
    shaken = np.random.default_rng([seed, 7]).standard_normal((1000, len(found.objectives))) * found.noise
    reference = found.objectives.inward(found.reference)
    while len(at) < evaluations:
        places = np.array(at)
        y = found.objectives.inward(found.values(places) + shaken[: len(at)])
        with threads(1):
            if pooled:
                left = np.setdiff1d(np.arange(len(domain)), places)
                at.append(int(left[next_row(domain.x[places], y, reference, 1000 * seed + len(at), domain.x[left])]))
            else:
                at.append(next_point(places, y, reference, 1000 * seed + len(at)).tolist())
    values = found.values(np.array(at))
    held = [round(found.share(values[: n + 1]), 5) for n in range(len(at))]
    points = at if pooled else np.round(at, 12).tolist()
    fits = "pfes" if pooled else "BoTorch"  # who found the hyper-parameters (rivals/botorch_search.py)
    return {"problem": name, "method": "qLogNEHVI", "fits": fits, "seed": seed, "at": points, "held": held}
