"""A made-up clinic whose diagnoses go with where people live, its releases, and what an attacker
finds in them.

The attacker knows of everyone their ZIP, age and sex, that they are in the release, and the
hierarchies."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from pathlib import Path

from sfumato.policy import policy_from_table
from sfumato.releases import release

Person = dict[str, str]

KNOWN = ("zip", "age", "sex")
DIAGNOSES = ("asthma", "cancer", "diabetes", "flu", "gout", "heart disease")
FIELDS = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10, 30]}}},
    "sex": {"role": "quasi"},
    "diagnosis": {"role": "sensitive"},
}


def people(many: int = 600) -> list[Person]:
    """Four in five have the diagnosis that is common where they live."""
    draw = random.Random(2001)
    out = []
    for _ in range(many):
        place, age = draw.randrange(24), draw.randrange(20, 80)
        diagnosis = DIAGNOSES[place // 4] if draw.random() < 4 / 5 else draw.choice(DIAGNOSES)
        out.append(
            {
                "zip": f"021{place:02}",
                "age": str(age),
                "sex": draw.choice("fm"),
                "diagnosis": diagnosis,
            }
        )
    return out


def released(everyone: list[Person], folder: Path, **require: object) -> list[Person]:
    """What leaves the house under these requirements, read from the file."""
    folder.mkdir()
    source = folder / "patients.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(everyone[0]))
        writer.writeheader()
        writer.writerows(everyone)
    policy = policy_from_table(
        {
            "fields": FIELDS,
            "require": {"max_suppression": 0.1} | require,
            "solve": {"solver": "anytime"},  # the attacker looks for bins that do not overlap
        }
    )
    made = release(source, policy, to=folder / "release")
    assert made.outcome == "pass"
    with made.table.open(newline="") as file:
        return list(csv.DictReader(file))


class Attacker:
    """Finds, for a person, the released rows that could be theirs."""

    def __init__(self, rows: list[Person], everyone: list[Person]) -> None:
        policy = policy_from_table({"fields": FIELDS, "require": {"k": 1}})
        self._labels: dict[str, dict[str, set[str]]] = {}
        for name in KNOWN:
            values = sorted({person[name] for person in everyone})
            bound = policy.fields[name].hierarchy.bind(values)
            self._labels[name] = {
                value: {
                    str(bound.labels[level][bound.up[level][code]])
                    for level in range(bound.height + 1)
                }
                for code, value in enumerate(values)
            }
        self._bins: dict[tuple[str, ...], Counter[str]] = {}
        for row in rows:
            self._bins.setdefault(tuple(row[name] for name in KNOWN), Counter())[
                row["diagnosis"]
            ] += 1
        self.commonest = Counter(row["diagnosis"] for row in rows).most_common(1)[0][0]

    def diagnoses(self, person: Person) -> Counter[str]:
        """How often each diagnosis stands in the rows that could be this person's."""
        out: Counter[str] = Counter()
        for labels in self.fitting(person):
            out += self._bins[labels]
        return out

    def fitting(self, person: Person) -> list[tuple[str, ...]]:
        """The released bins that could be this person's."""
        return [
            labels
            for labels in self._bins
            if all(
                label in self._labels[n][person[n]] for n, label in zip(KNOWN, labels, strict=True)
            )
        ]


def interval(right: int, tries: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a success rate."""
    if not tries:
        return 0.0, 1.0
    rate, z = right / tries, 1.96
    middle = (rate + z * z / (2 * tries)) / (1 + z * z / tries)
    half = (
        z / (1 + z * z / tries) * math.sqrt(rate * (1 - rate) / tries + z * z / (4 * tries * tries))
    )
    return middle - half, middle + half
