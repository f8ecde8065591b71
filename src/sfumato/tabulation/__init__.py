"""Tables of counts: one file per algorithm, on cells and areas; reads no source."""

from .area_tree import AreaTree, area_tree, read_areas
from .disclosure_audit import DisclosureAudit, HiddenBounds
from .linked_cells import LinkedCells, cell_keys
from .released_table import AREA, LEVEL, SUM_LABEL, ReleasedTable, private_table
from .secondary_suppression import SuppressionPattern, suppress_cells
from .sensitive_cells import SensitivityRules, known_inside, lone_people, union_margin
from .suppression_bound import lowest_cost
from .top_down import ExpectedError, PrivateCounts, measure_and_fit

__all__ = [
    "AREA",
    "LEVEL",
    "SUM_LABEL",
    "AreaTree",
    "LinkedCells",
    "DisclosureAudit",
    "ExpectedError",
    "HiddenBounds",
    "PrivateCounts",
    "ReleasedTable",
    "SensitivityRules",
    "SuppressionPattern",
    "area_tree",
    "cell_keys",
    "known_inside",
    "lone_people",
    "lowest_cost",
    "measure_and_fit",
    "private_table",
    "read_areas",
    "suppress_cells",
    "union_margin",
]
