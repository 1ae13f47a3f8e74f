"""Malformed tables, plans and results of commands: a clear error each time, and the study unchanged.

    python benchmarks/fuzz.py --inputs 100000                       what the verbs call, in this process
    python benchmarks/fuzz.py --inputs 5000 --through main          the verbs, in this process
    python benchmarks/fuzz.py --inputs 1000 --through command       the real command, a process each; see --workers

Each input is a good one spoilt in some places: bytes flipped, cut out, doubled, replaced by what spreadsheets, editors
and attackers put there. It must be taken, or refused with one line and exit code 1 or 2; never a fault (code 3) or a
traceback, and a study that refused it must have no new event. With --record the summary is appended to
benchmarks/results/fuzz.jsonl.
"""

import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from machine import describe
from pfes import Study, open_study
from pfes.cli.evaluators import results_in
from pfes.cli.main import in_the_shell, main
from pfes.errors import PfesError
from pfes.plan import Plan, read_plan
from pfes.plan.beginning import begin
from pfes.sheets import read_results
from pfes.space.csv_table import sheet_of
from workers import append

ROOT = Path(__file__).resolve().parents[1]

PLAN = """\
[study]
name = "cell"
method = "random"
[parameters.x]
type = "real"
low = 0
high = 1
[parameters.dopant]
type = "choice"
values = ["Er", "Nb", "=W"]
[objectives.power]
goal = "max"
cost = 5
[objectives.waste]
goal = "min"
"""
TABLE = "id;state;x;dopant;power;waste;message\n0;done;;;1,5;2;\n1;failed;;;;;it broke\n;;0,75;'=W;3e-4;-7;\n"
COPY = """\
id,state,x,dopant,power,waste,spent,noise of power,measure,message
0,done,0.25,Er,1.5,2.0,6.0,0.1,,
1,failed,0.5,Nb,,,6.0,,power + waste,it broke
3,pending,0.75,'=W,3e-4,,5.0,,waste,
4,rejected,0.1,Er,1.0,,0.0,,,
"""
POOL = "name,solvent,water,yield,purity\nM1,ethanol,0.1,72.5,88\nM2,acetone,0.2,,\nM3,ethanol,0.3,80.1,\n"
RESULT = 'simulating ...\n{"power": 1.5, "waste": -2e-3}\n'
KINDS = ("import", "copy", "plan", "pool", "result")

ODD = [
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b'"',
    b"'",
    b'"""',
    b"\r",
    b"\n",
    b"\t",
    b";",
    b",",
    b"=",
]
ODD += [
    b"nan",
    b"inf",
    b"-1e999",
    b"1_000",
    b"1e400",
    b"9" * 400,
    b"9" * 5000,
    b"0x1F",
    b"1,5",
    b"1.234,5",
    b"\xe2\x88\x923",
]
ODD += [
    b"#DIV/0!",
    b"=1+1",
    b"@SUM(A1)",
    b"TRUE",
    b"null",
    b"[",
    b"]" * 50,
    b"[" * 500,
    b"{",
    b"}",
    b"[[a]]",
    b"sep=;\n",
    b"PK\x03\x04",
]
ODD += [
    b"id",
    b"power",
    b"row",
    b"state",
    b"low = 2\n",
    b'type = "reel"\n',
    b"[pool]\nfile = 'x.csv'\n",
    b"\xc2\xa0",
    b"\xf0\x9f\x92\xa5",
    b"%s{x}",
]


def spoilt(good: bytes, rng: random.Random) -> bytes:
    """A good input with some things wrong with it."""
    data = bytearray(good)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        how = rng.randrange(7)
        if how == 0:
            data[at:at] = rng.choice(ODD)
        elif how == 1:
            data[at:to] = b""
        elif how == 2:
            data[at:at] = data[at:to]
        elif how == 3 and data:
            data[rng.randrange(len(data))] = rng.randrange(256)
        elif how == 4:
            lines = data.splitlines(keepends=True)
            rng.shuffle(lines)
            data = bytearray(b"".join(lines))
        elif how == 5:
            data[at : min(to, at + 12)] = rng.choice(ODD)
        else:
            data = bytearray(bytes(data).decode("latin-1").encode(rng.choice(["utf-16", "utf-8", "cp1252"]), "replace"))
    return bytes(data)


class Library:
    """What the verbs call, on a study in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.chdir(folder)
        (folder / "good.toml").write_text(PLAN)
        self.study, self.empty = self.fresh(3), self.fresh(0)

    def fresh(self, trials: int) -> Study:
        study = begin(read_plan(self.folder / "good.toml").plan, self.folder, None).study
        study.ask(trials)
        return study

    def tried(self, kind: str, data: bytes) -> str:
        """What came of an input: "taken" or "refused"; whatever else is raised is a fault."""
        before = self.events()
        try:
            self.take(kind, data)
        except PfesError as error:
            check(1, f"Error: {in_the_shell(str(error))}")
            assert self.events() == before, "the study has changed"
            return "refused"
        if self.events() != before:
            self.study, self.empty = self.fresh(3), self.fresh(0)
        return "taken"

    def events(self) -> tuple[int, int]:
        return len(self.study.events), len(self.empty.events)

    def take(self, kind: str, data: bytes) -> None:
        if kind in ("import", "copy"):
            study = self.study if kind == "import" else self.empty
            study.merge(read_results(study, sheet_of(data, "r.csv")).rows)
        elif kind == "result":
            results_in(data.decode("utf-8", errors="replace"))
        elif kind == "plan":
            (self.folder / "p.toml").write_bytes(data)
            file = read_plan(self.folder / "p.toml")
            with file.located():
                begin(file.plan, self.folder, None)
        else:
            (self.folder / "p.csv").write_bytes(data)
            objectives = {"yield": {"goal": "max"}, "purity": {"goal": "min"}}
            plan = Plan.model_validate({"pool": {"file": "p.csv", "with_results": True}, "objectives": objectives})
            begin(plan, self.folder, None)


class Bench:
    """A folder with a study, and what to do with inputs there."""

    def __init__(self, folder: Path, command: bool) -> None:
        self.folder, self.command = folder, command
        self.study, self.empty = folder / "cell.db", folder / "empty.db"
        if not command:
            os.chdir(folder)
        (folder / "cell.toml").write_text(PLAN)
        assert self.call("create", "cell.toml")[0] == 0
        assert self.call("create", "cell.toml", "--to", "empty.db")[0] == 0
        assert self.call("ask", "cell.db", "-n", "3")[0] == 0
        self.events = {study: len(open_study(study).events) for study in (self.study, self.empty)}
        self.fresh = {study: study.read_bytes() for study in (self.study, self.empty)}

    def call(self, *words: str) -> tuple[int, str]:
        """The command; its exit code and what it complained of."""
        if self.command:
            command = [sys.executable, "-m", "pfes", *words]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
            return done.returncode, done.stderr
        complaints = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(complaints):
            return main(words), complaints.getvalue()

    def tried(self, kind: str, data: bytes) -> str:
        """What came of an input: "taken" or "refused"; AssertionError if neither."""
        if kind in ("import", "copy"):
            return self.imported(self.study if kind == "import" else self.empty, data)
        if kind == "result":
            return self.evaluated(data)
        return self.begun(kind, data)

    def imported(self, study: Path, data: bytes) -> str:
        (self.folder / "r.csv").write_bytes(data)
        code, complaint = self.call("import", study.name, "r.csv")
        check(code, complaint)
        if code:
            assert len(open_study(study).events) == self.events[study], "the study has changed"
            return "refused"
        study.write_bytes(self.fresh[study])
        return "taken"

    def begun(self, kind: str, data: bytes) -> str:
        name = "p.toml" if kind == "plan" else "p.csv"
        (self.folder / name).write_bytes(data)
        (self.folder / "p.db").unlink(missing_ok=True)
        options = [] if kind == "plan" else ["--max", "yield", "--min", "purity", "--with-results"]
        code, complaint = self.call("create", name, *options)
        check(code, complaint)
        assert not code or not (self.folder / "p.db").exists(), "a study was begun all the same"
        return "refused" if code else "taken"

    def evaluated(self, data: bytes) -> str:
        if self.command:
            (self.folder / "out.txt").write_bytes(data)
            code, complaint = self.call("run", "cell.db", "--trials", "1", "--quiet", "cat out.txt")
            check(code, complaint)
            state = open_study(self.study).trials()[-1].state
            self.study.write_bytes(self.fresh[self.study])
            return "taken" if state in ("done", "pending") and not code else "refused"
        try:
            results_in(data.decode("utf-8", errors="replace"))
        except PfesError:
            return "refused"
        return "taken"


def check(code: int, complaint: str) -> None:
    """A code of 0, 1 or 2, and one line if it is not 0."""
    assert code in (0, 1, 2), f"code {code}: {complaint}"
    assert "Traceback" not in complaint, complaint
    if code:
        lines = [line for line in complaint.splitlines() if not line.startswith("Note:")]
        assert len(lines) == 1, complaint
        assert lines[0].startswith("Error: "), complaint


GOOD = {"import": TABLE, "copy": COPY, "plan": PLAN, "pool": POOL, "result": RESULT}


def fuzz(count: int, through: str, seed: int, workers: int = 1) -> dict[str, int]:
    """Try so many inputs; how many of each kind were taken and refused. Stops at the first that is neither."""
    rng, counted = random.Random(seed), Counter[str]()
    kinds = [KINDS[number % len(KINDS)] for number in range(count)]
    todo = ((number, kind, spoilt(GOOD[kind].encode(), rng)) for number, kind in enumerate(kinds))
    home, begun = Path.cwd(), time.monotonic()
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(workers)]
        stack.callback(os.chdir, home)
        benches: SimpleQueue[Library | Bench] = SimpleQueue()
        for folder in folders:
            benches.put(Library(folder) if through == "library" else Bench(folder, through == "command"))

        def tried(it: tuple[int, str, bytes]) -> str:
            number, kind, data = it
            bench = benches.get()
            try:
                return f"{kind} {bench.tried(kind, data)}"
            except Exception as error:
                raise AssertionError(f"input {number} (seed {seed}), {kind} {data[:600]!r}: {error}") from error
            finally:
                benches.put(bench)

        pool = stack.enter_context(ThreadPoolExecutor(workers))
        for done, what in enumerate(pool.map(tried, todo) if workers > 1 else map(tried, todo), 1):
            counted[what] += 1
            if done % 100 == 0 and through == "command":
                print(f"{done} of {count}, {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return dict(sorted(counted.items()))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--through", choices=["library", "main", "command"], default="library")
    parser.add_argument("--workers", type=int, default=1, help="commands at a time")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    if given.workers > 1 and given.through != "command":
        parser.error("--workers is for --through command")
    return given


if __name__ == "__main__":
    given = arguments()
    os.environ["PFES_TRACEBACK"] = ""
    began = time.monotonic()
    found = fuzz(given.inputs, given.through, given.seed, given.workers)
    summary = {
        "command": f"python benchmarks/fuzz.py {' '.join(sys.argv[1:])}",
        "machine": describe(["numpy", "sqlalchemy", "pydantic", "click"]),
        "seconds": round(time.monotonic() - began, 1),
        "inputs": sum(found.values()),
        **found,
    }
    print(json.dumps(summary, indent=2))
    if given.record:
        append(ROOT / "benchmarks" / "results" / "fuzz.jsonl", summary)
