"""Several tables, and several rows per person: staged parents first, written, and counted again as
people."""

from .checked_tables import CheckedTable, check_tables
from .flow import StagedPlan, TablesFlow, staged_plan
from .one_table import OneTable, as_said, as_tables
from .recoding import raw_view
from .steps import take_table_steps, try_table_steps
from .table_view import Sight, sights

__all__ = [
    "CheckedTable",
    "OneTable",
    "Sight",
    "StagedPlan",
    "TablesFlow",
    "as_said",
    "as_tables",
    "check_tables",
    "raw_view",
    "sights",
    "staged_plan",
    "take_table_steps",
    "try_table_steps",
]
