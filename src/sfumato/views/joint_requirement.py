"""The joint requirement on all releases to the recipients of views: the rules of the policy that
the ledger can judge."""

from __future__ import annotations

from sfumato.errors import Mistake
from sfumato.policy import Policy
from sfumato.register import LedgerRequirement
from sfumato.releases import joint_rules

from .view_request import VIEWS

JUDGED = frozenset({"k", "l_diversity", "t_closeness", "confidence_gain", "maximum_risk"})


def joint_requirement(policy: Policy, *, request: str = VIEWS) -> LedgerRequirement:
    """k, l, t and gain of a policy. Mistake where it has no k, or a rule about sensitive values
    that nobody judges over several releases. `request` begins what an error says."""
    require = policy.require
    if require.k is None:
        raise Mistake(
            f"{request}.",
            found="The policy requires no k, by which several releases are judged together.",
            attempt="k = 5 in [require].",
        )
    strange = [key for key in require.keys if key not in JUDGED]
    strange += [
        f"l_diversity of kind {each.kind}"
        for each in require.each("l_diversity")
        if each.kind != "distinct"
    ]
    strange += [
        f"t_closeness with distance {each.distance}"
        for each in require.each("t_closeness")
        if each.distance != "equal"
    ]
    if strange:
        raise Mistake(
            f"{request} with {', '.join(strange)}.",
            found="Several releases together cannot be judged by that.",
            attempt="k, distinct l_diversity, t_closeness of equal distance, or confidence_gain.",
        )
    rules = joint_rules(policy)
    return LedgerRequirement(k=int(rules["k"]), l=int(rules["l"]), t=rules["t"], gain=rules["gain"])
