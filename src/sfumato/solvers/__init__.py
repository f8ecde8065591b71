"""One file per algorithm, under its paper's name. Solvers turn bins and requirements into a recoding."""

from .datafly import Datafly
from .datafly2 import Datafly2
from .given import Given
from .k_similar import KSimilar
from .lattice import Anytime, Guided, Minimal, Optimal
from .local import Local
from .microaggregation import Microaggregation
from .mu_argus import MuArgus
from .mu_argus_session import MuArgusSession
from .multiple_records import b_tabf, merge_row_counts
from .solver import Proof, Solution, Solver, Step, settings_of

__all__ = [
    "Anytime",
    "Datafly",
    "Datafly2",
    "Given",
    "Guided",
    "KSimilar",
    "Local",
    "Microaggregation",
    "Minimal",
    "MuArgus",
    "MuArgusSession",
    "Optimal",
    "Proof",
    "Solution",
    "Solver",
    "Step",
    "b_tabf",
    "merge_row_counts",
    "settings_of",
]
