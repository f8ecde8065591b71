"""AGE: years between two dates, spelled out with elements that the gate reads.

`EXTRACT(YEAR FROM AGE(later, earlier))` counts whole years, as PostgreSQL does; with one date, the
later one is today. Other parts of an AGE depend on the lengths of months and are not read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Final

import sqlglot
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .qualification import DIALECT

_YEARS: Final = (
    "(EXTRACT(YEAR FROM {a}) - EXTRACT(YEAR FROM {b}) - CASE WHEN EXTRACT(MONTH FROM {a}) * 100 + "
    "EXTRACT(DAY FROM {a}) < EXTRACT(MONTH FROM {b}) * 100 + EXTRACT(DAY FROM {b}) THEN 1 ELSE 0 END)"
)
_WHOLE: Final = (
    f"(CASE WHEN a >= b THEN {_YEARS.format(a='a', b='b')} ELSE 0 - {_YEARS.format(a='b', b='a')} "
    "END)"
)


def _today() -> date:
    return datetime.now(UTC).date()


def spell_out_ages(tree: exp.Expr, *, today: Callable[[], date] = _today) -> None:
    """Years of an AGE as a difference of years, and CURRENT_DATE as the date of today.

    Example:
        >>> tree = sqlglot.parse_one("SELECT EXTRACT(YEAR FROM AGE(birth)) FROM t", read="postgres")
        >>> spell_out_ages(tree, today=lambda: date(2026, 7, 1))
        >>> "AGE" in tree.sql(), "2026-07-01" in tree.sql()
        (False, True)
    """
    for now in [*tree.find_all(exp.CurrentDate)]:
        now.replace(_literal(today()))
    for node in [*tree.find_all(exp.Extract)]:
        inner = node.expression
        if _is_age(inner):
            if node.name.upper() != "YEAR":
                raise _not_read(node.name.upper())
            given = inner.expressions
            if len(given) not in (1, 2):
                raise _not_read("YEAR")
            later, earlier = (_literal(today()), given[0]) if len(given) == 1 else given
            node.replace(_years(_as_date(later), _as_date(earlier)))
    for span in tree.find_all(exp.Anonymous):
        if _is_age(span):
            raise _not_read("a span of time")


def _is_age(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == "AGE"


def _not_read(part: str) -> NotAdmitted:
    return NotAdmitted(
        "AGE is read in whole years.",
        code="not-listed",
        found=f"{part} of an AGE is not on the list.",
        attempt="EXTRACT(YEAR FROM AGE(field)), or EXTRACT(YEAR FROM AGE(DATE '2026-01-01', field)).",
    )


def _literal(day: date) -> exp.Expr:
    return exp.cast(exp.Literal.string(day.isoformat()), "DATE")


def _as_date(value: exp.Expr) -> exp.Expr:
    return value.copy() if isinstance(value, exp.Cast) else exp.cast(value.copy(), "DATE")


def _years(later: exp.Expr, earlier: exp.Expr) -> exp.Expr:
    whole = sqlglot.parse_one(_WHOLE, read=DIALECT)
    for column in [*whole.find_all(exp.Column)]:
        column.replace((later if column.name == "a" else earlier).copy())
    return whole
