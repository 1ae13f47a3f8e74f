"""How frontiers are sampled."""

from dataclasses import dataclass, field

from pfes.errors import InvalidInput
from pfes.gp.paths import Kind
from pfes.search import SearchSettings

__all__ = ["FrontierSettings"]


@dataclass(frozen=True)
class FrontierSettings:
    """How frontiers are sampled.

    count       R, how many
    kind        "pathwise" or "features", the paper's random feature map (pfes.gp.paths)
    features    of how many cosines and sines a path is made
    search      how hard a space is searched
    scouts      random points at which all paths are evaluated before the search; each begins at those best for it
    climb       follow the paths' gradients in the search?
    observed    add each path's own values at the observed inputs?
    points      most points of a frontier, and a quarter more where observed values would lie beyond it; None: by the
                number of objectives, such that cells stay affordable
    exact_rows  up to so many distinct rows of a pool are drawn jointly and exactly; beyond, by paths
    """

    count: int = 10
    kind: Kind = "pathwise"
    features: int = 500
    search: SearchSettings = field(default_factory=SearchSettings)
    scouts: int = 2000
    climb: bool = True
    observed: bool = True
    points: int | None = None
    exact_rows: int = 1500

    def __post_init__(self) -> None:
        if min(self.count, self.scouts + 1, self.exact_rows + 1) < 1 or (self.points is not None and self.points < 2):
            raise InvalidInput(
                f"got {self}; wanted count of 1 or more, points of 2 or more or None, scouts and exact_rows of 0 or "
                "more; try FrontierSettings()"
            )

    @staticmethod
    def paper(count: int = 10) -> "FrontierSettings":
        """The recipe of Suzuki et al., word for word: random features, NSGA-II, at most 50 points, nothing added."""
        search = SearchSettings(population=50, generations=100, archive=0)
        return FrontierSettings(count, "features", 500, search, scouts=0, climb=False, observed=False, points=50)
