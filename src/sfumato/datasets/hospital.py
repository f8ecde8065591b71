"""A made-up hospital table: one row per patient, with the fields and the skew that real ones
have."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

FIELDS = (
    "patient_id", "name", "ssn", "phone", "birth", "sex", "zip", "ethnicity", "marital_status",
    "admitted", "discharged", "diagnosis", "charges", "note",
)  # fmt: skip

FIRST = (
    "Ada Agnes Alan Alice Amara Anna Arthur Beatriz Ben Carla Carlos Chidi Clara Daniel "
    "Diego Dina Edith Elena Eli "
    "Emma Eva Felix Fiona Frank Grace Hana Hugo Ida Ines Ivan Jack Jamal Jana Joan Jonas "
    "Julia Karim Kate Kofi Lars "
    "Laura Lena Leo Lin Louis Lucia Luka Maria Mark Maya Mei Milan Mina Nadia Nina Noah "
    "Olga Omar Oscar Pablo Paul "
    "Petra Rania Rosa Ruth Sam Sara Sofia Sven Tara Theo Tomas Vera Viktor Yara Yusuf Zoe"
).split()
LAST = (
    "Abbott Adeyemi Ahmed Allen Baker Barros Bauer Bell Bianchi Brooks Byrne Campos Carter "
    "Chen Costa Cruz Dahl Davis "
    "Diaz Dubois Evans Farah Fischer Flores Foster Garcia Gray Green Gupta Hall Hansen "
    "Hayes Hill Hoffman Hughes Ito "
    "Jackson Jensen Johnson Jones Khan Kim Klein Kovacs Kumar Lange Larsen Lee Lewis Lopez "
    "Lund Martin Meyer Mills "
    "Moreau Morgan Mori Murphy Nagy Nguyen Novak Okafor Olsen Ortiz Park Patel Perez "
    "Petrov Phillips Reed Reyes Rossi "
    "Roy Ruiz Santos Sato Schmidt Scott Silva Singh Smith Stone Suzuki Tanaka Taylor "
    "Turner Vargas Walsh Weber White "
    "Wilson Wood Wright Yilmaz Young Zhang"
).split()
ZIPS = (
    ("02138", 9), ("02139", 11), ("02140", 6), ("02141", 4), ("02142", 1), ("02143", 8), ("02144", 7), ("02145", 7),
    ("02148", 9), ("02149", 6), ("02150", 5), ("02151", 7), ("02152", 3), ("02155", 8), ("02163", 1), ("02215", 4),
    ("02445", 4), ("02446", 4), ("02458", 3), ("02472", 6), ("02474", 4), ("02476", 3), ("02478", 4), ("02657", 1),
)  # fmt: skip
ETHNICITIES = (
    ("Caucasian", 62),
    ("Black", 14),
    ("Hispanic", 13),
    ("Asian", 9),
    ("Native American", 1),
    (None, 1),
)
MARITAL = (("married", 45), ("single", 34), ("divorced", 10), ("widowed", 8), (None, 3))
DIAGNOSES = (
    ("I10", 14), ("E11.9", 11), ("J45.20", 6), ("E78.5", 9), ("M54.50", 7), ("F32.A", 6), ("I25.10", 6), ("J44.9", 4),
    ("N18.30", 3), ("K21.9", 5), ("C50.911", 2), ("C61", 2), ("B20", 1), ("F10.20", 2), ("G40.909", 2), ("E66.9", 6),
    ("J18.9", 4), ("N39.0", 4), ("S72.001A", 2), ("O80", 4),
)  # fmt: skip
NOTES = (
    "Seen for follow-up; tolerating treatment well.",
    "Discussed diet and exercise. Return in three months.",
    "Complains of fatigue. Labs ordered.",
    "No acute distress. Continue current medication.",
)
LAST_DAY = date(2025, 12, 31)
CHUNK = 50_000


def write_hospital(path: Path, *, rows: int = 10_000, seed: int = 1997) -> Path:
    """Write `rows` made-up patients as CSV; the same seed gives the same bytes."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for start in range(0, rows, CHUNK):
            generator = np.random.default_rng([seed, start])
            writer.writerows(_patients(generator, start, min(CHUNK, rows - start)))
    return path


def _patients(generator: np.random.Generator, start: int, count: int) -> Iterator[tuple[Any, ...]]:
    def drawn(weighted: tuple[tuple[Any, int], ...]) -> list[Any]:
        weights = np.array([weight for _, weight in weighted], float)
        places = generator.choice(len(weighted), size=count, p=weights / weights.sum())
        return [weighted[place][0] for place in places]

    names = zip(generator.choice(FIRST, count), generator.choice(LAST, count), strict=True)
    ages = np.minimum(generator.gamma(6.0, 8.5, count), 104) * 365.25 + generator.integers(
        0, 365, count
    )
    admitted = generator.integers(0, 3 * 365, count)
    stays = np.minimum(generator.geometric(0.22, count), 60)
    charges = np.round(generator.lognormal(8.4, 0.9, count), 2)
    numbers = generator.permutation(count) + start
    ssn = generator.integers(0, 10**8, count)
    columns = zip(
        numbers, names, ssn, generator.integers(0, 10_000, count), ages, generator.integers(0, 2, count),
        drawn(ZIPS), drawn(ETHNICITIES), drawn(MARITAL), admitted, stays, drawn(DIAGNOSES), charges,
        generator.integers(0, len(NOTES), count), strict=True,
    )  # fmt: skip
    for number, (
        first,
        last,
    ), social, line, age, sex, code, ethnicity, marital, day, stay, icd, cost, note in columns:
        came = LAST_DAY - timedelta(days=int(day) + int(stay))
        yield (
            f"MRN{1_000_000 + int(number)}",
            f"{first} {last}",
            f"{100 + int(social) % 565:03d}-{1 + int(social) // 600 % 99:02d}-{1 + int(social) // 60_000 % 9_999:04d}",
            f"617-555-{int(line):04d}",
            (LAST_DAY - timedelta(days=int(age))).isoformat(),
            "fm"[int(sex)],
            code,
            ethnicity,
            marital,
            came.isoformat(),
            (came + timedelta(days=int(stay))).isoformat(),
            icd,
            f"{cost:.2f}",
            f"{first} {last[0]}.: {NOTES[int(note)]}",
        )


HOSPITAL_POLICY = """\
# A reviewed policy for the made-up hospital table: a release to researchers under contract.
release_to = "research"
entity = "patient_id"

[fields.patient_id]
role = "direct"
replace = "hash"              # the same pseudonym in every release made with the same key

[fields.name]
role = "direct"               # removed

[fields.ssn]
role = "direct"
replace = "made-up"           # stays shaped like an SSN; no one holds the number

[fields.phone]
role = "direct"

[fields.birth]
role = "quasi"
hierarchy = { dates = ["month", "year", "5 years", "10 years", "20 years"] }
rank = 2

[fields.sex]
role = "quasi"
rank = 2

[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3] }
rank = 2

[fields.ethnicity]
role = "quasi"

[fields.marital_status]
role = "quasi"

[fields.admitted]
role = "insensitive"
shift = { days = 180, per = "patient_id" }

[fields.discharged]
role = "insensitive"
shift = { days = 180, per = "patient_id" }

[fields.diagnosis]
role = "sensitive"

[fields.charges]
role = "sensitive"

[fields.note]
role = "text"
replace = "remove"            # without this line it is scrubbed

[require]
k = 5
max_suppression = 0.05

[recipient.research]
description = "A hospital's research group, under a contract that forbids linking."
linking = { birth = 1.0, zip = 1.0, sex = 1.0, ethnicity = 0.5, marital_status = 0.5 }
distortion = { birth = 0.0, sex = 0.2, zip = 0.6, ethnicity = 0.6, marital_status = 1.0 }

[solve]
solver = "anytime"            # the exact optimum, or the best found in a minute with a proven bound
"""
