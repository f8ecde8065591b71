"""Kinds of fields: whether a field is text or a number, and what that is known from.

A source with a schema (Parquet, a database) states it. A CSV file has only text, and JSON and
workbooks have the form of their cells. There one person's value would decide, and everybody sees
the kind. Where membership is protected, the policy therefore decides. A field with a numeric
hierarchy or a domain of numbers is a number; any other one is text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from sfumato.engines import DATABASE_FILES, FieldKind, is_address
from sfumato.hierarchies import Dates, FixedWidths, Label, Quantiles, Ranges
from sfumato.policy import Field, Policy

_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?")
_TYPED: Final = (".parquet", *DATABASE_FILES)
_NUMERIC: Final = (FixedWidths, Quantiles, Ranges)
ISO: Final = "%Y-%m-%d"


class KnownFrom(StrEnum):
    """The origin of the kinds of a table's fields."""

    SCHEMA = "schema"
    VALUES = "values"
    POLICY = "policy"


def known_from(source: str, *, protected: bool) -> KnownFrom:
    """The origin of the kinds of a source; one whose format nobody knows has no types.

    Example:
        >>> [known_from(each, protected=True).value for each in ("a.parquet", "a.csv", "postgresql://host/base")]
        ['schema', 'policy', 'schema']
        >>> known_from("a.csv", protected=False).value
        'values'
    """
    if is_address(source) or Path(source).suffix.lower() in _TYPED or Path(source).is_dir():
        return KnownFrom.SCHEMA
    return KnownFrom.POLICY if protected else KnownFrom.VALUES


def kind_of(declared: FieldKind, values: Sequence[Label]) -> FieldKind:
    """The kind of a field by its values: numbers where all of them are written as one. A code with
    a leading zero is none.

    Example:
        >>> cells = ("7", "12", None), ("1.50", "-2"), ("02138",)
        >>> tuple(kind_of(FieldKind.TEXT, each) for each in cells)
        (<FieldKind.INTEGER: 'integer'>, <FieldKind.REAL: 'real'>, <FieldKind.TEXT: 'text'>)
    """
    present = [value for value in values if value is not None]
    if declared is not FieldKind.TEXT or not present:
        return declared
    if all(map(_WHOLE.fullmatch, present)):
        return FieldKind.INTEGER
    return FieldKind.REAL if all(map(_DECIMAL.fullmatch, present)) else declared


def kind_in(policy: Field) -> FieldKind:
    """The kind of a field in a policy: a number, whole or not, or text."""
    listed = policy.domain.listed() if policy.domain is not None else ()
    numbers = bool(listed) and not any(isinstance(each, str) for each in listed)
    return (
        FieldKind.REAL
        if numbers or (not listed and isinstance(policy.hierarchy, _NUMERIC))
        else FieldKind.TEXT
    )


def dates_in(policy: Field) -> str:
    """How the dates of a text field are written, by the hierarchy of its policy; nothing where it
    has no dates, or years of two digits."""
    if not isinstance(policy.hierarchy, Dates):
        return ""
    return "" if "%y" in policy.hierarchy.format else policy.hierarchy.format or ISO


def changed_kinds(before: Policy, after: Policy) -> list[str]:
    """The fields that have different kinds in two policies."""
    both = [name for name in before.fields if name in after.fields]
    return [
        name for name in both if kind_in(before.fields[name]) is not kind_in(after.fields[name])
    ]


def as_number(value: Label) -> Label:
    """A value of a field that is declared a number; missing where it is none."""
    try:
        return value if value is not None and math.isfinite(float(value)) else None
    except ValueError:
        return None


def as_whole(value: Label) -> Label:
    """A value of a field that holds whole numbers; missing where it is none."""
    return value if value is not None and _WHOLE.fullmatch(value) else None
