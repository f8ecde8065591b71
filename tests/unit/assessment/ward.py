"""A made-up ward of a hospital: 240 people, its policy, and what is derived from it in the
tests."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

KNOWN = ("sex", "zip", "birth")
FIELDS = ("name", "zip", "birth", "sex", "stay", "diagnosis")
DIAGNOSES = ("asthma", "diabetes", "flu", "gout")
POLICY = """
release_to = "research"

[fields]
name = "direct"
sex = "quasi"
diagnosis = "sensitive"
stay = "insensitive"

[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3] }

[fields.birth]
role = "quasi"
hierarchy = { dates = ["year", "10 years", "40 years"] }

[require]
k = 4
max_suppression = 0.1

[solve]
solver = "anytime"

[recipient.research]
description = "A research group under contract."
"""

Row = Mapping[str, object]


def people(many: int = 240, seed: int = 5) -> list[dict[str, object]]:
    draw = random.Random(seed)
    return [
        {
            "name": f"person {number}",
            "zip": f"021{draw.randrange(4)}{draw.randrange(5)}",
            "birth": f"19{draw.randrange(20, 99)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
            "sex": draw.choice("fm"),
            "stay": draw.randrange(1, 20),
            "diagnosis": draw.choice(DIAGNOSES),
        }
        for number in range(many)
    ]


def write(path: Path, rows: Iterable[Row], fields: Sequence[str] = FIELDS) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path
