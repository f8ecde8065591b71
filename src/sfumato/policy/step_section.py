"""Reading and writing `[[steps]]`: each names a technique, and its parameters are those that the
technique declares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.hierarchies import is_list
from sfumato.parts import with_question

from .parameter_section import read_record, record_as_table
from .step_records import TECHNIQUES, PolicyStep
from .table_cursor import Reader


def read_steps(top: Reader, *, folder: Path) -> tuple[PolicyStep, ...]:
    """The steps in their order; unreadable steps are reported and skipped."""
    given = top.get("steps")
    if given is None:
        return ()
    if not is_list(given) or not all(isinstance(item, Mapping) for item in given):
        top.report("steps", "It must be a list of tables.", attempt="[[steps]] once for each step.")
        return ()
    readers = [
        Reader(item, where=f"steps[{i}]", problems=top.problems)
        for i, item in enumerate(given)
        if isinstance(item, Mapping)
    ]
    found = (_read(reader, place, folder=folder) for place, reader in enumerate(readers))
    return tuple(step for step in found if step is not None)


def _read(reader: Reader, place: int, *, folder: Path) -> PolicyStep | None:
    name = reader.text("technique")
    if name not in TECHNIQUES:
        said = (
            with_question(f'There is no technique "{name}".', name, tuple(TECHNIQUES))
            if name
            else "It is missing."
        )
        reader.report("technique", said, attempt=f"one of {', '.join(TECHNIQUES)}.")
        return None
    table, fields = reader.text("table"), reader.names("fields")
    settings: object = read_record(reader, TECHNIQUES[name].record, folder=folder)
    return PolicyStep(technique=name, table=table, fields=fields, settings=settings, place=place)


def steps_as_table(steps: tuple[PolicyStep, ...]) -> list[dict[str, object]]:
    """The steps in the form of the file, without defaults."""
    out = []
    for step in steps:
        table = {"table": step.table} if step.table else {}
        fields = {"fields": list(step.fields)} if step.fields else {}
        out.append(
            {"technique": step.technique, **table, **fields, **record_as_table(step.settings)}
        )
    return out
