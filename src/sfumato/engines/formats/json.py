"""JSON: a list of objects, or one object per line."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="json",
    doc="a list of objects, or one object per line",
    title="JSON",
    suffixes=(".json", ".jsonl", ".ndjson"),
    compressed=True,
    keeps_types=True,
)
