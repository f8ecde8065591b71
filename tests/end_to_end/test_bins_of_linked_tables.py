"""Solvers that recode bin by bin, where three linked tables have quasi-identifiers; everything is
counted by hand on what was released."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sfumato
from sfumato.errors import NoRecodingFound
from sfumato.policy import SOLVERS, RecodingKind, policy_from_table
from sfumato.releases import outcome_of, verify

QUASI = {"role": "quasi", "rank": 2}
NUMBER = {"role": "direct", "replace": "number"}
KINDS = (RecodingKind.LOCAL, RecodingKind.NUMERIC)
BY_BIN = [key for key, each in SOLVERS.all().items() if each.abilities.recodes in KINDS]
BY_K = [key for key in BY_BIN if key != "mu_argus"]
K = 3


def policy(solver: str, require: dict[str, Any] | None = None) -> Any:
    """Ages, days and doses as quasi-identifiers, one in each table, and the town of the person."""
    ages = QUASI | {"hierarchy": {"numbers": {"widths": [5, 20]}}}
    town = {"town": QUASI | {"hierarchy": {"prefix": [1]}}}
    town = {"town": "insensitive"} if solver == "microaggregation" else town
    combinations = {"combinations": {"k": K, "sizes": [1, 2]}} if solver == "mu_argus" else {}
    return policy_from_table(
        {
            "entity": "people.id",
            "tables": {
                "people": {"key": "id", "fields": {"id": NUMBER, "age": ages, **town}},
                "visits": {
                    "key": "visit",
                    "links": {"id": "people.id"},
                    "row_counts": {"linking": 0},
                    "fields": {"visit": NUMBER, "id": NUMBER, "days": QUASI},
                },
                "drugs": {
                    "links": {"visit": "visits.visit"},
                    "row_counts": {"linking": 0},
                    "fields": {"visit": NUMBER, "dose": QUASI, "drug": "sensitive"},
                },
            },
            "require": {"max_suppression": 0.6, "k": K, **combinations, **(require or {})},
            "solve": {"solver": solver},
        }
    )


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty people, of whom some have no visit and most visits have no drug."""
    draw, folder = Random(5), tmp_path_factory.mktemp("linked") / "clinic"
    folder.mkdir()
    people = [(f"p{n}", 20 + draw.randrange(6), draw.choice(("aa", "ab", "ba"))) for n in range(40)]
    visits = [
        (f"v{n}-{v}", f"p{n}", draw.randrange(1, 4)) for n in range(32) for v in range(1 + n % 3)
    ]
    drugs = [
        (visit, draw.randrange(1, 3), draw.choice(("x", "y", "z")))
        for visit, *_ in visits
        for _ in range(draw.randrange(3))
    ]
    for name, header, rows in (
        ("people", ("id", "age", "town"), people),
        ("visits", ("visit", "id", "days"), visits),
        ("drugs", ("visit", "dose", "drug"), drugs),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    return folder


def rows_of(made: sfumato.Release, name: str) -> list[dict[str, str]]:
    with Path(made.tables[name]).open(newline="") as file:
        return list(csv.DictReader(file))


def people_in_bins(made: sfumato.Release) -> dict[str, dict[tuple[str, ...], set[str]]]:
    """Of each table, who has rows with each combination of the quasi-identifiers of the table and
    of those above it, joined over released keys."""
    told = made.manifest["known_fields"]
    known = [name for name in ("age", "town") if f"people.{name}" in told]
    persons = {row["id"]: tuple(row[name] for name in known) for row in rows_of(made, "people")}
    visits = {
        row["visit"]: (row["id"], (*persons[row["id"]], row["days"]))
        for row in rows_of(made, "visits")
    }
    found: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    for who, cells in persons.items():
        found["people"][cells].add(who)
    for who, cells in visits.values():
        found["visits"][cells].add(who)
    for row in rows_of(made, "drugs"):
        who, cells = visits[row["visit"]]
        found["drugs"][*cells, row["dose"]].add(who)
    return found


@pytest.mark.long("a large release for each solver; one stays", but=("local",))
@pytest.mark.parametrize("solver", BY_K)
def test_every_bin_of_every_table_has_k_people(solver: str, clinic: Path, tmp_path: Path) -> None:
    made = sfumato.release(clinic, policy(solver), to=tmp_path / "out")
    found = people_in_bins(made)
    sizes = {name: min(map(len, bins.values())) for name, bins in found.items()}
    assert min(sizes.values()) >= K
    assert set(sizes) == {"people", "visits", "drugs"}
    assert made.manifest["solver"]["name"] == solver
    assert outcome_of(verify(made.folder)) == "pass"


@pytest.mark.long("a large release; another solver stays in this file")
def test_mu_argus_blanks_what_too_few_people_share(clinic: Path, tmp_path: Path) -> None:
    """Any cell and any two, of the tables above too; a blank says nothing."""
    require = {"k": 1, "combinations": {"k": K, "sizes": [1, 2]}}
    made = sfumato.release(clinic, policy("mu_argus", require), to=tmp_path / "out")
    for bins in people_in_bins(made).values():
        shared: dict[tuple[tuple[int, str], ...], set[str]] = defaultdict(set)
        for cells, whose in bins.items():
            shown = [(n, cell) for n, cell in enumerate(cells) if cell != "*"]
            for first in shown:
                for second in shown:
                    shared[tuple(sorted({first, second}))] |= whose
        assert min(map(len, shared.values())) >= K
    assert outcome_of(verify(made.folder)) == "pass"


@pytest.mark.long("two large releases; other fields stay in this file")
@pytest.mark.parametrize("solver", ["local", "greedy"])
def test_values_below_are_protected_too(solver: str, clinic: Path, tmp_path: Path) -> None:
    """No drug is had by everybody of a bin."""
    asked = {"l_diversity": {"l": 2, "fields": ["drugs.drug"]}, "max_suppression": 0.9}
    made = sfumato.release(clinic, policy(solver, asked), to=tmp_path / "out")
    assert {verdict.outcome for verdict in made.verdicts} == {"pass"}
    assert outcome_of(verify(made.folder)) == "pass"


def clinic_of_two(*, max_suppression: float) -> dict[str, object]:
    """A policy for people and their visits, both with a quasi-identifier, recoded locally."""
    return {
        "entity": "people.id",
        "tables": {
            "people": {"key": "id", "fields": {"id": NUMBER, "age": "quasi"}},
            "visits": {
                "links": {"id": "people.id"},
                "row_counts": {"linking": 0},
                "fields": {"id": NUMBER, "days": "quasi"},
            },
        },
        "require": {"k": 3, "max_suppression": max_suppression},
        "solve": {"solver": "local"},
    }


def test_people_without_rows_below_do_not_cost_others_theirs(tmp_path: Path) -> None:
    """One of each two people has a visit. By themselves the ages would stay, and no visit could;
    so the table of people is recoded with the visits in mind."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    people = "".join(f"p{n},{20 + n // 4}\n" for n in range(12))
    visits = "".join(f"p{n},1\n" for n in range(0, 12, 2))
    (folder / "people.csv").write_text(f"id,age\n{people}")
    (folder / "visits.csv").write_text(f"id,days\n{visits}")
    asked = policy_from_table(clinic_of_two(max_suppression=0.0))
    made = sfumato.release(folder, asked, to=tmp_path / "out")
    assert len(rows_of(made, "visits")) == 6
    assert len(rows_of(made, "people")) == 12


def test_rows_of_too_few_people_are_not_released(tmp_path: Path) -> None:
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "people.csv").write_text("id,age\n" + "".join(f"p{n},20\n" for n in range(6)))
    (folder / "visits.csv").write_text("id,days\np1,1\np2,1\n")
    asked = clinic_of_two(max_suppression=0.5)
    with pytest.raises(NoRecodingFound):
        sfumato.release(folder, policy_from_table(asked), to=tmp_path / "out")
