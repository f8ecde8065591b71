"""DuckDB: the embedded default engine."""

from .catalogue_scratch import CataloguePad, PadTable
from .scratch import run_over

__all__ = ["CataloguePad", "PadTable", "run_over"]
