"""An experimenter's story in a real browser: empty folder, create, ask, record, see the front change, report."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from pfes import Objective, Real, Space, create_study, open_study
from web.chromium import chromium, watched
from web.serving import LONG, running
from web.test_injection import evil_study


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as it:
        yield it


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(LONG * 1000)
    expect.set_options(timeout=LONG * 1000)
    yield context.new_page()
    context.close()


def fill(page: Page, values: dict[str, Any]) -> None:
    """Type into fields by their labels, and click the button of their form."""
    for label, value in values.items():
        page.get_by_label(label, exact=False).first.fill(str(value))


def open_and_print_the_report(page: Page) -> None:
    """In a tab of its own, with its styles, and without an origin whose cookies it could use."""
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open the report").click()
    shown = opened.value
    expect(shown.get_by_role("heading", name="Report on battery")).to_be_visible()
    assert shown.evaluate("[origin, getComputedStyle(document.querySelector('h1')).fontSize]") == ["null", "28px"]
    assert len(shown.pdf()) > 20_000
    shown.close()


def test_from_an_empty_folder_to_a_front(page: Page, tmp_path: Path) -> None:
    heard = watched(page)
    with running(tmp_path) as served:
        page.goto(served.entry)
        assert "token" not in page.url
        expect(page.get_by_role("heading", name="Begin a study")).to_be_visible()
        page.get_by_role("button", name="Fill in an example").click()
        page.get_by_text("More", exact=True).click()
        page.get_by_label("How to choose").select_option("sobol")
        page.get_by_role("button", name="Begin the study").click()
        expect(page.get_by_role("status")).to_contain_text("has begun")
        assert open_study(tmp_path / "battery.db").method == "sobol"

        page.get_by_role("link", name="Ask what to measure next").first.click()
        page.get_by_label("How many points").fill("6")
        page.get_by_role("checkbox", name="Measure only what pays").uncheck()
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_role("article")).to_have_count(6)
        expect(page.get_by_role("article").first).to_contain_text("Why:")

        for number in range(6):
            page.get_by_role("link", name="Record", exact=True).click()
            card = page.locator(f"#trial-{number}")
            card.get_by_label("conductivity").fill(f"{1 + number},5")
            card.get_by_label("energy").fill(str(number * number / 10))
            card.get_by_role("button", name="Record").click()
            expect(page.get_by_role("status")).to_contain_text(f"Trial {number} is recorded")

        page.get_by_role("link", name="Overview").click()
        expect(page.locator(".tiles")).to_contain_text("6 points")
        expect(page.locator('[data-picture="front"] .main-svg').first).to_be_visible()

        # somebody else measures something better: the open page shows it by itself
        open_study(tmp_path / "battery.db").add(
            [{"fraction": 0.5, "temperature": 600, "dopant": "Er", "conductivity": 50.0, "energy": -9.0}]
        )
        expect(page.locator(".tiles")).to_contain_text("1 point")
        expect(page.locator("#front tbody tr")).to_have_count(1)

        page.get_by_role("link", name="Record", exact=True).click()
        page.get_by_label("Cells from a spreadsheet").fill("id\tconductivity\n0\t77\n")
        page.get_by_text("Where values differ from those known").click()
        page.get_by_role("checkbox", name="Replace what is known").check()
        page.get_by_role("button", name="See what will change").click()
        expect(page.get_by_role("row", name="0 fraction")).to_contain_text("77")
        page.get_by_role("button", name="Take it in").click()
        expect(page.get_by_role("status")).to_contain_text("1 trial told, 0 rows added")

        page.get_by_role("link", name="Settings").click()
        with page.expect_download() as table:
            page.get_by_role("link", name="All trials (CSV)").click()
        assert "77" in table.value.path().read_text()
        page.get_by_role("link", name="Write a report").click()
        open_and_print_the_report(page)
        with page.expect_download() as report:
            page.get_by_role("link", name="Save the report").click()
        assert "conductivity" in report.value.path().read_text(encoding="utf-8")
    assert heard == []


def test_a_story_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    from web.conftest import cell_study

    study = cell_study(tmp_path)
    with running(tmp_path / "cell.db") as served:
        page.goto(f"{served.address}/record?token={served.entry.partition('token=')[2]}")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "t8v0":
                break
        page.keyboard.type("4.5")
        page.keyboard.press("Tab")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("Trial 8 is recorded as done")
    assert study.trial(8).values == {"power": 4.5, "waste": 1.0}


def test_scripts_in_names_do_not_run(page: Page, tmp_path: Path) -> None:
    evil_study(tmp_path)
    heard = watched(page)
    with running(tmp_path / "evil.db") as served:
        page.goto(served.entry)
        for path in ("/", "/ask", "/record", "/trials", "/trials/0", "/settings"):
            page.goto(served.address + path)
            assert page.locator("main img").count() == 0
        page.goto(served.address)
        expect(page.locator('[data-picture="front"] .main-svg').first).to_be_visible()
        expect(page.locator('[data-picture="front"] .xtitle')).to_contain_text("<script>alert(1)</script>")
    assert heard == []


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_no_page_is_wider_than_its_screen(browser: Browser, tmp_path: Path, width: int, theme: Any) -> None:
    from web.conftest import cell_study

    cell_study(tmp_path)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
    page = context.new_page()
    with running(tmp_path / "cell.db") as served:
        page.goto(served.entry)
        for path in ("/", "/ask", "/record", "/trials", "/trials/8", "/settings", "/help"):
            page.goto(served.address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name="Switch between light and dark").click()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    context.close()


def test_words_of_tables_are_whole_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    from web.conftest import cell_study

    cell_study(tmp_path)
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    with running(tmp_path / "cell.db") as served:
        page.goto(served.entry)
        for path in ("/", "/trials", "/settings"):
            page.goto(served.address + path)
            for height, lines in page.evaluate(HEIGHTS):
                assert height < 1.9 * lines, path
            assert page.evaluate(BEYOND) == [], path
        page.goto(served.address + "/trials")
        last = page.locator("tbody tr").last
        tops = [last.locator(f'[data-name="{name}"]').evaluate(TOP) for name in ("trial", "waste", "dopant")]
        assert tops[0] == tops[1] < tops[2]
    long = create_study(
        tmp_path / "long.db",
        space=Space(x=Real(0, 1)),
        objectives=[Objective("specific capacity after a hundred cycles", unit="mAh/g"), Objective("x" * 60, "min")],
        method="sobol",
    )
    long.add([{"x": i / 9, long.objectives[0].name: 1000.0 * i, "x" * 60: i * i / 7} for i in range(9)])
    with running(tmp_path / "long.db") as served:
        page.goto(served.entry)
        expect(page.locator('[data-picture="front"] .xtitle')).to_be_visible()
        assert page.evaluate(OUTSIDE) == []
        page.set_viewport_size({"width": 844, "height": 390})
        expect(page.locator('[data-picture="front"] .xtitle tspan')).to_have_count(0)  # one line is enough now
    context.close()


# names of axes that reach beyond their picture
OUTSIDE = """() => [...document.querySelectorAll(".xtitle, .ytitle")].filter((it) => {
  const [own, all] = [it, it.closest(".main-svg")].map((part) => part.getBoundingClientRect());
  return own.left < all.left || own.right > all.right || own.top < all.top || own.bottom > all.bottom;
}).map((it) => it.textContent)"""


TOP = "it => it.getBoundingClientRect().top"

# values of objectives that are not seen before a table is scrolled
BEYOND = """() => [...document.querySelectorAll("td.goal")].filter((it) => {
  const [own, box] = [it, it.closest(".scroll")].map((part) => part.getBoundingClientRect());
  return it.textContent.trim() && (!own.width || own.right > box.right + 1);
}).map((it) => it.textContent)"""


# of each cell that holds one word: how high its text is, and how high a line
HEIGHTS = """() => [...document.querySelectorAll("th, td")]
  .filter((it) => it.offsetParent && it.textContent.trim() && !it.textContent.trim().includes(" "))
  .map((it) => {
    const range = document.createRange(), style = getComputedStyle(it);
    range.selectNodeContents(it);
    return [range.getBoundingClientRect().height, parseFloat(style.lineHeight)];
  })"""


def test_an_open_page_says_when_its_server_has_ended_and_when_it_is_back(page: Page, tmp_path: Path) -> None:
    from web.conftest import cell_study

    cell_study(tmp_path)
    line = page.locator("[data-lost]")
    with running(tmp_path / "cell.db") as served:
        page.goto(served.address + "/record?token=" + served.entry.partition("token=")[2])
        page.locator("#t8v0").fill("4,5")
        page.wait_for_timeout(3500)
        expect(line).to_be_hidden()
    expect(line).to_contain_text("The server does not answer")
    with running(tmp_path / "cell.db", port=served.port):
        expect(line).to_be_hidden()
        assert page.locator("#t8v0").input_value() == "4,5"
        page.context.clear_cookies()  # as if it had another token now
        expect(line).to_contain_text("started anew")


def test_a_file_that_is_too_large_is_not_sent(page: Page, tmp_path: Path) -> None:
    from web.conftest import cell_study

    cell_study(tmp_path)
    sent: list[str] = []
    page.on("request", lambda it: sent.append(it.url) if it.method == "POST" else None)
    with running(tmp_path / "cell.db", limit=2000) as served:
        page.goto(served.address + "/record?token=" + served.entry.partition("token=")[2])
        table = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"id,power\n" + b"8,1\n" * 1000}
        page.get_by_label("Or a CSV file").set_input_files([table])
        page.get_by_role("button", name="See what will change").click()
        said = page.get_by_label("Or a CSV file").evaluate("it => it.validationMessage")
        assert "try it in parts" in said
        assert sent == []
        page.get_by_label("Or a CSV file").set_input_files([table | {"buffer": b"id,power\n8,1\n"}])
        page.get_by_role("button", name="See what will change").click()
        expect(page.get_by_role("heading", name="What will change")).to_be_visible()
