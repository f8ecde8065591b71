"""Pseudonyms and places: the attacker knows the order in which patients were numbered, and has last
year's release.

Patients were numbered as they came, so that the number, or the place of a row, says who was before
whom (Sweeney 1997, sections 3.7 and 3.9). The attacker lines up the pseudonyms of the release with
the numbers that the hospital has on its letters, and rows with the places they had. And who follows
a pseudonym from one release into another gathers what each of them says.

The baseline is chance. The controls are the source, and a release with the key that the holder
kept."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from clinic import interval

from hospital import MARK, hospital, policy, released
from sfumato.releases import Key

HASH = {"role": "direct", "replace": "hash"}
KEYS = ("patients.fields.pid", "visits.fields.pid", "visits.fields.vid", "diagnoses.fields.vid")
HASHED = dict.fromkeys(KEYS, HASH)
ALL = {"max_suppression": 0.0}


@pytest.fixture(scope="module")
def tables():
    return hospital(150)


@pytest.fixture(scope="module")
def leaving(tables, tmp_path_factory):
    """A release by its engine and its kind of pseudonyms, made once; `again` tells one from
    another."""

    @cache
    def leave(engine, how, again=0):
        changes = HASHED if how == "hash" else {}
        return released(
            tables, tmp_path_factory.mktemp("leaving"), policy(changes, require=ALL), engine=engine
        )

    return leave


def ranks(values):
    place = {value: n for n, value in enumerate(sorted(values))}
    return [place[value] for value in values]


def correlation(first, second):
    """Spearman's: of ranks, without ties."""
    size = len(first)
    squares = sum((a - b) ** 2 for a, b in zip(ranks(first), ranks(second), strict=True))
    return 1 - 6 * squares / (size * (size**2 - 1))


def by_mark(rows, name):
    return {row["mark"]: row[name] for row in rows}


@pytest.mark.long("a release for each replacement and engine; one stays", but=("reference-number",))
@pytest.mark.parametrize("how", ["number", "hash"])
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_one_person_has_one_pseudonym_in_every_table_and_no_one_else_has_it(
    tables, leaving, engine, how
):
    rows = leaving(engine, how)
    names = by_mark(rows["patients"], "pid")
    assert len(set(names.values())) == len(rows["patients"])
    assert {(row["mark"], row["pid"]) for row in rows["visits"]} <= set(names.items())
    whose = {row["vid"]: row["mark"] for row in rows["visits"]}
    assert len(whose) == len(rows["visits"])
    assert all(whose[row["vid"]] == row["mark"] for row in rows["diagnoses"])
    originals = {row["pid"] for row in tables["patients"]} | {
        row["vid"] for row in tables["visits"]
    }
    assert not originals & {*names.values(), *whose}


@pytest.mark.long("two releases on each engine; one engine stays", every=3)
@pytest.mark.parametrize(
    ("engine", "how"), [("reference", "number"), ("reference", "hash"), ("duckdb", "number")]
)
def test_no_one_is_followed_into_another_release(leaving, engine, how):
    """Without a key, pseudonyms are drawn again: as many stay the same as chance lets."""
    first, second = (by_mark(leaving(engine, how, again)["patients"], "pid") for again in range(2))
    same = sum(second.get(mark) == name for mark, name in first.items())
    assert len(first) == 150
    assert (
        same <= 8
    )  # one is expected of numbers drawn from one row of them, more than 8 once in 10^6 runs


def test_with_the_holder_s_key_the_same_people_have_the_same_pseudonyms(tables, tmp_path):
    """The control, and what the key is for: in every table, also from one engine to another."""
    key = Key(bytes(range(32)))
    first, second = (
        released(tables, tmp_path, policy(HASHED), engine=use, key=key)
        for use in ("reference", "duckdb")
    )
    for name, field in (("patients", "pid"), ("visits", "vid")):
        assert sorted(row[field] for row in first[name]) == sorted(
            row[field] for row in second[name]
        )


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_numbers_and_places_tell_nothing_of_the_order_of_the_source(tables, leaving, engine):
    """Rank correlations near none: with 150 rows and more, one of 0.4 comes by chance once in 10^6
    runs.

    Rows may stand in the order of their numbers, which are drawn at random: their places then say
    what they do."""
    rows = leaving(engine, "number")
    bills = {row["charges"]: n for n, row in enumerate(tables["visits"])}
    for found, before, numbers in (
        (rows["patients"], [int(row["mark"]) for row in rows["patients"]], "pid"),
        (rows["visits"], [bills[row["charges"]] for row in rows["visits"]], "vid"),
    ):
        assert len(found) >= 150
        assert abs(correlation(before, [int(row[numbers]) for row in found])) < 0.4
        assert abs(correlation(before, range(len(found)))) < 0.4


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_rows_of_one_visit_do_not_stand_together(tables, leaving, engine):
    """Of two rows one after the other, as many are of one visit as chance has it. In the source,
    nearly a third are."""
    rows = leaving(engine, "number")["diagnoses"]

    def together(found):
        return sum(first["vid"] == second["vid"] for first, second in pairwise(found))

    low, _ = interval(together(rows), len(rows))
    assert together(tables["diagnoses"]) / len(rows) > 0.2
    assert low < 0.02


def test_keys_of_two_tables_that_have_one_name_do_not_tell_which_are_equal(tables, tmp_path):
    """Patients and visits are both numbered from 1 under `id`. The dates of visits tell which came
    first; if patient 7 had the pseudonym of visit 7, they would tell which patient did."""
    people = [person | {"id": str(n)} for n, person in enumerate(tables["patients"], start=1)]
    number = {person["pid"]: person["id"] for person in people}
    visits = [
        visit | {"id": str(n), "who": number[visit["pid"]]}
        for n, visit in enumerate(tables["visits"], start=1)
    ]
    given = {
        "patients": [_without(row, "pid") for row in people],
        "visits": [_without(row, "pid", "vid") for row in visits],
    }
    said = policy()["tables"]
    told = {
        "patients": {"mark": MARK | {"may_tell": ["id"]}},
        "visits": {"charges": {"role": "insensitive", "may_tell": ["id"]}},
    }
    told["visits"]["mark"] = MARK | {"may_tell": ["who"]}
    fields = {
        name: _without(said[name]["fields"], "pid", "vid") | {"id": HASH} | told[name]
        for name in given
    }
    decided = policy(require=ALL) | {
        "entity": "patients.id",
        "tables": {
            "patients": {"key": "id", "fields": fields["patients"]},
            "visits": {
                "key": "id",
                "links": {"who": "patients.id"},
                "row_counts": {"linking": 0.0},
                "fields": fields["visits"] | {"who": HASH},
            },
        },
    }
    rows = released(given, tmp_path, decided, key=Key(bytes(range(32))))
    assert {row["who"] for row in rows["visits"]} <= {row["id"] for row in rows["patients"]}
    assert not {row["id"] for row in rows["visits"]} & {row["id"] for row in rows["patients"]}


def _without(row, *names):
    return {name: value for name, value in row.items() if name not in names}
