"""The short form of benchmarks/fuzz.py: spoilt inputs are refused in one line, and change nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("through", "inputs"), [("library", 1000), ("main", 60)])
def test_spoilt_inputs_are_refused_and_change_nothing(through: str, inputs: int) -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks" / "fuzz.py",
        "--inputs",
        str(inputs),
        "--through",
        through,
        "--seed",
        "7",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
