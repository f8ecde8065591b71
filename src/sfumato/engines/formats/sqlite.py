"""SQLite database files."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="sqlite",
    doc="tables and views of a SQLite file, copied in",
    title="SQLite",
    suffixes=(".sqlite", ".sqlite3", ".db"),
    keeps_types=True,
    holds_tables=True,
)
