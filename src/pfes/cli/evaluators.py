"""What `pfes run` calls for each trial: a Python function by its name, or any command.

A command is told of the trial in three ways, and takes the one it likes:

    standard input      {"id": 3, "params": {"x": 0.1}, "objectives": ["energy"], "row": null} as JSON
    PFES_TRIAL          the same, as a variable of the environment
    PFES_ID, PFES_ROW, PFES_OBJECTIVES (parted by commas), PFES_PARAM_x, ...

It prints {"energy": -3.1} as the last line, or as all, of its standard output. {"infeasible": "why"} says that the
point can never be measured; an exit code other than 0, that the measurement failed.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from pfes.errors import Infeasible, PfesError
from pfes.functions import NAMED, function_named
from pfes.standing import as_data
from pfes.trials import Trial

__all__ = ["Command", "CommandFailed", "evaluator", "function_named", "results_in"]

LONGEST = 500  # characters of what a command said that are kept


class CommandFailed(PfesError):
    """A command ended with an error, or printed what is no result."""


def evaluator(words: Sequence[str], time_limit: float | None) -> "Command | Callable[[Trial], Any]":
    """What the words on the command line mean: module:function, one line for the shell, or a program's arguments."""
    if len(words) == 1 and NAMED.fullmatch(words[0]):
        return function_named(words[0])
    return Command(tuple(words), time_limit)


class Command:
    """A command that evaluates trials, each in a process of its own."""

    def __init__(self, words: tuple[str, ...], time_limit: float | None = None) -> None:
        self.words, self.time_limit = words, time_limit
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def __getstate__(self) -> dict[str, Any]:
        return {"words": self.words, "time_limit": self.time_limit, "_running": set(), "_ended": False}

    def __call__(self, trial: Trial) -> dict[str, Any]:
        """Run it for one trial; the values it printed."""
        told = json.dumps(_about(trial), ensure_ascii=False)
        shell = len(self.words) == 1
        try:
            process = subprocess.Popen(
                self.words[0] if shell else list(self.words),
                shell=shell,
                env=os.environ | _environment(trial, told),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is for us, and what it begins can be ended with it
            )
        except (OSError, ValueError) as error:
            raise CommandFailed(f"{self.words[0]}: {getattr(error, 'strerror', None) or error}") from None
        self._running.add(process)
        try:
            if self._ended:  # by another thread, while this one began
                raise CommandFailed("was ended")
            said, complaints = process.communicate(told, timeout=self.time_limit)
        except subprocess.TimeoutExpired:
            raise CommandFailed(f"took longer than {self.time_limit:g} s and was ended") from None
        finally:
            _kill(process)
            self._running.discard(process)
        if process.returncode:
            raise CommandFailed(f"exit code {process.returncode}{_because(complaints or said)}")
        return results_in(said)

    def end(self) -> None:
        """End all that is running, and what is about to run."""
        self._ended = True
        for process in list(self._running):
            _kill(process)


def _about(trial: Trial) -> dict[str, Any]:
    told: dict[str, Any] = as_data(
        {"id": trial.id, "params": trial.params, "objectives": trial.objectives, "row": trial.row}
    )
    return told


def _environment(trial: Trial, told: str) -> dict[str, str]:
    each = {f"PFES_PARAM_{re.sub(r'[^0-9A-Za-z_]', '_', name)}": str(value) for name, value in trial.params.items()}
    row = {} if trial.row is None else {"PFES_ROW": str(trial.row)}
    return {"PFES_TRIAL": told, "PFES_ID": str(trial.id), "PFES_OBJECTIVES": ",".join(trial.objectives), **row, **each}


def _kill(process: "subprocess.Popen[str]") -> None:
    """End a command and all that it has begun."""
    if process.poll() is None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def results_in(said: str) -> dict[str, Any]:
    """The values that a command printed: all of it as JSON, or its last line."""
    lines = [line for line in said.splitlines() if line.strip()]
    for text in (said, lines[-1] if lines else ""):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return _checked(found)
    raise CommandFailed(
        f'printed {_short(lines[-1]) if lines else "nothing"}, wanted a last line such as {{"energy": -3.1}}'
    )


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    for verdict in ("infeasible", "failed"):
        if isinstance(why := found.get(verdict), str):
            raise (Infeasible if verdict == "infeasible" else CommandFailed)(why)
    return {name: value for name, value in found.items() if value is not None}


def _because(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f": {_short(lines[-1])}" if lines else ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
