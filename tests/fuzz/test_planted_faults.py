"""The recount catches what is planted: each fault is put into a good release by hand, and must be
named."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.cases import call
from tests.fuzz.cells import canonical
from tests.fuzz.policies import as_toml
from tests.fuzz.recount import Release, contradictions
from tests.fuzz.tables import Column, Table, write_table

HUGE = 2**100 + 1
TABLE = Table(
    [
        Column("id", "identifier", [f"Zq-{number:04d}-x" for number in range(12)]),
        Column("zip", "code", ["02138", "02139", "02141"] * 4),
        Column("age", "integer", [21, 22, 23, 24, 31, 32, 33, 34, 21, 22, 31, 32], "BIGINT"),
        Column(
            "problem",
            "word",
            ["flu", "cold", "gout", "flu", "cold", "flu", "gout", "cold"] + ["flu", "cold"] * 2,
        ),
        Column("cost", "huge", [HUGE, 5, -7] * 4, "HUGEINT"),
        Column("mark", "mark", [f"m{number}" for number in range(12)]),
    ],
    12,
)
POLICY: dict[str, Any] = {
    "fields": {
        "id": {"role": "direct", "replace": "hash"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
        "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10]}}},
        "problem": {"role": "sensitive"},
        "cost": {"role": "insensitive"},
        "mark": {"role": "insensitive"},
    },
    "require": {"k": 2, "l_diversity": {"l": 2, "fields": ["problem"]}, "max_suppression": 0.2},
    "solve": {"solver": "anytime"},  # Losses are recounted of global recodings.
}
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release in which nothing is wrong."""
    folder = tmp_path_factory.mktemp("planted")
    write_table(TABLE, folder / "source.duckdb")
    (folder / "policy.toml").write_text(as_toml(POLICY), encoding="utf-8")
    files = [str(folder / name) for name in ("source.duckdb", "policy.toml", "release")]
    code, _, err = call(
        ["release", files[0], "--policy", files[1], "--to", files[2], "--format", "csv"]
    )
    assert (code, err) == (0, "")
    return folder / "release"


@pytest.fixture
def release(good: Path, tmp_path: Path) -> Release:
    shutil.copytree(good, tmp_path / "release")
    return again(tmp_path / "release")


def again(folder: Path) -> Release:
    return Release(folder=folder, policy=POLICY, source=TABLE.texts("duckdb"))


def in_rows(change: Callable[[Rows], None]) -> Callable[[Path], None]:
    """A fault in the table."""

    def plant(folder: Path) -> None:
        with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        change(rows)
        with (folder / "release.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    return plant


def in_manifest(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """A fault in what is said about the table."""

    def plant(folder: Path) -> None:
        facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        change(facts)
        (folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")

    return plant


def one_value_in_a_bin(rows: Rows) -> None:
    first = (rows[0]["zip"], rows[0]["age"])
    for row in rows:
        if (row["zip"], row["age"]) == first:
            row["problem"] = "flu"


def in_every_row(**cells: str) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        for row in rows:
            row.update(cells)

    return change


def other_decade(rows: Rows) -> None:
    rows[0]["age"] = "30-39" if rows[0]["age"] == "20-29" else "20-29"


def exchanged_marks(rows: Rows) -> None:
    rows[0]["mark"], rows[1]["mark"] = rows[1]["mark"], "m99"


def rounded(rows: Rows) -> None:
    for row in rows:
        row["cost"] = str(float(row["cost"])) if row["cost"] == str(HUGE) else row["cost"]


def without_marks(rows: Rows) -> None:
    for row in rows:
        del row["mark"]


def half_of_them(rows: Rows) -> None:
    del rows[:6]


def without_the_last(rows: Rows) -> None:
    rows.pop()


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a row that is alone": (
        in_rows(lambda rows: rows[0].update(zip="02138", age="99")),
        "requirement broken: k",
    ),
    "one kept cell changed": (
        in_rows(lambda rows: rows[3].update(problem="measles")),
        "kept cells",
    ),
    "kept cells exchanged": (in_rows(exchanged_marks), "kept cells"),
    "a lie about suppressed rows": (
        in_manifest(lambda facts: facts["tables"]["release"]["rows"].update(suppressed=3)),
        "rows",
    ),
    "a lie about the source": (
        in_manifest(lambda facts: facts["tables"]["release"]["rows"].update(source=900)),
        "rows",
    ),
    "a failing verdict": (
        in_manifest(lambda facts: facts["verdicts"][0].update(outcome="fail")),
        "verdicts",
    ),
    "a smallest bin that is not": (
        in_manifest(lambda facts: facts["verdicts"][0].update(smallest=9)),
        "verdicts",
    ),
    "bins that are not": (
        in_manifest(lambda facts: facts["verdicts"][0].update(bins=99)),
        "verdicts",
    ),
    "a direct identifier left": (
        in_rows(lambda rows: rows[2].update(id="Zq-0002-x")),
        "identifiers",
    ),
    "a direct identifier elsewhere": (
        in_rows(lambda rows: rows[2].update(problem="Zq-0002-x")),
        "identifiers",
    ),
    "a label of no hierarchy": (in_rows(in_every_row(zip="9****")), "labels"),
    "a label of another value": (in_rows(other_decade), "labels"),
    "too many rows suppressed": (in_rows(half_of_them), "max_suppression"),
    "one value in a whole bin": (in_rows(one_value_in_a_bin), "requirement broken: l_diversity"),
    "a lost row": (in_rows(without_the_last), "rows"),
    "a row twice": (in_rows(lambda rows: rows.append(dict(rows[0]))), "kept cells"),
    "a rounded number of 128 bits": (in_rows(rounded), "kept cells"),
    "a loss that is not": (
        in_manifest(lambda facts: facts["utility"].update(loss=0.001)),
        "utility",
    ),
    "a field too few": (in_rows(without_marks), "fields"),
}


def test_a_good_release_has_none(release: Release) -> None:
    assert contradictions(release) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name: str, release: Release) -> None:
    plant, expected = FAULTS[name]
    plant(release.folder)
    found = contradictions(again(release.folder))
    assert any(each.startswith(expected) for each in found), found


def test_canonical_text_is_as_documented() -> None:
    import datetime
    import decimal

    moment = datetime.datetime(2020, 2, 29, 1, 2, 3, 450000)
    values = (
        True,
        -2,
        0.1,
        3.0,
        1e20,
        1e-7,
        -0.0,
        decimal.Decimal("1.50"),
        datetime.date(2020, 2, 29),
        moment,
        "",
        None,
    )
    texts = (
        "true",
        "-2",
        "0.1",
        "3.0",
        "1e+20",
        "1e-07",
        "-0.0",
        "1.50",
        "2020-02-29",
        "2020-02-29 01:02:03.45",
    )
    assert tuple(map(canonical, values)) == (*texts, None, None)
