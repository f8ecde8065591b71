"""The register: what was ever released about the same people, to whom, and who recorded it."""

from .applications import TRANSITIONS, Application, ApplicationState, SealedVote, VoteWord
from .charter import Charter, CharterMember, RegisterRole
from .incidents import IncidentExposure
from .joint_classes import JointClasses
from .ledger import Ledger, LedgerRequirement, LedgerVerdict, ReleaseView
from .moves import ChainHead, Move, MoveKind
from .register import Author, Register
from .replay import EVERYBODY, MAY, RegisteredRelease, RegisterState

__all__ = [
    "EVERYBODY",
    "MAY",
    "TRANSITIONS",
    "Application",
    "ApplicationState",
    "Author",
    "ChainHead",
    "Charter",
    "IncidentExposure",
    "JointClasses",
    "Ledger",
    "LedgerRequirement",
    "LedgerVerdict",
    "CharterMember",
    "Move",
    "MoveKind",
    "Register",
    "RegisterRole",
    "RegisterState",
    "RegisteredRelease",
    "ReleaseView",
    "SealedVote",
    "VoteWord",
]
