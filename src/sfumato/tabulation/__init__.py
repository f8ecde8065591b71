"""Tables of counts: one file per algorithm, on cells and areas; reads no source."""

from .area_tree import AreaTree, area_tree, read_areas
from .released_table import AREA, LEVEL, SUM_LABEL, ReleasedTable, private_table
from .top_down import ExpectedError, PrivateCounts, measure_and_fit

__all__ = [
    "AREA",
    "LEVEL",
    "SUM_LABEL",
    "AreaTree",
    "ExpectedError",
    "PrivateCounts",
    "ReleasedTable",
    "area_tree",
    "measure_and_fit",
    "private_table",
    "read_areas",
]
