"""The server that runs the application: which addresses are safe to listen at, and how it begins and ends."""

import contextlib
import ipaddress
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from pfes.errors import InvalidInput
from pfes.web import pictures, render
from pfes.web.app import create_app
from pfes.web.guard import Rules
from pfes.web.jobs import Jobs
from pfes.web.keys import Keys
from pfes.web.shelf import NoStudy, Shelf

__all__ = ["Listening", "bound", "run"]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Listening:
    """Where and how a server listens.

    port      0: any that is free
    allowed   more names that requests may be addressed to
    insecure  a public address without TLS is meant
    """

    host: str = "127.0.0.1"
    port: int = 0
    allowed: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False
    read_only: bool = False

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise InvalidInput("TLS needs a certificate and its key: give --tls-cert and --tls-key")
        if self.public and self.certificate is None and not self.insecure:
            raise InvalidInput(
                f"{self.host} can be reached from other machines, and without TLS anybody on the way can read the "
                "token and the study: give --tls-cert and --tls-key, or listen at 127.0.0.1 and come through an ssh "
                "tunnel; --insecure if that is really meant"
            )
        if self._everywhere and not self.allowed:
            raise InvalidInput(f"{self.host} is every address of this machine: say by which names with --allow-host")

    @property
    def _everywhere(self) -> bool:
        return self.host in ("0.0.0.0", "::", "")

    @property
    def public(self) -> bool:
        """Whether other machines can reach it."""
        if self.host == "localhost":
            return False
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:  # a name may be anything
            return True

    @property
    def hosts(self) -> frozenset[str]:
        """The names that requests may be addressed to."""
        own = LOOPBACK if not self.public else frozenset() if self._everywhere else frozenset({self.host.lower()})
        return own | {name.lower() for name in self.allowed}

    @property
    def scheme(self) -> str:
        """How addresses begin."""
        return "http" if self.certificate is None else "https"

    def address(self, port: int) -> str:
        """What a browser is pointed at."""
        host = self.allowed[0] if self._everywhere else self.host
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


class _Ending(uvicorn.Server):
    """A server that lets those go who wait for a job when it is to end."""

    def __init__(self, config: uvicorn.Config, jobs: Jobs) -> None:
        super().__init__(config)
        self._jobs = jobs

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._jobs.close()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # that slow readers are cut off is no news now
        await super().shutdown(sockets)


def run(shelf: Shelf, listening: Listening, token: str, say: Callable[[str], None]) -> bool:
    """Serve until interrupted; whether work in the background was cut off. `say` is told the address to open."""
    sock = bound(listening.host, listening.port)
    port = sock.getsockname()[1]
    rules = Rules(Keys(token, port), listening.hosts, listening.read_only, secure=listening.certificate is not None)
    app = create_app(shelf, rules)
    render.ready()  # what takes long is done now, not when the first page is opened
    with contextlib.suppress(NoStudy):
        shelf.warm()
        pictures.ready(app.state.server)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses of first visits hold the token
        server_header=False,
        ssl_certfile=listening.certificate,
        ssl_keyfile=listening.key,
        timeout_graceful_shutdown=2,
        lifespan="off",
        ws="none",
    )
    jobs = app.state.server.jobs
    with sock, contextlib.suppress(KeyboardInterrupt):  # it may come before the server runs
        say(f"{listening.address(port)}/?token={token}")
        _Ending(config, jobs).run(sockets=[sock])
    return bool(jobs.under_way())


def bound(host: str, port: int) -> socket.socket:
    """A socket at the address; found out now, so that the port is known before the server runs."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        # the protocol by name: asyncio sends small answers at once only then
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(address)
            sock.listen(128)  # whoever comes before the server runs waits
        except OSError:
            sock.close()
            raise
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"cannot listen at {host}, port {port}: {error}; try another --port") from None
    return sock
