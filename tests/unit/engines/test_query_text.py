"""A query that is written as text for an engine stays what it was, without a copy of it."""

from __future__ import annotations

import pytest
from sqlglot import exp

from sfumato.datasets import write_hospital_database
from sfumato.engines.duckdb.session import DuckDBSession
from sfumato.releases import verify
from sfumato.releases.pipeline import release


@pytest.mark.long("every query of several releases; single queries stay in this file")
def test_every_query_of_a_release_says_the_same_after_it_was_asked(tmp_path, monkeypatch):
    folder = write_hospital_database(tmp_path / "source", visits=300)
    asked = DuckDBSession._asked
    seen = []

    def twice(self, query, fetch):
        before = query.sql(dialect="duckdb") if isinstance(query, exp.Expr) else query
        found = asked(self, query, fetch)
        after = query.sql(dialect="duckdb") if isinstance(query, exp.Expr) else query
        assert after == before
        seen.append(isinstance(query, exp.Expr))
        return found

    monkeypatch.setattr(DuckDBSession, "_asked", twice)
    monkeypatch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
    made = release(folder, folder / "hospital.policy.toml", to=tmp_path / "release")
    verify(made.folder)
    assert sum(seen) > 500


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "databricks"])
def test_a_tree_is_written_again_and_again(dialect):
    kept = exp.select("a").from_("t").where("a > 1").order_by("a").limit(3)
    tree = exp.Create(this=exp.to_table("k"), kind="TABLE", expression=kept)
    said = tree.sql(dialect=dialect)
    assert [tree.sql(dialect=dialect, copy=False) for _ in range(3)] == [said] * 3
