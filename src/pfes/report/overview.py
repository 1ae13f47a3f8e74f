"""A report as one picture: what was found, how it went, whether the model can be trusted."""

import io
import textwrap

from pfes.plots import View, describe, pictures
from pfes.plots.figure import draw_on, poster, styled
from pfes.plots.theme import theme
from pfes.plots.words import legible
from pfes.report.document import Document

__all__ = ["as_picture"]

WANTED = ("progress", "front", "parallel", "attainment", "volume", "spending", "calibration", "slices")
MOST = 4


def as_picture(document: Document, view: View, dark: bool = False) -> bytes:
    """The most telling pictures of a study, as a PNG."""
    ready = {it.name: it.title for it in pictures(view) if not it.why and not (it.model and view.unmodelled)}
    chosen = [name for name in WANTED if name in ready][:MOST]
    look = theme(dark)
    numbers = "   ".join(f"{what}: {much}" for what, much in document.numbers)
    head = f"{textwrap.shorten(legible(document.title), 80)}\n{legible(numbers)}"
    stream = io.BytesIO()
    with styled(look):
        whole, rooms = poster(len(chosen), head, look)
        for name, room in zip(chosen, rooms, strict=True):
            draw_on(room, describe(view, name).chart(), look)
        whole.savefig(stream, format="png", dpi=130)
    return stream.getvalue()
