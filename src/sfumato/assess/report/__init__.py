"""The report page: one self-contained HTML file for the data holder and the review board."""

from .facts import BinFacts, FieldFacts, ReportFacts, StepFacts
from .page import render

__all__ = ["BinFacts", "FieldFacts", "ReportFacts", "StepFacts", "render"]
