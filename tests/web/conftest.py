"""Studies to serve, and servers that serve them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pfes import Choice, Integer, Objective, Pool, Real, Space, Study, create_study
from web.serving import Browser, Running, running


def cell_study(folder: Path, **options: object) -> Study:
    """A study whose suggestions need no model, with something of everything."""
    study = create_study(
        folder / "cell.db",
        space=Space(x=Real(0, 1), t=Integer(300, 900, unit="K"), dopant=Choice(["Er", "Nb"])),
        objectives=[Objective("power", "max", cost=5, unit="W"), Objective("waste", "min")],
        name="cell",
        method="sobol",
        **options,  # type: ignore[arg-type]
    )
    study.add([{"x": 0.1 * i, "t": 400, "dopant": "Er", "power": float(i), "waste": 10.0 - i} for i in range(6)])
    first, second, _, _ = study.ask(4)
    study.tell(first, {"power": 3.0, "waste": 9.0})
    study.tell(second, failed="furnace tripped")
    return study


def pool_study(folder: Path) -> Study:
    """A study of candidates."""
    (folder / "mix.csv").write_text("name,water,yield\nM1,0.1,\nM2,0.2,\nM3,0.3,\nM4,0.4,\n")
    return create_study(
        folder / "mix.db",
        space=Pool.from_csv(folder / "mix.csv", inputs=["water"], ids="name"),
        objectives=[Objective("yield"), Objective("purity")],
        name="mix",
        method="sobol",
    )


@pytest.fixture
def cell(tmp_path: Path) -> Study:
    return cell_study(tmp_path)


@pytest.fixture
def served(cell: Study, tmp_path: Path) -> Iterator[Running]:
    """A server of the study `cell`."""
    with running(tmp_path / "cell.db") as it:
        yield it


@pytest.fixture
def browser(served: Running) -> Browser:
    """A browser that was let in."""
    return served.browser()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Running]:
    """A server of an empty folder."""
    with running(tmp_path) as it:
        yield it
