"""The solver that counts people instead of rows: one recoding for several tables at once."""

from .counting import CountingPeople, PeopleSolution
from .tables import TableBins

__all__ = ["CountingPeople", "PeopleSolution", "TableBins"]
