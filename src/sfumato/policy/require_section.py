"""Reading and writing `[require]`: some settings, and the requirement of each protection model, by
its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from sfumato.hierarchies import is_list

from .declared_models import (
    MODELS,
    RequirementDeclaration,
    RequirementForm,
    UndeclaredRequirement,
    declared_model,
    unknown_model,
)
from .parameter_section import plain, read_record, read_value, record_as_table
from .requirements import SETTINGS, Requirements
from .roles import CellReading
from .table_cursor import Reader, kind_of


def read_requirements(top: Reader, *, folder: Path, undeclared: bool = False) -> Requirements:
    """The requirements; what could not be read is left out and noted.

    A model that nothing here declares is noted too, unless `undeclared` ones are kept, so that they
    can be named."""
    reader = top.table("require")
    if reader is None:
        return Requirements()
    settings: dict[str, Any] = {
        "quasi_identifiers": _sets(reader),
        "max_suppression": reader.share("max_suppression", 0.0),
        "reading": reader.choice("reading", CellReading, CellReading.STRICT),
    }
    asked: dict[str, tuple[Any, ...]] = {}
    for key in reader.raw:
        if key in SETTINGS:
            continue
        if key in MODELS:
            asked[key] = tuple(_asked(reader, MODELS[key], folder=folder))
        elif undeclared:
            asked[key] = (UndeclaredRequirement(asked=reader.raw[key]),)
        else:
            problem = unknown_model(key, SETTINGS)
            reader.report(key, problem.found, attempt=problem.attempt)
    return Requirements(asked=asked, **settings)


def _asked(reader: Reader, declared: RequirementDeclaration, *, folder: Path) -> Iterator[Any]:
    """The records under the key of a model."""
    key, given = declared.key, reader.get(declared.key)
    if declared.form is RequirementForm.VALUE:
        value = read_value(reader, replace(declared.parameter, name=key), folder=folder)
        if value is not None and value != {}:
            yield declared.record(**{declared.parameter.name: value})
        return
    if declared.form is RequirementForm.FLAG and isinstance(given, bool):
        given = {} if given else None
    several = (
        given
        if declared.form is RequirementForm.TABLES and is_list(given)
        else ()
        if given is None
        else (given,)
    )
    if not several and is_list(given):
        reader.report(key, "It is an empty list.", attempt="leaving it out.")
    for number, table in enumerate(several, start=1):
        where = f"{reader.at(key)}[{number}]" if is_list(given) else reader.at(key)
        if isinstance(table, Mapping):
            yield read_record(
                Reader(table, where=where, problems=reader.problems), declared.record, folder=folder
            )
        else:
            reader.report(key, f"It must be {_FORMS[declared.form]} {kind_of(table)}.")


_FORMS: Mapping[RequirementForm, str] = {
    RequirementForm.TABLE: "a table, and is",
    RequirementForm.FLAG: "true, false or a table, and is",
    RequirementForm.TABLES: "a table or a list of tables, and is or holds",
}


def with_usual_limit(require: Requirements, said: object) -> Requirements:
    """The requirements with Datafly's own limit, twice the loss of its anonymity level, where
    `said` has no limit."""
    asked, limited = (
        require.one("anonymity"),
        isinstance(said, Mapping) and "max_suppression" in said,
    )
    if asked is None or limited:
        return require
    return replace(require, max_suppression=min(1.0, 2 * asked.loss))


def _sets(reader: Reader) -> tuple[tuple[str, ...], ...]:
    given = reader.get("quasi_identifiers")
    sets = given if is_list(given) else ()
    out = tuple(
        tuple(name for name in item if isinstance(name, str)) for item in sets if is_list(item)
    )
    whole = len(out) == len(sets) and all(
        len(names) == len(item) and len(set(names)) == len(names) > 0
        for names, item in zip(out, (item for item in sets if is_list(item)), strict=True)
    )
    if given is not None and (not is_list(given) or not whole):
        reader.report(
            "quasi_identifiers",
            "It must be a list of lists of field names, none empty and none with a name twice.",
            attempt='quasi_identifiers = [["zip", "birth"], ["sex", "zip"]].',
        )
        return ()
    return out


def require_as_table(require: Requirements) -> dict[str, object]:
    """The requirements in the form of the file: k, the settings, then the other models in their
    order."""
    out: dict[str, object] = {} if require.k is None else {"k": require.k}
    out["max_suppression"] = require.max_suppression
    out["reading"] = require.reading.value
    if require.quasi_identifiers:
        out["quasi_identifiers"] = [list(names) for names in require.quasi_identifiers]
    for key in require.keys:
        out[key] = _as_asked(declared_model(key), require.each(key))
    return out


def _as_asked(declared: RequirementDeclaration, records: Sequence[Any]) -> object:
    if declared.record is UndeclaredRequirement:
        return plain(records[0].asked)
    if declared.form is RequirementForm.VALUE:
        return plain(getattr(records[0], declared.parameter.name))
    tables = [_as_table(declared, record) for record in records]
    if declared.form is RequirementForm.FLAG:
        return tables[0] or True
    return tables[0] if len(tables) == 1 else tables


def _as_table(declared: RequirementDeclaration, record: Any) -> dict[str, object]:
    if not declared.written_whole:
        return record_as_table(record)
    values = ((each.name, getattr(record, each.name)) for each in fields(record))
    return {name: plain(value) for name, value in values if value is not None}
