"""Methods compared, and the paper's experiments rerun: `pfes bench`.

    pfes.bench.run("comparison.toml", "results.jsonl", processes=4)
    pfes.bench.report(["results.jsonl"], "report")

experiment, reading     what is to be run, from TOML; shipped/ has the paper's
cases, jobs             problems and first points; one job for each problem, method and seed
methods/                what is compared: ours, other packages', users' own
race, stopwatch, explain, work      a search, a measurement of time, a picture's numbers; one of them as a job
results, running, progress          runs in a file, on any executor, and how far they are
summary/                what came of it: traces, ranks, tests, times; as a page, Markdown and pictures
"""

from pfes.bench.methods import Record, Start, Wish
from pfes.bench.reading import read_experiment, shipped
from pfes.bench.results import read_results
from pfes.bench.running import Outcome, run
from pfes.bench.summary import report

__all__ = ["Outcome", "Record", "Start", "Wish", "read_experiment", "read_results", "report", "run", "shipped"]
