"""How likely somebody is recognised: measures of risk, one file each."""

from sfumato.measures import HouseholdFinding, HouseholdRisk, household_chances, household_risk

from .attribute_disclosure import AttributeDisclosure, attribute_disclosure
from .individual_risk import individual_risks
from .population_uniques import UniquesEstimate, estimate_uniqueness
from .probabilities import Probability
from .risks import Risks, TableRisks, measure_risks
from .suda2 import Suda2, suda2, suda2_of
from .uniqueness_table import UniquenessRow, uniqueness_table

__all__ = [
    "AttributeDisclosure",
    "UniquesEstimate",
    "HouseholdFinding",
    "HouseholdRisk",
    "Probability",
    "Risks",
    "Suda2",
    "TableRisks",
    "UniquenessRow",
    "attribute_disclosure",
    "estimate_uniqueness",
    "household_chances",
    "household_risk",
    "individual_risks",
    "measure_risks",
    "suda2",
    "suda2_of",
    "uniqueness_table",
]
