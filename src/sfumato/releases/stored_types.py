"""Which kept fields a file holds as text, because its format has no type for them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sfumato.engines import Engine, FieldKind
from sfumato.engines.formats import format_of_suffix


def stored_as_text(source: Engine, written: Engine, kept: Collection[str]) -> tuple[str, ...]:
    """The kept fields that were of another type in the source; their values are the same, as text."""
    after = {info.name: info.kind for info in written.fields()}
    return tuple(
        info.name
        for info in source.fields()
        if info.name in kept and info.kind is not FieldKind.TEXT and after.get(info.name) is FieldKind.TEXT
    )


def stored_types_warnings(names: Collection[str], place: Path | str) -> tuple[str, ...]:
    """What a recipient of Parquet or Excel should know; in CSV everything is text."""
    format = format_of_suffix(Path(place).suffix)
    if not names or format is None or not format.keeps_types:
        return ()
    return (
        f"Written as text, because {format.title} has no type that holds every value unchanged: {', '.join(names)}.",
    )
