"""The inspection of written tables that no requirement asks for: original values, types, formulas,
texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.engines import Engine, FieldKind, formula_sentences, is_formula
from sfumato.engines.formats import format_of_suffix

from .destinations import Destination, WrittenTables
from .flow import StagedTable
from .release_recount import values_left

if TYPE_CHECKING:
    from .texts.text_lookups import Texts


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """How many original values each replaced field still has, what is wrong with texts, and what to
    warn of."""

    originals: Mapping[str, int] = field(default_factory=dict)
    faults: Sequence[str] = ()
    warnings: tuple[str, ...] = ()


def inspect_written(
    tables: Sequence[StagedTable],
    written: WrittenTables,
    *,
    place: Destination,
    texts: Texts | None,
    quoted: bool,
) -> Inspection:
    """Compare each written table with its source."""
    originals: dict[str, int] = {}
    stored_as: list[str] = []
    formulas: list[str] = []
    for table in tables:
        now = written.table(table.name)
        for each in table.replaced:
            originals[f"{table.prefix}{each.name}"] = values_left(table.source, now, each)
        stored_as += [
            f"{table.prefix}{name}" for name in stored_as_text(table.source, now, table.kept)
        ]
        called = table.name if len(tables) > 1 else ""
        formulas += formula_warnings(now, place.called(table.name), quoted=quoted, table=called)
    return Inspection(
        originals={name: count for name, count in originals.items() if count},
        faults=tuple(texts.broken(written.table)) if texts is not None else (),
        warnings=(*stored_types_warnings(stored_as, place.called(tables[0].name)), *formulas),
    )


def stored_as_text(source: Engine, written: Engine, kept: Collection[str]) -> tuple[str, ...]:
    """The kept fields that were of another type in the source; their values are the same, as
    text."""
    after = {info.name: info.kind for info in written.fields()}
    return tuple(
        info.name
        for info in source.fields()
        if info.name in kept
        and info.kind is not FieldKind.TEXT
        and after.get(info.name) is FieldKind.TEXT
    )


def stored_types_warnings(names: Collection[str], place: Path | str) -> tuple[str, ...]:
    """Warnings for a recipient of Parquet or Excel; in CSV everything is text."""
    format = format_of_suffix(Path(place).suffix)
    if not names or format is None or not format.keeps_types:
        return ()
    return (
        f"Written as text, because {format.title} has no type that holds every value "
        f"unchanged: {', '.join(names)}.",
    )


def formula_warnings(
    written: Engine, place: Path | str, *, quoted: bool, table: str = ""
) -> tuple[str, ...]:
    """Counts of formulas in a file that was just written, before it is published; nothing about
    other formats."""
    format = format_of_suffix(place.suffix) if isinstance(place, Path) else None
    if format is None or not format.in_spreadsheets:
        return ()
    names = [info.name for info in written.fields()]
    cells = {
        f"{table}.{name}" if table else name: n for name, n in written.count_formulas(names).items()
    }
    return formula_sentences([name for name in names if is_formula(name)], cells, quoted=quoted)
