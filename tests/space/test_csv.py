"""Pools from CSV files, with the quirks of the programs that write them."""

import codecs

import numpy as np
import pytest

from pfes.errors import InvalidInput
from pfes.space import Pool

PLAIN = "x,base,n\n0.5,KOAc,1\n1.5,CsOAc,2\n-2e-1,KOAc,3\n"
ROWS = [{"x": 0.5, "base": "KOAc", "n": 1}, {"x": 1.5, "base": "CsOAc", "n": 2}, {"x": -0.2, "base": "KOAc", "n": 3}]


@pytest.fixture
def write(tmp_path):
    def to_file(content, name="candidates.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace(",", "\t").replace(".", ","),
        PLAIN.replace(",", " , "),
        PLAIN.replace("\n", "\n\n , ,\n"),
        PLAIN.replace("\n", ",\n"),
        "\n" + PLAIN,
        "sep=;\n" + PLAIN.replace(",", ";"),
        codecs.BOM_UTF8 + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        PLAIN.replace("KOAc", '"KOAc"').replace("x,", '"x", '),
    ],
    ids=[
        "plain", "no last newline", "windows", "old mac", "tabs", "semicolons", "decimal commas", "tabs and commas",
        "spaces", "blank lines", "trailing delimiter", "blank first line", "sep line", "utf-8 mark", "utf-16", "quotes",
    ],
)  # fmt: skip
def test_the_same_table_is_read_however_it_is_written(write, content):
    pool = Pool.from_csv(write(content))
    assert [pool.params(i) for i in range(len(pool))] == ROWS
    assert pool.ids == (0, 1, 2)
    assert [type(value) for value in pool.params(0).values()] == [float, str, int]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ("0,5;1.234", "line 2, 'y': got 1.234, which may be 1234 or a decimal, as the table has numbers such as 0,5"),
        ("0,5;-1.234", "line 2, 'y': got -1.234, .*: write -1,234 or -1234"),
        ("0,123;999.000", "got 999.000, .* such as 0,123: write 999,000 or 999000"),
        ("0.5;1,234", "line 2, 'y': got 1,234, which may be 1234 or a decimal, as the table has numbers such as 0.5"),
    ],
)
def test_numbers_that_could_be_two_are_refused(write, cells, why):
    with pytest.raises(InvalidInput, match=why):
        Pool.from_csv(write(f"x;y\n{cells}\n"))


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        ("1.234;2.345", (1.234, 2.345)),
        ("1,234;2,345", (1.234, 2.345)),
        ("0,5;0.123", (0.5, 0.123)),
        ("0,5;1.2345", (0.5, 1.2345)),
        ("0,5;1.234e0", (0.5, 1.234)),
        ("0,5;no. 1.234", (0.5, "no. 1.234")),
        ("0.5;1.234", (0.5, 1.234)),
    ],
)
def test_numbers_that_can_be_one_only_are_read(write, cells, row):
    assert tuple(Pool.from_csv(write(f"x;y\n{cells}\n")).params(0).values()) == row


@pytest.mark.parametrize("mark", ["\t", "|"])
def test_commas_that_may_part_thousands_need_another_number_that_tells(write, mark):
    why = "line 2, 'x': got 1,234, which may be 1234 or a decimal: write 1.234 or 1234"
    with pytest.raises(InvalidInput, match=why):
        Pool.from_csv(write(f"x{mark}y\n1,234{mark}2\n56{mark}3\n"))
    told = Pool.from_csv(write(f"x{mark}y\n1,234{mark}2\n56{mark}12,5\n"))
    assert [told.params(i) for i in range(2)] == [{"x": 1.234, "y": 2}, {"x": 56, "y": 12.5}]


def test_tabs_may_be_called_by_their_name(write):
    assert Pool.from_csv(write("x y\tz\n1\t2\n"), delimiter="tab").params(0) == {"x y": 1, "z": 2}


def test_a_file_may_be_named_by_text(write):
    assert len(Pool.from_csv(str(write(PLAIN)), "x", None, ",")) == 3


def test_quoted_cells_may_hold_delimiters_quotes_and_lines(write):
    pool = Pool.from_csv(write('solvent,x\n"water, ""heavy""",1\n"two\nlines",2\nthree,3\n'))
    assert [pool.params(i)["solvent"] for i in range(3)] == ['water, "heavy"', "two\nlines", "three"]


def test_a_western_code_page_is_read(write):
    assert Pool.from_csv(write("T (°C),ligand\n1,µ\n2,b\n".encode("cp1252"))).params(0) == {"T (°C)": 1, "ligand": "µ"}


def test_a_comma_in_a_header_of_semicolons_is_no_delimiter(write):
    pool = Pool.from_csv(write("share, %;T\n1,5;300\n2,5;400\n"))
    assert pool.params(0) == {"share, %": 1.5, "T": 300}


def test_a_single_column_is_read(write):
    pool = Pool.from_csv(write("x\n1,5\n2,5\n"))
    assert pool.params(1) == {"x": 2.5}


def test_a_delimiter_can_be_said(write):
    pool = Pool.from_csv(write("x|y\n1|2\n3|4\n"), delimiter="|")
    assert pool.params(1) == {"x": 3, "y": 4}


def test_empty_cells_outside_the_inputs_are_kept_as_none(write):
    pool = Pool.from_csv(write("x,yield,note\n1,5.5,\n2,,good\n3,nan,\n"), inputs=["x"])
    assert pool.columns["yield"] == (5.5, None, None)
    assert pool.columns["note"] == (None, "good", None)
    assert pool.names == ("x",)
    assert pool.where(note="good").tolist() == [False, True, False]
    assert pool == Pool.from_csv(write("x,yield,note\n1,5.5,\n2,,good\n3,nan,\n"), inputs=["x"])


def test_ids_are_a_column(write):
    pool = Pool.from_csv(write("id,x\nA-1,3\nA-2,4\n"), ids="id")
    assert pool.names == ("x",)
    assert pool.index_of("A-2") == 1
    numbered = Pool.from_csv(write("id,x\n017,3\n018,4\n"), ids="id")
    assert numbered.index_of("018") == numbered.index_of(18) == 1


def test_names_that_look_a_little_like_numbers_stay_names(write):
    pool = Pool.from_csv(write("x,y\n1_000,1.2.3\n2_000,4e\n"))
    assert pool.params(0) == {"x": "1_000", "y": "1.2.3"}


def test_integers_of_any_size_are_read(write):
    pool = Pool.from_csv(write(f"seed,n\n{10**30},1\n{10**30 + 10**20},2\n"))
    assert pool.params(0) == {"seed": 10**30, "n": 1}
    assert pool.x.tolist() == [[0, 0], [1, 1]]


def test_a_large_file_is_read(write):
    numbers = np.random.default_rng(0).random((20_000, 4)).round(6)
    lines = "\n".join(",".join(map(str, row)) for row in numbers.tolist())
    pool = Pool.from_csv(write("a,b,c,d\n" + lines))
    assert pool.x.shape == (20_000, 4)
    assert list(pool.params(777).values()) == numbers[777].tolist()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "candidates.csv has nothing in it"),
        ("\n\n", {}, "nothing in it"),
        ("x,y\n", {}, "a header but no rows"),
        ("x,y\n1,2\n", {"inputs": ["z"]}, "no column 'z', wanted one of 'x', 'y'"),
        ("x,y\n1,2\n", {"ids": "z"}, "no column 'z'"),
        ("x,,y\n1,2,3\n", {}, "line 1: column 2 has no name"),
        ("x,y,x\n1,2,3\n", {}, "line 1: two columns are called 'x'"),
        ("x,y\n1,2\n1\n", {}, "line 3 has 1 cells, the header has 2: mend the line, or say which delimiter"),
        ("x,y\n1,2\n\n1,2,3\n", {}, "line 4 has 3 cells, the header has 2"),
        ("x,y\n1,2\n\n,3\n", {}, "column 'x' is empty in line 4 .* say inputs="),
        ("sep=,\nx,y\n1,2\nnan,3\n", {}, "column 'x' is empty in line 4"),
        ("x,y\n1,2\n3,4\n12 C,5\n", {}, "column 'x' is '12 C' in line 4, but a number elsewhere: correct it"),
        ("x,y\n1,2\ninf,5\n", {}, "column 'x' in line 3 is inf"),
        ("n,x\na,1\nb,2\na,3\n", {"ids": "n"}, "the id 'a' is in line 2 and in line 4: make ids differ"),
        ("n,x\na,1\n,2\n", {"ids": "n"}, "the id in line 3 is None"),
        ('x,y\n1,"2\n3,4\n', {}, "line 3: unexpected end of data: check its quotes"),
        ('sep=,\nx,y\n"1"2,3\n', {}, "line 3: .*: check its quotes"),
        ("x,y\n1,2\n", {"delimiter": ";;"}, "delimiter is ';;', wanted one character"),
        ("state,y\n1,2\n", {}, "called 'state', but"),
    ],
)
def test_files_that_cannot_be_a_pool_are_refused_with_their_line(write, content, options, message):
    with pytest.raises(InvalidInput, match=message):
        Pool.from_csv(write(content), **options)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot read .*nowhere.csv: No such file or directory. Check the path"):
        Pool.from_csv(tmp_path / "nowhere.csv")
    with pytest.raises(InvalidInput, match="cannot read"):
        Pool.from_csv(tmp_path)
