"""Quasi fields that the recipient does not link on: whether a policy protects them all the same."""

from __future__ import annotations

from .declared_solvers import abilities_of
from .records import Policy


def holds_unlinked(policy: Policy) -> bool:
    """Whether the solver, or something that is required, protects quasi fields that nobody links
    on."""
    asked = any(declared.holds_unlinked for declared, _ in policy.require.items())
    return asked or abilities_of(policy).holds_unlinked
