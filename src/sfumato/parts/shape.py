"""Shapes: layouts of data and ways of counting. A part declares which of them it can take."""

from __future__ import annotations

from enum import StrEnum


class Shape(StrEnum):
    """One thing about the data, or about how it is counted, that a part can take or cannot."""

    ONE_ROW = "one row per person"
    SEVERAL_ROWS = "several rows per person"
    SEVERAL_TABLES = "several tables"
    ACROSS_TABLES = "quasi-identifiers in several tables"
    ROW_NUMBERS = "numbers of rows per person"
    HOUSEHOLDS = "households"
    WEIGHTS = "survey weights"
    NULL_READINGS = "null readings"
    GATE = "questions at the gate"
