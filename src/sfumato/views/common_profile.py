"""The common profile of several recipients: somebody who may know what any of them knows, and needs
what any of them needs.

A release that is solved for it has the finest levels that all of them may see together. In a product
of chains, the finer of two recodings is the finer level of each field. So releases whose levels are
nowhere finer than the common ones have a product that is nowhere finer than the common release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.policy import Policy, RecipientProfile


def for_common_profile(policy: Policy, profiles: Sequence[str]) -> Policy:
    """The policy with the common profile of several as its recipient. Links are the likeliest of
    theirs, and tolerated distortion the least."""
    name = "-".join(("common", *profiles))
    linking: dict[str, float] = {}
    distortion: dict[str, float] = {}
    each_policy = [replace(policy, recipient=each) for each in profiles]
    for table in policy.tables or ("",):
        own = [each.of_table(table) if table else each for each in each_policy]
        for field in own[0].fields:
            called = f"{table}.{field}" if table else field
            linking[called] = max(each.profile.links_on(field) for each in own)
            distortion[called] = min(each.profile.tolerates(field) for each in own)
    common = RecipientProfile(
        name=name,
        description="Several profiles together.",
        linking=linking,
        distortion=distortion,
        default_linking=max(each.profile.default_linking for each in each_policy),
        default_distortion=min(each.profile.default_distortion for each in each_policy),
    )
    return replace(policy, recipients={**policy.recipients, name: common}, recipient=name)
