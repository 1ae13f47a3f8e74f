"""The pictures' data, by value: each compared with what follows from the definition, worked out in another way."""

import itertools
import math

import numpy as np
import pytest

from oracles.dominance import dominates
from pfes import InvalidInput, Objective, plots
from pfes.objectives import Objectives
from pfes.plots.attainment import attainment, dominated
from pfes.plots.calibration import Calibration, Calibrations, calibration
from pfes.plots.correlations import correlations, given_correlations
from pfes.plots.front import MOST, front, staircase
from pfes.plots.parallel import parallel
from pfes.plots.progress import progress
from pfes.plots.slices import compromise, slices
from pfes.plots.thinning import even, scattered
from pfes.plots.traces import costs, gains, spending, volumes
from pfes.space import Real, Space
from pfes.study import Study, create_study
from plots import cases


def line_study(rows: list[tuple[float, float | None, float | None]], **options: object) -> Study:
    given = [Objective("up", "max", cost=5.0), Objective("down", "min", cost=1.0)]
    study = create_study(**({"space": Space(x=Real(0, 10)), "objectives": given, "method": "sobol"} | options))  # type: ignore[arg-type]
    study.add([{"x": x, "up": up, "down": down} for x, up, down in rows])
    return study


@pytest.fixture(scope="module")
def lively() -> plots.View:
    return plots.look(cases.lively_study())


# The front


def test_the_front_parts_what_is_dominated_from_what_is_not(lively: plots.View) -> None:
    it = front(lively)
    whole = [[p.values["f0"], p.values["f1"]] for p in lively.whole]
    levels = [(a, -b) for a, b in whole]
    best = [any(dominates(other, mine) for other in levels) for mine in levels]
    assert sorted(it.front.values.tolist()) == sorted(
        row for row, beaten in zip(whole, best, strict=True) if not beaten
    )
    assert sorted(it.measured.values.tolist()) == sorted(row for row, beaten in zip(whole, best, strict=True) if beaten)
    assert not it.front.std.any()
    assert not it.measured.std.any()


def test_what_half_measured_points_lack_is_predicted_and_what_they_have_is_kept(lively: plots.View) -> None:
    it = front(lively)
    half = [p for p in lively.points if len(p.values) < 2]
    assert len(it.half) == len(half) == 4
    for point, values, std in zip(half, it.half.values, it.half.std, strict=True):
        expected = lively.study.predict(point.params)
        for l, name in enumerate(("f0", "f1")):
            if name in point.values:
                assert (values[l], std[l]) == (point.values[name], 0.0)
            else:
                assert (values[l], std[l]) == pytest.approx(tuple(expected[name]))


def test_pending_and_recommended_points_are_where_the_model_expects_them(lively: plots.View) -> None:
    it = front(lively)
    assert len(it.pending) == len(lively.pending) == 4
    for trial, values, text in zip(lively.pending, it.pending.values, it.pending.texts, strict=True):
        assert text.startswith(f"trial {trial.id}\n")
        expected = lively.study.predict(trial.params)
        wanted = [trial.values.get(name, expected[name].mean) for name in ("f0", "f1")]
        assert values.tolist() == pytest.approx(wanted)
    means = sorted([p.estimates["f0"].mean, p.estimates["f1"].mean] for p in lively.recommended)
    assert all(any(row == pytest.approx(mean) for mean in means) for row in it.recommended.values.tolist())


def test_only_points_that_are_drawn_are_put_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST, "measured", 10)
    said: list[object] = []
    monkeypatch.setattr("pfes.plots.front._said", lambda point, values: said.append(point) or values)
    it = front(plots.look(line_study([(k / 10, k % 7, k % 5) for k in range(100)]), model=False))
    assert len(said) == len(it.measured) + len(it.front) < 20
    assert it.behind > 50


def test_without_a_model_only_what_is_measured_is_shown() -> None:
    it = front(plots.look(cases.lively_study(), model=False))
    assert (len(it.half), len(it.recommended), len(it.pending)) == (0, 0, 0)
    assert len(it.front) > 0


def test_the_staircase_is_the_edge_of_what_is_dominated() -> None:
    both = Objectives([Objective("up"), Objective("down", "min")])
    line = staircase(np.array([[3.0, 4.0], [1.0, 1.0], [2.0, 2.0]]), both)
    assert line.tolist() == [[1, 1], [1, 2], [2, 2], [2, 4], [3, 4]]
    assert staircase(np.zeros((0, 2)), both).shape == (0, 2)


def test_thresholds_are_drawn_across_their_axes() -> None:
    given = [Objective("up", threshold=0.5, unit="V"), Objective("down", "min", threshold=3.0)]
    chart = front(plots.look(line_study([(0, 1, 1), (1, 2, 2)], objectives=given))).chart()
    limits = {(layer.along, layer.at) for layer in chart.panels[0].layers if hasattr(layer, "along")}
    assert limits == {("x", 0.5), ("y", 3.0)}
    assert chart.panels[0].x.label == "up [V], larger is better"
    assert chart.panels[0].y.label == "down, smaller is better"


# Parallel coordinates


@pytest.mark.parametrize("count", [2, 4, 6])
def test_on_parallel_axes_better_is_up(count: int) -> None:
    view = plots.look(cases.space_study(count, 15), model=False)
    it = parallel(view)
    every = np.vstack([cloud.values for _, _, cloud in it.clouds])
    heights = it.heights(every)
    assert heights.min() == 0.0
    assert heights.max() == 1.0
    for l in range(count):
        column = every[:, l] if l % 2 == 0 else -every[:, l]
        wanted = (column - column.min()) / (column.max() - column.min())
        assert heights[:, l] == pytest.approx(wanted)


# Traces


def test_the_hypervolume_is_the_area_of_boxes_by_hand() -> None:
    study = line_study([(0, 1, 1), (1, 2, 2), (2, 0.5, 2.5), (3, 7, 9)], reference={"up": 0.0, "down": 3.0})
    it = volumes(plots.look(study, model=False))
    assert it.volume.tolist() == pytest.approx([2.0, 3.0, 3.0, 3.0])  # 1 x 2; and 2 x 1, of which 1 x 1 is shared
    assert it.spent.tolist() == [0.0] * 4
    assert it.reference == {"up": 0.0, "down": 3.0}


def test_looking_chooses_a_reference_point_without_writing_it_down() -> None:
    study = line_study([(x, x, x * x) for x in range(6)])
    before = study.events
    assert volumes(plots.look(study, model=False)).volume[-1] > 0.0
    assert study.events == before
    assert study.reference is None


def test_costs_are_what_the_study_says_they_are() -> None:
    study = line_study([])
    for number, trial in enumerate(study.ask(5)):
        study.tell(trial.id, {0: {"up": 1.0}, 1: {"down": 1.0}}.get(number, {"up": 1.0, "down": 2.0}))
    study.tell(study.ask().id, failed="burnt")
    view = plots.look(study, model=False)
    assert spending(view).spent.tolist() == [study.spent_on["up"], study.spent_on["down"]] == [25.0, 5.0]
    assert spending(view).counts == (4, 4)
    assert costs(view).spent[-1].tolist() == [25.0, 5.0]
    assert np.diff(costs(view).spent, axis=0).min() >= 0.0


def test_gains_are_promises_per_cost_of_the_trials_that_a_model_suggested() -> None:
    study = line_study([(x, math.sin(x), x) for x in range(6)], method="pfes")
    trials = study.ask(2, decoupled=True)
    it = gains(plots.look(study, model=False))
    assert it.trial.tolist() == [trial.id for trial in trials]
    assert it.rate.tolist() == pytest.approx([trial.gain / trial.cost for trial in trials])
    assert it.purpose == tuple(trial.purpose for trial in trials)


def test_progress_keeps_the_best_so_far() -> None:
    study = create_study(space=Space(x=Real(0, 10)), objectives=[Objective("loss", "min")], method="sobol")
    study.add([{"x": x, "loss": loss} for x, loss in enumerate([5.0, 7.0, 3.0, 4.0, 1.0])])
    assert progress(plots.look(study, model=False)).best.tolist() == [5.0, 5.0, 3.0, 3.0, 1.0]


# What the model thinks


def test_leaving_a_value_out_is_fitting_without_it(lively: plots.View) -> None:
    # the slow way: condition the same hyper-parameters on all points but one
    from pfes.gp.posterior import Posterior
    from pfes.observations import Data

    belief = lively.belief
    assert belief is not None
    for l, item in enumerate(calibration(lively).items):
        posterior, scaling = belief.model.posteriors[l], belief.scalings[l]
        for i in range(len(posterior.y)):
            rest = np.arange(len(posterior.y)) != i
            data = Data(posterior.x[rest], posterior.y[rest], np.ones(rest.sum()), posterior.noise[rest])
            without = Posterior.of(data, posterior.groups, posterior.hyper).predict(posterior.x[i : i + 1])
            deviation = math.sqrt(without.std[0] ** 2 + posterior.noise[i])
            mean, std = scaling.interval(without.mean, np.array([deviation]))
            assert item.mean[i] == pytest.approx(mean[0], rel=1e-4, abs=1e-6)
            assert item.std[i] == pytest.approx(std[0], rel=1e-3)
            assert item.values[i] == pytest.approx(float(scaling.backward(posterior.y[i])))


def test_a_joint_model_is_left_out_point_by_point(lively: plots.View) -> None:
    from dataclasses import replace

    from pfes.gp.multitask import JointHyper, JointModel
    from pfes.observations import Data
    from pfes.plots.calibration import left_out

    belief = lively.belief
    assert belief is not None
    alone = belief.model.posteriors
    data = [Data(p.x, p.y, np.ones(len(p.y)), p.noise) for p in alone]
    joint = JointModel.of(data, alone[0].groups, JointHyper.independent([p.hyper for p in alone]))
    for mine, wanted in zip(left_out(replace(belief, model=joint)), left_out(belief), strict=True):  # type: ignore[arg-type]
        order, other = np.argsort(mine.level), np.argsort(wanted.level)
        assert mine.mean[order] == pytest.approx(wanted.mean[other], abs=1e-5)
        assert mine.std[order] == pytest.approx(wanted.std[other], rel=1e-3)


def test_correlations_are_those_that_a_joint_model_has_learned() -> None:
    from types import SimpleNamespace

    view = plots.look(line_study([(x, x, x * x) for x in range(6)]), model=False)
    learned = np.array([[1.0, -0.7], [-0.7, 1.0]])
    view.__dict__["belief"] = SimpleNamespace(model=SimpleNamespace(hyper=SimpleNamespace(correlation=learned)))
    assert correlations(view).matrix.tolist() == learned.tolist()
    assert "joint model" in correlations(view).source


def told(errors: list[float]) -> Calibration:
    error = np.array(errors)
    return Calibration(Objective("y"), error, np.zeros(len(error)), np.ones(len(error)), error)


def test_the_words_of_calibration_follow_its_numbers() -> None:
    rng = np.random.default_rng(0)
    honest, sure, shy = rng.standard_normal(200), 3.0 * rng.standard_normal(200), 0.2 * rng.standard_normal(200)
    assert [told(list(e)).verdict for e in (honest, sure, shy)] == ["honest", "overconfident", "cautious"]
    assert told([0.1, 0.2]).verdict == "few"
    assert "of 2 values, each predicted from all others, 2 (100 %) lie within" in told([0.1, 0.2]).words
    assert told([0.0, 1.0, 2.5, -3.0]).within(1.96) == 0.5
    titles = [panel.title for panel in Calibrations("s", (told([0.1, 0.2]), told([0.1] * 8))).chart().panels]
    assert titles == ["2 values: too few to judge by", "100 % within 95 %"]
    assert told([]).words == "y: nothing measured."
    assert told(list(honest)).words.endswith("learned next to nothing yet, and its recommendations are guesses.")
    right = Calibration(Objective("y"), honest + 9.0 * shy, 9.0 * shy, np.ones(200), honest)
    assert right.words.endswith("% of the variance.")


def test_slices_are_predictions_along_one_parameter(lively: plots.View) -> None:
    through = {"a": 0.3, "t": 4, "kind": "red"}
    it = slices(lively, through)
    assert [item.name for item in it.items] == ["a", "t", "kind"]
    for item in it.items:
        for place in (0, len(item.places) // 2, len(item.places) - 1):
            expected = lively.study.predict({**through, item.name: item.places[place]})
            for l, name in enumerate(("f0", "f1")):
                assert item.mean[place, l] == pytest.approx(expected[name].mean)
                assert item.high[place, l] - item.low[place, l] == pytest.approx(4.0 * expected[name].std)
    assert it.items[0].label == "a [mol]"
    assert it.items[2].places == ("red", "blue")
    assert len(slices(lively, through, most=1).items) == 1
    assert compromise(lively) in [point.params for point in lively.front]


def test_on_a_line_all_that_is_measured_lies_on_the_slice() -> None:
    it = slices(plots.look(line_study([(x, x / 3, -x) for x in range(5)])))
    assert it.items[0].measured.tolist() == [[x / 3, -x] for x in range(5)]
    assert it.items[0].measured_at == (0.0, 1.0, 2.0, 3.0, 4.0)


def test_the_probability_of_being_dominated_is_a_share_of_frontiers() -> None:
    both = Objectives([Objective("up"), Objective("down", "min")])
    fronts = [np.array([[1.0, 1.0], [2.0, 3.0]]), np.array([[1.5, 2.0]])]
    grid = [[0.5, 0.5], [0.5, 2.5], [1.2, 2.5], [1.8, 3.5], [3.0, 9.0]]
    slow = [sum(any(a >= x and b <= y for a, b in points) for points in fronts) / 2 for x, y in grid]
    assert dominated(np.array(grid), fronts, both).tolist() == slow == [0.0, 1.0, 0.5, 0.5, 0.0]


def test_sampled_frontiers_are_in_the_users_units_and_beaten_where_something_beats_them(lively: plots.View) -> None:
    it = attainment(lively, count=6)
    assert len(it.frontiers) == 6
    assert it.probability.shape == (len(it.y), len(it.x))
    assert 0.0 <= it.probability.min() < 0.5 < it.probability.max() <= 1.0
    # larger f0 and smaller f1 are better: the probability falls to the right and rises upwards
    assert np.diff(it.probability, axis=1).max() <= 0.0
    assert np.diff(it.probability, axis=0).min() >= 0.0
    with pytest.raises(InvalidInput, match="there are 3 objectives"):
        attainment(plots.look(cases.space_study(3, 4)))


def test_correlations_of_goals_flip_where_smaller_is_better() -> None:
    view = plots.look(line_study([(x, x + 0.1 * (x % 2), x * x) for x in range(6)]), model=False)
    a, b = np.array([[p.values["up"], p.values["down"]] for p in view.whole]).T
    assert correlations(view).matrix[0, 1] == pytest.approx(-np.corrcoef(a, b)[0, 1])
    assert given_correlations("s", ["a", "b"], [[1, 0.3], [0.3, 1]]).matrix[0, 1] == 0.3
    with pytest.raises(InvalidInput, match=r"got shape \(3, 3\), wanted \(2, 2\)"):
        given_correlations("s", ["a", "b"], np.eye(3))


def test_correlations_of_a_few_points_are_not_drawn() -> None:
    few, enough = (line_study([(x, x + 0.1 * (x % 2), x * x) for x in range(count)]) for count in (4, 5))
    why = [{it.name: it.why for it in plots.pictures(study)}["correlations"] for study in (few, enough)]
    assert why == ["fewer than 5 points have every objective measured", ""]


def test_an_objective_that_never_changes_correlates_with_nothing() -> None:
    view = plots.look(line_study([(x, 1.0, x) for x in range(5)]), model=False)
    assert math.isnan(correlations(view).matrix[0, 1])


def test_values_near_the_largest_number_are_compared_like_others() -> None:
    rows = [(x, x + 0.1 * (x % 2), x * x - 9.0) for x in range(6)]
    small, large = (
        plots.look(line_study([(x, a * size, b * size) for x, a, b in rows]), model=False) for size in (1.0, 1e307)
    )
    assert correlations(large).matrix == pytest.approx(correlations(small).matrix)
    values, mean = np.array([-1.0, 0.0, 1.5]), np.array([-0.9, 0.2, 1.2])
    few, many = (
        Calibration(Objective("y"), size * values, size * mean, np.ones(3), np.ones(3)) for size in (1.0, 1e308)
    )
    assert many.explained == pytest.approx(few.explained)
    beyond = Calibration(Objective("y"), 1e308 * values, np.full(3, np.inf), np.ones(3), np.ones(3))
    assert math.isnan(beyond.explained)


# Fewer points


def test_thinning_keeps_one_of_each_cell_and_all_of_few() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(10_000, 2))
    kept = scattered(points, 500)
    assert 150 < len(kept) <= 500
    assert np.ptp(points[kept], axis=0) == pytest.approx([1.0, 1.0], abs=0.1)
    assert scattered(points[:20], 500).tolist() == list(range(20))
    assert len(scattered(np.zeros((1000, 3)), 10)) == 1
    assert even(10_000, 5).tolist() == [0, 2500, 5000, 7499, 9999]
    assert even(3, 5).tolist() == [0, 1, 2]


def test_ten_thousand_measurements_stay_readable_pictures() -> None:
    rng = np.random.default_rng(0)
    table = rng.uniform(size=(10_000, 3))
    view = plots.look(line_study([(10.0 * x, a, b) for x, a, b in table.tolist()]), model=False)
    for name in ("front", "volume"):
        found = plots.plotly_json(plots.describe(view, name))
        drawn = [len(trace["x"]) for trace in found["data"]]
        assert sum(drawn) < 3000, name
    it = front(view)
    assert it.behind == 10_000 - len(view.front)
    assert f"{it.behind - len(it.measured):,} measured points behind the front are not drawn" in it.note
    levels = np.array([[a, -b] for _, a, b in table.tolist()])
    wanted = [i for i, (a, b) in enumerate(levels) if not ((levels[:, 0] > a) & (levels[:, 1] > b)).any()]
    assert len(it.front) == len(wanted)


# Words


@pytest.mark.parametrize(
    ("mean", "std", "said"),
    [
        (12.3456, 0.5678, "12.35 ± 0.57"),
        (-0.5, 0.012, "−0.500 ± 0.012"),
        (1234.5, 56.0, "1234 ± 56"),
        (1.2e-8, 3e-9, "1.2e−8 ± 3e−9"),
        (5.0, 0.0, "5"),
        (math.nan, 1.0, ""),
    ],
)
def test_an_estimate_has_the_digits_that_its_deviation_allows(mean: float, std: float, said: str) -> None:
    from pfes.plots.words import estimate

    assert estimate(mean, std) == said


def test_numbers_are_written_as_people_write_them() -> None:
    from pfes.plots.words import counted, legible, number

    assert [number(v) for v in (-1.5, 1e-9, 123456.0, 1750.0, 1.235e7, 0.0, -0.0, math.inf, math.nan)] == [
        "−1.5",
        "1e−9",
        "123456",
        "1750",
        "1.235e7",
        "0",
        "0",
        "∞",
        "",
    ]
    assert [counted(n, "point") for n in (0, 1, 10_000)] == ["0 points", "1 point", "10,000 points"]
    assert legible("a\nb\x00c\u202ed\ud800") == "a b cd\ufffd"


def test_all_colours_of_a_theme_differ() -> None:
    from pfes.plots.theme import DARK, LIGHT

    for theme, other in itertools.permutations([LIGHT, DARK]):
        colours = list(theme.named.values())
        assert len(set(colours)) == len(colours)
        assert theme.named.keys() == other.named.keys()
