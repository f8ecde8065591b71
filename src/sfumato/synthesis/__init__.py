"""Private synthesis: a table seen through a model of its bins, measured with noise."""

from .coarsening import on_simplex, ordered_bins
from .coded_table import CodedTable, DomainField, ForbiddenCells
from .count_denoising import denoise
from .dual_fit import check_optimiser
from .synthesizer import BudgetShares, SyntheticRows, synthesise

__all__ = [
    "BudgetShares",
    "DomainField",
    "CodedTable",
    "ForbiddenCells",
    "SyntheticRows",
    "check_optimiser",
    "denoise",
    "on_simplex",
    "ordered_bins",
    "synthesise",
]
