"""Excel workbooks."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="xlsx",
    doc="a sheet of a workbook",
    title="Excel",
    suffixes=(".xlsx",),
    extra="excel",
    keeps_types=True,
    holds_tables=True,
    released=True,
)
