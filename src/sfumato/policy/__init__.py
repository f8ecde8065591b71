"""What a person decided: roles, hierarchies, recipient profiles, requirements, and their file format."""

from .checks import check_against, problems_in
from .profiles import BUILT_IN
from .records import (
    OBJECTIVES,
    OTHER_FIELDS,
    SOLVERS,
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
from .writing import policy_as_table, policy_as_toml, write_policy

__all__ = [
    "BUILT_IN",
    "OBJECTIVES",
    "OTHER_FIELDS",
    "SOLVERS",
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
    "check_against",
    "policy_as_table",
    "policy_as_toml",
    "policy_from_table",
    "problems_in",
    "read_policy",
    "write_policy",
]
