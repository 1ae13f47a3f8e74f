"""What a study relies on, of every method that has a model: asked for real, from beginning to end.

class TestStudies(WholeStudies):
    method = "mine"
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pfes import Objective, Pool, Real, Space, create_study
from pfes.acquisition import METHODS, Method
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings
from pfes.maximise import MaximiserSettings
from pfes.search import SearchSettings
from pfes.study import Study
from pfes.task import Settings

QUICK = Settings(
    frontiers=FrontierSettings(
        count=3, features=100, search=SearchSettings(population=16, generations=5, climbs=2), scouts=100
    ),
    maximiser=MaximiserSettings(scan=64, starts=3, iterations=6),
)
SQUARE = Space(x=Real(0, 1), y=Real(0, 1))
ROWS = np.random.default_rng(0).uniform(size=(40, 2))
POOL = Pool(ROWS, ["x", "y"])


def measured(point: np.ndarray, objectives: int) -> dict[str, float]:
    """Objectives that pull apart: distances to the corners of a triangle."""
    corners = np.array([[0.2, 0.2], [0.8, 0.8], [0.9, 0.1]])[:objectives]
    return {f"y{l}": -float(np.sum((point - corner) ** 2)) for l, corner in enumerate(corners)}


class WholeStudies:
    """Subclasses name the method; what it says that it can do is tried, and what it cannot must be refused."""

    method = ""
    settings = QUICK

    @property
    def about(self) -> Method:
        """What the method says of itself."""
        return METHODS[self.method]

    def study(self, space: Space | Pool, objectives: int = 2, *, begun: int = 7, **changes: Any) -> Study:
        """A study with some points measured; changes: of the settings, or `thresholds`."""
        thresholds = changes.pop("thresholds", [None] * objectives)
        wanted = [Objective(f"y{l}", threshold=t, cost=1.0 + l) for l, t in enumerate(thresholds)]
        study = create_study(
            space=space, objectives=wanted, settings=replace(self.settings, method=self.method, **changes)
        )
        points = ROWS[:begun] if isinstance(space, Pool) else np.random.default_rng(1).uniform(size=(begun, 2))
        study.add([self.named(space, i, x) | measured(x, objectives) for i, x in enumerate(points)])
        return study

    @staticmethod
    def named(space: Space | Pool, i: int, x: np.ndarray) -> dict[str, Any]:
        """A point as `add` wants it: by its row, or by its parameters."""
        return {"row": i} if isinstance(space, Pool) else dict(zip("xy", x.tolist(), strict=True))

    def chosen(self, study: Study, count: int = 1, **request: Any) -> list[Any]:
        """So many trials, all of them with finite gains and words."""
        trials = list(study.ask(count, **request))
        assert len(trials) == count
        assert all(np.isfinite(trial.gain) and "chosen without a model" not in trial.reason for trial in trials)
        return trials

    @pytest.mark.parametrize("objectives", [1, 2, 3])
    @pytest.mark.parametrize("space", [SQUARE, POOL], ids=["space", "pool"])
    def test_a_batch_of_new_points_is_asked_for(self, space: Space | Pool, objectives: int) -> None:
        """Of as many objectives as it says."""
        if objectives < self.about.least or objectives > (self.about.most or objectives):
            with pytest.raises(InvalidInput, match="is made for"):
                self.study(space, objectives)
            return
        study = self.study(space, objectives)
        known = {tuple(trial.params.values()) for trial in study.trials()}
        new = [tuple(trial.params.values()) for trial in self.chosen(study, 3)]
        assert len(set(new) - known) == 3

    def test_single_objectives_are_named_or_refused(self) -> None:
        """As it says."""
        study = self.study(SQUARE)
        if self.about.decoupled:
            assert set(self.chosen(study, decoupled=True)[0].objectives) <= {"y0", "y1"}
        else:
            with pytest.raises(InvalidInput, match="cannot name single objectives"):
                study.ask(decoupled=True)

    def test_thresholds_are_no_hindrance(self) -> None:
        """Neither those that part of the front meets nor those that nothing can meet."""
        assert self.chosen(self.study(SQUARE, thresholds=[-0.3, None]))[0].purpose == "learn"
        self.chosen(self.study(SQUARE, thresholds=[5.0, 5.0]))

    def test_what_half_measured_points_lack_is_weighed(self) -> None:
        """Some of all, where they cannot be asked for singly."""
        study = self.study(POOL)
        study.add([{"row": i, "y0": 0.3} for i in range(20, 25)])
        self.chosen(study)

    def test_a_study_of_nothing_but_ties_goes_on(self) -> None:
        """Every value equal, a point twice: no range of the front, nothing to standardise by."""
        study = self.study(SQUARE, begun=0)
        study.add([{"x": x, "y": 1.0 - x, "y0": 1.0, "y1": 1.0} for x in (0.1, 0.3, 0.3, 0.5, 0.9, 1.0)])
        self.chosen(study)

    def test_a_model_that_knows_nothing_can_be_asked(self) -> None:
        """Nothing is held yet."""
        self.chosen(self.study(SQUARE, begun=0, initial=0))

    def test_one_point_is_enough(self) -> None:
        """One value, no deviation."""
        self.chosen(self.study(SQUARE, begun=1, initial=1))

    def test_without_noise_and_resolution_it_still_answers(self) -> None:
        """The estimator "exact" takes measurements to be free of noise."""
        self.chosen(self.study(SQUARE, estimator="exact"), 2)

    def test_objectives_believed_together_are_no_hindrance(self) -> None:
        """By each objective's own prediction, or by their covariance."""
        self.chosen(self.study(SQUARE, model="coregional"), 2)
