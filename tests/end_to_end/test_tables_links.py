"""Links between the tables of a release: rows that are nobody's, reference tables, and two ways to
the person."""

from __future__ import annotations

from collections import Counter

import pytest
from linked_clinic import (
    NUMBER,
    PEOPLE,
    assert_whole,
    clinic,
    failing,
    policy,
    problems,
    read,
    released,
)

from sfumato.errors import NoRecodingFound

# -----------------------------------------------------------------------------------------------
# rows that are nobody's


def spoilt():
    """A visit of nobody with two tests, one of a person who is not there, and two tests of no
    visit."""
    tables = clinic()
    visit, test = tables["visits"][0], tables["tests"][0]
    tables["visits"] += [visit | {"id": 900, "person": None}, visit | {"id": 901, "person": 77}]
    tables["tests"] += [test | {"visit": v, "mark": "nobody"} for v in (900, 900, 901, None, 555)]
    return tables


def test_rows_that_are_nobody_s_are_refused_with_their_number(tmp_path):
    found = problems(spoilt(), policy(), tmp_path / "out")
    assert [(where, said.split(" rows")[0]) for where, said in found] == [
        ("tables.visits", "2"),
        ("tables.tests", "2"),
    ]


@pytest.mark.long("a release on each engine; one engine stays", but=("duckdb",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_rows_that_are_nobody_s_are_removed_where_the_policy_says_so(tmp_path, engine):
    said = policy({"visits.orphans": "remove", "tests.orphans": "remove"})
    with pytest.raises(NoRecodingFound, match="2 without a person"):
        released(spoilt(), said, tmp_path / "refused", engine=engine)
    said["require"] = said["require"] | {"max_suppression": 0.2}
    made = released(spoilt(), said, tmp_path / "out", engine=engine)
    rows = read(made)
    assert_whole(rows)
    assert not [
        row for name in ("visits", "tests") for row in rows[name] if row["mark"] == "nobody"
    ]
    told = made.accounts
    assert (told["visits"]["without a person"], told["tests"]["without a person"]) == (2, 2)
    assert told["tests"]["gone with the row they hang on"] == 3
    for counted in told.values():  # every row of the source is accounted for
        assert counted["source"] == sum(
            count for what, count in counted.items() if what != "source"
        )


def test_a_person_without_a_key_and_a_key_that_repeats(tmp_path):
    tables = clinic()
    tables["people"][5]["id"] = None
    tables["visits"][1]["id"] = tables["visits"][0]["id"]
    tables["visits"] = [row for row in tables["visits"] if row["person"] != 6]
    assert [where for where, _ in problems(tables, policy({"tests": None}), tmp_path / "out")] == [
        "tables.people",
        "tables.visits.key",
    ]


@pytest.mark.long("a release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_a_link_to_a_reference_table_may_be_missing_but_not_lead_nowhere(tmp_path, engine):
    tables = clinic()
    tables["visits"][4]["doctor"] = None
    rows = read(released(tables, policy(), tmp_path / "out", engine=engine))
    assert [row["doctor"] for row in rows["visits"]].count(None) == 1
    assert {row["doctor"] for row in rows["visits"]} - {None} <= {
        row["id"] for row in rows["doctors"]
    }
    tables["visits"][4]["doctor"] = 99
    assert problems(tables, policy(), tmp_path / "no", engine=engine) == [
        ("tables.visits.links.doctor", "1 row links to no row of doctors.")
    ]


def test_a_table_of_people_that_links_to_a_reference_table(tmp_path):
    tables = clinic()
    tables["people"] = [row | {"doctor": 1 + n % 3} for n, row in enumerate(tables["people"])]
    said = policy({"people.links": {"doctor": "doctors.id"}, "people.fields.doctor": NUMBER})
    rows = read(released(tables, said, tmp_path / "out"))
    assert_whole(rows)
    field = {row["id"]: row["field"] for row in rows["doctors"]}
    assert Counter(field[row["doctor"]] for row in rows["people"]) == {"field 1": 16, "field 0": 8}


# ----------------------------------------------------------------------------------------------------------
# two ways up


# The mark says whose row it was on purpose, and so tells the person.
MARK = {"role": "insensitive", "may_tell": ["person"]}
TWO_WAYS = {
    "tests.fields.mark": MARK,
    "tests.links": {"visit": "visits.id", "person": "people.id"},
    "tests.fields.person": NUMBER,
}


def with_person(tables):
    whose = {row["id"]: row["person"] for row in tables["visits"]}
    tables["tests"] = [row | {"person": whose[row["visit"]]} for row in tables["tests"]]
    return tables


@pytest.mark.long("a release on each engine; one engine stays", but=("reference",))
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_two_ways_to_the_person_stay_whole_where_visits_are_dropped(tmp_path, engine):
    """Tests hang on their visit: where that is dropped so that numbers are shared, they go too; no
    link is loose."""
    asked = {"k": 3, "max_suppression": 0.2}  # Who loses every visit loses every test with it.
    said = policy(TWO_WAYS | {"visits.row_counts": {"bin_size": 5}}, require=asked)
    made = released(with_person(clinic()), said, tmp_path / "out", engine=engine)
    rows = read(made)
    assert_whole(rows)
    people = {row["id"]: row["mark"] for row in rows["people"]}
    assert all(people[row["person"]] == row["mark"] for row in rows["tests"])
    assert 0 < len(rows["visits"]) < len(clinic()["visits"])
    assert failing(made) == []


def test_two_ways_that_disagree_are_refused(tmp_path):
    tables = with_person(clinic())
    tables["tests"][2]["person"] = 20
    [(where, said)] = problems(tables, policy(TWO_WAYS), tmp_path / "out")
    assert (where, said[:16]) == ("tables.tests.links", "1 pair of people")
    tables["tests"][2]["person"] = None  # and so is one that says nothing
    assert problems(tables, policy(TWO_WAYS), tmp_path / "out")


def test_a_way_that_tells_what_another_hides_is_refused(tmp_path):
    """The visits do not say whose they are, but their tests do."""
    [(where, said)] = problems(
        with_person(clinic()),
        policy(TWO_WAYS | {"visits.fields.person": "direct"}),
        tmp_path / "out",
    )
    assert where == "tables.tests.links.person"
    assert "discloses the person of the rows of visits" in said


def test_two_tables_above_that_do_not_lead_to_each_other_are_refused(tmp_path):
    tables = clinic()
    tables["stays"] = [{"id": 500 + row["id"], "person": row["person"]} for row in tables["visits"]]
    tables["tests"] = [row | {"stay": 500 + row["visit"]} for row in tables["tests"]]
    said = policy(
        {"tests.links": {"visit": "visits.id", "stay": "stays.id"}, "tests.fields.stay": NUMBER}
    )
    fields = {"id": NUMBER, "person": NUMBER}
    said["tables"]["stays"] = {"key": "id", "links": {"person": "people.id"}, "fields": fields}
    [(where, found)] = problems(tables, said, tmp_path / "out")
    assert where.startswith("tables.tests.links.")
    assert "neither of" in found
    said["tables"]["tests"]["fields"]["stay"] = "direct"  # removed, it is no matter
    assert_whole(read(released(tables, said, tmp_path / "out")))


def test_a_table_on_the_way_must_be_the_same_row_both_ways(tmp_path):
    """Tests name their visit and its stay; a person has two stays, and one test names the wrong
    one."""
    tables = clinic()
    tables["stays"] = [
        {"id": 500 + 2 * n + i, "person": n + 1} for n in range(PEOPLE) for i in range(2)
    ]
    tables["visits"] = [
        row | {"stay": 500 + 2 * (row["person"] - 1) + row["id"] % 2} for row in tables["visits"]
    ]
    stay = {row["id"]: row["stay"] for row in tables["visits"]}
    tables["tests"] = [row | {"stay": stay[row["visit"]]} for row in tables["tests"]]
    said = policy(
        {
            "visits.links": {"stay": "stays.id", "doctor": "doctors.id"},
            "visits.fields.person": "direct",
            "visits.fields.mark": MARK,
            "visits.fields.stay": NUMBER,
            "tests.fields.mark": {"role": "insensitive", "may_tell": ["visits.person"]},
            "tests.links": {"visit": "visits.id", "stay": "stays.id"},
            "tests.fields.stay": NUMBER,
        }
    )
    fields = {"id": NUMBER, "person": NUMBER}
    said["tables"]["stays"] = {"key": "id", "links": {"person": "people.id"}, "fields": fields}
    rows = read(released(tables, said, tmp_path / "out"))
    stays = {row["id"]: row["person"] for row in rows["stays"]}
    people = {row["id"]: row["mark"] for row in rows["people"]}
    assert all(
        people[stays[row["stay"]]] == row["mark"]
        for name in ("visits", "tests")
        for row in rows[name]
    )
    tables["tests"][0]["stay"] ^= 1
    [(where, found)] = problems(tables, said, tmp_path / "no")
    assert (where, found[:14]) == ("tables.tests.links.stay", "1 pair of rows")
