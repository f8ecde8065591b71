"""Who has a release with notes in it reads them to get back what the table generalised, or to find
out who it is.

The intruder knows what the made-up hospital's physicians write, has the released table and a
register with name, birth, sex and zip of every patient, and lacks the key. Each attack succeeds
beside notes that were released as they are, which is what a table without role "text" would do, and
fails on the release."""

from __future__ import annotations

import csv
import re
from collections import Counter
from datetime import date

import pytest

from sfumato.datasets import NOTES_POLICY, write_hospital_with_notes
from sfumato.datasets.hospital_notes import JOBS, MONTHS, TOWNS
from sfumato.policy import policy_from_table
from sfumato.policy.toml_file import tomllib
from sfumato.releases import Key
from sfumato.releases.pipeline import release

PEOPLE = 120
KEY = Key(bytes(range(32)))
AGE = re.compile(r"\b(\d{1,3})[ -]y(?:ear|/o)|aged (\d{1,3})|turned (\d{1,3})")
BORN = re.compile(r"born on (\w+) (\d+), (\d{4})|DOB: (\d+)/(\d+)/(\d{4})")


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_hospital_with_notes(
        tmp_path_factory.mktemp("hospital") / "patients.csv", rows=PEOPLE
    )


@pytest.fixture(scope="module")
def register(source):
    return read(source)


def released(source, folder, note=None):
    """The released rows; the number of the patient is released too, so that the attacks can be
    counted."""
    said = tomllib.loads(NOTES_POLICY)
    said["fields"]["note"] = note or {"role": "text"}
    said["fields"]["charges"] = "insensitive"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.one_row_flow.render", lambda facts: "")
        return read(
            release(
                source, policy_from_table(said), to=folder / "out", key=KEY, file_format="csv"
            ).table
        )


@pytest.fixture(scope="module")
def scrubbed(source, tmp_path_factory):
    return released(source, tmp_path_factory.mktemp("scrubbed"))


@pytest.fixture(scope="module")
def direct_only(source, tmp_path_factory):
    """Scrubbed only for what names somebody: what the table generalises goes all the same."""
    return released(
        source, tmp_path_factory.mktemp("direct"), {"role": "text", "scrub": {"purpose": "direct"}}
    )


@pytest.fixture(scope="module")
def as_it_is(source, tmp_path_factory):
    return released(
        source, tmp_path_factory.mktemp("plain"), {"role": "insensitive", "may_tell": ["zip"]}
    )


def whose(rows, register):
    """Each released row with the one it was made from, by the charges, which are nobody else's."""
    by_charges = {row["charges"]: row for row in register}
    assert len(by_charges) == PEOPLE
    return [(row, by_charges[row["charges"]]) for row in rows]


def births_read(note):
    """Birth dates that a note tells."""
    for month, day, year, m, d, y in BORN.findall(note):
        yield date(
            int(year or y), MONTHS.index(month) + 1 if month else int(m), int(day or d)
        ).isoformat()


def ages_read(note):
    return {int(found) for groups in AGE.findall(note) for found in groups if found}


def age(person):
    seen, born = (date.fromisoformat(person[name]) for name in ("admitted", "birth"))
    return (seen - born).days * 4 // 1461


def zips_read(note):
    return set(re.findall(r"\b0\d{4}\b", note))


def has_job(note):
    return any(job in note for job in JOBS)


ATTACKS = {
    "birth": lambda row, person: person["birth"] in births_read(row["note"]),
    "age": lambda row, person: age(person) in ages_read(row["note"]),
    "zip": lambda row, person: person["zip"] in zips_read(row["note"]),
    "town": lambda row, person: TOWNS[person["zip"]] in row["note"],
    "name": lambda row, person: any(part in row["note"].split() for part in person["name"].split()),
    "record": lambda row, person: person["patient_id"] in row["note"],
    "job and age": lambda row, person: (
        any(job in row["note"] for job in JOBS) and age(person) in ages_read(row["note"])
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_who_reads_the_notes_gets_back_what_the_table_generalised_if_they_are_as_they_were(
    attack, as_it_is, register
):
    found = sum(ATTACKS[attack](row, person) for row, person in whose(as_it_is, register))
    assert found > 0.15 * len(as_it_is)


@pytest.mark.long("a release for each attacker; each second stays", every=2)
@pytest.mark.parametrize("attack", ATTACKS)
def test_who_reads_the_scrubbed_notes_gets_nothing_back(attack, scrubbed, register):
    assert not [row for row, person in whose(scrubbed, register) if ATTACKS[attack](row, person)]


@pytest.mark.long("a release for each attacker; each second stays", every=2)
@pytest.mark.parametrize("attack", ["birth", "age", "zip", "town", "name", "record"])
def test_also_where_only_names_were_to_go(attack, direct_only, register):
    assert not [row for row, person in whose(direct_only, register) if ATTACKS[attack](row, person)]


def linked(rows, register):
    """Whom the intruder names by the register: by a name in the note, else by birth, age and zip;
    right or wrong."""
    right = wrong = 0
    for row, person in whose(rows, register):
        named = [one for one in register if one["name"] in row["note"]]
        read = {
            "birth": set(births_read(row["note"])),
            "age": ages_read(row["note"]),
            "zip": zips_read(row["note"]),
        }
        for key, test in (("birth", "birth"), ("age", None), ("zip", "zip")):
            if read[key]:
                values = read[key]
                pool = named or register
                named = [
                    one for one in pool if (age(one) if test is None else one[test]) in values
                ] or named
        if len(named) == 1:
            right += named[0] is person
            wrong += named[0] is not person
    return right, wrong


def test_links_to_the_register(as_it_is, scrubbed, register):
    right, _ = linked(as_it_is, register)
    assert right > 0.5 * len(as_it_is)
    right, _ = linked(scrubbed, register)
    assert right <= 1  # One in 250 is what guessing gets.


def test_no_name_of_any_patient_stands_in_anybodys_note(scrubbed, register):
    """So that a made-up name points to nobody of the collection either."""
    names = {row["name"] for row in register}
    assert not [row for row in scrubbed if any(name in row["note"] for name in names)]


def test_surrogates_tie_a_note_to_its_own_row_only(scrubbed):
    """Names in notes are drawn for each patient: the commonest is no more than chance makes it."""
    names = Counter(
        found
        for row in scrubbed
        for found in set(re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", row["note"]))
    )
    doctors = [count for name, count in names.items() if name.startswith("Dr ")]
    assert max(doctors, default=0) <= 5


def test_dates_in_the_note_and_in_the_table_move_together(scrubbed, register):
    """The note still says on which day of the table it was written, and not on which it was."""
    told = 0
    for row, person in whose(scrubbed, register):
        seen = date.fromisoformat(row["admitted"])
        written = (
            f"{MONTHS[seen.month - 1]} {seen.day}, {seen.year}",
            f"{seen.month:02}/{seen.day:02}/{seen.year}",
        )
        told += any(form in row["note"] for form in written)
        was = date.fromisoformat(person["admitted"])
        assert f"{was.month:02}/{was.day:02}/{was.year}" not in row["note"]
    assert told > 0.6 * len(scrubbed)
