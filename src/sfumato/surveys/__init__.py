"""The survey of a source: the kinds of its fields, proposals for them, and the uniqueness of its
rows. For several tables, also their links and the owners of their rows.

Names are imported when they are first used: a release under a policy looks for fields that determine
others, and proposes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.lazy_names import lazy_names

if TYPE_CHECKING:
    from .database_survey import survey_tables as survey_tables
    from .evidence import gather as gather
    from .hierarchy_choice import hierarchy_if_quasi as hierarchy_if_quasi
    from .linked_twins import LinkedDependence as LinkedDependence
    from .linked_twins import LinkedDependences as LinkedDependences
    from .linked_twins import LinkedFields as LinkedFields
    from .linked_twins import find_linked_dependences as find_linked_dependences
    from .people_dates import DateEvents as DateEvents
    from .people_dates import Interval as Interval
    from .people_dates import date_events as date_events
    from .proposed_policy import MAX_SUPPRESSION as MAX_SUPPRESSION
    from .proposed_policy import K as K
    from .proposed_policy import propose_policy as propose_policy
    from .proposed_policy import proposed_toml as proposed_toml
    from .records import ChecklistItem as ChecklistItem
    from .records import Combination as Combination
    from .records import Dependence as Dependence
    from .records import DependenceKind as DependenceKind
    from .records import FieldLikeness as FieldLikeness
    from .records import FieldSurvey as FieldSurvey
    from .records import LooksLike as LooksLike
    from .records import Presence as Presence
    from .records import Proposal as Proposal
    from .records import Survey as Survey
    from .records import Uniqueness as Uniqueness
    from .source_survey import survey as survey
    from .survey_dict import survey_as_dict as survey_as_dict
    from .survey_summary import print_summary as print_summary
    from .survey_summary import print_tables_summary as print_tables_summary
    from .survey_text import print_survey as print_survey
    from .table_survey import survey_table as survey_table
    from .tables_dict import tables_survey_as_dict as tables_survey_as_dict
    from .tables_policy import propose_tables as propose_tables
    from .tables_policy import propose_tables_policy as propose_tables_policy
    from .tables_policy import proposed_tables_toml as proposed_tables_toml
    from .tables_records import FoundLink as FoundLink
    from .tables_records import RowOwner as RowOwner
    from .tables_records import TablesSurvey as TablesSurvey
    from .tables_records import TableSurvey as TableSurvey
    from .tables_text import print_tables_survey as print_tables_survey
    from .twins import find_dependences as find_dependences
    from .twins import telling_fields as telling_fields
    from .twins import twin_sentence as twin_sentence

_HOMES = {
    "database_survey": ("survey_tables",),
    "people_dates": (
        "DateEvents",
        "Interval",
        "date_events",
    ),
    "evidence": ("gather",),
    "hierarchy_choice": ("hierarchy_if_quasi",),
    "linked_twins": (
        "LinkedDependence",
        "LinkedDependences",
        "LinkedFields",
        "find_linked_dependences",
    ),
    "proposed_policy": (
        "MAX_SUPPRESSION",
        "K",
        "propose_policy",
        "proposed_toml",
    ),
    "records": (
        "ChecklistItem",
        "Combination",
        "Dependence",
        "DependenceKind",
        "FieldLikeness",
        "FieldSurvey",
        "LooksLike",
        "Presence",
        "Proposal",
        "Survey",
        "Uniqueness",
    ),
    "source_survey": ("survey",),
    "survey_dict": ("survey_as_dict",),
    "survey_summary": (
        "print_summary",
        "print_tables_summary",
    ),
    "survey_text": ("print_survey",),
    "table_survey": ("survey_table",),
    "tables_dict": ("tables_survey_as_dict",),
    "tables_policy": (
        "propose_tables",
        "propose_tables_policy",
        "proposed_tables_toml",
    ),
    "tables_records": (
        "FoundLink",
        "RowOwner",
        "TablesSurvey",
        "TableSurvey",
    ),
    "tables_text": ("print_tables_survey",),
    "twins": (
        "find_dependences",
        "telling_fields",
        "twin_sentence",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF]

__getattr__ = lazy_names(__name__, _HOME_OF)
