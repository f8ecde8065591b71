"""Apply a recoding, write, recount, and say what was done: manifest, report, verification.

Names are imported when they are first used: a release of one table needs nothing of channels,
synthesis or advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.lazy_names import lazy_names

if TYPE_CHECKING:
    from .advice import Advice as Advice
    from .advice import Advised as Advised
    from .advice import FieldCost as FieldCost
    from .advice import advise as advise
    from .advice_changes import PolicyChange as PolicyChange
    from .advice_trials import PolicyTrial as PolicyTrial
    from .atomic_folder import MANIFEST as MANIFEST
    from .atomic_folder import PROFILES as PROFILES
    from .atomic_folder import REPORT as REPORT
    from .atomic_folder import aside as aside
    from .atomic_folder import check_target as check_target
    from .bodily_content import check_content as check_content
    from .channels.account_files import read_account as read_account
    from .channels.altered_values import read_sets as read_sets
    from .channels.flow import count_inputs as count_inputs
    from .channels.flow import solve_channels as solve_channels
    from .channels.recount import recount_channels as recount_channels
    from .channels.recount import tolerance_of as tolerance_of
    from .checks import ORIGINALS as ORIGINALS
    from .checks import Check as Check
    from .checks import outcome_of as outcome_of
    from .date_readings import dates_meant as dates_meant
    from .dates import offset as offset
    from .decryption import reveal_encrypted as reveal_encrypted
    from .disclosure_warnings import level_warnings as level_warnings
    from .documents import manifest_digest as manifest_digest
    from .finished_release import Written as Written
    from .finished_release import written as written
    from .held_back import HeldBack as HeldBack
    from .households import keep_together as keep_together
    from .identifiers import Key as Key
    from .identifiers import reveal as reveal
    from .identifiers import reveal_by_search as reveal_by_search
    from .kept_people import PeopleRecordRequest as PeopleRecordRequest
    from .manifest import ONE_TABLE as ONE_TABLE
    from .manifest import UNMEASURED as UNMEASURED
    from .manifest import Manifest as Manifest
    from .manifest import ReleaseShape as ReleaseShape
    from .manifest import write_manifest as write_manifest
    from .manifest_json_schema import manifest_schema as manifest_schema
    from .people_record import NO_ROW as NO_ROW
    from .people_record import PeopleRecord as PeopleRecord
    from .people_record import SensitiveValues as SensitiveValues
    from .people_record import key_check as key_check
    from .people_record import person_tags as person_tags
    from .people_record import reading_tags as reading_tags
    from .people_record import record_people as record_people
    from .people_record import value_tags as value_tags
    from .people_recount import people_misfit as people_misfit
    from .people_recount import record_digest as record_digest
    from .person_keys import number_readings as number_readings
    from .pipeline import Release as Release
    from .pipeline import release as release
    from .policy_choice import PolicyLike as PolicyLike
    from .policy_choice import beside as beside
    from .policy_choice import check_new as check_new
    from .policy_choice import found_policy as found_policy
    from .policy_choice import write_new as write_new
    from .policy_copy import differences as differences
    from .policy_copy import hierarchy_files as hierarchy_files
    from .policy_copy import policy_facts as policy_facts
    from .prepared_source import PreparedSource as PreparedSource
    from .prepared_source import known_fields as known_fields
    from .prepared_source import prepare as prepare
    from .prepared_source import repeats as repeats
    from .profile_folder import PROFILE_NAME as PROFILE_NAME
    from .profile_folder import ProfileFolder as ProfileFolder
    from .profile_folder import joint_rules as joint_rules
    from .release_recount import recount as recount
    from .requirements import models_for as models_for
    from .requirements import needed_fields as needed_fields
    from .requirements import solver_for as solver_for
    from .rule_vacuity import vacuous_rules as vacuous_rules
    from .scrub_checks import needs_review as needs_review
    from .steps import prepare_after_steps as prepare_after_steps
    from .steps import try_steps as try_steps
    from .synthetic import SYNTHETIC_TABLE as SYNTHETIC_TABLE
    from .synthetic import SyntheticRelease as SyntheticRelease
    from .synthetic import combine_estimates as combine_estimates
    from .synthetic import draft_policy as draft_policy
    from .synthetic import synthesize as synthesize
    from .tabulated import TabulatedRelease as TabulatedRelease
    from .tabulated import tabulate as tabulate
    from .text_key import text_secret as text_secret
    from .treatments import KEPT as KEPT
    from .verification import manifest_of as manifest_of
    from .verification import policy_without_hierarchies as policy_without_hierarchies
    from .verification import sign_release as sign_release
    from .verification import verify as verify

_HOMES = {
    "advice": (
        "Advice",
        "Advised",
        "FieldCost",
        "advise",
    ),
    "advice_changes": ("PolicyChange",),
    "advice_trials": ("PolicyTrial",),
    "atomic_folder": (
        "MANIFEST",
        "PROFILES",
        "REPORT",
        "aside",
        "check_target",
    ),
    "bodily_content": ("check_content",),
    "channels.account_files": ("read_account",),
    "channels.altered_values": ("read_sets",),
    "channels.flow": (
        "count_inputs",
        "solve_channels",
    ),
    "channels.recount": (
        "recount_channels",
        "tolerance_of",
    ),
    "checks": (
        "Check",
        "ORIGINALS",
        "outcome_of",
    ),
    "date_readings": ("dates_meant",),
    "dates": ("offset",),
    "decryption": ("reveal_encrypted",),
    "disclosure_warnings": ("level_warnings",),
    "documents": ("manifest_digest",),
    "finished_release": (
        "Written",
        "written",
    ),
    "held_back": ("HeldBack",),
    "households": ("keep_together",),
    "identifiers": (
        "Key",
        "reveal",
        "reveal_by_search",
    ),
    "kept_people": ("PeopleRecordRequest",),
    "manifest": (
        "Manifest",
        "ONE_TABLE",
        "ReleaseShape",
        "UNMEASURED",
        "write_manifest",
    ),
    "manifest_json_schema": ("manifest_schema",),
    "people_record": (
        "NO_ROW",
        "PeopleRecord",
        "SensitiveValues",
        "key_check",
        "person_tags",
        "reading_tags",
        "record_people",
        "value_tags",
    ),
    "people_recount": (
        "people_misfit",
        "record_digest",
    ),
    "person_keys": ("number_readings",),
    "pipeline": (
        "Release",
        "release",
    ),
    "policy_choice": (
        "PolicyLike",
        "beside",
        "check_new",
        "found_policy",
        "write_new",
    ),
    "policy_copy": ("differences", "hierarchy_files", "policy_facts"),
    "prepared_source": (
        "PreparedSource",
        "known_fields",
        "prepare",
        "repeats",
    ),
    "profile_folder": (
        "PROFILE_NAME",
        "ProfileFolder",
        "joint_rules",
    ),
    "release_recount": ("recount",),
    "requirements": (
        "models_for",
        "needed_fields",
        "solver_for",
    ),
    "rule_vacuity": ("vacuous_rules",),
    "scrub_checks": ("needs_review",),
    "steps": (
        "prepare_after_steps",
        "try_steps",
    ),
    "synthetic": (
        "SYNTHETIC_TABLE",
        "SyntheticRelease",
        "combine_estimates",
        "draft_policy",
        "synthesize",
    ),
    "tabulated": (
        "TabulatedRelease",
        "tabulate",
    ),
    "text_key": ("text_secret",),
    "treatments": ("KEPT",),
    "verification": (
        "manifest_of",
        "policy_without_hierarchies",
        "sign_release",
        "verify",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF]

__getattr__ = lazy_names(__name__, _HOME_OF)
