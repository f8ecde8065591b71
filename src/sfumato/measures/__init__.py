"""Risk, utility, attacks with their baselines, and the report."""

from .ads0 import Ads0, ads0_of, check_ads0, smallest_strict_and_wildcard
from .ads0_maps import MapFinding
from .field_use import MOST_ALIKE, FieldUse, compare_uses, field_uses
from .household_risk import (
    HouseholdFinding,
    HouseholdRisk,
    household_chances,
    household_risk,
    measure_households,
)
from .information_loss import Utility, entropy_bits, utility
from .label_coverage import Marks, Reals, covering, measures
from .label_forms import (
    Bounds,
    as_days,
    as_number,
    date_bounds,
    excludes_its_end,
    members_of,
    number_bounds,
    prefix_of,
)
from .membership_gap import MembershipGap, best_gap, gap_between, nearest_distance
from .subject import Records, Subject

__all__ = [
    "MOST_ALIKE",
    "Ads0",
    "Bounds",
    "FieldUse",
    "HouseholdFinding",
    "HouseholdRisk",
    "MapFinding",
    "Marks",
    "MembershipGap",
    "Reals",
    "Records",
    "Subject",
    "Utility",
    "ads0_of",
    "as_days",
    "as_number",
    "best_gap",
    "check_ads0",
    "compare_uses",
    "covering",
    "date_bounds",
    "entropy_bits",
    "excludes_its_end",
    "field_uses",
    "gap_between",
    "household_chances",
    "household_risk",
    "measure_households",
    "measures",
    "members_of",
    "nearest_distance",
    "number_bounds",
    "prefix_of",
    "smallest_strict_and_wildcard",
    "utility",
]
