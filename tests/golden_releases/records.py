"""What is recorded of a run: released tables as multisets of rows, the manifest without what is
volatile."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet

from .case import Case

SMALL = 60
"""Tables with fewer rows are recorded row by row, so that a difference can be read."""
FEW = 12
"""Columns with up to so many values are recorded as counts by value."""
DOCUMENTS = ("manifest.json", "policy.toml", "report.html")
VOLATILE = (
    "created",
    "sfumato",
    "changed",
    "bytes",
    "files",
    "version",
    "versions",
    "seconds_taken",
)
"""Keys of a manifest that differ from run to run, or from one version of a library to the next."""
HEADLINES = ("outcome", "verdicts", "warnings", "rows", "people", "left_out", "recoding", "utility")
"""Parts of a manifest that a record names by themselves. Where the manifest is laid out anew, they
are found here."""
ALONE = "no two rows share a value of it"
"""A warning that depends on which rows or values chance leaves."""
Cells = Sequence[str | None]


def manifest_parts(path: Path, case: Case) -> dict[str, Any]:
    """The manifest in parts: what a release claims, and all the rest."""
    if not path.is_file():
        return {}
    manifest = json.loads(path.read_text(encoding="utf-8"))
    parts = {name: manifest.pop(name) for name in HEADLINES if name in manifest}
    if case.why_chance and "warnings" in parts:
        parts["warnings"] = [each for each in parts["warnings"] if ALONE not in each]
    return without_volatile(parts | {"manifest": manifest})


def without_volatile(value: Any) -> Any:
    """Without clocks, versions and digests of files; numbers to ten digits."""
    if isinstance(value, dict):
        digests = (
            ("sha256",) if "file" in value else ()
        )  # Of a file, whose rows are in random order.
        return {
            key: without_volatile(each)
            for key, each in value.items()
            if key not in (*VOLATILE, *digests)
        }
    if isinstance(value, list):
        return [without_volatile(each) for each in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


# ------------------------------------------------------------------------------------------------
# released files


def records_of_files(folder: Path, case: Case) -> dict[str, Any]:
    """A record of each released file."""
    paths = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name not in DOCUMENTS
    )
    return {str(path.relative_to(folder)): _record_of(path, case) for path in paths}


def _record_of(path: Path, case: Case) -> dict[str, Any]:
    if path.suffix in (".csv", ".parquet", ".xlsx") and not _is_document(path):
        return record_of_table(*read_table(path), table=path.stem, case=case)
    content = path.read_bytes()
    record: dict[str, Any] = {"sha256": hashlib.sha256(content).hexdigest()}
    if path.suffix in (".txt", ".md", ".html", ".jsonl") and len(content) < 4_000:
        record["lines"] = content.decode("utf-8").splitlines()
    return record


def _is_document(path: Path) -> bool:
    """Whether a file is a scrubbed document, whose rows have an order."""
    return path.name.startswith("document-")


def record_of_table(
    names: Sequence[str], rows: Sequence[Cells], *, table: str, case: Case
) -> dict[str, Any]:
    """Names, number of rows and the rows as a multiset, without what chance decides."""
    record: dict[str, Any] = {"columns": list(names), "count": len(rows)}
    if {"*", table} & set(case.rows_by_chance):
        return record
    chance = set(case.columns_by_chance)
    places = [i for i, name in enumerate(names) if not {name, f"{table}.{name}"} & chance]
    return record | record_of_rows(
        [names[i] for i in places], [[row[i] for i in places] for row in rows]
    )


def record_of_rows(names: Sequence[str], rows: Sequence[Cells]) -> dict[str, Any]:
    """The rows as a multiset: a digest, and the rows themselves or what each column holds."""
    lines = sorted(json.dumps(list(row), ensure_ascii=False) for row in rows)
    record: dict[str, Any] = {
        "count": len(rows),
        "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
    }
    if len(lines) < SMALL:
        return record | {"lines": lines}
    return record | {
        "cells": {name: _record_of_column([row[i] for row in rows]) for i, name in enumerate(names)}
    }


def _record_of_column(cells: Cells) -> dict[str, int] | str:
    """How often each value occurs, or where there are many values, a digest of that."""
    counts = {
        "(null)" if value is None else value: count
        for value, count in sorted(Counter(cells).items(), key=str)
    }
    if len(counts) <= FEW:
        return counts
    digest = hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()
    return f"{len(counts)} values, sha256 {digest[:16]}"


def read_table(path: Path) -> tuple[list[str], list[Cells]]:
    """Names and rows of a table, each cell as text; in CSV, where null has no sign of its own, as
    it stands there."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file, strict=True)
            return names, list(rows)
    if path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
        columns = [[_text(cell) for cell in column.to_pylist()] for column in table.columns]
        return list(table.column_names), [*zip(*columns, strict=True)]
    book = openpyxl.load_workbook(path, read_only=True)
    lines = [[_text(cell) for cell in line] for line in book.active.iter_rows(values_only=True)]
    book.close()
    return [str(name) for name in lines[0]], list(lines[1:])


def _text(cell: Any) -> str | None:
    return None if cell is None else re.sub(r" 00:00:00$", "", str(cell))
