"""The pictures of a study by name; those that need a model load it when they are described."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from pfes.errors import InvalidInput
from pfes.plots.chart import Chart
from pfes.plots.correlations import FEW, telling
from pfes.plots.view import View, look
from pfes.study import Study

__all__ = ["BEYOND", "PICTURES", "Description", "Picture", "describe", "pictures"]


class Description(Protocol):
    """The data of a picture: plain values that can be looked at, and drawn as a chart."""

    def chart(self) -> Chart:
        """What to draw."""


@dataclass(frozen=True)
class Picture:
    """A picture on offer. model: it shows what a model thinks; why: it cannot be drawn now, or empty."""

    name: str
    title: str
    model: bool = False
    why: str = ""


# name -> (file and function, title, whether it shows a model, from how many objectives to how many)
PICTURES: dict[str, tuple[str, str, bool, int, int]] = {
    "progress": ("progress.progress", "Progress", False, 1, 1),
    "front": ("front.front", "The trade-off", False, 2, 3),
    "parallel": ("parallel.parallel", "The front, objective by objective", False, 3, 99),
    "attainment": ("attainment.attainment", "What may still be found", True, 2, 2),
    "volume": ("traces.volumes", "What is held", False, 1, 99),
    "gains": ("traces.gains", "Is it still worth while?", False, 1, 99),
    "costs": ("traces.costs", "What it cost", False, 1, 99),
    "spending": ("traces.spending", "Where the cost went", False, 2, 99),
    "calibration": ("calibration.calibration", "Can the model be trusted?", True, 1, 99),
    "slices": ("slices.slices", "What each parameter does", True, 1, 99),
    "correlations": ("correlations.correlations", "Which goals compete?", False, 2, 99),
}


VALUED = ("progress", "front", "parallel", "attainment", "volume", "calibration", "slices")  # that show measured values
LARGEST = 1e300  # of what can be drawn: beyond it, margins and ranges of axes are no numbers any more
BEYOND = f"some measured values are beyond {LARGEST:g}, which cannot be drawn"


def pictures(of: Study | View) -> list[Picture]:
    """The pictures that a study of so many objectives has, and why some cannot be drawn yet. Fits nothing."""
    view = look(of, model=False) if isinstance(of, Study) else of
    suited = {name: it for name, it in PICTURES.items() if it[3] <= len(view.objectives) <= it[4]}
    return [Picture(name, it[1], it[2], _why_not(view, name, it[2])) for name, it in suited.items()]


def _why_not(view: View, name: str, model: bool) -> str:
    if name in VALUED and any(abs(value) > LARGEST for point in view.points for value in point.values.values()):
        return BEYOND
    if model:
        return view.lacking
    needed: dict[str, Callable[[], str]] = {
        "front": lambda: "" if view.whole else "no point has every objective measured yet",
        "volume": lambda: (
            "" if view.steps else "too few points have every objective measured to choose a reference point"
        ),
        "gains": lambda: (
            "" if any(map(math.isfinite, (t.gain for t in view.trials))) else "no model has suggested anything yet"
        ),
        "correlations": lambda: "" if telling(view) else f"fewer than {FEW} points have every objective measured",
        "spending": lambda: "" if any(t.spent for t in view.trials) else "nothing was paid for yet",
    }
    needed |= {"parallel": needed["front"], "costs": needed["spending"]}
    return needed[name]() if name in needed else "" if view.points else "nothing has been measured yet"


def describe(of: Study | View, name: str, **options: Any) -> Description:
    """The data of a picture by its name; options: those of its function, such as through= of slices.

    Of a Study, its model is fitted if need be; several pictures are better described from one View, see `look`.
    """
    if name not in PICTURES:
        raise InvalidInput(f"picture: got {name!r}, wanted one of {', '.join(PICTURES)}")
    view = look(of) if isinstance(of, Study) else of
    place, _, _, least, most = PICTURES[name]
    if not least <= len(view.objectives) <= most:
        wanted = f"{least}" if least == most else f"{least} or more" if most == 99 else f"{least} to {most}"
        raise InvalidInput(
            f"picture {name!r}: got {len(view.objectives)} objectives, wanted {wanted}; try another picture"
        )
    file, function = place.split(".")
    found: Description = getattr(import_module(f"pfes.plots.{file}"), function)(view, **options)
    return found
