"""What a running experiment shows: a live panel on a terminal, a line for each finished run elsewhere, or nothing."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pfes.bench.jobs import Job

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Tally", "duration", "reporting", "seconds_left"]

Line = dict[str, Any]
SHOWN = 8  # runs under way that are named


@dataclass
class Tally:
    """How far an experiment is; the one thing here that changes."""

    total: int
    before: int = 0  # were finished already
    done: int = 0
    failed: int = 0
    left: float | None = None  # seconds, estimated
    running: dict[Job, float] = field(default_factory=dict)  # begun at
    news: list[str] = field(default_factory=list)  # of every finished run, the newest last
    begun: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        """All in words."""
        parts = [f"{self.before + self.done} of {self.total} runs"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts.append(f"{duration(time.monotonic() - self.begun)} so far")
        parts += [f"about {duration(self.left)} left"] if self.left is not None else []
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Seconds in the two units that suit them."""
    minutes = round(seconds / 60)
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes < 48 * 60 else f"{minutes / 1440:.1f} days"


def seconds_left(todo: Iterable[Job], tally: Tally, known: Sequence[Line], workers: int) -> float | None:
    """About how long the rest takes: each run as long as its like took, those under way less what they have had.

    None as long as nothing is known. known: lines of finished runs, earlier ones too.
    """
    times: dict[tuple[str, ...], list[float]] = {}
    for line in known:
        if "seconds" in line:
            for key in ((line["problem"], line["method"]), (line["method"],), ()):
                times.setdefault(key, []).append(line["seconds"])
    if () not in times:
        return None

    def expected(job: Job) -> float:
        key = next(key for key in ((job.problem, job.method), (job.method,), ()) if key in times)
        return statistics.fmean(times[key])

    now = time.monotonic()
    under_way = [max(expected(job) - (now - begun), 0.0) for job, begun in tally.running.items()]
    waiting = [expected(job) for job in todo]
    return max((sum(under_way) + sum(waiting)) / max(workers, 1), max(under_way, default=0.0))


@contextmanager
def reporting(wanted: bool, console: "Console | None" = None) -> Iterator[Callable[[Tally], None]]:
    """A function that shows a Tally, for as long as the context lasts; console: another than standard error."""
    if not wanted:
        yield lambda tally: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import

    console = console or Console(stderr=True)
    if console.is_terminal:
        yield from _live(console)
        return
    said = 0

    def say(tally: Tally) -> None:
        nonlocal said
        for news in tally.news[said:]:  # several may have finished at once
            console.print(f"{tally.line()}; {news}", markup=False, highlight=False, soft_wrap=True)
        said = len(tally.news)

    yield say


def _live(console: "Console") -> Iterator[Callable[[Tally], None]]:
    from rich.live import Live  # noqa: PLC0415 - slow to import

    with Live(console=console, auto_refresh=False) as live:
        yield lambda tally: live.update(_panel(tally), refresh=True)


def _panel(tally: Tally) -> Any:
    from rich.console import Group  # noqa: PLC0415 - slow to import
    from rich.progress_bar import ProgressBar  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    top = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=max(tally.total, 1), completed=tally.before + tally.done, width=30)
    top.add_row(Text("pfes bench", style="bold"), bar, Text(tally.line()))
    now = time.monotonic()
    under_way = [
        Text(f"  {duration(now - begun):>7}  {job.words}", style="dim", overflow="ellipsis", no_wrap=True)
        for job, begun in list(tally.running.items())[:SHOWN]
    ]
    return Group(top, *under_way, Text(tally.news[-1] if tally.news else " ", overflow="ellipsis", no_wrap=True))
