"""Scripts and formulas in every name and value: shown as the texts they are, on every page and in every table."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pfes import Choice, Objective, Real, Space, create_study
from web.serving import Browser, Running, running

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'"
FORMULA = "=cmd|' /C calc'!A0"
PAGES = ("/", "/ask", "/record", "/trials", "/trials/0", "/trials/1", "/trials/2", "/model", "/settings", "/help")


def evil_study(folder: Path) -> None:
    """A study in which everything that has a name has a bad one."""
    study = create_study(
        folder / "evil.db",
        space=Space({f"x{EVIL}": Real(0, 1, unit=EVIL), FORMULA: Choice([EVIL, FORMULA, "{{ 7 * 7 }}"])}),
        objectives=[Objective(f"y{EVIL}", unit=EVIL), Objective(f"{FORMULA}z", "min")],
        name=f"s{EVIL}",
        method="sobol",
    )
    study.add([{f"x{EVIL}": 0.5, FORMULA: EVIL, f"y{EVIL}": 1.0, f"{FORMULA}z": 2.0}])
    study.tell(study.ask(), failed=EVIL)
    study.ask()
    study.note(0, EVIL)
    study.note(0, FORMULA)
    study.reject(study.ask(), EVIL)


@pytest.fixture
def evil(tmp_path: Path) -> Iterator[Running]:
    evil_study(tmp_path)
    with running(tmp_path / "evil.db") as it:
        yield it


def assert_inert(text: str) -> None:
    for script in re.findall(r"<script\b[^>]*>", text):
        assert re.fullmatch(r'<script src="/static/\w+\.js\?[\w.-]+"(?: defer)?>', script), script
    assert "<img" not in text
    assert "onerror" not in re.sub(r"&[lg]t;|&#3[49];", "", re.sub(r"&lt;img src=x onerror=alert\(2\)&gt;", "", text))


@pytest.mark.parametrize("path", PAGES)
def test_names_and_values_are_shown_as_they_are(evil: Running, path: str) -> None:
    answer = evil.browser().get(path)
    assert answer.status_code == 200
    assert "&lt;script&gt;alert(1)" in answer.text
    assert_inert(answer.text)


def test_templates_in_values_are_texts(evil: Running) -> None:
    assert "{{ 7 * 7 }}" in evil.browser().get("/ask").text


def test_what_is_typed_comes_back_as_text(evil: Running) -> None:
    browser = evil.browser()
    answers = [
        browser.post("/ask", count=EVIL),
        browser.post("/record/2", v0=EVIL, verdict=EVIL, why=EVIL),
        browser.post("/record/preview", table=EVIL),
        browser.post("/record/preview", table=f"id,{EVIL.replace(',', '')}\n1,2\n", name=EVIL),
        browser.post("/record/preview", files={"file": (EVIL, f"id,a\n{FORMULA},{EVIL}\n".encode())}),
        browser.post("/record/data", p0=EVIL, p1=EVIL, d0=EVIL),
        browser.post("/settings/reference", r0=EVIL, r1=EVIL),
        browser.post("/trials/2/note", note=EVIL),
        browser.post("/trials/2/reject", why=EVIL),
        browser.get("/trials", params={"state": EVIL, "text": EVIL}),
        browser.get("/trials/x%3Cscript%3E"),
        browser.get("/static/%3Cscript%3E"),
        browser.get("/", params={"said": EVIL}),
        browser.get("/ask", params={"job": EVIL}),
    ]
    for answer in answers:
        assert answer.status_code < 500
        assert_inert(answer.text)


def test_a_new_study_may_be_called_anything(empty: Running) -> None:
    form = {
        "study_name": EVIL,
        "kind": "space",
        "p0_name": EVIL,
        "p0_type": "choice",
        "p0_values": f"{EVIL}, b",
        "p0_unit": EVIL,
        "o0_name": FORMULA,
        "o0_goal": "max",
        "o0_unit": EVIL,
    }
    browser = empty.browser()
    assert_inert(browser.post("/begin", **(form | {"o0_cost": EVIL})).text)
    answer = browser.post("/begin", **form)
    assert answer.status_code == 200
    assert_inert(answer.text)


def test_tables_hold_no_formulas(evil: Running) -> None:
    browser: Browser = evil.browser()
    for path in ("/trials.csv", "/todo.csv", "/front.csv", "/api/export"):
        rows = list(csv.reader(io.StringIO(browser.get(path).text)))
        cells = [cell for row in rows for cell in row]
        assert any(FORMULA in cell for cell in cells)
        assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]
        assert not [cell for cell in cells if cell.startswith("-") and not re.fullmatch(r"-[\d.e+-]+", cell)]


def test_pictures_hold_texts_only(evil: Running) -> None:
    browser = evil.browser()
    for name in ("front", "costs", "spending", "correlations"):
        answer = browser.get(f"/pictures/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert "<script" not in answer.text
        assert "<img" not in answer.text
