"""The survey of a source: what its fields look like, what to do with them, how unique its rows are."""

from .as_dict import survey_as_dict
from .printing import print_survey
from .proposed_policy import propose_policy, proposed_toml
from .records import (
    ChecklistItem,
    Combination,
    FieldSurvey,
    Likeness,
    LooksLike,
    Presence,
    Proposal,
    Survey,
    Uniqueness,
)
from .surveying import survey

__all__ = [
    "ChecklistItem",
    "Combination",
    "FieldSurvey",
    "Likeness",
    "LooksLike",
    "Presence",
    "Proposal",
    "Survey",
    "Uniqueness",
    "print_survey",
    "propose_policy",
    "proposed_toml",
    "survey",
    "survey_as_dict",
]
