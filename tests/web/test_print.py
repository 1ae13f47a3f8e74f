"""On paper: nothing is cut off, and what was dark on the screen is light."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pfes import Objective, Real, Space, Study, create_study
from pfes.report.document import Table
from pfes.report.page import turned
from web.chromium import chromium
from web.serving import LONG, running

UPRIGHT, ACROSS = 718, 1046  # pixels between the margins of A4

# elements that reach beyond the paper, or hide a part of themselves
CUT = """(width) => [...document.querySelectorAll("main *")].filter((it) => {
  const box = it.getBoundingClientRect(), room = it.closest(".across") ? ACROSS : width;
  const hides = getComputedStyle(it).overflowX !== "visible" && it.scrollWidth > it.clientWidth + 1;
  return box.width && !it.closest("svg, .hidden") && (box.right > room + 1 || hides);
}).map((it) => `${it.tagName}.${it.className} ${it.textContent.slice(0, 40)}`)""".replace("ACROSS", str(ACROSS))

# numbers of tables that go on on another line
BROKEN = """() => [...document.querySelectorAll("td")].filter((it) => {
  if (!/^\\s*[−-]?[\\d.]+(e[−-]?\\d+)?\\s*$/.test(it.textContent) || !it.firstChild) return false;
  const range = document.createRange();
  range.selectNodeContents(it);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top / 4))).size > 1;
}).map((it) => it.textContent)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as it:
        yield it


@pytest.fixture
def paper(browser: Browser) -> Iterator[Page]:
    """A page that is being printed by somebody whose screen is dark."""
    context = browser.new_context(viewport={"width": UPRIGHT, "height": 1000}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(LONG * 1000)
    page.emulate_media(media="print", color_scheme="dark")
    yield page
    context.close()


def wide_study(place: Path, parameters: int) -> Study:
    """A study with long names, and many of them."""
    names = [f"share of the component number {k} in the mixture" for k in range(parameters)]
    study = create_study(
        place,
        space=Space(**{name: Real(0, 1) for name in names}),
        objectives=[Objective(f"strength of the specimen after {k} weeks", unit="MPa") for k in range(3)],
        name="wide",
        method="sobol",
    )
    for trial in study.ask(8):
        study.tell(trial, {name: float(trial.id * k % 7) / 3 for k, name in enumerate(study.objectives.names, 1)})
    study.ask(2)
    return study


def shade(page: Page, element: str, what: str) -> float:
    """How light a colour is, from 0 to 255."""
    colour: str = page.evaluate(f"getComputedStyle(document.querySelector('{element}')).{what}")
    return sum(map(float, colour.removeprefix("rgb(").removesuffix(")").split(","))) / 3


def test_a_turned_table_says_the_same() -> None:
    table = Table.of(["trial", "x", "measure"], [["7", "0.5", "a"], ["8", "0.25", "b"]], "Two.")
    assert turned(table) == Table(("trial", "7", "8"), (("x", "0.5", "0.25"), ("measure", "a", "b")), "Two.")
    plain = turned(Table.of(["x", "y"], [["1", "2"], ["3", "4"], ["5", "6"]]))
    assert (plain.columns, plain.rows) == (("", "1", "2", "3"), (("x", "1", "3", "5"), ("y", "2", "4", "6")))
    assert plain.numbers == {1, 2, 3}


@pytest.mark.parametrize("parameters", [2, 6, 12, 30])
def test_no_part_of_a_printed_report_is_cut_off(paper: Page, tmp_path: Path, parameters: int) -> None:
    wide_study(tmp_path / "wide.db", parameters).report(tmp_path / "report.html", model=False)
    paper.goto((tmp_path / "report.html").as_uri())
    across = paper.locator(".across").count()
    paper.set_viewport_size({"width": ACROSS if across else UPRIGHT, "height": 1000})
    assert bool(across) == (parameters == 12)  # of more, a table is turned: it grows downwards
    assert paper.evaluate(CUT, UPRIGHT if not across else ACROSS) == []
    assert paper.evaluate(BROKEN) == []
    assert shade(paper, "body", "color") < 80
    assert shade(paper, "body", "backgroundColor") > 240


@pytest.mark.parametrize("parameters", [2, 6, 10, 12, 30])
def test_no_part_of_a_printed_page_is_cut_off(paper: Page, tmp_path: Path, parameters: int) -> None:
    wide_study(tmp_path / "wide.db", parameters)
    with running(tmp_path / "wide.db") as served:
        paper.goto(served.entry)
        for path in ("/", "/trials", "/trials/8", "/record", "/settings"):
            paper.goto(served.address + path)
            across = paper.locator(".across").count()
            room = ACROSS if across else UPRIGHT
            paper.set_viewport_size({"width": room, "height": 1000})
            assert paper.evaluate(CUT, room) == [], path
            assert paper.evaluate(BROKEN) == [], path


def test_what_was_dark_is_printed_light(paper: Page, tmp_path: Path) -> None:
    wide_study(tmp_path / "wide.db", 2)
    with running(tmp_path / "wide.db") as served:
        paper.emulate_media(media="screen", color_scheme="dark")
        paper.goto(served.entry)
        paper.locator('[data-picture="parallel"] svg').wait_for()
        assert shade(paper, "body", "backgroundColor") < 60
        for chosen in ("", "dark"):  # by the system, and by the switch
            paper.evaluate(f"document.documentElement.dataset.theme = '{chosen}'")
            paper.emulate_media(media="print", color_scheme="dark")
            for element in ("body", ".card", ".tiles dd", "td"):
                assert shade(paper, element, "color") < 110, element
            assert shade(paper, "body", "backgroundColor") > 240
            assert shade(paper, ".card", "backgroundColor") > 240
        drawn: Any = paper.locator('[data-picture="parallel"] .canvas')
        assert drawn.get_attribute("data-drawn") == "dark"
        assert drawn.evaluate("it => getComputedStyle(it).filter") == "invert(1) hue-rotate(180deg)"
