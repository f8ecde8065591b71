"""Cutting and sorting statements: what is cut is what was written, and nothing inside quotes is a
statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import NotAdmitted
from sfumato.gate.wire.statements import MOST, SetStatement, Sort, setting_of, split

QUOTED = st.text(st.sampled_from("a;'\\-*/$ \n\"é"), max_size=12).map(
    lambda text: "'" + text.replace("'", "''") + "'"
)


@given(st.lists(QUOTED, min_size=1, max_size=5))
def test_quotes_are_never_cut(values: list[str]) -> None:
    sent = "; ".join(f"SELECT {value}" for value in values)
    found = split(sent)
    assert [each.text for each in found] == [f"SELECT {value}" for value in values]
    assert all(sent[each.start :].startswith(each.text) for each in found)


@given(st.text(max_size=200))
def test_anything_is_cut_or_refused(text: str) -> None:
    try:
        found = split(text)
    except NotAdmitted:
        return
    assert all(text[each.start : each.start + len(each.text)] == each.text for each in found)


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("BEGIN", Sort.BEGIN),
        ("begin transaction isolation level read committed, read only", Sort.BEGIN),
        ("START TRANSACTION READ ONLY", Sort.BEGIN),
        ("COMMIT WORK", Sort.COMMIT),
        ("end", Sort.COMMIT),
        ("ROLLBACK TO SAVEPOINT a", Sort.BACK_TO),
        ("rollback", Sort.ROLLBACK),
        ('SAVEPOINT "_pg3_1"', Sort.SAVEPOINT),
        ("DEALLOCATE ALL", Sort.DEALLOCATE),
        ("DISCARD ALL", Sort.DISCARD),
        ("SHOW transaction isolation level", Sort.SHOW),
        ("EXPLAIN SELECT 1", Sort.EXPLAIN),
        ("EXPLAIN ANALYZE SELECT 1", Sort.EXPLAIN),
        ("EXPLAIN (FORMAT text) SELECT 1", Sort.EXPLAIN),
        ("EXPLAIN (SELECT 1)", Sort.EXPLAIN),
        ("EXPLAIN ANALYZE DELETE FROM people", Sort.OTHER),
        ("(SELECT 1)", Sort.QUERY),
        ("WITH a AS (SELECT 1) SELECT * FROM a", Sort.QUERY),
        ("COPY people TO STDOUT", Sort.OTHER),
        ("PREPARE a AS SELECT 1", Sort.OTHER),
        ("LISTEN a", Sort.OTHER),
        ("INSERT INTO people VALUES (1)", Sort.OTHER),
        ("SELECTED", Sort.OTHER),
        ("commit prepared 'x'", Sort.OTHER),
    ],
)
def test_sorts(text: str, sort: Sort) -> None:
    (found,) = split(f" /* {text}; */ {text} ;")
    assert (found.sort, found.text) == (sort, text)


def test_nothing_is_no_statement() -> None:
    assert split("") == split(" ; ;\n-- SELECT 1\n") == ()


def test_too_many_statements() -> None:
    with pytest.raises(NotAdmitted, match="One query"):
        split("SELECT 1;" * (MOST + 1))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SET a.b = 'it''s'", SetStatement("a.b", "it's")),
        ("set local x to default", SetStatement("x", None)),
        ("SET TIME ZONE 'UTC'", SetStatement("timezone", "UTC")),
        ("SET NAMES 'utf8'", SetStatement("client_encoding", "utf8")),
        ('SET search_path = a, "b c"', SetStatement("search_path", "a, b c")),
        ("SET ROLE none", SetStatement("role", "none")),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", None),
    ],
)
def test_settings(text: str, found: SetStatement | None) -> None:
    assert setting_of(text) == found
