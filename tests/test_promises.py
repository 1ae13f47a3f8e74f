"""Small tests that hold what the README, the changelog and the documentation promise."""

import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pfes
from test_layers import FILES, optional_packages

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

# Loaded where they are used, so that `import pfes` stays quick.
HEAVY = {"click", "llvmlite", "moocore", "numba", "pydantic", "rich", "scipy.optimize", "sqlalchemy"}

# A shape, as docstrings write it: (N,), (N, L), (R, N, L), (S_r, L); or the word for functions of single numbers.
SHAPE = re.compile(r"\([A-Z][\w']*,(?: [A-Z0-9][\w']*,?)*\)|\belementwise\b")
ARRAYS = re.compile(r"ndarray|NDArray|ArrayLike|Array|Floats|Frontiers")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Importing


def test_import_loads_no_optional_and_no_heavy_package(fresh_python: Callable[..., str]) -> None:
    loaded = set(
        json.loads(fresh_python("import json, sys, pfes; print(json.dumps(list(sys.modules)))", "-W", "error"))
    )
    assert "pfes" in loaded
    assert loaded & (optional_packages() | HEAVY) == set()


# Names


def public_modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(pfes.__path__, "pfes.")]
    return [pfes, *(importlib.import_module(name) for name in names if "._" not in name)]


def public_things() -> Iterator[tuple[str, Any]]:
    for module in public_modules():
        for name in getattr(module, "__all__", []):
            yield f"{module.__name__}.{name}", getattr(module, name, None)


def test_every_public_module_says_what_it_is_and_what_it_offers() -> None:
    modules = public_modules()
    assert len(modules) > 1
    assert [module.__name__ for module in modules if not inspect.getdoc(module)] == []
    assert [m.__name__ for m in modules if offers_something(m) and not hasattr(m, "__all__")] == []


def offers_something(module: ModuleType) -> bool:
    """Whether it defines anything itself; the __init__ of a package of kernels, say, may hold a docstring alone."""
    return any(getattr(thing, "__module__", "") == module.__name__ for thing in vars(module).values())


def test_every_public_name_exists_and_has_a_docstring() -> None:
    things = list(public_things())
    assert [name for name, thing in things if thing is None] == []
    documented = [(name, thing) for name, thing in things if callable(thing)]
    # a class that writes no docstring of its own shows its parent's or a generated signature: neither counts
    assert [name for name, thing in documented if not own_docstring(thing)] == []


def own_docstring(thing: Any) -> str:
    text = (thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__) or ""
    return "" if inspect.isclass(thing) and text.startswith(f"{thing.__name__}(") else text


def test_every_public_name_is_listed_once() -> None:
    for module in public_modules():
        listed = getattr(module, "__all__", [])
        assert len(listed) == len(set(listed)), module.__name__


def test_public_functions_that_take_or_give_arrays_state_their_shapes() -> None:
    # of what users import: names of pfes.module, not of the files that a package is made of
    offered = [(name, getattr(thing, "py_func", thing)) for name, thing in public_things() if name.count(".") <= 2]
    about_arrays = [(name, f) for name, f in offered if inspect.isfunction(f) and ARRAYS.search(annotations(f))]
    assert len(about_arrays) > 5
    assert [name for name, f in about_arrays if not SHAPE.search(inspect.getdoc(f) or "")] == []


def annotations(function: Any) -> str:
    return " ".join(str(annotation) for annotation in function.__annotations__.values())


# Documents


def fences(path: Path) -> Iterator[tuple[int, str, str]]:
    """The fenced blocks of a Markdown file: (line of the first line of code, info string, code)."""
    text = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", text, re.MULTILINE | re.DOTALL):
        yield text[: found.start(2)].count("\n") + 1, found[1].strip(), found[2]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_snippet_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # one namespace per document: a reader reads on
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line, language, code in fences(path):
        assert "python" not in language or language == "python", (
            f"{path.name}:{line}: every snippet runs, none is marked"
        )
        if language == "python":
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), namespace)


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_every_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_to_files_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    local = [target for target in targets if not target.startswith(("http://", "https://", "mailto:"))]
    assert [target for target in local if not (path.parent / target).exists()] == []


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    heads = re.findall(r"^## \[?([0-9][^\]\s]*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads[0] == pfes.__version__


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = [
        line for _, language, code in fences(ROOT / "README.md") if language == "bash" for line in code.splitlines()
    ]
    tests = [line for line in commands if "scripts/test" in line]
    assert len(tests) == 1
    scaffold = re.compile(r"#.*|set -euo pipefail|cd .*|export CI=true|")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in script if not scaffold.fullmatch(line)] == tests


# Text


@pytest.mark.parametrize("path", FILES.values(), ids=name_of)
def test_no_source_file_is_longer_than_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


# Written in pieces, or this file would find itself.
UNWANTED = {
    "a path of somebody's machine": r"(?<![\w.~])/" + r"(?:home|root|Users|tmp|work)/|[A-Z]:\\Users",
    "a private package index": r"(?:extra-)?index" + r"[-_]url",
    "an unresolved merge": r"^(?:<{7}|>{7}) ",
}


@pytest.mark.parametrize("what", UNWANTED)
def test_no_file_contains(what: str) -> None:
    pattern = re.compile(UNWANTED[what], re.MULTILINE)
    assert [name for name, text in texts_of_the_repository() if pattern.search(text)] == []


def texts_of_the_repository() -> Iterator[tuple[str, str]]:
    """Name and text of every text file that is, or with the next commit would be, in the repository."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive: everything but what tools left behind
        names = [
            name_of(p) for p in ROOT.rglob("*") if not any(part.startswith(".") for part in p.parts[len(ROOT.parts) :])
        ]
    for name in filter(None, names):
        data = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in data:
            yield name, data.decode("utf-8")
