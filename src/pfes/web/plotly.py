"""Plotly's script from its installed package, and what a page must hold so that it runs without complaint."""

import functools
import re
from importlib.resources import files

__all__ = ["map_styles", "script"]

MAP_STYLES = re.compile(rb'getElementById\("([0-9a-f]{64})"\)')


HEAD, FOOT = (b"self : this, () => {\n", b"self : this, (() => {\n"), (b"}));", b"})));")


@functools.cache
def script() -> bytes:
    """The script, some megabytes, with a pair of parentheses around the function that it consists of.

    They tell browsers that the function is called at once: it is then compiled while it arrives, in the background, and
    not once more when it runs, which would hold up the page for a fifth of its start. Without effect on what it does.
    """
    found = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    before, head, rest = found.partition(HEAD[0])
    body, foot, after = rest.rpartition(FOOT[0])
    return b"".join((before, HEAD[1], body, FOOT[1], after)) if head and foot and not after.strip() else found


@functools.cache
def map_styles() -> tuple[str, ...]:
    """Names of style sheets for maps that the script adds to a page, unless it has elements of these names already.

    The pages' policy forbids such sheets, and every browser would complain of them at every visit.
    """
    return tuple(sorted({name.decode() for name in MAP_STYLES.findall(script())}))
