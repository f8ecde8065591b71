"""The solver that counts people instead of rows: one recoding for several tables at once."""

from .joint_tables import JointTables, joint_models, joint_tables
from .linked_losses import loss_of_bins, loss_of_levels
from .linked_recoding import LinkedRecoding, recode_linked
from .people_search import CountingPeople, PeopleSolution
from .people_tables import TableBins

__all__ = [
    "CountingPeople",
    "JointTables",
    "LinkedRecoding",
    "PeopleSolution",
    "TableBins",
    "joint_models",
    "joint_tables",
    "loss_of_bins",
    "loss_of_levels",
    "recode_linked",
]
