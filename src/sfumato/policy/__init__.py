"""What a person decided: roles, hierarchies, recipient profiles, requirements, and their file
format."""

from .channel_records import ChannelRule, Channels, CombinationRule
from .checks import problems_in
from .compatibility import NOT_YET, WORKS, Compatibility, PairState
from .declared_models import (
    MODELS,
    ROWS,
    LooksAt,
    OutsideNeed,
    RequirementDeclaration,
    RequirementForm,
    Rule,
    UndeclaredRequirement,
    declaration_of,
    declared_model,
    model_keys,
)
from .declared_solvers import (
    COUNTED,
    SOLVERS,
    ModelScope,
    RecodingKind,
    SolverAbilities,
    SolverNeed,
    abilities_of,
    declared_solver,
    solvers_of,
)
from .field_checks import VALUED
from .policy_json_schema import policy_schema
from .policy_text import policy_as_table, policy_as_toml, write_policy
from .profiles import BUILT_IN
from .records import (
    KEPT_WEIGHT,
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
    said_by_field,
)
from .released_fields import encrypted_fields, is_released
from .require_checks import of_role
from .requirements import SETTINGS, Requirements
from .roles import CellReading, NullRule, Role
from .solve_section import USUAL_SOLVER, read_solve, section_with_solver, solve_as_table
from .source_checks import check_against, check_tables_against
from .source_records import AS_FOUND, NullWords, SourceFormat
from .source_section import format_of, null_words, null_words_by_table, source_as_table
from .step_records import TECHNIQUES, PolicyStep, TechniqueDeclaration, Wants, always, never
from .synthesis_section import (
    DeclaredDomain,
    SynthesisPolicy,
    read_synthesis,
    synthesis_as_table,
)
from .table_cursor import Reader
from .table_names import fields_by_table, readings
from .table_paths import (
    all_paths_to_person,
    ancestors,
    find_person,
    is_linkable,
    order_of_tables,
    path_to_person,
    person_field,
    person_table,
    reference_tables,
)
from .table_records import Link, Orphans, RowCountMerging, RowCountPolicy, TablePolicy
from .table_require_checks import not_of_people
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
from .unlinked_fields import holds_unlinked
from .unread_parts import fields_of, is_settled

__all__ = [
    "DeclaredDomain",
    "SynthesisPolicy",
    "read_synthesis",
    "synthesis_as_table",
    "NOT_YET",
    "WORKS",
    "AS_FOUND",
    "BUILT_IN",
    "COUNTED",
    "MODELS",
    "KEPT_WEIGHT",
    "OBJECTIVES",
    "OTHER_FIELDS",
    "ROWS",
    "SETTINGS",
    "SOLVERS",
    "TECHNIQUES",
    "TEXT_KINDS",
    "USUAL_SOLVER",
    "VALUED",
    "CellReading",
    "ChannelRule",
    "Channels",
    "CombinationRule",
    "Compatibility",
    "DateShift",
    "Domain",
    "Field",
    "Intervals",
    "Link",
    "LooksAt",
    "Membership",
    "Method",
    "ModelScope",
    "NullRule",
    "NullWords",
    "Order",
    "Orphans",
    "OutsideNeed",
    "PairState",
    "Policy",
    "PolicyStep",
    "Reader",
    "RecipientProfile",
    "RecodingKind",
    "Replacement",
    "RequirementDeclaration",
    "RequirementForm",
    "Requirements",
    "Role",
    "RowCountMerging",
    "RowCountPolicy",
    "Rule",
    "ScrubPolicy",
    "SolveSettings",
    "SolverAbilities",
    "SolverNeed",
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
    "abilities_of",
    "all_paths_to_person",
    "always",
    "ancestors",
    "check_against",
    "check_tables_against",
    "declaration_of",
    "declared_model",
    "declared_solver",
    "encrypted_fields",
    "fields_by_table",
    "fields_of",
    "find_person",
    "format_of",
    "holds_unlinked",
    "is_linkable",
    "is_released",
    "is_settled",
    "model_keys",
    "never",
    "not_of_people",
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
    "policy_schema",
    "problems_in",
    "read_policy",
    "read_solve",
    "readings",
    "reference_tables",
    "said_by_field",
    "scrubbed_fields",
    "section_with_solver",
    "solve_as_table",
    "solvers_of",
    "source_as_table",
    "write_policy",
]
