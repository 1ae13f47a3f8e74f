"""What should not happen: a fault of ours is answered soberly, and what it was goes to the log, never to the client."""

import logging
import secrets
from collections.abc import MutableMapping
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from pfes.web.guard import App, Receive, Scope, Send
from pfes.web.render import page

__all__ = ["Faults"]

logger = logging.getLogger("pfes")

SORRY = "this is a fault of pfes itself, not of yours; nothing half-done was kept"


class Faults:
    """ASGI middleware inside the guard: its answers have the guard's headers."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and answer it here if that fails."""
        begun = False

        async def sent(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except Exception:
            name = secrets.token_hex(3)
            logger.exception("fault %s: %s %s", name, scope.get("method", ""), scope.get("path", ""))
            if begun:  # half an answer cannot be taken back
                raise
            await _answer(Request(scope), name)(scope, receive, send)


def _answer(request: Request, name: str) -> Response:
    """An answer that tells how to find the fault in the log, and nothing else of it."""
    if request.url.path.startswith("/api"):
        return JSONResponse({"error": f"{SORRY}; fault {name} in the server's log says more"}, 500)
    return page(request, "fault.html", 500, sorry=SORRY, fault=name)
