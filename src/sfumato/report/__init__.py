"""The report page: one self-contained HTML file for the data holder and the review board."""

from .facts import BinFacts, FieldFacts, ReportFacts, StepFacts
from .markup import Html, bullets, figure, folded, html, join, section, table, tag
from .number_text import counted, listed, number, one_in, percent, risk_classes, share_of
from .page import can_draw, render, whole_page
from .tables_facts import RowCountFacts, SetFacts, TableFacts, TablesFacts
from .tables_page import render_tables

__all__ = [
    "BinFacts",
    "FieldFacts",
    "Html",
    "ReportFacts",
    "RowCountFacts",
    "SetFacts",
    "StepFacts",
    "TableFacts",
    "TablesFacts",
    "bullets",
    "can_draw",
    "counted",
    "figure",
    "folded",
    "html",
    "join",
    "listed",
    "number",
    "one_in",
    "percent",
    "render",
    "render_tables",
    "risk_classes",
    "section",
    "share_of",
    "table",
    "tag",
    "whole_page",
]
