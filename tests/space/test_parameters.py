"""Real, Integer, Choice: what they refuse, and that what they encode comes back."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.errors import InvalidInput
from pfes.space import Choice, Integer, Real

SOME = [
    Real(0, 1),
    Real(-3, 8.5),
    Real(1e-6, 10, log=True),
    Real(1e-300, 1e5, log=True),
    Real(1e12, 1e12 + 1),
    Real(3e-30, 7e-30),
    Real(0, 1, step=0.1),
    Real(0.1, 0.75, step=0.2),
    Real(0, 1, step=1 / 3),
    Real(0.5, 100, step=0.5, log=True),
    Integer(3, 3),
    Integer(-5, 5),
    Integer(1, 1000, log=True),
    Integer(10, 95, step=10),
    Integer(10**18, 10**18 + 40),
    Integer(10**18, 10**18 + 40, log=True),
    Integer(0, 10**12 - 1),
    Integer(1, 10**12 - 1, log=True),
    Choice(["a", "b", "c"]),
    Choice(["only"]),
    Choice([False, True]),
    Choice([None, "x", (1, 2)]),
    Choice(["low", "mid", "high"], ordered=True),
    Choice([10, 1, 2.5], ordered=True),
    Choice([-1e308, 0, 1e308], ordered=True),
]


def spots(parameter, count=400):
    """Positions in and around the parameter's box, its corners among them."""
    lower, upper = parameter.axis.box
    x = np.random.default_rng(0).uniform(-0.2, 1.2, (count, parameter.axis.width))
    return np.concatenate((lower + x * (upper - lower), [lower, upper]))


@pytest.mark.parametrize("parameter", SOME, ids=repr)
def test_what_was_decoded_once_comes_back_the_same(parameter):
    values = parameter.decode(spots(parameter))
    assert parameter.decode(parameter.encode(values, "p")) == values


@pytest.mark.parametrize("parameter", SOME, ids=repr)
def test_snapping_is_encoding_what_was_decoded(parameter):
    x = spots(parameter)
    snapped = parameter.axis.snap(x)
    np.testing.assert_array_equal(snapped, parameter.encode(parameter.decode(x), "p"))
    np.testing.assert_array_equal(parameter.axis.snap(snapped), snapped)


@pytest.mark.parametrize("parameter", SOME, ids=repr)
def test_decoded_values_are_its_own_and_pythons(parameter):
    values = parameter.decode(spots(parameter))
    assert all(parameter.holds(value) for value in values)
    assert not any(isinstance(value, np.generic) for value in values)


@pytest.mark.parametrize("parameter", SOME, ids=repr)
def test_it_shows_itself_as_it_is_written(parameter):
    assert eval(repr(parameter), {"Real": Real, "Integer": Integer, "Choice": Choice}) == parameter
    assert hash(parameter) == hash(eval(repr(parameter), {"Real": Real, "Integer": Integer, "Choice": Choice}))


@given(st.decimals(-50, 150, places=6).map(float), st.booleans())
def test_a_number_somebody_typed_comes_back_as_typed(number, log):
    parameter = Real(1e-3, 200, log=True) if log else Real(-60.3, 151.7)
    if parameter.holds(number):
        assert parameter.decode(parameter.encode([number], "p")) == [number]


@given(st.floats(-1e300, 1e300), st.floats(1e-12, 1e300), st.floats(0, 1))
def test_any_float_comes_back_to_thirteen_digits(low, length, part):
    high = low + length
    if high > low:
        value = min(low + part * length, high)
        (back,) = Real(low, high).decode(Real(low, high).encode([value], "p"))
        assert abs(back - value) <= 1e-13 * max(abs(low), abs(high))


@given(st.floats(1e-300, 1e300), st.floats(1.001, 1e8), st.floats(0, 1))
def test_any_float_on_a_log_scale_comes_back_to_eleven_digits(low, ratio, part):
    high = low * ratio
    value = min(max(low * ratio**part, low), high)
    parameter = Real(low, high, log=True)
    (back,) = parameter.decode(parameter.encode([value], "p"))
    assert back == pytest.approx(value, rel=1e-11, abs=0)
    assert low <= back <= high


@pytest.mark.parametrize("bounds", [(1 / 3, 2 / 3), (-1 / 7, 1e5 / 7), (math.pi, 1000 * math.pi)])
@pytest.mark.parametrize("log", [False, True])
def test_the_bounds_come_back_exactly(bounds, log):
    if bounds[0] > 0 or not log:
        parameter = Real(*bounds, log=log)
        np.testing.assert_array_equal(parameter.encode(bounds, "p"), [[0], [1]])
        assert parameter.decode([[0.0], [1.0]] @ np.eye(1)) == list(bounds)


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (Real(0, 1, step=0.1), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        (Real(0.1, 0.75, step=0.2), [0.1, 0.3, 0.5, 0.7]),
        (Real(0, 1, step=1 / 3), [0, 1 / 3, 2 / 3, 1.0]),
        (Integer(10, 45, step=10), [10, 20, 30, 40]),
        (Integer(-2, 1), [-2, -1, 0, 1]),
    ],
    ids=repr,
)
def test_a_grid_has_evenly_spaced_levels_up_to_the_last_that_fits(parameter, values):
    x = np.linspace(0, 1, len(values))[:, None]
    assert parameter.axis.count == len(values)
    assert parameter.decode(x) == values
    np.testing.assert_allclose(parameter.encode(values, "p"), x, rtol=1e-15)
    assert not parameter.holds(parameter.high + (parameter.step or 1))


def test_steps_on_a_log_scale_lie_by_their_logarithm():
    np.testing.assert_allclose(Integer(1, 100, log=True).encode([1, 10, 100], "p"), [[0], [0.5], [1]])
    np.testing.assert_allclose(Real(0.01, 100, log=True).encode([0.01, 1, 100], "p"), [[0], [0.5], [1]])


def test_snapping_takes_the_nearest_level_in_the_cube():
    grid = Integer(1, 9, log=True)
    every = grid.encode(range(1, 10), "p")[:, 0]
    x = np.linspace(-0.1, 1.1, 1001)
    nearest = np.abs(x[:, None] - every).argmin(axis=1) + 1
    assert grid.decode(x[:, None]) == nearest.tolist()


def test_data_outside_and_between_are_kept():
    np.testing.assert_allclose(Real(0, 10).encode([-5, 25], "p"), [[-0.5], [2.5]])
    np.testing.assert_allclose(Integer(0, 10).encode([2.5, 20], "p"), [[0.25], [2.0]])
    np.testing.assert_allclose(Real(0, 1, step=0.25).encode([0.3], "p"), [[0.3]])
    assert Integer(3, 3).encode([5], "p") != Integer(3, 3).encode([3], "p")
    assert not Integer(0, 10).holds(2.5)
    assert not Real(0, 1, step=0.25).holds(0.3)
    assert not Real(0, 1).holds(1.1)


def test_two_different_choices_lie_at_distance_one():
    x = Choice(list("abcd")).encode(list("abcd"), "p")
    distances = np.linalg.norm(x[:, None] - x, axis=2)
    np.testing.assert_allclose(distances, 1 - np.eye(4))


def test_ordered_choices_lie_by_rank_and_numbers_by_value():
    x = Choice(["low", "mid", "high"], ordered=True).encode(["high", "low", "mid"], "p")
    np.testing.assert_array_equal(x, [[1], [0], [0.5]])
    x = Choice([5, 1, 2], ordered=True).encode([1, 2, 5], "p")
    np.testing.assert_allclose(x, [[0], [0.25], [1]])
    x = Choice([1, math.inf, 2], ordered=True).encode([1, 2, math.inf], "p")  # not by value, then
    np.testing.assert_array_equal(x, [[0], [1], [0.5]])
    assert not Choice([1, 10**400], ordered=True).numeric


def test_a_choice_gives_back_the_very_object():
    class Solvent:
        pass

    water, hexane = Solvent(), Solvent()
    choice = Choice([water, hexane])
    assert choice.decode(choice.encode([hexane], "p"))[0] is hexane


@pytest.mark.parametrize("given_", [3, 3.0, np.int64(3), np.float32(3), np.array(3), Fraction(3), Decimal(3)])
def test_every_kind_of_number_is_understood(given_):
    assert Integer(0, 6).decode(Integer(0, 6).encode([given_], "p")) == [3]
    assert Real(given_, 6) == Real(3, 6)
    assert Integer(given_, 6) == Integer(3, 6)
    assert isinstance(Integer(given_, 6).low, int)
    assert isinstance(Real(given_, 6).low, float)
    assert Choice([1, 2, 3]).holds(given_)


def test_numpy_choices_become_pythons():
    assert [type(value) for value in Choice(np.array(["a", "b"])).values] == [str, str]
    assert [type(value) for value in Choice(np.arange(2)).values] == [int, int]
    assert Choice([False, True]).decode(Choice([False, True]).encode([np.bool_(True)], "p"))[0] is True


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Real(1, 0), "low lies above high"),
        (lambda: Integer(1, 0), "low lies above high"),
        (lambda: Real(1, 1), "a single value"),
        (lambda: Real(0, 1, log=True), "wants low > 0"),
        (lambda: Integer(-1, 5, log=True), "wants low > 0"),
        (lambda: Real(-1e308, 1e308), "too wide"),
        (lambda: Real(1e-308, 1e308, log=True), "too wide"),
        (lambda: Real(0, 1, step=2), "longer than the range"),
        (lambda: Integer(0, 5, step=6), "longer than the range"),
        (lambda: Real(0, 1, step=0), "a step is positive"),
        (lambda: Integer(0, 1, step=-1), "a step is positive"),
        (lambda: Real(0, 1, step=1e-15), "levels: use Real"),
        (lambda: Integer(0, 2**63), "levels: use Real"),
        (lambda: Integer(0, 10**400), "wanted a finite number"),
        (lambda: Real("0", 1), r"low of Real is '0' \(str\), wanted a number: give it without quotes"),
        (lambda: Real(0, None), r"high of Real is None"),
        (lambda: Real(False, True), r"low of Real is False \(bool\)"),
        (lambda: Real(0, math.inf), "wanted a finite number"),
        (lambda: Real(math.nan, 1), "wanted a finite number"),
        (lambda: Integer(0.5, 3), "low of Integer is 0.5, wanted a whole number: use Real"),
        (lambda: Integer(0, 3, step=0.5), "step of Integer is 0.5, wanted a whole number"),
        (lambda: Real(0, 1, unit=3), "wanted text"),
        (lambda: Real(0, 1, log="yes"), "wanted True or False"),
        (lambda: Choice("abc"), "wanted a list of values"),
        (lambda: Choice({"a", "b"}), "wanted a list of values"),
        (lambda: Choice(3), "wanted a list of values"),
        (lambda: Choice([]), "Choice of nothing"),
        (lambda: Choice(["a", "b", "a"]), "holds 'a' twice"),
        (lambda: Choice([1, True]), "holds True twice"),
        (lambda: Choice([[1], [2]]), r"holds \[1\], which cannot be looked up: use text, numbers or tuples"),
        (lambda: Choice([([1],)]), "which cannot be looked up"),
        (lambda: Choice([1.0, math.nan]), "not equal to itself"),
        (lambda: Choice([10**20, 10**20 + 1], ordered=True), "too close to be told apart"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (Real(0, 1), "0.5", "'p' of row 1 is '0.5' .*without quotes"),
        (Real(0, 1), True, r"'p' of row 1 is True \(bool\), wanted a number"),
        (Real(0, 1), math.nan, "'p' of row 1 is nan, wanted a finite number"),
        (Real(0, 1), 10**400, "'p' of row 1 is 1000.*, wanted a finite number"),
        (Real(0.5, 1, log=True), 0, "'p' of row 1 is 0.0, wanted a positive number on a log scale"),
        (Integer(1, 3), None, "'p' of row 1 is None"),
        (Integer(1, 3, log=True), -2, "wanted a positive number"),
        (Choice([1, 0.5, "b"]), "c", "'p' of row 1 is 'c', wanted one of 1, 0.5, 'b': check the spelling"),
        (Choice([1, 0.5]), [1], r"'p' of row 1 is \[1\]"),
        (Choice([1, *range(5, 30), 0.5]), 77, r"13, ... \(27 in all\)"),
    ],
)
def test_values_that_mean_nothing_are_refused_with_their_row(parameter, value, message):
    good = parameter.decode(np.array([parameter.axis.box[0]]))[0]
    with pytest.raises(InvalidInput, match=message):
        parameter.encode([good, value], "p")


@pytest.mark.parametrize("parameter", SOME, ids=repr)
def test_parameters_are_frozen(parameter):
    with pytest.raises(AttributeError):
        parameter.unit = "K"


def test_neighbouring_levels_double_their_distance_and_reach_the_ends():
    assert Integer(0, 100).axis.moves(10).tolist() == [0, 2, 6, 8, 9, 11, 12, 14, 18, 26, 42, 74, 100]
    assert Integer(3, 3).axis.moves(0).tolist() == []
    assert len(Integer(0, 10**12 - 1).axis.moves(5 * 10**11)) < 90
    assert Choice(list("abc")).axis.moves(1).tolist() == [0, 2]
