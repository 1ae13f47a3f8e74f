"""A spreadsheet of candidates, some of them measured already: which row comes next?

The file here is written by the example itself; yours comes from a spreadsheet, "save as CSV".
"""

import csv
from pathlib import Path

import pfes


def write_candidates(path: Path) -> None:
    """Forty mixtures of two solvents and a salt; yield and purity are known for eight of them."""
    with path.open("w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["name", "solvent", "water", "salt", "yield", "purity"])
        for number in range(40):
            solvent, water, salt = ["ethanol", "acetone"][number % 2], number % 8 / 10, number // 8 / 4
            known = number % 5 == 0
            made = [round(70 + 20 * salt - 60 * (water - 0.3) ** 2, 1), round(90 - 30 * water - 12 * salt, 1)]
            sheet.writerow([f"M{number:02d}", solvent, water, salt, *(made if known else ["", ""])])


def main() -> None:
    """Read the table, hand over what is known, ask for the next three rows."""
    path = Path("candidates.csv")
    write_candidates(path)
    pool = pfes.Pool.from_csv(path, inputs=["solvent", "water", "salt"], ids="name")
    study = pfes.create_study(space=pool, objectives=[pfes.Objective("yield"), pfes.Objective("purity")], seed=0)

    with path.open(newline="", encoding="utf-8") as file:
        measured = [row for row in csv.DictReader(file) if row["yield"]]
    study.add([{"row": r["name"], "yield": float(r["yield"]), "purity": float(r["purity"])} for r in measured])
    print(f"{len(pool)} candidates, {len(measured)} measured, {len(study.front())} of them on the front")

    for trial in study.ask(3):
        print(f"measure {trial.row} {trial.params}\n  {trial.reason}")


if __name__ == "__main__":
    main()
