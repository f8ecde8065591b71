"""Every declared solver keeps to the finest level of a field, or a policy that asks it to is
refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

import sfumato
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import policy_from_table
from sfumato.solvers import SOLVERS

ROWS = [(age, sex) for age in range(20, 36) for sex in "FM" for _ in range(3)]
LABELS = {f"{low}-{low + 4}" for low in range(20, 36, 5)} | {"20-29", "30-39", "*"}
REQUIRE = {"datafly": {"k": 4}, "mu_argus": {"combinations": {"k": 2, "sizes": [2]}}}


def table(solver: str) -> dict[str, object]:
    ages = {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10]}}, "finest": 1}
    return {
        "fields": {"age": ages, "sex": "quasi"},
        "require": {"max_suppression": 0.5, **REQUIRE.get(solver, {"k": 3})},
        "solve": {"solver": solver},
    }


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_no_cell_is_finer_than_the_finest_level(solver: str, tmp_path: Path) -> None:
    if not SOLVERS[solver].abilities.holds_finest:
        with pytest.raises(PolicyError, match="finest"):
            policy_from_table(table(solver))
        return
    source = tmp_path / "people.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([("age", "sex"), *ROWS])
    made = sfumato.release(source, policy_from_table(table(solver)), to=tmp_path / "release")
    with (made.folder / made.table).open(newline="") as file:
        ages = {row["age"] for row in csv.DictReader(file)}
    assert ages <= LABELS


@pytest.mark.parametrize("solver", ["anytime", "local"])
def test_nothing_is_coarser_than_the_coarsest_level(solver: str, tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,sex\n21,F\n22,F\n38,M\n")
    wanted = table(solver)
    wanted["fields"]["age"] |= {"coarsest": 2}  # type: ignore[index]
    with pytest.raises(NoRecodingFound):
        sfumato.release(
            source,
            policy_from_table({**wanted, "require": {"k": 3, "max_suppression": 0.0}}),
            to=tmp_path / "release",
        )


@pytest.mark.parametrize("solver", ["greedy", "local", "mu_argus"])
def test_a_finest_level_that_a_requirement_asks_for_is_verified(solver):
    """Verifying knows no hierarchies, and still that the field has a finest level."""
    frame = pd.DataFrame({"zip": ["02138", "02139", "02141"] * 6, "sex": ["f", "m"] * 9})
    policy = {
        "fields": {
            "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}, "finest": 2},
            "sex": {"role": "quasi", "rank": 2},
        },
        "require": {
            "k": 2,
            "safe_harbor": {"zips": ["zip"]},
            "combinations": {"k": 2, "sizes": [1]},
        },
        "solve": {"solver": solver},
    }
    made = sfumato.release(frame, policy=policy)
    assert {check.outcome for check in sfumato.verify(made)} <= {"pass", "review"}
