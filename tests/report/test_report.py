"""A report says what it must, needs nothing but itself, changes nothing, and nothing in it can be made to act."""

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pfes import InvalidInput, Objective, plots
from pfes.plots.theme import LIGHT
from pfes.report import write_report
from pfes.report.markdown import marked
from pfes.space import Choice, Pool, Real, Space
from pfes.study import Study, create_study
from plots import cases

PARTS = ["What was asked", "What was found", "How sure we are", "What to do next", "How it went"]


class Tags(HTMLParser):
    """What a browser would make of a page: its tags with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, str]:
    study = cases.lively_study()
    path = tmp_path_factory.mktemp("report") / "report.html"
    before = study.events
    assert study.report(path) == (path,)
    assert study.events == before
    return study, path.read_text(encoding="utf-8")


def test_a_page_says_what_was_asked_found_believed_and_comes_next(lively: tuple[Study, str]) -> None:
    study, text = lively
    page = Tags(text)
    assert [part for part in PARTS if part not in page.text] == []
    for said in (
        "Which settings of 3 parameters give large f0 and small f1?",
        "a [mol]",
        "each predicted from all others",
        "4 trials asked for and not yet told in full",
        "tripped",
        "never",
        f"{len(study.front())} of them are bettered by no other",
    ):
        assert said in page.text, said
    for point in study.front():
        assert f"{point.values['f0']:.5g}" in page.text
    assert sum(tag == "svg" for tag, _ in page.tags) >= 6


def test_a_page_needs_nothing_but_itself_and_forbids_everything_else(lively: tuple[Study, str]) -> None:
    page = Tags(lively[1])
    assert {tag for tag, _ in page.tags} & {"script", "iframe", "object", "embed", "link", "form", "base"} == set()
    addresses = [
        value for _, attrs in page.tags for name, value in attrs.items() if name in ("src", "href", "xlink:href")
    ]
    assert [it for it in addresses if it and not it.startswith("#")] == []
    policy = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy
    assert "default-src 'none'" in (policy[0] or "")
    assert "://" not in re.sub(r"http://www\.w3\.org/\S+", "", lively[1])


def test_the_pictures_of_a_page_follow_its_theme(lively: tuple[Study, str]) -> None:
    body = lively[1].partition("</style>")[2]
    assert set(re.findall(r"#[0-9a-f]{6}\b", body)) == set()
    names = set(re.findall(r"var\(--([\w-]+)\)", body))
    assert "front" in names
    assert names <= set(LIGHT.named)


def test_a_report_in_markdown_has_its_pictures_beside_it(tmp_path: Path) -> None:
    files = write_report(cases.space_study(3, 6), tmp_path / "my report.md")
    text = files[0].read_text(encoding="utf-8")
    assert [part for part in PARTS if f"## {part}" not in text] == []
    shown = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert shown
    assert all((tmp_path / name.replace("%20", " ")).stat().st_size > 1000 for name in shown)
    assert {file.name for file in files[1:]} == {name.replace("%20", " ") for name in shown}
    widths = {line.count("|") - line.count("\\|") for line in text.splitlines() if line.startswith("| trial")}
    assert len(widths) == 1


def test_a_report_can_be_one_picture(tmp_path: Path) -> None:
    (file,) = write_report(cases.space_study(2, 6), tmp_path / "report.png")
    assert file.read_bytes().startswith(b"\x89PNG")


STUDIES: dict[str, Callable[[], Study]] = {
    "nothing": lambda: cases.space_study(2, 0),
    "one": lambda: cases.space_study(2, 1),
    "few": lambda: cases.space_study(1, 2),
    **{f"L{count}": lambda count=count: cases.space_study(count, 6) for count in (1, 2, 4, 6)},
    "pool": lambda: cases.pool_study(2, 5),
    "all of a pool": lambda: cases.pool_study(2, 12),
}


@pytest.mark.parametrize("kind", STUDIES)
def test_every_study_has_a_report(kind: str, tmp_path: Path) -> None:
    study = STUDIES[kind]()
    before = study.events
    (file,) = write_report(study, tmp_path / "report.html", model=kind in ("few", "one", "pool"))
    page = Tags(file.read_text(encoding="utf-8"))
    assert [part for part in PARTS if part not in page.text] == []
    assert study.events == before
    if kind == "nothing":
        assert "Nothing has been measured yet." in page.text


@pytest.mark.parametrize("kind", ["html", "md", "png"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_values_that_cannot_be_drawn_do_not_keep_a_report_from_being_written(
    count: int, kind: str, tmp_path: Path
) -> None:
    study = cases.space_study(count, 0)
    signs = [1.0, -1.0, 0.5, -0.9]
    study.add([row | {f"f{l}": 1e308 * signs[i - l] for l in range(count)} for i, row in enumerate(cases.rows(0, 4))])
    file, *_ = write_report(study, tmp_path / f"report.{kind}", model=False)
    if kind != "png":
        said = unescape(file.read_text(encoding="utf-8"))
        assert "is left out: some measured values are beyond 1e+300, which cannot be drawn" in said


def test_nothing_pending_means_a_fresh_suggestion_which_is_not_taken(tmp_path: Path) -> None:
    study = cases.space_study(2, 6)
    (file,) = write_report(study, tmp_path / "report.html")
    text = Tags(file.read_text(encoding="utf-8")).text
    assert "Asked now, the study would suggest" in text
    assert study.pending() == []
    would = study.suggestions(3)
    assert [trial.params for trial in would] == [trial.params for trial in study.ask(3)]
    empty = cases.pool_study(2, 12)
    (file,) = write_report(empty, tmp_path / "report.html")
    assert "Nothing is left to suggest." in file.read_text(encoding="utf-8")


def test_a_report_without_a_suggestion_says_how_to_get_one(tmp_path: Path) -> None:
    write_report(cases.space_study(2), tmp_path / "report.md", model=False, suggest=False)
    after = (tmp_path / "report.md").read_text(encoding="utf-8").partition("## What to do next\n")[2]
    assert after.strip().startswith("Nothing is waited for. No suggestion was made for this report")


def test_a_study_of_one_objective_speaks_of_no_front(tmp_path: Path) -> None:
    write_report(cases.space_study(1), tmp_path / "report.md", suggest=False)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "The best measured f0 is" in text
    for word in ("front", "trade-off", "hypervolume", "compromise", "compete"):
        assert word not in text.casefold(), word


@pytest.mark.parametrize(
    "plain",
    [
        "0.4535",
        "−3.2 ± 0.1",
        "t [K], then x",
        "yield_after_24_h",
        "The model's own view: points (measured or not), 100 % sure!",
        "conductivity [mS/cm], larger is better",
        "C2H5OH + H2O = 100 {vol.} #3 ^2",
    ],
)
def test_what_markdown_does_not_read_stays_as_it_is(plain: str) -> None:
    assert marked(plain) == plain


def test_only_some_kinds_of_files_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"got 'report.pdf', wanted a name that ends in .html, .md or .png"):
        write_report(cases.space_study(2, 0), tmp_path / "report.pdf")


# Injection: everything that a user can name, named badly

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "$\\frac{1}{$ [x](javascript:alert(1)) | `a` **b**",
    "</title></style><svg onload=alert(1)>",
    "_x ![i](http://evil.example/a.png) www.evil.example @all",
    "# h\n\n- li\u202e &lt;b&gt; %{meta} <a href='javascript:1'>a</a>",
]


def evil_study(pool: bool) -> Study:
    names = iter(EVIL)
    first, second, third = next(names), next(names), next(names)
    objectives = [Objective(first, unit=EVIL[1], threshold=0.2), Objective(second, "min", unit=EVIL[2])]
    if pool:
        table = {third: [0.0, 0.5, 1.0, 0.2, 0.7], "c": [EVIL[3], EVIL[4], EVIL[3], EVIL[4], EVIL[5]]}
        ids = [f"{EVIL[5]} {i}" for i in range(5)]
        study = create_study(space=Pool(table, ids=ids), objectives=objectives, method="sobol", name=EVIL[0])
        study.add([{"row": row, first: i / 5, second: i * i / 9} for i, row in enumerate(ids[:4])])
    else:
        space = Space({third: Real(0, 1, unit=EVIL[0]), EVIL[3]: Choice([EVIL[4], EVIL[5]], unit=EVIL[1])})
        study = create_study(space=space, objectives=objectives, method="sobol", name=EVIL[0])
        rows = [{third: i / 5, EVIL[3]: EVIL[4 + i % 2], first: i / 5, second: i * i / 9} for i in range(5)]
        study.add(rows)
        study.tell(study.ask().id, failed=EVIL[0])
        study.tell(study.ask().id, infeasible=EVIL[1])
    study.ask()
    return study


@pytest.mark.parametrize("pool", [False, True])
def test_names_of_users_do_nothing_in_a_page(pool: bool, tmp_path: Path) -> None:
    (file,) = write_report(evil_study(pool), tmp_path / "report.html", model=not pool)
    text = file.read_text(encoding="utf-8")
    page = Tags(text)
    assert {tag for tag, _ in page.tags} & {"script", "img", "iframe"} == set()
    acting = [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert acting == []
    assert sum(tag == "title" for tag, _ in page.tags if tag == "title") >= 1
    assert [tag for tag, _ in page.tags].count("style") == 1
    links = [attrs.get("href") for tag, attrs in page.tags if tag == "a"]
    assert links == [f"#part{i}" for i in range(5)]
    assert "<script>alert(1)</script>" in page.text  # shown as it is
    assert "\u202e" not in text


@pytest.mark.parametrize("pool", [False, True])
def test_names_of_users_do_nothing_in_markdown(pool: bool, tmp_path: Path) -> None:
    from markdown_it import MarkdownIt

    (file, *_) = write_report(evil_study(pool), tmp_path / "report.md", model=pool)
    page = Tags(MarkdownIt("commonmark", {"html": True}).enable("table").render(file.read_text(encoding="utf-8")))
    assert {tag for tag, _ in page.tags} & {"script", "a", "svg", "style"} == set()
    assert {attrs["src"] for tag, attrs in page.tags if tag == "img"} <= {
        f"report-{name}.png" for name in plots.PICTURES
    }
    assert [tag for tag, _ in page.tags if tag in ("h1", "h2", "h3")] == ["h1"] + ["h2"] * 5


ODD = ["1. one", "- x", "+ x", "a_b_c", "5 * 3", "https://evil.example", "~~x~~ ^y^ =z=", "- [x] done", "[K]: /evil"]
ODD += ["a [b](c)", "a [b][c]", "an ![image](x)", "===", "---", "# one", "2) two", "a *b* _c_"]


@pytest.mark.parametrize("text", [*EVIL, *ODD])
def test_marked_text_is_shown_by_markdown_as_it_is(text: str) -> None:
    from markdown_it import MarkdownIt

    from pfes.plots.words import legible

    page = Tags(MarkdownIt("commonmark", {"html": True}).render(marked(text)))
    assert page.text.strip() == legible(text).strip()
    assert [tag for tag, _ in page.tags] == ["p"]


@pytest.mark.parametrize("pool", [False, True])
def test_names_of_users_do_nothing_in_plotly_and_svg(pool: bool) -> None:
    view = plots.look(evil_study(pool))

    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            return [text for item in value.values() for text in texts(item)]
        if isinstance(value, list):
            return [text for item in value for text in texts(item)]
        return [value] if isinstance(value, str) else []

    for picture in plots.pictures(view):
        if not picture.why:
            found = texts(plots.plotly_json(plots.describe(view, picture.name)))
            assert [text for text in found if re.search(r"<(?!br>)", text)] == [], picture.name
    three = create_study(
        space=Space(x=Real(0, 1)), objectives=[Objective(name) for name in EVIL[:4]], method="sobol", name=EVIL[0]
    )
    three.add([{"x": i / 4, **{name: i * (1 if k % 2 else -1) for k, name in enumerate(EVIL[:4])}} for i in range(4)])
    drawn = Tags(plots.svg(plots.describe(plots.look(three, model=False), "parallel")))  # type: ignore[arg-type]
    assert {tag for tag, _ in drawn.tags} <= {"svg", "title", "g", "line", "text", "polyline"}
