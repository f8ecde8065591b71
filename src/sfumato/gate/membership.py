"""Membership: whether a recipient may infer who is in a table, and towards whom differential
privacy holds.

Noise protects the people of a table only where every answer depends on them through noise alone.
Exact answers disclose more; so they are not given of a table whose membership is protected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sfumato.errors import NotAdmitted
from sfumato.policy import Membership, Policy

from .decide.protected_table import ProtectedTable
from .settings import Lifetime, Mode, Terms
from .sql import Question
from .state import GateState
from .table_state import is_noise_only

EXACT_BEFORE: Final = (
    "No differential privacy holds for anybody in this table: exact answers about these people were "
    "given until an erasure ended them. Answers since then are noisy."
)


def is_protected(policy: Policy, terms: Terms) -> bool:
    """Whether the policy protects membership. Without a decision, it is protected where a profile
    gets noisy numbers alone."""
    if policy.membership is None:
        return terms.mode is Mode.NOISY
    return policy.membership is Membership.PROTECTED


def without_exact_answers(table: ProtectedTable, state: GateState) -> ProtectedTable:
    """A table as it is asked: with protected membership where exact answers about it have ended."""
    if not is_noise_only(state, table.account) or table.policy.membership is Membership.PROTECTED:
        return table
    return table.under(replace(table.policy, membership=Membership.PROTECTED))


def is_protected_to_some(policy: Policy, terms_of: Callable[[str], Terms]) -> bool:
    """Whether membership is protected towards recipients of some profile that the policy names."""
    return any(is_protected(policy, terms_of(name)) for name in policy.recipients)


def effective_terms(policy: Policy, terms: Terms) -> Terms:
    """The terms under which a table is asked: where membership is protected, numbers are noisy."""
    if is_protected(policy, terms) and terms.mode is not Mode.NOISY:
        return replace(terms, mode=Mode.NOISY if terms.mode is Mode.EITHER else terms.mode)
    return terms


def check_membership(question: Question, policy: Policy, terms: Terms) -> None:
    """Whether a question may be asked of a table whose membership is protected; decided before any
    row is read."""
    if not is_protected(policy, terms):
        return
    if terms.mode is Mode.EXACT:
        raise NotAdmitted(
            "The policy protects membership, and your profile gets only exact answers.",
            code="membership",
            attempt="asking the steward for a profile with noisy numbers.",
        )
    if not question.is_aggregate:
        raise NotAdmitted(
            "The policy protects membership, so the gate shows no rows.",
            code="membership",
            attempt="noisy numbers: COUNT(*), SUM(field) or AVG(field).",
        )


def promise_in_words(
    policy: Policy,
    profile: str,
    terms_of: Callable[[str], Terms],
    *,
    lifetime: Lifetime | None = None,
) -> str:
    """Towards whom differential privacy holds for the people of a table, and towards whom it does
    not."""
    terms = effective_terms(policy, terms_of(profile))
    exact = sorted(name for name in policy.recipients if not is_protected(policy, terms_of(name)))
    if profile in exact:
        return (
            "No differential privacy holds for anybody in this table towards recipients "
            f"of profile {profile!r}: "
            f"{'they get exact answers as well' if terms.mode is not Mode.NOISY else 'its membership is public'}."
        )
    if terms.mode is Mode.EXACT:
        return "This profile gets no answer about this table."
    epsilon, delta = terms.budget.table, terms.budget.delta
    if lifetime is not None and (lifetime.epsilon, lifetime.delta) < (epsilon, delta):
        epsilon, delta = lifetime.epsilon, lifetime.delta
    out = (
        "Differential privacy holds for everybody in this table towards recipients of "
        f"profile {profile!r}: "
        f"epsilon {epsilon:g}, delta {delta:g} for all answers together."
    )
    if exact:
        others = " and ".join(repr(name) for name in exact)
        out += (
            f" It does not hold towards recipients of {others}, nor towards anybody who sees "
            "their exact answers."
        )
    return out
