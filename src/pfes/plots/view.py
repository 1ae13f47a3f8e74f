"""A study at one moment, and what its model makes of it; gathered once for all its pictures. Looking writes nothing."""

from functools import cached_property
from typing import TYPE_CHECKING

from pfes.objectives import Objectives
from pfes.points import Domain
from pfes.standing import Standing
from pfes.study import Recommendation, Study

if TYPE_CHECKING:
    from pfes.belief import Belief

__all__ = ["View", "look"]

LEAST = 3  # values of each objective with which a model says anything


class View(Standing):
    """How a study stands and, unless it is looked at without, its model."""

    def __init__(self, study: Study, model: bool = True) -> None:
        super().__init__(study)
        self._model = model

    @property
    def name(self) -> str:
        """What the study is called."""
        return self.study.name

    @property
    def space(self) -> Domain:
        """Where it looks."""
        return self.study.space

    @property
    def objectives(self) -> Objectives:
        """What it measures."""
        return self.study.objectives

    @cached_property
    def lacking(self) -> str:
        """Why there cannot be a model; empty if there can."""
        for name, count in self.counts.items():
            if count < LEAST:
                return f"a model wants {LEAST} values of each objective, and {name} has {count or 'none'}"
        return ""

    @property
    def unmodelled(self) -> str:
        """Why there is no model here; empty if there is."""
        return self.lacking if self._model else "no model was asked for"

    @cached_property
    def belief(self) -> "Belief | None":
        """The model; None without."""
        return None if self.unmodelled else self.study.belief()

    @cached_property
    def recommended(self) -> tuple[Recommendation, ...]:
        """The points that the model thinks best; none without it."""
        return () if self.unmodelled else tuple(self.study.recommend())


def look(study: Study, model: bool = True) -> View:
    """A study as it is now. model: fit it, which takes from a tenth of a second to half a minute."""
    view = View(study, model)
    if view.belief is not None:
        view.recommended  # noqa: B018 - what is slow is done here, not when a picture is drawn
    return view
