"""How much was left out: every reason counts, people where they have several rows, and a sample
apart."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from sfumato.errors import NoRecodingFound
from sfumato.policy import SOLVERS, policy_as_table, policy_from_table
from sfumato.releases import outcome_of, release, verify
from sfumato.releases.suppression import (
    BINS,
    COUNTS,
    FOLLOWED,
    HOUSEHOLDS,
    NOBODY,
    ROWS_DROPPED,
    SAMPLED,
    LeftOut,
    check_left_out,
)

NUMBER = {"role": "direct", "replace": "number"}


def write(path, fields, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(fields)
        writer.writerows(rows)
    return path


@pytest.fixture
def many_rows_of_few(tmp_path):
    """7 people with 10 rows each in one town, and 13 with one row each in a town of their own: 15.7
    % of the rows."""
    rows = [(n, "02138", "flu") for n in range(7) for _ in range(10)] + [
        (n, f"1{n:04}", "flu") for n in range(7, 20)
    ]
    return write(tmp_path / "visits.csv", ["id", "zip", "problem"], rows)


def by_person(max_suppression: float) -> Any:
    return policy_from_table(
        {
            "entity": "id",
            "fields": {"id": NUMBER, "zip": "quasi", "problem": "sensitive"},
            "require": {"k": 5, "max_suppression": max_suppression},
        }
    )


def test_people_are_counted_where_they_have_several_rows(many_rows_of_few, tmp_path):
    """Asked for at most 30 %, a recoding by which 15.7 % of the rows would go, and 65 % of the
    people, is not taken: a coarser one is."""
    made = release(many_rows_of_few, by_person(0.3), to=tmp_path / "out")
    said = made.manifest["tables"]["release"]["left_out"]
    assert (said["unit"], said["source"]) == ("people", 20)
    assert said["left_out"] <= 0.3 * 20
    assert outcome_of(verify(made.folder)) == "pass"


def test_what_was_left_out_is_in_the_manifest_by_reason(many_rows_of_few, tmp_path):
    made = release(many_rows_of_few, by_person(0.65), to=tmp_path / "out")
    said = made.manifest["tables"]["release"]["left_out"]
    assert said == {
        "unit": "people",
        "source": 20,
        "released": 7,
        "left_out": 13,
        "by_reason": {BINS: 13},
    }
    checks = verify(made.folder)
    assert outcome_of(checks) == "pass"
    assert any("left out are within max_suppression = 0.65" in check.claim for check in checks)


def linked(tmp_path, *, lonely: int, visits: int = 1):
    """20 people; the visits of `lonely` of them are in a ward of their own, the others' in one."""
    (tmp_path / "clinic").mkdir()
    write(tmp_path / "clinic" / "people.csv", ["id", "sex"], [(n, "fm"[n % 2]) for n in range(20)])
    rows = [
        (100 + 5 * n + v, n, f"ward {n}" if n < lonely else "east")
        for n in range(20)
        for v in range(visits)
    ]
    write(tmp_path / "clinic" / "visits.csv", ["id", "person", "ward"], rows)
    return tmp_path / "clinic"


def linked_policy(max_suppression: float, **visits: Any) -> Any:
    return policy_from_table(
        {
            "entity": "people.id",
            "tables": {
                "people": {"key": "id", "fields": {"id": NUMBER, "sex": "insensitive"}},
                "visits": {
                    "key": "id",
                    "links": {"person": "people.id"},
                    "row_counts": {"linking": 0.0},
                    "fields": {"id": NUMBER, "person": NUMBER, "ward": "quasi"},
                    **visits,
                },
            },
            "require": {"k": 4, "max_suppression": max_suppression},
        }
    )


def test_people_who_lose_all_their_rows_of_one_table_count(tmp_path):
    clinic = linked(tmp_path, lonely=3)
    made = release(clinic, linked_policy(0.15), to=tmp_path / "out")
    assert made.manifest["tables"]["visits"]["left_out"]["by_reason"] == {BINS: 3}
    assert made.manifest["tables"]["people"]["left_out"] == {
        "unit": "people",
        "source": 20,
        "released": 20,
        "left_out": 0,
        "by_reason": {},
    }
    assert outcome_of(verify(made.folder)) == "pass"


@pytest.mark.parametrize("most", [0.3, 0.99])
def test_people_who_lose_all_rows_to_share_numbers_of_rows_are_bound(tmp_path, most):
    """3 of 20 people came once and nobody else did: their row goes, and with it everybody of the
    table."""
    asked = few_visits(tmp_path, most)
    with pytest.raises(NoRecodingFound) as caught:
        release(tmp_path / "clinic", asked, to=tmp_path / "out")
    assert f"3 of 3 people of visits (100.0%) would be left out: 3 {COUNTS}" in caught.value.found
    assert "a smaller bin_size in row_counts" in caught.value.attempt
    assert not (tmp_path / "out").exists()


def test_rows_dropped_below_to_share_numbers_of_rows_are_told_and_warned_of(tmp_path):
    made = release(tmp_path / "clinic", few_visits(tmp_path, 1.0), to=tmp_path / "out")
    assert made.manifest["tables"]["visits"]["left_out"]["by_reason"] == {COUNTS: 3}
    assert any(
        "3 of 3 people with rows in visits have none" in warning
        for warning in made.manifest["warnings"]
    )
    assert outcome_of(verify(made.folder)) == "pass"


def few_visits(tmp_path, most: float) -> Any:
    clinic = tmp_path / "clinic"
    clinic.mkdir()
    write(clinic / "people.csv", ["id", "sex"], [(n, "fm"[n % 2]) for n in range(20)])
    write(clinic / "visits.csv", ["id", "person", "ward"], [(100 + n, n, "east") for n in range(3)])
    fields = {"id": NUMBER, "person": NUMBER, "ward": "insensitive"}
    return linked_policy(most, row_counts={"bin_size": 5}, fields=fields)


def test_people_who_lose_all_their_rows_in_small_bins_below_are_bound(tmp_path):
    """Asked for at most 12 %, the wards as they are would cost 3 of 37 visits, 8 %, and with them 3
    of 20 people, 15 %: so the wards are not left as they are."""
    clinic = linked(tmp_path, lonely=3)
    with (clinic / "visits.csv").open("a", encoding="utf-8", newline="") as file:
        file.writelines(f"{900 + n},{n},east\r\n" for n in range(3, 20))
    made = release(clinic, linked_policy(0.12), to=tmp_path / "out")
    for table in ("people", "visits"):
        said = made.manifest["tables"][table]["left_out"]
        assert (said["unit"], said["left_out"] <= 0.12 * 20) == ("people", True)
    assert outcome_of(verify(made.folder)) == "pass"


def test_a_sample_is_apart(tmp_path):
    rows = [(f"0213{n % 2}", "flu") for n in range(40)]
    source = write(tmp_path / "people.csv", ["zip", "problem"], rows)
    policy = policy_from_table(
        {
            "fields": {"zip": "quasi", "problem": "sensitive"},
            "steps": [{"technique": "sample", "share": 0.5, "within": ["zip"]}],
            "require": {"k": 5, "max_suppression": 0.0},
        }
    )
    made = release(source, policy, to=tmp_path / "out")
    assert made.manifest["tables"]["release"]["left_out"] == {
        "unit": "rows",
        "source": 20,
        "released": 20,
        "left_out": 0,
        "by_reason": {},
        "sampling": {SAMPLED: 20},
    }
    assert made.manifest["tables"]["release"]["rows"]["source"] == 40


@pytest.mark.long("a release for each solver and limit; each third stays", every=3)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("limit", [0.0, 0.15])
def test_no_solver_leaves_out_more_than_the_limit(tmp_path, solver, limit):
    """Refused, or within it: whatever the solver, and as the manifest says."""
    rows = [(f"0213{n % 3}", "fm"[n % 2], n) for n in range(40)] + [
        (f"9{n}000", "f", n) for n in range(4)
    ]
    source = write(tmp_path / "people.csv", ["zip", "sex", "cost"], rows)
    said: dict[str, Any] = {
        "fields": {
            "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
            "sex": "quasi",
            "cost": "insensitive",
        },
        "require": {"k": 3, "max_suppression": limit},
        "solve": {"solver": solver},
    }
    if solver == "given":
        said["solve"]["levels"] = {"zip": 1}
    if solver == "mu_argus":
        said["require"] |= {"combinations": {"k": 3, "sizes": [1, 2]}}
        said["require"].pop("k")
    if solver == "microaggregation":
        said["fields"] |= {"zip": "insensitive", "sex": "insensitive", "cost": "quasi"}
    try:
        made = release(source, policy_from_table(said), to=tmp_path / "out")
    except NoRecodingFound:
        return
    told = json.loads((made.folder / "manifest.json").read_text())["tables"]["release"]["left_out"]
    assert made.rows == told["released"] == 44 - told["left_out"]
    assert told["left_out"] <= limit * 44
    assert outcome_of(verify(made.folder)) == "pass"


def test_the_households_of_those_who_go_are_a_reason(tmp_path):
    rows = [("02138", f"h{n // 2}") for n in range(18)] + [("90210", "h8"), ("02138", "h9")]
    source = write(tmp_path / "people.csv", ["zip", "home"], rows)
    policy = policy_from_table(
        {
            "fields": {"zip": "quasi", "home": "direct"},
            "household": "home",
            "require": {"k": 3, "max_suppression": 0.2},
        }
    )
    made = release(source, policy, to=tmp_path / "out")
    assert made.manifest["tables"]["release"]["left_out"]["by_reason"] == {BINS: 1, HOUSEHOLDS: 2}


def test_the_refusal_names_every_table_and_what_to_try():
    policy = policy_from_table(
        {"fields": {"zip": "quasi"}, "require": {"k": 2, "max_suppression": 0.1}}
    )
    within = LeftOut(unit="people", source=10, by_reason={BINS: 1}, table="people")
    over = LeftOut(unit="people", source=9, by_reason={BINS: 2, COUNTS: 1}, table="visits")
    check_left_out(policy, (within,))
    with pytest.raises(NoRecodingFound, match=r"at most 10.0% of the people") as caught:
        check_left_out(policy, (within, over))
    assert caught.value.found.startswith(
        "3 of 9 people of visits (33.3%) would be left out: 2 bins"
    )
    assert "max_suppression = 0.334" in caught.value.attempt


@pytest.mark.parametrize("nobody", ["unknown", ""])
def test_rows_of_unknown_people_are_nobodys_and_counted_once(tmp_path, nobody):
    """10 of 30: ten visits name nobody, by no id or by ids that no table of people has."""
    clinic = linked(tmp_path, lonely=0)
    with (clinic / "visits.csv").open("a", encoding="utf-8", newline="") as file:
        file.writelines(f"{900 + n},{nobody and f'{nobody} {n}'},east\r\n" for n in range(10))
    asked = {"orphans": "remove", "fields": {"id": NUMBER, "person": NUMBER, "ward": "sensitive"}}
    with pytest.raises(NoRecodingFound) as caught:
        release(clinic, linked_policy(0.3, **asked), to=tmp_path / "out")
    assert (
        f"10 of 30 people of visits (33.3%) would be left out: 10 {NOBODY}." in caught.value.found
    )
    made = release(clinic, linked_policy(0.34, **asked), to=tmp_path / "out")
    said = made.manifest["tables"]["visits"]["left_out"]
    assert said == {
        "unit": "people",
        "source": 30,
        "released": 20,
        "left_out": 10,
        "by_reason": {NOBODY: 10},
    }


def test_people_lost_in_small_bins_are_not_said_to_have_gone_with_a_row_above(tmp_path):
    """One visit goes with its person; three people lose theirs in small bins, and the limit binds
    those."""
    clinic = linked(tmp_path, lonely=3)
    write(clinic / "people.csv", ["id", "sex"], [(n, "fm"[n % 2] if n else "x") for n in range(20)])
    table = policy_as_table(linked_policy(0.3))
    table["tables"]["people"]["fields"]["sex"] = "quasi"
    made = release(clinic, policy_from_table(table), to=tmp_path / "out")
    assert made.manifest["tables"]["visits"]["left_out"]["by_reason"] == {FOLLOWED: 1, BINS: 2}


def by_datafly(**require: Any) -> Any:
    return policy_from_table(
        {
            "fields": {"zip": "quasi", "cost": "insensitive"},
            "require": {"anonymity": {"level": 0.0, "r2": 3, "e": 3, "loss": 0.1}, **require},
            "solve": {"solver": "datafly"},
        }
    )


@pytest.mark.parametrize("household", [False, True])
def test_a_limit_of_nothing_binds_datafly_too(tmp_path, household):
    """2 of 20 rows go under its loss of 10 % in a field; under a policy that says 0, none does."""
    rows = [(f"0213{n % 2}", n % 7, n) for n in range(18)] + [("90210", 4, 18), ("90211", 5, 19)]
    source = write(tmp_path / "people.csv", ["zip", "cost", "home"], rows)

    def asked(**require: Any) -> Any:
        table = policy_as_table(by_datafly(**require))
        table["fields"]["home"] = "direct"
        return policy_from_table(table | ({"household": "home"} if household else {}))

    made = release(source, asked(), to=tmp_path / "out")
    assert made.manifest["tables"]["release"]["left_out"]["left_out"] == 2
    assert outcome_of(verify(made.folder)) == "pass"
    none = release(source, asked(max_suppression=0.0), to=tmp_path / "none")
    assert none.manifest["tables"]["release"]["left_out"]["left_out"] == 0


def test_the_limit_of_datafly_that_nobody_set_is_twice_its_loss():
    assert by_datafly().require.max_suppression == 0.2
    assert by_datafly(max_suppression=0.0).require.max_suppression == 0.0
    again = policy_from_table(policy_as_table(by_datafly(max_suppression=0.0)))
    assert again.require.max_suppression == 0.0


def test_rows_dropped_to_share_numbers_of_rows_are_told_in_tenths(tmp_path):
    """10 of 60 rows of people who keep others go; the manifest says at most 0.2, never how many
    were whose."""
    rows = [(n, "02138", "flu") for n in range(10) for _ in range(5 if n < 8 else 10)]
    source = write(tmp_path / "visits.csv", ["id", "zip", "problem"], rows)
    made = release(source, by_person(0.0), to=tmp_path / "out")
    said = made.manifest["tables"]["release"]["left_out"]
    assert made.rows == 50
    assert said["left_out"] == 0
    assert said[ROWS_DROPPED] == 0.2
    assert outcome_of(verify(made.folder)) == "pass"
