"""The mpmath reference (oracles/reference.json) as arrays, and how far a result may be from it."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from pfes.information import Gradient

REFERENCE = Path(__file__).parents[1] / "oracles" / "reference.json"


def load(key: str) -> list[dict[str, Any]]:
    """The cases for which the reference holds `key`."""
    return [case for case in json.loads(REFERENCE.read_text()) if key in case]


def numbers(values: Any) -> np.ndarray:
    """Nested lists of numbers, infinities written as "inf", as an array."""
    return np.array(values, dtype=object).astype(float) if values else np.empty(0)


def arguments(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """mean (1, L), std (1, L) and the list of one frontier."""
    return numbers(case["mean"])[None], numbers(case["std"])[None], [numbers(case["frontier"])]


def delta(case: dict[str, Any]) -> np.ndarray | float:
    return numbers(case["delta"]) if case["delta"] is not None else 0.0


def value_error(got: np.ndarray, want: Any, floor: float = 1e-300) -> float:
    """Largest relative error; an error below 1e-17 of the candidate's largest gain, or below floor, counts as none."""
    wanted = np.atleast_1d(numbers(want) if isinstance(want, list) else np.array(want, dtype=float))
    error = np.abs(np.atleast_1d(got) - wanted)
    seen = error > np.maximum(floor, 1e-17 * np.abs(wanted).max())
    return float(np.max(error[seen] / np.maximum(np.abs(wanted[seen]), 1e-300), initial=0.0))


def gradient_error(got: Gradient, case: dict[str, Any], key: str) -> float:
    """Largest error of a gradient relative to its norm, in units of the deviations (rows: one per gain).

    As in value_error, what is below 1e-16 of the candidate's largest derivative counts as none.
    """
    std = numbers(case["std"])
    size = len(std)
    pairs = [(got.d_mean, f"{key}_d_mean"), (got.d_spread, f"{key}_d_std")]
    ours = np.concatenate([np.reshape(mine[0], (-1, size)) * std for mine, _ in pairs], axis=1)
    true = np.concatenate([np.reshape(numbers(case[name]), (-1, size)) * std for _, name in pairs], axis=1)
    norm = np.maximum(np.abs(true).max(axis=1, keepdims=True), 1e-290)
    error = np.abs(ours - true)
    return float(np.max(np.where(error > 1e-16 * norm.max(), error / norm, 0.0)))


def worst(errors: list[tuple[float, str]]) -> str:
    """Readable list of the largest errors, for assertion messages."""
    return "; ".join(f"{error:.1e} {regime}" for error, regime in sorted(errors, reverse=True)[:5])
