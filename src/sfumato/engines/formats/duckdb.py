"""DuckDB database files."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="duckdb",
    doc="tables and views of a DuckDB file, opened for reading only",
    title="DuckDB",
    suffixes=(".duckdb", ".ddb"),
    keeps_types=True,
    holds_tables=True,
)
