"""Sets: the attacker overheard two diagnoses of yours.

A diagnosis alone is that of many. But the release shows which diagnoses are one patient's, and few
have both a burn and a cough. The attacker looks for a patient with both; who has the register of
the town as well looks among those of your birth, sex and ZIP.

The baseline is 1/k. The controls are the tables as they were, and the release without
k^m-anonymity."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from hospital import (
    CODES,
    SETS,
    Demographics,
    K,
    chances,
    hospital,
    labels_of,
    mean,
    policy,
    read,
    release_of,
    rows_by,
)

CODE = {"diagnoses.fields.code": SETS}
SPEC = SETS["hierarchy"]


def asked(m, **more):
    return {"k_m": {"table": "diagnoses", "field": "code", "k": K, "m": m} | more}


@pytest.fixture(scope="module")
def tables():
    """Some diagnoses are rare, and so are most pairs."""
    out = hospital(160)
    common = {code: CODES[n % 3] for n, code in enumerate(CODES)}
    kept = [row for row in out["diagnoses"] if int(row["vid"]) % 9 == 0 or row["code"] in CODES[:3]]
    kept += [row | {"code": common[row["code"]]} for row in out["diagnoses"] if row not in kept]
    return out | {"diagnoses": list({(row["vid"], row["code"]): row for row in kept}.values())}


def codes_of(rows):
    """The diagnoses of each patient, by pseudonym."""
    whose = {visit["vid"]: visit["pid"] for visit in rows["visits"]}
    out = {}
    for row in rows["diagnoses"]:
        out.setdefault(whose[row["vid"]], set()).add(row["code"])
    return out


@pytest.fixture(scope="module")
def overheard(tables):
    """Every pair of diagnoses of everyone: the attacker may have heard any."""
    codes = codes_of(tables)
    return [
        person | {"first": first, "second": second}
        for person in tables["patients"]
        for first, second in combinations(sorted(codes.get(person["pid"], ())), 2)
    ]


def by_pair(rows):
    above, codes = labels_of(SPEC, CODES), codes_of(rows)

    def fits(known, person):
        mine = codes.get(person["pid"], set())
        return all(above[known[name]] & mine for name in ("first", "second"))

    return fits


def with_register(decided, tables, rows):
    demographics, pair = Demographics(decided, tables["patients"]), by_pair(rows)
    return lambda known, person: demographics.fits(known, person) and pair(known, person)


def test_control_two_diagnoses_name_people_in_the_tables_as_they_were(tables, overheard):
    found = chances(overheard, tables["patients"], by_pair(tables))
    assert len(found) > 100
    assert max(found) == 1
    assert sum(chance > 1 / K for chance in found) > 12


def test_without_the_requirement_two_diagnoses_win(tables, overheard, tmp_path):
    rows = read(release_of(tables, tmp_path, policy()))
    assert max(chances(overheard, rows["patients"], by_pair(rows))) == 1


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_any_two_diagnoses_are_those_of_enough_people(tables, overheard, tmp_path, engine):
    rows = read(release_of(tables, tmp_path, policy(CODE, require=asked(2)), engine=engine))
    found = chances(overheard, rows["patients"], by_pair(rows))
    assert max(found) <= 1 / K
    assert min(found) > 0  # nothing was left out: everyone is among those who fit
    assert mean(found) > 1 / len(rows["patients"])
    assert (
        len({row["code"] for row in rows["diagnoses"]}) > 2
    )  # and the codes are still worth something


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_within_bins_two_diagnoses_and_the_register_find_no_one(
    tables, overheard, tmp_path, engine
):
    decided = policy(CODE, require=asked(2, within_bins=True))
    rows = read(release_of(tables, tmp_path, decided, engine=engine))
    found = chances(overheard, rows["patients"], with_register(decided, tables, rows))
    assert max(found) <= 1 / K
    assert any(found)


@pytest.mark.long("a release for a limit that is documented; what is promised stays")
def test_known_limit_two_diagnoses_and_the_register_without_it(tables, overheard, tmp_path):
    """Not protected, and documented: the pair is that of k patients, but of one who was born then
    and lives there."""
    decided = policy(CODE, require=asked(2))
    rows = read(release_of(tables, tmp_path, decided))
    assert max(chances(overheard, rows["patients"], with_register(decided, tables, rows))) == 1


@pytest.mark.long("a release for a limit that is documented; what is promised stays")
def test_known_limit_three_diagnoses_where_two_were_asked_for(tables, tmp_path):
    rows = read(release_of(tables, tmp_path, policy(CODE, require=asked(1))))
    codes = list(codes_of(rows).values())
    pairs = {pair for found in codes for pair in combinations(sorted(found), 2)}
    assert min(sum(set(pair) <= found for found in codes) for pair in pairs) < K
    assert all(sum(code in found for found in codes) >= K for code in set().union(*codes))


def test_sets_of_visits_and_of_diagnoses_at_once(tables, overheard, tmp_path):
    """Two requirements in two tables, and numbers of rows besides: each holds of what was released
    in the end."""
    decided = policy(
        CODE
        | {
            "visits.fields.ward": {"role": "sensitive", "hierarchy": {"suppress": True}},
            "visits.row_counts": {},
        },
        require={
            "k_m": [asked(2)["k_m"], {"table": "visits", "field": "ward", "k": 2 * K, "m": 2}]
        },
    )
    rows = read(release_of(tables, tmp_path, decided))
    assert max(chances(overheard, rows["patients"], by_pair(rows))) <= 1 / K
    wards = [
        {visit["ward"] for visit in visits} for visits in rows_by(rows["visits"], "pid").values()
    ]
    for pair in {pair for found in wards for pair in combinations(sorted(found), 2)}:
        assert sum(set(pair) <= found for found in wards) >= 2 * K


@pytest.mark.parametrize("within", [False, True])
def test_a_value_in_the_table_of_people_itself(tables, tmp_path, within):
    """A set of one: within bins, whoever knows birth, sex, ZIP and the value finds k people;
    without, fewer."""
    people = [
        person | {"blood": "abo"[int(person["pid"]) % 7 % 3]} for person in tables["patients"]
    ]
    decided = policy(
        {"patients.fields.blood": {"role": "sensitive", "hierarchy": {"suppress": True}}},
        require={
            "k_m": {"table": "patients", "field": "blood", "k": K, "m": 1, "within_bins": within}
        },
    )
    rows = read(release_of(tables | {"patients": people}, tmp_path, decided))["patients"]
    bins = Counter((row["born"], row["sex"], row["zip"], row["blood"]) for row in rows)
    assert (min(bins.values()) >= K) == within
