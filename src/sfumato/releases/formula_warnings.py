"""Warnings about cells and names of a released file that a spreadsheet would run."""

from __future__ import annotations

from pathlib import Path

from sfumato.engines import Engine
from sfumato.engines.formats import format_of_suffix
from sfumato.engines.formula_cells import formula_sentences, is_formula


def formula_warnings(written: Engine, place: Path | str, *, quoted: bool, table: str = "") -> tuple[str, ...]:
    """What was counted in a file that was just written, before it is published; nothing about other formats."""
    format = format_of_suffix(place.suffix) if isinstance(place, Path) else None
    if format is None or not format.in_spreadsheets:
        return ()
    names = [info.name for info in written.fields()]
    cells = {f"{table}.{name}" if table else name: n for name, n in written.count_formulas(names).items()}
    return formula_sentences([name for name in names if is_formula(name)], cells, quoted=quoted)
