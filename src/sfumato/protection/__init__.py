"""One file per protection model: its requirement, the bins that it accepts, and how it judges
them."""

from .alpha_k_anonymity import AlphaKAnonymity, AlphaKRequirement
from .anonymity_level import (
    AnonymityLevel,
    Sizes,
    level_asks_for_pairs,
    level_changes_nothing,
    overall_bin_size,
    sizes_for,
    upper_bin_size,
)
from .average_risk import AverageRisk, AverageRiskRequirement
from .beta_likeness import BetaLikeness, BetaLikenessRequirement, Likeness
from .bin_sizes import BinSizes, BinSizesRequirement
from .bounded_knowledge import BoundedInference, BoundedKnowledge, BoundedKnowledgeRequirement
from .channel_risk import NEARLY_ALL, ChannelAccount, ChannelTolerance, exactly, judge_channels
from .combinations import CombinationRequirement, Combinations
from .confidence_gain import ConfidenceGain, ConfidenceGainRequirement
from .declaration import MODELS, ModelContext, ModelDeclaration
from .delta_disclosure import Absent, DeltaDisclosure, DeltaDisclosureRequirement
from .delta_presence import DeltaPresence, DeltaPresenceRequirement
from .distinct_l_diversity import DistinctLDiversity
from .entropy_l_diversity import EntropyLDiversity
from .histograms import inside, shares, starts_of
from .k_anonymity import KAnonymity, KAnonymityRequirement
from .k_m_anonymity import KMAnonymity, KMRequirement
from .k_map import KMap, KMapRequirement
from .k_people import KPeople
from .key_combinations import KeyCombination
from .known_combinations import KnownGroups, largest_shares, sizes_of_groups
from .l_diversity import Diversity, LDiversityRequirement
from .maximum_risk import MaximumRisk, MaximumRiskRequirement
from .model import (
    Model,
    broken_by,
    impossible_reasons,
    is_bin_monotone,
    is_row_monotone,
    needs_of,
    reads_labels,
    verdict_of,
)
from .non_uniqueness import NonUniqueness, NonUniquenessRequirement
from .null_map import NullMap, NullMapRequirement
from .p_sensitive_k_anonymity import PSensitiveKAnonymity, PSensitiveRequirement
from .population_uniqueness import Estimator, PopulationUniqueness, PopulationUniquenessRequirement
from .recursive_cl_diversity import RecursiveCLDiversity
from .reference import LabelAlignment, reference_of
from .row_counts import ROWS, RowCounts
from .safe_harbor import SafeHarbor, SafeHarborRequirement
from .snb_estimator import slide_negative_binomial
from .t_closeness import Distance, TCloseness, TClosenessRequirement
from .uniqueness_estimators import SampleSizes, pitman_parameters, pitman_share, zayatz
from .value_spread import IntervalWidth, ValueSpreadRequirement, VarianceDiversity
from .value_steps import SteppedField
from .verdict import Outcome, Verdict, overall
from .wrong_map import LEAST_WRONG, WrongMap, WrongMapRequirement
from .wrong_value_gain import wrong_value_gain

__all__ = [
    "SteppedField",
    "LEAST_WRONG",
    "MODELS",
    "NEARLY_ALL",
    "ROWS",
    "Absent",
    "AlphaKAnonymity",
    "AlphaKRequirement",
    "AnonymityLevel",
    "AverageRisk",
    "AverageRiskRequirement",
    "BetaLikeness",
    "BetaLikenessRequirement",
    "BinSizes",
    "BinSizesRequirement",
    "BoundedInference",
    "BoundedKnowledge",
    "BoundedKnowledgeRequirement",
    "ChannelAccount",
    "ChannelTolerance",
    "CombinationRequirement",
    "Combinations",
    "ConfidenceGain",
    "ConfidenceGainRequirement",
    "DeltaDisclosure",
    "DeltaDisclosureRequirement",
    "DeltaPresence",
    "DeltaPresenceRequirement",
    "Distance",
    "DistinctLDiversity",
    "Diversity",
    "EntropyLDiversity",
    "Estimator",
    "IntervalWidth",
    "KAnonymity",
    "KAnonymityRequirement",
    "KMAnonymity",
    "KMRequirement",
    "KMap",
    "KMapRequirement",
    "KPeople",
    "KeyCombination",
    "KnownGroups",
    "LDiversityRequirement",
    "LabelAlignment",
    "Likeness",
    "MaximumRisk",
    "MaximumRiskRequirement",
    "Model",
    "ModelContext",
    "ModelDeclaration",
    "NonUniqueness",
    "NonUniquenessRequirement",
    "NullMap",
    "NullMapRequirement",
    "Outcome",
    "PSensitiveKAnonymity",
    "PSensitiveRequirement",
    "PopulationUniqueness",
    "PopulationUniquenessRequirement",
    "RecursiveCLDiversity",
    "RowCounts",
    "SafeHarbor",
    "SafeHarborRequirement",
    "SampleSizes",
    "Sizes",
    "TCloseness",
    "TClosenessRequirement",
    "ValueSpreadRequirement",
    "VarianceDiversity",
    "Verdict",
    "WrongMap",
    "WrongMapRequirement",
    "broken_by",
    "exactly",
    "impossible_reasons",
    "inside",
    "is_bin_monotone",
    "is_row_monotone",
    "judge_channels",
    "largest_shares",
    "level_asks_for_pairs",
    "level_changes_nothing",
    "needs_of",
    "overall",
    "overall_bin_size",
    "pitman_parameters",
    "pitman_share",
    "reads_labels",
    "reference_of",
    "shares",
    "sizes_for",
    "sizes_of_groups",
    "slide_negative_binomial",
    "starts_of",
    "upper_bin_size",
    "verdict_of",
    "wrong_value_gain",
    "zayatz",
]
