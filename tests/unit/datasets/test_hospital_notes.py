"""Made-up notes say what the made-up tables say, the same for the same seed, and leave everything
else as it was."""

from __future__ import annotations

import csv
import tomllib

from sfumato.datasets import (
    HOSPITAL_POLICY,
    NOTES_POLICY,
    write_hospital,
    write_hospital_database,
    write_hospital_with_notes,
    write_visit_notes,
)
from sfumato.datasets.hospital import ZIPS
from sfumato.datasets.hospital_notes import TOWNS


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_only_the_notes_are_others(tmp_path):
    plain = read(write_hospital(tmp_path / "plain.csv", rows=50))
    noted = read(write_hospital_with_notes(tmp_path / "noted.csv", rows=50))
    for one, other in zip(plain, noted, strict=True):
        assert one | {"note": other["note"]} == other
        assert other["name"].split()[0] in other["note"]
    again = write_hospital_with_notes(tmp_path / "again.csv", rows=50)
    assert again.read_bytes() == (tmp_path / "noted.csv").read_bytes()


def test_notes_of_visits_are_about_their_patients(tmp_path):
    folder = write_hospital_database(tmp_path / "clinic", visits=60)
    notes = read(write_visit_notes(folder, most=20))
    patients = {row["patient_id"]: row for row in read(folder / "patients.csv")}
    visits = {row["visit_id"]: row for row in read(folder / "visits.csv")}
    assert len(notes) == 20
    for note in notes:
        patient = patients[visits[note["visit_id"]]["patient_id"]]
        assert patient["name"].split()[0] in note["note"]


def test_every_zip_has_a_town():
    assert {code for code, _ in ZIPS} == set(TOWNS)


def test_the_policy_differs_only_in_the_note():
    plain, noted = tomllib.loads(HOSPITAL_POLICY), tomllib.loads(NOTES_POLICY)
    assert plain["fields"].pop("note") == {"role": "text", "replace": "remove"}
    assert noted["fields"].pop("note") == {"role": "text"}
    assert plain == noted
