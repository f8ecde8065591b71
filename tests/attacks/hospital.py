"""A made-up hospital of three linked tables, its releases, and the people who are found in them.

The attacker has the release, the policy and the hierarchies, and knows something about people by
name. Rows carry a `mark` that only the judge of an attack reads: whose row it was."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from sfumato.hierarchies import HierarchySpec
from sfumato.policy import policy_from_table
from sfumato.releases import Key, Release
from sfumato.releases.pipeline import release

Row = dict[str, str]
Tables = dict[str, list[Row]]

K = 4
NUMBER = {"role": "direct", "replace": "number"}
MARK = {"role": "insensitive"}
WARDS = ("surgery", "medicine", "children", "eyes")
CODES = ("flu", "cold", "cough", "gout", "rash", "burn", "scald", "sprain", "break", "fall")
TREE = {
    "chest": ["flu", "cold", "cough"],
    "skin": ["gout", "rash", "burn", "scald"],
    "bones": ["sprain", "break", "fall"],
}
FEW_ROUNDS = {"solver": "best", "rounds": 8}
"""Few rounds of improvement: what is released is protected after each of them."""
DATES = {"dates": ["month", "quarter", "year", "10 years"]}
SETS = {
    "role": "sensitive",
    "hierarchy": {
        "tree": {
            "ill": {"chest": TREE["chest"], "skin": TREE["skin"]},
            "hurt": {"bones": TREE["bones"]},
        }
    },
}


def hospital(people: int = 240, *, seed: int = 2008) -> Tables:
    """Patients in the order of their numbers, who come once or twice, and some of them many
    times."""
    draw = random.Random(seed)
    patients, visits, diagnoses = list[Row](), list[Row](), list[Row]()
    for n in range(people):
        who, born = f"{1001 + n}", draw.choice(range(1950, 2020, 2))
        patients.append(
            {
                "pid": who,
                "mark": who,
                "born": f"{born}",
                "sex": draw.choice("fm"),
                "zip": f"021{draw.randrange(40):02}",
            }
        )
        for _ in range(min(int(draw.expovariate(1 / 3)) + (draw.random() < 0.9), 30)):
            vid, day = (
                f"{50_001 + len(visits)}",
                date(2020, 1, 1) + timedelta(days=draw.randrange(1_400)),
            )
            charges = f"{10_000 + len(visits) * 7}.{draw.randrange(100):02}"
            visit = {
                "vid": vid,
                "pid": who,
                "mark": who,
                "admitted": day.isoformat(),
                "ward": draw.choice(WARDS),
            }
            visits.append(visit | {"charges": charges})
            codes = draw.sample(CODES, draw.choice((0, 1, 1, 2)))
            diagnoses += [{"vid": vid, "mark": who, "code": code} for code in codes]
    return {"patients": patients, "visits": visits, "diagnoses": diagnoses}


def policy(changes: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    """The policy as a table; keys of `changes` are places such as "visits.fields.ward", None
    removes."""
    tables: dict[str, Any] = {
        "patients": {
            "key": "pid",
            "fields": {
                "pid": NUMBER,
                "mark": MARK | {"may_tell": ["pid"]},
                "born": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10, 40]}}},
                "sex": "quasi",
                "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
            },
        },
        "visits": {
            "key": "vid",
            "links": {"pid": "patients.pid"},
            "row_counts": {"linking": 0.0},
            "fields": {
                "vid": NUMBER,
                "pid": NUMBER,
                "mark": MARK | {"may_tell": ["pid"]},
                "admitted": "insensitive",
                "ward": "insensitive",
                "charges": {"role": "insensitive", "may_tell": ["vid"]},
            },
        },
        "diagnoses": {
            "links": {"vid": "visits.vid"},
            "row_counts": {"linking": 0.0},
            "fields": {"vid": NUMBER, "mark": MARK, "code": "sensitive"},
        },
    }
    for place, value in (changes or {}).items():
        *above, last = place.split(".")
        inner = tables
        for part in above:
            inner = inner[part]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
    asked = {"k": K, "max_suppression": 0.1} | top.pop("require", {})
    usual = {"entity": "patients.pid", "tables": tables, "require": asked, "solve": FEW_ROUNDS}
    return usual | top


def release_of(
    tables: Tables,
    folder: Path,
    decided: dict[str, Any],
    *,
    engine: str = "reference",
    key: Key | None = None,
) -> Release:
    """Release the tables. The report has tests of its own."""
    source: Any = tables
    if engine != "reference":
        source = write(tables, folder / "source")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
        made = release(
            source,
            policy_from_table(decided),
            to=folder / "release",
            engine=engine,
            key=key,
            replace=True,
        )
    assert made.outcome == "pass"
    return made


def released(tables: Tables, folder: Path, decided: dict[str, Any], **more: Any) -> Tables:
    """What leaves the house, read from the files."""
    return read(release_of(tables, folder, decided, **more))


def read(made: Release) -> Tables:
    out = {}
    for name, path in made.tables.items():
        with path.open(encoding="utf-8", newline="") as file:
            out[name] = list(csv.DictReader(file))
    return out


def write(tables: Tables, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return folder


def labels_of(spec: dict[str, Any] | None, values: Iterable[str]) -> dict[str, frozenset[str]]:
    """Every label that a value could have been released as: the attacker has the hierarchies
    too."""
    decided = policy_from_table(
        {
            "fields": {"x": {"role": "quasi"} | ({"hierarchy": spec} if spec else {})},
            "require": {"k": 1},
        }
    )
    found: HierarchySpec | None = decided.fields["x"].hierarchy
    values = sorted(set(values))
    if found is None:
        return {value: frozenset((value, "*")) for value in values}
    bound = found.bind(values)
    return {
        value: frozenset(
            bound.labels[level][bound.up[level][code]] or "" for level in range(bound.height + 1)
        )
        for code, value in enumerate(values)
    }


def rows_by(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    out = defaultdict(list)
    for row in rows:
        out[row[name]].append(row)
    return out


def numbers_of(tables: Tables, table: str = "visits", *, to: str = "pid") -> dict[str, int]:
    """How many rows each person of a release has, by the pseudonym in the table of people; many
    have none."""
    counted = Counter(row[to] for row in tables[table])
    return {person["pid"]: counted[person["pid"]] for person in tables["patients"]}


class Demographics:
    """Says of released people whether someone whose birth, sex and ZIP are known could be one of
    them."""

    def __init__(
        self,
        decided: dict[str, Any],
        people: Sequence[Row],
        fields: Sequence[str] = ("born", "sex", "zip"),
    ) -> None:
        said = decided["tables"]["patients"]["fields"]
        specs = {
            name: said[name].get("hierarchy") if isinstance(said[name], dict) else None
            for name in fields
        }
        self._labels = {
            name: labels_of(spec, (person[name] for person in people))
            for name, spec in specs.items()
        }

    def fits(self, known: Row, person: Row) -> bool:
        return all(person[name] in labels[known[name]] for name, labels in self._labels.items())


def chances(
    known: Iterable[Row], people: Sequence[Row], fits: Callable[[Row, Row], bool]
) -> list[float]:
    """For each known person who is in the release: the chance that one picked of those who fit is
    them; 0 where they themselves do not fit, because what was known of them is gone."""
    present = {person["mark"] for person in people}
    out = []
    for one in known:
        if one["mark"] in present:
            could_be = [person["mark"] for person in people if fits(one, person)]
            out.append(1 / len(could_be) if one["mark"] in could_be else 0.0)
    return out


def mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
