"""The questions Sfumato asks of rows, as sqlglot trees."""

from .grouping_sets import numbered_cells
from .release import Queries, as_texts, joined
from .trees import (
    ENUMERATION,
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
    "ENUMERATION",
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
    "joined",
    "named",
    "number",
    "numbered_cells",
    "places",
    "table",
]
