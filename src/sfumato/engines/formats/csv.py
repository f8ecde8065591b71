"""Text files with one row per line."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="csv",
    doc="text with one row per line; separator and encoding are found or named",
    title="CSV",
    suffixes=(".csv", ".tsv", ".txt"),
    compressed=True,
    released=True,
    in_spreadsheets=True,
)
