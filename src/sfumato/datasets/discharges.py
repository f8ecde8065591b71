"""Made-up hospital discharges of people from the made-up voter list, as states collect them
(Sweeney 2000, Figures 11 and 12). One table has names, as the hospital has them, and one has
none."""

from __future__ import annotations

import csv
from datetime import timedelta
from pathlib import Path

import numpy as np

from .hospital import DIAGNOSES, ETHNICITIES
from .voters import ELECTION

DISCHARGES = 5_000
FIELDS = ("birth", "sex", "zip", "ethnicity", "admitted", "diagnosis", "charge")
DISCHARGES_POLICY = """# Who may see what of the discharges, and what must hold.
format = 1

[fields]
voter_id = "direct"
name = "direct"
birth = { role = "quasi", hierarchy = { dates = ["month", "year", "5 years", "10 years", "20 years"] } }
sex = "quasi"
zip = { role = "quasi", hierarchy = { prefix = [4, 3] } }
ethnicity = "quasi"
admitted = { role = "quasi", hierarchy = { dates = ["month", "year"] } }
diagnosis = "sensitive"
charge = { role = "sensitive" }

[require]
k = 5
l_diversity = { l = 2, fields = ["diagnosis"] }
max_suppression = 0.05
"""


def write_discharges(
    folder: Path, voters: Path, *, discharges: int = DISCHARGES, seed: int = 1997
) -> tuple[Path, Path]:
    """Write the discharges of so many voters as patients.csv, with names, and as discharges.csv,
    without; the same seed gives the same bytes."""
    with voters.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    chance = np.random.default_rng(seed)
    chosen = chance.choice(len(people), size=min(discharges, len(people)), replace=False)
    ages = chance.integers(0, 365, len(chosen)).tolist()
    drawn = [
        chance.choice(len(words), size=len(chosen), p=_shares(words)).tolist()
        for words in (ETHNICITIES, DIAGNOSES)
    ]
    charges = np.round(chance.lognormal(8.5, 0.8, len(chosen)), 2).tolist()
    named, plain = folder / "patients.csv", folder / "discharges.csv"
    with (
        named.open("w", encoding="utf-8", newline="") as one,
        plain.open("w", encoding="utf-8", newline="") as other,
    ):
        writers = csv.writer(one), csv.writer(other)
        writers[0].writerow(("voter_id", "name", *FIELDS))
        writers[1].writerow(FIELDS)
        for row, place in enumerate(chosen.tolist()):
            who = people[place]
            record = (
                who["birth"],
                who["sex"],
                who["zip"],
                ETHNICITIES[drawn[0][row]][0],
                (ELECTION - timedelta(days=ages[row])).isoformat(),
                DIAGNOSES[drawn[1][row]][0],
                charges[row],
            )
            writers[0].writerow((who["voter_id"], who["name"], *record))
            writers[1].writerow(record)
    return named, plain


def _shares(words: tuple[tuple[str | None, int], ...]) -> list[float]:
    whole = sum(weight for _, weight in words)
    return [weight / whole for _, weight in words]
