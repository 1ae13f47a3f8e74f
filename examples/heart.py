"""What would measuring each of six candidates tell about a trade-off curve?

The numerical heart alone, without study or model: we say what is believed about each candidate's two objectives (mean
and standard deviation, both to be maximised) and give ten versions of the curve that agree with the data so far.
"""

import numpy as np

from pfes.information import matched, prepare

CANDIDATES = [
    # name                        mean          spread
    ("well below, known", (0.30, 0.30), (0.02, 0.02)),
    ("well below, uncertain", (0.30, 0.30), (0.20, 0.20)),
    ("near the curve, known", (0.66, 0.66), (0.02, 0.02)),
    ("near, first uncertain", (0.66, 0.66), (0.20, 0.02)),
    ("near, both uncertain", (0.66, 0.66), (0.20, 0.20)),
    ("perhaps beyond the curve", (0.80, 0.80), (0.20, 0.20)),
]


def sampled_frontiers(count: int, points: int, rng: np.random.Generator) -> list[np.ndarray]:
    """`count` quarter circles of `points` points, each of its own radius: a list of arrays (S, L)."""
    angle = np.linspace(0.0, np.pi / 2, points)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return [radius * circle for radius in rng.normal(1.0, 0.05, count)]


def main() -> None:
    """Print the nats that each candidate is worth: both objectives measured together, then each alone."""
    names, means, spreads = zip(*CANDIDATES, strict=True)
    mean, spread = np.array(means), np.array(spreads)
    frontiers = prepare(sampled_frontiers(count=10, points=100, rng=np.random.default_rng(0)))

    # a difference of 0.02 is the smallest worth knowing; both columns by the same estimator, so that they compare
    together = matched.coupled(mean, spread, frontiers, resolution=0.02)
    alone = matched.decoupled(mean, spread, frontiers, resolution=0.02)

    print(f"{'nats about the curve in measuring':<34}{'both':>8}{'first':>8}{'second':>8}")
    for name, both, (first, second) in zip(names, together, alone, strict=True):
        print(f"{name:<34}{both:>8.3f}{first:>8.3f}{second:>8.3f}")


if __name__ == "__main__":
    main()
