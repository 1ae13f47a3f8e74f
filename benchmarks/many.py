"""How accurate, and how costly, what is integrated on lattices is: boxes under many correlated normals, information.

    python benchmarks/many.py boxes                               to the terminal
    python benchmarks/many.py boxes --markdown docs/numerics.md   and into its section of that page
    python benchmarks/many.py information                         likewise

Boxes: variables with one common factor, loadings uniform between -0.98 and 0.98, whose probability is a single integral
(20,000 nodes); bounds around the centre, and of tails pairs of correlated variables, products of two bivariate boxes.

Information: fronts of 30 points on the unit sphere, deviations 0.05 to 0.5, correlations of any size. Near: means
within -0.6 and 1.4. Tails: means 3 to 30 times the largest deviation away from where near ones lie, on either side.
Three objectives against the careful integrals, more against sixteen times as many nodes.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from machine import describe
from pfes.information import correlated, many, prepare
from pfes.information.evaluate import Gradient, Question, ask
from pfes.normal import bivariate_box, box
from pfes.normal.lattice import prime_below
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


def information() -> str:
    """Errors of gains relative to the largest of a candidate, of derivatives relative to their largest entry."""
    rows = []
    for size, where, count in ((3, "near", 24), (3, "tails", 24), (4, "near", 10), (4, "tails", 10), (5, "near", 4)):
        rows.append(information_row("coupled", 0.0, size, where, count))
        rows.append(information_row("coupled_matched", 0.05, size, where, count))
        rows.append(information_row("decoupled", 0.0, size, where, max(count // 4, 3)))
    header = [
        "what",
        "L",
        "means",
        "cells",
        "median",
        "90 %",
        "largest",
        "d mean",
        "d covariance",
        "ms",
        "ms with both",
    ]
    return table(header, rows)


def information_row(verb: str, resolution: float, size: int, where: str, count: int) -> list[str]:
    question = candidates(np.random.default_rng(size), size, where, count, resolution)
    ask_many = getattr(many, verb)
    want = getattr(correlated, verb)(question, True) if size == 3 else finer(ask_many, question)
    ask_many(question.of(np.arange(count) < 1), True)  # compiled
    begin = time.process_time()
    ask_many(question, False)
    middle = time.process_time()
    got = ask_many(question, True)
    end = time.process_time()
    gain, true = got.gain.reshape(count, -1), want.gain.reshape(count, -1)
    off = np.abs(gain - true) / np.maximum(np.abs(true).max(axis=1, keepdims=True), 1e-300)
    slopes = [f"{np.median(error):.0e}" for error in slope_errors(got, want, question)]
    times = [f"{1e3 * t / count:.0f}" for t in (middle - begin, end - middle)]
    cells = str(question.frontiers.cells)
    return [verb.replace("_", ", "), str(size), where, cells, *spread_of(off), *slopes, *times]


def candidates(rng: np.random.Generator, size: int, where: str, count: int, resolution: float) -> Question:
    front = np.abs(rng.normal(size=(30, size)))
    front /= np.linalg.norm(front, axis=1, keepdims=True)
    mean = rng.uniform(-0.6, 1.4, (count, size))
    std = np.exp(rng.uniform(np.log(0.05), np.log(0.5), (count, size)))
    if where == "tails":
        away = rng.uniform(3.0, 30.0, (count, 1)) * std.max(axis=1, keepdims=True)
        mean += away * np.where(np.arange(count)[:, None] % 2, 1.0, -1.0)
    root = rng.normal(size=(count, size, size)) + rng.uniform(0.0, 3.0, (count, 1, 1))
    whole = root @ np.swapaxes(root, 1, 2) + 0.1 * np.eye(size)
    scale = std / np.sqrt(np.einsum("nii->ni", whole))
    return ask(mean, whole * scale[:, :, None] * scale[:, None, :], prepare([front]), resolution)


def finer(ask_many: Callable[[Question, bool], Gradient], question: Question) -> Gradient:
    """The same from sixteen times as many nodes."""
    usual = many.NODES, many.NODES_ALONE, many.SIZES
    larger = tuple(prime_below(many.SIZES[-1] * 2**k) for k in range(1, 5))
    many.NODES, many.NODES_ALONE, many.SIZES = 16 * usual[0], 16 * usual[1], (*usual[2], *larger)
    many._lattices.cache_clear()
    try:
        return ask_many(question, True)
    finally:
        many.NODES, many.NODES_ALONE, many.SIZES = usual
        many._lattices.cache_clear()


def slope_errors(got: Gradient, want: Gradient, question: Question) -> list[np.ndarray]:
    """Largest errors of d mean and d covariance, in units of the deviations that there are, over the largest entry."""
    assert question.covariance is not None
    root, count = np.linalg.cholesky(question.covariance), len(question.std)
    errors = []
    for ours, true in ((got.d_mean, want.d_mean), (got.d_spread, want.d_spread)):
        rank = 1 if ours is got.d_mean else 2
        a, b = (v.reshape(count, -1, *v.shape[v.ndim - rank :]) for v in (ours, true))
        form = "nij,nki->nkj" if rank == 1 else "nij,nkil,nlm->nkjm"
        a, b = (np.einsum(form, root, v, *[root] * (rank - 1)).reshape(*v.shape[:2], -1) for v in (a, b))
        errors.append(np.abs(a - b).max(axis=-1) / np.maximum(np.abs(b).max(axis=(-1, -2))[:, None], 1e-300))
    return errors


PARTS = {"boxes": boxes, "information": information}


if __name__ == "__main__":
    main()
