"""A made-up hospital's patients, a register with everyone's name, and who is found when one is held
against the other.

The register is the voter list of Sweeney 2000, Fig. 13: name, birth, sex and ZIP of people, for
whoever asks. The attacker has it, the release and the hierarchies. Rows carry a number that only
the judge of the attack reads."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from sfumato.datasets import write_hospital
from sfumato.hierarchies import Hierarchy
from sfumato.policy import policy_from_table
from sfumato.releases.pipeline import release

Person = dict[str, str]

KNOWN = ("birth", "sex", "zip")
FIELDS = {
    "number": {"role": "insensitive"},
    "birth": {
        "role": "quasi",
        "hierarchy": {"dates": ["month", "year", "10 years", "20 years"]},
        "rank": 2,
    },
    "sex": {"role": "quasi", "rank": 2},
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}, "rank": 2},
    "diagnosis": {"role": "sensitive"},
}


def people(folder: Path, many: int) -> list[Person]:
    """Made-up people with their names; the hospital's patients are some of them, or all."""
    with write_hospital(folder / "people.csv", rows=many).open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    kept = ("name", *KNOWN, "diagnosis")
    return [{name: row[name] for name in kept} | {"number": str(n)} for n, row in enumerate(rows)]


def write(rows: list[Person], path: Path, fields: tuple[str, ...] = tuple(FIELDS)) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def released(
    patients: list[Person], folder: Path, require: dict[str, object], **more: object
) -> list[Person]:
    """What leaves the house under these requirements, read from the file. `population.csv` is
    looked for beside it."""
    engine, key = str(more.pop("engine", "duckdb")), more.pop("key", None)
    fields = FIELDS | more.pop("fields_more", {})
    source = write(patients, folder / "patients.csv")
    policy = policy_from_table(
        {
            "fields": fields,
            "require": {"max_suppression": 0.1} | require,
            "solve": {"solver": "anytime"},
        }
        | more,
        folder=folder,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sfumato.releases.one_row_flow.render", lambda facts: ""
        )  # the page has tests of its own
        made = release(source, policy, to=folder / "release", engine=engine, key=key, replace=True)
    assert made.outcome == "pass"
    with made.table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def hierarchy(name: str, values: Sequence[str]) -> Hierarchy:
    """The hierarchy of a field, which the attacker has too."""
    policy = policy_from_table({"fields": FIELDS, "require": {"k": 1}})
    return policy.fields[name].hierarchy.bind(values)


class Linking:
    """Holds a register against a release, on some of the fields."""

    def __init__(
        self, rows: list[Person], register: list[Person], fields: tuple[str, ...] = KNOWN
    ) -> None:
        self.fields = fields
        self.register = register
        self._above: dict[str, dict[str, frozenset[str]]] = {}
        for name in fields:
            values = sorted({person[name] for person in register})
            bound = hierarchy(name, values)
            self._above[name] = {
                value: frozenset(
                    bound.labels[level][bound.up[level][code]] or ""
                    for level in range(bound.height + 1)
                )
                for code, value in enumerate(values)
            }
        self._rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for row in rows:
            self._rows[tuple(row[name] for name in fields)].append(row["number"])

    def rows_of(self, person: Person) -> list[str]:
        """The numbers of the released rows that could be this person's."""
        above = [self._above[name][person[name]] for name in self.fields]
        return [
            number
            for labels, numbers in self._rows.items()
            if all(label in ancestors for label, ancestors in zip(labels, above, strict=True))
            for number in numbers
        ]

    def chances(self) -> list[float]:
        """For each person of the register who is in the release: the chance that a row picked for
        them is theirs."""
        found = ((person["number"], self.rows_of(person)) for person in self.register)
        return [1 / len(rows) for number, rows in found if number in rows]

    def people_of(self) -> list[float]:
        """For each released row: the chance that a person picked for it from the register is whose
        it is."""
        could_be: dict[str, list[str]] = defaultdict(list)
        for person in self.register:
            for number in self.rows_of(person):
                could_be[number].append(person["number"])
        return [1 / len(numbers) if row in numbers else 0.0 for row, numbers in could_be.items()]


def mean(chances: list[float]) -> float:
    return sum(chances) / max(len(chances), 1)
