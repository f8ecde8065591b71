"""Risk, utility, attacks with their baselines, and the report."""

from .ads0 import Ads0, ads0_of, check_ads0, smallest_strict_and_wildcard
from .household_risk import HouseholdRisk, household_risk
from .information_loss import Utility, entropy_bits, utility

__all__ = [
    "Ads0",
    "HouseholdRisk",
    "Utility",
    "ads0_of",
    "check_ads0",
    "entropy_bits",
    "household_risk",
    "smallest_strict_and_wildcard",
    "utility",
]
