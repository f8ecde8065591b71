"""Requirements and solvers where a table below the person's has quasi-identifiers; all is counted
by hand, in sets."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.parts import Shape
from sfumato.policy import RecodingKind, policy_from_table
from sfumato.releases import Release, release, verify
from sfumato.releases.checks import outcome_of
from sfumato.solvers import SOLVERS

NUMBER = {"role": "direct", "replace": "number"}
ZIP = {"role": "quasi", "hierarchy": {"prefix": [4, 3]}}
ILLS, DRUGS = ("flu", "cold", "gout"), ("aspirin", "insulin", "codeine")
Held = dict[tuple[str, ...], dict[str, set[str]]]


def policy(require: dict[str, Any], solve: dict[str, Any] | None = None) -> Any:
    return policy_from_table(
        {
            "entity": "people.id",
            "tables": {
                "people": {"key": "id", "fields": {"id": NUMBER, "zip": ZIP, "ill": "sensitive"}},
                "visits": {
                    "links": {"id": "people.id"},
                    "row_counts": {"linking": 0},
                    "fields": {"id": NUMBER, "stay": "quasi", "drug": "sensitive"},
                },
            },
            "require": {"k": 3, "max_suppression": 0.9} | require,
            "solve": solve or {"solver": "anytime", "work": 300},
        }
    )


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    chance, folder = Random(7), tmp_path / "clinic"
    folder.mkdir()
    people = [(f"p{n}", f"021{n % 3}{n % 5}", chance.choice(ILLS)) for n in range(60)]
    visits = [
        (row[0], chance.choice(("day", "week")), chance.choice(DRUGS))
        for row in people
        for _ in range(2)
    ]
    for name, header, rows in (
        ("people", ("id", "zip", "ill"), people),
        ("visits", ("id", "stay", "drug"), visits),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    return folder


def read(made: Release) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    out = []
    for name in ("people", "visits"):
        with Path(made.tables[name]).open(newline="") as file:
            out.append(list(csv.DictReader(file)))
    return out[0], out[1]


def held(made: Release, fields: tuple[str, ...], value: str) -> Held:
    """For each bin of visits over some fields, what each of its people has; the person's fields
    come over the link."""
    people, visits = read(made)
    own = {row["id"]: row for row in people}
    out: Held = defaultdict(lambda: defaultdict(set))
    for row in visits:
        joined = own[row["id"]] | row
        out[tuple(joined[name] for name in fields)][row["id"]].add(joined[value])
    return out


def is_diverse(bins: Held, *, l: int = 2) -> bool:  # noqa: E741
    for people in bins.values():
        values = set().union(*people.values())
        if len(values) < l or any(all(value in own for own in people.values()) for value in values):
            return False
    return True


@pytest.mark.long("a release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_values_are_diverse_in_the_bins_of_every_table(
    engine: str, clinic: Path, tmp_path: Path
) -> None:
    """Also those of people in bins of visits, and those of visits where only the person's fields
    are known."""
    decided = policy({"l_diversity": {"l": 2}})
    made = release(clinic, decided, to=tmp_path / "out", engine=engine)
    people, _ = read(made)
    own: Held = defaultdict(lambda: defaultdict(set))
    for row in people:
        own[row["zip"],][row["id"]].add(row["ill"])
    for bins in (
        own,
        *(held(made, ("zip", "stay"), value) for value in ("ill", "drug")),
        held(made, ("zip",), "drug"),
    ):
        assert is_diverse(bins)
    fields = [verdict.fields for verdict in made.verdicts if "diversity" in verdict.model]
    assert sorted(fields) == sorted([("zip",), *[("people.zip", "stay")] * 2, ("people.zip",)])
    assert outcome_of(verify(made.folder)) == "pass"


def test_the_bins_of_the_person_alone_are_looked_at_with_values_below(tmp_path: Path) -> None:
    """In each bin of visits one has aspirin and one insulin, and over both visits everybody has
    both: known by zip alone, the bin tells both drugs of everyone."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "people.csv").write_text(
        "id,zip,ill\n" + "".join(f"p{n},02138,{ILLS[n % 3]}\n" for n in range(6))
    )
    first = [f"p{n},day,{DRUGS[n % 2]}\np{n},week,{DRUGS[(n + 1) % 2]}\n" for n in range(6)]
    (folder / "visits.csv").write_text("id,stay,drug\n" + "".join(first))
    asked = {"l_diversity": {"l": 2, "fields": ["visits.drug"]}, "max_suppression": 0.0}
    with pytest.raises(NoRecodingFound):
        release(folder, policy(asked), to=tmp_path / "out", engine="reference")
    (folder / "visits.csv").write_text(
        "id,stay,drug\n" + "".join(row.split("\n")[0] + "\n" for row in first)
    )
    assert release(folder, policy(asked), to=tmp_path / "out", engine="reference").outcome == "pass"


COUNTED: dict[str, tuple[dict[str, Any], Callable[[Release], bool]]] = {
    "bin_sizes": (
        {"bin_sizes": {"visits.stay": 9, "zip": 5}},
        lambda made: (
            min(map(len, held(made, ("stay",), "ill").values())) >= 9
            and min(map(len, held(made, ("zip",), "ill").values())) >= 5
        ),
    ),
    "maximum_risk": (
        {"maximum_risk": 0.2},
        lambda made: min(map(len, held(made, ("zip", "stay"), "ill").values())) >= 5,
    ),
    "quasi_identifiers": (
        {"quasi_identifiers": [["zip"], ["visits.stay"]], "k": 4},
        lambda made: all(
            min(map(len, held(made, (name,), "ill").values())) >= 4 for name in ("zip", "stay")
        ),
    ),
    "anonymity": (
        {"anonymity": {"level": 0.5, "r2": 8, "e": 5, "loss": 0.4}},
        lambda made: min(map(len, held(made, ("zip", "stay"), "ill").values())) >= 5,
    ),
}


@pytest.mark.long("a release for each model; each second stays", every=2)
@pytest.mark.parametrize("key", COUNTED)
def test_what_is_counted_is_people_of_each_table(key: str, clinic: Path, tmp_path: Path) -> None:
    require, holds = COUNTED[key]
    made = release(clinic, policy(require), to=tmp_path / "out", engine="reference")
    assert holds(made)
    assert outcome_of(verify(made.folder)) == "pass"


@pytest.mark.long("a cross of models and solvers; each third cell stays", every=3)
@pytest.mark.parametrize(
    "solver",
    [
        key
        for key in SOLVERS
        if Shape.ACROSS_TABLES in SOLVERS[key].abilities.shapes
        and SOLVERS[key].abilities.recodes is not RecodingKind.NUMERIC
    ],
)
@pytest.mark.parametrize(
    "require", [{}, {"l_diversity": {"l": 2, "fields": ["ill"]}}], ids=["k", "k and l"]
)
def test_every_solver_that_declares_it_counts_people_over_tables(
    solver: str, require: dict[str, Any], clinic: Path, tmp_path: Path
) -> None:
    told = {"given": {"levels": {"zip": 1}}, "local": {"work": 3}, "k_similar": {"work": 20}}.get(
        solver, {}
    )
    made = release(
        clinic, policy(require, {"solver": solver} | told), to=tmp_path / "out", engine="reference"
    )
    people, visits = read(made)
    assert people
    assert visits
    assert {row["id"] for row in visits} <= {row["id"] for row in people}
    bins = held(made, ("zip", "stay"), "ill")
    assert min(map(len, bins.values())) >= 3
    assert not require or is_diverse(bins)
    assert outcome_of(verify(made.folder)) == "pass"


def test_a_register_is_held_against_the_person_s_own_fields(clinic: Path, tmp_path: Path) -> None:
    rows = "".join(f"021{n % 3}{n % 5}\n" for n in range(240))
    (tmp_path / "register.csv").write_text(f"zip\n{rows}")
    asked = {"k_map": {"k": 17, "population": str(tmp_path / "register.csv")}}
    made = release(clinic, policy(asked), to=tmp_path / "out", engine="reference")
    people, _ = read(made)
    register = [f"021{n % 3}{n % 5}" for n in range(240)]
    for row in people:
        assert sum(zip_.startswith(row["zip"].rstrip("*")) for zip_ in register) >= 17
    assert [verdict.fields for verdict in made.verdicts if verdict.model == "k-map"] == [("zip",)]


def test_a_field_that_nothing_has_is_told_before_anything_runs() -> None:
    with pytest.raises(PolicyError, match=r'There is no field "visits\.ward"'):
        policy({"bin_sizes": {"visits.ward": 3}})
