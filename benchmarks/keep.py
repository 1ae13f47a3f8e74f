"""Results of `pfes bench` for benchmarks/results/bench: the newest line of each run, compressed; no values of others.

    python benchmarks/keep.py results.jsonl ...

Values of tables that are not ours to publish are left out; rows, costs and shares of the optimum stay, and all tables
and figures are made of these.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from pfes.bench import read_results

FOLDER = Path(__file__).resolve().parent / "results" / "bench"


def main() -> None:
    for name in map(Path, sys.argv[1:]):
        lines = [json.dumps(published(line), separators=(",", ":")) for line in read_results([name])]
        kept = FOLDER / f"{name.stem}.jsonl.gz"
        kept.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))
        print(f"{kept.name}: {len(lines)} runs, {kept.stat().st_size:,} bytes")


def published(line: dict[str, Any]) -> dict[str, Any]:
    """The line without values, if they come from a table."""
    if not line["settings"]["problem"].get("file") or "held" not in line:
        return line
    return line | {"values": [[] for _ in line["values"]], "first": line["first"] | {"values": []}}


if __name__ == "__main__":
    main()
