"""The survey of a source: the kinds of its fields, proposals for them, and the uniqueness of its
rows. For several tables, also their links and the owners of their rows."""

from .database_survey import survey_tables
from .date_events import DateEvents, Interval, date_events
from .evidence import gather
from .hierarchy_choice import hierarchy_if_quasi
from .linked_twins import (
    LinkedDependence,
    LinkedDependences,
    LinkedFields,
    find_linked_dependences,
)
from .proposed_policy import MAX_SUPPRESSION, K, propose_policy, proposed_toml
from .records import (
    ChecklistItem,
    Combination,
    Dependence,
    DependenceKind,
    FieldLikeness,
    FieldSurvey,
    LooksLike,
    Presence,
    Proposal,
    Survey,
    Uniqueness,
)
from .source_survey import survey
from .survey_dict import survey_as_dict
from .survey_summary import print_summary, print_tables_summary
from .survey_text import print_survey
from .table_survey import survey_table
from .tables_dict import tables_survey_as_dict
from .tables_policy import propose_tables, propose_tables_policy, proposed_tables_toml
from .tables_records import FoundLink, RowOwner, TablesSurvey, TableSurvey
from .tables_text import print_tables_survey
from .twins import find_dependences, telling_fields, twin_sentence

__all__ = [
    "MAX_SUPPRESSION",
    "ChecklistItem",
    "Combination",
    "DateEvents",
    "Dependence",
    "DependenceKind",
    "FieldLikeness",
    "FieldSurvey",
    "FoundLink",
    "Interval",
    "K",
    "LinkedDependence",
    "LinkedDependences",
    "LinkedFields",
    "LooksLike",
    "Presence",
    "Proposal",
    "RowOwner",
    "Survey",
    "TableSurvey",
    "TablesSurvey",
    "Uniqueness",
    "date_events",
    "find_dependences",
    "find_linked_dependences",
    "gather",
    "print_summary",
    "hierarchy_if_quasi",
    "print_survey",
    "print_tables_summary",
    "print_tables_survey",
    "propose_policy",
    "propose_tables",
    "propose_tables_policy",
    "proposed_tables_toml",
    "proposed_toml",
    "survey",
    "survey_as_dict",
    "survey_table",
    "survey_tables",
    "tables_survey_as_dict",
    "telling_fields",
    "twin_sentence",
]
