"""Objectives believed together, from the command line: said at the beginning, seen in the status."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cli.conftest import Said


@pytest.fixture
def table(folder: Path) -> Path:
    """Candidates, the first dozen with results: cost follows yield closely."""
    rng = np.random.default_rng(0)
    lines = ["name,a,b,yield,cost"]
    for i in range(30):
        a, b = rng.random(2)
        good = np.sin(5.0 * a) + b
        results = f"{good:.4f},{2.0 + good + 0.1 * np.cos(6.0 * b):.4f}" if i < 12 else ","
        lines.append(f"c{i},{a:.4f},{b:.4f},{results}")
    path = folder / "mix.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_model_is_chosen_and_shown(pfes: Callable[..., Said], table: Path) -> None:
    create = ("create", str(table), "--max", "yield", "--min", "cost", "--with-results")
    assert pfes(*create, "--model", "auto").code == 0
    before = pfes("status", "mix.db", "--json").data
    assert (before["model"], before["learned_model"]) == ("auto", None)
    assert pfes("ask", "mix.db", "--decoupled").code == 0
    learned = pfes("status", "mix.db", "--json").data["learned_model"]
    assert learned["kind"] in ("coregional", "latent")
    (pair,) = learned["correlations"]
    assert pair["objectives"] == ["yield", "cost"]
    assert pair["correlation"] < -0.7  # what yields more costs more
    shown = pfes("status", "mix.db", "--no-plot").out
    assert f"Model        {learned['kind']}: values left out are predicted" in " ".join(shown.split("\n"))
    assert "yield and cost -0." in shown


def test_models_that_are_none_are_refused(pfes: Callable[..., Said], table: Path) -> None:
    said = pfes("create", str(table), "--max", "yield", "--min", "cost", "--model", "joint")
    assert said.code == 1
    assert "model: got 'joint', wanted one of 'independent'" in said.err
    plan = table.parent / "plan.toml"
    parameters = '[parameters.x]\ntype = "real"\nlow = 0\nhigh = 1\n[objectives.y]\ngoal = "max"\n'
    plan.write_text('[study]\nmodel = "latent"\n' + parameters, encoding="utf-8")
    assert pfes("create", str(plan)).code == 0
    assert pfes("status", "plan.db", "--json").data["model"] == "latent"
    assert pfes("create", str(plan), "--model", "auto").code == 2
