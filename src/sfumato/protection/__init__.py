"""One file per protection model: each judges bins, returns a verdict and declares whether it is monotone."""

from .alpha_k_anonymity import AlphaKAnonymity
from .average_risk import AverageRisk
from .beta_likeness import BetaLikeness
from .bin_sizes import BinSizes
from .combinations import Combinations
from .confidence_gain import ConfidenceGain
from .delta_disclosure import DeltaDisclosure
from .delta_presence import DeltaPresence
from .distinct_l_diversity import DistinctLDiversity
from .entropy_l_diversity import EntropyLDiversity
from .k_anonymity import KAnonymity
from .k_map import KMap
from .k_people import KPeople
from .maximum_risk import MaximumRisk
from .model import Model, broken_by, is_bin_monotone, needs_of
from .non_uniqueness import NonUniqueness
from .null_map import NullMap
from .p_sensitive_k_anonymity import PSensitiveKAnonymity
from .population_uniqueness import PopulationUniqueness
from .recursive_cl_diversity import RecursiveCLDiversity
from .reference import reference_of
from .safe_harbor import SafeHarbor
from .t_closeness import TCloseness
from .verdict import Outcome, Verdict, overall
from .wrong_map import WrongMap

MODELS: tuple[type[Model], ...] = (
    KAnonymity,
    KPeople,
    KMap,
    BinSizes,
    Combinations,
    NonUniqueness,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
    PSensitiveKAnonymity,
    AlphaKAnonymity,
    DeltaDisclosure,
    BetaLikeness,
    ConfidenceGain,
    DeltaPresence,
    AverageRisk,
    MaximumRisk,
    PopulationUniqueness,
    NullMap,
    WrongMap,
    SafeHarbor,
)
"""Every protection model there is; each has a page under docs/protection and passes the same contract."""

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "BinSizes",
    "Combinations",
    "ConfidenceGain",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "KMap",
    "KPeople",
    "MaximumRisk",
    "Model",
    "NonUniqueness",
    "NullMap",
    "Outcome",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "RecursiveCLDiversity",
    "SafeHarbor",
    "TCloseness",
    "Verdict",
    "WrongMap",
    "broken_by",
    "is_bin_monotone",
    "needs_of",
    "overall",
    "reference_of",
]
