"""Pictures of every page and of the report, light and dark, on a desk and on a phone, for docs/pictures.

python tests/web/pictures.py [page ...]    # all of them if nothing is said
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import numpy as np  # noqa: E402 - found by the line above
from PIL import Image, ImageChops  # noqa: E402

from pfes import Choice, Integer, Objective, Real, Space, Study, Trial, create_study  # noqa: E402
from web.chromium import chromium, watched  # noqa: E402
from web.serving import running  # noqa: E402

SIZES = {"desk": (1280, 900), "phone": (390, 844)}
PAGES = {
    "overview": "/",
    "ask": "/ask?job=1",
    "record": "/record",
    "trials": "/trials",
    "trial": "/trials/{pending}",
    "model": "/model",
    "settings": "/settings",
    "help": "/help",
}
TALLEST = 2600  # pixels of a picture
UNSEEN = 5  # of 255: a change of a colour that nobody sees


def measured(trial: Trial) -> dict[str, float]:
    """A trade-off that an experimenter might find."""
    x, t, kind = trial.params["fraction"], (trial.params["temperature"] - 300) / 600, trial.params["dopant"]
    lift = {"Er": 0.0, "Nb": 0.25, "W": -0.1}[kind]
    power = 8 * np.exp(-8 * (x - 0.55 - 0.2 * lift) ** 2) * (0.35 + 0.65 * t) * (1 + lift)
    energy = -3.2 + 1.4 * t**1.5 + 0.8 * abs(x - 0.3) + 0.3 * lift
    values = {"conductivity": float(round(power, 3)), "energy": float(round(energy, 3))}
    return {name: values[name] for name in trial.objectives}


def battery(folder: Path) -> Study:
    """A study half-way through."""
    study = create_study(
        folder / "battery.db",
        space=Space(
            fraction=Real(0, 1), temperature=Integer(300, 900, step=10, unit="K"), dopant=Choice(["Er", "Nb", "W"])
        ),
        objectives=[
            Objective("conductivity", "max", cost=5, unit="mS/cm"),
            Objective("energy", "min", cost=1, unit="eV"),
        ],
        name="battery",
        budget=200,
        seed=3,
    )
    study.optimize(measured, budget=90, decoupled=True, progress=False)
    study.tell(study.ask(), failed="furnace tripped")
    return study


def shoot(page: Any, name: str, folder: Path) -> None:
    """One picture, not too tall."""
    page.evaluate("document.activeElement?.blur()")
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    page.screenshot(
        path=folder / f"{name}.png",
        full_page=True,
        clip={"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height},
    )
    image = Image.open(folder / f"{name}.png").convert("RGB")
    reduced(image).save(folder / f"{name}.png", optimize=True)


def reduced(image: Image.Image) -> Image.Image:
    """In 256 colours, a third of the size, unless that would be seen: as bands where colours change gradually."""
    few = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    changed = ImageChops.difference(image, few.convert("RGB"))
    return few if max(high for _, high in changed.getextrema()) <= UNSEEN else image


# leaves out of all texts where the study of the pictures happens to lie
WITHOUT = """(place) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(place, "");
}"""


def settled(page: Any) -> None:
    """Wait until nothing is being drawn or looked for."""
    quiet = 0
    for _ in range(600):  # a function to wait for would be a script that the pages' policy forbids
        quiet = 0 if page.locator("[data-job], .wait").count() or not page.locator("footer").count() else quiet + 1
        if quiet > 2:
            return
        page.wait_for_timeout(250)


def main(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: path for name, path in PAGES.items() if not wanted or name in wanted}
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        empty = Path(place) / "empty"
        empty.mkdir()
        study = battery(Path(place))
        report = Path(place) / "report.html"
        study.report(report)
        with running(Path(study.storage)) as served, running(empty) as begun:
            served.browser().post("/ask", count="3", decoupled="on")
            for theme in ("light", "dark"):
                for size, (width, height) in SIZES.items():
                    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                    page = context.new_page()
                    heard = watched(page)
                    if not wanted or "begin" in wanted:
                        page.goto(begun.entry)
                        page.click("[data-example]")
                        shoot(page, f"begin-{size}-{theme}", folder)
                    page.goto(served.entry)
                    for name, path in pages.items():
                        pending = study.pending()[-1].id if study.pending() else 0
                        page.goto(served.address + path.format(pending=pending))
                        settled(page)
                        page.evaluate(WITHOUT, str(Path(study.storage).parent) + os.sep)
                        shoot(page, f"{name}-{size}-{theme}", folder)
                    if not wanted or "report" in wanted:
                        page.goto(report.as_uri())
                        shoot(page, f"report-{size}-{theme}", folder)
                    if heard:
                        print(theme, size, *dict.fromkeys(heard), sep="\n  ")
                    context.close()


if __name__ == "__main__":
    main(ROOT / "docs" / "pictures" / "pages", sys.argv[1:])
