"""The inspection of written tables that no requirement asks for: original values, types, formulas, texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .destinations import Destination, WrittenTables
from .flow import StagedTable
from .formula_warnings import formula_warnings
from .recount import values_left
from .stored_types import stored_as_text, stored_types_warnings

if TYPE_CHECKING:
    from .texts.text_lookups import Texts


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """How many original values each replaced field still has, what is wrong with texts, and what to warn of."""

    originals: Mapping[str, int] = field(default_factory=dict)
    faults: Sequence[str] = ()
    warnings: tuple[str, ...] = ()


def inspect_written(
    tables: Sequence[StagedTable], written: WrittenTables, *, place: Destination, texts: Texts | None, quoted: bool
) -> Inspection:
    """Compare each written table with what it was written from."""
    originals: dict[str, int] = {}
    stored_as: list[str] = []
    formulas: list[str] = []
    for table in tables:
        now = written.table(table.name)
        for each in table.replaced:
            originals[f"{table.prefix}{each.name}"] = values_left(table.source, now, each)
        stored_as += [f"{table.prefix}{name}" for name in stored_as_text(table.source, now, table.kept)]
        called = table.name if len(tables) > 1 else ""
        formulas += formula_warnings(now, place.called(table.name), quoted=quoted, table=called)
    return Inspection(
        originals={name: count for name, count in originals.items() if count},
        faults=tuple(texts.broken(written.table)) if texts is not None else (),
        warnings=(*stored_types_warnings(stored_as, place.called(tables[0].name)), *formulas),
    )
