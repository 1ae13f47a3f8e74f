"""What roles look like, on light and dark ground. Hues after Okabe and Ito (2008), for colour-blind readers.

Colour is never alone: roles differ in their marks too, and lines of objectives in their dashes.
"""

from dataclasses import dataclass

from pfes.plots.chart import Role

__all__ = ["DARK", "DASHES", "LIGHT", "Mark", "Theme", "mark_of", "theme"]


@dataclass(frozen=True)
class Theme:
    """Colours as #rrggbb; every one differs from all others, so that a page may exchange them by name."""

    ground: str
    ink: str
    soft: str  # second-rate text and limits
    grid: str
    measured: str
    half: str
    front: str
    recommended: str
    pending: str
    model: str
    data: str
    sample: str
    series: tuple[str, ...]  # of objectives
    low: str  # end of a scale of colours from nothing ...
    high: str  # ... to all
    against: str  # ends of a scale around 0
    along: str

    def colour(self, role: Role) -> str:
        """What a role is drawn in; whole numbers are objectives."""
        if isinstance(role, int):
            return self.series[role % len(self.series)]
        named: str = getattr(self, "soft" if role == "limit" else role)
        return named

    @property
    def named(self) -> dict[str, str]:
        """All colours by name."""
        single = {name: value for name, value in vars(self).items() if isinstance(value, str)}
        return single | {f"series-{i}": value for i, value in enumerate(self.series)}


LIGHT = Theme(
    ground="#ffffff",
    ink="#1c2530",
    soft="#5b6673",
    grid="#e3e7ec",
    measured="#a3adb8",
    half="#8c97a3",
    front="#0072b2",
    recommended="#c2540a",
    pending="#00855f",
    model="#0072b3",
    data="#1c2531",
    sample="#c2540b",
    series=("#0071b2", "#d08c00", "#009e73", "#b3578a", "#4a9fd0", "#d55e00"),
    low="#f7f9fb",
    high="#4d5763",
    against="#c1500a",
    along="#0a6fa8",
)

DARK = Theme(
    ground="#14181d",
    ink="#e8ebef",
    soft="#9aa5b1",
    grid="#2a313a",
    measured="#66717d",
    half="#7d8995",
    front="#56b4e9",
    recommended="#f0883e",
    pending="#35c79a",
    model="#56b4e8",
    data="#e8ebee",
    sample="#f0883d",
    series=("#57b4e9", "#e6a117", "#2fbf94", "#d98cb8", "#8fd0f5", "#f28b3b"),
    low="#1a2027",
    high="#aeb8c2",
    against="#f0873d",
    along="#4fb0e6",
)


def theme(dark: bool) -> Theme:
    """The light or the dark one."""
    return DARK if dark else LIGHT


@dataclass(frozen=True)
class Mark:
    """Shape and size (points of a printer) of a role's points, as matplotlib and as Plotly call it; open: no fill."""

    matplotlib: str
    plotly: str
    size: float
    open: bool = False
    plotly3d: str = "circle"


MARKS: dict[Role, Mark] = {
    "measured": Mark("o", "circle", 4.0),
    "half": Mark("s", "square", 4.5, open=True, plotly3d="square"),
    "front": Mark("o", "circle", 7.0),
    "recommended": Mark("D", "diamond", 6.0, open=True, plotly3d="diamond"),
    "pending": Mark("^", "triangle-up", 8.5, plotly3d="cross"),
    "model": Mark("o", "circle", 6.0),
    "data": Mark("o", "circle", 4.0),
    "ink": Mark("X", "x", 8.0, plotly3d="x"),
}

SERIES = (  # of roles that are numbers
    Mark("o", "circle", 5.0),
    Mark("s", "square", 5.0, plotly3d="square"),
    Mark("^", "triangle-up", 6.0, plotly3d="diamond"),
    Mark("D", "diamond", 5.0, plotly3d="diamond"),
    Mark("v", "triangle-down", 6.0, plotly3d="cross"),
)


def mark_of(role: Role) -> Mark:
    """The mark of a role."""
    return SERIES[role % len(SERIES)] if isinstance(role, int) else MARKS.get(role, SERIES[0])


# Of objectives' lines: matplotlib's and Plotly's names.
DASHES = (("-", "solid"), ("--", "dash"), ("-.", "dashdot"), (":", "dot"), ((0, (8, 3)), "longdash"))
