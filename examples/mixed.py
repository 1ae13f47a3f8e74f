"""Numbers, counts and names in one space, with a rule that mixtures must keep and one setting held for today."""

import pfes

SPACE = pfes.Space(
    dose=pfes.Real(0.01, 10, log=True, unit="mg"),
    stirring=pfes.Integer(100, 900, step=100, unit="rpm"),
    catalyst=pfes.Choice(["none", "Pd", "Ni"]),
    grade=pfes.Choice(["coarse", "medium", "fine"], ordered=True),
    a=pfes.Real(0, 1),
    b=pfes.Real(0, 1),
    constraints=[pfes.Linear({"a": 1, "b": 1}, upper=1.0), lambda p: p["catalyst"] != "none" or p["dose"] < 1.0],
)
ACTIVITY = {"none": 0.2, "Pd": 1.0, "Ni": 0.7}
PRICE = {"none": 0.0, "Pd": 9.0, "Ni": 2.0}


def react(trial: pfes.Trial) -> dict[str, float]:
    """Conversion and price of a made-up reaction."""
    p = trial.params
    grain = {"coarse": 0.7, "medium": 0.9, "fine": 1.0}[p["grade"]]
    conversion = ACTIVITY[p["catalyst"]] * grain * p["dose"] / (p["dose"] + 0.5) * (1 - (p["a"] - 0.6) ** 2)
    price = 1 + PRICE[p["catalyst"]] * p["dose"] + 3 * p["b"] + p["stirring"] / 600
    return {"conversion": conversion, "price": price}


def main() -> None:
    """Fifteen trials anywhere, then a suggestion for a day on which only nickel is at hand."""
    objectives = [pfes.Objective("conversion", threshold=0.05), pfes.Objective("price", "min", transform="log")]
    study = pfes.create_study(space=SPACE, objectives=objectives, seed=0)
    study.optimize(react, trials=15, progress=False)
    for point in study.front():
        print({name: value if isinstance(value, str) else round(value, 3) for name, value in point.params.items()})
        print(f"   conversion {point.values['conversion']:.3f}, price {point.values['price']:.2f}")
    today = study.ask(fixed={"catalyst": "Ni"})
    print(f"today, with nickel: {today.params}\n   {today.reason}")


if __name__ == "__main__":
    main()
