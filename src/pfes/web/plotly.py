"""Plotly's script from its installed package, and what a page must hold so that it runs without complaint."""

import functools
import re
from importlib.resources import files

__all__ = ["map_styles", "script"]

MAP_STYLES = re.compile(rb'getElementById\("([0-9a-f]{64})"\)')


@functools.cache
def script() -> bytes:
    """The script, some megabytes."""
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()


@functools.cache
def map_styles() -> tuple[str, ...]:
    """Names of style sheets for maps that the script adds to a page, unless it has elements of these names already.

    The pages' policy forbids such sheets, and every browser would complain of them at every visit.
    """
    return tuple(sorted({name.decode() for name in MAP_STYLES.findall(script())}))
