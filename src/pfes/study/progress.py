"""What a running optimisation shows: a live panel on a terminal or in a notebook, plain lines elsewhere, or nothing."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Status", "reporting"]

Report = Callable[["Status"], None]


@dataclass(frozen=True)
class Status:
    """How far a run is."""

    trials: int = 0
    spent: float = 0.0
    budget: float | None = None
    wanted: int | None = None  # trials
    failures: int = 0
    hypervolume: float = math.nan
    reason: str = ""  # of the newest suggestion, or of the end

    @property
    def done(self) -> tuple[float, float] | None:
        """How much of how much: of the budget, else of the trials; None without either."""
        if self.budget is not None and math.isfinite(self.budget):
            return self.spent, self.budget
        return None if self.wanted is None else (float(self.trials), float(self.wanted))

    def line(self) -> str:
        """All but the reason, in words."""
        of_budget = f" of {self.budget:g}" if self.budget is not None else ""
        of_wanted = f" of {self.wanted}" if self.wanted is not None else ""
        plural = "" if (self.wanted or self.trials) == 1 else "s"
        parts = [f"{self.trials}{of_wanted} trial{plural}", f"cost {self.spent:g}{of_budget}"]
        parts += [f"{self.failures} failed"] if self.failures else []
        parts += [f"hypervolume {self.hypervolume:.6g}"] if math.isfinite(self.hypervolume) else []
        return ", ".join(parts)


@contextmanager
def reporting(wanted: bool, console: "Console | None" = None) -> Iterator[Report]:
    """A function that shows a Status, for as long as the context lasts; console: another than standard error."""
    if not wanted:
        yield lambda status: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import

    console = console or Console(stderr=True)
    if console.is_terminal or console.is_jupyter:
        yield from _live(console)
    else:
        yield lambda status: console.print(_text(status), markup=False, highlight=False, soft_wrap=True)


def _live(console: "Console") -> Iterator[Report]:
    from rich.live import Live  # noqa: PLC0415 - slow to import

    with Live(_panel(Status()), console=console, auto_refresh=False) as live:
        yield lambda status: live.update(_panel(status), refresh=True)


def _text(status: Status) -> str:
    return f"pfes: {status.line()}" + (f"; {status.reason}" if status.reason else "")


def _panel(status: Status) -> Any:
    from rich.console import Group  # noqa: PLC0415 - slow to import
    from rich.progress_bar import ProgressBar  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    top = Table.grid(padding=(0, 1))
    cells: list[Any] = [Text("pfes", style="bold"), Text(status.line())]
    if status.done is not None:
        completed, total = status.done
        cells.insert(1, ProgressBar(total=max(total, 1e-12), completed=completed, width=30))
    top.add_row(*cells)
    return Group(top, Text(status.reason or " ", style="dim", overflow="ellipsis", no_wrap=True))
