"""Whether a release has null-map, k-map and wrong-map protection (Sweeney 2000, section 5), with
reasons.

The models themselves, which a policy can require, are in `protection`. Here all three are judged at
once over every lookup, with labels of any kind. Each counts the released records that break it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.bins import Bins

from .ads0_lookups import LookedUpBins, Numbers, least

LEAST = 3
"""Wrong-map needs more than two rows and subjects: of two, each knows whose the other is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapFinding:
    """One protection model: whether it holds, how many released records break it, and why."""

    model: Literal["null-map", "k-map", "wrong-map"]
    holds: bool
    offending: int
    k: int = 0
    reason: str


def maps_of(
    release: Bins,
    looked: Sequence[LookedUpBins],
    of_subjects: Numbers | None,
    home: Numbers,
    *,
    people: int,
) -> tuple[MapFinding, ...]:
    """All three. `of_subjects` counts the subjects under each bin and is None where subjects are
    not identified; `home` counts each bin's rows that lead to their own subject; `people` are the
    subjects."""
    if not release.rows:
        reason = "nothing is released"
        return tuple(
            MapFinding(model=model, holds=model != "wrong-map", offending=0, reason=reason)
            for model in ("null-map", "k-map", "wrong-map")
        )
    return (
        _null_map(release, looked, known=of_subjects is not None),
        _k_map(release, looked),
        _wrong_map(release, of_subjects, home, people),
    )


def _null_map(release: Bins, looked: Sequence[LookedUpBins], *, known: bool) -> MapFinding:
    reached = np.any([each.may_be_right for each in looked], axis=0)
    offending = int(release.counts[reached].sum())
    if not offending:
        reason = "no released tuple can be mapped to a subject"
    elif known:
        reason = f"{offending:,} of {release.rows:,} released tuples can be mapped to a subject"
    else:
        reason = (
            f"{offending:,} of {release.rows:,} released tuples can be mapped to an entity who "
            "may be a subject"
        )
    return MapFinding(model="null-map", holds=not offending, offending=offending, reason=reason)


def _k_map(release: Bins, looked: Sequence[LookedUpBins]) -> MapFinding:
    could_be = least(looked)
    k = int(could_be.min())
    to_one, to_nobody = (int(release.counts[could_be == size].sum()) for size in (1, 0))
    if k > 1:
        reason = f"every released tuple refers to at least {k} entities alike"
    else:
        parts = [(to_one, "to one entity"), (to_nobody, "to none")]
        reason = " and ".join(
            f"{count:,} of {release.rows:,} released tuples refer {where}"
            for count, where in parts
            if count
        )
    return MapFinding(model="k-map", holds=k > 1, offending=to_one + to_nobody, k=k, reason=reason)


def _wrong_map(
    release: Bins, of_subjects: Numbers | None, home: Numbers, people: int
) -> MapFinding:
    if of_subjects is None:
        reason = "undecided: the subjects are not distinguished from the population"
        return MapFinding(model="wrong-map", holds=False, offending=0, reason=reason)
    if release.rows < LEAST or people < LEAST:
        few = f"{release.rows} rows about {people} subjects"
        reason = (
            f"{few}: with fewer than {LEAST}, each one's row can be found by leaving the other out"
        )
        return MapFinding(model="wrong-map", holds=False, offending=release.rows, reason=reason)
    to_one = of_subjects == 1
    right = np.minimum(home, release.counts) * to_one
    offending = int(release.counts[~to_one].sum() + right.sum())
    parts = [
        (int(release.counts[of_subjects == 0].sum()), "map to no subject"),
        (int(release.counts[of_subjects > 1].sum()), "map to several subjects"),
        (int(right.sum()), "map to the subject that they are about"),
    ]
    failed = " and ".join(
        f"{count:,} of {release.rows:,} released tuples {where}" for count, where in parts if count
    )
    reason = failed or "every released tuple maps to one subject, and not to the one it is about"
    return MapFinding(model="wrong-map", holds=not offending, offending=offending, reason=reason)
