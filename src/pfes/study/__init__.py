"""A study: ask, tell, optimise, look. The one thing in pfes that remembers; what happened is a ledger of events.

adding, telling             what users give, checked and made into events
snapshot, asking            what a study knew when it was asked; what it hands out
models                      the door to all that fits models, which loads slowly
rows, merging, restoring    a table of results made part of a study, all or nothing; a whole study from one
foreseeing                  what a table would change
journal, handing, heartbeat what is written down, and how many share it: locks, leases, signs of life
description, opening        what a study is about as a file keeps it; begun, opened again, listed, deleted
measured, findings          what a study can say of itself
stopping, progress, loop    the run of `Study.optimize`
evaluating, crew, workers   what came of an evaluation; many at once on any executor; processes that may be killed
"""

from pfes.study.findings import Estimate, Recommendation
from pfes.study.loop import Outcome
from pfes.study.measured import Measured, MeasuredPoints, Step
from pfes.study.opening import create_study, delete_study, list_studies, open_study
from pfes.study.stopping import GainBelow, Plateau
from pfes.study.study import Study
from pfes.study.workers import Workers

__all__ = [
    "Estimate",
    "GainBelow",
    "Measured",
    "MeasuredPoints",
    "Outcome",
    "Plateau",
    "Recommendation",
    "Step",
    "Study",
    "Workers",
    "create_study",
    "delete_study",
    "list_studies",
    "open_study",
]
