"""`pfes serve`: the study as a web page, for this machine unless something else is said."""

import logging
import os
import sys
import webbrowser
from pathlib import Path

import click

from pfes.errors import InvalidInput

__all__ = ["serve_verb"]


@click.command()
@click.argument("study", metavar="[STUDY | FOLDER]", default=".", type=click.Path(path_type=str))
@click.option("--name", help="Which study, if the file or database holds several.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--allow-host", "allowed", multiple=True, metavar="NAME", help="A name that browsers may call it by.")
@click.option("--tls-cert", "certificate", type=click.Path(path_type=Path, exists=True), help="Certificate (PEM).")
@click.option("--tls-key", "key", type=click.Path(path_type=Path, exists=True), help="Its key (PEM).")
@click.option("--insecure", is_flag=True, help="Listen at a public address without TLS.")
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), help="Keep the token in this file, made if it is not there."
)
@click.option("--open", "open_", is_flag=True, help="Open it in your browser.")
def serve_verb(
    study: str,
    name: str | None,
    port: int,
    host: str,
    allowed: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    insecure: bool,
    read_only: bool,
    token_file: Path | None,
    open_: bool,
) -> None:
    """Show a study as a web page, and offer its verbs to instruments and robots as a REST API.

    Without a study, in an empty folder, the page begins one. The address that is printed holds a token: whoever has it
    may change the study. Ctrl-C ends the server; the study does not need it.
    """
    try:
        from pfes.web.keys import is_open_to_others, kept_token, new_token  # noqa: PLC0415 - optional
        from pfes.web.running import Listening, run  # noqa: PLC0415
        from pfes.web.shelf import Shelf  # noqa: PLC0415
    except ImportError as error:
        raise InvalidInput(f"serve needs {error.name}, which is not installed; try pip install 'pfes[web]'") from None
    listening = Listening(host, port, allowed, certificate, key, insecure, read_only)

    def say(address: str) -> None:
        click.echo(f"Open {address}")
        may = "look at" if read_only else "change"
        click.echo(f"Whoever has this address may {may} the study. Ctrl-C ends the server.", err=True)
        if open_:
            webbrowser.open(address)

    shelf = Shelf(study, name)
    token = new_token() if token_file is None else kept_token(token_file)
    if token_file is not None and is_open_to_others(token_file):
        click.echo(
            f"Warning: others can read {token_file}, and with it the study; try chmod 600 {token_file}", err=True
        )
    _log_faults()
    _end(run(shelf, listening, token, say))


def _log_faults() -> None:
    """Faults are told of where the server runs; browsers are only told that there was one."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.getLogger("pfes").addHandler(handler)


def _end(cut_off: bool) -> None:
    click.echo(
        f"The server has ended.{' What it was computing is left off; all that was told is kept.' * cut_off}", err=True
    )
    if cut_off:  # threads that compute would hold up the process; whatever they have not committed was not to be
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
