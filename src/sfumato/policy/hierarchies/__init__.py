"""Hierarchies: what each value of a field becomes at each level, read from files or built."""

from .csv_file import CsvHierarchy
from .hierarchy import SUPPRESSED, Codes, Hierarchy, Label
from .spec import HierarchySpec, Suppression, bind_rows

__all__ = ["SUPPRESSED", "Codes", "CsvHierarchy", "Hierarchy", "HierarchySpec", "Label", "Suppression", "bind_rows"]
