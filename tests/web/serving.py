"""A server in a thread, as `pfes serve` runs it, and a browser's way to it."""

import http.client
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from pfes.web import Keys, Rules, Shelf, create_app
from pfes.web.running import LOOPBACK, bound

TOKEN = "a-token-for-tests-of-the-server"
LONG = 120.0  # seconds that anything may take on a busy machine


@dataclass(frozen=True)
class Running:
    """A server that runs: where it is, and what opens it."""

    app: FastAPI
    rules: Rules
    port: int
    visitors: ExitStack = field(default_factory=ExitStack)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def entry(self) -> str:
        """What `pfes serve` prints."""
        return f"{self.address}/?token={TOKEN}"

    @property
    def shelf(self) -> Shelf:
        return self.app.state.server.shelf

    def stranger(self, **headers: str) -> httpx.Client:
        """Somebody without a key."""
        client = httpx.Client(base_url=self.address, headers=headers, timeout=LONG, trust_env=False, verify=False)
        return self.visitors.enter_context(client)

    def browser(self) -> "Browser":
        """Somebody who has opened the address that was printed."""
        client = self.stranger(origin=self.address)
        client.follow_redirects = True
        assert client.get(f"/help?token={TOKEN}").status_code == 200
        return Browser(client, self)

    def robot(self) -> httpx.Client:
        """An instrument that has the token."""
        return self.stranger(authorization=f"Bearer {TOKEN}")

    @property
    def cookie(self) -> str:
        """What a browser sends that was let in."""
        return f"{self.rules.keys.cookie_name}={self.rules.keys.cookie}"

    def knock(self, method: str, path: str, body: bytes = b"", **headers: str) -> int:
        """The status of a request with just these headers."""
        kind = {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(body))}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            connection.request(method, path, body, {"host": f"127.0.0.1:{self.port}", **kind, **headers})
            return connection.getresponse().status
        finally:
            connection.close()

    def routes(self) -> list[tuple[str, tuple[str, ...]]]:
        """Every path, with its parameters filled in, and its methods."""
        found: dict[str, set[str]] = {}
        for route in every_route(self.app):
            path = route.path.replace("{number}", "0").replace("/static/{name}", "/static/style.css")
            found.setdefault(re.sub(r"\{\w+\}", "front", path), set()).update(route.methods or ())
        return sorted((path, tuple(sorted(methods))) for path, methods in found.items())


def every_route(app: FastAPI) -> Iterator[Any]:
    """All routes with `path` and `methods`; newer versions of FastAPI keep those of a router together."""
    for route in app.routes:
        yield from route.effective_route_contexts() if hasattr(route, "effective_route_contexts") else [route]


class Browser:
    """Pages fetched and forms sent, as a browser does it."""

    def __init__(self, client: httpx.Client, running: Running) -> None:
        self.client, self.running = client, running

    def get(self, path: str, **how: Any) -> httpx.Response:
        return self.client.get(path, **how)

    def post(self, path: str, files: Any = None, **fields: str) -> httpx.Response:
        """Send a form of ours."""
        return self.client.post(path, data={"form_key": self.running.rules.keys.form, **fields}, files=files)


def said(answer: httpx.Response) -> str:
    """What a page tells its reader at the top."""
    import html

    found = re.findall(r'role="(?:status|alert)">(.*?)</p>', answer.text, re.DOTALL)
    return html.unescape(re.sub("<[^>]+>", "", " ".join(found)))


@contextmanager
def running(place: Path | str, name: str | None = None, port: int = 0, **rules: Any) -> Iterator[Running]:
    """Run a server until the context ends."""
    sock = bound("127.0.0.1", port)
    port = sock.getsockname()[1]
    how = replace(Rules(Keys(TOKEN, port), LOOPBACK), **rules)
    app = create_app(Shelf(str(place), name) if name else str(place), how)
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    it = Running(app, how, port)
    try:
        with it.visitors:
            yield it
    finally:
        server.should_exit = True
        thread.join(LONG)
        sock.close()
