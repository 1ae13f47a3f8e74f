"""PHYSBO's policy for pools and several objectives, as its tutorial has it: centred inputs, expected HVPI."""

import contextlib
import io
from typing import Any

import numpy as np

from pfes.bench.methods.protocol import Choose, Record, Start
from pfes.space import Pool

__all__ = ["physbo"]


def physbo(start: Start, score: str = "HVPI", interval: int = 10) -> Choose:
    """Begin a search with a score of PHYSBO's: HVPI (its default), EHVI or TS.

    interval: hyper-parameters are learned at the first suggestion and at every so many; with each they take nine tenths
    of the time.
    """
    import physbo as package  # noqa: PLC0415 - optional

    pool = start.space
    assert isinstance(pool, Pool)  # the registry saw to it
    policy: Any = None
    told = asked = 0

    def choose(record: Record) -> int | None:
        nonlocal policy, told, asked
        levels = record.levels  # it maximises
        with contextlib.redirect_stdout(io.StringIO()):
            if policy is None:
                centred = package.misc.centering(np.array(pool.x))
                first = [record.rows.astype(int), levels.copy()]
                policy = package.search.discrete_multi.Policy(
                    test_X=centred, num_objectives=levels.shape[1], initial_data=first
                )
                policy.set_seed(start.seed)
            elif told < len(record):
                policy.write(record.rows[told:].astype(int), levels[told:])
            told = len(record)
            if told >= len(pool):
                return None
            learn = asked % interval == 0
            asked += 1
            action = policy.bayes_search(
                max_num_probes=1,
                simulator=None,
                score=score,
                is_disp=False,
                interval=0 if learn else -1,  # what it calls an interval counts within one call: learn now, or never
                predictor_list=None if learn else policy.predictor_list,
            )
            return int(action[0])

    return choose
