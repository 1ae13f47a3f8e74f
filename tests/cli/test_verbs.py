"""Each verb does what it says, for people and for programs."""

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import postgres
from cli.conftest import PLAN, Said
from pfes import Objective, Real, Space, create_study, open_study
from pfes.acquisition import METHODS
from pfes.cli.evaluators import Command, CommandFailed
from pfes.cli.main import VERBS
from processes import interruptible

Pfes = Callable[..., Said]

# Beginning


def test_the_example_is_a_plan_that_works(pfes: Pfes, folder: Path) -> None:
    (folder / "battery.toml").write_text(pfes("create", "--example").out)
    made = pfes("create", "battery.toml")
    assert made.code == 0
    assert "Study 'battery' is in battery.db: 3 parameters" in made.out
    assert open_study("battery.db").objectives.names == ("conductivity", "energy")


def test_every_line_that_the_example_comments_out_can_be_used(pfes: Pfes, folder: Path) -> None:
    text = pfes("create", "--example").out
    keys = ["budget", "step = 0.05", "[[constraints]]", "weights", "upper", "[[bundles]]", "objectives =", "cost = 5.5"]
    keys += ["threshold", "noise", "resolution", "[reference]", "conductivity = 1e-6", "energy = 0.0", "ordered"]
    for key in keys:
        assert f"# {key}" in text
        text = text.replace(f"# {key}", key)
    (folder / "all.toml").write_text(text)
    assert pfes("create", "all.toml").err == ""
    study = open_study("all.db")
    assert (study.budget, study.reference) == (200.0, {"conductivity": 1e-6, "energy": 0.0})


def test_a_pool_takes_results_only_if_that_is_said(pfes: Pfes, mix: str) -> None:
    assert [trial.row for trial in open_study(mix).trials()] == ["M1", "M3"]
    bare = pfes("create", "mix.csv", "--to", "bare.db", "--max", "yield", "--max", "purity")
    assert open_study("bare.db").trials() == []
    assert "the columns yield, purity hold results, which were left out; --with-results takes them in" in bare.err


def test_a_pool_in_a_plan_is_looked_for_beside_it(pfes: Pfes, mix: str, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "mix.csv").rename(folder / "sub" / "mix.csv")
    plan = '[pool]\nfile = "mix.csv"\ninputs = ["water"]\nids = "name"\nwith_results = true\n'
    (folder / "sub" / "plan.toml").write_text(f'{plan}[objectives.yield]\ngoal = "max"\n')
    assert pfes("create", "sub/plan.toml").code == 0
    assert [trial.values for trial in open_study("sub/plan.db").trials()] == [{"yield": 72.5}, {"yield": 80.1}]


def test_a_study_is_not_begun_twice_but_gone_on_with(pfes: Pfes, cell: str) -> None:
    again = pfes("create", "cell.toml")
    assert (again.code, "--exist-ok" in again.err) == (1, True)
    assert pfes("create", "cell.toml", "--exist-ok").code == 0
    assert pfes("create", "cell.toml", "--name", "other").code == 0
    assert [row["name"] for row in pfes("list", cell, "--json").data] == ["cell", "other"]
    assert "--name" in pfes("ask", cell).err
    assert pfes("ask", cell, "--name", "other").code == 0


def test_a_study_is_deleted_only_on_purpose(pfes: Pfes, cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))  # nobody says yes
    assert pfes("delete", cell, "cell").code == 130
    assert pfes("delete", cell, "cell", "--yes").code == 0
    assert pfes("list", cell, "--json").data == []


# Asking and telling


def test_ask_shows_what_to_measure_and_why(pfes: Pfes, cell: str) -> None:
    said = pfes("ask", cell, "-n", 2)
    assert "power + waste" in said.out
    assert "begin" in said.out
    assert "0, 1: A point of a Sobol sequence" in said.out
    assert "Then: pfes tell cell.db 0 power=... waste=..." in said.out


def test_ask_as_json_says_all(pfes: Pfes, cell: str) -> None:
    [trial] = pfes("ask", cell, "--json", "--fix", "dopant=Nb", "--lease", "12h").data
    assert (trial["id"], trial["state"], trial["params"]["dopant"]) == (0, "pending", "Nb")
    assert (trial["purpose"], trial["gain"], trial["objectives"]) == ("begin", None, ["power", "waste"])
    assert 43000 < open_study(cell).leases()[0] <= 43200


def test_ask_can_confirm(pfes: Pfes, mix: str) -> None:
    [trial] = pfes("ask", mix, "--confirm", "--json").data
    assert trial["state"] == "pending"


def test_ask_gives_what_is_left_and_then_says_why_not(pfes: Pfes, mix: str) -> None:
    first = pfes("ask", mix, "-n", 9, "--json")
    assert 0 < len(first.data) < 9
    assert f"Note: {len(first.data)} of 9: every row of the pool" in first.err
    then = pfes("ask", mix)
    assert (then.code, then.out) == (1, "")
    assert then.err.startswith("Error: nothing to measure: every row of the pool")


def test_tell_in_parts_and_with_verdicts(pfes: Pfes, cell: str) -> None:
    pfes("ask", cell, "-n", 4)
    assert pfes("tell", cell, 0, "power=1,5").out == "Trial 0 is pending: power 1.5; still waiting for waste.\n"
    assert pfes("tell", cell, 0, "waste=-2e-3").out == "Trial 0 is done: power 1.5, waste -0.002.\n"
    assert pfes("tell", cell, 0, "waste=-2e-3").code == 0
    assert "try --correct" in pfes("tell", cell, 0, "waste=7").err
    assert pfes("tell", cell, 0, "waste=7", "--correct", "--noise", "waste=0.1").code == 0
    assert pfes("tell", cell, 1, "--failed", "furnace [red] tripped").out == "Trial 1 failed (furnace [red] tripped).\n"
    assert pfes("tell", cell, 2, "--infeasible", "it melts", "--json").data["state"] == "infeasible"
    assert pfes("tell", cell, 3, "--abandoned", "no time").code == 0
    assert open_study(cell).trial(0).noise == {"waste": 0.1}


def test_what_is_wished_for_comes_next(pfes: Pfes, cell: str, mix: str) -> None:
    assert pfes("enqueue", cell, "x=0.25", "dopant=Er", "--measure", "waste").code == 0
    assert pfes("ask", cell, "--json").data[0]["params"] == {"x": 0.25, "dopant": "Er"}
    assert pfes("enqueue", mix, "row=M4").code == 0
    assert pfes("ask", mix, "--json").data[0]["row"] == "M4"
    assert pfes("note", cell, 0, "a spill").code == 0
    assert open_study(cell).trial(0).notes == ("a spill",)


def test_pending_trials_are_listed_extended_released_and_rejected(pfes: Pfes, cell: str) -> None:
    assert pfes("pending", cell).out == "Nothing is pending.\n"
    pfes("ask", cell, "-n", 3)
    assert "30 d" in pfes("pending", cell).out
    assert pfes("extend", cell, 0, 1, "--for", "7d").out.count("reserved: 7 d") == 2
    assert pfes("release", cell, 0, 1, "--reason", "holiday").out == "Released: 0, 1.\n"
    assert pfes("reject", cell, 2, "too dangerous").code == 0
    assert pfes("pending", cell, "--json").data == []
    wrong = pfes("release", cell, 0, 99)
    assert (wrong.code, "got 99" in wrong.err) == (1, True)


def test_a_study_may_be_kept_by_a_database_server(pfes: Pfes, folder: Path, postgres: postgres.Server) -> None:
    (folder / "cell.toml").write_text(PLAN)
    url = postgres.url("cli")
    assert pfes("create", "cell.toml", "--to", url).code == 0
    assert pfes("ask", url, "-n", 2).code == 0
    assert pfes("tell", url, 1, "power=2", "waste=3").code == 0
    assert pfes("status", url, "--json").data["trials"] == {"pending": 1, "done": 1}


# Looking


def test_status_of_an_empty_study_and_of_a_full_one(pfes: Pfes, cell: str) -> None:
    assert "there is no front" in pfes("status", cell).out
    pfes("ask", cell, "-n", 7)
    for number in range(6):
        pfes("tell", cell, number, f"power={number}", f"waste={number * number % 7}")
    said = pfes("status", cell)
    assert said.err == ""
    for part in ("6 done, 1 pending", "36 spent, 6 reserved", "Hypervolume", "Front", "●", "cost spent", "Pending"):
        assert part in said.out
    data = pfes("status", cell, "--json").data
    assert (data["spent"], data["trials"]) == (36.0, {"done": 6, "pending": 1})
    assert data["hypervolume"] == data["hypervolume_trace"][-1]["hypervolume"] > 0
    assert len(data["front"]) == len(pfes("front", cell, "--json").data) > 0


def test_status_of_one_objective_tells_the_best_and_speaks_of_no_front(pfes: Pfes) -> None:
    study = create_study(
        "one.db", space=Space(x=Real(0, 1)), objectives=Objective("loss", "min", unit="dB"), method="sobol"
    )
    empty = pfes("status", "one.db").out
    for value in (5.0, 3.25, 4.0, 9.0, 8.0, 7.0, 6.5, 6.0, 5.5, 5.25, 5.125):
        study.tell(study.ask(), value)
    said = pfes("status", "one.db").out
    assert "Nothing is measured yet." in empty
    assert "Best: loss 3.25 dB" in said
    assert "best loss [dB] (min)" in said
    for word in ("front", "hypervolume"):
        assert word not in (empty + said).casefold(), word


def test_status_draws_what_cost_nothing_by_trials(pfes: Pfes) -> None:
    study = create_study("one.db", space=Space(x=Real(0, 1)), objectives=Objective("loss", "min"), method="sobol")
    study.add([{"x": i / 10, "loss": 10.0 - i} for i in range(7)])
    said = pfes("status", "one.db").out
    assert "trials told" in said
    assert "cost spent" not in said
    axis = said.splitlines()[next(i for i, line in enumerate(said.splitlines()) if "trials told" in line) - 1]
    assert axis.split() == ["1", "7"]


def test_looking_at_the_status_changes_nothing(pfes: Pfes, cell: str) -> None:
    pfes("ask", cell, "-n", "5")
    for number in range(5):
        pfes("tell", cell, str(number), f"power={number + 1}", "waste=1")
    before = open_study(cell).events
    assert pfes("status", cell, "--json").data["reference"]["power"] == pytest.approx(0.6)
    assert open_study(cell).events == before


def test_status_warns(pfes: Pfes, cell: str) -> None:
    pfes("ask", cell, "-n", 2, "--lease", "0s")
    pfes("tell", cell, 1, "--failed", "no gas")
    said = pfes("status", cell).out
    assert "trials 0: reserved no longer" in said
    assert "1 of the last 1 trials failed, the last one because: no gas" in said
    assert "released: 0" in pfes("doctor", cell, "--repair").out


def test_the_front_as_a_table_as_csv_and_as_recommended(pfes: Pfes, mix: str) -> None:
    assert "M1" in pfes("front", mix).out
    assert pfes("front", mix, "--csv").out == "row,solvent,water,yield,purity\r\nM1,ethanol,0.1,72.5,88.0\r\n"
    assert pfes("front", mix, "--recommended").code == 0


def test_methods_and_completion(pfes: Pfes) -> None:
    assert {"pfes", "sobol"} <= {method["name"] for method in pfes("methods", "--json").data}
    assert "_PFES_COMPLETE" in pfes("completion", "bash").out


def test_methods_are_readable_on_a_narrow_screen(pfes: Pfes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "single objectives" in pfes("methods").out.splitlines()[0]  # a table, where there is room
    monkeypatch.setattr("pfes.cli.output.WIDE", 60)
    lines = pfes("methods").out.splitlines()
    assert max(map(len, lines)) < 60
    assert [line for line in lines if not line.startswith(" ")] == list(METHODS)
    said = " ".join(" ".join(lines[lines.index("pal") : lines.index("epal")]).split())
    assert "a model, pools, batches; 1 or more objectives; not: single objectives, spaces needs a pool" in said


def test_every_verb_has_help(pfes: Pfes) -> None:
    listed = pfes("--help").out
    for verb in VERBS:
        assert f"  {verb} " in listed
        assert pfes(verb, "--help").out.startswith(f"Usage: pfes {verb}")


def test_texts_of_users_are_shown_as_they_are(pfes: Pfes, folder: Path) -> None:
    (folder / "odd.csv").write_text("id;[bold]x[/];measure;y\n[red];1;2;\nb;2;3;\n")
    assert pfes("create", "odd.csv", "--max", "y", "--ids", "id", "--method", "sobol").code == 0
    said = pfes("ask", "odd.db", "-n", 2).out
    assert "[bold]x[/]" in said
    assert "[red]" in said


# Running


def test_run_calls_a_function_of_this_folder(pfes: Pfes, cell: str, folder: Path) -> None:
    (folder / "simulation_here.py").write_text(
        "def f(trial):\n    return {n: trial.params['x'] for n in trial.objectives}"
    )
    said = pfes("run", cell, "simulation_here:f", "--trials", 3, "--quiet", "--json")
    assert said.data["trials"] == 3
    assert [str(trial.state) for trial in open_study(cell).trials()] == ["done"] * 3
    wrong = pfes("run", cell, "simulation_here:g", "--trials", 1)
    assert (wrong.code, "has no function 'g'" in wrong.err) == (1, True)
    assert "cannot be loaded" in pfes("run", cell, "nowhere_here:g", "--trials", 1).err
    assert "wanted --budget, --trials or --timeout" in pfes("run", cell, "simulation_here:f").err


SCRIPT = """\
import json, os, sys
trial = json.load(sys.stdin)
assert trial == json.loads(os.environ["PFES_TRIAL"])
assert float(os.environ["PFES_PARAM_x"]) == trial["params"]["x"]
print("a simulator talks much")
case = trial["id"]
if case == 1:
    sys.exit("no licence")
if case == 2:
    print(json.dumps({"infeasible": "it would melt"}))
elif case == 3:
    print("no result")
else:
    print(json.dumps({name: trial["params"]["x"] for name in os.environ["PFES_OBJECTIVES"].split(",")}))
"""


def test_run_calls_any_command(pfes: Pfes, cell: str, folder: Path) -> None:
    (folder / "sim.py").write_text(SCRIPT)
    said = pfes("run", cell, "--trials", 5, "--workers", 2, "--quiet", "--", sys.executable, "sim.py")
    assert said.code == 0, said.err
    found = {trial.id: (str(trial.state), trial.message) for trial in open_study(cell).trials()}
    assert found[0][0] == found[4][0] == "done"
    assert found[1] == ("failed", "CommandFailed: exit code 1: no licence")
    assert found[2] == ("infeasible", "it would melt")
    assert found[3][1].startswith("CommandFailed: printed no result, wanted a last line such as")


def test_a_command_that_hangs_is_ended(pfes: Pfes, cell: str) -> None:
    begun = time.monotonic()
    pfes("run", cell, "--trials", 1, "--time-limit", "0.5", "--quiet", "sleep 30; echo hi")
    assert time.monotonic() - begun < 10
    assert open_study(cell).trial(0).message == "CommandFailed: took longer than 0.5 s and was ended"


def test_commands_that_always_fail_are_an_error(pfes: Pfes, cell: str) -> None:
    said = pfes("run", cell, "--trials", 20, "--quiet", "false")
    assert (said.code, "10 trials in a row gave no values" in said.out) == (1, True)
    assert said.err.startswith("Error: 10 trials in a row gave no values")


def test_a_run_in_which_nothing_worked_is_an_error(pfes: Pfes, cell: str, folder: Path) -> None:
    said = pfes("run", cell, "--trials", 2, "--quiet", "--json", "echo no licence >&2; false")
    assert (said.code, said.data["failed"]) == (1, 2)
    assert said.err == "Error: every trial failed, the last one because: CommandFailed: exit code 1: no licence\n"
    (folder / "sim.py").write_text(SCRIPT)  # of trials 2, 3 and 4 one is infeasible, one fails, one is measured
    some = pfes("run", cell, "--trials", 3, "--quiet", f"{sys.executable} sim.py")
    assert (some.code, some.err) == (0, "")
    assert some.out.startswith("3 trials (1 failed), cost ")
    assert pfes("run", cell, "--trials", 1, "--quiet", """echo '{"infeasible": "it melts"}'""").code == 0
    assert pfes("run", cell, "--trials", 0, "--quiet", "false").code == 0


def test_ctrl_c_leaves_a_clean_study(cell: str, folder: Path) -> None:
    words = ["run", cell, "--trials", "9", "--workers", "2", "--quiet", "--", "sleep", "60"]
    running = interruptible([sys.executable, "-m", "pfes", *words], stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while len(open_study(cell).pending()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    os.kill(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert (running.returncode, err.strip()) == (130, "Error: interrupted")
    study = open_study(cell)
    assert study.pending() == []
    assert {str(trial.state) for trial in study.trials()} == {"released"}


def test_a_command_that_begins_while_all_is_ended_is_ended_too(cell: str) -> None:
    command = Command(("sleep", "60"))
    command.end()
    trial = open_study(cell).ask()
    begun = time.monotonic()
    with pytest.raises(CommandFailed, match="was ended"):
        command(trial)
    assert time.monotonic() - begun < 30


# The doctor


def test_the_doctor_finds_all_in_order(pfes: Pfes, cell: str) -> None:
    said = pfes("doctor", cell)
    assert said.code == 0, said.out
    assert "sound; 1 studies" in said.out
    assert not any(finding["wrong"] for finding in pfes("doctor", "--json").data)


def test_the_doctor_saves_what_a_damaged_file_holds(pfes: Pfes, cell: str, folder: Path) -> None:
    for number in range(40):
        pfes("enqueue", cell, f"x={number / 40}", "dopant=Er")
    whole = (folder / cell).read_bytes()
    (folder / cell).write_bytes(whole[:-4096] + b"\xff" * 4096)
    said = pfes("doctor", cell)
    assert (said.code, "!" in said.out) == (1, True)
    said = pfes("doctor", cell, "--repair")
    assert "events are in cell.repaired.db" in said.out
    assert 0 < len(open_study("cell.repaired.db").events) < 40


@pytest.fixture
def long_study(pfes: Pfes, cell: str, folder: Path) -> Path:
    for number in range(40):
        pfes("enqueue", cell, f"x={number / 40}", "dopant=Er")
    return folder / cell


def test_the_doctor_saves_the_beginning_of_a_file_that_was_cut_off(pfes: Pfes, long_study: Path) -> None:
    os.truncate(long_study, long_study.stat().st_size - 4096)
    assert "`pfes doctor --repair` saves what can be read of a damaged file" in pfes("status", long_study).err
    said = pfes("doctor", long_study, "--repair")
    assert "events are in" in said.out
    assert len(open_study("cell.repaired.db").events) > 0


def test_the_doctor_saves_all_but_the_one_event_that_is_spoilt(pfes: Pfes, cell: str) -> None:
    pfes("ask", cell, "-n", 3)
    for number in range(3):
        pfes("tell", cell, number, "power=1", "waste=2")
    with closing(sqlite3.connect(cell)) as connection, connection:
        connection.execute("UPDATE pfes_events SET payload = substr(payload, 3) WHERE kind = 'asked' AND trial = 1")
    refused = pfes("status", cell)
    assert (refused.code, "event 1 cannot be read" in refused.err) == (1, True)
    assert pfes("doctor", cell).code == 1
    said = pfes("doctor", cell, "--repair").out
    assert "4 of 6 events are in cell.repaired.db" in said
    assert "told of trial 1: {'values': {'power': 1.0, 'waste': 2.0}}): what was asked for" in said
    assert [trial.id for trial in open_study("cell.repaired.db").trials()] == [0, 2]
    assert "it is there already" in pfes("doctor", cell, "--repair").out


def test_the_doctor_needs_no_index(pfes: Pfes, long_study: Path) -> None:
    root = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_pfes_events_1'"
    with closing(sqlite3.connect(long_study)) as connection:
        page = connection.execute(root).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    events = open_study(long_study).events
    with long_study.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    pfes("doctor", long_study, "--repair")
    assert open_study("cell.repaired.db").events == events


def test_a_file_that_nothing_can_be_read_of_leaves_no_other_behind(pfes: Pfes, folder: Path) -> None:
    (folder / "cell.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 9000)
    assert "nothing can be read of it" in pfes("doctor", "cell.db", "--repair").out
    assert not (folder / "cell.repaired.db").exists()


# What is no plan, or may not be what was meant


def test_create_can_be_told_what_lies_between_the_cells(pfes: Pfes, folder: Path) -> None:
    (folder / "mix.csv").write_text("name~x~yield\nA~1,5~5\nB~2~6\n")
    assert pfes("create", "mix.csv", "--max", "yield").code == 1
    assert pfes("create", "mix.csv", "--max", "yield", "--delimiter", "~", "--with-results").code == 0
    assert [trial.params for trial in open_study("mix.db").trials()] == [{"x": 1.5}, {"x": 2.0}]
    (folder / "plan.toml").write_text("[pool]\nfile = 'mix.csv'\ndelimiter = '~'\n[objectives.yield]\ngoal = 'max'\n")
    assert pfes("create", "plan.toml").code == 0
    assert "--delimiter is for candidates" in pfes("create", "plan.toml", "--delimiter", "~").err
    (folder / "uneven.csv").write_text("name,x,yield\nA,1,5,5\n")
    assert "say which --delimiter lies between" in pfes("create", "uneven.csv", "--max", "yield").err


def test_a_folder_is_no_plan(pfes: Pfes) -> None:
    said = pfes("create", ".")
    assert (said.code, "wanted a plan (.toml)" in said.err) == (2, True)


def test_a_misspelt_objective_is_named_with_the_column_that_is_meant(pfes: Pfes, folder: Path) -> None:
    (folder / "mix.csv").write_text("name,x,yield,purity\nA,1,5,\nB,2,,7\n")
    said = pfes("create", "mix.csv", "--max", "yield", "--max", "purty")
    assert said.code == 1
    assert "mix.csv has no column 'purty', but one called 'purity', with empty cells; is 'purity' the" in said.err
    assert not (folder / "mix.db").exists()
    assert pfes("create", "mix.csv", "--max", "yield", "--max", "purity").code == 0


def test_an_objective_that_a_column_of_nearly_its_name_describes_is_pointed_out(pfes: Pfes, folder: Path) -> None:
    (folder / "mix.csv").write_text("name,x,yield\nA,1,5\nB,2,6\n")
    said = pfes("create", "mix.csv", "--max", "yeild")
    assert "'yield' describes candidates, 'yeild' is an objective; if they are the same, begin again" in said.err


# Whoever reads


def test_a_reader_that_has_had_enough_is_no_error(cell: str) -> None:
    command = f"{sys.executable} -m pfes export {cell} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_terminal_without_unicode_gets_ascii(cell: str) -> None:
    study = open_study(cell)
    for i in range(6):
        study.add([{"x": i / 10, "dopant": "Er", "power": i, "waste": i}])
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "pfes", "status", cell]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert b"* front" in done.stdout


def test_json_is_json_even_where_numbers_are_none(pfes: Pfes, cell: str) -> None:
    pfes("ask", cell)
    for verb in ("status", "pending", "front", "export"):
        json.loads(pfes(verb, cell, "--json").out)


def test_a_differing_row_names_both_options_once(pfes: Pfes, folder: Path) -> None:
    (folder / "mix.csv").write_text("name,x,y\nA,1,5\nB,2,\n")
    pfes("create", "mix.csv", "--max", "y", "--with-results")
    (folder / "new.csv").write_text("name,y\nA,6\n")
    said = pfes("import", "mix.db", "new.csv")
    assert (said.code, said.err.count("--correct"), said.err.count("--replicates")) == (1, 1, 1)
