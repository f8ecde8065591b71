"""Hierarchies: the label of each value of a field at each level, read from files or built."""

from .builders import BUILDERS, builder_of, hierarchy_from_table
from .csv_file import CsvHierarchy, write_csv
from .date_windows import iso
from .dates import Dates
from .decimals import exact
from .declaration import HierarchyDeclaration
from .hierarchy import SUPPRESSED, Codes, Hierarchy, Label
from .hierarchy_spec import HierarchySpec, bind_rows, nests
from .icd import Icd
from .level_bounds import LevelBound, within_levels
from .ordered import Ordered
from .parameters import is_list, is_number, is_whole
from .prefix import Prefix
from .quantiles import Quantiles
from .raised import RaisedHierarchy
from .ranges import NamedRange, Ranges
from .suppression import Suppression
from .tree import Tree
from .tree_picture import Node, as_html, as_tree, outline
from .us_states import UsStates
from .widths import FixedWidths

__all__ = [
    "BUILDERS",
    "SUPPRESSED",
    "Codes",
    "CsvHierarchy",
    "Dates",
    "FixedWidths",
    "Hierarchy",
    "HierarchyDeclaration",
    "HierarchySpec",
    "Icd",
    "Label",
    "LevelBound",
    "NamedRange",
    "Node",
    "Ordered",
    "Prefix",
    "Quantiles",
    "RaisedHierarchy",
    "Ranges",
    "Suppression",
    "Tree",
    "UsStates",
    "as_html",
    "as_tree",
    "bind_rows",
    "builder_of",
    "exact",
    "hierarchy_from_table",
    "is_list",
    "is_number",
    "is_whole",
    "iso",
    "outline",
    "within_levels",
    "write_csv",
    "nests",
]
