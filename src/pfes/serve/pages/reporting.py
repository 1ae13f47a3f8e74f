"""The report: one file that tells the study's story, made in the background."""

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter()
