"""A study and a spreadsheet, for months: nothing lost, nothing twice, nothing told to the wrong trial."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Said
from pfes import open_study

Pfes = Callable[..., Said]


def values(study: str) -> list[dict[str, float]]:
    return [trial.values for trial in open_study(study).trials()]


def test_what_is_asked_comes_back_filled_in(pfes: Pfes, cell: str, folder: Path) -> None:
    asked = pfes("ask", cell, "-n", 2, "--csv").out.splitlines()
    assert asked[0] == "id,x,dopant,power,waste,measure,purpose,reason"
    filled = [asked[0], asked[1].replace(",,,", ",1.5,-2,"), asked[2]]
    (folder / "results.csv").write_text("\n".join(filled))
    assert pfes("import", cell, "results.csv").out == "1 trial told, 0 rows added, 1 without news.\n"
    assert pfes("import", cell, "results.csv").out == "Nothing new in 2 rows.\n"
    assert values(cell) == [{"power": 1.5, "waste": -2.0}, {}]


def test_excel_writes_what_excel_reads(pfes: Pfes, cell: str, folder: Path) -> None:
    pfes("ask", cell, "-n", 2, "--excel", "-o", "todo.csv")
    text = (folder / "todo.csv").read_bytes().decode("utf-8")
    assert text.startswith("\ufeffid;x;dopant;power;waste;")
    lines = text.split("\r\n")
    lines[1] = lines[1].replace(";;;", ";1,5;−2;")  # with the minus sign of typesetters
    (folder / "todo.csv").write_text("\r\n".join(lines), encoding="utf-16")
    assert pfes("import", cell, "todo.csv").code == 0
    assert values(cell)[0] == {"power": 1.5, "waste": -2.0}


@pytest.mark.parametrize("options", [(), ("--excel",)])
def test_export_and_import_change_nothing(pfes: Pfes, mix: str, options: tuple[str, ...]) -> None:
    pfes("ask", mix, "-n", 2)
    pfes("tell", mix, 2, "yield=1e-7", "purity=123456.789")
    pfes("tell", mix, 3, "--failed", "=spilt; it; all")
    pfes("export", mix, *options, "-o", "all.csv")
    before = len(open_study(mix).events)
    assert pfes("import", mix, "all.csv").out == "Nothing new in 4 rows.\n"
    assert len(open_study(mix).events) == before
    pfes("create", "mix.csv", "--to", "copy.db", "--max", "yield", "--max", "purity")
    assert pfes("import", "copy.db", "all.csv", "--data").code == 0
    assert sorted(map(str, filter(None, values("copy.db")))) == sorted(map(str, filter(None, values(mix))))


def test_an_exported_study_can_be_imported_into_a_new_one(pfes: Pfes, mix: str) -> None:
    pfes("ask", mix, "-n", 3)
    pfes("tell", mix, 2, "yield=1e-7", "--noise", "yield=1e-8")
    pfes("tell", mix, 3, "--infeasible", "=it; melts")
    pfes("reject", mix, 0, "contaminated")
    pfes("release", mix, 2, "--reason", "holiday")
    pfes("export", mix, "-o", "all.csv")
    pfes("create", "mix.csv", "--to", "copy.db", "--max", "yield", "--max", "purity", "--method", "sobol")
    said = pfes("import", "copy.db", "all.csv")
    assert (said.code, said.out) == (0, "0 trials told, 5 rows added, 0 without news.\n")
    assert said.err.startswith("Note: trials 4 were pending where the table comes from; they are released here")
    changed = pfes("export", mix).out.replace("4,pending,", "4,released,")
    copy = pfes("export", "copy.db").out.replace("it was pending where the table comes from", "")
    assert copy == changed
    assert pfes("import", "copy.db", "all.csv").out == "Nothing new in 5 rows.\n"


def test_ids_of_another_study_are_refused_with_the_way_out(pfes: Pfes, cell: str, folder: Path) -> None:
    (folder / "todo.csv").write_text("id,x,dopant,power\n7,0.5,Er,1\n")
    said = pfes("import", cell, "todo.csv")
    assert (said.code, "there is no trial 7" in said.err, "say --data" in said.err) == (1, True, True)
    assert pfes("import", cell, "todo.csv", "--data", "--json").data["added"] == [0]


def test_formulas_are_made_harmless(pfes: Pfes, mix: str) -> None:
    pfes("enqueue", mix, "row==M5")
    assert ",'=M5," not in pfes("export", mix).out
    pfes("ask", mix)
    assert ",'=M5," in pfes("export", mix).out


def test_results_in_the_table_of_candidates_reach_the_trials_that_wait_for_them(
    pfes: Pfes, mix: str, folder: Path
) -> None:
    pfes("enqueue", mix, "row=M4")
    pfes("ask", mix)
    table = (folder / "mix.csv").read_text().replace("M4;acetone;0,4;;", "M4;acetone;0,4;60;61")
    (folder / "mix.csv").write_text(table.replace("M2;acetone;0,2;;", "M2;acetone;0,2;;50"))
    assert pfes("import", mix, "mix.csv").out == "1 trial told, 1 row added, 3 without news.\n"
    assert pfes("import", mix, "mix.csv").out == "Nothing new in 5 rows.\n"
    study = open_study(mix)
    assert (study.trial(2).row, study.trial(2).values, study.spent) == ("M4", {"yield": 60.0, "purity": 61.0}, 2.0)
    assert (study.trial(3).row, study.trial(3).values) == ("M2", {"purity": 50.0})


def test_a_changed_value_is_a_correction_or_a_second_measurement_and_only_the_user_knows(
    pfes: Pfes, mix: str, folder: Path
) -> None:
    (folder / "mix.csv").write_text((folder / "mix.csv").read_text().replace("72,5", "72,6"))
    refused = pfes("import", mix, "mix.csv")
    assert refused.code == 1
    assert "line 2, 'yield': got 72.6, but trial 0 has 72.5 at this point; say whether" in refused.err
    assert pfes("import", mix, "mix.csv", "--correct").code == 0
    assert values(mix)[0] == {"yield": 72.6, "purity": 88.0}
    (folder / "mix.csv").write_text((folder / "mix.csv").read_text().replace("72,6", "73"))
    assert pfes("import", mix, "mix.csv", "--replicates").code == 0
    assert values(mix)[2] == {"yield": 73.0}
    assert pfes("import", mix, "mix.csv", "--correct").code == 0  # one of the two values is there


def test_rejected_data_do_not_come_back_with_the_next_import(pfes: Pfes, mix: str) -> None:
    pfes("reject", mix, 0, "contaminated")
    assert pfes("import", mix, "mix.csv").out == "Nothing new in 5 rows.\n"


def test_a_table_sorted_in_parts_is_refused(pfes: Pfes, cell: str, folder: Path) -> None:
    asked = [line.split(",") for line in pfes("ask", cell, "-n", 2, "--csv").out.splitlines()]
    asked[1][0], asked[2][0] = asked[2][0], asked[1][0]
    (folder / "mixed.csv").write_text(
        "\n".join(",".join([*line[:3], "1", "2"]) for line in asked).replace("1,2", "power,waste", 1)
    )
    said = pfes("import", cell, "mixed.csv")
    assert (said.code, "were columns sorted apart?" in said.err) == (1, True)
    assert values(cell) == [{}, {}]


def test_a_spreadsheet_may_round_what_it_shows(pfes: Pfes, cell: str, folder: Path) -> None:
    [trial] = pfes("ask", cell, "--json").data
    (folder / "r.csv").write_text(f"id,x,dopant,power\n0,{trial['params']['x']:.2f},{trial['params']['dopant']},3\n")
    assert pfes("import", cell, "r.csv").code == 0
    assert values(cell) == [{"power": 3.0}]


def test_a_table_can_say_that_a_measurement_failed(pfes: Pfes, cell: str, folder: Path) -> None:
    pfes("ask", cell, "-n", 2)
    (folder / "r.csv").write_text("id,state,message\n0,Failed,furnace tripped\n1,infeasible,\n")
    assert pfes("import", cell, "r.csv").code == 0
    found = [(str(trial.state), trial.message) for trial in open_study(cell).trials()]
    assert found == [("failed", "furnace tripped"), ("infeasible", "so says the table")]


def test_standard_input_will_do(pfes: Pfes, cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys
    from types import SimpleNamespace

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x,dopant,power\n0.5,Er,1\n")))
    assert pfes("import", cell, "-").out == "0 trials told, 1 row added, 0 without news.\n"


WRONG = {
    "": "r.csv has nothing in it",
    "id,power\n": "r.csv has a header but no rows",
    "id,power\n7,1\n": "line 2: there is no trial 7",
    "id,state\n0,faild\n": "line 2: state: got 'faild', wanted an empty cell or one of 'pending', 'done', 'failed'",
    "id,power\n0,1\n0,2\n": "line 3: trial 0 is in r.csv, line 2, too",
    "id,power\n0,abc\n": "line 2, 'power': got 'abc', wanted a number",
    "id,power\n0,#DIV/0!\n": "an error of the spreadsheet",
    "id,power\n0,inf\n": "wanted a finite number",
    f"id,power\n0,{'9' * 400}\n": "wanted a number of less than 309 digits",
    "id,power\n1.5,1\n": "line 2, 'id': got '1.5', wanted the number of a trial",
    "power\n1\n": "got neither an id nor a point",
    "x,power\n0.5,1\n": "got no value of 'dopant'",
    "x,dopant,power\n0.5,Xx,1\n": "got 'Xx', wanted one of 'Er', 'Nb'",
    "id,powr\n0,1\n": "the table has no column 'power' but one called 'powr'",
    "0,1\n1,2\n": "line 1 holds numbers, '0', '1', wanted the names of the columns: copy the header, too",
    "id,operator\n0,me\n": "wanted some of the objectives 'power', 'waste'",
    "id,power,power\n0,1,2\n": "two columns are called 'power'",
    'id,power\n0,"1\n': "check its quotes",
    "id,power\n0,1,5\n": "line 2 has 3 cells, the header has 2",
    "PK\x03\x04": "is a workbook, wanted CSV",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_wrong_table_changes_nothing_and_says_what_is_wrong(pfes: Pfes, cell: str, folder: Path, text: str) -> None:
    pfes("ask", cell)
    before = len(open_study(cell).events)
    (folder / "r.csv").write_text(text)
    said = pfes("import", cell, "r.csv")
    assert said.code == 1
    assert WRONG[text] in said.err
    assert said.err.count("\n") == 1
    assert len(open_study(cell).events) == before


def test_an_error_in_the_last_row_leaves_the_first_ones_untold(pfes: Pfes, cell: str, folder: Path) -> None:
    pfes("ask", cell, "-n", 2)
    (folder / "r.csv").write_text("id,power\n0,1\n9,1\n")
    assert pfes("import", cell, "r.csv").code == 1
    assert values(cell) == [{}, {}]


def test_columns_that_mean_nothing_are_named(pfes: Pfes, cell: str, folder: Path) -> None:
    pfes("ask", cell)
    (folder / "r.csv").write_text("id,operator,power\n0,me,1\n")
    assert "the columns operator mean nothing here" in pfes("import", cell, "r.csv").err
