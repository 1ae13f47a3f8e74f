"""Space: dicts into the cube and back, identity, what is held, what is refused."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.errors import InvalidInput
from pfes.space import Choice, Integer, Linear, Real, Space


def short(params):
    return params["t"] < 8 or params["dopant"] != "W"


MIXED = Space(
    x=Real(0, 1),
    rate=Real(1e-4, 1, log=True),
    part=Real(0, 0.7, step=0.1),
    t=Integer(0, 9),
    mesh=Integer(1, 64, log=True),
    dopant=Choice(["Er", "Nb", "W"]),
    dry=Choice([False, True]),
    grade=Choice([1, 2, 10], ordered=True),
    constraints=[Linear({"x": 1, "part": 1}, upper=1), short],
)
POINT = {"x": 0.3, "rate": 0.01, "part": 0.7, "t": 9, "mesh": 4, "dopant": "Er", "dry": True, "grade": 10}

decimals = st.integers(0, 10**6).map(lambda k: k / 10**6)
points = st.fixed_dictionaries(
    {
        "x": decimals,
        "rate": st.integers(1, 10**4).map(lambda k: k / 10**4),
        "part": st.integers(0, 7).map(lambda k: k / 10),
        "t": st.integers(0, 9),
        "mesh": st.integers(1, 64),
        "dopant": st.sampled_from(["Er", "Nb", "W"]),
        "dry": st.booleans(),
        "grade": st.sampled_from([1, 2, 10]),
    }
)


@given(st.lists(points, max_size=5))
def test_points_come_back_as_given(rows):
    x = MIXED.encode(rows)
    assert x.shape == (len(rows), MIXED.width)
    assert MIXED.decode(x) == rows
    np.testing.assert_array_equal(MIXED.snap(x), x)


def test_snapping_is_encoding_what_was_decoded(frozen):
    x = frozen(np.random.default_rng(1).uniform(-0.3, 1.3, (500, MIXED.width)))
    np.testing.assert_array_equal(MIXED.snap(x), MIXED.encode(MIXED.decode(x)))


def test_the_columns_say_whose_they_are():
    assert MIXED.width == 11
    assert MIXED.groups.tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 6, 6, 7]
    assert MIXED.free.tolist() == [True] * 2 + [False] * 9
    assert MIXED.slices["dopant"] == slice(5, 8)
    assert MIXED.names == tuple(POINT)
    np.testing.assert_array_equal(MIXED.lower, np.zeros(11))
    np.testing.assert_allclose(MIXED.upper, [1] * 5 + [math.sqrt(0.5)] * 5 + [1])


def test_the_size_counts_the_points():
    assert MIXED.size == math.inf
    assert Space(a=Integer(1, 6), b=Choice(list("wxyz")), c=Real(0, 1, step=0.5)).size == 72
    assert Space({f"n{i}": Integer(0, 10**11) for i in range(40)}).size == math.inf  # beyond float64
    assert Space(a=Integer(2, 2), b=Choice(["x"])).size == 1


def test_constant_parameters_have_a_box_without_extent():
    space = Space(a=Integer(2, 2), b=Choice(["x"]), c=Choice([7], ordered=True))
    np.testing.assert_array_equal(space.lower, space.upper)
    only = {"a": 2, "b": "x", "c": 7}
    assert space.decode(space.random(2, np.random.default_rng(0))) == [only, only]
    assert len(space.neighbours(space.encode([only])[0])) == 0


def test_the_arrays_it_shows_cannot_be_edited():
    for array in (MIXED.groups, MIXED.free, MIXED.lower, MIXED.upper):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# Identity


def test_keys_tell_points_apart_and_overlook_noise():
    rng = np.random.default_rng(2)
    rows = [POINT, POINT | {"x": 0.31}, POINT | {"t": 8}, POINT | {"dopant": "Nb"}, POINT | {"grade": 2}]
    x = MIXED.encode(rows)
    keys = MIXED.keys(x)
    assert len(set(keys)) == len(rows)
    assert MIXED.keys(x + rng.uniform(-1e-9, 1e-9, x.shape)) == keys
    assert MIXED.keys(x[:0]) == []


def test_minus_zero_is_zero():
    space = Space(x=Real(0, 1))
    assert space.keys([[0.0], [-0.0], [-1e-12]]) == [space.keys([[0.0]])[0]] * 3


def test_data_outside_keep_their_own_identity():
    space = Space(x=Real(0, 1), n=Integer(0, 10))
    rows = [{"x": 1, "n": 10}, {"x": 2, "n": 10}, {"x": 1, "n": 11}, {"x": 1, "n": 9.5}, {"x": 1e300, "n": 10}]
    assert len(set(space.keys(space.encode(rows)))) == len(rows)


def test_a_long_grid_keeps_its_levels_apart():
    space = Space(n=Integer(0, 10**12 - 1))
    rows = [{"n": n} for n in (0, 1, 2, 123456789012, 123456789013, 10**12 - 2, 10**12 - 1)]
    assert len(set(space.keys(space.encode(rows)))) == len(rows)


# Allowed or not


def test_linear_constraints_and_functions_hold_at_decoded_points():
    rows = [POINT, POINT | {"x": 0.31}, POINT | {"dopant": "W"}, POINT | {"dopant": "W", "t": 7}]
    assert MIXED.admissible(MIXED.encode(rows)).tolist() == [True, False, False, True]


def test_linear_constraints_equal_their_definition(frozen):
    space = Space(
        a=Real(-1, 1),
        b=Integer(0, 5),
        c=Choice([0.5, 2], ordered=True),
        d=Choice([1, 3]),
        constraints=[Linear({"a": 2, "b": -1, "c": 1}, lower=-2, upper=1), Linear({"d": 1, "b": 1}, lower=3)],
    )
    x = space.snap(np.random.default_rng(3).random((300, space.width)))
    wanted = [-2 <= 2 * p["a"] - p["b"] + p["c"] <= 1 and p["d"] + p["b"] >= 3 for p in space.decode(x)]
    assert space.admissible(frozen(x)).tolist() == wanted
    assert 0 < sum(wanted) < 300


def test_a_sum_that_meets_its_bound_but_for_noise_is_allowed():
    space = Space(a=Real(0, 1), b=Real(0, 1), constraints=Linear({"a": 1, "b": 1}, upper=0.3))
    assert space.contains({"a": 0.1, "b": 0.2})  # 0.30000000000000004
    assert not space.contains({"a": 0.1, "b": 0.2000001})


def test_outside_the_box_nothing_is_allowed():
    space = Space(x=Real(0, 1), n=Integer(0, 4))
    x = space.encode([{"x": 1.5, "n": 2}, {"x": 0.5, "n": 5}, {"x": 1, "n": 4}])
    assert space.admissible(x).tolist() == [False, False, True]


def test_functions_get_a_dict_of_their_own_in_the_users_units():
    seen = []

    def greedy(params):
        seen.append(dict(params))
        params.clear()
        return True

    space = Space(n=Integer(5, 9), c=Choice(["u", "v"]), constraints=[greedy, lambda p: p["n"] > 5])
    assert space.admissible(space.encode([{"n": 6, "c": "v"}])).tolist() == [True]
    assert seen == [{"n": 6, "c": "v"}]


def test_a_function_must_answer():
    space = Space(n=Integer(5, 9), constraints=[lambda params: None])
    with pytest.raises(InvalidInput, match="returned None, wanted True or False: does it forget `return`"):
        space.admissible(space.lower[None])


def test_functions_are_not_asked_about_what_is_forbidden_anyway():
    def never(params):
        raise AssertionError

    space = Space(x=Real(0, 1), constraints=[never])
    assert space.admissible([[2.0], [-1.0]]).tolist() == [False, False]


def test_containing_means_all_of_it():
    assert MIXED.contains(POINT)
    assert MIXED.contains(POINT | {"t": 9.0, "x": np.float64(0.3)})
    for wrong in ({"x": -0.1}, {"part": 0.65}, {"t": 3.5}, {"dopant": "Fe"}, {"x": "0.3"}, {"x": 0.9}, {"more": 1}):
        assert not MIXED.contains(POINT | wrong)
    assert not MIXED.contains({"x": 0.3})


# Held


def test_fixing_keeps_the_encoding_and_holds_the_values():
    held = MIXED.fix(x=0.25, t=9.0, dopant="Nb")
    assert held.held == {"x": 0.25, "t": 9, "dopant": "Nb"}
    x = held.random(50, np.random.default_rng(0))
    assert {(p["x"], p["t"], p["dopant"]) for p in held.decode(x)} == {(0.25, 9, "Nb")}
    assert MIXED.decode(x) == held.decode(x)
    columns = held.lower == held.upper
    assert columns.tolist() == [True, False, False, True, False, True, True, True, False, False, False]
    assert not held.free[0]
    assert held.free[1]
    np.testing.assert_array_equal(held.snap(np.ones((1, 11)))[0, columns], held.lower[columns])
    assert not held.admissible(MIXED.encode([POINT]))[0]
    assert not held.contains(POINT)
    assert held.contains(held.decode(x)[0])


def test_everything_can_be_fixed_and_fixed_again():
    all_held = MIXED.fix(**POINT)
    assert all_held.size == 1
    assert all_held.decode(all_held.sobol(3, np.random.default_rng(0))) == [POINT]
    assert all_held.decode(all_held.grid()) == [POINT]
    assert len(all_held.neighbours(all_held.lower)) == 0
    assert all_held.fix(t=8).held == POINT | {"t": 8}
    assert MIXED.held == {}


def test_constraints_know_the_held_values():
    space = Space(a=Real(0, 1), b=Real(0, 1), constraints=[Linear({"a": 1, "b": 1}, upper=1)]).fix(b=0.75)
    assert max(p["a"] for p in space.decode(space.random(200, np.random.default_rng(0)))) <= 0.25


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"y": 1}, "no parameter 'y', wanted one of 'x', 'rate'"),
        ({"x": 2}, r"x=2 is not in Real\(0.0, 1.0\)"),
        ({"t": 2.5}, "t=2.5 is not in Integer"),
        ({"dopant": "Fe"}, "wanted one of 'Er', 'Nb', 'W'"),
    ],
)
def test_what_is_not_in_the_space_cannot_be_held(values, message):
    with pytest.raises(InvalidInput, match=message):
        MIXED.fix(**values)


# A value like any other


def test_spaces_are_equal_by_value():
    again = Space(MIXED.parameters, constraints=MIXED.constraints)
    assert again == MIXED
    assert hash(again) == hash(MIXED)
    assert MIXED.fix(t=3, x=0) == MIXED.fix(x=0).fix(t=3)
    assert MIXED.fix(t=3) != MIXED
    assert Space(a=Real(0, 1), b=Real(0, 1)) != Space(b=Real(0, 1), a=Real(0, 1))  # other columns
    assert MIXED != "a space"


def test_spaces_can_be_pickled():
    held = MIXED.fix(t=3)
    held.lower  # noqa: B018 - what was computed on the way is not part of it
    again = pickle.loads(pickle.dumps(held))
    assert again == held
    assert not again.lower.flags.writeable
    limit = pickle.loads(pickle.dumps(MIXED.constraints[0]))
    assert limit == MIXED.constraints[0]
    assert hash(limit) == hash(MIXED.constraints[0])


def test_spaces_are_frozen_and_show_themselves():
    with pytest.raises(AttributeError, match="Space is frozen"):
        MIXED.constraints = ()
    space = Space(x=Real(0, 1, unit="mol"), c=Choice(["a"]), constraints=[Linear({"x": 1}, upper=0.5)])
    assert repr(space.fix(x=0.25)) == (
        "Space(x=Real(0.0, 1.0, unit='mol'), c=Choice(['a']), constraints=[Linear({'x': 1.0}, upper=0.5)]).fix(x=0.25)"
    )
    assert repr(Space({"my x": Integer(0, 1)})) == "Space({'my x': Integer(0, 1)})"
    assert eval(repr(space)) == space


def test_editing_what_it_gives_changes_nothing():
    MIXED.parameters.clear()
    MIXED.held["x"] = 1
    MIXED.constraints[0].weights.clear()
    assert MIXED.names == tuple(POINT)
    assert MIXED.held == {}
    assert MIXED.constraints[0].weights == {"x": 1, "part": 1}


# Refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Space, "no parameters"),
        (lambda: Space([Real(0, 1)]), "Space got a list, wanted"),
        (lambda: Space(x=(0, 1)), r"'x' is \(0, 1\), wanted a Real, an Integer or a Choice"),
        (lambda: Space(x=Real), "wanted a Real, an Integer or a Choice"),
        (lambda: Space({"x": Real(0, 1)}, x=Real(0, 1)), "got 'x' twice"),
        (lambda: Space({"": Real(0, 1)}), "wanted a name"),
        (lambda: Space({3: Real(0, 1)}), "wanted a name"),
        (lambda: Space(x=Real(0, 1), constraints=["x < 1"]), "'x < 1', wanted a Linear or a function"),
        (lambda: Space(x=Real(0, 1), constraints=[Linear({"y": 1}, upper=1)]), "speaks of 'y', wanted one of 'x'"),
        (lambda: Space(x=Choice(["a"]), constraints=[Linear({"x": 1}, upper=1)]), "'x', which is no number"),
        (lambda: Linear({}, upper=1), "wanted a weight per parameter"),
        (lambda: Linear([1, 2], upper=1), "wanted a weight per parameter"),
        (lambda: Linear({"x": "1"}, upper=1), "the weight of 'x' is '1'"),
        (lambda: Linear({"x": 1}), "forbids nothing"),
        (lambda: Linear({"x": 1}, lower=2, upper=1), "lower 2.0 lies above upper 1.0"),
        (lambda: Linear({"x": 1}, lower=math.inf), "lies above upper"),
        (lambda: Linear({"x": 1}, upper="1"), "upper of Linear is '1'"),
        (lambda: Linear({"x": 1}, upper=math.nan), "upper of Linear is nan"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


@pytest.mark.parametrize("name", ["id", "state", "row", "spent"])
def test_names_that_tables_use_themselves_are_refused(name):
    with pytest.raises(InvalidInput, match=f"called '{name}', but 'id', 'state', 'row', 'spent' mean something else"):
        Space({name: Real(0, 1)})


def test_linear_is_frozen_and_shows_itself():
    limit = Linear({"x": 1}, lower=0, upper=2)
    with pytest.raises(AttributeError, match="Linear is frozen"):
        limit.lower = 1
    assert eval(repr(limit)) == limit
    assert limit != Linear({"x": 1}, lower=0)
    assert limit != 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"x": 1, "n": 1}, {"x": 1}], "row 1 lacks 'n': give a value for each of 'x', 'n'"),
        ([{"x": 1, "n": 1, "m": 2}], "row 0 has 'm', wanted only 'x', 'n'"),
        ({"x": 1, "n": 1}, "got one dict, wanted a list of dicts"),
        ([(1, 2)], "row 0 is a tuple, wanted a dict"),
        ([{"x": math.nan, "n": 1}], "'x' of row 0 is nan"),
        ([{"x": 1, "n": "1"}], "'n' of row 0 is '1'"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, message):
    with pytest.raises(InvalidInput, match=message):
        Space(x=Real(0, 1), n=Integer(0, 3)).encode(rows)


def test_points_of_another_shape_are_refused():
    space = Space(x=Real(0, 1), n=Integer(0, 3))
    for method in (space.decode, space.snap, space.keys, space.admissible):
        with pytest.raises(InvalidInput, match=r"points of shape \(2,\), wanted \(N, 2\)"):
            method([0.0, 0.0])
        with pytest.raises(InvalidInput, match="contain nan"):
            method([[math.nan, 0.0]])
    with pytest.raises(InvalidInput, match=r"wanted \(N, 2\)"):
        space.neighbours([0.0])
