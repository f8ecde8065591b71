"""The report page: one self-contained HTML file for the data holder and the review board."""

from .facts import BinFacts, FieldFacts, ReportFacts, StepFacts
from .page import render
from .tables_facts import RowCountFacts, SetFacts, TableFacts, TablesFacts
from .tables_page import render_tables

__all__ = [
    "BinFacts",
    "FieldFacts",
    "ReportFacts",
    "RowCountFacts",
    "SetFacts",
    "StepFacts",
    "TableFacts",
    "TablesFacts",
    "render",
    "render_tables",
]
