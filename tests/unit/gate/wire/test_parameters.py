"""Parameters: whatever value a client binds is one constant of the query, and nothing of it is read
as SQL."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import psycopg.types.datetime
import psycopg.types.numeric
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from psycopg.adapt import PyFormat, Transformer
from sqlglot import exp

from sfumato.errors import NotAdmitted
from sfumato.gate.wire.cells import (
    BOOL,
    DATE,
    FLOAT8,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    binary,
    fits,
    pad_oid,
    text,
)
from sfumato.gate.wire.parameters import bound, constant, mentioned, written

QUERY = sqlglot.parse_one("SELECT age FROM people WHERE town = $1 AND age > $2", read="postgres")
DECIMALS = st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6
)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30))
def test_a_text_is_one_constant(value: str) -> None:
    sql = written(bound(QUERY, [constant(value.encode(), 0, form=0), constant(b"3", INT8, form=0)]))
    again = sqlglot.parse(sql, read="postgres")
    assert len(again) == 1
    assert again[0] is not None
    assert [(each.name, each.is_string) for each in again[0].find_all(exp.Literal)] == [
        (value, True),
        ("3", False),
    ]
    assert len(list(again[0].walk())) == len(list(QUERY.walk())) - 2


@given(st.text(max_size=12))
def test_a_number_is_a_number(value: str) -> None:
    try:
        found = constant(value.encode("utf-8", "replace"), INT8, form=0)
    except NotAdmitted:
        return
    float(value.encode("utf-8", "replace").decode())
    assert type(found) in (exp.Literal, exp.Neg)


@pytest.mark.parametrize(
    ("value", "oid", "form"),
    [
        (b"1; DROP TABLE people", INT8, 0),
        (b"a\x00b", TEXT, 0),
        (b"\xff\xfe", TEXT, 0),
        (b"\x00\x01", INT8, 1),
        (b"maybe", BOOL, 0),
        (b"\x02", BOOL, 1),
        (b"x", 600, 1),
        (b"\x7f\xff\xff\xff", DATE, 1),
        (b"\x7f\xf0\x00\x00\x00\x00\x00\x00", FLOAT8, 1),
        (b"\x00\x01\x00\x00\xc0\x00\x00\x00\x00\x01", NUMERIC, 1),
    ],
)
def test_values_that_are_not_of_their_type(value: bytes, oid: int, form: int) -> None:
    with pytest.raises(NotAdmitted, match="not of its type"):
        constant(value, oid, form=form)


def test_parameters_that_are_not_there() -> None:
    with pytest.raises(NotAdmitted, match="no parameter"):
        bound(QUERY, [exp.Null()])
    for sql in ("SELECT $0", "SELECT $999999"):
        with pytest.raises(NotAdmitted, match="parameters"):
            mentioned(sqlglot.parse_one(sql, read="postgres"))


# ---------------------------------------------------------------- cells, as psycopg reads and
# writes them


def loaded(data: bytes, oid: int, *, form: int) -> Any:
    return Transformer().get_loader(oid, psycopg.pq.Format(form)).load(data)


@given(
    st.one_of(
        st.tuples(st.integers(-(2**63), 2**63 - 1), st.just(INT8)),
        st.tuples(st.floats(allow_nan=False), st.just(FLOAT8)),
        st.tuples(st.booleans(), st.just(BOOL)),
        st.tuples(st.dates(), st.just(DATE)),
        st.tuples(st.datetimes(), st.just(TIMESTAMP)),
        st.tuples(DECIMALS, st.just(NUMERIC)),
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), st.just(TEXT)),
        st.tuples(st.lists(st.integers(0, 2**31)), st.just(1016)),
        st.tuples(
            st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"))),
            st.just(1009),
        ),
    ),
    st.sampled_from([0, 1]),
)
def test_psycopg_reads_what_is_written(cell: tuple[Any, int], form: int) -> None:
    value, oid = cell
    assert loaded((binary if form else text)(value, oid), oid, form=form) == value


@given(
    st.one_of(
        st.integers(-(2**40), 2**40),
        DECIMALS,
        st.dates(),
        st.datetimes(),
        st.floats(-1e9, 1e9),
        st.booleans(),
    )
)
def test_what_psycopg_writes_is_read(value: Any) -> None:
    found = Transformer().get_dumper(value, PyFormat.BINARY)
    made = constant(bytes(found.dump(value)), found.oid, form=1)
    if isinstance(value, bool):
        assert made == (exp.true() if value else exp.false())
    elif isinstance(value, date):
        assert made.name == (
            value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
        )
    else:
        assert Decimal(made.sql()) == Decimal(repr(value) if isinstance(value, float) else value)


def test_what_does_not_fit() -> None:
    assert not fits("20-24", INT8)
    assert not fits(2**63, INT8)
    assert not fits(True, INT8)
    assert not fits("*", DATE)
    assert fits(None, DATE)
    assert fits(2**70, NUMERIC)
    assert (pad_oid("VARCHAR[]"), pad_oid("DECIMAL(3,2)"), pad_oid("STRUCT(a INTEGER)")) == (
        1009,
        NUMERIC,
        TEXT,
    )
