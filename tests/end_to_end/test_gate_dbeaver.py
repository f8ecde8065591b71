"""What DBeaver says to a PostgreSQL, in its order, through the driver it uses: connecting, opening
the tree, a table, its grid, and what it tries and can do without.

DBeaver itself is not run. What it asks is public: its PostgreSQL plugin, and logs of others who
were asked. The queries are told here by what they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from gates import people
from jdbc_driver import a_java, asked, column_names, connected, found_driver
from wires import PASSWORD, Wire, a_wire

from sfumato.gate.settings import Audience, Mode, Terms

pytestmark = pytest.mark.long(
    "what one program asks; test_gate_wire.py asks as psql and psycopg do"
)

DRIVER = found_driver()
if DRIVER is None:
    pytest.skip(
        "left out: no JDBC driver of PostgreSQL ($SFUMATO_JDBC names one)", allow_module_level=True
    )

CATALOG, PUBLIC = 11, 2200
FIELDS = ["age", "town", "sex", "test", "cost"]


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    terms = Terms(mode=Mode.EITHER, audience=Audience.PERSON)
    with a_wire(tmp_path_factory.mktemp("gate"), rows=people(1_000), terms=terms) as found:
        yield found


@pytest.fixture(scope="module")
def java() -> Iterator[Any]:
    """A Java of these tests' own. A Spark that ran in this process before has put its own reading
    of errors into py4j, which asks any Java for classes of Spark."""
    from py4j import java_gateway, protocol

    assert DRIVER is not None
    with pytest.MonkeyPatch.context() as patch, a_java(DRIVER) as found:
        patch.setattr(java_gateway, "get_return_value", protocol.get_return_value)
        yield found


@pytest.fixture
def connection(java: Any, wire: Wire) -> Iterator[Any]:
    found = connected(
        java, host=wire.host, port=wire.port, user="ann", password=PASSWORD, connectTimeout="20"
    )
    yield found
    found.close()


def refused(java: Any, connection: Any, sql: str) -> str:
    """The state in which a statement is refused."""
    from py4j.protocol import Py4JJavaError

    with pytest.raises(Py4JJavaError) as told:
        connection.createStatement().execute(sql)
    return str(told.value.java_exception.getSQLState())


def test_connecting(connection: Any) -> None:
    connection.setClientInfo("ApplicationName", "DBeaver 24.1.0 - Main <sfumato>")
    assert asked(connection, "SHOW application_name")[0]["application_name"].startswith("DBeaver")
    told = connection.getMetaData()
    assert (told.getDatabaseProductName(), told.getDatabaseMajorVersion()) == ("PostgreSQL", 16)
    assert isinstance(told.getSQLKeywords(), str)
    assert told.getMaxColumnNameLength() == 63
    assert asked(connection, "SELECT current_schema(),session_user") == [
        {"current_schema": "public", "session_user": "ann"}
    ]
    assert asked(connection, "SELECT session_user")[0]["session_user"] == "ann"
    assert asked(connection, "SHOW search_path") == [{"search_path": "public"}]
    (database,) = asked(
        connection,
        "SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE 1 = 1 AND datallowconn "
        "AND NOT datistemplate"
        " AND db.datname=?\nORDER BY db.datname",
        "sfumato",
    )
    assert database["datname"] == "sfumato"
    assert asked(connection, "SELECT version()")[0]["version"].startswith("PostgreSQL 16")
    found = asked(
        connection,
        "select * from pg_catalog.pg_settings where name=?",
        "standard_conforming_strings",
    )
    assert [row["setting"] for row in found] == ["on"]


def test_what_a_connection_is_set_to(java: Any, connection: Any) -> None:
    statement = connection.createStatement()
    for sql in (
        "SET extra_float_digits = 3",
        "SET application_name = 'DBeaver 24.1.0 - Metadata <sfumato>'",
        'SET search_path = public,public,"$user"',
        "SET statement_timeout = 0",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    ):
        statement.execute(sql)
    connection.setReadOnly(True)
    assert connection.isReadOnly()
    for level in (2, 4, 8):  # read committed, repeatable read, serializable
        connection.setTransactionIsolation(level)
    assert connection.getTransactionIsolation() in (2, 4, 8)
    assert asked(connection, "SHOW TRANSACTION ISOLATION LEVEL")
    connection.setAutoCommit(False)
    kept = connection.setSavepoint("before")
    assert refused(java, connection, "SELECT nobody FROM public.people") == "42703"
    connection.rollback(kept)
    assert asked(connection, "SELECT 1 AS one") == [{"one": 1}]
    connection.releaseSavepoint(kept)
    connection.commit()
    connection.setAutoCommit(True)
    assert connection.isValid(5)


def test_the_tree_from_database_to_columns(connection: Any) -> None:
    schemas = asked(
        connection,
        "SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN "
        "pg_catalog.pg_description d"
        " ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass ORDER "
        "BY nspname",
    )
    assert "public" in [row["nspname"] for row in schemas]
    types = asked(
        connection,
        "SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as "
        "base_type_name, d.description"
        " FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem"
        " LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid"
        " LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid WHERE t.typname IS NOT NULL"
        " AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR "
        "et.typcategory <> 'C')"
        " AND t.typnamespace=?",
        CATALOG,
    )
    assert {"int8", "text"} <= {row["typname"] for row in types}
    tables = asked(
        connection,
        "SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as "
        "partition_expr,"
        " pg_catalog.pg_get_partkeydef(c.oid) as partition_key FROM pg_catalog.pg_class c"
        " LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0"
        " AND d.classoid='pg_class'::regclass WHERE c.relnamespace=? AND c.relkind not in "
        "('i','I','c')",
        PUBLIC,
    )
    assert [(row["relname"], row["relkind"]) for row in tables] == [("people", "r")]
    columns = asked(
        connection,
        "SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as "
        "def_value,dsc.description,dep.objid"
        " FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)"
        " LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum "
        "= ad.adnum)"
        " LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum "
        "= dsc.objsubid)"
        " LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i'"
        " and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid"
        " WHERE NOT a.attisdropped AND c.relkind not in ('i','I','c') AND c.oid=? ORDER BY "
        "a.attnum",
        int(tables[0]["oid"]),
    )
    assert [row["attname"] for row in columns] == FIELDS
    assert "others may know it" in columns[0]["description"]


TABS = {
    "keys": "SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as "
    "refnamespace,d.description,"
    " case when c.contype='c' then \"substring\"(pg_get_constraintdef(c.oid), 7) else null "
    "end consrc_copy"
    " FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid"
    " LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid LEFT OUTER JOIN "
    "pg_catalog.pg_description d"
    " ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass WHERE "
    "c.conrelid=? ORDER BY c.oid",
    "references": "SELECT DISTINCT connamespace FROM pg_catalog.pg_constraint WHERE confrelid=?",
    "indexes": "SELECT i.*,i.indkey as "
    "keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,"
    "dsc.description,pg_catalog.pg_get_expr(i.indpred, i.indrelid) as "
    "pred_expr,pg_catalog.pg_get_expr(i.indexprs,"
    " i.indrelid, true) as expr,pg_catalog.pg_relation_size(i.indexrelid) as index_rel_size,"
    "pg_catalog.pg_stat_get_numscans(i.indexrelid) as index_num_scans FROM pg_catalog.pg_index i"
    " INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid INNER JOIN "
    "pg_catalog.pg_class tc ON tc.oid=i.indrelid"
    " LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid"
    " WHERE i.indrelid=? ORDER BY tabrelname, c.relname",
    "triggers": "SELECT x.oid,x.*,p.pronamespace as func_schema_id,d.description FROM "
    "pg_catalog.pg_trigger x"
    " LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=x.tgfoid LEFT OUTER JOIN "
    "pg_catalog.pg_description d"
    " ON d.objoid=x.oid AND d.objsubid=0 WHERE x.tgrelid=? AND NOT x.tgisinternal",
    "rules": "SELECT r.oid,r.*, pg_get_ruledef(r.oid) AS definition FROM pg_rewrite r"
    " WHERE r.ev_class=? AND r.rulename <> '_RETURN'::name",
    "parents": "SELECT i.*,c.relnamespace FROM pg_catalog.pg_inherits i,pg_catalog.pg_class c"
    " WHERE i.inhrelid=? AND c.oid=i.inhparent ORDER BY i.inhseqno",
    "partitions": "SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as "
    "partition_expr"
    " FROM pg_catalog.pg_class c INNER JOIN pg_catalog.pg_inherits i ON i.inhrelid=c.oid"
    " LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 WHERE "
    "i.inhparent=?",
    "dependencies": "SELECT DISTINCT dep.deptype, dep.classid, dep.objid, cl.relkind, attr.attname,"
    "pg_get_expr(ad.adbin, ad.adrelid) adefval, CASE WHEN cl.relkind IS NOT NULL THEN "
    "cl.relkind::text ||"
    " COALESCE(dep.objsubid::text, '')::text WHEN tg.oid IS NOT NULL THEN 'T'::text WHEN "
    "co.oid IS NOT NULL"
    " THEN 'C'::text || contype::text ELSE '' END AS type, COALESCE(coc.relname, "
    "tgr.relname) AS ownertable"
    " FROM pg_depend dep LEFT JOIN pg_class cl ON dep.objid=cl.oid LEFT JOIN pg_trigger tg "
    "ON dep.objid=tg.oid"
    " LEFT JOIN pg_class tgr ON tg.tgrelid=tgr.oid LEFT JOIN pg_constraint co ON dep.objid=co.oid"
    " LEFT JOIN pg_class coc ON co.conrelid=coc.oid LEFT JOIN pg_attrdef ad ON ad.oid=dep.objid"
    " LEFT JOIN pg_attribute attr ON attr.attrelid=ad.adrelid and attr.attnum=ad.adnum"
    " WHERE dep.refobjid=? ORDER BY type",
}
"""What the tabs of a table ask for, by its number. At a gate there is nothing of the kind, and that
is told."""


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_of_a_table_is_empty(connection: Any, tab: str) -> None:
    assert asked(connection, TABS[tab], 16_384) == []


OTHERS = (
    ("sizes", "select c.oid,pg_catalog.pg_total_relation_size(c.oid) as total_rel_size,"
     "pg_catalog.pg_relation_size(c.oid) as rel_size FROM pg_class c WHERE c.relnamespace=?", PUBLIC, 1),
    ("policies", "select * from pg_catalog.pg_policies where schemaname='public' and tablename=?", "people", 0),
    ("procedures", "SELECT p.oid as poid,p.*,pg_catalog.pg_get_expr(p.proargdefaults, 0) as arg_defaults,d.description"
     " FROM pg_catalog.pg_proc p LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid"
     " WHERE p.pronamespace=? ORDER BY p.proname", PUBLIC, 0),
    ("sequences", "SELECT c.oid,c.* FROM pg_catalog.pg_class c WHERE c.relkind='S' AND c.relnamespace=?", PUBLIC, 0),
    ("collations", "SELECT c.oid,c.* FROM pg_catalog.pg_collation c WHERE c.collnamespace=?", CATALOG, 2),
    ("extensions", "SELECT e.oid,e.* FROM pg_catalog.pg_extension e WHERE e.extnamespace=? ORDER BY e.oid", PUBLIC, 0),
    ("roles", "SELECT a.oid,a.*,pd.description FROM pg_catalog.pg_roles a left join pg_catalog.pg_shdescription pd"
     " on a.oid = pd.objoid WHERE a.rolname <> ? ORDER BY a.rolname", "", 2),
    ("comment", "select description from pg_shdescription join pg_database on objoid = pg_database.oid"
     " where datname = ?", "sfumato", 0),
    ("keywords", "select word from pg_catalog.pg_get_keywords() where word <> ?", "nothing", 1),
    ("type", "SELECT t.oid,t.*,c.relkind FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_class c ON c.oid=t.typrelid"
     " WHERE t.oid=?", 20, 1),
)  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "value", "rows"), [each[1:] for each in OTHERS], ids=[each[0] for each in OTHERS]
)
def test_what_else_the_tree_asks(connection: Any, sql: str, value: int | str, rows: int) -> None:
    assert len(asked(connection, sql, value)) == rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c.contoencoding as encid,pg_catalog.pg_encoding_to_char(c.contoencoding) as encname"
        " FROM pg_catalog.pg_conversion c GROUP BY c.contoencoding ORDER BY 2",
        "SELECT am.oid,am.* FROM pg_catalog.pg_am am ORDER BY am.oid",
        "SELECT l.oid,l.* FROM pg_catalog.pg_language l ORDER BY l.oid",
        "SELECT t.oid,t.*,pg_tablespace_location(t.oid) loc FROM pg_catalog.pg_tablespace "
        "t ORDER BY t.oid",
        "SELECT l.oid,l.*,p.pronamespace as handler_schema_id FROM "
        "pg_catalog.pg_foreign_data_wrapper l"
        " LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=l.fdwhandler ORDER BY l.fdwname",
        "SELECT l.oid,l.* FROM pg_catalog.pg_foreign_server l ORDER BY l.srvname",
        "SELECT sa.* FROM pg_catalog.pg_stat_activity sa",
        "SELECT typcategory FROM pg_catalog.pg_type WHERE 1<>1 LIMIT 1",
        "SELECT relhasoids FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1",
    ],
)
def test_what_is_asked_once(java: Any, connection: Any, sql: str) -> None:
    """The last one asks for a column of versions before 12; DBeaver takes the refusal for "no"."""
    if "relhasoids" in sql:
        assert refused(java, connection, sql) == "0A000"
    else:
        assert column_names(connection.createStatement().executeQuery(sql).getMetaData())


def test_the_grid(java: Any, connection: Any) -> None:
    """Rows come by a SELECT with so many at most, some at a time, in a transaction; then they are
    counted."""
    connection.setAutoCommit(False)
    rows = asked(connection, "SELECT * FROM public.people", most=200, at_once=50)
    assert len(rows) == 200
    assert list(rows[0]) == [*FIELDS, "answered_as"]
    limited = asked(connection, "SELECT * FROM public.people LIMIT 200", at_once=200)
    further = asked(connection, "SELECT * FROM public.people OFFSET 200 LIMIT 200", at_once=200)
    assert (len(limited), len(further)) == (200, 200)
    connection.commit()
    connection.setAutoCommit(True)
    (counted,) = asked(connection, "SELECT count(*) FROM public.people")
    assert counted["count"] == 1_000
    (wrapped,) = asked(
        connection, "SELECT COUNT(*) FROM (SELECT sex FROM public.people WHERE sex = 'F'\n) dbvrcnt"
    )
    assert 400 < wrapped["count"] < 600
    ordered = asked(
        connection,
        "SELECT p.sex, p.cost FROM public.people p WHERE p.sex = ? ORDER BY p.cost DESC",
        "F",
    )
    assert [row["cost"] for row in ordered] == sorted(
        (row["cost"] for row in ordered), reverse=True
    )


def test_values_are_bound_over_and_over(connection: Any) -> None:
    """From the fifth time on the driver keeps the statement at the server, and takes numbers in
    binary."""
    for _ in range(7):
        found = asked(connection, "SELECT cost FROM public.people WHERE sex = ? LIMIT 3", "M")
        assert [type(row["cost"]) for row in found] == [int] * 3


def test_what_the_driver_knows_of_tables(connection: Any) -> None:
    told = connection.getMetaData()
    tables = told.getTables(None, "public", "%", None)
    names = []
    while tables.next():
        names.append(tables.getString("TABLE_NAME"))
    assert names == ["people"]
    columns = told.getColumns(None, "public", "people", "%")
    names = []
    while columns.next():
        names.append((columns.getString("COLUMN_NAME"), columns.getString("TYPE_NAME")))
    assert [name for name, _ in names] == FIELDS
    for kept in (
        told.getPrimaryKeys(None, "public", "people"),
        told.getImportedKeys(None, "public", "people"),
        told.getIndexInfo(None, "public", "people", False, True),
    ):
        assert not kept.next()
    assert told.getSchemas().next()
    assert told.getTypeInfo().next()


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        ("SELECT name FROM public.people", "42501"),
        ("UPDATE public.people SET cost = 1", "42501"),
        ("SELECT pg_cancel_backend(1)", "42883"),
        ("EXPLAIN (FORMAT XML, ANALYSE) UPDATE public.people SET cost = 1", "42601"),
        ("COPY public.people TO STDOUT", "42501"),
        ("SELECT ctid, * FROM public.people", "42703"),
    ],
)
def test_a_refusal_leaves_the_connection_as_it_was(
    java: Any, connection: Any, sql: str, state: str
) -> None:
    assert refused(java, connection, sql) == state
    assert asked(connection, "SELECT 1 AS one") == [{"one": 1}]


def test_a_plan_is_the_shapes(connection: Any) -> None:
    found = asked(connection, "EXPLAIN (FORMAT XML, ANALYSE) SELECT sex, cost FROM public.people")
    assert [row["shape"] for row in found] == ["sex=0"]
