"""Files that pages need: our own, and Plotly's script from its installed package. Nothing comes from afar."""

from fastapi import APIRouter, HTTPException, Response

from pfes.web.plotly import script
from pfes.web.render import HERE

__all__ = ["router"]

router = APIRouter()
KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
PLOTLY = "plotly.js"
OURS = {path.name: path for path in (HERE / "static").iterdir() if path.suffix in KINDS}


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A file by its name; only those that are there."""
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    if name == PLOTLY:
        return Response(script(), media_type=KINDS[".js"], headers=headers)
    if name not in OURS:
        raise HTTPException(404, f"there is no file {name}")
    return Response(OURS[name].read_bytes(), media_type=KINDS[OURS[name].suffix], headers=headers)
