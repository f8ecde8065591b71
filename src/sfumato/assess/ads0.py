"""Is a release an ADS0, a basic anonymous data system? Property 9 of paper 000, section 5, checked on bins.

Property 9 asks of every released tuple that correctly points to its subject: (a) it also points to someone else,
or (b) another released tuple points to that subject too, or (c) what it says besides is not true. Sfumato's
recodings keep what they say true, so here (c) never helps, and a tuple that is alone, and points to one entity,
breaks the property.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.bins import Bins, match_counts, population_counts, wild_cells
from sfumato.policy import NullRule
from sfumato.policy.hierarchies import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ads0:
    """The finding, in counts. `k_map` is the largest k for which k-map protection holds; 0 means null-map."""

    holds: bool
    tuples: int
    pointing_to_one: int
    pointing_to_nobody: int
    offending: int
    k_map: int
    reason: str


def check_ads0(
    release: Bins, entities: Bins, quasi_identifier: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> Ads0:
    """Judge the released bins against the entities that external information could name.

    `entities` are bins of the known entities over the quasi-identifier, with values of level 0: the population
    where a register is at hand, else the private table itself, as if a register of just these people existed.

    Condition (b) counts released tuples with equal labels: two tuples that could be confused only through
    overlapping labels are not credited.
    """
    fields = tuple(quasi_identifier)
    if not fields:
        return Ads0(
            holds=False,
            tuples=release.rows,
            pointing_to_one=0,
            pointing_to_nobody=0,
            offending=0,
            k_map=0,
            reason="cannot be said: no field with labels of a hierarchy is counted as known to the recipient",
        )
    could_be = population_counts(release, entities, fields, hierarchies)
    groups, sizes = release.group_of(fields)
    together = sizes[groups]
    alone = (could_be == 1) & (together == 1)
    nobody = could_be == 0
    offending = int(release.counts[alone].sum())
    k = int(could_be.min()) if len(release) else 0
    return Ads0(
        holds=offending == 0,
        tuples=release.rows,
        pointing_to_one=int(release.counts[could_be == 1].sum()),
        pointing_to_nobody=int(release.counts[nobody].sum()),
        offending=offending,
        k_map=k,
        reason=_reason(offending, release.rows, fields),
    )


def _reason(offending: int, tuples: int, fields: tuple[str, ...]) -> str:
    over = ", ".join(fields)
    if offending:
        return (
            f"not an ADS0: {offending} of {tuples} released tuples point to exactly one entity over ({over}), are "
            "alone in the release, and what they say is true, so none of the conditions of property 9 holds"
        )
    return f"an ADS0 over ({over}): every tuple that points to its subject points to others too, or is not alone"


def smallest_strict_and_wildcard(release: Bins, fields: Sequence[str]) -> tuple[int, int]:
    """The smallest bin when a suppressed cell is a value of its own, and when it matches anything."""
    if not len(release):
        return 0, 0
    columns = [release.column(name) for name in fields]
    groups, sizes = release.group_of(fields)
    wild = wild_cells(release, suppressed=True, nulls=NullRule.VALUE)
    return int(np.min(sizes[groups])), int(np.min(match_counts(release, wild, columns)))
