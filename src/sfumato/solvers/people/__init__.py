"""The solver that counts people instead of rows: one recoding for several tables at once."""

from .counting import CountingPeople, PeopleSolution
from .joint_tables import JointTables, joint_models, joint_tables
from .tables import TableBins

__all__ = ["CountingPeople", "JointTables", "PeopleSolution", "TableBins", "joint_models", "joint_tables"]
