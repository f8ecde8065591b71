"""Synthesis: a table seen through a model of its bins, measured with noise; and, without privacy, by
sequential trees."""

from .child_model import ChildRows, ForbiddenChildren, draw_children
from .coarsening import on_simplex, ordered_bins
from .coded_table import CodedTable, DomainField, ForbiddenCells, MarginalTable
from .combining_rules import (
    RAAB,
    RAGHUNATHAN,
    REITER,
    CombinedEstimate,
    CombiningRule,
    combined,
)
from .count_denoising import denoise
from .dual_fit import check_optimiser
from .synthesizer import BudgetShares, SyntheticRows, synthesise
from .tree_sequence import TreeRows, check_trees, draw_by_trees

__all__ = [
    "RAAB",
    "RAGHUNATHAN",
    "REITER",
    "BudgetShares",
    "ChildRows",
    "CombinedEstimate",
    "draw_children",
    "CombiningRule",
    "MarginalTable",
    "TreeRows",
    "check_trees",
    "combined",
    "draw_by_trees",
    "DomainField",
    "CodedTable",
    "ForbiddenCells",
    "ForbiddenChildren",
    "SyntheticRows",
    "check_optimiser",
    "denoise",
    "on_simplex",
    "ordered_bins",
    "synthesise",
]
