"""Prepared statements and portals: what the extended protocol keeps between messages, and how rows
are described."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pygwire.messages import FieldDescription, RowDescription

from sfumato.errors import NotAdmitted

from .cells import DoesNotFit, ResultColumn, fits
from .results import Result, unmarked
from .statement_plan import Plan


@dataclass(slots=True, kw_only=True)
class PreparedStatement:
    """A statement that was parsed. `announced` are the columns that a client got before it was
    bound."""

    plan: Plan | None
    announced: tuple[ResultColumn, ...] | None = None


@dataclass(slots=True, kw_only=True)
class Portal:
    """A statement with its values, and what it gave once it was done."""

    prepared: PreparedStatement
    plan: Plan | None
    formats: Sequence[int] = ()
    result: Result | None = field(default=None, repr=False)
    sent: int = 0


def described(columns: Sequence[ResultColumn], formats: Sequence[int]) -> RowDescription:
    return RowDescription(
        fields=[
            FieldDescription(
                name=column.name,
                type_oid=column.oid,
                type_size=column.size,
                type_modifier=-1,
                format_code=form,
            )
            for column, form in zip(columns, formats, strict=True)
        ]
    )


def forms(formats: Sequence[int], columns: Sequence[ResultColumn] | None) -> list[int]:
    """The format of each column: one for all, or each its own."""
    return [form_of(formats, number, len(columns or ())) for number in range(len(columns or ()))]


def form_of(formats: Sequence[int], number: int, count: int) -> int:
    if len(formats) not in (0, 1, count) or any(form not in (0, 1) for form in formats):
        raise NotAdmitted("The formats do not fit.", code="parameter")
    return 0 if not formats else formats[0] if len(formats) == 1 else formats[number]


def as_announced(result: Result, announced: tuple[ResultColumn, ...] | None) -> Result:
    """Columns that were announced before values were bound hold: rows are sent in those types, or
    not at all."""
    if announced is None or result.columns is None or announced == result.columns:
        return result
    rows, count = result.rows, len(result.columns)
    if count < len(announced):
        rows = [(*row, *unmarked(announced, count)) for row in rows]
    if count > len(announced):
        raise DoesNotFit
    for number, column in enumerate(announced):
        if not all(fits(row[number], column.oid) for row in rows):
            raise DoesNotFit
    return Result(
        tag=result.tag, columns=announced, rows=rows, notices=result.notices, changed=result.changed
    )
