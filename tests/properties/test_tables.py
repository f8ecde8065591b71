"""Random databases under random policies: a release is refused with a reason, or keeps all that was
asked of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from example_counts import example_count
from hypothesis import event, given, settings
from linked_tables import Recount, check_one_table, databases, policies, read, repeated, write

import sfumato
from sfumato.errors import Bug, CandidateFailed, SfumatoError
from sfumato.policy import policy_from_table
from sfumato.releases.pipeline import release


def attempt(database, said, folder, *, engine, reader):
    """The release, or the reason why there is none; a contradiction is none, nor is a candidate
    that fails, unless the solver is mu-Argus, which does not promise to keep k."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
        patch.setattr("sfumato.releases.one_row_flow.render", lambda facts: "")
        patch.setattr("sfumato.releases.destinations.reader", lambda engine: reader)
        try:
            source = write(database, folder / "source")
            source = source if "tables" in said else source / "rows.csv"
            return release(source, policy_from_table(said), to=folder / "release", engine=engine)
        except SfumatoError as reason:
            if isinstance(reason, Bug) or (
                isinstance(reason, CandidateFailed) and said.get("solve") != {"solver": "mu_argus"}
            ):
                raise
            event(type(reason).__name__)
            assert not (folder / "release").exists()
            return None


def check(database, said, *, engine, reader):
    with tempfile.TemporaryDirectory() as place:
        made = attempt(database, said, Path(place), engine=engine, reader=reader)
        if made is None:
            return
        event(f"released, quasi fields below: {any(v.model == 'k-people' for v in made.verdicts)}")
        assert made.outcome == "pass"
        Recount(said, {name: read(path) for name, path in made.tables.items()}, database).check()
        if engine != "reference":
            assert not [
                found.claim for found in sfumato.verify(made.folder) if found.outcome == "fail"
            ]


@settings(max_examples=example_count(200))
@given(database=databases(), said=policies())
def test_a_release_keeps_what_was_asked_of_it(database, said):
    check(database, said, engine="reference", reader="reference")


@settings(max_examples=example_count(100))
@given(given_=repeated())
def test_a_release_of_one_table_with_several_rows_per_person(given_):
    rows, said = given_
    with tempfile.TemporaryDirectory() as place:
        made = attempt({"rows": rows}, said, Path(place), engine="reference", reader="reference")
        if made is not None:
            assert made.outcome == "pass"
            found = read(made.table)
            assert len(found) <= len(rows)
            if "id" in found[0]:
                check_one_table(found, said)


@settings(max_examples=8)
@given(database=databases(), said=policies())
def test_a_release_by_duckdb_keeps_what_was_asked_of_it_and_verifies(database, said):
    check(database, said, engine="duckdb", reader="duckdb")
