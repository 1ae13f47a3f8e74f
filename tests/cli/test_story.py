"""The commands of the documents, typed as they are written: a shell, a folder, and the files of a clone."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Said
from test_promises import DOCUMENTS, ROOT, fences, name_of

COMMAND = re.compile(r"^pfes (\w+)", re.MULTILINE)


def stories(path: Path) -> list[str]:
    """The blocks of a document that call the command."""
    return [code for _, language, code in fences(path) if language == "bash" and COMMAND.search(code)]


TOLD = [path for path in DOCUMENTS if stories(path) and path.name != "README.md"]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `pfes` is this pfes."""
    place = tmp_path / "bin"
    place.mkdir()
    (place / "pfes").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pfes "$@"\n')
    (place / "pfes").chmod(0o755)
    return os.environ | {"PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}


def test_the_story_of_the_readme_works_in_a_shell_as_it_is_written(tmp_path: Path, shell: dict[str, str]) -> None:
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "examples", folder / "examples")
    script = "\n".join(["set -e", *stories(ROOT / "README.md")])
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=shell, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("path", TOLD, ids=name_of)
def test_every_command_of_the_documents_works(path: Path, pfes: Callable[..., Said], folder: Path) -> None:
    # in this process, which is quicker; all other lines by a shell
    for line in "\n".join(stories(path)).splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["pfes"]:
            subprocess.run(["bash", "-c", line], cwd=folder, check=True)
            continue
        into = words.index(">") if ">" in words else len(words)
        said = pfes(*words[1:into])
        assert said.code == 0, f"{line}\n{said.out}{said.err}"
        for target in words[into + 1 :]:
            (folder / target).write_text(said.out)


def test_the_experimenters_story_takes_about_ten_commands_and_ends_with_the_front() -> None:
    verbs = COMMAND.findall("\n".join(stories(ROOT / "README.md")))
    assert verbs[0] == "create"
    assert "front" in verbs
    assert 8 <= len(verbs) <= 12
