"""Making `source` in a DuckDB connection out of a file, a table in a database file, or a frame."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from sqlglot import exp

from sfumato.errors import SourceError

from ..queries import SOURCE, column, table
from .duckdb_errors import reading

Connection = duckdb.DuckDBPyConnection
Reader = Callable[[Connection, Path, "ReadOptions"], None]

SQLITE_BATCH = 50_000


class ReadOptions:
    """What a person may have to say about a file: its encoding, its separator, the table in it."""

    def __init__(self, *, encoding: str = "utf-8", separator: str = "", table: str = "") -> None:
        self.encoding = encoding
        self.separator = separator
        self.table = table


def create_view(connection: Connection, query: exp.Expr) -> None:
    create = exp.Create(this=table(SOURCE), kind="VIEW", expression=query)
    connection.execute(create.sql(dialect="duckdb"))


def call(function: str, path: str, **options: object) -> exp.Select:
    """`SELECT * FROM function(path, option = value, …)`."""
    arguments: list[exp.Expr] = [exp.Literal.string(path)]
    arguments.extend(
        exp.PropertyEQ(this=exp.to_identifier(name), expression=_literal(value))
        for name, value in options.items()
    )
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=function, expressions=arguments)))


def _literal(value: object) -> exp.Expr:
    if isinstance(value, dict):
        pairs = [exp.PropertyEQ(this=exp.Literal.string(k), expression=_literal(v)) for k, v in value.items()]
        return exp.Struct(expressions=pairs)
    return exp.convert(value)


def read_csv(connection: Connection, path: Path, options: ReadOptions) -> None:
    """Every cell stays the text that it is: 02138 keeps its nought. The first line must be the header."""
    header, separator = _header(path, options)
    query = call(
        "read_csv",
        str(path),
        delim=separator,
        header=True,
        quote='"',
        escape='"',
        auto_detect=False,
        columns=dict.fromkeys(header, "VARCHAR"),
        encoding=options.encoding,
        null_padding=False,
        strict_mode=True,
    )
    create_view(connection, query)


def _header(path: Path, options: ReadOptions) -> tuple[list[str], str]:
    with path.open("rb") as file:
        start = file.read(1 << 20)
    if not start.strip():
        raise SourceError(f"{path.name} is empty.", attempt="a file with a header line and at least one row.")
    try:
        text = start.decode("utf-8-sig" if options.encoding == "utf-8" else options.encoding, errors="ignore")
    except LookupError:
        raise SourceError(
            f"{path.name}: no encoding is called {options.encoding!r}.", attempt="utf-8, latin-1 or utf-16."
        ) from None
    first = text.splitlines()[0]
    separator = options.separator or max(",;\t|", key=first.count)
    names = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    _check_header(path.name, names)
    return names, separator


def _check_header(name: str, names: list[str]) -> None:
    """A first line that holds an empty cell, a number or a date is data, not a header."""
    hint = "adding a first line with the name of each field."
    blank = [str(n) for n, cell in enumerate(names, start=1) if not cell.strip()]
    if blank:
        raise SourceError(
            f"{name} needs a header with a name for each field.",
            found=f"Column(s) {', '.join(blank)} have no name.",
            attempt=hint,
        )
    data = [str(n) for n, cell in enumerate(names, start=1) if _looks_like_data(cell)]
    if data:
        raise SourceError(
            f"{name} seems to have no header.",
            found=f"Its first line holds a number or a date in column(s) {', '.join(data)}.",
            attempt=hint,
        )


def check_distinct(name: str, names: list[str]) -> None:
    seen: dict[str, int] = {}
    for position, cell in enumerate(names, start=1):
        earlier = seen.setdefault(cell.casefold(), position)
        if earlier != position:
            raise SourceError(
                f"{name} has two fields with one name.",
                found=f"Columns {earlier} and {position} have names that differ at most in upper and lower case.",
                attempt="renaming one of them.",
            )


def _looks_like_data(cell: str) -> bool:
    text = cell.strip().replace("/", "-")
    digits = sum(character.isdigit() for character in text)
    return digits > 0 and all(character.isdigit() or character in "-+.,:eE $%" for character in text)


def read_parquet(connection: Connection, path: Path, options: ReadOptions) -> None:
    pattern = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
    create_view(connection, call("read_parquet", pattern))


def read_json(connection: Connection, path: Path, options: ReadOptions) -> None:
    if not path.read_bytes()[:1024].strip():
        raise SourceError(f"{path.name} is empty.", attempt="a list of objects, or one object per line.")
    create_view(connection, call("read_json_auto", str(path)))


def read_excel(connection: Connection, path: Path, options: ReadOptions) -> None:
    try:
        connection.execute("LOAD excel")
    except duckdb.Error:
        raise SourceError(
            f"{path.name} is an Excel workbook, and DuckDB's excel extension is not installed here.",
            attempt="saving the sheet as CSV, or 'INSTALL excel' in DuckDB on a machine that may download it.",
        ) from None
    extra = {"sheet": options.table} if options.table else {}
    create_view(connection, call("read_xlsx", str(path), all_varchar=True, header=True, **extra))


def read_duckdb(connection: Connection, path: Path, options: ReadOptions) -> None:
    attach = exp.Attach(
        this=exp.alias_(exp.Literal.string(str(path)), "attached"),
        expressions=[exp.AttachOption(this=exp.var("READ_ONLY"))],
    )
    connection.execute(attach.sql(dialect="duckdb"))
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'attached' "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = 'attached' AND NOT internal"
    ).fetchall()
    name = _one_table(path, [row[0] for row in found], options)
    create_view(
        connection, exp.select("*").from_(exp.table_(name, db="main", catalog="attached", quoted=True))
    )


def read_sqlite(connection: Connection, path: Path, options: ReadOptions) -> None:
    """Copied in batches with Python's own sqlite3, so that no downloaded extension is needed."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [
            r[0] for r in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table','view')")
        ]
        name = _one_table(path, [t for t in tables if not t.startswith("sqlite_")], options)
        quoted = exp.to_identifier(name, quoted=True).sql(dialect="sqlite")
        names = [item[0] for item in database.execute(f"SELECT * FROM {quoted} LIMIT 0").description]
        kinds = {field: _sqlite_kind(database, quoted, field) for field in names}
        schema = exp.Schema(
            this=table(SOURCE),
            expressions=[
                exp.ColumnDef(this=exp.to_identifier(f, quoted=True), kind=k) for f, k in kinds.items()
            ],
        )
        connection.execute(exp.Create(this=schema, kind="TABLE").sql(dialect="duckdb"))
        rows = database.execute(f"SELECT * FROM {quoted}")
        insert = exp.insert(exp.select(*(column(f) for f in names)).from_(table("batch")), table(SOURCE))
        while batch := rows.fetchmany(SQLITE_BATCH):
            columns = {f: np.array([r[i] for r in batch], dtype=object) for i, f in enumerate(names)}
            connection.register("batch", columns)
            connection.execute(insert.sql(dialect="duckdb"))
            connection.unregister("batch")
    except sqlite3.Error:
        raise SourceError(f"{path.name} cannot be read as an SQLite database.") from None
    finally:
        database.close()


def _sqlite_kind(database: sqlite3.Connection, quoted_table: str, name: str) -> exp.DataType:
    quoted = exp.to_identifier(name, quoted=True).sql(dialect="sqlite")
    kinds = {row[0] for row in database.execute(f"SELECT DISTINCT typeof({quoted}) FROM {quoted_table}")} - {
        "null"
    }
    if "blob" in kinds:
        raise SourceError(f"Field {name} holds binary values.", attempt="a view without that field.")
    types = exp.DataType.Type
    if kinds == {"integer"}:
        return exp.DataType.build(types.BIGINT)
    return exp.DataType.build(types.DOUBLE if kinds and kinds <= {"integer", "real"} else types.TEXT)


def _one_table(path: Path, tables: list[str], options: ReadOptions) -> str:
    if options.table in tables:
        return options.table
    if not options.table and len(tables) == 1:
        return tables[0]
    asked = f"table {options.table!r}" if options.table else "one table"
    raise SourceError(
        f"{asked.capitalize()} of {path.name} was asked for.",
        found=f"It has {len(tables)}: {', '.join(sorted(tables)[:10])}." if tables else "It has none.",
        attempt="naming one with --table.",
    )


def read_frame(connection: Connection, frame: Any) -> None:
    """A pandas or polars frame or an Arrow table, read where it is."""
    with reading("the frame"):
        connection.register("frame", frame)
        create_view(connection, exp.select("*").from_(table("frame")))


READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".xlsx": read_excel,
    ".duckdb": read_duckdb,
    ".ddb": read_duckdb,
    ".sqlite": read_sqlite,
    ".sqlite3": read_sqlite,
    ".db": read_sqlite,
}
