"""How accurate, and how costly, what is integrated on lattices is: boxes under many correlated normals.

    python benchmarks/many.py boxes                               to the terminal
    python benchmarks/many.py boxes --markdown docs/numerics.md   and into its section of that page

Boxes: variables with one common factor, loadings uniform between -0.98 and 0.98, whose probability is a single integral
(20,000 nodes); bounds around the centre, and of tails pairs of correlated variables, products of two bivariate boxes.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from machine import describe
from pfes.normal import bivariate_box, box
from tables import table, write_section


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--markdown", type=Path, help="page whose section is rewritten")
    options = parser.parse_args()
    command = " ".join(["python benchmarks/many.py", *sys.argv[1:]])
    text = f"`{command}`: " + "; ".join(describe(["pfes", "numpy"])) + ".\n\n" + PARTS[options.part]()
    print(text)
    if options.markdown:
        write_section(options.markdown, options.part, text + "\n")


def spread_of(errors: np.ndarray) -> list[str]:
    """Median, 90 % and largest."""
    return [f"{np.quantile(errors, q):.0e}" for q in (0.5, 0.9, 1.0)]


def boxes() -> str:
    """100 boxes of each kind; errors relative to the probability."""
    rows = [boxes_row("one factor", size, points) for size in (4, 5, 6, 8) for points in (128, 512, 2048)]
    rows += [boxes_row("two pairs", 4, points) for points in (128, 512, 2048)]
    header = ["boxes", "L", "points", "median", "90 %", "largest", "largest / its estimate", "ms a box"]
    return table(header, rows)


def boxes_row(kind: str, size: int, points: int) -> list[str]:
    rng = np.random.default_rng(size)
    lower, upper, r, want = (factor_boxes if kind == "one factor" else pair_boxes)(rng, 100, size)
    box(lower[:1], upper[:1], r[:1], points)  # compiled
    begin = time.process_time()
    got = box(lower, upper, r, points)
    taken = (time.process_time() - begin) / len(want)
    off = np.abs(np.expm1(got.log - want))
    ratio = np.max(off / np.maximum(got.log_error, 1e-12))
    if kind != "one factor":
        kind += f", 1e{want.max() / np.log(10):.0f} to 1e{want.min() / np.log(10):.0f}"
    return [kind, str(size), str(points), *spread_of(off), f"{ratio:.1f}", f"{taken * 1e3:.1f}"]


def factor_boxes(rng: np.random.Generator, count: int, size: int) -> tuple[np.ndarray, ...]:
    lower = rng.normal(size=(count, size)) - 1.0
    upper = lower + 10 ** rng.uniform(-0.5, 1.0, (count, size))
    lower[::3, 0], upper[1::3, 2] = -np.inf, np.inf
    loading = rng.uniform(-0.98, 0.98, (count, size))
    r = loading[:, :, None] * loading[:, None, :]
    r[:, range(size), range(size)] = 1.0
    edges = np.linspace(-9.5, 9.5, 2501)
    roots, mass = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(edges)[:, None]
    x, weight = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * roots).ravel(), (half * mass).ravel()
    weight = weight * np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    rest = np.sqrt(1.0 - loading**2)[:, :, None]
    want = [
        np.log(weight @ np.prod(ndtr((b[:, None] - l[:, None] * x) / s) - ndtr((a[:, None] - l[:, None] * x) / s), 0))
        for a, b, l, s in zip(lower, upper, loading, rest, strict=True)
    ]
    return lower, upper, r, np.array(want)


def pair_boxes(rng: np.random.Generator, count: int, size: int) -> tuple[np.ndarray, ...]:
    """Variables 0 and 2 are correlated, and 1 and 3."""
    upper = -rng.uniform(3.0, 12.0, (count, 1)) + rng.normal(size=(count, size))
    lower, rho = np.full_like(upper, -np.inf), rng.uniform(-0.5, 0.98, (count, 2))
    r = np.tile(np.eye(size), (count, 1, 1))
    r[:, 0, 2] = r[:, 2, 0] = rho[:, 0]
    r[:, 1, 3] = r[:, 3, 1] = rho[:, 1]
    pairs = [bivariate_box(lower[:, [k, k + 2]], upper[:, [k, k + 2]], rho[:, k]) for k in (0, 1)]
    seen = (pairs[0] > 1e-150) & (pairs[1] > 1e-150)
    want = np.log(pairs[0][seen]) + np.log(pairs[1][seen])
    return lower[seen], upper[seen], r[seen], want


PARTS = {"boxes": boxes}


if __name__ == "__main__":
    main()
