"""Random tables with cells of every type, and the files that they are written to. Imports nothing
of Sfumato."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import random
import sqlite3
import string
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from .cells import Cell, canonical

NAMES = (
    "zip", "Age", "sex", "job", "birth date", "it's", 'say "x"', "a,b", "a;b", "Größe", "名前", "select", "row", "rows",
    "new", "key:zip", "cell:row", "source", "count", "x.y", "a[0]", "%s", "{0}", "$1", "-- drop", "*", "label", "true",
    "null", "first", "last", "made", "level 1", "_", "ordinal", "n", "weight", "person", "\u00e9t\u00e9", "tab\there",
    "back\\slash", "long" + "g" * 50, "emoji 😀", "<b>", "a&b", "#", "'", "order", "group", "from", "value",
)  # fmt: skip
WORDS = (
    "flu",
    "cold",
    "gout",
    "asthma",
    "none",
    "HIV",
    "it's",
    "a,b",
    'q"q',
    "Ärger",
    "日本",
    "x y",
    "07",
    "1e5",
)
HOSTILE = (
    "*", "**", "10-19", "<20", "≥90", "[0, 5)", "{a, b}", "17..23", "0213*", "NA", "nan", "null", "None", "'", '"',
    "a;b", "a,b", "a\tb", "two\nlines", "\\", "\\n", " lead", "trail ", "  ", "=1+1", "@x", "-", "00012", "1.50", "1e3",
    "true", "2020-01-01", "😀", "e\u0301", "\u00e9", "İ", "ß", "\u200b", "%", "'); --", "$$", "{}", "[]", "0", "-0",
)  # fmt: skip
STATES = ("MA", "Texas", "NY", "CA", "ma", "Ohio", "WA", "FL", "Maine", "GA")
DIAGNOSES = ("J45.20", "j4521", "I10", "E11.9", "J45.20", "J20.9", "I21.9", "E66.9")
KINDS = (
    "word", "code", "hostile", "small", "integer", "wide", "huge", "decimal", "real", "special", "date", "moment",
    "boolean", "constant", "unique", "state", "diagnosis", "grade",
)  # fmt: skip
GRADES = ("none", "primary", "secondary", "higher", "doctoral")
FORMATS = ("csv", "csv", "tsv", "parquet", "parquet", "json", "jsonl", "duckdb", "sqlite")


@dataclass
class Column:
    """One field: its kind, its cells as Python values, and what type a database gives it."""

    name: str
    kind: str
    cells: list[object]
    declared: str = "VARCHAR"

    def texts(self, file_format: str) -> list[Cell]:
        """The canonical texts of its cells, as they stand in a file of this format."""
        return [canonical(cell) for cell in self.stored(file_format)]

    def stored(self, file_format: str) -> list[object]:
        """Its cells as a file of this format holds them: what it has no type for is text."""
        if file_format in ("csv", "tsv", "xlsx"):
            return [canonical(cell) for cell in self.cells]
        plain = {
            "json": (bool, int, float),
            "jsonl": (bool, int, float),
            "sqlite": (int, float),
        }.get(file_format)
        whole = (
            all(isinstance(cell, plain) for cell in self.cells if cell is not None)
            if plain
            else True
        )
        whole = whole and not (file_format == "sqlite" and self.kind in ("boolean", "huge", "wide"))
        if whole and not (plain and self.kind == "special"):
            return self.cells
        return [canonical(cell) for cell in self.cells]


@dataclass
class Table:
    """A random table, or one of several."""

    columns: list[Column]
    rows: int
    extra: dict[str, object] = field(default_factory=dict)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def texts(self, file_format: str) -> list[dict[str, Cell]]:
        columns = {column.name: column.texts(file_format) for column in self.columns}
        return [
            dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
        ]


def random_cells(kind: str, rows: int, draw: random.Random) -> tuple[list[object], str]:
    """Cells of one kind, few or many different ones, some of them null; and the type that a
    database gives them."""
    makers = {
        "word": (lambda: draw.choice(WORDS[: draw.choice((2, 4, 15))]), "VARCHAR"),
        "code": (
            lambda: (
                f"0{draw.choice('2345')}{draw.choice('019')}{draw.choice('38')}{draw.choice('12')}"
            ),
            "VARCHAR",
        ),
        "hostile": (lambda: draw.choice(HOSTILE), "VARCHAR"),
        "small": (lambda: draw.randint(0, 9), "INTEGER"),
        "integer": (lambda: draw.randint(-40, 110), "BIGINT"),
        "wide": (
            lambda: draw.choice((-(2**63), 2**63 - 1, 2**53 + 1, -1, 0, 7, 10**18 + 1)),
            "BIGINT",
        ),
        "huge": (
            lambda: draw.choice((2**63, 2**64 + 1, -(2**70) - 1, 10**30 + 7, -5, 3)),
            "HUGEINT",
        ),
        "decimal": (lambda: decimal.Decimal(draw.randint(-999, 9999)).scaleb(-2), "DECIMAL(18,2)"),
        "real": (lambda: round(draw.uniform(-5, 30), draw.choice((0, 1, 2))), "DOUBLE"),
        "special": (
            lambda: draw.choice((0.0, -0.0, 1e300, 1e-7, float("nan"), float("inf"), -1e16, 0.1)),
            "DOUBLE",
        ),
        "date": (
            lambda: datetime.date(1930, 1, 1) + datetime.timedelta(draw.randint(0, 30000)),
            "DATE",
        ),
        "moment": (lambda: _moment(draw), "TIMESTAMP"),
        "boolean": (lambda: draw.random() < 0.4, "BOOLEAN"),
        "state": (lambda: draw.choice(STATES), "VARCHAR"),
        "diagnosis": (lambda: draw.choice(DIAGNOSES), "VARCHAR"),
        "grade": (lambda: draw.choice(GRADES), "VARCHAR"),
    }
    if kind == "constant":
        return [draw.choice(("same", "*", ""))] * rows, "VARCHAR"
    if kind == "unique":
        return [
            f"u{number}-{_letters(draw, 4)}" for number in draw.sample(range(1000), rows)
        ], "VARCHAR"
    make, declared = makers[kind]
    pool = [make() for _ in range(draw.choice((2, 3, 5, 12)))] if draw.random() < 0.7 else None
    empty = draw.choice((0.0, 0.0, 0.1, 0.3)) if kind not in ("state", "diagnosis") else 0.0
    blank: object = "" if kind in ("word", "hostile") and draw.random() < 0.5 else None
    cells = [
        blank if draw.random() < empty else draw.choice(pool) if pool else make()
        for _ in range(rows)
    ]
    return cells, declared


def _moment(draw: random.Random) -> datetime.datetime:
    day = datetime.datetime(1950, 1, 1) + datetime.timedelta(
        days=draw.randint(0, 25000), seconds=draw.randint(0, 86399)
    )
    return day + datetime.timedelta(microseconds=draw.choice((0, 0, 450000, 1)))


def _letters(draw: random.Random, count: int) -> str:
    return "".join(draw.choice(string.ascii_lowercase) for _ in range(count))


def identifiers(rows: int, draw: random.Random) -> list[object]:
    """Direct identifiers of a large shape that stand in no other cell."""
    return [
        f"Zq{_letters(draw, 5)}-{number:06d}-{_letters(draw, 3)}"
        for number in draw.sample(range(10**6), rows)
    ]


def random_table(draw: random.Random, *, rows: int) -> Table:
    """Two to four columns that a policy will generalise, one to three that it keeps, and
    identifiers."""
    names = [str(name) for name in draw.sample(NAMES, 12)]
    columns = []
    for _ in range(draw.randint(2, 5)):
        cells, declared = random_cells(kind := draw.choice(KINDS), rows, draw)
        columns.append(Column(names.pop(), kind, cells, declared))
    if not any(len({canonical(cell) for cell in column.cells}) > 1 for column in columns):
        columns.append(Column(names.pop(), "word", [draw.choice(WORDS) for _ in range(rows)]))
    columns.append(Column(names.pop(), "identifier", identifiers(rows, draw)))
    if draw.random() < 0.7:
        marks = [f"m{number}" for number in range(rows)]
        draw.shuffle(marks)
        columns.append(Column(names.pop(), "mark", list(marks)))
    draw.shuffle(columns)
    return Table(columns, rows, {"spare": names})


def write_table(table: Table, path: Path) -> None:
    """Write a table; the ending says how."""
    file_format = path.suffix[1:]
    stored = {column.name: column.stored(file_format) for column in table.columns}
    rows = [dict(zip(stored, cells, strict=True)) for cells in zip(*stored.values(), strict=True)]
    if file_format in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(
                file, delimiter="\t" if file_format == "tsv" else ",", lineterminator="\n"
            )
            writer.writerow(list(stored))
            writer.writerows([row.values() for row in rows])
    elif file_format == "json":
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    elif file_format == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif file_format == "xlsx":
        _write_workbook(stored, path)
    elif file_format == "sqlite":
        _write_sqlite(stored, path)
    elif file_format == "duckdb":
        _write_duckdb(table, path)
    else:
        _write_parquet(table, path)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_sqlite(stored: dict[str, list[object]], path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"CREATE TABLE t ({', '.join(map(_quoted, stored))})")
        marks = ", ".join("?" * len(stored))
        database.executemany(
            f"INSERT INTO t VALUES ({marks})", list(zip(*stored.values(), strict=True))
        )
    database.close()


def _write_workbook(stored: dict[str, list[object]], path: Path) -> None:
    """Every cell is text, also one that looks like a formula or a number."""
    import openpyxl

    book = openpyxl.Workbook()
    for place, cells in enumerate([list(stored), *zip(*stored.values(), strict=True)], start=1):
        for column, cell in enumerate(cells, start=1):
            if cell is not None:
                made = book.active.cell(row=place, column=column)
                made.value, made.data_type = str(cell), "s"
    book.save(path)


def _write_duckdb(table: Table, path: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)) as database:
        kinds = ", ".join(f"{_quoted(column.name)} {column.declared}" for column in table.columns)
        database.execute(f"CREATE TABLE t ({kinds})")
        marks = ", ".join(f"CAST(? AS {column.declared})" for column in table.columns)
        for cells in zip(*(column.cells for column in table.columns), strict=True):
            given = [
                str(cell) if isinstance(cell, int) and abs(cell) >= 2**63 else cell
                for cell in cells
            ]
            database.execute(f"INSERT INTO t VALUES ({marks})", given)


def _write_parquet(table: Table, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    kinds = {
        "INTEGER": pyarrow.int32(),
        "BIGINT": pyarrow.int64(),
        "HUGEINT": pyarrow.decimal128(38, 0),
        "DECIMAL(18,2)": pyarrow.decimal128(18, 2),
        "DOUBLE": pyarrow.float64(),
        "DATE": pyarrow.date32(),
        "TIMESTAMP": pyarrow.timestamp("us"),
        "BOOLEAN": pyarrow.bool_(),
        "VARCHAR": pyarrow.string(),
    }
    arrays = []
    for column in table.columns:
        cells = column.cells
        if column.declared == "HUGEINT":
            cells = [None if cell is None else decimal.Decimal(str(cell)) for cell in cells]
        arrays.append(pyarrow.array(cells, kinds[column.declared]))
    pyarrow.parquet.write_table(
        pyarrow.Table.from_arrays(arrays, [column.name for column in table.columns]), path
    )
