"""Whatever a study is made of comes back from plain data as it was."""

import datetime
import json
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfes import InvalidInput, Settings, StorageError
from pfes.acquisition import ESTIMATORS, METHODS
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, LogNormal, Recipe
from pfes.ledger import hypers_as_data, hypers_from_data
from pfes.maximise import MaximiserSettings
from pfes.objectives import Bundle, Objective, Objectives
from pfes.records import from_data, to_data
from pfes.search import SearchSettings
from pfes.space import Choice, Integer, Linear, Pool, Real, Space

NAMES = st.text(min_size=1, max_size=8).filter(lambda s: s.strip() and s not in ("id", "state", "row", "spent"))
FINITE = st.floats(-1e12, 1e12)
POSITIVE = st.floats(1e-6, 1e6)
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=9)
MOMENTS = st.datetimes().map(lambda at: at.replace(fold=0))  # ISO has no word for the hour that comes twice
ODD = st.fractions() | st.decimals(allow_nan=False) | st.dates() | MOMENTS | st.complex_numbers(allow_nan=False)
VALUES = st.recursive(ATOMS | ODD, lambda inner: st.tuples(inner, inner), max_leaves=4)
ANYTHING = st.recursive(
    ATOMS | ODD | st.just(math.nan),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text() | st.integers(), inner),
)


def again(value: Any, *functions: Callable[[dict[str, Any]], bool]) -> Any:
    """Through the text that a file would hold, which is plain ASCII and strict JSON."""
    text = json.dumps(to_data(value), allow_nan=False)
    assert text.isascii()
    return from_data(json.loads(text), functions)


@given(ANYTHING)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert repr(again(value)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        Decimal("0.10"),
        Fraction(1, 3),
        datetime.date(2026, 1, 31),
        datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC),
        {"$": "Real", "$x": [1]},
        {1: "a", (2, 3): None},
        {"$function": "os.system"},
    ],
)
def test_what_json_has_no_word_for_comes_back_too(value: Any) -> None:
    assert again(value) == value
    assert type(again(value)) is type(value)


@pytest.mark.parametrize("kind", ["<f8", "<f4", "<i8", "|u1", "|b1", ">f8"])
def test_arrays_come_back_bit_for_bit(kind: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(kind)
    found = again(array)
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_not_a_number_keeps_its_bits_in_an_array() -> None:
    odd = np.array([np.nan, -np.nan, np.inf, -0.0, 5e-324])
    assert again(odd).tobytes() == odd.tobytes()


# What studies are about


@st.composite
def reals(draw: Any) -> Real:
    log = draw(st.booleans())
    low = draw(POSITIVE if log else FINITE)
    length = draw(st.floats(1e-2, 1e6))
    step = draw(st.none() | st.floats(length / 100, length / 2))
    return Real(low, low + length, log=log, step=step, unit=draw(st.text(max_size=3)))


@st.composite
def integers(draw: Any) -> Integer:
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(10**20), 10**20))
    return Integer(low, low + draw(st.integers(5, 1000)), log=log, step=draw(st.integers(1, 5)))


def alike(values: list[Any]) -> bool:
    """Whether a Choice would take two of them for one: 1, 1.0 and True are."""
    try:
        return len(set(values)) < len(values)
    except TypeError:
        return True


CHOICES = st.lists(VALUES, min_size=1, max_size=5).filter(lambda v: not alike(v)).map(Choice) | st.lists(
    st.integers(-9, 9), min_size=1, max_size=5, unique=True
).map(lambda v: Choice(v, ordered=True, unit="g"))


@st.composite
def spaces(draw: Any) -> Space:
    parameters = draw(st.dictionaries(NAMES, reals() | integers() | CHOICES, min_size=1, max_size=4))
    numeric = [name for name, p in parameters.items() if not isinstance(p, Choice)]
    weights = {name: draw(st.floats(-3, 3)) for name in numeric}
    limits = [Linear(weights, lower=draw(st.just(-math.inf) | FINITE), upper=1e30)] if numeric else []
    space = Space(parameters, constraints=limits)
    name = draw(st.sampled_from(list(parameters)))
    value = space.decode(space.everything()[:1] if math.isfinite(space.size) and space.size < 1e4 else _low(space))[0]
    return space.fix(**{name: value[name]}) if draw(st.booleans()) else space


def _low(space: Space) -> Any:
    return space.snap(space.lower[None])


@given(spaces())
@settings(max_examples=50)
def test_spaces_come_back(space: Space) -> None:
    found = again(space)
    assert found == space
    assert repr(found) == repr(space)
    x = _low(space)
    assert found.encode(found.decode(x)).tobytes() == space.encode(space.decode(x)).tobytes()


@st.composite
def pools(draw: Any) -> Pool:
    rows = draw(st.integers(1, 6))

    def column(of: Any) -> Any:
        return st.lists(of, min_size=rows, max_size=rows)

    columns = {
        "floats": np.array(draw(column(FINITE))),
        "small": np.array(draw(column(st.floats(-9, 9, width=32))), dtype=np.float32),
        "ints": np.array(draw(column(st.integers(-9, 9)))),
        "texts": draw(column(st.text("abc", min_size=1))),
        "notes": draw(column(VALUES)),
        "gaps": np.array(draw(column(st.floats()))),
    }
    names = [f"n{i}" for i in range(rows)]
    ids = draw(st.none() | st.just(names) | st.just([i * 0.5 for i in range(rows)]))
    inputs = draw(st.lists(st.sampled_from(["floats", "small", "ints", "texts"]), min_size=1, unique=True))
    return Pool(columns, inputs, ids=ids)


@given(pools())
@settings(max_examples=50)
def test_pools_come_back(pool: Pool) -> None:
    found = again(pool)
    assert found == pool
    assert repr(found.ids) == repr(pool.ids)
    assert found.x.tobytes() == pool.x.tobytes()
    assert [found.params(i) for i in range(len(pool))] == [pool.params(i) for i in range(len(pool))]
    assert all(getattr(found.columns[n], "dtype", None) == getattr(c, "dtype", None) for n, c in pool.columns.items())


@given(
    st.lists(
        st.builds(
            Objective,
            NAMES,
            st.sampled_from(["max", "min"]),
            POSITIVE | st.integers(1, 9) | POSITIVE.map(np.float64),
            st.none() | POSITIVE,
            st.none() | POSITIVE,
            st.none() | POSITIVE,
            st.sampled_from(["none", "log", "power"]),
            st.text(max_size=3),
        ),
        min_size=2,
        max_size=4,
        unique_by=lambda objective: objective.name,
    ),
    POSITIVE,
)
def test_objectives_come_back(items: list[Objective], cost: float) -> None:
    objectives = Objectives(items, [Bundle([items[0].name, items[1].name], cost)])
    assert again(objectives) == objectives


PRIORS = st.builds(LogNormal, FINITE, POSITIVE, st.just(0.0), st.just(math.inf) | POSITIVE)
SETTINGS = st.builds(
    Settings,
    method=st.sampled_from(list(METHODS)),
    initial=st.integers(0, 20),
    recipe=st.builds(
        Recipe,
        isotropic=st.none() | st.booleans(),
        noise=st.just("fit") | POSITIVE,
        additive=st.just("fit") | st.floats(0, 1),
        alike=st.floats(0, 0.99),
        scale_prior=PRIORS,
    )
    | st.sampled_from([Recipe.paper(), Recipe.botorch()]),
    refit=st.sampled_from(["always", "once"]),
    frontiers=st.builds(
        FrontierSettings,
        st.integers(1, 50),
        search=st.builds(SearchSettings, st.integers(4, 99)),
        points=st.none() | st.integers(2, 99),
    )
    | st.just(FrontierSettings.paper()),
    estimator=st.sampled_from(list(ESTIMATORS)),
    maximiser=st.builds(MaximiserSettings, st.sampled_from(["gradient", "direct"]), st.integers(1, 999)),
)


@given(SETTINGS)
@settings(max_examples=50)
def test_settings_come_back(chosen: Settings) -> None:
    assert again(chosen) == chosen


def test_given_hyper_parameters_come_back() -> None:
    hypers = (Hyper("rbf", np.array([0.1, 1 / 3]), 1.0, 1e-4, 0.0, 0.3),)
    found = again(Settings(hypers=hypers)).hypers[0]
    assert found.scales.tobytes() == hypers[0].scales.tobytes()
    assert to_data(found) == to_data(hypers[0])


def test_recipes_and_hyper_parameters_from_before_main_effects_have_none() -> None:
    recipe, hyper = to_data(Recipe()), to_data(Hyper("rbf", np.ones(2), 1.0, 1e-4, 0.0, 0.3))
    events = hypers_as_data([Hyper("rbf", np.ones(2), 1.0, 1e-4, 0.0, 0.3)])
    assert hypers_from_data(events)[0].additive == 0.3
    for old in (recipe, hyper, events[0]):
        del old["additive"]
    del recipe["additive_deviation"], recipe["alike"]
    assert from_data(recipe) == Recipe(additive=0.0, alike=0.0)
    assert from_data(hyper).additive == 0.0
    assert hypers_from_data(events)[0].additive == 0.0


def test_every_setting_there_is_can_be_kept() -> None:
    """A setting of a new kind is to be added to the registry."""
    for chosen in (Settings(), Settings.paper()):
        assert again(chosen) == chosen


# What is not kept, and what is not read


def is_soluble(params: dict[str, Any]) -> bool:
    return bool(params["x"] < 0.5)


def test_functions_are_kept_by_name_and_have_to_be_given_again() -> None:
    space = Space(x=Real(0, 1), constraints=[Linear({"x": 1}, upper=0.9), is_soluble])
    assert again(space, is_soluble) == space
    with pytest.raises(InvalidInput, match="has the constraint is_soluble, a function, of which a file keeps the name"):
        again(space)
    with pytest.raises(InvalidInput, match="constraints: got <lambda>, wanted is_soluble"):
        again(space, lambda params: True)
    with pytest.raises(InvalidInput, match="got 1 functions more"):
        again(space, is_soluble, is_soluble)


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array(["a"])])
def test_what_a_file_cannot_keep_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="which a file cannot keep"):
        to_data(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"$later": 1}, "got data marked '.later'"),
        ({"$": "Popen", "args": ["ls"]}, "got a Popen, which this version does not know"),
        ({"$": "Real", "low": 0, "high": 1, "colour": 2}, "got a Real with .'colour'., which this version"),
    ],
)
def test_nothing_is_made_but_what_is_known(data: Any, message: str) -> None:
    with pytest.raises(StorageError, match=message):
        from_data(data)
