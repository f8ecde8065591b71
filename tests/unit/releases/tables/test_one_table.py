"""One table with several rows per person as a database, and back again as it was said."""

from dataclasses import replace

import pytest

import sfumato
from sfumato.engines import Join, TableView, WritePlan, open_source
from sfumato.errors import Bug, PolicyError, SfumatoError
from sfumato.policy import policy_from_table
from sfumato.releases.tables import OneTable, as_tables
from sfumato.releases.tables.one_table import NAME, as_said

FIELDS = {
    "who": {"role": "direct", "replace": "number"},
    "zip": "quasi",
    "ill": {"role": "sensitive", "hierarchy": {"suppress": True}},
}
PLAIN = {
    "entity": "who",
    "fields": FIELDS,
    "require": {"k": 2, "k_m": {"field": "ill", "k": 2, "m": 2}},
}
ROWS = [
    {"who": "a", "zip": "1", "ill": "x"},
    {"who": "a", "zip": "2", "ill": "y"},
    {"who": "b", "zip": "1", "ill": "x"},
]


@pytest.mark.parametrize(
    "top", [{}, {"row_counts": {"bin_size": 3, "linking": 0.5}}, {"order": "sorted"}]
)
def test_a_policy_comes_back_as_it_was_said(top):
    said = policy_from_table(PLAIN | top)
    tables = as_tables(said)
    assert (list(tables.tables), tables.entity, tables.require.each("k_m")[0].table) == (
        [NAME],
        f"{NAME}.who",
        NAME,
    )
    assert as_said(tables) == said


def test_a_policy_of_several_tables_stays_as_it_is():
    """Also where it has one table that is called like ours: such a table has a key."""
    fields = {"id": {"role": "direct", "replace": "number"}, "zip": "quasi"}
    said = {
        "entity": "release.id",
        "tables": {"release": {"key": "id", "fields": fields}},
        "require": {"k": 2},
    }
    policy = policy_from_table(said)
    assert as_said(policy) is policy


def test_all_that_is_asked_of_rows_is_told_at_once():
    asked = {"bin_sizes": {"zip": 3}, "l_diversity": {"l": 2}, "reading": "wildcard"}
    plain = {"entity": "who", "fields": FIELDS | {"ill": "sensitive"}}
    solve = {"solver": "k_similar"}
    policy = policy_from_table(
        plain | {"require": asked | {"k": 2}, "solve": solve, "nulls": "matches-anything"}
    )
    policy = replace(policy, require=replace(policy.require, k=None))
    with pytest.raises(PolicyError) as caught:
        as_tables(policy)
    assert [problem.where for problem in caught.value.problems] == [
        "require.k",
        "require.reading",
        "nulls",
    ]


def test_numbers_of_rows_may_be_left_open_where_nobody_sees_them():
    bare = {"entity": "who", "fields": FIELDS | {"zip": "insensitive", "ill": "sensitive"}}
    with pytest.raises(PolicyError, match="The number of a person's rows"):
        as_tables(policy_from_table(bare))
    hidden = policy_from_table(bare | {"fields": bare["fields"] | {"who": "direct"}})
    assert as_tables(hidden).tables[NAME].row_counts.bin_size is None
    assert as_tables(policy_from_table(bare | {"row_counts": {"linking": 0.0}}))


def test_the_database_has_one_table_and_no_links():
    with open_source(ROWS, engine="reference") as engine, OneTable(engine) as database:
        assert database.tables() == (NAME,)
        assert database.view(TableView(table=NAME)).count_rows() == 3
        stage = engine.staged(plan_of(engine))
        assert database.view(TableView(table=NAME), stages={NAME: stage}) is stage
        for wrong in (
            TableView(table="visits"),
            TableView(table=NAME, joins=(Join(field="who", table="x", key="y", bring={}),)),
        ):
            with pytest.raises(Bug):
                database.view(wrong)
        with pytest.raises(Bug):
            database.loose(NAME, "who", to=NAME, key="who")


def plan_of(engine):
    return WritePlan(fields=tuple(info.name for info in engine.fields()))


@pytest.mark.parametrize(
    ("hierarchy", "k"), [("{ prefix = [4] }", 40), ('{ tree = { "0213*" = ["02138"] } }', 2)]
)
def test_errors_of_a_single_table_say_its_fields_as_its_policy_does(tmp_path, hierarchy, k):
    """The flow calls the table `release`, which nobody who wrote the policy has heard of."""
    rows = "".join(f"p{n // 2},0213{8 + n % 2}\n" for n in range(12))
    (tmp_path / "rows.csv").write_text(f"id,zip\n{rows}", encoding="utf-8")
    policy = f"""
entity = "id"
[fields]
id = {{ role = "direct", replace = "number" }}
zip = {{ role = "quasi", hierarchy = {hierarchy} }}
[require]
k = {k}
"""
    with pytest.raises(SfumatoError) as caught:
        sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
    said = str(caught.value)
    assert "zip" in said
    assert "release" not in said
