"""Pool: tables in every form, their encoding, their rows; what is refused."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfes.errors import InvalidInput
from pfes.space import Pool

COLUMNS = {
    "temperature": [300, 350, 400, 300],
    "base": ["KOAc", "CsOAc", "KOAc", "KOAc"],
    "pressure": [1.0, 1.0, 1.0, 1.0],
    "dry": [True, False, True, True],
    "yield": [5.5, math.nan, 7.0, 1.0],
}
INPUTS = ["temperature", "base", "pressure", "dry"]


class Series:
    """What a column of a DataFrame does here."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return self.values


class Frame:
    """What a DataFrame does here, so that pandas need not be there."""

    def __init__(self, columns, names=None):
        self.columns = list(columns) if names is None else names
        self._data = columns

    def __getitem__(self, name):
        return Series(np.array(self._data[name], dtype=object if name == "base" else None))

    def to_numpy(self):
        raise AssertionError("the columns have their own types")


POOL = Pool(COLUMNS, INPUTS)
HALF = math.sqrt(0.5)


@pytest.mark.parametrize(
    "table",
    [
        Frame(COLUMNS),
        [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
        {name: tuple(column) for name, column in COLUMNS.items()},
        {name: np.array(column) for name, column in COLUMNS.items()},
    ],
    ids=["frame", "rows", "tuples", "arrays"],
)
def test_tables_of_every_form_are_the_same_pool(table):
    pool = Pool(table, INPUTS)
    np.testing.assert_array_equal(pool.x, POOL.x)
    assert [pool.params(i) for i in range(4)] == [POOL.params(i) for i in range(4)]
    assert pool.names == POOL.names
    assert list(pool.columns) == list(COLUMNS)


def test_numbers_are_scaled_texts_are_one_hot_and_constants_have_no_column():
    assert POOL.width == 5
    assert POOL.groups.tolist() == [0, 1, 1, 2, 2]
    assert list(POOL.varied) == ["temperature", "base", "dry"]
    np.testing.assert_allclose(
        POOL.x,
        [[0, HALF, 0, HALF, 0], [0.5, 0, HALF, 0, HALF], [1, HALF, 0, HALF, 0], [0, HALF, 0, HALF, 0]],
    )
    assert POOL.params(1) == {"temperature": 350, "base": "CsOAc", "pressure": 1.0, "dry": False}
    assert len(POOL) == POOL.size == 4


def test_params_are_pythons_own():
    pool = Pool({"a": np.array([1, 2]), "b": np.array([0.5, 1], np.float32), "c": np.array(["u", "v"])})
    assert [type(value) for value in pool.params(1).values()] == [int, float, str]
    assert [type(name) for name in Pool(np.eye(2), ids=np.array([7, 8])).ids] == [int, int]


def test_arrays_name_their_columns_or_have_them_named():
    assert Pool(np.arange(6).reshape(3, 2)).names == ("x0", "x1")
    assert Pool([[1, 2], [3, 4]], ["a", "b"]).params(1) == {"a": 3, "b": 4}
    assert Pool(np.eye(2)[:, :1], "a").names == ("a",)
    assert Pool(Frame({0: [1, 2], 1: [3, 4]}), [1]).params(0) == {"1": 3}


def test_editing_the_table_afterwards_changes_nothing():
    array, names = np.arange(3.0), ["a", "b", "c"]
    pool = Pool({"x": array, "n": names})
    array[0], names[0] = 99, "zzz"
    pool.columns.clear()
    assert pool.params(0) == {"x": 0, "n": "a"}
    for shown in (pool.x, pool.groups, pool.twins, pool.columns["x"]):
        with pytest.raises(ValueError, match="read-only"):
            shown[0] = 1


def test_all_rows_alike_still_have_a_column():
    pool = Pool({"a": [1, 1], "b": ["u", "u"]})
    assert pool.x.tolist() == [[0], [0]]
    assert pool.groups.tolist() == [0]
    assert pool.encode([pool.params(0)]).tolist() == [[0]]
    assert Pool({"a": [3]}).x.shape == (1, 1)


def test_the_widest_and_the_narrowest_columns_are_scaled():
    pool = Pool({"wide": [1e-300, 1e300, 5e299], "narrow": [1e15, 1e15 + 1, 1e15 + 0.5], "big": [2**70, 2**71, 2**70]})
    np.testing.assert_allclose(pool.x, [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0]])


# Encoding other rows


@given(st.lists(st.integers(0, 3), max_size=6))
def test_encoding_the_params_of_rows_gives_their_encoding(rows):
    np.testing.assert_array_equal(POOL.encode([POOL.params(i) for i in rows]), POOL.x[rows])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_numbers_lie_in_the_unit_interval_and_come_back(values):
    pool = Pool({"v": values, "w": range(len(values))})
    assert pool.x.min() >= 0
    assert pool.x.max() <= 1
    np.testing.assert_array_equal(pool.encode([pool.params(i) for i in range(len(pool))]), pool.x)


def test_numbers_outside_the_pool_are_kept():
    assert POOL.encode([POOL.params(0) | {"temperature": 500}])[0, 0] == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base": "KOPiv"}, "'base' of row 1 is 'KOPiv', wanted one of 'KOAc', 'CsOAc'"),
        ({"pressure": 2}, "'pressure' of row 1 is 2, but 1.0 in the whole pool"),
        ({"temperature": "300"}, "'temperature' of row 1 is '300'"),
        ({"yield": 3}, "row 1 has 'yield', wanted only"),
    ],
)
def test_rows_that_say_something_unknown_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        POOL.encode([POOL.params(0), POOL.params(0) | change])


# Rows


def test_rows_are_found_by_their_ids():
    assert POOL.ids == (0, 1, 2, 3)
    assert POOL.index_of(2) == POOL.index_of(np.int64(2)) == POOL.index_of("2") == POOL.index_of(2.0) == 2
    named = Pool({"name": ["A1", "B2", "7"], "x": [1, 2, 3]}, ids="name")
    assert named.names == ("x",)
    assert named.ids == ("A1", "B2", "7")
    assert named.index_of("B2") == 1
    assert named.index_of(7) == 2
    assert Pool(np.eye(3), ids=["a", "b", "c"]).index_of("c") == 2
    assert Pool({"row": ["p", "q"], "x": [1, 2]}, ids="row").names == ("x",)  # as a name of rows it collides with none


@pytest.mark.parametrize("unknown", [9, "B9", None, True, [1]])
def test_unknown_ids_are_refused(unknown):
    with pytest.raises(InvalidInput, match=r"no row has the id .*, wanted one of 0, 1, 2, 3"):
        POOL.index_of(unknown)


def test_twins_are_the_first_rows_with_the_same_inputs():
    assert POOL.twins.tolist() == [0, 1, 2, 0]
    assert Pool({"x": [0.0, -0.0, 1.0]}).twins.tolist() == [0, 0, 2]
    table = np.random.default_rng(0).integers(0, 3, (200, 3))
    wanted = [next(j for j in range(200) if (table[j] == table[i]).all()) for i in range(200)]
    assert Pool(table).twins.tolist() == wanted


def test_rows_are_found_by_their_values():
    assert POOL.where(base="KOAc", temperature=300).tolist() == [True, False, False, True]
    assert POOL.where(temperature=np.int64(350)).tolist() == [False, True, False, False]
    assert POOL.where(dry=True).sum() == 3
    assert POOL.where().all()
    assert POOL.where(**{"yield": 7}).tolist() == [False, False, True, False]
    assert not POOL.where(temperature="300").any()
    assert not Pool({"x": np.arange(3)}).where(x="1").any()
    with pytest.raises(InvalidInput, match="no column 'solvent', wanted one of 'temperature'"):
        POOL.where(solvent="water")


# Choosing rows


def test_random_rows_are_different_and_allowed(frozen):
    pool, rng = Pool(np.arange(50.0)[:, None]), np.random.default_rng(0)
    allowed = frozen(np.arange(50) % 2 == 0)
    rows = pool.random(10, rng, allowed)
    assert len(set(rows.tolist())) == 10
    assert allowed[rows].all()
    assert sorted(pool.random(99, rng, allowed)) == list(range(0, 50, 2))
    assert len(pool.random(0, rng)) == 0


def test_spread_out_rows_are_each_the_farthest_from_those_before(frozen):
    x = np.random.default_rng(1).random((300, 3))
    pool, allowed = Pool(x), frozen(np.arange(300) % 3 > 0)
    rows = pool.spread_out(25, np.random.default_rng(0), allowed)
    distances = np.linalg.norm(pool.x[:, None] - pool.x, axis=2)
    assert allowed[rows].all()
    for k in range(1, 25):
        nearest = distances[:, rows[:k]].min(axis=1)
        assert nearest[rows[k]] == pytest.approx(nearest[allowed].max())


def test_spread_out_rows_start_anywhere_and_break_ties_anyhow():
    pool = Pool({"c": [letter for letter in "abcdefgh" for _ in range(5)]})
    first = {int(pool.spread_out(1, np.random.default_rng(seed))[0]) for seed in range(60)}
    second = {int(pool.spread_out(2, np.random.default_rng(seed))[1]) for seed in range(60)}
    assert min(len(first), len(second)) > 20
    for seed in range(20):
        rows = pool.spread_out(8, np.random.default_rng(seed))
        assert len({pool.params(row)["c"] for row in rows}) == 8


def test_twins_are_chosen_last_and_nothing_twice():
    rows = POOL.spread_out(9, np.random.default_rng(0)).tolist()
    assert sorted(rows) == [0, 1, 2, 3]
    assert rows[3] in (0, 3)
    assert len(POOL.spread_out(3, np.random.default_rng(0), np.zeros(4, bool))) == 0
    assert len(POOL.spread_out(0, np.random.default_rng(0))) == 0


def test_a_large_pool_and_a_wide_one_are_spread_over():
    rng = np.random.default_rng(0)
    for shape in ((100_000, 4), (300, 2185)):
        pool = Pool(rng.random(shape))
        assert pool.x.shape == shape
        assert len(set(pool.spread_out(6, rng).tolist())) == 6


@pytest.mark.parametrize("method", ["random", "spread_out"])
def test_what_cannot_be_chosen_from_is_refused(method):
    choose = getattr(POOL, method)
    with pytest.raises(InvalidInput, match="count is -1, wanted 0 or more rows"):
        choose(-1, np.random.default_rng(0))
    for mask in (np.ones(3, bool), np.arange(4)):
        with pytest.raises(InvalidInput, match=r"allowed has shape .* wanted \(4,\) of bool"):
            choose(1, np.random.default_rng(0), mask)


# A value like any other


def test_pools_are_equal_by_value_and_can_be_pickled():
    again = Pool(COLUMNS, INPUTS)
    assert again == POOL
    assert hash(again) == hash(POOL)
    assert Pool({name: np.array(column) for name, column in COLUMNS.items()}, INPUTS) == Pool(Frame(COLUMNS), INPUTS)
    copy = pickle.loads(pickle.dumps(POOL))
    assert (copy.names, copy.ids) == (POOL.names, POOL.ids)
    np.testing.assert_array_equal(copy.x, POOL.x)
    assert not copy.x.flags.writeable
    assert Pool(COLUMNS, ["temperature"]) != POOL
    assert Pool(COLUMNS | {"base": ["KOAc"] * 4}, INPUTS) != POOL
    assert Pool(COLUMNS, INPUTS, ids=list("abcd")) != POOL
    assert POOL != 3


def test_pools_are_frozen_and_show_themselves():
    with pytest.raises(AttributeError, match="Pool is frozen"):
        POOL.ids = ()
    assert repr(POOL) == "<Pool of 4 rows; inputs: 'temperature', 'base', 'pressure', 'dry'>"


# Refused


class Unsure:
    """As pandas.NA: it will not say whether it differs from itself."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError

    __hash__ = object.__hash__


@pytest.mark.parametrize("empty", [None, math.nan, "", "  ", Unsure(), np.datetime64("NaT")])
def test_empty_cells_of_inputs_are_refused(empty):
    with pytest.raises(InvalidInput, match=r"column 'a' is empty in row 2 \(1 empty cells in all\): fill it"):
        Pool({"a": ["u", "v", empty]})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pool({"x": np.array([1, math.nan])}), "column 'x' is empty in row 1"),
        (lambda: Pool({"x": np.array([1, math.inf, 3])}), "column 'x' in row 1 is inf, wanted a finite number"),
        (lambda: Pool({"x": [3, -math.inf]}), "column 'x' in row 1 is -inf, wanted a finite number"),
        (lambda: Pool({"x": [1, 2, "n/a", 4]}), "column 'x' is 'n/a' in row 2, but a number elsewhere"),
        (lambda: Pool({"x": ["1", "2", "3,5", "n/a"]}), "column 'x' is 'n/a' in row 3, but a number elsewhere"),
        (lambda: Pool({"x": [1, "2"]}), "column 'x' is '2' in row 1, but a number elsewhere"),
        (
            lambda: Pool({"x": ["1.234,5", "2.345,6"]}),
            "column 'x' is '1.234,5' in row 0, wanted a number without signs",
        ),
        (lambda: Pool({"x": ["1,5", "2,345.6"]}), "column 'x' is '2,345.6' in row 1, wanted a number without signs"),
        (lambda: Pool({"x": ["1 234", "2 345"]}), "column 'x' is '1 234' in row 0, wanted a number without signs"),
        (lambda: Pool({"x": ["a", [1]]}), r"column 'x' is \[1\] in row 1, wanted a number or a text"),
        (lambda: Pool({"x": [f"n{i}" for i in range(1001)]}), "has 1001 different texts, wanted at most 1000"),
        (lambda: Pool({}), "the table is empty"),
        (lambda: Pool({"x": []}), "the table is empty"),
        (lambda: Pool(np.empty((0, 3))), "the table is empty"),
        (lambda: Pool({"x": [1, 2], "y": [1]}), "different lengths: {'x': 2, 'y': 1}"),
        (lambda: Pool({"x": 3}), "column 'x' is 3, wanted a list of values"),
        (lambda: Pool({"x": "abc"}), "column 'x' is 'abc', wanted a list of values"),
        (lambda: Pool({"x": np.eye(2)}), r"column 'x' has shape \(2, 2\), wanted one value per row"),
        (lambda: Pool({"1": [1], 1: [2]}), "two columns called '1'"),
        (lambda: Pool(Frame({"a": [1]}, ["a", "a"])), "two columns called 'a'"),
        (lambda: Pool([{"x": 1}, {"y": 2}]), r"row 1 is \{'y': 2\}, wanted a dict with 'x' as in row 0"),
        (lambda: Pool("candidates.csv"), "the table is a str, wanted a DataFrame"),
        (lambda: Pool([[1, 2], [3]]), "the table is a list, wanted a DataFrame"),
        (lambda: Pool(np.arange(3)), "the table is a ndarray, wanted a DataFrame"),
        (lambda: Pool(np.eye(3), ["a", "b"]), "2 names of inputs for 3 columns"),
        (lambda: Pool({"x": [1, 2]}, ["y"]), "no column 'y', wanted one of 'x'"),
        (lambda: Pool({"x": [1, 2]}, []), "wanted at least one column"),
        (lambda: Pool({"x": [1, 2]}, ["x", "x"]), "each once"),
        (lambda: Pool({"x": [1, 2]}, ids="x"), "wanted at least one column"),
        (lambda: Pool({"id": [1, 2], "x": [1, 2]}), "called 'id', but .* in a pool, say ids='id'"),
        (lambda: Pool({"x": [1, 2]}, ids="name"), "no column 'name'"),
        (lambda: Pool({"x": [1, 2]}, ids=[1]), "1 ids for 2 rows"),
        (lambda: Pool({"x": [1, 2]}, ids=["a", "a"]), "the id 'a' is in row 0 and in row 1: make ids differ"),
        (lambda: Pool({"x": [1, 2]}, ids=["a", None]), "the id in row 1 is None, wanted a text or a number"),
        (lambda: Pool({"x": [1, 2]}, ids=["a", (1,)]), r"the id in row 1 is \(1,\)"),
    ],
)
def test_tables_that_cannot_be_a_pool_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_codes_that_look_like_numbers_stay_names_if_given_as_texts():
    pool = Pool({"ligand": ["1", "2", "3"]})
    assert pool.width == 3
    assert Pool({"ligand": ["1", "2a", "2b", "x"]}).width == 4


def test_a_pool_is_numeric_unless_a_category_varies() -> None:
    assert Pool({"a": [0.0, 1.0, 2.0], "b": [3, 1, 2]}).numeric
    assert not Pool({"a": [0.0, 1.0, 2.0], "b": ["x", "y", "z"]}).numeric
    assert Pool({"a": [0.0, 1.0, 2.0], "b": ["x", "x", "x"]}).numeric
