"""Somebody collects every state of every view of linked tables, and joins them by the pseudonym of
the patient: labels of the patient, and how many visits each view has."""

from __future__ import annotations

import csv
import random
import tomllib
from collections import Counter
from pathlib import Path

import duckdb
import pytest

import sfumato
from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.policy import policy_from_table
from sfumato.views.row_names import shared_row_names

KEY = Key(b"0123456789abcdef0123456789abcdef")
K = 3
POLICY = """
entity = "patients.pid"
[tables.patients]
key = "pid"
[tables.patients.fields]
pid = { role = "direct", replace = "hash" }
age = { role = "quasi", hierarchy = { numbers = { widths = [20, 40] } } }
zip = { role = "quasi", hierarchy = { prefix = [2, 1] } }
[tables.visits]
links = { pid = "patients.pid" }
row_counts = { bin_size = 3, linking = 1 }
[tables.visits.fields]
pid = { role = "direct", replace = "hash" }
ward = "quasi"
illness = "sensitive"
[require]
k = 3
max_suppression = 0.6
[solve]
solver = "anytime"
[recipient.research]
distortion = { age = 0.0, zip = 1.0 }
linking = { "visits.ward" = 0 }
[recipient.finance]
distortion = { age = 1.0, zip = 0.0 }
"""
Held = dict[str, tuple[object, ...]]


def write_tables(folder: Path, *, first: int, last: int) -> Path:
    """Patients from `first` to `last`, each with one or two visits."""
    chance, people = random.Random(5), []
    for number in range(240):
        visits = [(chance.choice("ab"), chance.choice(("flu", "gout"))) for _ in range(2)]
        person = f"p{number}", chance.randint(20, 79), chance.choice(("021", "031"))
        people.append((person, visits[: chance.choice((1, 1, 2))]))
    folder.mkdir(exist_ok=True)
    kept = people[first:last]
    rows = {
        "patients": [("pid", "age", "zip"), *(person for person, _ in kept)],
        "visits": [
            ("pid", "ward", "illness"),
            *((person[0], *visit) for person, visits in kept for visit in visits),
        ],
    }
    for name, lines in rows.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
    return folder


def held(file: Path) -> Held:
    """Labels of each patient, and the wards of all visits, as often as they are there."""
    with duckdb.connect(str(file), read_only=True) as connection:
        people = connection.execute("SELECT pid, age, zip FROM patients").fetchall()
        visits = connection.execute("SELECT pid, ward FROM visits").fetchall()
    return {
        pid: (age, zip_code, *sorted(str(ward) for whose, ward in visits if whose == pid))
        for pid, age, zip_code in people
    }


def smallest_class(states: list[Held]) -> int:
    people = set().union(*states)
    return min(Counter(tuple(state.get(each) for state in states) for each in people).values())


def test_all_states_of_linked_views_single_out_nobody(tmp_path: Path) -> None:
    """A recipient of finance knows wards, so research's view is judged by them too."""
    states: list[Held] = []
    for first, last in [(0, 200), (4, 240)]:
        source = write_tables(tmp_path / "clinic", first=first, last=last)
        made = sfumato.refresh_views(source, POLICY, to=tmp_path / "views", key=KEY)
        states += [held(tmp_path / "views" / f"{name}.duckdb") for name in ("research", "finance")]
        assert made.verdicts["together"].outcome == "pass"
        assert made.verdicts["together"].smallest == smallest_class(states) >= K
    assert min(map(len, states)) > 60


@pytest.mark.long("the control of the attack; that of plain views in test_views.py stays")
def test_plain_releases_of_the_same_tables_do_single_people_out(tmp_path: Path) -> None:
    source = write_tables(tmp_path / "clinic", first=0, last=200)
    states: list[Held] = []
    for name in ("research", "finance"):
        made = sfumato.release(source, f'release_to = "{name}"\n{POLICY}', key=KEY)
        patients, visits = made.frame["patients"], made.frame["visits"]
        states.append(
            {
                pid: (
                    age,
                    zip_code,
                    *sorted(w for p, w in zip(visits.pid, visits.ward, strict=True) if p == pid),
                )
                for pid, age, zip_code in zip(patients.pid, patients.age, patients.zip, strict=True)
            }
        )
    assert smallest_class(states) < K


def test_views_of_linked_tables_refuse_what_nobody_judges_over_releases(tmp_path: Path) -> None:
    source = write_tables(tmp_path / "clinic", first=0, last=200)
    asked = POLICY.replace(
        "[solve]",
        '[[require.k_m]]\ntable = "visits"\nfield = "illness"\nk = 3\nm = 1\n[solve]',
    ).replace(
        'illness = "sensitive"', 'illness = { role = "sensitive", hierarchy = { suppress = true } }'
    )
    with pytest.raises(Mistake, match="k_m"):
        sfumato.refresh_views(source, asked, to=tmp_path / "views", key=KEY)
    with pytest.raises(Mistake, match="entity is the person"):
        sfumato.refresh_views(source, POLICY, to=tmp_path / "views", key=KEY, person="visits.pid")
    assert not (tmp_path / "views").exists()


COUNTS = """
entity = "people.pid"
[tables.people]
key = "pid"
[tables.people.fields]
pid = { role = "direct", replace = "hash" }
sex = "quasi"
[tables.visits]
links = { pid = "people.pid" }
row_counts = { bin_size = 3 }
[tables.visits.fields]
pid = { role = "direct", replace = "hash" }
[tables.drugs]
links = { pid = "people.pid" }
row_counts = { bin_size = 3 }
[tables.drugs.fields]
pid = { role = "direct", replace = "hash" }
[require]
k = 3
max_suppression = 0.3
[solve]
solver = "anytime"
[recipient.lab]
"""


def smallest_by_counts(made: sfumato.Release) -> int:
    """The fewest people with the same sex and the same numbers of visits and drugs."""
    frames = made.frame
    visits, drugs = (Counter(frames[name]["pid"]) for name in ("visits", "drugs"))
    people = zip(frames["people"]["pid"], frames["people"]["sex"], strict=True)
    return min(Counter((sex, visits[pid], drugs[pid]) for pid, sex in people).values())


def test_numbers_of_rows_over_several_tables_single_out_nobody(tmp_path: Path) -> None:
    """Each number is shared by three, their combinations are not; with profiles they are."""
    chance = random.Random(2)
    people = [(f"p{n}", chance.choice("fm")) for n in range(60)]
    source = tmp_path / "clinic"
    source.mkdir()
    for name in ("visits", "drugs"):
        rows = [(pid,) for pid, _ in people for _ in range(chance.choice((1, 2, 3)))]
        with (source / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("pid",), *rows])
    with (source / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("pid", "sex"), *people])
    plain = sfumato.release(source, f'release_to = "lab"\n{COUNTS}', to=tmp_path / "a", key=KEY)
    assert smallest_by_counts(plain) < K
    made = sfumato.release_profiles(source, COUNTS, to=tmp_path / "b", key=KEY)
    assert smallest_by_counts(made.releases["lab"]) >= K
    assert len(made.releases["lab"].frame["people"]) >= 42


DIAGNOSES = """
entity = "people.pid"
[tables.people]
key = "pid"
[tables.people.fields]
pid = { role = "direct", replace = "number" }
sex = "quasi"
[tables.doctors]
key = "doc"
[tables.doctors.fields]
doc = { role = "direct", replace = "number" }
[tables.visits]
key = "vid"
links = { pid = "people.pid", doc = "doctors.doc" }
[tables.visits.fields]
vid = { role = "direct", replace = "number" }
pid = { role = "direct", replace = "number" }
doc = { role = "direct", replace = "number" }
ward = "quasi"
[tables.diagnoses]
links = { vid = "visits.vid" }
[tables.diagnoses.fields]
vid = { role = "direct", replace = "number" }
code = "sensitive"
[require]
k = 5
max_suppression = 0.2
[solve]
solver = "anytime"
[recipient.lab]
"""


def test_links_between_the_rows_of_a_person_single_out_nobody(tmp_path: Path) -> None:
    """Everybody has two visits and two diagnoses. One person has both in one visit, another one
    saw two doctors; who knows that finds them in a release that compares labels alone."""
    clinic = tmp_path / "clinic"
    clinic.mkdir()
    people = range(40)
    visits = [
        (f"v{p}{n}", f"p{p}", f"d{p % 4 + (p == 7 and n == 1)}", "ab"[n])
        for p in people
        for n in (0, 1)
    ]
    diagnoses = [(f"v{p}{0 if p == 3 else n}", "flu") for p in people for n in (0, 1)]
    for name, lines in {
        "people": [("pid", "sex"), *((f"p{p}", "f") for p in people)],
        "doctors": [("doc",), *((f"d{n}",) for n in range(5))],
        "visits": [("vid", "pid", "doc", "ward"), *visits],
        "diagnoses": [("vid", "code"), *diagnoses],
    }.items():
        with (clinic / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
    assert len(patterns(sfumato.release(clinic, DIAGNOSES, to=tmp_path / "plain"))) == 3
    together = sfumato.release_profiles(clinic, DIAGNOSES, to=tmp_path / "profiles")
    assert together.held_back == {"lab": 2}
    assert patterns(together.releases["lab"]) == {(1, (1, 1)): 38}


def patterns(made: sfumato.Release) -> Counter[tuple[int, tuple[int, ...]]]:
    """How many people have how many doctors, and how many diagnoses in their visits."""
    visits, diagnoses = made.frame["visits"], Counter(made.frame["diagnoses"]["vid"])
    rows = [*zip(visits["pid"], visits["doc"], visits["vid"], strict=True)]
    return Counter(
        (
            len({doc for whose, doc, _ in rows if whose == pid}),
            tuple(sorted(diagnoses[vid] for whose, _, vid in rows if whose == pid)),
        )
        for pid in made.frame["people"]["pid"]
    )


def test_two_profiles_whose_visits_have_one_name_are_refused(tmp_path: Path) -> None:
    """A holder of both joins them visit by visit: one shows the ward, the other one the doctor."""
    two = DIAGNOSES + "[recipient.office]\n"
    hashed = two.replace(
        'vid = { role = "direct", replace = "number" }',
        'vid = { role = "direct", replace = "hash" }',
    )
    with pytest.raises(Mistake, match=r"visits\.vid, .* would be the same in each release"):
        sfumato.release_profiles(tmp_path, hashed, to=tmp_path / "both", key=KEY)
    with pytest.raises(Mistake, match=r"visits\.vid, diagnoses\.vid would be the same"):
        sfumato.refresh_views(tmp_path, hashed, to=tmp_path / "views", key=KEY)
    assert not list(tmp_path.iterdir())
    numbered = policy_from_table(tomllib.loads(two))
    assert not list(shared_row_names(numbered, has_key=True))
