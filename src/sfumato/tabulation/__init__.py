"""Tables of counts: one file per algorithm, on cells and areas; reads no source."""

from .area_tree import AreaTree, area_tree, read_areas
from .cell_key import NoiseChances, noise_chances
from .controlled_rounding import RoundedCells, round_cells
from .disclosure_audit import DisclosureAudit, HiddenBounds
from .linked_cells import LinkedCells, cell_keys
from .record_swapping import swap_areas
from .released_table import AREA, LEVEL, SUM_LABEL, ReleasedTable, private_table
from .rounding_audit import RoundingAudit
from .secondary_suppression import SuppressionPattern, suppress_cells
from .sensitive_cells import SensitivityRules, known_inside, lone_people, union_margin
from .structural_zeros import ruled_out, zero_cells
from .suppression_bound import lowest_cost
from .table_attacks import AttackShare, alone_and_right, computed_exactly
from .top_down import ExpectedError, PrivateCounts, measure_and_fit

__all__ = [
    "AREA",
    "LEVEL",
    "SUM_LABEL",
    "AreaTree",
    "AttackShare",
    "LinkedCells",
    "DisclosureAudit",
    "ExpectedError",
    "HiddenBounds",
    "NoiseChances",
    "PrivateCounts",
    "ReleasedTable",
    "RoundedCells",
    "RoundingAudit",
    "SensitivityRules",
    "SuppressionPattern",
    "alone_and_right",
    "area_tree",
    "cell_keys",
    "computed_exactly",
    "known_inside",
    "lone_people",
    "lowest_cost",
    "measure_and_fit",
    "noise_chances",
    "private_table",
    "read_areas",
    "round_cells",
    "ruled_out",
    "suppress_cells",
    "swap_areas",
    "union_margin",
    "zero_cells",
]
