"""Reading `[tables.NAME]`: the fields of a table, its key, its links and what its number of rows
may tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from .field_section import read_fields
from .source_section import read_source
from .table_cursor import Reader
from .table_names import split_name
from .table_records import Link, Orphans, RowCountMerging, RowCountPolicy, TablePolicy


def read_tables(
    top: Reader, *, folder: Path, entity: str | None
) -> tuple[dict[str, TablePolicy], frozenset[str]]:
    """The tables in the order of the file, and what could not be read: names of tables, and fields
    as TABLE.FIELD."""
    section = top.table("tables")
    if section is None:
        return {}, frozenset({"tables"} if "tables" in top.raw else ())
    tables: dict[str, TablePolicy] = {}
    unclear: set[str] = set()
    names = _names_in(section.raw)
    for name in section.raw:
        reader = section.table(name)
        if reader is None:
            unclear.add(name)
            continue
        told = len(top.problems)
        # Where the entity is missing, that is told once, and not again for each shift.
        fields, roles = read_fields(reader, folder=folder, entity=entity or "entity")
        unclear.update(f"{name}.{field}" for field in roles)
        tables[name] = TablePolicy(
            name=name,
            fields=fields,
            key=reader.text("key"),
            links=_links(reader, names),
            row_counts=read_row_counts(reader),
            orphans=reader.choice("orphans", Orphans, Orphans.REFUSE),
            source=read_source(reader),
        )
        reader.close()
        places = [problem.where for problem in top.problems[told:]]
        whole = reader.at("fields"), reader.at("key"), reader.at("links")
        if any(place in whole or place.startswith(f"{whole[2]}.") for place in places):
            unclear.add(name)
    return tables, frozenset(unclear)


def _names_in(tables: Mapping[str, object]) -> dict[str, Collection[str]]:
    """The field names of each table as far as the file has them; only to tell which dot parts a
    table from a field."""
    out: dict[str, Collection[str]] = {}
    for name, table in tables.items():
        fields = table.get("fields") if isinstance(table, Mapping) else None
        out[name] = tuple(fields) if isinstance(fields, Mapping) else ()
    return out


def _links(reader: Reader, names: Mapping[str, Collection[str]]) -> tuple[Link, ...]:
    inner = reader.table("links")
    if inner is None:
        return ()
    out: list[Link] = []
    for field in inner.raw:
        target = inner.text(field)
        if target:
            table, key = split_name(target, names)
            # What has no dot is taken for the name of a table: `patients` for
            # `patients.patient_id`.
            out.append(
                Link(field=field, table=table, key=key)
                if table
                else Link(field=field, table=key, key="")
            )
        elif isinstance(inner.raw[field], str):
            inner.report(field, "A link leads to the key of a table.", attempt='"TABLE.KEY".')
    return tuple(out)


def read_row_counts(reader: Reader) -> RowCountPolicy:
    """What is decided about the number of rows that a person has, under the key `row_counts`."""
    inner = reader.table("row_counts")
    if inner is None:
        return RowCountPolicy()
    out = RowCountPolicy(
        bin_size=inner.whole("bin_size", least=2),
        linking=inner.number("linking", most=1.0),
        merging=inner.choice("merging", RowCountMerging, RowCountMerging.FEWEST_ROWS),
    )
    inner.close()
    return out
