"""One file per protection model: each judges bins, returns a verdict and declares whether it is monotone."""

from .bin_sizes import BinSizes
from .combinations import Combinations
from .k_anonymity import KAnonymity
from .k_map import KMap
from .model import Model
from .verdict import Outcome, Verdict, overall

__all__ = ["BinSizes", "Combinations", "KAnonymity", "KMap", "Model", "Outcome", "Verdict", "overall"]
