"""Staging, on tables of a few rows written out: what goes, why, and that everything is accounted
for."""

import pytest
from table_plans import planned_tables

from sfumato.engines import open_database
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases.tables.recount import recount_tables

NUMBER = {"role": "direct", "replace": "number"}
PEOPLE = [{"id": name, "sex": sex} for name, sex in zip("abcdef", "fffmmm", strict=True)]


def visits(**wards):
    """Rows of a table of visits: each person with the wards they were in."""
    pairs = [(who, ward) for who, all_of in wards.items() for ward in all_of]
    return [{"person": who, "ward": ward} for who, ward in pairs]


def planned(rows, ward="insensitive", *, people=PEOPLE, row_counts=None, check=None, **top):
    """The plan for people and visits; `check` is handed it while the database is open."""
    tables = {
        "people": {"key": "id", "fields": {"id": NUMBER, "sex": "quasi"}},
        "visits": {
            "links": {"person": "people.id"},
            "row_counts": {"linking": 0.0} if row_counts is None else row_counts,
            "fields": {"person": NUMBER, "ward": ward},
        },
    }
    policy = policy_from_table(
        {"entity": "people.id", "tables": tables, "require": {"k": 3, "max_suppression": 1.0}} | top
    )
    with open_database({"people": people, "visits": rows}, engine="reference") as database:
        plan = planned_tables(database, policy)
        return plan if check is None else check(plan)


def accounted(stage):
    return (
        stage.rows_source - stage.orphans - stage.followed - stage.by_bins - stage.by_count
        == stage.rows
    )


def rows_of(plan, table="visits"):
    return sorted(tuple(row.values()) for row in plan.staged[table].engine.rows())


def test_rows_go_with_the_row_that_they_hang_on():
    people = [*PEOPLE, {"id": "g", "sex": "x"}]
    found = planned(
        visits(a="z", g="zzz"),
        people=people,
        solve={"solver": "given", "levels": {"sex": 0}},
        check=lambda plan: plan.staged,
    )
    assert (found["people"].by_bins, found["visits"].followed, found["visits"].rows) == (1, 3, 1)
    assert all(map(accounted, found.values()))


def test_a_bin_of_many_rows_and_few_people_goes():
    """Ward y has four rows and two people, of k = 3 that are asked for."""
    rows, stage = planned(
        visits(a="yyz", b="yyz", c="z", d="z", e="z", f="z"),
        {"role": "quasi", "hierarchy": {"tree": {"y": ["y"], "z": ["z"]}}},
        require={"k": 3, "max_suppression": 0.5},
        check=lambda plan: (rows_of(plan), plan.staged["visits"]),
    )
    assert {ward for _, ward, *_ in rows} == {"z"}
    assert (stage.by_bins, accounted(stage)) == (4, True)


def test_numbers_that_few_share_are_cut_to_the_next():
    """One person has three visits and two have two: all three get two; nobody else is touched."""
    rows, stage = planned(
        visits(a="xyz", b="xy", c="xy", d="x", e="x", f="x"),
        row_counts={"bin_size": 3},
        check=lambda plan: (rows_of(plan), plan.staged["visits"]),
    )
    assert [who for who, *_ in rows] == list("aabbccdef")
    assert (stage.by_count, accounted(stage)) == (1, True)
    assert stage.before.sizes() == {("3",): 1, ("2",): 2, ("1",): 3}
    assert stage.after.sizes() == {("2",): 3, ("1",): 3}


def test_numbers_within_bins_and_people_who_have_none():
    """Of the men one came and two did not: the visit goes. Of the women all came once: theirs
    stay."""
    rows = planned(visits(a="x", b="x", c="x", d="x"), row_counts={"linking": 1.0}, check=rows_of)
    assert [who for who, *_ in rows] == list("abc")


def test_the_two_undo_each_other_until_both_hold():
    """The third person of ward x loses that row to the numbers, so that ward x has two people and
    goes as well."""
    wards = {"role": "quasi", "hierarchy": {"tree": {"x": ["x"], "y": ["y"]}}}
    given = visits(a="xy", b="xy", c="xxyy", d="y", e="y", f="y")

    def check(plan):
        found = recounted(plan)
        assert all(verdict.outcome == "pass" for verdict in found)
        assert accounted(plan.staged["visits"])

    for _ in range(5):  # which row goes is chance
        planned(given, wards, row_counts={"bin_size": 3}, check=check)


def recounted(plan):
    """The verdicts on the stages as if they had been written."""
    fields = {"people": ("id", "sex"), "visits": ("person", "ward")}
    rows = {
        name: [{field: row[field] for field in fields[name]} for row in stage.engine.rows()]
        for name, stage in plan.staged.items()
    }
    with open_database(rows, engine="reference") as written:
        return recount_tables(written, plan.judged, stages={}).verdicts


def test_a_number_that_cannot_be_shared_is_refused():
    with pytest.raises(NoRecodingFound, match="shared by 7 people"):
        planned(visits(a="x"), row_counts={"bin_size": 7})
    with pytest.raises(NoRecodingFound, match="must be shared by 4 people"):
        planned(
            visits(a="x"), row_counts={"bin_size": 4, "linking": 1.0}, solve={"solver": "given"}
        )


def test_too_many_rows_in_small_bins_are_refused():
    with pytest.raises(NoRecodingFound):
        planned(
            visits(a="y", b="z"),
            {"role": "quasi", "hierarchy": {"tree": {"y": ["y"], "z": ["z"]}}},
            require={"k": 3, "max_suppression": 0.2},
        )


def test_the_recount_tells_links_that_lead_nowhere_and_keys_that_repeat():
    def check(plan):
        rows = {name: stage.engine.rows() for name, stage in plan.staged.items()}
        for row in rows["people"]:
            row["id"] = "a" if row["id"] == "b" else row["id"]
        with open_database(rows, engine="reference") as written:
            found = recount_tables(written, plan.judged, stages={})
        assert found.broken == (
            "the key id of people is not unique",
            "visits has 1 row without a row of people",
        )

    planned(visits(a="x", b="x"), check=check)


def test_problems_with_links_are_told_with_their_numbers_and_all_at_once():
    rows = [*visits(a="x", b="y"), {"person": "nobody", "ward": "x"}, {"person": None, "ward": "x"}]
    with pytest.raises(PolicyError) as caught:
        planned(rows, people=[*PEOPLE, PEOPLE[0]])
    assert [(p.where, p.found.split(" ")[0]) for p in caught.value.problems] == [
        ("tables.people.key", "1"),
        ("tables.visits", "2"),
    ]
