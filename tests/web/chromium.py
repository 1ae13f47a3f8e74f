"""Chromium without a window, driven by playwright: the system's browser, none that is downloaded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, sync_playwright

FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",  # WebGL for pictures of three objectives
    "--enable-unsafe-swiftshader",
]


def found() -> str:
    """Where the browser is; a failure, not a skipped test, if there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "there is no chromium here: scripts/chromium installs it"
    return path


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, until the context ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def watched(page: Any) -> list[str]:
    """What a page complains of: scripts that fail, things that its policy forbids, answers that are errors."""
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("console", lambda it: heard.append(f"{it.type}: {it.text}") if it.type in ("error", "warning") else None)
    page.on("response", lambda it: heard.append(f"{it.status} {it.url}") if it.status >= 400 else None)
    page.on("dialog", lambda it: (heard.append(f"dialog: {it.message}"), it.dismiss()))
    return heard
