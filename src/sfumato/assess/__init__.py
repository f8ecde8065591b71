"""Risk, utility, attacks with their baselines, and the report."""

from .ads0 import Ads0, check_ads0, smallest_strict_and_wildcard
from .household_risk import HouseholdRisk, household_risk
from .utility import Utility, entropy_bits, utility

__all__ = [
    "Ads0",
    "HouseholdRisk",
    "Utility",
    "check_ads0",
    "entropy_bits",
    "household_risk",
    "smallest_strict_and_wildcard",
    "utility",
]
