import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.errors import InvalidInput
from pfes.objectives import Bundle, Objective, Objectives

ABC = [Objective("a", cost=4.0), Objective("b", "min", cost=2.0), Objective("c", cost=1.0)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "wanted a non-empty text"),
        ({"name": "row"}, "is a column of to_dataframe"),
        ({"name": "a", "goal": "maximise"}, "wanted 'max' or 'min'"),
        ({"name": "a", "cost": 0.0}, "wanted a finite number > 0"),
        ({"name": "a", "cost": float("nan")}, "cost of 'a': got nan"),
        ({"name": "a", "cost": True}, "cost of 'a': got True"),
        ({"name": "a", "noise": -1.0}, "wanted a finite number >= 0"),
        ({"name": "a", "resolution": float("inf")}, "resolution of 'a': got inf"),
        ({"name": "a", "threshold": "low"}, "threshold of 'a': got 'low', wanted a finite number"),
        ({"name": "a", "transform": "sqrt"}, "wanted 'none', 'log' or 'power'"),
        ({"name": "a", "transform": "log", "threshold": -1.0}, "wanted > 0, as transform is 'log'"),
    ],
)
def test_an_impossible_objective_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Objective(**arguments)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_no_number_points_to_what_to_tell_instead(value: float) -> None:
    with pytest.raises(InvalidInput, match=r"failed='why'.*infeasible='why'.*abandoned='why'"):
        Objective("a").checked(value)


def test_values_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(InvalidInput, match="got 'high', wanted a number"):
        Objective("a").checked("high")
    for truth in (True, np.True_, np.array(False)):
        with pytest.raises(InvalidInput, match="not a truth value"):
            Objective("a").checked(truth)
    with pytest.raises(InvalidInput, match=r"got 0.0, wanted > 0, as transform is 'log'"):
        Objective("a", transform="log").checked(0)
    assert Objective("a").checked(np.float32(0.5)) == 0.5


def test_objectives_must_be_told_apart() -> None:
    with pytest.raises(InvalidInput, match="wanted different ones"):
        Objectives([Objective("a"), Objective("a")])
    with pytest.raises(InvalidInput, match=r"wanted one or more of pfes\.Objective"):
        Objectives([])
    with pytest.raises(InvalidInput, match=r"wanted a list of pfes\.Objective"):
        Objectives.of(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="wanted one of"):
        Objectives(ABC).index("d")


def test_bundles_name_known_objectives() -> None:
    with pytest.raises(InvalidInput, match="at least two different"):
        Bundle(["a", "a"], 3.0)
    with pytest.raises(InvalidInput, match=r"wanted a finite number > 0"):
        Bundle(["a", "b"], 0.0)
    with pytest.raises(InvalidInput, match=r"got \['d'\], wanted names among"):
        Objectives(ABC, [Bundle(["a", "d"], 3.0)])


def test_signs_flip_once_and_back() -> None:
    objectives = Objectives(ABC)
    values = np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(objectives.inward(values), [[1.0, -2.0, 3.0]])
    np.testing.assert_array_equal(objectives.outward(objectives.inward(values)), values)


def test_a_set_costs_the_sum_or_its_bundle() -> None:
    objectives = Objectives(ABC, [Bundle(["a", "b"], 3.0)])
    assert objectives.cost([0]) == 4.0
    assert objectives.cost([0, 1]) == 3.0  # the bundle
    assert objectives.cost([0, 1, 2]) == 4.0  # the bundle and c
    assert objectives.cost([1, 2]) == 3.0
    assert Objectives(ABC, [Bundle(["b", "c"], 9.0)]).cost([1, 2]) == 9.0  # its own cost, though dearer than apart


@given(st.sets(st.integers(0, 2), min_size=1))
def test_a_larger_set_never_costs_less(which: set[int]) -> None:
    objectives = Objectives(ABC, [Bundle(["a", "b"], 5.0)])
    for l in range(3):
        assert objectives.cost(which | {l}) >= objectives.cost(which)


def test_options_are_everything_or_each_alone_too() -> None:
    objectives = Objectives(ABC, [Bundle(["b", "a"], 5.0)])
    assert [option.which for option in objectives.options(decoupled=False)] == [(0, 1, 2)]
    assert [option.which for option in objectives.options(decoupled=True)] == [(0,), (1,), (2,), (0, 1), (0, 1, 2)]
    assert [option.cost for option in objectives.options(decoupled=True)] == [4.0, 2.0, 1.0, 5.0, 6.0]
    assert [option.which for option in Objectives(ABC[:1]).options(decoupled=True)] == [(0,)]
