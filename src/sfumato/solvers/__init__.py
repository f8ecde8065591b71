"""One file per algorithm, under its paper's name. Solvers turn bins and requirements into a
recoding."""

from .apriori import Apriori, ItemRecoding
from .best import Best, BestSettings, only_global, shared_out, weighted_loss, why_global
from .datafly import Datafly, DataflySettings
from .datafly2 import Datafly2, Datafly2Settings
from .declaration import (
    SOLVERS,
    ModelScope,
    PeopleRequest,
    PeopleSolver,
    RecodingKind,
    SolverAbilities,
    SolverDeclaration,
    SolverNeed,
    SolverRequest,
    build_people_solver,
    build_solver,
)
from .given import Given, GivenSettings
from .greedy import Greedy, GreedySettings
from .k_similar import KSimilar, KSimilarSettings
from .lattice import Anytime, AnytimeSettings, Guided, Minimal, Optimal, OptimalSettings
from .local import Local, LocalSettings
from .microaggregation import Microaggregation, MicroaggregationSettings, mdav
from .mu_argus import MuArgus, MuArgusSettings
from .mu_argus_choices import BlankedCell, read_choices, write_choices
from .mu_argus_session import FieldRarity, MuArgusSession, RareCombination
from .multiple_records import b_tabf, merge_row_counts
from .solver import Proof, Solution, Solver, Step, failing_rows, scope_of, settings_of

__all__ = [
    "SOLVERS",
    "Anytime",
    "AnytimeSettings",
    "Apriori",
    "Best",
    "BestSettings",
    "Datafly",
    "Datafly2",
    "Datafly2Settings",
    "DataflySettings",
    "Given",
    "GivenSettings",
    "Greedy",
    "GreedySettings",
    "Guided",
    "ItemRecoding",
    "KSimilar",
    "KSimilarSettings",
    "Local",
    "LocalSettings",
    "Microaggregation",
    "MicroaggregationSettings",
    "Minimal",
    "ModelScope",
    "MuArgus",
    "MuArgusSession",
    "BlankedCell",
    "FieldRarity",
    "RareCombination",
    "read_choices",
    "write_choices",
    "MuArgusSettings",
    "Optimal",
    "OptimalSettings",
    "PeopleRequest",
    "PeopleSolver",
    "Proof",
    "RecodingKind",
    "Solution",
    "Solver",
    "SolverAbilities",
    "SolverDeclaration",
    "SolverNeed",
    "SolverRequest",
    "Step",
    "b_tabf",
    "build_people_solver",
    "build_solver",
    "failing_rows",
    "mdav",
    "merge_row_counts",
    "scope_of",
    "settings_of",
    "only_global",
    "shared_out",
    "weighted_loss",
    "why_global",
]
