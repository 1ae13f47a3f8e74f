"""Plans in TOML: what is wrong is said with its line, and what to do about it."""

from pathlib import Path

import pytest

from pfes import InvalidInput
from pfes.plan import EXAMPLE, read_plan
from pfes.plan.beginning import begin
from pfes.plan.lines import find_line, lines_of

HEAD = '[objectives.y]\ngoal = "max"\n'
X = '[parameters.x]\ntype = "real"\n'

WRONG = {
    "": "plan.toml has nothing in it, wanted a plan",
    "x = [1,": "plan.toml: end of document: invalid value; texts stand in quotes",
    "x = 1,5\n": "line 1, column 6: ",
    "[objectives.y\n": "plan.toml: line 1",
    HEAD: "plan.toml: got neither [parameters.<name>] nor [pool]",
    X + "low = 0\nhigh = 1\n": "plan.toml: objectives: this is missing, wanted a line such as objectives = ...",
    HEAD + X + "low = 0\n": "plan.toml, line 3: parameters.x.high: this is missing, wanted a line such as high = ...",
    HEAD + X + 'low = "0"\nhigh = 1\n': "line 5: parameters.x.low: got '0', wanted",
    HEAD + X + "low = 0\nhihg = 1\n": "line 6: parameters.x.hihg: this is not known here, wanted",
    HEAD + X + "low = 0\nhigh = 1\nunits = 'K'\n": "line 7: parameters.x.units: this is not known here, wanted",
    HEAD + X + "low = 2\nhigh = 1\n": "line 3: parameters.x: Real(2.0, 1.0): low lies above high: exchange them",
    HEAD
    + X.replace("real", "reel")
    + "low = 0\nhigh = 1\n": 'line 3: parameters.x: got no type that is known, wanted type = "real"',
    HEAD.replace("max", "most")
    + X
    + "low = 0\nhigh = 1\n": "line 2: objectives.y.goal: got 'most', wanted 'max' or 'min'",
    HEAD + 'cost = "five"\n': "line 3: objectives.y.cost: got 'five', wanted a number, in digits and without quotes",
    HEAD + 'cost = "5"\n': "line 3: objectives.y.cost: got '5', wanted a number; give it without quotes",
    HEAD + "cost = true\n": "line 3: objectives.y.cost: got true, wanted a number",
    HEAD
    + X.replace("parameters", "paramters"): "line 3: paramters: this is not known here, wanted 'study', 'parameters'",
    HEAD + "[parameters]\nx = 5\n": "line 4: parameters.x: got 5, wanted a table",
    HEAD
    + X.replace("real", "choice")
    + "values = [[1]]\n": "values: got [1], wanted a text in quotes or true or false",
    HEAD + "cost = -1\n" + X + "low = 0\nhigh = 1\n": "line 1: objectives.y: cost of 'y': got -1, wanted",
    HEAD + X + "low = 0\nhigh = 1\n[study]\nseed = 1.5\n": "line 8: study.seed: got 1.5, wanted a whole number",
    HEAD + X + "low = 0\nhigh = 1\n[study]\nmethod = 'best'\n": "line 7: study: method: got 'best'",
    HEAD + X + "low = 0\nhigh = 1\n[pool]\nfile = 'a.csv'\n": "line 7: pool: got a pool and parameters",
    HEAD + "[pool]\nfile = 'nowhere.csv'\n": "line 3: pool: cannot read",
    HEAD + X + "low = 0\nhigh = 1\n[[constraints]]\nweights = {z = 1}\nupper = 1\n": "line 7: constraints",
    HEAD + X + "low = 0\nhigh = 1\n[[bundles]]\nobjectives = ['y', 'z']\ncost = 1\n": "bundle: got ['z']",
    HEAD + X + "low = 0\nhigh = 1\n[reference]\nz = 1\n": "reference",
    "x" + "= [" * 5 + "[" * 3000: "plan.toml",
    "[" * 5: "plan.toml: line 1",
    HEAD + f"cost = {'9' * 400}\n": "line 3: objectives.y.cost: got 9999",
    HEAD + X.replace("real", "integer") + f"low = 0\nhigh = {'9' * 400}\n": "wanted a number of less than 309 digits",
    "x = " + "9" * 5000: "plan.toml: got a number that is too long",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_wrong_plan_names_the_line_and_the_remedy(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        begun(path)
    assert WRONG[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def begun(path: Path) -> None:
    file = read_plan(path)
    with file.located():
        begin(file.plan, path.parent, None)


def test_files_of_windows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    begun(path)
    path.write_bytes(EXAMPLE.encode("utf-16"))
    with pytest.raises(InvalidInput, match="is no text in UTF-8"):
        read_plan(path)
    with pytest.raises(InvalidInput, match=r"cannot read .*No such file"):
        read_plan(tmp_path / "nowhere.toml")


def test_keys_are_found_where_they_stand() -> None:
    text = '''# a comment with [brackets]
a = 1
[b]
"c d" = """
e = 2
"""
f = [
  "x = 1",  # ]
  2,
]
g.h = 3
[[i]]
j = 1
[[i]]
j = { k = 1 }
'''
    lines = lines_of(text)
    where = {("a",): 2, ("b",): 3, ("b", "c d"): 4, ("b", "f"): 7, ("b", "g", "h"): 11, ("i", 0, "j"): 13, ("i", 1): 14}
    assert {key: lines[key] for key in where} == where
    assert ("b", "e") not in lines
    assert find_line(lines, ["i", 1, "j", "k"]) == 15
    assert find_line(lines, ["nowhere"]) is None


def test_every_key_of_the_example_is_found() -> None:
    lines = EXAMPLE.splitlines()
    for key, number in lines_of(EXAMPLE).items():
        assert str(key[-1]) in lines[number - 1]
