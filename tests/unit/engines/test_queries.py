"""Queries as trees: what they say in DuckDB's dialect, and that no name or label gets out of its
quotes."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from sfumato.engines import FieldInfo, Lookup, WritePlan
from sfumato.engines.engine import FieldKind
from sfumato.engines.sql.queries import Queries
from sfumato.policy.records import Order

ASK = Queries()

ZIP = FieldInfo("zip", FieldKind.TEXT, "VARCHAR")
BORN = FieldInfo("born", FieldKind.DATE, "DATE")
HOSTILE = FieldInfo('x"; DROP TABLE source; --', FieldKind.TEXT, "VARCHAR")


def sql(query: exp.Expr) -> str:
    return query.sql(dialect="duckdb")


def test_bins_are_one_group_by() -> None:
    assert sql(ASK.bins([ZIP, BORN])) == (
        'SELECT "q0" AS "q0", CAST("q1" AS TEXT) AS "q1", "n" FROM '
        '(SELECT "zip" AS "q0", "born" AS "q1", COUNT(*) AS "n" FROM "source" GROUP BY 1, '
        "2) AS stored"
    )


def test_bin_sizes_are_counted_in_the_engine() -> None:
    assert sql(ASK.bin_sizes([ZIP], 1000)) == (
        'SELECT CASE WHEN "n" > 1000 THEN 1000 ELSE "n" END AS "size", COUNT(*) AS "bins" FROM '
        '(SELECT "zip" AS "q0", COUNT(*) AS "n" FROM "source" GROUP BY 1) AS b GROUP BY 1'
    )


def test_released() -> None:
    lookup = Lookup(keys=("zip",), fields=("zip",), batches=lambda: iter(()))
    plan = WritePlan(fields=("zip", "born"), lookups=(lookup,), order=Order.SORTED)
    assert sql(ASK.released(plan, {"zip": ZIP, "born": BORN}, ["kept_0"])) == (
        'SELECT "kept_0"."new:zip" AS "zip", "source"."born" AS "born" FROM "source" INNER '
        'JOIN "kept_0" '
        'ON "source"."zip" IS NOT DISTINCT FROM "kept_0"."key:zip" ORDER BY 1, 2'
    )


def test_numbers_get_names_that_no_field_has() -> None:
    lookup = Lookup(
        keys=("position",), fields=("position",), batches=lambda: iter(()), portions=True
    )
    fields = {name: FieldInfo(name, FieldKind.TEXT, "") for name in ("position", "Ordinal:0")}
    plan = WritePlan(fields=("position",), lookups=(lookup,), order=Order.KEEP)
    text = sql(ASK.released(plan, fields, ["kept_0"]))
    assert '"ordinal:0\'"' in text
    assert 'ORDER BY "source"."position\'"' in text


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
def test_hostile_names_and_labels_stay_quoted(dialect: str) -> None:
    """Parsed back, every query is one statement over no other table."""
    keys = Lookup(
        keys=(HOSTILE.name,), fields=(HOSTILE.name,), batches=lambda: iter(()), portions=True
    )
    plan = WritePlan(
        fields=(HOSTILE.name, "zip"), lookups=(keys,), constants={"zip": "'; DROP TABLE source; --"}
    )
    infos = {HOSTILE.name: HOSTILE, "zip": ZIP}
    asked = [
        ASK.bins([HOSTILE], HOSTILE),
        ASK.bin_sizes([HOSTILE], 10),
        ASK.profile(HOSTILE),
        ASK.sample(HOSTILE, 3),
        ASK.distinct([HOSTILE]),
        ASK.released(plan, infos, ["kept_0"]),
    ]
    for query in asked:
        (parsed,) = sqlglot.parse(query.sql(dialect=dialect), dialect=dialect)
        assert isinstance(parsed, exp.Select)
        assert {table.name for table in parsed.find_all(exp.Table)} <= {"source", "kept_0"}
