"""What a study says of itself: front, hypervolume, model, tables."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.dominance import dominates
from pfes import InvalidInput, Objective, Settings
from pfes.space import Real, Space
from pfes.study import Study, create_study
from pfes.study.findings import Estimate, Recommendation
from study.examples import OBJECTIVES, POINT, measured, pool_study, space_study

LINE = Space(x=Real(0, 10))


def line_study(rows: list[tuple[float, float | None, float | None]], **options: object) -> Study:
    study = create_study(**({"space": LINE, "objectives": OBJECTIVES, "method": "sobol"} | options))  # type: ignore[arg-type]
    study.add([{"x": x, "power": power, "waste": waste} for x, power, waste in rows])
    return study


# The front


def test_the_front_holds_complete_points_that_no_other_dominates() -> None:
    study = line_study([(0, 1, 1), (1, 2, 2), (2, 1, 2), (3, 9, None), (4, None, 0)])
    assert [point.params["x"] for point in study.front()] == [0, 1]


def test_measurements_of_one_point_in_different_trials_complete_each_other() -> None:
    study = line_study([(3, 9, None), (1, 2, 2), (3, None, 4)])
    best = study.front()[0]
    assert (best.values, best.trials, best.counts) == ({"power": 9, "waste": 4}, (0, 2), {"power": 1, "waste": 1})


def test_replicates_are_averaged() -> None:
    study = line_study([(3, 1, 1), (3, 2, None), (3, 6, 2)])
    assert study.front()[0].values == {"power": 3.0, "waste": 1.5}
    assert study.front()[0].counts == {"power": 3, "waste": 2}


def test_points_of_equal_values_stand_side_by_side() -> None:
    assert len(line_study([(0, 1, 1), (5, 1, 1), (6, 0, 1)]).front()) == 2


def test_a_study_without_measurements_has_an_empty_front_and_no_reference() -> None:
    study = space_study()
    study.ask()
    assert (study.front(), study.hypervolume(), study.hypervolume_trace(), study.reference) == ([], 0.0, [], None)


VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@given(VALUES)
@settings(max_examples=40)
def test_the_front_agrees_with_the_definition(values: list[tuple[int, int]]) -> None:
    study = line_study([(x, float(a), float(b)) for x, (a, b) in enumerate(values)])
    levels = np.array([(a, -b) for a, b in values], dtype=float)
    wanted = [x for x, mine in enumerate(levels) if not any(dominates(other, mine) for other in levels)]
    assert [point.params["x"] for point in study.front()] == wanted


# The hypervolume


def test_the_hypervolume_is_the_area_between_front_and_reference() -> None:
    study = line_study([(0, 1, 1), (1, 2, 2), (2, 7, 9)], reference={"power": 0.0, "waste": 3.0})
    assert study.hypervolume() == pytest.approx(3.0)  # 1 x 2 and 2 x 1, of which 1 x 1 is shared
    study.set_reference([1.0, 3.0])
    assert study.hypervolume() == pytest.approx(1.0)
    assert study.reference == {"power": 1.0, "waste": 3.0}


def test_a_reference_point_is_chosen_once_and_then_frozen() -> None:
    study = line_study([(0, 1, 1), (1, 2, 3)])
    assert study.reference is None
    study.hypervolume()
    assert study.reference == pytest.approx({"power": 0.9, "waste": 3.2})
    study.add([{"x": 5, "power": -100, "waste": 100}])
    study.hypervolume()
    assert study.reference == pytest.approx({"power": 0.9, "waste": 3.2})
    assert [event.kind for event in study.events].count("reference") == 1


def test_a_chosen_reference_forgets_a_value_that_was_corrected_or_rejected() -> None:
    study = line_study([(0, 1, 1), (1, 2, 3), (2, 1, 200)])
    study.hypervolume()
    assert study.reference == pytest.approx({"power": 0.9, "waste": 219.9})
    study.tell(2, {"waste": 2.0}, correct=True)
    assert study.reference is None
    study.hypervolume()
    assert study.reference == pytest.approx({"power": 0.9, "waste": 3.2})
    study.reject(1, "a leak")
    assert study.hypervolume() == pytest.approx(0.1 * 1.1)
    assert study.reference == pytest.approx({"power": 0.9, "waste": 2.1})


def test_a_reference_stays_when_values_it_was_not_chosen_by_are_corrected() -> None:
    study = line_study([(0, 1, 1), (1, 2, 3)])
    study.hypervolume()
    study.add([{"x": 5, "power": -100, "waste": 100}])
    study.tell(2, {"waste": 90.0}, correct=True)
    study.tell(1, {"waste": 3.0}, correct=True)
    assert study.reference == pytest.approx({"power": 0.9, "waste": 3.2})
    given = line_study([(0, 1, 1)], reference=[0, 2])
    given.tell(0, {"power": 1.5}, correct=True)
    assert given.reference == {"power": 0.0, "waste": 2.0}


def test_a_reference_is_chosen_by_complete_points() -> None:
    study = line_study([(0, 1, 1), (1, 2, 3)])
    study.add([{"x": 5, "waste": 200}])
    study.hypervolume()
    assert study.reference == pytest.approx({"power": 0.9, "waste": 3.2})


def test_a_reference_can_be_chosen_from_one_point_and_from_zeros() -> None:
    assert line_study([(0, 0, 0)]).hypervolume() == pytest.approx(0.01)
    assert line_study([(0, 4, -4)]).hypervolume() == pytest.approx(0.4 * 0.4)


def test_setting_the_reference_to_what_it_is_changes_nothing() -> None:
    study = line_study([(0, 1, 1)], reference=[0, 2])
    before = study.events
    study.set_reference({"waste": 2.0, "power": 0.0})
    assert study.events == before


def test_the_trace_ends_at_the_hypervolume_and_at_what_was_spent() -> None:
    study = space_study(reference=[0, 1.1])
    for trial in study.ask(6)[::-1]:
        study.tell(trial.id, measured(trial))
    study.tell(study.ask().id, failed="burnt")
    steps = study.hypervolume_trace()
    assert [step.trial for step in steps] == [5, 4, 3, 2, 1, 0, 6]
    assert [step.spent for step in steps] == [6.0 * i for i in range(1, 8)]
    assert steps[-1].hypervolume == pytest.approx(study.hypervolume())
    volumes = [step.hypervolume for step in steps]
    assert volumes == sorted(volumes)
    assert volumes[0] > 0


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 4) | st.none()), max_size=12))
def test_each_step_of_the_trace_is_the_hypervolume_of_what_was_known_then(rows: list[tuple[int, int, int]]) -> None:
    # few points, so that replicates move points of the front; few values, so that there are ties
    steps = line_study(rows, reference=[-1, 5]).hypervolume_trace()
    for count, step in enumerate(steps, 1):
        then = line_study(rows[:count], reference=[-1, 5])
        assert step.hypervolume == pytest.approx(then.hypervolume(), abs=1e-12)


def test_the_trace_is_zero_while_no_point_is_complete() -> None:
    assert [step.hypervolume for step in line_study([(0, 1, None), (1, 2, None)]).hypervolume_trace()] == [0.0, 0.0]


def test_minimised_and_maximised_objectives_have_the_same_hypervolume() -> None:
    rows = [(0.0, 1.0, 1.0), (1.0, 2.0, 3.0), (4.0, 1.5, 1.1)]
    up = line_study(rows)
    down = line_study([(x, -a, b) for x, a, b in rows], objectives=[Objective("power", "min"), OBJECTIVES[1]])
    assert up.hypervolume() == pytest.approx(down.hypervolume())


# Costs


def test_costs_by_objective_add_up_to_the_total() -> None:
    study = space_study()
    for number, trial in enumerate(study.ask(4)):
        study.tell(trial.id, {0: {"power": 1.0}, 1: {"waste": 1.0}}.get(number, {"power": 1.0, "waste": 2.0}))
    assert study.spent_on == {"power": 15.0, "waste": 3.0}
    assert study.spent == 18.0
    assert study.reserved == 6.0
    assert [trial.id for trial in study.pending()] == [0, 1]


# The model


@pytest.fixture(scope="module")
def modelled() -> Study:
    study = line_study(
        [(x, x / 10, (x / 10) ** 2) for x in (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)], settings=Settings(), method=None
    )
    return study


def test_predictions_go_through_the_data_in_the_users_units(modelled: Study) -> None:
    found = modelled.predict({"x": 4.0})
    assert isinstance(found["waste"], Estimate)
    assert found["power"].mean == pytest.approx(0.4, abs=0.02)
    assert found["waste"].mean == pytest.approx(0.16, abs=0.02)
    several = modelled.predict([{"x": 4.0}, {"x": 5.0}])
    assert several[0]["waste"] == pytest.approx(found["waste"])
    assert 0.0 < several[1]["waste"].std < 0.5
    assert modelled.predict([]) == []


@pytest.fixture(scope="module")
def best(modelled: Study) -> list[Recommendation]:
    return modelled.recommend()


def test_recommendations_are_points_of_the_space_that_the_model_likes(best: list[Recommendation]) -> None:
    assert best
    assert all(LINE.contains(one.params) and one.row is None for one in best)
    means = np.array([[one.estimates["power"].mean, -one.estimates["waste"].mean] for one in best])
    assert not any(dominates(a, b) for a in means for b in means)


def test_the_model_answers_the_same_again_and_changes_no_event(modelled: Study, best: list[Recommendation]) -> None:
    before = modelled.events
    assert modelled.predict({"x": 1.0}) == modelled.predict({"x": 1.0})
    assert modelled.recommend() == best
    assert modelled.events == before


def test_there_is_no_model_of_what_was_never_measured() -> None:
    with pytest.raises(InvalidInput, match="nothing of 'waste' has been measured"):
        line_study([(0, 1, None)]).predict({"x": 1.0})


def test_a_row_of_a_pool_can_be_predicted_and_recommended() -> None:
    study = pool_study(6)
    study.add([{"row": f"c{i}", "power": float(i), "waste": float(i * i)} for i in range(5)])
    assert study.predict({"row": "c5"})["power"].std > 0
    assert {one.row for one in study.recommend()} <= {f"c{i}" for i in range(6)}


# Tables and displays


def test_the_data_frame_has_exactly_the_columns_promised() -> None:
    study = space_study()
    trial = study.ask(2)[0]
    study.tell(trial.id, {"waste": 1.0})
    frame = study.to_dataframe()
    assert list(frame.columns) == ["id", "state", "x", "t", "dopant", "power", "waste", "spent"]
    assert frame["spent"].tolist() == [1.0, 0.0]
    assert frame["state"].tolist() == ["pending", "pending"]
    assert math.isnan(frame.loc[0, "power"])
    assert list(pool_study().to_dataframe().columns) == ["id", "state", "row", "a", "b", "power", "waste", "spent"]


def test_without_pandas_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InvalidInput, match=r"pip install 'pfes\[pandas\]'"):
        space_study().to_dataframe()


def test_a_study_shows_itself() -> None:
    study = space_study(name="<battery>", budget=100)
    trial = study.ask()
    study.tell(trial.id, {"power": 1.0, "waste": 2.0})
    study.ask()
    assert repr(study) == ("<Study '<battery>': 2 trials, 1 pending; spent 6 of 100; max power, min waste; sobol>")
    html = study._repr_html_()
    assert "&lt;battery&gt;" in html
    assert "<battery>" not in html
    assert html.count("<tr>") == 3
    assert (study.name, study.space.names, study.objectives.names, study.seed, study.budget) == (
        "<battery>",
        ("x", "t", "dopant"),
        ("power", "waste"),
        0,
        100,
    )


def test_trials_and_fronts_show_themselves() -> None:
    study = pool_study()
    study.add([{"row": "c1", "power": 1.0, "waste": 0.123456789}])
    trial = study.ask()
    study.tell(trial.id, failed="no luck")
    assert "state='failed', message='no luck'" in repr(study.trial(trial.id))
    assert "values={'power': 1.0, 'waste': 0.123456789}" in repr(study.trial(0))
    assert "<td>0.123457</td>" in study.trials()._repr_html_()
    assert "<td>c1</td>" in study.front()._repr_html_()
    assert "failed" in study.trial(trial.id)._repr_html_()
    assert POINT["dopant"] not in study.trials()._repr_html_()
