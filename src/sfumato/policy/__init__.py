"""What a person decided: roles, hierarchies, recipient profiles, requirements, and their file format."""

from .channel_records import ChannelRule, Channels, CombinationRule
from .checks import problems_in
from .compatibility import Compatibility, PairState
from .declared_models import (
    MODELS,
    LooksAt,
    OutsideNeed,
    RequirementDeclaration,
    RequirementForm,
    UndeclaredRequirement,
    declaration_of,
    declared_model,
    model_keys,
)
from .declared_solvers import SOLVERS
from .policy_text import policy_as_table, policy_as_toml, write_policy
from .profiles import BUILT_IN
from .records import (
    OBJECTIVES,
    OTHER_FIELDS,
    DateShift,
    Domain,
    Field,
    Intervals,
    Membership,
    Method,
    Order,
    Policy,
    RecipientProfile,
    Replacement,
    SolveSettings,
)
from .released import encrypted_fields, is_released
from .require_checks import of_role
from .requirements import SETTINGS, Requirements
from .roles import CellReading, NullRule, Role
from .solve_section import section_with_solver
from .source_checks import check_against, check_tables_against
from .source_records import AS_FOUND, NullWords, SourceFormat
from .source_section import format_of, null_words, null_words_by_table, source_as_table
from .step_records import TECHNIQUES, PolicyStep, TechniqueDeclaration, Wants, always, never
from .table_cursor import Reader
from .table_names import fields_by_table, readings
from .table_paths import (
    all_paths_to_person,
    ancestors,
    is_linkable,
    order_of_tables,
    path_to_person,
    person_field,
    person_table,
    reference_tables,
)
from .table_records import Link, Orphans, RowCountMerging, RowCountPolicy, TablePolicy
from .text_checks import scrubbed_fields
from .text_records import (
    TEXT_KINDS,
    ScrubPolicy,
    TextDates,
    TextDetectors,
    TextMethod,
    TextPattern,
    TextPlaces,
    TextPurpose,
    TextTrait,
    TextWords,
)
from .toml_file import policy_from_table, read_policy

__all__ = [
    "Compatibility",
    "PairState",
    "AS_FOUND",
    "BUILT_IN",
    "MODELS",
    "OBJECTIVES",
    "OTHER_FIELDS",
    "SETTINGS",
    "SOLVERS",
    "TECHNIQUES",
    "TEXT_KINDS",
    "CellReading",
    "ChannelRule",
    "Channels",
    "CombinationRule",
    "DateShift",
    "Domain",
    "Field",
    "Intervals",
    "Link",
    "LooksAt",
    "Membership",
    "Method",
    "NullRule",
    "NullWords",
    "Order",
    "Orphans",
    "OutsideNeed",
    "Policy",
    "PolicyStep",
    "Reader",
    "RecipientProfile",
    "Replacement",
    "RequirementDeclaration",
    "RequirementForm",
    "Requirements",
    "Role",
    "RowCountMerging",
    "RowCountPolicy",
    "ScrubPolicy",
    "SolveSettings",
    "SourceFormat",
    "TablePolicy",
    "TechniqueDeclaration",
    "TextDates",
    "TextDetectors",
    "TextMethod",
    "TextPattern",
    "TextPlaces",
    "TextPurpose",
    "TextTrait",
    "TextWords",
    "UndeclaredRequirement",
    "Wants",
    "all_paths_to_person",
    "always",
    "ancestors",
    "check_against",
    "check_tables_against",
    "declaration_of",
    "declared_model",
    "encrypted_fields",
    "fields_by_table",
    "format_of",
    "is_linkable",
    "is_released",
    "model_keys",
    "never",
    "null_words",
    "null_words_by_table",
    "of_role",
    "order_of_tables",
    "path_to_person",
    "person_field",
    "person_table",
    "policy_as_table",
    "policy_as_toml",
    "policy_from_table",
    "problems_in",
    "read_policy",
    "readings",
    "reference_tables",
    "scrubbed_fields",
    "section_with_solver",
    "source_as_table",
    "write_policy",
]
