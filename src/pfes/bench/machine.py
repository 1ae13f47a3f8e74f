"""What a run was made on, and by which versions: a time without its machine says nothing."""

import datetime
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["circumstances"]

PACKAGES = ("pfes", "numpy", "scipy", "numba", "moocore", "torch", "botorch", "optuna", "pymoo", "physbo")


def circumstances() -> dict[str, Any]:
    """Time, machine and versions, as plain data."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    return {"finished": now, "load": load, **_machine()}


@cache
def _machine() -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "machine": {"processor": _processor(), "cores": cores, "system": platform.system()},
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _versions() -> dict[str, str]:
    """Of the packages that matter and are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
