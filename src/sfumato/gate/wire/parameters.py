"""Parameters of a query: decoded, and put into its tree as constants before anybody looks whether
it may pass.

They are never pasted into text. The text that is admitted is written from the tree, read again, and
must have the very same constants in the same places."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted

from ..sql.admission import DIALECT
from .cells import (
    BOOL,
    DATE,
    FIRST_DAY,
    FIRST_MOMENT,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    OF_KIND,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
)

MOST: Final = 200
_NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*\Z", re.ASCII)
_NUMBERS: Final = (INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC)
_TRUE, _FALSE = ("t", "true", "on", "yes", "y", "1"), ("f", "false", "off", "no", "n", "0")
_BPCHAR, _NAME, _UNKNOWN = 1042, 19, 705


def mentioned(tree: exp.Expr) -> int:
    """How many parameters a query has: the highest number among them.

    Example:
        >>> mentioned(sqlglot.parse_one("SELECT a FROM t WHERE b = $2 OR b = $1", read="postgres"))
        2
    """
    numbers = [_number(node) for node in tree.find_all(exp.Parameter)]
    if any(not 1 <= number <= MOST for number in numbers):
        raise NotAdmitted(f"A query may have parameters $1 to ${MOST}.", code="no-parameter")
    return max(numbers, default=0)


def _number(node: exp.Expr) -> int:
    return int(node.name) if node.name.isdecimal() and len(node.name) <= 5 else 0


def bound(tree: exp.Expr, constants: Sequence[exp.Expr]) -> exp.Expr:
    """The query with constants in place of its parameters."""
    out = tree.copy()
    for node in list(out.find_all(exp.Parameter)):
        number = _number(node)
        if not 1 <= number <= len(constants):
            raise NotAdmitted(f"There is no parameter ${number}.", code="no-parameter")
        node.replace(constants[number - 1].copy())
    return out


def written(tree: exp.Expr) -> str:
    """The text of a bound query, which reads as the tree does."""
    sql = tree.sql(DIALECT)
    try:
        again = sqlglot.parse(sql, read=DIALECT)
    except (SqlglotError, ValueError, RecursionError):
        again = []
    if len(again) != 1 or again[0] is None or _constants(again[0]) != _constants(tree):
        raise NotAdmitted(
            "The values cannot be put into this query.", code="parameter", attempt="simpler ones."
        )
    return sql


def _constants(tree: exp.Expr) -> list[tuple[str, bool]]:
    return [(node.name, node.is_string) for node in tree.find_all(exp.Literal)]


def constant(value: bytes | None, oid: int, *, form: int) -> exp.Expr:
    """A parameter's value as a constant; `form` is 1 where it was binary.

    Example:
        >>> constant(b"it's", 0, form=0).sql(), constant(b"\\x00\\x00\\x00\\x05", INT4, form=1).sql()
        ("'it''s'", '5')
    """
    if value is None:
        return exp.Null()
    try:
        plain = _from_binary(value, oid) if form == 1 else value.decode("utf-8")
    except (struct.error, ValueError, KeyError, OverflowError, ArithmeticError):
        raise _unreadable() from None
    if "\x00" in plain:
        raise _unreadable()
    if oid in _NUMBERS:
        if not _NUMBER.match(plain):
            raise _unreadable()
        number = plain.strip().removeprefix("+")
        negative = number.startswith("-")
        literal = exp.Literal.number(number.removeprefix("-"))
        return exp.Neg(this=literal) if negative else literal
    if oid == BOOL:
        if plain.strip().lower() not in _TRUE + _FALSE:
            raise _unreadable()
        return exp.true() if plain.strip().lower() in _TRUE else exp.false()
    return exp.Literal.string(plain)


def _unreadable() -> NotAdmitted:
    return NotAdmitted("A parameter's value is not of its type.", code="parameter")


def _from_binary(value: bytes, oid: int) -> str:
    if oid in (0, TEXT, VARCHAR, _BPCHAR, _NAME, _UNKNOWN):
        return value.decode("utf-8")
    return _BINARY[oid](value)


def _whole(form: str) -> Callable[[bytes], str]:
    return lambda value: str(struct.unpack(form, value)[0])


def _real(form: str) -> Callable[[bytes], str]:
    def read(value: bytes) -> str:
        (found,) = struct.unpack(form, value)
        if not math.isfinite(found):
            raise ValueError
        return repr(found)

    return read


def _moment(value: bytes) -> str:
    return (FIRST_MOMENT + timedelta(microseconds=struct.unpack("!q", value)[0])).isoformat(sep=" ")


def _numeric(value: bytes) -> str:
    count, weight, sign, places = struct.unpack("!hhHH", value[:8])
    if sign not in (0, 0x4000) or count < 0:
        raise ValueError
    digits = struct.unpack(f"!{count}h", value[8:])
    found = sum(
        (Decimal(digit).scaleb(4 * (weight - at)) for at, digit in enumerate(digits)), Decimal(0)
    )
    return f"{-found if sign else found:.{places}f}"


_BINARY: Final[Mapping[int, Callable[[bytes], str]]] = {
    BOOL: lambda value: {b"\x00": "f", b"\x01": "t"}[value],
    INT2: _whole("!h"),
    INT4: _whole("!i"),
    INT8: _whole("!q"),
    OID: _whole("!I"),
    FLOAT4: _real("!f"),
    FLOAT8: _real("!d"),
    NUMERIC: _numeric,
    DATE: lambda value: (FIRST_DAY + timedelta(days=struct.unpack("!i", value)[0])).isoformat(),
    TIMESTAMP: _moment,
    TIMESTAMPTZ: _moment,
}


def inferred(
    tree: exp.Expr, given: Sequence[int], kinds: Mapping[str, FieldKind]
) -> tuple[int, ...]:
    """The types of a query's parameters: as the client gave them, or of the field that a parameter
    is compared with.

    Example:
        >>> tree = sqlglot.parse_one("SELECT a FROM t WHERE a > $1 AND b = $2 LIMIT $3", read="postgres")
        >>> inferred(tree, (0, 1043), {"a": FieldKind.INTEGER})
        (20, 1043, 20)
    """
    out = [*given, *([0] * (mentioned(tree) - len(given)))]
    for node in tree.find_all(exp.Parameter):
        place = _number(node) - 1
        if out[place] == 0:
            out[place] = _beside(node, kinds)
    return tuple(oid or TEXT for oid in out)


def _beside(node: exp.Expr, kinds: Mapping[str, FieldKind]) -> int:
    parent = node.parent
    if isinstance(parent, (exp.Limit, exp.Offset)):
        return INT8
    if isinstance(parent, exp.Cast):
        return _CASTS.get(parent.args["to"].this, 0)
    if isinstance(parent, (exp.Binary, exp.Between, exp.In)) and not isinstance(
        parent, exp.Like | exp.ILike
    ):
        for column in parent.find_all(exp.Column):
            if column.name.lower() in kinds:
                return OF_KIND[kinds[column.name.lower()]]
    return 0


_CASTS: Final = {
    exp.DType.INT: INT4, exp.DType.BIGINT: INT8, exp.DType.SMALLINT: INT2, exp.DType.DOUBLE: FLOAT8,
    exp.DType.FLOAT: FLOAT4, exp.DType.DECIMAL: NUMERIC, exp.DType.BOOLEAN: BOOL, exp.DType.DATE: DATE,
    exp.DType.TEXT: TEXT, exp.DType.VARCHAR: VARCHAR,
}  # fmt: skip
