"""The register: all releases about the same people, their recipients, and the authors of the
records."""

from sfumato.policy import AccessClass

from .agreements import Agreement, TermOfUse, is_day
from .answer_checks import AnswerCheck
from .application_form import QUESTIONS, ApplicationForm, SharingModel, blank_form
from .applications import TRANSITIONS, Application, ApplicationState, ApplicationStep
from .browser_moves import SIGNED_ELSEWHERE
from .candidates import Candidate, make_candidate
from .charter import Charter, CharterMember, RegisterRole
from .cohorts import people_to_hold_back
from .deadlines import Deadline, agreement_ends, urgency_of
from .exports import EXPORTS
from .gate_answers import AnswerScope, GateAnswers
from .incidents import IncidentExposure
from .joint_classes import JointClasses
from .leaked_rows import LeakedRows
from .ledger import Ledger
from .ledger_verdict import LedgerRequirement, LedgerVerdict
from .moves import ChainHead, Move, MoveKind
from .people_links import KeySpelling, PeopleLink
from .recipient_links import NamesAre, RecipientLink
from .recipients import EVERYBODY
from .register import Register
from .registered_release import RegisteredRelease
from .release_views import ReleaseView
from .replay import MAY, RegisterState
from .revelations import Revelation, RevelationStep
from .sealed_votes import SealedVote, VoteWord
from .signed_moves import Author

__all__ = [
    "AccessClass",
    "AnswerCheck",
    "AnswerScope",
    "Agreement",
    "Application",
    "ApplicationForm",
    "ApplicationState",
    "ApplicationStep",
    "Author",
    "Candidate",
    "ChainHead",
    "Charter",
    "CharterMember",
    "Deadline",
    "EVERYBODY",
    "EXPORTS",
    "GateAnswers",
    "IncidentExposure",
    "JointClasses",
    "KeySpelling",
    "LeakedRows",
    "Ledger",
    "LedgerRequirement",
    "LedgerVerdict",
    "MAY",
    "Move",
    "MoveKind",
    "NamesAre",
    "PeopleLink",
    "QUESTIONS",
    "RecipientLink",
    "Register",
    "RegisterRole",
    "RegisterState",
    "RegisteredRelease",
    "ReleaseView",
    "Revelation",
    "RevelationStep",
    "SIGNED_ELSEWHERE",
    "SealedVote",
    "SharingModel",
    "TRANSITIONS",
    "TermOfUse",
    "VoteWord",
    "agreement_ends",
    "blank_form",
    "is_day",
    "make_candidate",
    "people_to_hold_back",
    "urgency_of",
]
