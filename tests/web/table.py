"""Every route by every method, without a key, with a wrong Host, from a foreign page, without proof: what is answered.

python tests/web/table.py       writes the table into docs/serve.md
"""

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from web.conftest import cell_study  # noqa: E402 - found by the line above
from web.serving import TOKEN, Running, running  # noqa: E402

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WRITES = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BEGIN, END = "<!-- made by tests/web/table.py -->", "<!-- end -->"


@dataclass
class Refusals:
    """What a path answered, by method."""

    path: str
    methods: tuple[str, ...]
    no_token: dict[str, int] = field(default_factory=dict)
    wrong_host: dict[str, int] = field(default_factory=dict)
    foreign_origin: dict[str, int] = field(default_factory=dict)
    no_proof: dict[str, int] = field(default_factory=dict)
    read_only: dict[str, int] = field(default_factory=dict)


def refusals(folder: Path) -> list[Refusals]:
    """Knock at every door."""
    study = cell_study(folder)
    before = study.events
    with running(folder / "cell.db") as open_, running(folder / "cell.db", read_only=True) as closed:
        found = [_knock(open_, closed, path, methods) for path, methods in open_.routes()]
    assert study.events == before  # nobody got in
    return found


def _knock(open_: Running, closed: Running, path: str, methods: tuple[str, ...]) -> Refusals:
    it = Refusals(path, methods)
    for method in METHODS:
        it.no_token[method] = open_.knock(method, path)
        it.wrong_host[method] = open_.knock(method, path, authorization=f"Bearer {TOKEN}", host="evil.example")
        it.foreign_origin[method] = open_.knock(method, path, cookie=open_.cookie, origin="http://evil.example")
    for method in WRITES:
        it.no_proof[method] = open_.knock(method, path, b"a=b", cookie=open_.cookie, origin=open_.address)
        proof = {"x-pfes-form": closed.rules.keys.form}
        it.read_only[method] = closed.knock(method, path, cookie=closed.cookie, origin=closed.address, **proof)
    return it


def table(found: Iterable[Refusals]) -> str:
    """As Markdown."""
    head = "| path | methods | no token | wrong Host | foreign Origin | no proof | read-only |"
    return "\n".join([head, "|---" * 7 + "|", *(_line(it) for it in found)])


def _line(it: Refusals) -> str:
    cells = [
        _all(it.no_token, METHODS),
        _all(it.wrong_host, METHODS),
        _all(it.foreign_origin, METHODS),
        _all(it.no_proof, it.methods),
        _all(it.read_only, it.methods),
    ]
    return f"| `{it.path}` | {', '.join(it.methods)} | {' | '.join(cells)} |"


def _all(statuses: dict[str, int], methods: Iterable[str]) -> str:
    return ", ".join(sorted({str(statuses[method]) for method in methods if method in statuses})) or "reads"


def documented(text: str) -> str:
    """The table that a document shows."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


if __name__ == "__main__":
    document = ROOT / "docs" / "serve.md"
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        made = table(refusals(Path(place)))
    document.write_text(
        f"{text.partition(BEGIN)[0]}{BEGIN}\n\n{made}\n\n{END}{text.partition(END)[2]}", encoding="utf-8"
    )
