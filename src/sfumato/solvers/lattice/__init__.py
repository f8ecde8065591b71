"""The search over the lattice: all minimal nodes, the optimal one, and the best so far with a
bound."""

from sfumato.policy import OBJECTIVES

from .anytime import Anytime, AnytimeSettings
from .boxes import SearchOutcome, proof_of
from .guided import Guided, View
from .minimal import Minimal, MinimalNodes, picture_of_minimal
from .node_check import Checker, NodeCheck
from .nodes import ENUMERABLE, Lattice
from .objectives import objective_for
from .optimal import Optimal, OptimalSettings
from .picture import as_svg, kinds_of, picture_of_search

__all__ = [
    "ENUMERABLE",
    "OBJECTIVES",
    "Anytime",
    "AnytimeSettings",
    "NodeCheck",
    "Checker",
    "SearchOutcome",
    "Guided",
    "Lattice",
    "Minimal",
    "MinimalNodes",
    "Optimal",
    "OptimalSettings",
    "View",
    "as_svg",
    "kinds_of",
    "objective_for",
    "picture_of_minimal",
    "picture_of_search",
    "proof_of",
]
