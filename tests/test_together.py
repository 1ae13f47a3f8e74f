"""Studies whose objectives are believed together: every kind of domain and request, storage, words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfes import Objective, create_study, open_study
from pfes.belief import believe
from pfes.errors import InvalidInput
from pfes.frontiers import FrontierSettings, sample_frontiers
from pfes.gp import Choice as Chosen
from pfes.gp import Hyper, JointHyper, JointModel, Model
from pfes.ledger import hypers_as_data, hypers_from_data
from pfes.objectives import Objectives
from pfes.observations import Data, Observations, State
from pfes.recommend import recommend
from pfes.space import Pool, Real, Space
from pfes.study import Study
from pfes.study.description import describe, restore
from pfes.suggest import Request, suggest
from pfes.task import Settings, Task
from test_suggest import MIXED, POOL, QUICK, SQUARE, TWO, told

DOMAINS = pytest.mark.parametrize("domain", [SQUARE, MIXED, POOL], ids=["continuous", "mixed", "pool"])


def together(domain: Space | Pool, model: str = "coregional", objectives: Objectives = TWO, **changes: Any) -> Task:
    return Task(domain, objectives, replace(QUICK, model=model, **changes))


def twins(few: int = 6, many: int = 30, seed: int = 3) -> Observations:
    """ "up" at a few points of the square, "down", minus the same function, at many."""
    rng = np.random.default_rng(seed)
    x = SQUARE.sobol(many, rng)
    y = np.sin(6.0 * x[:, 0]) + np.cos(5.0 * x[:, 1])
    known = Observations.none(2)
    for point in x[:few]:
        known = known.with_pending(point, (0,))
    for point in x:
        known = known.with_pending(point, (1,))
    values = np.append(y[:few], -y)
    return replace(known, state=np.full(len(known), State.MEASURED), value=values)


@DOMAINS
@pytest.mark.parametrize("model", ["coregional", "latent", "auto"])
@pytest.mark.parametrize("decoupled", [False, True])
def test_a_suggestion_names_a_new_point_and_its_gain(domain: Space | Pool, model: str, decoupled: bool) -> None:
    known, task = told(domain, 8), together(domain, model)
    found = suggest(task, known, task.generator(0), Request(decoupled=decoupled))
    (item,) = found.items
    assert np.isfinite(item.gain)
    assert item.cost == TWO.cost(item.which)
    assert (np.abs(known.x - item.x).max(axis=1) > 0).all()
    assert isinstance(found.hypers, Chosen)
    assert model in (found.hypers.kind, "auto")


@pytest.mark.parametrize("domain", [SQUARE, POOL], ids=["continuous", "pool"])
@pytest.mark.parametrize("objectives", [3, 4])
def test_more_objectives_are_no_reason_to_fail(domain: Space | Pool, objectives: int) -> None:
    many = Objectives([Objective(f"y{l}", cost=l + 1.0) for l in range(objectives)])
    known = told(domain, 8, (0, 1))
    rows = [replace(known, objective=known.objective + shift) for shift in range(0, objectives, 2)]
    fields = ("x", "row", "objective", "state", "value", "noise")
    joined = Observations(**{name: np.concatenate([getattr(part, name) for part in rows]) for name in fields})
    joined = replace(joined, value=joined.value + 0.1 * joined.objective * joined.x[:, 0])
    joined = Observations(**{name: getattr(joined, name)[joined.objective < objectives] for name in fields})
    for estimator in ("matched", "exact"):
        task = together(domain, objectives=many, estimator=estimator)
        if objectives == 3 and estimator == "exact":
            continue  # minutes
        items = suggest(task, joined, task.generator(0), Request(decoupled=True)).items
        assert np.isfinite(items[0].gain)


@DOMAINS
def test_a_batch_knows_of_what_it_asked_for(domain: Space | Pool) -> None:
    task = together(domain)
    items = suggest(task, told(domain, 8), task.generator(0), count=3).items
    assert len({item.x.tobytes() for item in items}) == 3


def test_half_measured_points_are_completed() -> None:
    known = told(POOL, 8)
    half = told(POOL, 6, (1,), seed=9)
    fields = ("x", "row", "objective", "state", "value", "noise")
    both = Observations(**{name: np.concatenate([getattr(known, name), getattr(half, name)]) for name in fields})
    task = together(POOL)
    item = suggest(task, both, task.generator(0), Request(confirm=True)).items[0]
    assert "confirm" in item.reason
    assert item.which in ((0,), (0, 1))


def test_a_few_values_of_one_objective_are_filled_in_by_the_other() -> None:
    known, new = twins(8), SQUARE.random(200, np.random.default_rng(5))
    true = np.sin(6.0 * new[:, 0]) + np.cos(5.0 * new[:, 1])
    errors = {}
    for model in ("independent", "coregional", "latent", "auto"):
        task = Task(SQUARE, TWO, replace(QUICK, model=model))
        mean, std = believe(task, known, task.generator(0)).predict(new)
        errors[model] = float(np.sqrt(np.mean((mean[:, 0] - true) ** 2)))
        assert np.mean(np.abs(mean[:, 0] - true) < 4.0 * std[:, 0] + 1e-3) > 0.9
    assert max(errors[model] for model in ("coregional", "latent", "auto")) < 0.4 * errors["independent"]


def test_measuring_the_cheap_twin_is_preferred_where_it_tells_as_much() -> None:
    known = told(SQUARE, 8)
    copy = replace(known, value=np.where(known.objective == 0, known.value, -np.roll(known.value, 1)))
    task = together(SQUARE)
    found = suggest(task, copy, task.generator(0), Request(decoupled=True))
    assert isinstance(found.hypers, Chosen)
    assert found.hypers.hyper.correlation[0, 1] > 0.5
    assert found.items[0].which == (1,)  # a quarter of the price


@pytest.mark.parametrize("exact_rows", [1500, 0], ids=["exactly", "by paths"])
def test_frontiers_are_drawn_together(exact_rows: int) -> None:
    # of twins, the frontier of every draw is one point: what is best in the one is best in the other
    nothing = Data(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0))

    def points(mixing: list[list[float]]) -> float:
        """Of a frontier, on average."""
        part, flat = np.zeros(2, dtype=np.intp), np.zeros(2)
        hyper = JointHyper("matern52", np.full((1, 2), 0.2), np.zeros(1), np.array(mixing), part, flat, flat)
        model = JointModel.of([nothing] * 2, POOL.groups, hyper)
        settings = FrontierSettings(count=20, exact_rows=exact_rows)
        found = sample_frontiers(model, POOL, [], [-np.inf] * 2, settings, np.random.default_rng(1))
        return float(np.mean([len(frontier) for frontier in found.frontiers]))

    assert points([[1.0, 0.0], [1.0, 1e-4]]) < 1.3
    assert points([[1.0, 0.0], [0.0, 1.0]]) > 2.0
    assert points([[1.0, 0.0], [-1.0, 1e-4]]) > 10.0


def test_thresholds_are_kept() -> None:
    wanted = Objectives([Objective("up", cost=4.0, threshold=-0.3), Objective("down", "min", threshold=0.5)])
    task = together(SQUARE, objectives=wanted)
    best = recommend(task, told(SQUARE, 12), task.generator(0))
    assert len(best.mean)
    assert (best.mean[:, 0] >= -0.3).all()
    assert (best.mean[:, 1] <= 0.5).all()
    item = suggest(task, told(SQUARE, 12), task.generator(0)).items[0]
    assert np.sum((item.x - 0.2) ** 2) < 0.6  # elsewhere nothing is wanted


def test_noise_and_resolution_are_those_of_the_joint_fit() -> None:
    task, known = together(SQUARE, "latent"), told(SQUARE, 10)
    belief = believe(task, known, task.generator(0))
    assert isinstance(belief.model, JointModel)
    np.testing.assert_allclose(belief.noise, np.sqrt(belief.model.hyper.noise))
    np.testing.assert_allclose(belief.model.amplitude, np.diag(belief.model.hyper.covariance))


def test_all_rows_together_are_as_many_as_one_matrix_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfes.belief.MOST", 12)
    for model, most in (("coregional", 12), ("independent", 24)):
        task = together(SQUARE, model)
        surrogate = believe(task, told(SQUARE, 15), task.generator(0)).model
        rows = len(surrogate.x) if isinstance(surrogate, JointModel) else sum(len(p.x) for p in surrogate.posteriors)
        assert rows <= most + (model == "independent") * 6


def test_auto_goes_on_with_independent_objectives_where_nothing_relates_them() -> None:
    rng = np.random.default_rng(0)
    known = told(SQUARE, 20)
    known = replace(known, value=rng.standard_normal(len(known)))
    kinds = set()
    for seed in range(3):
        task = replace(together(SQUARE, "auto"), seed=seed)
        known = replace(known, value=np.random.default_rng(seed).standard_normal(len(known)))
        belief = believe(task, known, task.generator(0))
        assert isinstance(belief.hypers, Chosen)
        kinds.add(belief.hypers.kind)
        assert isinstance(belief.model, Model if belief.hypers.kind == "independent" else JointModel)
    assert "independent" in kinds


# Settings and what is kept


def test_a_fit_is_kept_and_begun_from() -> None:
    once, known, more = together(SQUARE, "auto", refit="once"), told(SQUARE, 8), told(SQUARE, 9)
    hypers = suggest(once, known, once.generator(0)).hypers
    assert suggest(once, more, once.generator(1), hypers=hypers).hypers is hypers
    always = together(SQUARE, "latent")
    first = suggest(always, known, always.generator(0)).hypers
    again = suggest(always, more, always.generator(1), hypers=first).hypers
    assert again is not first
    independent = Task(SQUARE, TWO, replace(QUICK, refit="once"))
    assert isinstance(first, Chosen)
    assert suggest(independent, more, independent.generator(1), hypers=first).hypers is first.singles


def test_choices_come_back_from_plain_data() -> None:
    task = together(SQUARE, "auto")
    hypers = suggest(task, twins(), task.generator(0)).hypers
    data = hypers_as_data(hypers)
    again = hypers_from_data(data)
    assert hypers_as_data(again) == data
    assert isinstance(hypers, Chosen)
    assert isinstance(again, Chosen)
    assert again.hyper.scales.tobytes() == hypers.hyper.scales.tobytes()
    assert (again.kind, again.reason) == (hypers.kind, hypers.reason)
    assert data["correlation"][0][1] == pytest.approx(hypers.hyper.correlation[0, 1])


def test_given_hyper_parameters_are_used() -> None:
    task = together(SQUARE, "latent")
    fitted = suggest(task, told(SQUARE, 8), task.generator(0)).hypers
    assert isinstance(fitted, Chosen)
    given = together(SQUARE, "latent", hypers=fitted.hyper)
    belief = believe(given, told(SQUARE, 8), given.generator(0))
    assert isinstance(belief.model, JointModel)
    assert belief.model.hyper is fitted.hyper
    with pytest.raises(InvalidInput, match="hypers: got 2 sets of hyper-parameters, wanted one for each of 1"):
        Task(SQUARE, Objectives([Objective("up")]), given.settings)
    with pytest.raises(InvalidInput, match="hypers: got 2 length scales, wanted 1, one per parameter; try"):
        Task(Space(x=Real(0, 1)), given.objectives, given.settings)


def test_settings_that_contradict_one_another_are_refused() -> None:
    single = Hyper("rbf", np.ones(2), 1.0, 1e-4, 0.0)
    with pytest.raises(InvalidInput, match="model: got 'joint', wanted one of 'independent', 'coregional'"):
        Settings(model="joint")
    with pytest.raises(InvalidInput, match="hypers: got tuple for model 'latent', wanted a JointHyper"):
        Settings(model="latent", hypers=(single, single))
    with pytest.raises(InvalidInput, match="hypers: got JointHyper for model 'independent', wanted one set for each"):
        Settings(hypers=JointHyper.independent([single]))
    with pytest.raises(InvalidInput, match="model: got 'auto' with frontiers of kind 'features'"):
        Settings(model="auto", frontiers=FrontierSettings.paper())


def play(study: Study, count: int) -> None:
    """Ask and tell: "up" and "down" are one function and minus that, with a little of another."""
    for _ in range(count):
        trial = study.ask(decoupled=True)
        x, y = trial.params["x"], trial.params["y"]
        truth = {"up": np.sin(5.0 * x) + y, "down": -np.sin(5.0 * x) - y + 0.1 * np.cos(4.0 * y)}
        study.tell(trial.id, {name: truth[name] for name in trial.objectives})


def test_a_study_that_is_opened_again_suggests_the_same(tmp_path: Path) -> None:
    options = {"space": SQUARE, "objectives": TWO, "seed": 4, "settings": QUICK, "model": "auto"}
    kept, fleeting = create_study(tmp_path / "s.db", **options), create_study(**options)  # type: ignore[arg-type]
    play(kept, 16)
    play(fleeting, 12)
    play(fleeting, 4)
    opened = open_study(tmp_path / "s.db")
    assert opened.model == "auto"
    assert opened.learned_model == kept.learned_model
    a, b, c = opened.ask(decoupled=True), kept.trial(16), fleeting.ask(decoupled=True)
    assert a.params == b.params == c.params
    assert a.reason == c.reason


def test_a_study_tells_what_it_learned_of_its_objectives() -> None:
    study = create_study(space=SQUARE, objectives=TWO, settings=QUICK, model="coregional")
    assert study.learned_model is None
    play(study, 14)
    learned = study.learned_model
    assert learned is not None
    assert learned.kind == "coregional"
    assert learned.correlations["up", "down"] > 0.7  # as they are wanted: where the one is good, so is the other
    assert create_study(space=SQUARE, objectives=TWO).learned_model is None


def test_files_from_before_have_independent_objectives(tmp_path: Path) -> None:
    study = create_study(tmp_path / "s.db", space=SQUARE, objectives=TWO)
    text = describe(study._about).replace(', "model": "independent"', "")
    assert "model" not in text
    assert (restore(text).model, restore(text).task.settings.model) == ("independent", "independent")
