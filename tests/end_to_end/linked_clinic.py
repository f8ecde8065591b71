"""A small clinic of four linked tables and a policy for them to change: people, their visits, tests
and doctors.

Every row has a `mark`, released as it is, that says whose row it was; nothing else about it is
known to anyone."""

from __future__ import annotations

import copy
import csv
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import Release
from sfumato.releases.pipeline import release

Row = dict[str, Any]
Tables = dict[str, list[Row]]

NUMBER = {"role": "direct", "replace": "number"}
PEOPLE = 24


def clinic() -> Tables:
    """24 people in bins of six, of whom the first 16 came once to four times; tests at two visits
    in three."""
    people, visits, tests = list[Row](), list[Row](), list[Row]()
    for n in range(PEOPLE):
        town = {"zip": f"0213{n % 2}", "sex": "fm"[n % 4 // 2]}
        people.append(
            {
                "id": n + 1,
                "mark": f"m{n}",
                "name": f"Ada {n}",
                **town,
                "born": f"19{50 + n}-05-0{1 + n % 9}",
            }
        )
        for _ in range(0 if n >= 16 else 1 + n % 4):
            v = len(visits)
            visit = {"id": 100 + v, "person": n + 1, "doctor": 1 + v % 3, "mark": f"m{n}"}
            visits.append(
                visit
                | {
                    "day": f"2020-{1 + v % 12:02}-{1 + v % 28:02}",
                    "ward": "east" if v % 2 else "west",
                }
            )
            tests += [
                {"visit": 100 + v, "mark": f"m{n}", "found": "abc"[(v + i) % 3]}
                for i in range(v % 3)
            ]
    doctors = [{"id": n, "name": f"Dr {n}", "field": f"field {n % 2}"} for n in (1, 2, 3)]
    return {"people": people, "visits": visits, "tests": tests, "doctors": doctors}


POLICY: dict[str, Any] = {
    "entity": "people.id",
    "tables": {
        "people": {
            "key": "id",
            "fields": {
                "id": NUMBER,
                "mark": "insensitive",
                "name": "direct",
                "zip": {"role": "quasi", "hierarchy": {"prefix": [4]}},
                "sex": "quasi",
                "born": "direct",
            },
        },
        "visits": {
            "key": "id",
            "links": {"person": "people.id", "doctor": "doctors.id"},
            "row_counts": {"linking": 0.0},
            "fields": {
                "id": NUMBER,
                "person": NUMBER,
                "doctor": NUMBER,
                "mark": "insensitive",
                "day": "insensitive",
                "ward": "insensitive",
            },
        },
        "tests": {
            "links": {"visit": "visits.id"},
            "row_counts": {"linking": 0.0},
            "fields": {"visit": NUMBER, "mark": "insensitive", "found": "sensitive"},
        },
        "doctors": {
            "key": "id",
            "fields": {"id": NUMBER, "name": "direct", "field": "insensitive"},
        },
    },
    "require": {"k": 3},
}


def policy(changes: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    """The policy with some of it changed: keys of `changes` are places such as
    "visits.fields.ward"; None removes."""
    out = copy.deepcopy(POLICY) | top
    for place, value in (changes or {}).items():
        *above, last = place.split(".")
        inner = out["tables"]
        for part in above:
            inner = inner[part]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
    return out


def write(tables: Tables, folder: Path) -> Path:
    """A CSV file for each table; one without rows has its names all the same."""
    folder.mkdir(exist_ok=True)
    names = {name: list(rows[0]) for name, rows in clinic().items()}
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else names[name])
            writer.writeheader()
            writer.writerows(rows)
    return folder


def released(source: Any, said: dict[str, Any], to: Path, **how: Any) -> Release:
    """Release a folder, or tables written into one; without the report, which has tests of its
    own."""
    if isinstance(source, dict) and all(isinstance(rows, list) for rows in source.values()):
        source = write(source, to.parent / f"{to.name}-source")
        how = {"engine": "reference"} | how
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
        return release(source, policy_from_table(said), to=to, **how)


def read(made: Release) -> dict[str, list[dict[str, str | None]]]:
    out = {}
    for name, path in made.tables.items():
        with Path(path).open(encoding="utf-8", newline="") as file:
            out[name] = [
                {key: cell or None for key, cell in row.items()} for row in csv.DictReader(file)
            ]
    return out


def problems(source: Any, said: dict[str, Any], to: Path, **how: Any) -> list[tuple[str, str]]:
    """Where and what the problems are for which a release is refused."""
    with pytest.raises(PolicyError) as caught:
        released(source, said, to, **how)
    assert not to.exists()
    return [(problem.where, problem.found) for problem in caught.value.problems]


def failing(made: Release) -> list[str]:
    """The claims of a release that do not hold, by who has only the release."""
    return [found.claim for found in sfumato.verify(made.folder) if found.outcome == "fail"]


def assert_whole(rows: dict[str, list[dict[str, str | None]]]) -> None:
    """Every link leads to the row it led to, by the marks."""
    people, visits = (
        {row["id"]: row["mark"] for row in rows[name]} for name in ("people", "visits")
    )
    assert (len(people), len(visits)) == (len(rows["people"]), len(rows["visits"]))
    assert all(people[row["person"]] == row["mark"] for row in rows["visits"])
    assert all(visits[row["visit"]] == row["mark"] for row in rows["tests"])
