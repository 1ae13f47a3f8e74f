"""Experiments from TOML: what is wrong is said with its line; a run is known by its settings, not by its names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.conftest import HEAD
from pfes.bench import read_experiment, shipped
from pfes.bench.jobs import Job, digest, jobs_of
from pfes.errors import InvalidInput

Write = Callable[..., Path]


def jobs(path: Path) -> list[Job]:
    return jobs_of(read_experiment(path))


WRONG = {
    "a misspelt key": ("budget = {", "bugdet = {", r"line 4: bugdet: .* did you mean budget\?"),
    "no budget": ("budget = { evaluations = 6 }\n", "", r"wanted .*evaluations = 50"),
    "two budgets": ("{ evaluations = 6 }", "{ evaluations = 6, cost = 3 }", r"line 4: budget: .*either evaluations or"),
    "more than all": ("start = 3", "start = 3\nuntil = 1.5", r"wanted until = 0.999, or another share"),
    "no problem of that name": ('"mine:valley"', '"vally"', r"line 5: problems: got the problem 'vally'"),
    "no such module": ('"mine:valley"', '"nowhere:valley"', r"line 5: problems: nowhere:valley: 'nowhere' cannot"),
    "no such function": ('"mine:valley"', '"mine:hill"', r"has no function 'hill'"),
    "a function that gives no problem": ('"mine:valley"', '"mine:Path"', r"gave PosixPath, wanted a pfes.problems"),
    "neither a name nor a file": ('name = "mine:valley"', 'label = "x"', r"either name"),
    "a file without objectives": ('name = "mine:valley"', 'file = "x.csv"', r"problems.objectives"),
    "costs that are too few": ('"mine:valley"', '"mine:valley"\ncosts = [1]', r"costs: got \[1\], wanted one for each"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_place(what: str, experiment: Write) -> None:
    right, wrong, message = WRONG[what]
    path = experiment("random", head=HEAD.replace(right, wrong))
    with pytest.raises(InvalidInput, match=message):
        jobs(path)


METHODS = {
    "no method of that name": ({"name": "randm"}, r"line 7: methods: got the method 'randm', .*did you mean random\?"),
    "a setting for a stranger": ({"name": "mine:corner", "frontiers": 3}, r"frontiers: this is a setting of pfes' own"),
    "arguments for one of ours": ({"name": "pfes", "arguments": {"step": 1}}, r"arguments: 'pfes' is a method of pfes"),
    "an estimator that is none": ({"name": "pfes", "estimator": "guess"}, r"estimator: got 'guess'"),
}


@pytest.mark.parametrize("what", METHODS)
def test_wrong_methods_are_refused_before_anything_runs(what: str, experiment: Write) -> None:
    entry, message = METHODS[what]
    with pytest.raises(InvalidInput, match=message):
        jobs(experiment(entry))


def test_an_unknown_experiment_is_told_which_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"wanted a TOML file or one of .*quick"):
        read_experiment("quik")


def test_every_problem_method_and_seed_is_a_job(experiment: Write) -> None:
    found = jobs(experiment("random", "mine:corner"))
    assert [job.words for job in found] == [
        "valley, random, seed 0",
        "valley, corner, seed 0",
        "valley, random, seed 1",
        "valley, corner, seed 1",
    ]
    assert len({job.id for job in found}) == 4


def ids(path: Path) -> list[str]:
    return [job.id for job in jobs(path)]


def test_names_and_time_limits_do_not_make_another_run(experiment: Write) -> None:
    plain = ids(experiment("random"))
    assert ids(experiment({"name": "random", "label": "chance"})) == plain
    renamed = HEAD.replace('"try"', '"other"').replace("start = 3", "start = 3\ntime_limit = 60")
    assert ids(experiment("random", head=renamed)) == plain


CHANGES = {
    "budget": HEAD.replace("evaluations = 6", "evaluations = 7"),
    "start": HEAD.replace("start = 3", "start = 4"),
    "argument": HEAD + "arguments = { width = 0.5 }\n",
    "costs": HEAD + "costs = [2, 1]\n",
    "until": HEAD.replace("start = 3", "start = 3\nuntil = 0.9"),
    "marks": HEAD.replace("start = 3", "start = 3\nmarks = [4]"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_the_result_makes_another_run(what: str, experiment: Write) -> None:
    assert set(ids(experiment("random"))) & set(ids(experiment("random", head=CHANGES[what]))) == set()


def test_settings_of_a_method_make_another_run(experiment: Write) -> None:
    entries = [{"name": "pfes"}, {"name": "pfes", "frontiers": 30}, {"name": "pfes", "decoupled": True}]
    found = [ids(experiment(entry))[0] for entry in entries]
    assert len(set(found)) == 3


def test_equal_numbers_are_equal_settings() -> None:
    assert digest({"a": 5, "b": [1.0]}) == digest({"b": [1], "a": 5.0})
    assert digest({"a": 5}) != digest({"a": 5.5})


TABLE = HEAD.replace('name = "mine:valley"', 'file = "t.csv"\n[problems.objectives.y]\n[problems.objectives.z]')
for column, goal in (("y", "max"), ("z", "min")):
    TABLE = TABLE.replace(f"objectives.{column}]", f'objectives.{column}]\ngoal = "{goal}"')


def test_another_table_of_the_same_name_makes_another_run(experiment: Write, folder: Path) -> None:
    rows = [f"{i},{i * i},{10 - i}" for i in range(8)]
    (folder / "t.csv").write_text("\n".join(["x,y,z", *rows]))
    before = ids(experiment("random", head=TABLE))
    (folder / "t.csv").write_text("\n".join(["x,y,z", *rows, "9,9,9"]))
    assert set(before) & set(ids(experiment("random", head=TABLE))) == set()


def test_a_table_is_found_in_the_folder_of_data(
    experiment: Write, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = experiment("random", head=TABLE)
    with pytest.raises(InvalidInput, match=r"line 5: problems: there is no file t.csv in .*name its folder by --data"):
        jobs(path)
    other = tmp_path_factory.mktemp("data")
    (other / "t.csv").write_text("x,y,z\n1,2,3\n2,3,1\n3,1,2\n4,0,0\n")
    found = jobs_of(read_experiment(path), other)
    monkeypatch.setenv("PFES_DATA", str(other))
    assert [job.id for job in found] == ids(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n", "has no column 'z'"),
        ("x,y,z\n1,2,\n2,3,4\n", "column 'z' has cells that are no numbers"),
        ("x,y,z\n1,2,4\n2,3,4\n", "z has the same value in every row"),
    ],
)
def test_a_table_must_have_all_values(text: str, message: str, experiment: Write, folder: Path) -> None:
    (folder / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        jobs(experiment("random", head=TABLE))


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_experiment_can_be_read_and_says_what_it_is(name: str) -> None:
    found = read_experiment(name).experiment
    assert found.name == name
    assert found.title
    labels = [method.title for method in found.methods]
    assert len(set(labels)) == len(labels)
    titles = [problem.title for problem in found.problems]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_experiment_can_be_planned(name: str, tmp_path: Path) -> None:
    found = read_experiment(name)
    for entry in found.experiment.problems:
        if entry.file:  # tables are the user's: any with these columns will do
            columns = [*(entry.inputs or ["x"]), *entry.objectives]
            rows = [",".join(str((i * (j + 1)) % 11) for j in range(len(columns))) for i in range(7)]
            (tmp_path / entry.file).write_text("\n".join([",".join(columns), *rows]))
    planned = jobs_of(found, tmp_path)
    assert len({job.id for job in planned}) == len(planned)
    assert {job.method for job in planned if not job.obstacle} == {it.title for it in found.experiment.methods}
