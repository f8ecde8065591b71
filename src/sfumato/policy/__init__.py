"""What a person decided: roles, hierarchies, recipient profiles, requirements, and their file format."""

from .profiles import BUILT_IN
from .records import (
    AnonymityLevel,
    CombinationRequirement,
    DateShift,
    Field,
    Intervals,
    KMapRequirement,
    Method,
    NullRule,
    Order,
    Policy,
    Reading,
    RecipientProfile,
    Replacement,
    Requirements,
    Role,
    SolveSettings,
)
from .toml_file import policy_from_table, read_policy

__all__ = [
    "BUILT_IN",
    "AnonymityLevel",
    "CombinationRequirement",
    "DateShift",
    "Field",
    "Intervals",
    "KMapRequirement",
    "Method",
    "NullRule",
    "Order",
    "Policy",
    "Reading",
    "RecipientProfile",
    "Replacement",
    "Requirements",
    "Role",
    "SolveSettings",
    "policy_from_table",
    "read_policy",
]
