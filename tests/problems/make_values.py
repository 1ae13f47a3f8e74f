"""Values of the problems at random points as other libraries compute them, kept for tests that run without those.

    pip install botorch pymoo jmetalpy
    python tests/problems/make_values.py        overwrites tests/fixtures/problem_values.json

Left out, because they are not what was published: BoTorch's ZDT3 (no factor g) and DTLZ4 (no exponent), jMetalPy's
RE41 (it rounds the parameters and counts the constraints that hold).
"""

import json
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np

FIXTURE = Path(__file__).parents[1] / "fixtures" / "problem_values.json"
POINTS = 12

Case = tuple[str, dict[str, int], str, list[float], list[float], Callable[[np.ndarray], np.ndarray]]


def main() -> None:
    rng = np.random.default_rng(20240229)
    lines = [record(*case, rng) for case in [*botorch_cases(), *pymoo_cases(), *jmetal_cases()]]
    versions = {name: version(name) for name in ("botorch", "pymoo", "jmetalpy")}
    head = {"command": "python tests/problems/make_values.py", "versions": versions}
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    FIXTURE.write_text("{\n" + text + ',\n"cases": [\n' + ",\n".join(lines) + "\n]\n}\n", encoding="utf-8")


def record(name, size, source, low, high, function, rng) -> str:
    x = np.round(np.array(low) + rng.random((POINTS, len(low))) * (np.array(high) - np.array(low)), 6)
    x = np.clip(x, low, high)
    x, values = function(x)
    return json.dumps({"name": name, "size": size, "source": source, "x": x.tolist(), "values": values.tolist()})


def botorch_cases() -> Iterator[Case]:
    import torch
    from botorch.test_functions import multi_objective as theirs

    def of(problem):
        return lambda x: (x, problem(torch.tensor(x, dtype=torch.double)).numpy())

    sized = [("zdt1", {"d": 6}), ("zdt2", {"d": 6})]
    sized += [(f"dtlz{i}", {"d": 6, "L": L}) for i in (1, 2, 3, 7) for L in (2, 4)]
    sized += [("dtlz5", {"d": 6, "L": 3})]
    for name, size in sized:
        arguments = {"dim": size["d"], "num_objectives": size.get("L", 2)}
        yield name, size, "botorch", [0.0] * 6, [1.0] * 6, of(getattr(theirs, name.upper())(**arguments))
    yield "branin_currin", {}, "botorch", [0.0] * 2, [1.0] * 2, of(theirs.BraninCurrin())
    yield "vehicle_safety", {}, "botorch", [1.0] * 5, [3.0] * 5, of(theirs.VehicleSafety())
    low, high = theirs.CarSideImpact().bounds.tolist()
    yield "car_side_impact", {}, "botorch", low, high, of(theirs.CarSideImpact())


def pymoo_cases() -> Iterator[Case]:
    from pymoo.problems import get_problem

    def of(problem):
        return lambda x: (x, problem.evaluate(x))

    for i in (1, 2, 3):
        yield f"zdt{i}", {"d": 5}, "pymoo", [0.0] * 5, [1.0] * 5, of(get_problem(f"zdt{i}", n_var=5))
    yield "zdt4", {"d": 4}, "pymoo", [0.0, -5.0, -5.0, -5.0], [1.0, 5.0, 5.0, 5.0], of(get_problem("zdt4", n_var=4))
    for i, L in ((1, 3), (2, 3), (3, 4), (4, 4), (5, 3), (7, 3)):
        problem = get_problem(f"dtlz{i}", n_var=7, n_obj=L)
        # DTLZ4 takes the hundredth power: near 1, or nothing would be seen of it
        yield f"dtlz{i}", {"d": 7, "L": L}, "pymoo", [0.98 if i == 4 else 0.0] * 7, [1.0] * 7, of(problem)


def jmetal_cases() -> Iterator[Case]:
    from jmetal.problem.multiobjective import re

    def of(problem, discrete):
        def run(x):
            x = np.array([[discrete.get(i, float)(value) for i, value in enumerate(row)] for row in x])
            return x, np.array([one(problem, row) for row in x])

        return run

    def one(problem, row):
        solution = problem.create_solution()
        solution.variables = row.tolist()
        return problem.evaluate(solution).objectives

    bars, wires = re.RE22.AS_FEASIBLE_INTEGERS, [w for w in re.RE25.DIAMETER_FEASIBLE_VALUES if w > 0.09]
    discrete = {
        "RE22": {0: lambda value: re.get_closest_value(bars, value)},
        "RE25": {0: round, 2: lambda value: re.get_closest_value(wires, value)},
    }
    names = {
        "RE21": "four_bar_truss",
        "RE22": "concrete_beam",
        "RE24": "hatch_cover",
        "RE25": "coil_spring",
        "RE34": "vehicle_safety",
        "RE37": "rocket_injector",
    }
    for theirs, ours in names.items():
        problem = getattr(re, theirs)()
        yield ours, {}, "jmetalpy", problem.lower_bound, problem.upper_bound, of(problem, discrete.get(theirs, {}))


if __name__ == "__main__":
    main()
