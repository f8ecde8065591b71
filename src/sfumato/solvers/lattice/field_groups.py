"""A bound for lattices of many fields, from groups of the fields.

A row in a bin under k over some fields is in a bin under k over more of them. Incognito (LeFevre et
al. 2005) rules out nodes by this. So the fields of a group lose in every node at least what they
lose in the best node of the group by itself. Where the groups hold each field equally often, a mean
over fields loses at least the mean over the groups. Few fields are searched first. Larger groups
bound more, and follow for as long as all of them are searched to the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.bins import Bins
from sfumato.errors import NoRecodingFound

from ..effort import Effort, cpu_seconds

PARTS = (2, 3, 4, 6)
"""Fields are cut into so many parts, and each part in turn is left out of a group."""
ADDITIVE = {"loss": True, "ncp": False, "precision": False}
"""The objectives that are a mean over fields, and whether it is a geometric one."""
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBound:
    """A lower bound of the loss of some fields, the nodes that were counted for it, and whether the
    search was complete."""

    bound: float = 0.0
    work: int = 0
    complete: bool = True


def groups_of(fields: Sequence[str], parts: int) -> list[tuple[str, ...]]:
    """Groups that hold every field equally often. Neighbours, which often depend on each other, are
    left out of different ones.

    Example:
        >>> groups_of("abcd", 2)
        [('b', 'd'), ('a', 'c')]
        >>> groups_of("abc", 3)
        [('b', 'c'), ('a', 'c'), ('a', 'b')]
    """
    return [
        tuple(name for place, name in enumerate(fields) if place % parts != part)
        for part in range(parts)
    ]


def bound_by_groups(
    bins: Bins,
    search: Callable[[Bins, Effort], GroupBound],
    *,
    effort: Effort,
    objective: str,
    weight: Callable[[str], float],
) -> GroupBound:
    """No node loses less. `search` bounds the loss of one group by itself, within an effort."""
    best, work = 0.0, 0
    for parts in PARTS:
        if parts > len(bins.fields) or effort.spent(work):
            break
        found = _bound(
            bins,
            groups_of(bins.fields, parts),
            search,
            effort=_left(effort, work),
            geometric=ADDITIVE[objective],
            weight=weight,
        )
        best, work = max(best, found.bound), work + found.work
        if not found.complete:
            break
    return GroupBound(bound=max(best - ROUNDING, 0.0), work=work)


def _bound(
    bins: Bins,
    groups: Sequence[tuple[str, ...]],
    search: Callable[[Bins, Effort], GroupBound],
    *,
    effort: Effort,
    geometric: bool,
    weight: Callable[[str], float],
) -> GroupBound:
    """The mean over groups, each by the weight of its fields."""
    weights = [sum(map(weight, group)) for group in groups]
    total, work, complete = 0.0, 0, True
    for place, (group, share) in enumerate(zip(groups, weights, strict=True)):
        if not share:
            continue
        try:
            found = search(bins.project(group), _left(effort, work, groups=len(groups) - place))
        except NoRecodingFound:  # Nothing is proven of this group.
            complete = False
            continue
        work, complete = work + found.work, complete and found.complete
        total += share * (math.log1p(found.bound) if geometric else found.bound)
    mean = total / (sum(weights) or 1.0)
    return GroupBound(bound=math.expm1(mean) if geometric else mean, work=work, complete=complete)


def _left(effort: Effort, work: int, *, groups: int = 1) -> Effort:
    """The remaining effort for one of so many groups."""
    seconds = max(effort.seconds - (cpu_seconds() - effort.started), 0.0)
    most = None if effort.work is None else max((effort.work - work) // groups, 1)
    return Effort(seconds=seconds / groups, work=most)
