"""Across tables: the attacker knows who you are, and one visit of yours.

The table of patients has k of everyone, and so has the table of visits: no birth, sex and ZIP leads
to fewer than k patients, no ward and month to fewer than k visits. But the pseudonym stands in
both, and the attacker joins them: of the k patients who could be you, one was on that ward in that
month. And k visits of one month may all be one patient's.

The baseline is 1/k. The controls are the tables as they were, and the two tables each protected by
itself."""

from __future__ import annotations

import csv
import random
from collections import Counter

import pandas
import pyarrow
import pyarrow.parquet
import pytest

from hospital import (
    DATES,
    MARK,
    NUMBER,
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
from sfumato.engines import open_database
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.releases.pipeline import release
from sfumato.surveys import survey_tables

VISIT = {
    "visits.fields.admitted": {"role": "quasi", "hierarchy": DATES},
    "visits.fields.ward": "quasi",
}
LENIENT = {"max_suppression": 0.3}


@pytest.fixture(scope="module")
def tables():
    return hospital()


@pytest.fixture(scope="module")
def seen_once(tables):
    """Everyone who came, as the attacker knows them: birth, sex, ZIP, and the day and ward of one
    visit."""
    draw, visits = random.Random(31), rows_by(tables["visits"], "pid")
    return [
        person | {name: visit[name] for name in ("admitted", "ward", "vid")}
        for person in tables["patients"]
        if person["pid"] in visits
        for visit in [draw.choice(visits[person["pid"]])]
    ]


def by_both(decided, tables, rows):
    """Fits where the demographics do, and some visit of the same pseudonym is such as the known
    one."""
    demographics = Demographics(decided, tables["patients"])
    days = labels_of(DATES, (visit["admitted"] for visit in tables["visits"]))
    visits = rows_by(rows["visits"], "pid")

    def fits(known, person):
        return demographics.fits(known, person) and any(
            visit["admitted"] in days[known["admitted"]] and visit["ward"] in (known["ward"], "*")
            for visit in visits.get(person["pid"], ())
        )

    return fits


def test_control_one_visit_names_everyone_in_the_tables_as_they_were(tables, seen_once):
    assert mean(chances(seen_once, tables["patients"], by_both(policy(), tables, tables))) == 1


@pytest.fixture(scope="module")
def each_alone(tables, tmp_path_factory):
    """Two releases of single tables under one key: k patients in every bin of one, k visits in
    every bin of another."""
    key, rows = Key(bytes(range(32))), {}
    said = policy(VISIT)["tables"]
    for name in ("patients", "visits"):
        fields = said[name]["fields"] | {"pid": {"role": "direct", "replace": "hash"}}
        alone = policy_from_table({"fields": fields, "require": {"k": K, "max_suppression": 0.1}})
        to = tmp_path_factory.mktemp("alone") / name
        made = release(tables[name], alone, to=to, engine="reference", key=key)
        rows[name] = read_one(made.table)
    return rows


def read_one(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_table_by_itself_is_beaten_by_joining_them(tables, seen_once, each_alone):
    """Both releases pass; together they name people."""
    demographics = Demographics(policy(), tables["patients"])
    assert max(chances(seen_once, each_alone["patients"], demographics.fits)) <= 1 / K
    bins = Counter((visit["admitted"], visit["ward"]) for visit in each_alone["visits"])
    assert min(bins.values()) >= K
    found = chances(seen_once, each_alone["patients"], by_both(policy(VISIT), tables, each_alone))
    assert max(found) == 1
    assert mean(found) > 1 / K


@pytest.mark.long("a large release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_k_people_against_who_joins_the_tables(tables, seen_once, tmp_path, engine):
    decided = policy(VISIT)
    rows = read(release_of(tables, tmp_path, decided, engine=engine))
    found = chances(seen_once, rows["patients"], by_both(decided, tables, rows))
    assert max(found) <= 1 / K
    assert mean(found) > 1 / len(rows["patients"])  # it still helps, by as much as was allowed
    visits = sum(chance > 0 for chance in found)
    assert visits > 0.7 * len(found)  # most of the known visits are there to be looked for


def test_a_person_who_came_often_does_not_count_for_many(tmp_path):
    """One patient has k visits in one month on a ward where nobody else was: k rows, and one
    person."""
    tables = hospital(60)
    busy = tables["patients"][7]
    for n in range(2 * K):
        visit = {
            "vid": f"{90_000 + n}",
            "pid": busy["pid"],
            "mark": busy["mark"],
            "admitted": "2031-05-07",
        }
        tables["visits"].append(visit | {"ward": "burns", "charges": f"{n}.99"})
    decided = policy(VISIT | {"visits.fields.ward": "quasi"}, require=LENIENT)
    rows = read(release_of(tables, tmp_path, decided))
    people = {}
    for visit in rows["visits"]:
        people.setdefault((visit["admitted"], visit["ward"]), set()).add(visit["pid"])
    assert min(map(len, people.values())) >= K
    assert (
        max(
            chances(
                [busy | {"admitted": "2031-05-07", "ward": "burns"}],
                rows["patients"],
                by_both(decided, tables, rows),
            )
        )
        <= 1 / K
    )


# ------------------------------------------------------------------------------------------ a third
# table, and two ways


def by_all(decided, tables, rows):
    """As `by_both`, and the same visit has the known diagnosis."""
    demographics = Demographics(decided, tables["patients"])
    days = labels_of(DATES, (visit["admitted"] for visit in tables["visits"]))
    visits, codes = rows_by(rows["visits"], "pid"), rows_by(rows["diagnoses"], "vid")

    def fits(known, person):
        return demographics.fits(known, person) and any(
            visit["admitted"] in days[known["admitted"]]
            and visit["ward"] in (known["ward"], "*")
            and any(row["code"] in (known["code"], "*") for row in codes.get(visit["vid"], ()))
            for visit in visits.get(person["pid"], ())
        )

    return fits


@pytest.fixture(scope="module")
def told_of(tables, seen_once):
    """Those whose known visit has a diagnosis that the attacker heard of."""
    codes = rows_by(tables["diagnoses"], "vid")
    return [
        known | {"code": codes[known["vid"]][0]["code"]}
        for known in seen_once
        if known["vid"] in codes
    ]


@pytest.mark.parametrize("ways", [1, 2])
def test_a_visit_and_its_diagnosis(tables, told_of, tmp_path, ways):
    """Bins of diagnoses span the visit and the patient; also where a diagnosis names its patient
    directly as well."""
    changes = VISIT | {"diagnoses.fields.code": "quasi"}
    if ways == 2:
        whose = {visit["vid"]: visit["pid"] for visit in tables["visits"]}
        rows = [row | {"pid": whose[row["vid"]]} for row in tables["diagnoses"]]
        tables = tables | {"diagnoses": rows}
        changes |= {
            "diagnoses.links": {"vid": "visits.vid", "pid": "patients.pid"},
            "diagnoses.fields.pid": NUMBER,
            "diagnoses.fields.mark": MARK | {"may_tell": ["pid"]},
        }
    decided = policy(changes, require=LENIENT)
    rows = read(release_of(tables, tmp_path, decided))
    assert (
        max(chances(told_of, tables["patients"], by_all(decided, tables, tables))) == 1
    )  # the control
    found = chances(told_of, rows["patients"], by_all(decided, tables, rows))
    assert max(found) <= 1 / K
    assert any(found)


@pytest.mark.long("a release for a limit that is documented; what is promised stays")
def test_known_limit_two_visits_of_one_person(tables, tmp_path):
    """Not protected by k-people, and documented: who knows two visits at once. That is what
    k^m-anonymity is for."""
    decided = policy(VISIT)
    rows = read(release_of(tables, tmp_path, decided))
    demographics = Demographics(decided, tables["patients"])
    seen = {}
    for visit in rows["visits"]:
        seen.setdefault(visit["pid"], set()).add((visit["admitted"], visit["ward"]))
    two = [person for person in rows["patients"] if len(seen.get(person["pid"], ())) > 1]
    truth = {person["mark"]: person for person in tables["patients"]}
    alone = 0
    for person in two:
        pair = set(sorted(seen[person["pid"]])[:2])
        fit = [
            p
            for p in rows["patients"]
            if demographics.fits(truth[person["mark"]], p) and pair <= seen.get(p["pid"], set())
        ]
        alone += len(fit) == 1
    assert alone > 0


# ------------------------------------------------------------------------------------------- who
# was suppressed is gone


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_of_who_is_suppressed_nothing_stays_in_any_table(tables, tmp_path, engine):
    """A patient who is like nobody else is left out; the bill of one of their visits must not be in
    it either."""
    strange = tables["patients"][3]
    changed = [
        person | ({"zip": "99999", "born": "1901"} if person is strange else {})
        for person in tables["patients"]
    ]
    given = tables | {"patients": changed}
    made = release_of(
        given,
        tmp_path,
        policy(
            solve={"solver": "given", "levels": {"born": 1, "zip": 1}},
            require={"max_suppression": 0.9},
        ),
        engine=engine,
    )
    rows = read(made)
    gone = {person["mark"] for person in changed} - {person["mark"] for person in rows["patients"]}
    assert strange["mark"] in gone
    assert len(gone) > 10  # the control: there were rows to lose
    for name in ("visits", "diagnoses"):
        assert {row["mark"] for row in tables[name]} & gone
        assert not {row["mark"] for row in rows[name]} & gone
    charges = {row["charges"] for row in tables["visits"] if row["pid"] in gone}
    assert not charges & {row["charges"] for row in rows["visits"]}
    assert {row["pid"] for row in rows["visits"]} <= {person["pid"] for person in rows["patients"]}
    assert {row["vid"] for row in rows["diagnoses"]} <= {row["vid"] for row in rows["visits"]}
    numbers = sorted(int(person["pid"]) for person in rows["patients"])
    assert numbers[-1] - numbers[0] == len(numbers) - 1  # no gap tells that someone is missing


def test_a_parquet_file_has_no_place_for_what_was_suppressed(tables, tmp_path):
    """Not among its statistics, and not in the dictionaries that its columns point into; also where
    they were there in the source, whose columns are categories."""
    strange = tables["patients"][3]["pid"]
    people = pandas.DataFrame(tables["patients"])
    people.loc[people["pid"] == strange, ["zip", "sex"]] = ["99999", "strange"]
    visits = pandas.DataFrame(tables["visits"])
    visits.loc[visits["pid"] == strange, "ward"] = "strange"
    frames = {
        "patients": people.astype({"sex": "category"}),
        "visits": visits.astype({"ward": "category"}),
    }
    decided = policy_from_table(policy({"diagnoses": None}))
    made = release(
        frames, decided, to=tmp_path / "release", file_format="parquet", solver="anytime"
    )
    assert made.manifest["tables"]["patients"]["rows"]["suppressed"] > 0
    for path in made.tables.values():
        texts = [
            field.name
            for field in pyarrow.parquet.read_schema(path)
            if field.type == pyarrow.string()
        ]
        found = pyarrow.parquet.read_table(path, read_dictionary=texts)
        for name in texts:
            for chunk in found[name].chunks:
                assert set(chunk.dictionary.to_pylist()) <= set(chunk.to_pylist())
        assert b"strange" not in path.read_bytes()


def test_the_manifest_does_not_tell_how_many_rows_one_who_is_left_out_had(tables, tmp_path):
    """Where one patient is suppressed, so many visits fewer are theirs, and whoever misses a
    patient in the release knows of whom. The account of rows is the holder's; the manifest tells
    what is released."""
    strange = tables["patients"][3]["pid"]
    changed = [
        person | ({"sex": "x"} if person["pid"] == strange else {}) for person in tables["patients"]
    ]
    made = release_of(
        tables | {"patients": changed},
        tmp_path,
        policy(solve={"solver": "given", "levels": {"born": 3, "zip": 3}}),
    )
    told = {name: table["rows"] for name, table in made.manifest["tables"].items()}
    assert told["patients"]["suppressed"] == 1
    assert told["visits"] == {"released": made.accounts["visits"]["released"]}
    theirs = len(rows_by(tables["visits"], "pid")[strange])
    assert made.accounts["visits"]["gone with the row they hang on"] == theirs


# ------------------------------------------------------------------------------------ one table
# with rows of one person


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_one_table_in_which_a_person_has_a_bin_of_k_rows_to_themselves(tmp_path, engine):
    """Counting rows would pass: the bin has more than k of them. Whoever knows the place knows who
    was there."""
    draw = random.Random(6)
    rows = [
        {
            "pid": f"p{n}",
            "zip": draw.choice(("02138", "02139")),
            "ill": draw.choice(("flu", "gout")),
        }
        for n in range(40)
    ]
    rows += [{"pid": "p0", "zip": "94301", "ill": "plague"} for _ in range(2 * K)]
    assert (
        min(Counter(row["zip"] for row in rows).values()) >= K
    )  # as rows are counted, nothing is wrong
    fields = {
        "pid": NUMBER,
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
        "ill": "sensitive",
    }
    decided = {"entity": "pid", "row_counts": {"linking": 0.0}, "fields": fields}
    policy_of = policy_from_table(decided | {"require": {"k": K, "max_suppression": 0.3}})
    source = tmp_path / "rows.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    made = release(source, policy_of, to=tmp_path / "release", engine=engine)
    people = {}
    for row in read_one(made.table):
        people.setdefault(row["zip"], set()).add(row["pid"])
    assert people
    assert min(map(len, people.values())) >= K
    assert "94301" not in people
    assert [verdict.model for verdict in made.verdicts] == ["k-people"]


NUMBERED = {"role": "direct", "replace": "number"}
REMOVED = {"role": "direct", "replace": "remove"}


def _linked_city(folder):
    """Patients with a city, and two linked tables that hold codes of it."""
    draw = random.Random(16)
    folder.mkdir()
    patients, visits, bills = ["id,sex,city"], ["visit,patient,ward,place"], ["bill,patient,branch"]
    for person in range(200):
        city = draw.randrange(8)
        patients.append(f"P{person},{draw.choice('fm')},city{city}")
        visits += [f"V{person}-{n},P{person},w{draw.randrange(3)},c{city}" for n in range(2)]
        bills += [f"B{person}-{n},P{person},b{city}" for n in range(1 + person % 2)]
    for name, lines in (("patients", patients), ("visits", visits), ("bills", bills)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder


def _linked_policy(city, place, branch, **require):
    linked = {"patient": "patients.id"}
    fields = {"id": NUMBERED, "sex": "quasi", "city": city}
    visits = {"visit": NUMBERED, "patient": NUMBERED, "ward": "insensitive", "place": place}
    bills = {"bill": NUMBERED, "patient": NUMBERED, "branch": branch}
    return policy_from_table(
        {
            "entity": "patients.id",
            "tables": {
                "patients": {"key": "id", "fields": fields},
                "visits": {"key": "visit", "links": linked, "fields": visits},
                "bills": {"key": "bill", "links": linked, "fields": bills},
            },
            "require": {"k": 3, **require},
        }
    )


@pytest.mark.parametrize(
    ("city", "place", "branch", "told"),
    [
        (REMOVED, "insensitive", REMOVED, "patients.city is removed, and visits.place"),
        ("insensitive", REMOVED, REMOVED, "visits.place is removed, and patients.city"),
        (REMOVED, REMOVED, "sensitive", "visits.place is removed, and bills.branch"),
        (REMOVED, "quasi", REMOVED, "patients.city is removed, and visits.place"),
    ],
    ids=["child", "parent", "sibling", "counted child"],
)
def test_a_removed_field_is_told_by_a_linked_table(tmp_path, city, place, branch, told):
    """The city goes from the patients, and a code of it stays among their visits: who holds both
    tables reads everybody's city. Such a release is refused, and nothing is written."""
    source = _linked_city(tmp_path / "source")
    with pytest.raises(PolicyError) as refused:
        release(source, _linked_policy(city, place, branch), to=tmp_path / "out")
    said = [each.found for each in refused.value.problems]
    assert any(words.startswith(told) for words in said)
    assert not any("ward" in words for words in said)
    assert not (tmp_path / "out").exists()


def test_a_person_may_let_a_field_tell_what_a_linked_table_removes(tmp_path):
    source = _linked_city(tmp_path / "source")
    place = {"role": "insensitive", "may_tell": ["patients.city", "bills.branch"]}
    made = release(source, _linked_policy(REMOVED, place, REMOVED), to=tmp_path / "out")
    said = [words for words in made.manifest["warnings"] if "may_tell" in words]
    assert len(said) == 2
    assert all("visits.place in clear discloses it over the link" in words for words in said)
    place = {"role": "insensitive", "may_tell": ["patients.town"]}
    with pytest.raises(PolicyError, match="There is no field"):
        _linked_policy(REMOVED, place, REMOVED)
    with pytest.raises(PolicyError, match="Determining another field"):
        _linked_policy(REMOVED, {**REMOVED, "may_tell": ["patients.city"]}, REMOVED)


def test_the_survey_proposes_what_a_release_of_linked_tables_accepts(tmp_path):
    """A doctor's town is removed, since rows of doctors belong to nobody; the place of a visit
    reveals it. The proposal asks, and is not refused."""
    source = _linked_city(tmp_path / "source")
    visits = (source / "visits.csv").read_text().splitlines()
    towns = [line.rsplit("c", 1)[1] for line in visits[1:]]
    rows = [
        f"{line},D{town}{n % 5}"
        for n, (line, town) in enumerate(zip(visits[1:], towns, strict=True))
    ]
    (source / "visits.csv").write_text("\n".join([f"{visits[0]},doctor_id", *rows]) + "\n")
    doctors = [f"D{town}{n},town{town}" for town in range(8) for n in range(5)]
    (source / "doctors.csv").write_text("\n".join(["doctor_id,town", *doctors]) + "\n")
    with open_database(source) as database:
        found = survey_tables(database)
    assert "doctors.town" in found.disclosed["visits"]["place"]
    place = found.policy.tables["visits"].fields["place"]
    assert place.open
    assert "doctors.town" in place.may_tell
    made = release(source, found.policy, to=tmp_path / "out")
    assert any("doctors.town is removed" in words for words in made.manifest["warnings"])
