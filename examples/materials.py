"""The main job: find good ion conductors among 335 compositions, paying for each property separately.

A conductivity costs five times as much as an energy. The study decides at each step which composition to look at and
which of the two to measure. It ends with the front, the money spent on each property, and a picture, materials.png.

    python examples/materials.py [budget] [picture]         (needs matplotlib: the extra `plots`)
"""

import sys

import matplotlib
import numpy as np

import pfes
from pfes import problems

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INK, GREY, CURVE, BLUE = "#1c2833", "#9aa5b1", "#c2410c", "#2f75b5"


def main(budget: float = 150.0, path: str = "materials.png") -> None:
    """Run the study, print what it found and what it cost, draw the picture."""
    problem = problems.get("bismuth_oxide")
    rng = np.random.default_rng(0)  # of the measurements' errors

    study = pfes.create_study(space=problem.space, objectives=problem.objectives, seed=0)
    outcome = study.optimize(lambda trial: problem.evaluate(trial, rng), budget=budget, decoupled=True)

    print(f"\n{outcome.trials} measurements, cost {outcome.spent:g}; stopped: {outcome.reason}")
    for name, spent in study.spent_on.items():
        count = sum(name in trial.values for trial in study.trials())
        print(f"  {name:<13} {count:>4} measured   cost {spent:>6g}   {spent / study.spent:.0%}")
    print("\nthe front among the rows with both properties measured:")
    units = {objective.name: objective.unit for objective in problem.objectives}
    for point in sorted(study.front(), key=lambda point: point.values["energy"]):
        what = "  ".join(f"{name} {value:4.1f} %" for name, value in point.params.items())
        values = "  ".join(f"{name} {value:7.2f} {units[name]}" for name, value in point.values.items())
        print(f"  row {point.row:>3}   {what}   {values}")
    held, known = shares(problem, study)
    print(f"\nof the best hypervolume there is, the measured rows hold {held:.1%}, the recommended ones {known:.1%}")
    draw(problem, study, path)
    print(f"wrote {path}")


def shares(problem: problems.Problem, study: pfes.Study) -> tuple[float, float]:
    """How much of the optimal hypervolume the measured front has, and the recommended rows, both by the truth."""
    sets = [[point.row for point in study.front()], [point.row for point in study.recommend()]]
    held, known = (problem.share(problem.values(rows)) if rows else 0.0 for rows in sets)
    return held, known


def draw(problem: problems.Problem, study: pfes.Study, path: str) -> None:
    """Left: what is there, what was measured, what is recommended. Right: the hypervolume held, by the money spent."""
    conductivity, energy = problem.names
    truth = problem.values(np.arange(len(problem.space)))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.0), layout="constrained", width_ratios=[3, 2])
    left.plot(truth[:, 1], truth[:, 0], ".", color=GREY, alpha=0.5, markersize=4, label="335 candidates (the truth)")
    both = [t.row for t in study.front()]
    rows = {name: {t.row for t in study.trials() if name in t.values} for name in problem.names}
    whole = sorted(rows[conductivity] & rows[energy])
    half = sorted((rows[conductivity] | rows[energy]) - set(whole))
    left.plot(truth[half, 1], truth[half, 0], "o", mfc="none", color=BLUE, markersize=5, label="one property measured")
    left.plot(truth[whole, 1], truth[whole, 0], "o", color=BLUE, markersize=5, label="both measured")
    left.plot(truth[both, 1], truth[both, 0], "o", color=CURVE, markersize=7, label="the front held")
    advice = study.recommend()
    at = np.array([[point.estimates[name].mean for name in (energy, conductivity)] for point in advice])
    error = np.array([[point.estimates[name].std for name in (energy, conductivity)] for point in advice])
    left.errorbar(*at.T, xerr=error[:, 0], yerr=error[:, 1], fmt="x", color=INK, elinewidth=0.7, label="recommended")
    left.set(
        xlabel="energy above the stable phases [meV/atom]  ←  better", ylabel="log₁₀ conductivity [S/cm]  →  better"
    )
    left.legend(frameon=False, fontsize=9, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.13))
    steps = study.hypervolume_trace()
    right.step([s.spent for s in steps], [s.hypervolume for s in steps], where="post", color=CURVE)
    right.set(xlabel="cost spent", ylabel="hypervolume held (measured values)")
    spent = ", ".join(f"{name} {cost:g}" for name, cost in study.spent_on.items())
    right.set_title(f"spent on {spent}", loc="left", fontsize=10, color=INK)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 150.0, *sys.argv[2:3])
