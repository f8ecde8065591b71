"""The R-U confidentiality map: candidates by their risk and their utility (Duncan et al. 2003;
Garfinkel et al. 2007, section 7).

A candidate is *dominated* where another has no more risk and no less utility, and one of them is
better: nobody needs it. Along the others, from the least risk on, more risk buys more utility, and
at some point it buys little:

**The point of diminishing return** is found per solver. Risk and utility are put on a scale from 0
to 1 over the candidates that are not dominated. Of the upper concave hull of these points, it is
the corner after which the slope is below 1. Up to there, one per cent of the sweep's range of risk
buys at least one per cent of its range of utility. From there on it buys less. (Garfinkel et al.
2007 define it with one per cent of risk tolerance.) This is the candidate with the greatest scaled
utility minus scaled risk, the one with less risk where several are alike. No point is named where
fewer than three candidates remain, or none is above the straight line from first to last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

RISKS = {
    "highest": "chance to find the person most exposed",
    "average": "average chance to find a person",
    "inference": "highest share of one sensitive value in a bin",
}
UTILITIES = {
    "information": "information kept (1 - loss)",
    "precision": "precision",
    "entropy": "bits kept, given how often values occur (1 - non-uniform entropy)",
    "rows": "share of rows released",
    "queries": "accuracy of random counts (1 - median error)",
}


@dataclass(frozen=True, kw_only=True)
class RuPoint:
    """One candidate: what was asked for, its risks (less is better) and its utilities (more is
    better), 0 to 1.

    `contacts` are the people whom an intruder contacts on average until the right one answers.
    `reason` is why there is no candidate where there is none; then there are neither risks nor
    utilities."""

    setting: float
    solver: str
    risks: Mapping[str, float] = field(default_factory=dict)
    utilities: Mapping[str, float] = field(default_factory=dict)
    rows_suppressed: int = 0
    bins: int = 0
    smallest: int = 0
    contacts: float = 0.0
    levels: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class RuMap:
    """All candidates of a sweep over the requirement `over`, on the axes `risk` and `utility`.

    `source` is the table as it is, for comparison: the most risk and all the utility.
    """

    over: str
    points: tuple[RuPoint, ...]
    risk: str = "highest"
    utility: str = "information"
    source: RuPoint | None = None

    def on(self, point: RuPoint) -> tuple[float, float] | None:
        """The place of a point on the map; None where it has no candidate, or lacks one of the
        two."""
        if self.risk not in point.risks or self.utility not in point.utilities:
            return None
        return point.risks[self.risk], point.utilities[self.utility]

    @property
    def dominated(self) -> tuple[bool, ...]:
        places = [self.on(point) for point in self.points]
        return tuple(
            place is not None and any(_beats(other, place) for other in places) for place in places
        )

    @property
    def knees(self) -> dict[str, int]:
        """Per solver that has one, the number of the candidate at its point of diminishing
        return."""
        out: dict[str, int] = {}
        for solver in dict.fromkeys(point.solver for point in self.points):
            mine = [
                n
                for n, point in enumerate(self.points)
                if point.solver == solver and self.on(point) is not None
            ]
            found = diminishing_return([place for n in mine if (place := self.on(self.points[n]))])
            if found is not None:
                out[solver] = mine[found]
        return out

    def as_dict(self) -> dict[str, Any]:
        knees = self.knees.values()
        return {
            "over": self.over,
            "risk": self.risk,
            "utility": self.utility,
            "points": [
                {**point.as_dict(), "dominated": worse, "diminishing_return": number in knees}
                for number, (point, worse) in enumerate(
                    zip(self.points, self.dominated, strict=True)
                )
            ],
            "source": self.source.as_dict() if self.source else None,
        }


def _beats(other: tuple[float, float] | None, place: tuple[float, float]) -> bool:
    return other is not None and other != place and other[0] <= place[0] and other[1] >= place[1]


def diminishing_return(places: Sequence[tuple[float, float]]) -> int | None:
    """Which of the points (risk, utility) is the point of diminishing return; None where there is
    none.

    Example:
        >>> diminishing_return([(0.05, 0.40), (0.10, 0.70), (0.20, 0.75), (0.50, 0.80)])
        1
        >>> diminishing_return([(0.1, 0.1), (0.2, 0.2), (0.3, 0.3)]) is None
        True
    """
    left = [
        n for n, place in enumerate(places) if not any(_beats(other, place) for other in places)
    ]
    left = [
        n for number, n in enumerate(left) if places[n] not in [places[m] for m in left[:number]]
    ]
    if len(left) < 3:
        return None
    found = np.array([places[n] for n in left])
    spans = np.ptp(found, axis=0)
    if (spans <= 0).any():
        return None
    scaled = (found - found.min(axis=0)) / spans
    gain = scaled[:, 1] - scaled[:, 0]
    best = min(range(len(left)), key=lambda n: (-round(float(gain[n]), 9), scaled[n, 0]))
    return left[best] if gain[best] > 1e-9 else None
