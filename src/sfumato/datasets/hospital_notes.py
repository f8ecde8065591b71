"""Notes for the made-up hospital: physicians' texts about visits, with names, dates, ages and
places of nobody.

They repeat the fields of the tables in words, which makes text dangerous beside a generalised
table."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import numpy as np

from .hospital import FIELDS, HOSPITAL_POLICY, LAST, write_hospital

TOWNS = {
    "02138": "Cambridge", "02139": "Cambridge", "02140": "Cambridge", "02141": "Cambridge", "02142": "Cambridge",
    "02143": "Somerville", "02144": "Somerville", "02145": "Somerville", "02148": "Malden", "02149": "Everett",
    "02150": "Chelsea", "02151": "Revere", "02152": "Winthrop", "02155": "Medford", "02163": "Boston",
    "02215": "Boston", "02445": "Brookline", "02446": "Brookline", "02458": "Newton", "02472": "Watertown",
    "02474": "Arlington", "02476": "Arlington", "02478": "Belmont", "02657": "Provincetown",
}  # fmt: skip
JOBS = (
    "teacher",
    "welder",
    "bus driver",
    "nurse",
    "farmer",
    "librarian",
    "cook",
    "bricklayer",
    "accountant",
    "florist",
)
COURSES = (
    "Tolerating treatment well; blood pressure 130/80.",
    "Complains of fatigue. Labs ordered, haemoglobin 11.2.",
    "No acute distress. Continue metformin 500 mg twice daily.",
    "Wound is clean. Ibuprofen 400 mg as needed.",
    "Chest is clear. Return in three months.",
)
FORMS = (
    "{name} is a {age}-year-old {job} from {town} ({zip}), seen on {day}. {course} {last} "
    "was born on {born}. "
    "Dr. {doctor}",
    "RE: {name}, MRN {record}\nDOB: {birth}\nSeen {us_day}. {title} {last}, a {job} aged "
    "{age}, lives in {town}. "
    "{course} {first} will call 617-555-{line}.",
    "Patient {last}, {first} ({age} y/o) came on {us_day}. Works as a {job} in {town}. "
    "{course} Signed, Dr. {doctor}",
    "{course} {first} turned {age} this year and lives near {zip}. Record {record}. Next "
    "visit with Dr. {doctor}.",
)
MONTHS = (
    "January February March April May June July August September October November December".split()
)
NOTES_POLICY = HOSPITAL_POLICY.replace(
    'replace = "remove"            # without this line it is scrubbed\n', ""
)
"""The policy of the made-up hospital table, under which its notes are scrubbed and released."""


def write_hospital_with_notes(path: Path, *, rows: int = 1_000, seed: int = 1997) -> Path:
    """The made-up hospital table with longer notes; everything else is as `write_hospital` has
    it."""
    write_hospital(path, rows=rows, seed=seed)
    with path.open(encoding="utf-8", newline="") as file:
        patients = list(csv.DictReader(file))
    generator = np.random.default_rng([seed, 8])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for row in patients:
            note = visit_note(generator, row, record=row["patient_id"], day=row["admitted"])
            writer.writerow(row | {"note": note})
    return path


def write_visit_notes(folder: Path, *, most: int = 1_000, seed: int = 1997) -> Path:
    """A table of notes for a folder of the made-up hospital database, about its first visits:
    `notes.csv`."""
    with (folder / "patients.csv").open(encoding="utf-8", newline="") as file:
        patients = {row["patient_id"]: row for row in csv.DictReader(file)}
    path = folder / "notes.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("visit_id", "note"))
        writer.writerows(_visit_notes(folder, patients, most=most, seed=seed))
    return path


def _visit_notes(
    folder: Path, patients: Mapping[str, dict[str, str]], *, most: int, seed: int
) -> Iterator[tuple[str, str]]:
    generator = np.random.default_rng([seed, 9])
    with (folder / "visits.csv").open(encoding="utf-8", newline="") as file:
        for number, visit in enumerate(csv.DictReader(file)):
            if number == most:
                return
            patient = patients[visit["patient_id"]]
            yield (
                visit["visit_id"],
                visit_note(generator, patient, record=visit["patient_id"], day=visit["admitted"]),
            )


def visit_note(
    generator: np.random.Generator, patient: Mapping[str, str], *, record: str, day: str
) -> str:
    """A note about a visit on an ISO `day` of a patient with a name, a birth, a sex and a zip; the
    same draws, the same note."""
    first, _, last = patient["name"].partition(" ")
    seen, born = date.fromisoformat(day), date.fromisoformat(patient["birth"] or "1950-01-01")
    form, course, job, doctor, line = (
        generator.choice(len(FORMS)),
        COURSES[generator.choice(len(COURSES))],
        JOBS[generator.choice(len(JOBS))],
        LAST[generator.choice(len(LAST))],
        generator.integers(0, 10_000),
    )
    return FORMS[form].format(
        name=patient["name"],
        first=first,
        last=last,
        title={"f": "Ms.", "m": "Mr."}.get(patient["sex"], "M."),
        age=(seen - born).days * 4 // 1461,
        born=f"{MONTHS[born.month - 1]} {born.day}, {born.year}",
        birth=f"{born.month}/{born.day}/{born.year}",
        day=f"{MONTHS[seen.month - 1]} {seen.day}, {seen.year}",
        us_day=f"{seen.month:02}/{seen.day:02}/{seen.year}",
        zip=patient["zip"],
        town=TOWNS.get(patient["zip"], "Boston"),
        job=job,
        record=record,
        course=course,
        doctor=doctor,
        line=f"{line:04}",
    )
