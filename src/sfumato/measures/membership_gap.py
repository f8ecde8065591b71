"""The gap of a membership attack: how much likelier an attacker claims "member" of members than of
others, with its interval. The threshold is chosen on one half of the people and tried on the other,
so that the gap is not fitted to chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 64
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipGap:
    """How much likelier "member" is claimed of members than of others, with its 95 % interval."""

    members: int
    others: int
    said_of_members: float
    said_of_others: float
    gap: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def nearest_distance(people: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    """In how many fields the nearest row differs, and in part how many rows are as near."""
    out = np.zeros(len(people))
    columns = [np.ascontiguousarray(rows[:, n]) for n in range(rows.shape[1])]
    for start in range(0, len(people), BLOCK):
        block = people[start : start + BLOCK]
        differ = np.zeros((len(block), len(columns[0])), np.int16)
        for n, column in enumerate(columns):
            differ += block[:, n : n + 1] != column
        nearest = differ.min(1)
        as_near = (differ == nearest[:, None]).mean(1)
        out[start : start + BLOCK] = nearest - as_near
    return out


def gap_between(members: NDArray[np.float64], others: NDArray[np.float64]) -> MembershipGap:
    half = len(members) // 2
    best = best_gap(members[:half], others[:half])[1]
    yes, no = members[half:] >= best, others[half:] >= best
    gap = float(yes.mean() - no.mean())
    spread = _Z * sqrt(
        float(yes.var()) / len(yes) + float(no.var()) / len(no) + 0.25 / len(yes) ** 2
    )
    return MembershipGap(
        members=len(yes),
        others=len(no),
        said_of_members=float(yes.mean()),
        said_of_others=float(no.mean()),
        gap=gap,
        low=max(gap - spread, -1.0),
        high=min(gap + spread, 1.0),
    )


def best_gap(members: NDArray[np.float64], others: NDArray[np.float64]) -> tuple[float, float]:
    """The largest gap, and the threshold of the claim "member" for it."""
    places = np.unique(np.concatenate([members, others]))
    above = [np.searchsorted(np.sort(one), places, side="left") for one in (members, others)]
    gaps = above[1] / len(others) - above[0] / len(members)
    best = int(np.argmax(gaps))
    return float(gaps[best]), float(places[best])
