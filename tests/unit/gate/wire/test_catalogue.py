"""Questions about the catalogue: those that clients really ask, and those that nobody should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.gate.wire.pg_catalog import catalogue_query
from sfumato.gate.wire.pg_catalog.catalogue_query import Catalogues
from sfumato.gate.wire.pg_catalog.functions import CatalogueContext
from sfumato.gate.wire.pg_catalog.recognition import about_catalogue
from sfumato.gate.wire.pg_catalog.relations import relations
from sfumato.gate.wire.pg_catalog.rows import CatalogueFacts, ToldField, ToldTable

PEOPLE = ToldTable(
    "people",
    (ToldField("age", FieldKind.INTEGER, "known"), ToldField("day", FieldKind.DATE)),
    "Never shown: name.",
)
TOLD = CatalogueFacts(
    "sfumato", (PEOPLE, ToldTable("a 'table'", (ToldField("x", FieldKind.TEXT),)))
)
AROUND = CatalogueContext(
    told=TOLD, user="o'ann", process=7, version="PostgreSQL 16.0", settings={"timezone": "UTC"}
)
CATALOGUES = Catalogues()
QUERIES = [
    pytest.param(query, id=f"{path.stem}-{number}")
    for path in sorted((Path(__file__).parent / "client_queries").glob("*.sql"))
    for number, query in enumerate(path.read_text(encoding="utf-8").split("\n;;\n"))
]


def parsed(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, read="postgres")


def ask(sql: str) -> list[tuple[Any, ...]]:
    return CATALOGUES.ask(parsed(sql), AROUND)[1]


@pytest.mark.parametrize("sql", QUERIES)
def test_what_clients_ask_is_answered(sql: str) -> None:
    tree = parsed(sql)
    for each in list(tree.find_all(exp.Parameter)):
        each.replace(exp.Null())
    assert about_catalogue(tree, {"people"})
    columns, _ = CATALOGUES.ask(tree, AROUND)
    assert columns


def test_the_tables_and_their_fields() -> None:
    sql = (
        "SELECT relname, reltuples FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "ORDER BY 1"
    )
    assert ask(sql) == [("a 'table'", -1.0), ("people", -1.0)]
    sql = """SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), col_description(a.attrelid, a.attnum)
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'people'::regclass AND a.attnum > 0 ORDER BY a.attnum"""
    assert ask(sql) == [("age", "bigint", "known"), ("day", "date", None)]
    sql = (
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'people'"
    )
    assert ask(sql) == [("age", "bigint"), ("day", "date")]
    assert ask("SELECT obj_description('people'::regclass, 'pg_class')") == [
        ("Never shown: name.",)
    ]


def test_names_and_numbers_of_objects() -> None:
    assert ask("SELECT oid::regclass::text FROM pg_class WHERE relname = 'people'") == [("people",)]
    assert ask(
        "SELECT 'public.people'::regclass::oid, to_regtype('int8'), to_regclass('nobody')"
    ) == [(16384, 20, None)]
    assert ask("SELECT typname, oid::regtype::text FROM pg_type WHERE oid = 20") == [
        ("int8", "bigint")
    ]


def test_each_is_told_their_own_name_and_nobody_elses() -> None:
    assert ask("SELECT current_user, user, session_user") == [("o'ann",) * 3]
    assert ask("SELECT rolname FROM pg_roles ORDER BY 1") == [("o'ann",), ("sfumato",)]
    assert ask("SELECT current_setting('timezone'), current_database(), pg_backend_pid()") == [
        ("UTC", "sfumato", 7)
    ]


@pytest.mark.parametrize(
    ("sql", "about"),
    [
        ("SELECT 1", True),
        ("SELECT * FROM pg_class", True),
        ("SELECT * FROM information_schema.tables", True),
        ("WITH people AS (SELECT 1 AS x) SELECT * FROM people", True),
        ("SELECT * FROM people", False),
        ("SELECT * FROM PEOPLE", False),
        ("SELECT * FROM public.people", False),
        ("SELECT * FROM pg_class, people", False),
        ("SELECT (SELECT max(age) FROM people) FROM pg_class", False),
        ("SELECT * FROM tables", False),
        ("SELECT * FROM 'people.csv'", False),
        ("SELECT * FROM made_pg_catalog.pg_class", False),
        ("SELECT * FROM duckdb_tables", False),
        ("INSERT INTO pg_class SELECT 1", False),
    ],
)
def test_whether_it_is_about_the_catalogue(sql: str, *, about: bool) -> None:
    assert about_catalogue(parsed(sql), {"people"}) is about


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('people.csv')",
        "SELECT * FROM read_text('/etc/hosts')",
        "SELECT * FROM sniff_csv('people.csv')",
        "SELECT * FROM duckdb_settings()",
        "SELECT getenv('HOME')",
        "SELECT pg_read_file('people.csv')",
        "SELECT pg_sleep(10)",
        "SELECT repeat('x', 1000000000)",
        "SELECT lo_import('people.csv')",
        "SELECT dblink('x', 'y')",
        "SELECT 1 INTO made",
        "SELECT * FROM pg_class FOR UPDATE",
        "SELECT query_to_xml('SELECT 1', true, true, '')",
        "SELECT 'x'::made_up",
    ],
)
def test_what_is_not_listed_does_not_pass(sql: str) -> None:
    with pytest.raises(NotAdmitted):
        ask(sql)


def test_what_takes_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue_query, "SECONDS", 0.3)
    many = ", ".join(f"pg_type t{number}" for number in range(8))
    with pytest.raises(NotAdmitted, match="too long"):
        ask(f"SELECT count(*) FROM {many} WHERE t1.oid * t2.oid + t5.oid * t7.oid = t3.oid")
    with pytest.raises(NotAdmitted, match="more than"):
        ask("SELECT 1 FROM pg_type a, pg_type b, pg_type c")


def test_every_table_of_the_catalogue_can_be_asked() -> None:
    for (schema, name), relation in relations().items():
        columns, _ = CATALOGUES.ask(parsed(f'SELECT * FROM {schema}."{name}"'), AROUND)
        assert [column.name for column in columns] == list(relation.columns)
