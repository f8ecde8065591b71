"""Orders: a field of text is not compared with a number by which is greater, since as texts 9 is
beyond 10; nor a date that is written with the day or the month in front."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted

from ..decide.field_kinds import ISO
from ..decide.protected_table import HeldField
from .predicates import Both, Comparison, Either, Not, Predicate
from .questions import Question


def check_orders(question: Question, fields: Mapping[str, HeldField]) -> None:
    """Whether every comparison of a condition has its plain meaning; decided by the kinds of fields
    alone."""
    for condition in (question.about, question.having):
        for each in _comparisons(condition) if condition is not None else ():
            is_text = each.field in fields and fields[each.field].kind is FieldKind.TEXT
            if is_text and not isinstance(each.constant, str) and each.operator not in ("=", "<>"):
                raise NotAdmitted(
                    f"The field {each.field!r} is text, and is compared with a number.",
                    code="not-comparable",
                    attempt=f"{each.field} = a constant, a text in quotes, or asking the steward "
                    "to declare a domain.",
                )
            written = fields[each.field].dates if each.field in fields else ""
            if is_text and written not in ("", ISO) and each.operator not in ("=", "<>"):
                raise NotAdmitted(
                    f"The field {each.field!r} is text, written as {written}: its order is not that "
                    "of dates.",
                    code="not-comparable",
                    attempt=f"CAST({each.field} AS DATE) {each.operator} DATE '2026-01-31'.",
                )


def _comparisons(condition: Predicate) -> Iterator[Comparison]:
    match condition:
        case Comparison():
            yield condition
        case Not(inner):
            yield from _comparisons(inner)
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _comparisons(part)
