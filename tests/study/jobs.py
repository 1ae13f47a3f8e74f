"""Functions that evaluate trials, at the top of a module, so that other processes can be sent them."""

import os
import signal
import time

from pfes import Infeasible
from pfes.trials import Trial
from study.examples import measured


def plain(trial: Trial) -> dict[str, float]:
    return measured(trial)


def unhurried(trial: Trial) -> dict[str, float]:
    time.sleep(0.3)
    return measured(trial)


def troubled(trial: Trial) -> dict[str, float]:
    """One of each: raises, hangs, kills its process, gives a part, knows that it cannot be, works."""
    case = trial.id % 6
    if case == 1:
        raise ValueError("the furnace tripped")
    if case == 2:
        time.sleep(60)
    if case == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if case == 4:
        return {"power": 1.0}
    if case == 5:
        raise Infeasible("it would melt")
    return measured(trial)


def where(trial: Trial) -> dict[str, float]:
    """The number of the process that evaluates."""
    time.sleep(0.3)
    return {"power": float(os.getpid()), "waste": 0.0}


def unsendable(trial: Trial) -> object:
    return lambda: trial


def killed(trial: Trial) -> dict[str, float]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}
