"""One goal takes minutes, the other a day: ask for the point and the goal that is worth its price.

Ask and tell by hand, as somebody does who walks to an instrument in between; results come in any order.
"""

import pfes


def toughness(x: float, y: float) -> float:
    """The slow measurement."""
    return 5.0 - 8.0 * (x - 0.7) ** 2 - 3.0 * (y - 0.4) ** 2


def hardness(x: float, y: float) -> float:
    """The quick one."""
    return 3.0 - 4.0 * (x - 0.2) ** 2 - 5.0 * (y - 0.6) ** 2


MEASURE = {"toughness": toughness, "hardness": hardness}


def main() -> None:
    """Spend a budget of 60 hours, and say where it went."""
    study = pfes.create_study(
        space=pfes.Space(x=pfes.Real(0, 1), y=pfes.Real(0, 1)),
        objectives=[pfes.Objective("toughness", cost=8.0, unit="MPa m½"), pfes.Objective("hardness", cost=0.5)],
        budget=60.0,
        seed=1,
    )
    try:
        while True:
            trial = study.ask(decoupled=True)
            study.tell(trial.id, {name: MEASURE[name](**trial.params) for name in trial.objectives})
            if trial.id % 10 == 0:
                print(f"trial {trial.id}: {trial.reason}\n")
    except pfes.Exhausted as end:
        print(f"stopped: {end}")
    for name, spent in study.spent_on.items():
        count = sum(name in trial.values for trial in study.trials())
        print(f"{name}: {count} measurements, {spent:g} h")
    print(f"the model recommends {len(study.recommend())} points; {len(study.front())} are measured in both goals")


if __name__ == "__main__":
    main()
