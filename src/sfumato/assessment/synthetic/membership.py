"""Membership: can somebody tell who was in the source? Members of the source against people who are
not in it, by how near synthetic rows come (in the spirit of DOMIAS, van Breugel et al. 2023).

The attacker has a person's whole row and a sample of other people. They say "member" where synthetic
rows are nearer to the person than that sample is. The threshold is found on one half of the people and
tried on the other, so that the gap is not fitted to chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attacks.rates import Z
from .coded_rows import CodedRows, Codes

PEOPLE = 4_000
"""How many members, and as many others, are tried at most."""
MOST_ROWS = 60_000
"""Of more synthetic rows, so many are looked at: nearness needs no more."""
FEWEST = 50
BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipGap:
    """How much likelier "member" is said of members than of others, with its 95 % interval."""

    members: int
    others: int
    said_of_members: float
    said_of_others: float
    gap: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Distinct rows of the source, and of people who are not in it, that are synthetic rows too."""

    source_rows: int
    source_met: int
    control_rows: int
    control_met: int

    @property
    def of_source(self) -> float:
        return self.source_met / max(self.source_rows, 1)

    @property
    def of_control(self) -> float | None:
        return self.control_met / self.control_rows if self.control_rows else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"of_source": self.of_source, "of_control": self.of_control}


def membership_gap(rows: CodedRows, *, seed: int) -> MembershipGap | None:
    """Attack membership; None where there are too few people beside the source."""
    chance = np.random.default_rng(seed)
    half = len(rows.control) // 2
    if half < FEWEST or len(rows.source) < 2 * FEWEST:
        return None
    mixed = chance.permutation(len(rows.control))
    others, reference = rows.control[mixed[:half]], rows.control[mixed[half:]]
    count = min(PEOPLE, len(others), len(rows.source))
    members = rows.source[chance.choice(len(rows.source), count, replace=False)]
    others = others[:count]
    made = _some(rows.made, MOST_ROWS, chance)
    people = np.concatenate([members, others])
    nearness = _distance(people, reference) - _distance(people, made)
    order = chance.permutation(count)
    return _gap(nearness[:count][order], nearness[count:][order])


def _some(rows: Codes, most: int, chance: np.random.Generator) -> Codes:
    return rows if len(rows) <= most else rows[chance.choice(len(rows), most, replace=False)]


def _distance(people: Codes, rows: Codes) -> NDArray[np.float64]:
    """In how many fields the nearest row differs, and in part how many rows are as near."""
    out = np.zeros(len(people))
    columns = [np.ascontiguousarray(rows[:, n]) for n in range(rows.shape[1])]
    for start in range(0, len(people), BLOCK):
        block = people[start : start + BLOCK]
        differ = np.zeros((len(block), len(rows)), np.int8)
        for n, column in enumerate(columns):
            differ += block[:, n : n + 1] != column
        nearest = differ.min(1)
        as_near = (differ == nearest[:, None]).mean(1)
        out[start : start + BLOCK] = nearest - as_near
    return out


def _gap(members: NDArray[np.float64], others: NDArray[np.float64]) -> MembershipGap:
    half = len(members) // 2
    best = _threshold(members[:half], others[:half])
    yes, no = members[half:] >= best, others[half:] >= best
    gap = float(yes.mean() - no.mean())
    spread = Z * sqrt(
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


def _threshold(members: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Where "member" is said of most more members than others."""
    places = np.unique(np.concatenate([members, others]))
    above = [np.searchsorted(np.sort(one), places, side="left") for one in (members, others)]
    gaps = above[1] / len(others) - above[0] / len(members)
    return float(places[int(np.argmax(gaps))])


def copies(rows: CodedRows) -> Copies:
    """Count exact copies, over all fields that were compared."""
    made = _distinct(rows.made)
    source, control = _distinct(rows.source), _distinct(rows.control)
    return Copies(
        source_rows=len(source),
        source_met=len(source & made),
        control_rows=len(control),
        control_met=len(control & made),
    )


def _distinct(rows: Codes) -> set[bytes]:
    return {row.tobytes() for row in np.ascontiguousarray(rows)}
