"""Fields that follow another: suppressed where it is, so that a suppressed value is not disclosed
beside it.

sdcMicro calls them ghost variables: a town beside a suppressed zip discloses the zip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sfumato.bins import Bins, LabelledRecoding, Recoding
from sfumato.hierarchies import SUPPRESSED, Hierarchy
from sfumato.policy import Policy

from .treatments import KEPT, Treatments

Follows = Mapping[str, tuple[str, str]]


def follows_of(
    policy: Policy, bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding
) -> Follows:
    """Each linked field with its leader and the label of a suppressed cell of the leader.

    Leaders without a suppressed cell in the release are omitted: there is nothing to follow.
    """
    linked = {
        name: decided.follows
        for name, decided in policy.fields.items()
        if decided.follows in bins.fields
    }
    if not linked:
        return {}
    released = recoding.apply(bins, hierarchies)
    out = {}
    for name, leader in linked.items():
        label = _suppressed(hierarchies[leader], recoding)
        shown = {label_ for (label_,) in released.project((leader,)).tuples()}
        if label is not None and label in shown:
            out[name] = (leader, label)
    return out


def _suppressed(hierarchy: Hierarchy, recoding: Recoding) -> str | None:
    """The content of a suppressed cell: the top of its hierarchy where all values meet there.
    Ranges and sets have none."""
    if isinstance(recoding, LabelledRecoding):
        return SUPPRESSED
    return hierarchy.labels[-1][0] if hierarchy.height and hierarchy.ends_in_one_value else None


def link(treatments: Treatments, follows: Follows) -> Treatments:
    """The treatments with words about the linked fields that are released."""
    words = dict(treatments.words)
    for name, (leader, _) in follows.items():
        if name in treatments.fields:
            said = f"suppressed where {leader} is"
            words[name] = said if words[name] == KEPT else f"{words[name]}; {said}"
    return replace(treatments, words=words)
