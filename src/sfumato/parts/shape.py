"""Shapes: what data may be like and may be asked with, as far as a part must know to say whether it
can take it."""

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
