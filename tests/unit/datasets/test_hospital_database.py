"""The made-up hospital database: its tables, keys and links, its skew, its bytes, and what it costs
to make."""

from __future__ import annotations

import csv
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from sfumato.datasets import (
    HOSPITAL_DATABASE_TYPES,
    hospital_tables,
    write_hospital_database,
)
from sfumato.datasets.hospital_database_policy import hospital_database_policy
from sfumato.errors import Mistake

LINKS = (
    ("visits", "patient_id", "patients"),
    ("visits", "physician_id", "physicians"),
    ("diagnoses", "visit_id", "visits"),
    ("procedures", "visit_id", "visits"),
    ("medications", "visit_id", "visits"),
)
KEYS = {"patients": "patient_id", "physicians": "physician_id", "visits": "visit_id"}


def rows(tables, table):
    return len(next(iter(tables[table].values())))


def numbers_of_visits(tables):
    """For each number of visits, how many patients have it."""
    has = Counter(tables["visits"]["patient_id"].tolist())
    return Counter(has[patient] for patient in tables["patients"]["patient_id"].tolist())


@pytest.mark.parametrize("size", ["small", "large"])
def test_tables_and_fields_are_those_of_the_types(size, request):
    tables = request.getfixturevalue(size)
    assert {table: tuple(columns) for table, columns in tables.items()} == {
        table: tuple(types) for table, types in HOSPITAL_DATABASE_TYPES.items()
    }
    for table, columns in tables.items():
        assert {len(column) for column in columns.values()} == {rows(tables, table)}


def test_the_default_has_as_many_patients_and_visits_as_the_paper(small):
    assert (rows(small, "patients"), rows(small, "visits")) == (
        300,
        7_617,
    )  # Sweeney 1997, section 3.8


@pytest.mark.parametrize("visits", [1, 2, 30, 7_617, 600_000])
def test_there_are_as_many_visits_as_asked_for(visits, tables_of):
    assert rows(tables_of(visits=visits), "visits") == visits


@pytest.mark.parametrize("size", ["small", "large"])
def test_visits_have_about_as_many_rows_as_they_should(size, request):
    tables = request.getfixturevalue(size)
    for table, share in (("diagnoses", 0.5), ("procedures", 0.3), ("medications", 0.6)):
        assert rows(tables, table) / rows(tables, "visits") == pytest.approx(share, rel=0.15)
        assert 4 < max(Counter(tables[table]["visit_id"].tolist()).values()) <= 14


@pytest.mark.parametrize("size", ["small", "large"])
def test_keys_are_unique_and_links_whole(size, request):
    tables = request.getfixturevalue(size)
    for table, key in KEYS.items():
        assert len(np.unique(tables[table][key])) == rows(tables, table)
    for table, field, target in LINKS:
        column = tables[table][field]
        values = column.compressed() if np.ma.isMaskedArray(column) else column
        assert np.isin(values, tables[target][KEYS[target]]).all()


def test_positions_count_from_one_and_codes_are_different_within_a_visit(large):
    for table, field in (("diagnoses", "code"), ("procedures", "code"), ("medications", "drug")):
        columns = large[table]
        pairs = Counter(zip(columns["visit_id"].tolist(), columns[field].tolist(), strict=True))
        assert max(pairs.values()) == 1
        if "position" in columns:
            visit = columns["visit_id"]
            starts = np.flatnonzero(np.diff(visit, prepend=-1))
            turns = np.arange(len(visit)) - np.repeat(starts, np.diff(starts, append=len(visit)))
            assert (columns["position"] == turns + 1).all()


@pytest.mark.parametrize("seed", [1997, 0, 1, 2, 3, 4, 5, 6])
def test_the_skew_is_that_of_the_paper(seed, tables_of):
    """001, section 3.8: 15 % unique, 30 % with four visits or less, 21 with one, over half of the
    numbers unique."""
    numbers = numbers_of_visits(tables_of(seed=seed))
    patients = sum(numbers.values())
    unique = sum(1 for many in numbers.values() if many == 1)
    assert unique / patients == pytest.approx(0.15, abs=0.025)
    assert sum(many for number, many in numbers.items() if number <= 4) / patients == pytest.approx(
        0.30, abs=0.02
    )
    assert numbers[1] == pytest.approx(21, abs=2)
    assert unique / len(numbers) > 0.5


@pytest.mark.parametrize("size", ["small", "large"])
def test_the_distribution_is_the_same_at_any_size(size, request):
    tables = request.getfixturevalue(size)
    numbers = numbers_of_visits(tables)
    patients = sum(numbers.values())
    assert 0.01 < numbers[0] / patients < 0.03  # A few never came.
    assert rows(tables, "visits") / patients == pytest.approx(25.4, abs=0.2)
    assert numbers[1] / patients == pytest.approx(0.07, abs=0.01)
    # A heavy tail: the tenth of the patients who come most have more than half of the visits.
    each = np.sort(np.repeat(list(numbers), list(numbers.values())))
    assert each[-patients // 10 :].sum() > 0.5 * each.sum()
    assert each[-1] > 300


def test_dates_come_in_the_order_of_a_life(large):
    patients, visits = large["patients"], large["visits"]
    assert (patients["birth"] <= patients["registered"]).all()
    at = np.searchsorted(patients["patient_id"], np.asarray(visits["patient_id"]))
    admitted, discharged = np.asarray(visits["admitted"]), np.asarray(visits["discharged"])
    assert (patients["registered"][at] <= admitted).all()
    known = ~np.isnat(discharged)
    assert (admitted[known] <= discharged[known]).all()
    assert admitted.min() == np.datetime64("2022-01-01")
    assert max(admitted.max(), discharged[known].max()) == np.datetime64("2025-12-31")


def test_the_default_is_in_the_order_in_which_it_was_written_down(small):
    """Patients by registration, visits by date: what an order of rows gives away (Sweeney 1997,
    section 3.7)."""
    for table, key, date in (
        ("patients", "patient_id", "registered"),
        ("visits", "visit_id", "admitted"),
    ):
        assert (np.diff(small[table][key]) > 0).all()
        assert (np.diff(np.asarray(small[table][date])) >= np.timedelta64(0)).all()


def test_chronic_patients_come_back_with_the_same_diagnosis_and_physician(small):
    for field in ("principal_diagnosis", "physician_id"):
        seen = {}
        for patient, value in zip(
            small["visits"]["patient_id"], small["visits"][field].tolist(), strict=True
        ):
            seen.setdefault(patient, []).append(value)
        often = [
            max(Counter(values).values()) / len(values)
            for values in seen.values()
            if len(values) > 50
        ]
        assert len(often) > 20
        assert np.mean(often) > 0.35


def test_diagnoses_befall_whom_they_can(large):
    patients, visits = large["patients"], large["visits"]
    at = np.searchsorted(patients["patient_id"], np.asarray(visits["patient_id"]))
    sex, code = patients["sex"][at], np.asarray(visits["principal_diagnosis"])
    assert (code == "C61").any()
    assert not ((code == "C61") & (sex == "f")).any()
    assert not ((code == "O80") & (sex == "m")).any()


def test_nulls_are_where_they_should_be_and_nowhere_else(large):
    shares = {
        (table, name): sum(value is None for value in column.tolist()) / len(column)
        for table, columns in large.items()
        for name, column in columns.items()
    }
    expected = {
        ("patients", "ssn"): 0.02,
        ("patients", "sex"): 1 / 300,
        ("patients", "ethnicity"): 0.01,
        ("visits", "physician_id"): 0.02,
        ("visits", "discharged"): 0.001,
    }
    assert {place for place, share in shares.items() if share} == set(expected)
    for place, share in expected.items():
        assert shares[place] == pytest.approx(share, rel=0.6)


def test_charges_are_whole_cents_above_nothing(large):
    for table in ("visits", "medications"):
        charges = np.asarray(large[table]["charges"])
        assert (charges >= 0).all()
        assert (np.round(charges, 2) == charges).all()


def test_the_same_seed_gives_the_same_rows_whatever_the_chunk(tables_of):
    one, other = tables_of(visits=300_000), tables_of(visits=300_000, chunk=70_001)
    for table, columns in one.items():
        for name, column in columns.items():
            assert column.tolist() == other[table][name].tolist(), (table, name)


def test_another_seed_gives_other_rows(small, tables_of):
    other = tables_of(seed=1)
    for table in ("visits", "diagnoses", "procedures", "medications", "patients", "physicians"):
        names = [name for name in small[table] if name not in KEYS.values() and name != "position"]
        # A table of another seed may have another length, and the types of physicians are always
        # the same.
        changing = [name for name in names if name != "specialty"]
        assert all(small[table][name].tolist() != other[table][name].tolist() for name in changing)


def test_batches_are_no_longer_than_asked_and_follow_what_they_link_to():
    seen = {table: set() for table in KEYS}
    for table, columns in hospital_tables(visits=20_000, chunk=3_000):
        assert {len(column) <= 3_000 for column in columns.values()} == {True}
        for child, field, target in LINKS:
            if child == table:
                assert {value for value in columns[field].tolist() if value is not None} <= seen[
                    target
                ]
        if table in KEYS:
            seen[table].update(columns[KEYS[table]].tolist())


def test_memory_does_not_grow_with_the_size():
    def peak(visits):
        tracemalloc.start()
        for _ in hospital_tables(visits=visits):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(2_000_000) < 1.25 * peak(500_000)


@pytest.mark.parametrize("settings", [{"visits": 0}, {"visits": -5}, {"chunk": 0}])
def test_sizes_below_one_are_refused(settings):
    with pytest.raises(Mistake, match="1 or more"):
        next(hospital_tables(**settings))


def test_files_hold_the_rows_and_are_the_same_for_the_same_seed(tmp_path, tables_of):
    first = write_hospital_database(tmp_path / "first", visits=2_000)
    again = write_hospital_database(tmp_path / "again", visits=2_000)
    other = write_hospital_database(tmp_path / "other", visits=2_000, seed=1)
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(
        [*(f"{table}.csv" for table in HOSPITAL_DATABASE_TYPES), "hospital.policy.toml"]
    )
    assert all((first / name).read_bytes() == (again / name).read_bytes() for name in names)
    assert (first / "visits.csv").read_bytes() != (other / "visits.csv").read_bytes()
    assert (first / "hospital.policy.toml").read_text(encoding="utf-8") == hospital_database_policy(
        2_000
    )
    with (first / "visits.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    visits = tables_of(visits=2_000)["visits"]
    assert [row["patient_id"] for row in read] == [
        str(patient) for patient in visits["patient_id"].tolist()
    ]
    assert [row["admitted"] for row in read] == [
        str(day)[:10] for day in visits["admitted"].tolist()
    ]
    assert [row["charges"] for row in read] == [
        f"{charge:.2f}" for charge in visits["charges"].tolist()
    ]
    assert [row["physician_id"] == "" for row in read] == visits["physician_id"].mask.tolist()


def test_files_written_again_into_a_folder_replace_the_old_ones(tmp_path):
    once = {
        path.name: path.read_bytes()
        for path in write_hospital_database(tmp_path, visits=500).iterdir()
    }
    twice = {
        path.name: path.read_bytes()
        for path in write_hospital_database(tmp_path, visits=500).iterdir()
    }
    assert once == twice
