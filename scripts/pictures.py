"""The pictures of docs/plots.md: two studies, their pictures, and screenshots of a report where Chromium is installed.

python scripts/pictures.py [folder]         (needs the extra `plots`; half a minute)
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import pfes
from pfes import plots, problems

SMALL = 75  # dots per inch
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def conductors() -> pfes.Study:
    """Two properties of 335 compositions, paid for separately."""
    problem, rng = problems.get("bismuth_oxide"), np.random.default_rng(0)
    study = pfes.create_study(space=problem.space, objectives=problem.objectives, seed=0, name="Bismuth oxide")
    study.optimize(lambda trial: problem.evaluate(trial, rng), budget=100, decoupled=True, progress=False)
    study.ask(2, decoupled=True)
    return study


def reaction() -> pfes.Study:
    """Three objectives of a made-up reaction: some values missing, some trials failed, two asked for."""
    space = pfes.Space(
        temperature=pfes.Real(300, 900, unit="K"),
        pressure=pfes.Real(0.1, 10, log=True, unit="bar"),
        catalyst=pfes.Choice(["Pt", "Pd", "Ni"]),
        time=pfes.Integer(1, 24, unit="h"),
    )
    objectives = [
        pfes.Objective("yield", "max", unit="%", threshold=40, cost=2),
        pfes.Objective("impurity", "min", unit="ppm", transform="log", cost=3),
        pfes.Objective("energy", "min", unit="kWh/kg"),
    ]
    study = pfes.create_study(space=space, objectives=objectives, name="Hydrogenation", seed=1, budget=300)
    rng = np.random.default_rng(0)
    for number, x in enumerate(space.sobol(50, rng)):
        params = space.decode(x[None])[0]
        wanted = [("yield", "impurity", "energy"), ("yield",), ("energy",)][(number % 5) // 2]
        study.enqueue(params, wanted)
        trial = study.ask()
        if number % 17 == 5:
            study.tell(trial.id, failed="pump tripped")
        else:
            study.tell(trial.id, {name: made(params, rng)[name] for name in trial.objectives})
    study.ask(2)
    return study


def made(params: dict[str, object], rng: np.random.Generator) -> dict[str, float]:
    """What the reaction gives."""
    heat, press = (float(params["temperature"]) - 300) / 600, np.log10(float(params["pressure"]))  # type: ignore[arg-type]
    hours, help_ = float(params["time"]) / 24, {"Pt": 0.2, "Pd": 0.1, "Ni": 0.0}[str(params["catalyst"])]  # type: ignore[arg-type]
    best = np.exp(-((heat - 0.6 - 0.2 * help_) ** 2) / 0.15 - (press - 0.3) ** 2 / 0.8)
    return {
        "yield": float(95 * best * (0.5 + 0.5 * hours) + 20 * help_ + rng.normal()),
        "impurity": float(10 ** (1 + 2 * heat + 0.6 * hours - help_ + 0.05 * rng.normal())),
        "energy": float(1 + 6 * heat + 1.5 * abs(press) + 2 * hours + 0.1 * rng.normal()),
    }


def main(folder: Path) -> None:
    """Draw them all."""
    two, three = conductors(), reaction()
    seen = plots.look(two)
    for name in ("front", "attainment", "volume", "calibration"):
        plots.save(plots.describe(seen, name), folder / f"{name}.png", dpi=SMALL)
    plots.save(plots.describe(seen, "front"), folder / "front-dark.png", dark=True, dpi=SMALL)
    seen = plots.look(three)
    plots.save(plots.describe(seen, "front"), folder / "front-three.png", dpi=SMALL)
    for name in ("parallel", "slices", "correlations"):
        plots.save(plots.describe(seen, name), folder / f"{name}.png", dpi=SMALL)
    two.report(folder / "report.png")
    screenshots(two, folder)


def screenshots(study: pfes.Study, folder: Path) -> None:
    """The top of a report's page, light and dark, and on a phone."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("there is no Chromium here: no screenshots of the page")
        return
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "report.html"
        study.report(page)
        for name, size, dark in (
            ("report-page", "1000,1500", False),
            ("report-page-dark", "1000,1500", True),
            ("report-page-phone", "500,1000", False),
        ):
            theme = ["--blink-settings=preferredColorScheme=0"] if dark else []
            shot = [f"--window-size={size}", f"--screenshot={folder / name}.png", f"--user-data-dir={place}/{name}"]
            subprocess.run([browser, *FLAGS, *theme, *shot, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "docs" / "pictures")
