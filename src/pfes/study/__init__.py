"""A study: ask, tell, optimise, look. The one thing in pfes that remembers; what happened is a ledger of events.

adding, telling, asking     what users give and want, checked and made into events
measured, findings          what a study can say of itself
stopping, progress, loop    the run of `Study.optimize`
"""

from pfes.study.findings import Estimate, Recommendation
from pfes.study.loop import Outcome
from pfes.study.measured import Measured, MeasuredPoints, Step
from pfes.study.stopping import GainBelow, Plateau
from pfes.study.study import Study, create_study

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
    "create_study",
]
