"""A PostgreSQL server of the tests' own: on a temporary directory and a Unix socket, gone when they are over."""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


def binary(name: str) -> str:
    """Where a program of the server is; a failure, not a skip, if there is none."""
    places = [*sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}")), shutil.which(name)]
    found = [place for place in places if place]
    if not found:
        raise RuntimeError(f"these tests need a PostgreSQL server, and {name} was not found: run scripts/postgres")
    return found[-1]


def _somebody() -> str | None:
    """The server refuses to run as root: the user it runs as then."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


class Server:
    """It can be killed and started again; databases are made by `url`."""

    def __init__(self, home: Path, sync: bool) -> None:
        self.home, self.sync, self.user = home, sync, _somebody()
        self.data, self.process = home / "data", None
        if self.user:
            shutil.chown(home, self.user)
        self._run(binary("initdb"), "-D", str(self.data), "-A", "trust", "-U", "pfes", "--no-sync", "-E", "UTF8")

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, user=self.user, cwd=self.home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["-D", self.data, "-k", self.home, "-c", "listen_addresses=", "-c", "max_connections=60"]
        options += ["-c", f"fsync={'on' if self.sync else 'off'}"]
        self.log = open(self.home / "log", "ab")  # noqa: SIM115 - it is the server's as long as that runs
        self.process = subprocess.Popen(
            [binary("postgres"), *map(str, options)],
            user=self.user,
            cwd=self.home,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        self.log.close()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                self.execute("SELECT 1")
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start: {(self.home / 'log').read_text()[-2000:]}")

    def execute(self, statement: str) -> None:
        """Run one statement, outside of any transaction."""
        import psycopg

        with psycopg.connect(f"postgresql://pfes@/postgres?host={self.home}", autocommit=True) as connection:
            connection.execute(statement)

    def url(self, name: str) -> str:
        """The URL of a new, empty database."""
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        self.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql://pfes@/{name}?host={self.home}"

    def kill(self) -> None:
        """SIGKILL, to all of its processes."""
        assert self.process is not None
        first = self.process.pid
        others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for process in (first, *map(int, others)):  # the first one first, lest it begin others anew
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """What it holds is not needed any more."""
        if self.process is not None and self.process.poll() is None:
            self.kill()


@contextlib.contextmanager
def running(sync: bool = False) -> Iterator[Server]:
    """A server, running; sync: as if the machine might fail, too, which is slow."""
    home = Path(tempfile.mkdtemp(prefix="pfes-pg-"))  # short: the path of a socket may have 107 letters
    try:
        server = Server(home, sync)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)
