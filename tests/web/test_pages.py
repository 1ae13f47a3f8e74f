"""What pages do: every form, what it says when something is wrong, and that looking changes nothing."""

import re
import threading
import time
from pathlib import Path

import pytest

from pfes import Linear, Objective, Real, Space, Study, create_study, open_study
from pfes.points import why_outside
from pfes.trials import Trial
from pfes.web.why import in_short
from web.conftest import cell_study, pool_study
from web.serving import LONG, Browser, Running, running, said

PAGES = ("/", "/ask", "/record", "/trials", "/trials/0", "/trials/8", "/model", "/settings", "/help", "/live")


def finished(browser: Browser, path: str) -> str:
    """The page of a job, when it is over."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        text = browser.get(path).text
        if "data-job=" not in text:
            return text
        time.sleep(0.1)
    raise AssertionError(path)


@pytest.mark.parametrize("path", PAGES)
def test_looking_changes_nothing(cell: Study, browser: Browser, path: str) -> None:
    before = cell.events
    assert browser.get(path).status_code == 200
    assert cell.events == before


def test_every_link_leads_somewhere(browser: Browser) -> None:
    seen, new = set[str](), {"/"}
    while new:
        path = new.pop()
        seen.add(path)
        answer = browser.get(path)
        assert answer.status_code == 200, path
        if "text/html" in answer.headers["content-type"]:
            links = re.findall(r'(?:href|src)="(/[^"#]*)', answer.text)
            new |= {link.replace("&amp;", "&") for link in links} - seen


def test_every_field_has_a_label(browser: Browser, empty: Running) -> None:
    texts = [browser.get(path).text for path in PAGES[:-1]] + [empty.browser().get("/begin").text]
    for text in texts:
        labelled = set(re.findall(r'<label for="([^"]+)"', text))
        for field in re.findall(r"<(?:input|select|textarea)\b[^>]*>", text):
            if 'type="hidden"' in field or " hidden" in field or "aria-label=" in field:
                continue
            found = re.search(r'\bid="([^"]+)"', field)
            assert found, field
            assert found[1] in labelled, field
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))


def test_every_page_has_one_heading_and_every_table_a_caption(browser: Browser) -> None:
    for path in PAGES[:-1]:
        text = browser.get(path).text
        assert text.count("<h1") == 1, path
        assert text.count("<table") == text.count("<caption"), path
        assert '<html lang="en">' in text


def test_captions_say_what_pictures_leave_unsaid(browser: Browser) -> None:
    text = browser.get("/").text
    assert "the sign is turned for objectives to be minimised" in text
    assert "by the cost spent" not in text  # it is by trials where nothing cost anything
    assert "Bars are one deviation" in browser.get("/model").text


# Asking


def test_asking_goes_on_in_the_background_and_ends_with_a_reason(cell: Study, browser: Browser) -> None:
    answer = browser.post("/ask", count="2", decoupled="on", f2="Nb")
    assert str(answer.url).endswith("/ask?job=2") or "job=" in str(answer.url)
    text = finished(browser, str(answer.url))
    assert text.count("<article") == 2
    assert "Why:</strong> Measure power and waste here to see what is there" in text
    assert text.count("<summary>In numbers</summary>") == 2
    assert cell.trials()[-1].reason in text
    assert [trial.params["dopant"] for trial in cell.trials()[-2:]] == ["Nb", "Nb"]


@pytest.mark.parametrize(
    ("purpose", "which", "said"),
    [
        ("learn", ("price",), "Measure only price here: it is the cheaper one and promises most for its cost."),
        ("learn", ("life",), "Measure only life here: that promises most for its cost."),
        ("learn", ("life", "price"), "Measure life and price here to learn: of all points"),
        ("confirm", ("life", "price"), "Measure life and price here to confirm: one of the best trade-offs is"),
        ("doubt", ("price",), "Measure only price here in doubt: the model sees little left"),
        ("begin", ("life", "price"), "the point is one of those that are spread evenly"),
        ("", ("life", "price"), ""),
    ],
)
def test_a_suggestion_is_explained_in_one_plain_sentence(purpose: str, which: tuple[str, ...], said: str) -> None:
    study = create_study(space=Space(x=Real(0, 1)), objectives=[Objective("life", cost=5), Objective("price", "min")])
    trial = Trial(0, {"x": 0.5}, which, purpose=purpose, cost=study.objectives.cost(map(study.objectives.index, which)))
    found = in_short(study, trial)
    assert said in found
    assert bool(found) == bool(said)


def test_a_trial_of_one_objective_says_so(cell: Study, browser: Browser) -> None:
    assert browser.post("/enqueue", p0="0,25", p1="500", p2="Er", o1="on").status_code == 200
    text = finished(browser, str(browser.post("/ask", count="1").url))
    assert "Measure only <strong>waste</strong>" in text
    assert cell.trials()[-1].params == {"x": 0.25, "t": 500, "dopant": "Er"}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"count": "0"}, "wanted 1 to 100"),
        ({"count": "many"}, "wanted a number"),
        ({"count": "1e400"}, "wanted a whole number"),
        ({"count": "1", "f0": "soft"}, "wanted a number"),
        ({"count": "1", "f2": "Pb"}, "wanted one of"),
        ({"count": "1", "lease": "soon"}, "wanted a number"),
    ],
)
def test_a_wrong_request_is_shown_again_with_what_is_wrong(browser: Browser, fields: dict[str, str], why: str) -> None:
    answer = browser.post("/ask", **fields)
    assert answer.status_code == 422
    assert why in said(answer)


def test_when_nothing_is_left_the_page_says_so(tmp_path: Path) -> None:
    study = pool_study(tmp_path)
    study.ask(4)
    with running(tmp_path / "mix.db") as served:
        browser = served.browser()
        text = finished(browser, str(browser.post("/ask", count="1").url))
    assert "nothing to measure" in text


# Recording


def test_values_are_recorded_in_parts_with_decimal_commas(cell: Study, browser: Browser) -> None:
    assert "still waiting for waste" in said(browser.post("/record/8", v0="1,5"))
    assert "done" in said(browser.post("/record/8", v1="2e-3"))
    assert cell.trial(8).values == {"power": 1.5, "waste": 0.002}


def test_what_cannot_be_recorded_stays_in_the_form(cell: Study, browser: Browser) -> None:
    answer = browser.post("/record/8", v0="<b>", v1="7")
    assert answer.status_code == 422
    assert "wanted a number" in said(answer)
    assert "write 1234.5" in said(browser.post("/record/8", v0="1.234,5"))
    assert "write 1234 or 1.234" in said(browser.post("/record/8", v0="1,234"))
    assert 'value="7"' in answer.text
    assert 'value="&lt;b&gt;"' in answer.text
    assert cell.trial(8).values == {}


def test_a_contradiction_keeps_what_was_typed_and_offers_to_replace(cell: Study, browser: Browser) -> None:
    cell.tell(8, {"power": 1.0})  # somebody else, while our page was open
    answer = browser.post("/record/8", v0="2,5", v1="7")
    assert answer.status_code == 409
    assert "tick “replace what is known”" in said(answer)
    form = re.search(r'<form [^>]*id="trial-8".*?</form>', answer.text, re.DOTALL)[0]  # type: ignore[index]
    assert 'value="2,5"' in form
    assert 'value="7"' in form
    assert 'name="correct"' in form
    assert "Replace what is known" in form
    assert "done" in said(browser.post("/record/8", v0="2,5", v1="7", correct="on"))
    assert cell.trial(8).values == {"power": 2.5, "waste": 7.0}


def test_the_form_is_there_even_if_the_trial_is_done_meanwhile(cell: Study, browser: Browser) -> None:
    cell.tell(8, {"power": 1.0, "waste": 2.0})
    answer = browser.post("/record/8", v0="2,5", v1="2")
    assert answer.status_code == 409
    form = re.search(r'<form [^>]*id="trial-8".*?</form>', answer.text, re.DOTALL)[0]  # type: ignore[index]
    assert all(part in form for part in ('value="2,5"', 'value="2"', 'name="correct"'))
    late = browser.post("/record/8", verdict="infeasible", why="it melts")
    assert "set its data aside" in said(late)
    form = re.search(r'<form [^>]*id="trial-8".*?</form>', late.text, re.DOTALL)[0]  # type: ignore[index]
    assert '<option value="infeasible" selected>' in form
    assert 'value="it melts"' in form


def test_the_page_of_a_trial_keeps_what_was_typed_too(cell: Study, browser: Browser) -> None:
    answer = browser.post("/record/6", v0="4,25", v1="9", **{"from": "trial"})
    assert answer.status_code == 409
    assert 'value="4,25"' in answer.text
    assert 'name="correct"' in answer.text
    assert browser.post("/record/99", v0="1").status_code == 404


def test_a_failure_is_recorded_with_its_reason(cell: Study, browser: Browser) -> None:
    browser.post("/record/8", verdict="infeasible", why="it melts")
    assert (cell.trial(8).state, cell.trial(8).message) == ("infeasible", "it melts")


def test_a_measurement_from_elsewhere_is_taken_in(cell: Study, browser: Browser) -> None:
    assert "Taken in as trial 10" in said(browser.post("/record/data", p0="0.5", p1="600", p2="Nb", d0="4"))
    assert cell.trial(10).added
    told = said(browser.post("/record/data", p0="0.5", p1="5000", p2="Nb", d0="4"))
    assert "Taken in as trial 11. Outside the space" in told
    assert "trial 11: t 5000 is outside 300 to 900" in told
    assert browser.post("/record/data", p0="0.5", p1="600", p2="Nb").status_code == 422
    assert browser.post("/record/data", p0="", p1="600", p2="Nb", d0="1").status_code == 422


TABLE = "id\tpower\twaste\n8\t1,5\t2\n9\t3\t\n"


def test_a_pasted_table_is_shown_before_it_is_taken(cell: Study, browser: Browser) -> None:
    before = cell.events
    answer = browser.post("/record/preview", table=TABLE)
    assert "<strong>2 trials</strong>" in answer.text
    assert cell.events == before
    mark = re.search(r'name="mark" value="(\w+)"', answer.text)[1]  # type: ignore[index]
    assert "2 trials told" in said(browser.post("/record/import", table=TABLE, mark=mark))
    assert cell.trial(8).values == {"power": 1.5, "waste": 2.0}
    assert "is known already" in browser.post("/record/preview", table=TABLE).text


def test_points_outside_the_space_are_named_before_and_after_they_are_taken(cell: Study, browser: Browser) -> None:
    table = "x,t,dopant,power\n0.5,5000,Er,1\n-1,450.5,Nb,2\n0.3,450,Nb,3\n"
    shown = browser.post("/record/preview", table=table).text
    assert "trial 10: t 5000 is outside 300 to 900; trial 11: x -1 is outside 0 to 1, t 450.5 lies between" in shown
    assert "trial 12:" not in shown
    mark = re.search(r'name="mark" value="(\w+)"', shown)[1]  # type: ignore[index]
    assert "3 rows added. Outside the space" in said(browser.post("/record/import", table=table, mark=mark))
    assert [cell.trial(number).outside for number in (10, 11, 12)] == [True, True, False]
    many = "x,t,dopant,power\n" + "".join(f"0.5,{2000 + it},Er,1\n" for it in range(7))
    assert "; and 2 more." in browser.post("/record/preview", table=many).text


def test_what_is_outside_is_said_of_constraints_and_candidates_too(tmp_path: Path) -> None:
    room = Space(x=Real(0, 1), y=Real(0, 1), constraints=[Linear({"x": 1, "y": 1}, upper=1)])
    assert why_outside(room, {"x": 0.5, "y": 0.5}) == ""
    assert why_outside(room, {"x": 0.75, "y": 0.5}) == "the constraints do not hold"
    pool = pool_study(tmp_path).space
    assert why_outside(pool, {"water": 0.7}) == "none of the candidates"
    assert why_outside(pool, {"water": 0.1}, "M1") == ""


def test_a_table_that_would_change_something_else_than_was_shown_is_shown_again(cell: Study, browser: Browser) -> None:
    answer = browser.post("/record/preview", table=TABLE)
    mark = re.search(r'name="mark" value="(\w+)"', answer.text)[1]  # type: ignore[index]
    cell.tell(8, {"power": 1.5})
    before = cell.events
    answer = browser.post("/record/import", table=TABLE, mark=mark)
    assert answer.status_code == 409
    assert "has changed since" in said(answer)
    assert cell.events == before


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_file_of_any_spreadsheet_is_understood(tmp_path: Path, coding: str) -> None:
    study = create_study(tmp_path / "e.db", space=Space(x=Real(0, 1)), objectives=[Objective("größe")], method="sobol")
    study.ask()
    with running(tmp_path / "e.db") as served:
        data = "id;größe\r\n0;1,5\r\n".encode(coding)
        answer = served.browser().post("/record/preview", files={"file": ("a.csv", data)})
        assert "<strong>1.5</strong>" in answer.text
        assert "größe" in answer.text


def test_what_is_wrong_with_a_table_is_said_with_its_line(browser: Browser) -> None:
    answer = browser.post("/record/preview", table="id,power\n8,1\n77,2\n")
    assert answer.status_code == 422
    assert "line 3" in said(answer)
    assert "8,1" in answer.text  # what was pasted is still there
    assert "wanted a file" in said(browser.post("/record/preview", table=" "))
    workbook = browser.post("/record/preview", files={"file": ("a.xlsx", b"PK\x03\x04...")})
    assert "save it as CSV" in said(workbook)
    differing = browser.post("/record/preview", table="id,power\n0,100\n")
    assert "Replace what is known" in differing.text


@pytest.mark.parametrize(
    "table",
    [
        "id|power|waste\n8|1234,5|-2\n",
        "| id | power | waste |\n|---:|:-----:|-------|\n| 8 | 1234.5 | −2 |\n",
        "id\tpower\twaste\n8\t1\u202f234,5\t\u22122\n",
        "id;power;waste\n8;1\u00a0234,5;\u22122,0\n",
        "id\tpower\twaste\n8\t1.2345e3\t−2\n",
    ],
)
def test_tables_of_all_kinds_of_programs_are_understood(cell: Study, browser: Browser, table: str) -> None:
    answer = browser.post("/record/preview", table=table)
    assert answer.status_code == 200, said(answer)
    mark = re.search(r'name="mark" value="(\w+)"', answer.text)[1]  # type: ignore[index]
    browser.post("/record/import", table=table, mark=mark)
    assert cell.trial(8).values == {"power": 1234.5, "waste": -2.0}


@pytest.mark.parametrize("table", ["8\t1,5\t2\n", "8\t1,5\t2\n9\t3\t1\n", "8|1,5|2\n9|3|1\n", "8;1;\n9;2;\n"])
def test_a_table_without_its_header_is_told_so(cell: Study, browser: Browser, table: str) -> None:
    before = cell.events
    answer = browser.post("/record/preview", table=table)
    assert answer.status_code == 422
    assert "wanted the names of the columns: copy the header, too" in said(answer)
    texts = browser.post("/record/preview", table="M1;1,5\nM2;2\n")
    assert "if these are values, copy the header, too" in said(texts)
    assert cell.events == before


# Trials


def test_trials_are_found_by_state_and_text(browser: Browser) -> None:
    assert "2 trials" in browser.get("/trials?state=pending").text
    assert "1 trial," in browser.get("/trials?text=FURNACE").text
    assert "0 trials" in browser.get("/trials?text=nowhere").text
    assert browser.get("/trials?page=99").status_code == 200


def test_a_trial_can_be_corrected_released_extended_rejected_and_noted(cell: Study, browser: Browser) -> None:
    assert "was told before" in said(browser.post("/record/6", v0="4", **{"from": "trial"}))
    assert "done" in said(browser.post("/record/6", v0="4", correct="on", **{"from": "trial"}))
    assert cell.trial(6).values["power"] == 4.0
    browser.post("/trials/8/extend", lease="2", lease_unit="h")
    assert 7000 < cell.leases()[8] <= 7200
    browser.post("/trials/8/release", why="too hot")
    assert (cell.trial(8).state, cell.trial(8).message) == ("released", "too hot")
    browser.post("/trials/6/reject", why="contaminated")
    assert not cell.trial(6).usable
    browser.post("/trials/6/note", note="measured twice")
    assert "measured twice" in browser.get("/trials/6").text
    assert "Not done" in said(browser.post("/trials/6/release", why=""))
    assert browser.post("/trials/99/note", note="x").status_code == 404


def test_a_known_value_cannot_be_emptied_unnoticed(cell: Study, browser: Browser) -> None:
    before = cell.trial(6).values
    answer = browser.post("/record/6", v0="", v1="9", correct="on", **{"from": "trial"})
    assert answer.status_code == 422
    assert "power: got nothing, but a value is known" in said(answer)
    assert cell.trial(6).values == before


# Settings and downloads


def test_the_reference_point_can_be_set(cell: Study, browser: Browser) -> None:
    assert browser.post("/settings/reference", r0="-1", r1="").status_code == 422
    browser.post("/settings/reference", r0="-1", r1="20,5")
    assert cell.reference == {"power": -1.0, "waste": 20.5}


def test_tables_can_be_downloaded_and_brought_back(cell: Study, browser: Browser, tmp_path: Path) -> None:
    for path in ("/trials.csv", "/trials.csv?excel=true", "/todo.csv", "/front.csv"):
        answer = browser.get(path)
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "text/csv" in answer.headers["content-type"]
    whole = browser.get("/trials.csv").text
    assert "is known already" in browser.post("/record/preview", table=whole).text


def test_a_report_is_written_in_the_background(browser: Browser) -> None:
    busy = threading.Event()
    browser.running.app.state.server.jobs.start("look", "something else", lambda: busy.wait(LONG))
    assert "takes about a minute, while code is compiled" in browser.get("/report").text
    busy.set()
    assert "Save the report" in finished(browser, "/report")
    answer = browser.get("/report.html")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "power" in answer.text
    assert "sandbox" not in answer.headers["content-security-policy"]
    shown = browser.get("/report.html?show=true")
    assert shown.headers["content-disposition"].startswith("inline")
    policy = [part.strip() for part in shown.headers["content-security-policy"].split(";")]
    assert {"default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "sandbox"} <= set(policy)
    assert not [part for part in policy if part.startswith(("script", "connect", "sandbox "))]
    assert shown.content == answer.content


# Beginning


FORM = {
    "study_name": "my cell",
    "kind": "space",
    "p0_name": "x",
    "p0_type": "real",
    "p0_low": "0",
    "p0_high": "0,5",
    "p1_name": "t",
    "p1_type": "integer",
    "p1_low": "300",
    "p1_high": "900",
    "p1_step": "10",
    "p1_unit": "K",
    "p7_name": "dopant",
    "p7_type": "choice",
    "p7_values": "Er, Nb; 3",
    "o0_name": "power",
    "o0_goal": "max",
    "o0_cost": "5",
    "o0_threshold": "1",
    "o1_name": "waste",
    "o1_goal": "min",
    "budget": "100",
    "method": "sobol",
    "seed": "7",
}


def test_an_empty_folder_offers_to_begin_a_study(empty: Running, tmp_path: Path) -> None:
    browser = empty.browser()
    assert str(browser.get("/").url).endswith("/begin")
    assert "has begun" in said(browser.post("/begin", **FORM))
    study = open_study(tmp_path / "my-cell.db")
    assert study.name == "my cell"
    assert [str(it) for it in study.space.parameters.values()] == [  # type: ignore[union-attr]
        "Real(0.0, 0.5)",
        "Integer(300, 900, step=10, unit='K')",
        "Choice(['Er', 'Nb', 3])",
    ]
    assert study.objectives.items == (Objective("power", "max", 5, threshold=1), Objective("waste", "min"))
    assert (study.budget, study.seed, study.method) == (100, 7, "sobol")
    assert str(browser.get("/begin").url).endswith("/")


def test_scales_and_relations_can_be_said(empty: Running, tmp_path: Path) -> None:
    form = FORM | {
        "p0_low": "0,001",
        "p0_log": "on",
        "p7_values": "1, 2, 5",
        "p7_ordered": "on",
        "o0_transform": "log",
        "o0_resolution": "0,1",
        "o1_transform": "power",
        "model": "auto",
    }
    browser = empty.browser()
    for name in ("p0_log", "p0_ordered", "o0_transform", "o0_resolution", "model"):
        assert f'name="{name}"' in browser.get("/begin").text
    assert "has begun" in said(browser.post("/begin", **form))
    study = open_study(tmp_path / "my-cell.db")
    assert [str(it) for it in study.space.parameters.values()] == [  # type: ignore[union-attr]
        "Real(0.001, 0.5, log=True)",
        "Integer(300, 900, step=10, unit='K')",
        "Choice([1, 2, 5], ordered=True)",
    ]
    assert [(it.transform, it.resolution) for it in study.objectives] == [("log", 0.1), ("power", None)]
    assert study.settings.model == "auto"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"p0_log": "on"}, "log"),
        ({"o0_transform": "cube"}, "transform"),
        ({"o1_transform": "log", "o1_threshold": "-1"}, "wanted > 0"),
        ({"model": "friends"}, "model"),
        ({"p0_name": "", "p1_name": "", "p7_name": ""}, "got no parameter"),
        ({"o0_name": "", "o1_name": ""}, "got no objective"),
        ({"p0_low": ""}, "x, from: got nothing"),
        ({"p0_low": "1"}, "low"),
        ({"p1_low": "1.5"}, "whole number"),
        ({"p1_low": "-inf"}, "whole number"),
        ({"p1_step": "nan"}, "whole number"),
        ({"seed": "inf"}, "whole number"),
        ({"p1_name": "x"}, "twice"),
        ({"o0_name": "x"}, "parameter and an objective"),
        ({"o0_cost": "-1"}, "cost"),
        ({"o0_goal": "up"}, "goal"),
        ({"method": "magic"}, "method"),
        ({"p7_values": ""}, "Choice"),
        ({"p7_type": "colour"}, "kind"),
        ({"kind": "pool"}, "CSV"),
        ({"budget": "much"}, "Budget"),
        ({"study_name": "\x00"}, "name"),
    ],
)
def test_a_wrong_form_is_shown_again_and_begins_nothing(
    empty: Running, tmp_path: Path, change: dict[str, str], why: str
) -> None:
    answer = empty.browser().post("/begin", **(FORM | change))
    assert answer.status_code == 422
    assert why in said(answer)
    assert 'value="dopant"' in answer.text or "p7_name" in change
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_candidates_begins_a_study(empty: Running, tmp_path: Path) -> None:
    table = b"name;water;yield;purity\nM1;0,1;72,5;88\nM2;0,2;;\nM3;0,3;;\n"
    form = {
        "study_name": "mix",
        "kind": "pool",
        "o0_name": "yield",
        "o0_goal": "max",
        "o1_name": "purity",
        "o1_goal": "max",
    }
    answer = empty.browser().post("/begin", files={"table": ("mix.csv", table)}, with_results="on", **form)
    assert "1 rows with results" in said(answer)
    assert len(open_study(tmp_path / "mix.db").space) == 3  # type: ignore[arg-type]


def test_a_folder_of_studies_lets_one_choose(tmp_path: Path) -> None:
    cell_study(tmp_path)
    pool_study(tmp_path)
    (tmp_path / "other.db").write_bytes(b"no database")
    with running(tmp_path) as served:
        browser = served.browser()
        text = browser.get("/").text
        assert "Open cell" in text
        assert "Open mix" in text
        assert browser.post("/open", place=str(tmp_path / "cell.db"), name="nobody").status_code == 422
        assert browser.post("/open", place="/etc/passwd", name="cell").status_code == 422
        assert "cell is open" in said(browser.post("/open", place=str(tmp_path / "cell.db"), name="cell"))
        assert browser.get("/trials").status_code == 200


def test_a_study_of_one_objective_speaks_of_no_front(tmp_path: Path) -> None:
    goal = Objective("yield", unit="g")
    study = create_study(tmp_path / "one.db", space=Space(x=Real(0, 1)), objectives=[goal], method="sobol")
    study.add([{"x": i / 5, "yield": i * (5 - i)} for i in range(6)])
    with running(tmp_path / "one.db") as served:
        browser = served.browser()
        pages = {path: browser.get(path).text for path in ("/", "/ask", "/record", "/settings")}
    assert "Best yield" in pages["/"]
    for path, text in pages.items():
        shown = re.sub("<[^>]+>", " ", text).casefold()
        for word in ("front", "trade-off", "hypervolume"):
            assert word not in shown, (path, word)


# Others at work


def test_a_page_shows_what_others_do(cell: Study, browser: Browser) -> None:
    seen = browser.get("/live").json()["events"]
    cell.tell(8, {"power": 123.25})
    assert browser.get("/live").json()["events"] == seen + 1
    assert "123.25" in browser.get("/trials").text


def test_a_server_to_look_at_shows_everything_and_has_no_forms(cell: Study, tmp_path: Path) -> None:
    before = cell.events
    with running(tmp_path / "cell.db", read_only=True) as served:
        browser = served.browser()
        for path in PAGES:
            answer = browser.get(path)
            assert answer.status_code == 200
            assert 'method="post"' not in answer.text
        assert browser.post("/record/8", v0="1").status_code == 403
        assert "Nothing can be asked for here" in browser.get("/ask").text
    assert cell.events == before


def test_values_too_large_to_be_drawn_are_shown_all_the_same(cell: Study, browser: Browser) -> None:
    cell.add([{"x": 0.9, "t": 500, "dopant": "Nb", "power": sign * 1e308, "waste": sign * 1e308} for sign in (1, -1)])
    cell.add([{"x": 0.8, "t": 500, "dopant": "Nb", "power": -1e308, "waste": 1e308}])
    assert "beyond 1e+300, which cannot be drawn" in browser.get("/").text
    for path in ("/model", "/settings", "/trials", "/api/status", "/api/front"):
        assert browser.get(path).status_code == 200, path


def test_what_does_not_exist_is_a_page_too(browser: Browser) -> None:
    for path in ("/nothing", "/trials/99", "/trials/x"):
        answer = browser.get(path)
        assert answer.status_code in (404, 422)
        assert "<h1>" in answer.text
