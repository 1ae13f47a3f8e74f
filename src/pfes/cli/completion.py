"""`pfes completion`: what a shell runs to complete verbs and options."""

import click
from click.shell_completion import get_completion_class

__all__ = ["completion_verb"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_verb(shell: str) -> None:
    """Print what makes a shell complete verbs, options and files.

    bash: put `eval "$(pfes completion bash)"` into ~/.bashrc; zsh and fish likewise.
    """
    from pfes.cli.main import cli  # noqa: PLC0415 - which loads this file

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "pfes", "_PFES_COMPLETE").source())
