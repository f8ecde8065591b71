"""Several tables, and several rows per person: staged parents first, written, and counted again as people."""

from .fitting import Checked, check_tables
from .flow import TablesFlow
from .one_table import OneTable, as_said, as_tables
from .seeing import Sight, sights
from .solving import raw_view
from .steps import take_table_steps, try_table_steps

__all__ = [
    "Checked",
    "OneTable",
    "Sight",
    "TablesFlow",
    "as_said",
    "as_tables",
    "check_tables",
    "raw_view",
    "sights",
    "take_table_steps",
    "try_table_steps",
]
