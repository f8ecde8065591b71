"""The questions Sfumato asks of rows, as sqlglot trees."""

from .releasing import Queries, as_texts
from .trees import (
    ISO_DATE,
    LARGEST_WEIGHT,
    NUMBER,
    ROWS,
    SOURCE,
    WEIGHT_PLACES,
    WHOLE_NUMBER,
    column,
    count_all,
    is_there,
    named,
    number,
    places,
    table,
)

__all__ = [
    "ISO_DATE",
    "LARGEST_WEIGHT",
    "NUMBER",
    "ROWS",
    "SOURCE",
    "WEIGHT_PLACES",
    "WHOLE_NUMBER",
    "Queries",
    "as_texts",
    "column",
    "count_all",
    "is_there",
    "named",
    "number",
    "places",
    "table",
]
