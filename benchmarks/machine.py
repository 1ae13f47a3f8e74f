"""What a measurement was made on: recorded with every result, because a time without its machine says nothing."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["describe", "versions"]


def describe(packages: list[str]) -> list[str]:
    """Lines for a report: date, processor, memory, load when the benchmark began, versions of `packages`."""
    named = ", ".join(f"{name} {number}" for name, number in versions(packages).items())
    return [
        f"{datetime.date.today().isoformat()}; {_processor()}, {_cores()} cores, {_memory()}; {platform.system()}",
        f"load average at the start {_load()}",
        f"Python {platform.python_version()}, {named}",
    ]


def versions(packages: list[str]) -> dict[str, str]:
    """The installed version of each package; those that are not installed are left out."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"
    except (ValueError, OSError, AttributeError):
        return "memory unknown"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
