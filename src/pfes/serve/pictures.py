"""The pictures of a study, for pages: what there is, and each as data that Plotly draws or as SVG."""

from fastapi import APIRouter

from pfes.study import Study

__all__ = ["router", "shown"]

router = APIRouter()


def shown(study: Study, model: bool) -> list[tuple[str, str]]:
    """Name and title of the pictures of a study that need a model, or of those that do not."""
    return []
