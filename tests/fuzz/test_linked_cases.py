"""The recount of people with several rows catches what is planted."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.fuzz.cases import call
from tests.fuzz.linked_cases import PERSON, LinkedCase


def first(*, tables: int, folder: Path) -> LinkedCase:
    """The first case of so many tables that is released as CSV and keeps a cell."""
    for number in range(40):
        case = LinkedCase.of(f"planted-{number}")
        if len(case.tables) != tables or case.file_format != "csv":
            continue
        if call(case.write(folder / str(number)))[0] == 0 and not case.contradictions(
            folder / str(number) / "release"
        ):
            return case
    raise AssertionError("no case was released")


def planted(case: LinkedCase, folder: Path, change: str) -> list[str]:
    """What the recount finds after one change of the visits."""
    release = folder / case.seed.split("-")[1] / "release"
    path = release / ("visits.csv" if len(case.tables) > 1 else "release.csv")
    path = path if path.exists() else next(release.glob("*.csv"))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if change == "stranger":
        rows[0][PERSON] = "nobody"
    elif change == "original":
        rows[0][PERSON] = str(case.tables["visits"].column(PERSON).cells[0])
    else:
        rows += [dict(rows[0]) for _ in range(9)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return [found.split(":")[0] for found in case.contradictions(release)]


@pytest.mark.long("a release for each fault; one stays", every=3)
@pytest.mark.parametrize(
    ("change", "expected"),
    [("stranger", "links"), ("original", "identifiers"), ("rows", "row counts")],
)
def test_a_fault_in_two_tables_is_caught(change: str, expected: str, tmp_path: Path) -> None:
    case = first(tables=2, folder=tmp_path)
    assert expected in planted(case, tmp_path, change)


@pytest.mark.parametrize(
    ("change", "expected"), [("original", "identifiers"), ("rows", "row counts")]
)
def test_a_fault_in_one_table_is_caught(change: str, expected: str, tmp_path: Path) -> None:
    case = first(tables=1, folder=tmp_path)
    assert expected in planted(case, tmp_path, change)
