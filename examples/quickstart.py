"""Two goals, two settings of a machine, twenty runs: where is the best trade-off?

A scientist has a simulator; here a short formula stands for it. The study suggests, the simulator answers.
"""

import pfes


def simulate(trial: pfes.Trial) -> dict[str, float]:
    """Strength and ductility of a heat-treated steel, by temperature [°C] and time [h]: hotter is not always better."""
    hot, long = (trial.params["temperature"] - 400) / 400, trial.params["time"] / 8
    strength = 900 - 500 * (hot - 0.35) ** 2 - 300 * (long - 0.3) ** 2
    ductility = 12 + 14 * hot - 9 * (long - 0.6) ** 2
    return {"strength": strength, "ductility": ductility}


def main() -> None:
    """Run the study and print the front it found."""
    study = pfes.create_study(
        space=pfes.Space(temperature=pfes.Real(400, 800, unit="°C"), time=pfes.Real(0.5, 8, unit="h")),
        objectives=[pfes.Objective("strength", "max", unit="MPa"), pfes.Objective("ductility", "max", unit="%")],
        seed=0,
    )
    outcome = study.optimize(simulate, trials=20, progress=False)
    print(f"{outcome.trials} trials; stopped: {outcome.reason}")
    print(f"last reason: {study.trials()[-1].reason}\n")
    print("measured, and not bettered in both goals at once:")
    for point in sorted(study.front(), key=lambda point: point.values["strength"]):
        at = f"{point.params['temperature']:6.1f} °C {point.params['time']:5.2f} h"
        print(f"  {at}   strength {point.values['strength']:6.1f} MPa   ductility {point.values['ductility']:5.2f} %")


if __name__ == "__main__":
    main()
