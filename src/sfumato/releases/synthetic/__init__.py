"""A synthetic table: read, modelled, drawn, written and checked."""

from .policy_draft import draft_policy
from .synthesis_run import synthesize
from .synthetic_checks import synthetic_checks
from .synthetic_release import SyntheticRelease, combine_estimates
from .table_file import TABLE as SYNTHETIC_TABLE

__all__ = [
    "SYNTHETIC_TABLE",
    "SyntheticRelease",
    "combine_estimates",
    "draft_policy",
    "synthesize",
    "synthetic_checks",
]
