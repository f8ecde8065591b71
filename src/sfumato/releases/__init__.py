"""Apply a recoding, write, recount, and say what was done: manifest, report, verification."""

from .advice import Advice, Advised, FieldCost, advise
from .advice_changes import PolicyChange
from .advice_trials import PolicyTrial
from .atomic_folder import MANIFEST, REPORT, aside, check_target
from .channels.account_files import read_account
from .channels.flow import count_inputs, solve_channels
from .channels.recount import recount_channels, tolerance_of
from .checks import ORIGINALS, Check, outcome_of
from .dates import offset
from .decryption import reveal_encrypted
from .documents import manifest_digest
from .finished_release import Written, written
from .held_back import HeldBack
from .households import keep_together
from .identifiers import Key, reveal, reveal_by_search
from .kept_people import PeopleRecordRequest
from .manifest import ONE_TABLE, Manifest, ReleaseShape, write_manifest
from .manifest_json_schema import manifest_schema
from .people_record import (
    NO_ROW,
    PeopleRecord,
    SensitiveValues,
    key_check,
    person_tags,
    record_people,
    value_tags,
)
from .people_recount import people_misfit
from .pipeline import Release, release
from .policy_choice import PolicyLike, beside, check_new, found_policy, write_new
from .policy_copy import differences
from .prepared_source import PreparedSource, known_fields, prepare, repeats
from .release_recount import recount
from .requirements import models_for, needed_fields, solver_for
from .scrub_checks import needs_review
from .steps import prepare_after_steps, try_steps
from .synthetic import SYNTHETIC_TABLE, SyntheticRelease, synthesize
from .tabulated import TabulatedRelease, tabulate
from .text_key import text_secret
from .vacuous_rules import vacuous_rules
from .verification import manifest_of, policy_without_hierarchies, sign_release, verify

__all__ = [
    "MANIFEST",
    "NO_ROW",
    "ONE_TABLE",
    "ORIGINALS",
    "REPORT",
    "Advice",
    "Advised",
    "Check",
    "FieldCost",
    "Key",
    "Manifest",
    "HeldBack",
    "PeopleRecord",
    "PeopleRecordRequest",
    "PolicyChange",
    "PolicyLike",
    "PreparedSource",
    "Release",
    "ReleaseShape",
    "SensitiveValues",
    "PolicyTrial",
    "SYNTHETIC_TABLE",
    "SyntheticRelease",
    "TabulatedRelease",
    "Written",
    "advise",
    "aside",
    "beside",
    "check_new",
    "check_target",
    "count_inputs",
    "differences",
    "found_policy",
    "keep_together",
    "key_check",
    "known_fields",
    "manifest_digest",
    "manifest_of",
    "manifest_schema",
    "models_for",
    "needed_fields",
    "needs_review",
    "offset",
    "outcome_of",
    "policy_without_hierarchies",
    "prepare",
    "prepare_after_steps",
    "people_misfit",
    "person_tags",
    "record_people",
    "read_account",
    "recount",
    "recount_channels",
    "release",
    "repeats",
    "reveal",
    "reveal_by_search",
    "reveal_encrypted",
    "solve_channels",
    "solver_for",
    "synthesize",
    "tabulate",
    "text_secret",
    "tolerance_of",
    "try_steps",
    "vacuous_rules",
    "sign_release",
    "verify",
    "write_manifest",
    "write_new",
    "written",
    "value_tags",
]
