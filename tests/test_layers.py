"""The architecture document that cannot rot: which module may import which.

STREET is ordered. A module or package imports from what stands before it, never from what stands after it; inside a
package files may import one another, without cycles. A new module is one new line here.
"""

import ast
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "pfes"

STREET = [
    "errors",
    "functions",
    "distinct",
    "compiled",
    "normal",
    "pareto",
    "information",
    "improvement",
    "space",
    "objectives",
    "scaling",
    "observations",
    "gp",
    "search",
    "frontiers",
    "acquisition",
    "offer",
    "maximise",
    "task",
    "belief",
    "design",
    "request",
    "offered",
    "suggestion",
    "suggest",
    "classify",
    "recommend",
    "display",
    "points",
    "trials",
    "ledger",
    "records",
    "storage",
    "study",
    "problems",
    "testing",
    "sheets",
    "plan",
    "standing",
    "wording",
    "plots",
    "report",
    "bench",
    "web",
    "cli",
    "__main__",
]

# Packages that enter by one door only.
DOORS = {
    "numba": "pfes.compiled",
    "llvmlite": "pfes.compiled",
    "distributed": "pfes.cli.cluster",
    "matplotlib": "pfes.plots.figure",
}

# Packages that stay in one room: files of that package may import them, and nobody else.
ROOMS = {
    "sqlalchemy": ("pfes.storage",),
    "pydantic": ("pfes.plan", "pfes.bench", "pfes.web"),
    "click": ("pfes.cli",),
    "fastapi": ("pfes.web",),
    "starlette": ("pfes.web",),
    "uvicorn": ("pfes.web",),
    "jinja2": ("pfes.web",),
}

# A package that needs its extra from beginning to end, and is itself loaded only where it is used.
OPTIONAL_ROOM = "pfes.web"

# Where the name one imports differs from the name one installs; and what comes along that nobody may import in passing.
IMPORTED_AS = {"botorch": ["botorch", "gpytorch", "torch"], "pytest-xdist": ["xdist"]}


class Import(NamedTuple):
    """`importer` (a module's dotted name) imports `target` at `line`; deferred: inside a function or for types only."""

    importer: str
    target: str
    line: int
    deferred: bool


def dotted(path: Path) -> str:
    """The module's name: SOURCE/pareto/cells.py -> pfes.pareto.cells, SOURCE/pareto/__init__.py -> pfes.pareto."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {dotted(path): path for path in sorted(SOURCE.rglob("*.py"))}


def imports_of(tree: ast.Module, module: str, is_package: bool) -> Iterator[Import]:
    def walk(node: ast.AST, deferred: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, alias.name, node.lineno, deferred)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, module, is_package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield Import(module, inner if inner in FILES else base, node.lineno, deferred)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from inside(node.body, True)
            yield from inside(node.orelse, deferred)
        else:
            lazy = deferred or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from inside(ast.iter_child_nodes(node), lazy)

    def inside(nodes: Iterator[ast.AST] | list[ast.stmt], deferred: bool) -> Iterator[Import]:
        for node in nodes:
            yield from walk(node, deferred)

    yield from walk(tree, False)


def absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".") if is_package else module.split(".")[:-1]
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, node.module] if node.module else parts)


IMPORTS = [
    found
    for module, path in FILES.items()
    for found in imports_of(ast.parse(path.read_text(encoding="utf-8")), module, path.name == "__init__.py")
]


def house(module: str) -> str:
    """The entry of STREET a module belongs to; the package's own __init__ (the public names) stands after all."""
    return module.split(".")[1] if "." in module else "pfes"


def position(module: str) -> int:
    name = house(module)
    return STREET.index(name) if name in STREET else len(STREET)


def shown(imports: list[Import]) -> list[str]:
    return [f"{FILES[i.importer].relative_to(ROOT)}:{i.line} imports {i.target}" for i in imports]


def test_every_module_has_its_place_in_the_street() -> None:
    assert {house(module) for module in FILES} - {"pfes"} <= set(STREET)


def test_every_place_in_the_street_is_a_module() -> None:
    assert set(STREET) <= {house(module) for module in FILES}
    assert len(STREET) == len(set(STREET))


def test_imports_point_one_way() -> None:
    ours = [i for i in IMPORTS if i.target.split(".")[0] == "pfes" and house(i.target) != house(i.importer)]
    assert shown([i for i in ours if position(i.target) >= position(i.importer)]) == []


def test_there_are_no_cycles_inside_a_package() -> None:
    # a package's __init__ gathers the names of its files, so no file of a package may import the package itself
    edges = {module: {i.target for i in IMPORTS if i.importer == module and i.target in FILES} for module in FILES}
    assert cycle(edges) == []


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """Some cycle of a graph {node: its targets}, as a list of nodes; empty if there is none."""
    finished: set[str] = set()

    def visit(node: str, trail: list[str]) -> list[str]:
        if node in trail:
            return [*trail[trail.index(node) :], node]
        if node in finished:
            return []
        found = next(filter(None, (visit(target, [*trail, node]) for target in sorted(edges[node]))), [])
        finished.add(node)
        return found

    return next(filter(None, (visit(node, []) for node in edges)), [])


@pytest.mark.parametrize(("package", "door"), DOORS.items())
def test_a_guarded_package_enters_by_one_door(package: str, door: str) -> None:
    users = [i for i in IMPORTS if i.target.split(".")[0] == package]
    assert shown([i for i in users if i.importer != door]) == []


@pytest.mark.parametrize(("package", "rooms"), ROOMS.items())
def test_a_package_with_a_room_of_its_own_stays_there(package: str, rooms: tuple[str, ...]) -> None:
    users = [i for i in IMPORTS if i.target.split(".")[0] == package]
    assert users
    assert shown([i for i in users if not i.importer.startswith(tuple(f"{room}." for room in rooms))]) == []


def test_optional_packages_are_imported_only_where_they_are_used() -> None:
    eager = [i for i in IMPORTS if not i.deferred and i.target.split(".")[0] in optional_packages()]
    assert shown([i for i in eager if not i.importer.startswith(f"{OPTIONAL_ROOM}.")]) == []


def test_the_room_that_needs_an_extra_is_entered_only_where_it_is_used() -> None:
    entering = [i for i in IMPORTS if f"{i.target}.".startswith(f"{OPTIONAL_ROOM}.") and house(i.importer) != "web"]
    assert entering
    assert shown([i for i in entering if not i.deferred]) == []


def optional_packages() -> set[str]:
    """The import names of all extras in pyproject.toml."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = {re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0] for line in itertools.chain(*extras.values())} - {"pfes"}
    return {name for package in wanted for name in IMPORTED_AS.get(package, [package.replace("-", "_")])}


# The checker itself is checked: a guard that finds nothing might be a guard that looks at nothing.


def found_in(code: str, module: str = "pfes.pareto.cells", is_package: bool = False) -> list[tuple[str, bool]]:
    return [(i.target, i.deferred) for i in imports_of(ast.parse(code), module, is_package)]


def test_the_reader_of_imports_sees_every_form() -> None:
    assert found_in("import numpy as np, numba.core") == [("numpy", False), ("numba.core", False)]
    assert found_in("from pfes import errors") == [("pfes.errors", False)]
    assert found_in("from pfes import PfesError") == [("pfes", False)]
    assert found_in("from ..errors import PfesError") == [("pfes.errors", False)]
    assert found_in("from . import x", "pfes.pareto", True) == [("pfes.pareto", False)]
    assert found_in("def f():\n    import scipy.optimize") == [("scipy.optimize", True)]
    assert found_in("class A:\n    import scipy.optimize") == [("scipy.optimize", False)]
    assert found_in("try:\n    import torch\nexcept ImportError:\n    pass") == [("torch", False)]
    assert found_in("if TYPE_CHECKING:\n    import torch\nelse:\n    import numba") == [
        ("torch", True),
        ("numba", False),
    ]


def test_the_finder_of_cycles_finds_them() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_the_optional_packages_are_known() -> None:
    assert {"torch", "optuna", "matplotlib", "psycopg", "pytest"} <= optional_packages()
    assert not {"numpy", "scipy", "numba", "moocore", "pfes"} & optional_packages()
