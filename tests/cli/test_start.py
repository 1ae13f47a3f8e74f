"""Verbs that fit no model load none: telling a study takes no longer than it must."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cli.conftest import Said
from pfes import open_study
from pfes.gp import Hyper
from pfes.ledger import hypers_as_data

Pfes = Callable[..., Said]

SLOW = {"numba", "llvmlite", "scipy", "scipy.optimize", "pfes.compiled", "pfes.gp", "pfes.task"}

CODE = """
import json, sys
from pfes.cli.main import main
codes = [main(words) for words in VERBS]
print(json.dumps([codes, sorted(sys.modules)]))
"""

VERBS = [
    (["--help"], 0),
    (["tell", "cell.db", "0", "power=1", "waste=2"], 0),
    (["tell", "cell.db", "99", "power=1"], 1),
    (["status", "cell.db"], 0),
    (["front", "cell.db"], 0),
    (["pending", "cell.db"], 0),
    (["extend", "cell.db", "1", "--for", "7d"], 0),
    (["release", "cell.db", "1"], 0),
    (["reject", "cell.db", "0", "spilt"], 0),
    (["enqueue", "cell.db", "x=0.5", "dopant=Er"], 0),
    (["note", "cell.db", "0", "a spill"], 0),
    (["export", "cell.db", "-o", "all.csv"], 0),
    (["import", "cell.db", "all.csv"], 0),
    (["import", "cell.db", "cell.toml"], 1),
    (["list", "cell.db"], 0),
    (["create", "wrong.toml"], 1),
    (["create", "nowhere.csv", "--max", "y"], 1),
    (["completion", "bash"], 0),
]


def test_verbs_that_need_no_model_load_none(
    pfes: Pfes, folder: Path, cell: str, fresh_python: Callable[..., str]
) -> None:
    (folder / "wrong.toml").write_text("[objectives.power]\ngoal = 'most'\n")
    pfes("ask", cell, "-n", 2)
    remember_a_fit(cell)
    lines = fresh_python(CODE.replace("VERBS", repr([words for words, _ in VERBS]))).splitlines()
    codes, loaded = json.loads(lines[-1])
    assert codes == [code for _, code in VERBS]
    assert set(loaded) & SLOW == set()


def remember_a_fit(cell: str) -> None:
    """Write down a trial as a model would have suggested it: with the hyper-parameters of the fit."""
    study = open_study(cell)
    hypers = hypers_as_data([Hyper("rbf", np.ones(3), 1.0, 1e-4, 0.0)] * 2)
    asked = {**study.events[-1].payload, "hypers": hypers}
    study._journal.write(lambda ledger, desk: [("asked", ledger.next_id, asked)])
