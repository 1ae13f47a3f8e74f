"""The command `pfes` and its verbs, each loaded when it is used; whatever goes wrong is one line on standard error.

Exit codes: 0 fine, 1 the request cannot be met, 2 wrong usage, 3 a fault of pfes itself, 130 interrupted.
"""

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from pfes.errors import PfesError
from pfes.wording import reworded

__all__ = ["VERBS", "cli", "main"]

# verb -> (file, what it does), in the order of use
VERBS = {
    "create": ("create", "Begin a study from a plan (TOML) or a table of candidates (CSV)."),
    "ask": ("ask", "What to measure next."),
    "tell": ("tell", "Say what came of a trial."),
    "import": ("exchange", "Take in a table of results (CSV)."),
    "export": ("exchange", "Write all trials as a table (CSV)."),
    "status": ("status", "How the study stands: front, cost, gain, pending trials."),
    "front": ("front", "The best trade-offs measured, or recommended."),
    "report": ("report", "Write a report for a colleague: a page, Markdown or a picture."),
    "pending": ("pending", "Trials that were asked for and not told."),
    "release": ("pending", "Give pending trials back."),
    "extend": ("pending", "Reserve pending trials for longer."),
    "reject": ("pending", "Refuse a suggestion, or set a trial's data aside."),
    "enqueue": ("wishes", "Have a point measured before any other."),
    "note": ("wishes", "Write something down beside a trial."),
    "run": ("run", "Evaluate a Python function or a command until the budget is spent."),
    "serve": ("serve", "The study as a web page, and a REST API for instruments."),
    "list": ("studies", "The studies of a file or database."),
    "delete": ("studies", "Forget a study for good."),
    "bench": ("bench", "Compare methods on problems; rerun the paper's experiments."),
    "methods": ("methods", "The ways to choose what to measure."),
    "doctor": ("doctor", "Check the installation and a study, and mend what can be mended."),
    "completion": ("completion", "Print what makes your shell complete verbs and options."),
}


FAULT = 3  # exit code of what should not happen


class Verbs(click.Group):
    """A group that knows its verbs without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb."""
        if cmd_name not in VERBS:
            return None
        file, summary = VERBS[cmd_name]
        command: click.Command = getattr(import_module(f"pfes.cli.{file}"), f"{cmd_name}_verb")
        command.name, command.short_help = cmd_name, summary
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, summary) for verb, (_, summary) in VERBS.items()])


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`pfes VERB --help` says more. The study's path, or a postgresql:// URL, comes first: pfes ask battery.db",
)
@click.version_option(package_name="pfes", message="pfes %(version)s")
def cli() -> None:
    """What to measure next when several goals compete."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    logging.getLogger("pfes").addHandler(logging.NullHandler())  # verbs say themselves what happened
    try:
        answer = cli.main(arguments, prog_name="pfes", standalone_mode=False)
        sys.stdout.flush()
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:
        message, code = _verdict(error)
        if code == FAULT and os.environ.get("PFES_TRACEBACK"):
            raise
        return _failed(message, code)


def _verdict(error: BaseException) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "pfes"
        message, code = f"{error.format_message()} See `{where} --help`.", 2
    elif isinstance(error, click.ClickException):
        message, code = error.format_message(), 1
    elif isinstance(error, PfesError):
        message, code = in_the_shell(str(error)), 1
    elif isinstance(error, KeyboardInterrupt | click.Abort):
        message, code = "interrupted", 130
    elif isinstance(error, OSError):
        message, code = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1
    else:
        said = f"{type(error).__name__}: {error}"
        message = f"a fault of pfes itself: {said}. Set PFES_TRACEBACK=1 to see where, and please report it"
        code = FAULT
    return message, code


def _failed(message: str, code: int) -> int:
    from pfes.cli.output import complain  # noqa: PLC0415 - rich takes a while to load

    complain(message)
    return code


# Errors speak of Python's arguments; whoever types commands has options: patterns, and what is said instead.
SPELLINGS = {
    r"create_study to begin a study": "`pfes create` to begin one",
    r"create_study": "`pfes create`",
    r"open_study to go on with it": "`pfes ask` to go on with it",
    r"exist_ok=True": "--exist-ok",
    r"correct=True": "--correct",
    r"replicates=True": "--replicates",
    r"failed='why'": "--failed 'why'",
    r"infeasible='why'": "--infeasible 'why'",
    r"abandoned='why'": "--abandoned 'why'",
    r"by name=": "by --name",
    r"another name=": "another --name",
    r"see pending\(\)": "see `pfes pending`",
    r"or an empty one for data": "or none, or say --data if the ids are another study's, for data",
    r"try ask\(\)": "try `pfes ask`",
    r"try reject\(\d+, .*?\) if": "try `pfes reject` if",
    r"wanted one of budget=, trials=, timeout= or stop=": "wanted --budget, --trials or --timeout",
    r"delimiter=\.\.\.": "--delimiter",
    r"say ids=": "say --ids ",
    r"say inputs=\[\.\.\.\]": "say --inputs",
}


def in_the_shell(message: str) -> str:
    """A message of the library in the words of the command line, on one line."""
    return reworded(message, SPELLINGS)


def entry() -> Any:
    """What the installed command calls."""
    sys.exit(main())
