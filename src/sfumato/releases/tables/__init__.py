"""Several tables, and several rows per person: staged parents first, written, and counted again as people."""

from .describing import row_account
from .fitting import Checked, check_tables
from .one_table import OneTable, as_said, as_tables
from .releasing import Planned, count_tables, document_tables, plan_tables, write_tables
from .seeing import Sight, sights
from .solving import raw_view

__all__ = [
    "Checked",
    "OneTable",
    "Planned",
    "Sight",
    "as_said",
    "as_tables",
    "check_tables",
    "count_tables",
    "document_tables",
    "plan_tables",
    "raw_view",
    "row_account",
    "sights",
    "write_tables",
]
